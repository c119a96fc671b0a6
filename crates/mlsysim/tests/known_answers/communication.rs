//! Collectives beyond one ring.

use mlsysim::physics::communication::all_gather_time;
use mlsysim::quantity::{Bandwidth, Bytes, Time};
use mlsysim::scenarios::communication::{
    AllReduceScheduleScenario, AllToAllDispatchScenario, HierarchicalAllReduceScenario,
};
use mlsysim::units::{GIGABYTE, MILLISECOND};
use mlsysim::{Define, Item};

use super::{Row, near};

fn gigabytes_per_second(rate: f64) -> Bandwidth {
    Bandwidth::from_base(rate * 1e9)
}

pub fn all_gather_counts_the_gathered_size_once(row: &Row) {
    let time = all_gather_time(GIGABYTE, 8, gigabytes_per_second(50.0), Time::ZERO);
    row.check(time / MILLISECOND, "17.500");
}

/// The case of U01: 8 GB over 2 nodes of 8 GPUs.
fn hierarchy() -> HierarchicalAllReduceScenario {
    HierarchicalAllReduceScenario {
        message: 8.0 * GIGABYTE,
        n_nodes: 2,
        gpus_per_node: 8,
        intra_bandwidth: gigabytes_per_second(450.0),
        inter_bandwidth: gigabytes_per_second(50.0),
        inter_alpha: Time::ZERO,
    }
}

pub fn phases_within_a_node_scatter_and_gather(row: &Row) {
    assert!(row.right_value.contains("2*(L-1)/L*M (reduce-scatter + all-gather); inter AllReduce of M/L"));
    let result = hierarchy().result().unwrap();
    let message = hierarchy().message;
    assert!(near(2.0 * (result.intra_bytes / message), 2.0 * 7.0 / 8.0, 1e-12));
    assert_eq!(result.shard, message / 8u64);
}

pub fn hierarchical_all_reduce(row: &Row) {
    let result = hierarchy().result().unwrap();
    row.check(result.total_time / MILLISECOND, "51.1111");
    assert!(near(result.reduce_scatter_time / MILLISECOND, 140.0 / 9.0, 1e-12));
    assert!(near(result.inter_time / MILLISECOND, 20.0, 1e-12));
    assert_eq!(result.reduce_scatter_time, result.all_gather_time);
}

/// A group of one exchanges nothing, whatever the schedule.
#[test]
fn one_device_exchanges_nothing() {
    let alpha = Time::from_base(1e-6);
    let alone =
        HierarchicalAllReduceScenario { n_nodes: 1, gpus_per_node: 1, inter_alpha: alpha, ..hierarchy() };
    let result = alone.result().unwrap();
    assert_eq!((result.total_time, result.flat_ring_time), (Time::ZERO, Time::ZERO));
    assert_eq!((result.speedup_vs_flat_ring, result.speedup_vs_flat_bound), (None, None));
    assert!(alone.notes()[0].text.contains("a group of one device exchanges nothing"));
    // One node is a ring of its own GPUs, one GPU a node a ring across nodes.
    let node = HierarchicalAllReduceScenario { n_nodes: 1, ..hierarchy() }.result().unwrap();
    assert_eq!(node.inter_time, Time::ZERO);
    let ring = HierarchicalAllReduceScenario { gpus_per_node: 1, ..hierarchy() }.result().unwrap();
    assert_eq!(ring.total_time, ring.flat_ring_time);

    let schedule = AllReduceScheduleScenario {
        message: GIGABYTE,
        group_sizes: vec![1, 2, 3, 4],
        alpha,
        bandwidth: gigabytes_per_second(50.0),
        run_steps: 1,
        time_saved_fraction: 0.0,
    }
    .checked()
    .unwrap();
    let result = schedule.result();
    let zero = Some(&Time::ZERO);
    assert_eq!(
        [result.ring_time.get("1"), result.tree_time.get("1"), result.star_byte_time.get("1")],
        [zero; 3]
    );
    // Where the ring takes no more rounds than the tree, nothing crosses over.
    assert_eq!(["1", "2", "3"].map(|size| result.crossover_estimate[size]), [None; 3]);
    assert!(result.crossover_estimate["4"].is_some());
    assert_eq!(result.crossover_exact["2"], Some(Bytes::ZERO));
    assert_eq!(result.crossover_exact["1"], None);
    assert_eq!(schedule.saved_time(7).unwrap_err().field(), Some("n"));
}

/// Tokens that do not divide evenly are not lost.
#[test]
fn a_dispatch_moves_every_token() {
    let dispatch = |total_tokens, n_devices| {
        AllToAllDispatchScenario {
            total_tokens,
            n_devices,
            n_experts: 8,
            hidden_dim: 1000,
            bytes_per_element: Bytes::from_base(2.0),
            alpha: Time::from_base(1e-6),
            bandwidth: gigabytes_per_second(50.0),
            receive_skew: 1.0,
        }
        .checked()
        .unwrap()
        .result()
    };
    let uneven = dispatch(100, 8);
    assert_eq!((uneven.tokens_per_device, uneven.tokens_per_pair), (12.5, 1.5625));
    // What all devices send is what they hold but for their own share.
    assert_eq!(8.0 * uneven.sent_bytes.base(), 100.0 * 2000.0 * 7.0 / 8.0);
    let alone = dispatch(100, 1);
    assert_eq!((alone.sent_bytes, alone.injection_bound), (Bytes::ZERO, Time::ZERO));
}
