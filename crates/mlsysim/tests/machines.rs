//! Laws of machines: what collectives send and take, which links groups cross, what ranks hold.
#![allow(clippy::unwrap_used)]

use mlsysim::machine::{Algorithm, Collective, Link, Machine};
use mlsysim::quantity::{Bandwidth, Bytes};
use mlsysim::registry::{NetworkFabric, Node};
use mlsysim::scenario::Library;
use mlsysim::transformer::{
    Accounting, Alternative, Division, Layout, MemoryPolicy, Optimizer, Placed, Recompute, Schedule, Step,
    Transformer,
};
use mlsysim::{Define, Map, Value, library};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn gigabytes(value: f64) -> Bytes {
    Bytes::from_base(value * 1e9)
}

/// A machine of `domain` devices in each domain, with these rates in GB/s.
fn machine(domain: u64, domains: u64, link: f64, network: f64) -> Machine {
    let node = Machine::named("DGX_A100").unwrap();
    let rate = |value: f64| Bandwidth::from_base(value * 1e9);
    Machine { domain, domains, link: rate(link), network: Some(rate(network)), ..node }
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-12 * one.abs().max(other.abs())
}

#[test]
fn a_group_of_one_exchanges_nothing() {
    for collective in Collective::ALL {
        for algorithm in Algorithm::ALL {
            if let Some(plan) = algorithm.plan(*collective, 1, gigabytes(1.0)) {
                assert_eq!((plan.steps, plan.sent), (0, Bytes::ZERO), "{algorithm:?} {collective:?}");
            }
        }
        let machine = machine(8, 4, 450.0, 50.0);
        let bound = machine.collective_bound(*collective, gigabytes(1.0), machine.reach(1, 8)).unwrap();
        assert_eq!(bound.link(), Link::Nothing);
    }
}

/// A literal is not checked where it is built, so that it is where it is used.
#[test]
fn machines_that_contradict_themselves_are_refused() {
    let good = machine(8, 4, 450.0, 50.0);
    let (model, layout) = (Transformer::named("Llama3_8B").unwrap(), Layout::parse("tp=8").unwrap());
    let (division, step) = (Division::new(&model, &layout).unwrap(), Step::decode(8, 1024));
    let accounting = Accounting::new(&division, &step).unwrap();
    let account = accounting.account(0).unwrap();
    assert!(accounting.bound(&account, &good).is_ok());
    for (field, bad) in [
        ("oversubscription", Machine { oversubscription: 0.5, ..good.clone() }),
        ("oversubscription", Machine { oversubscription: f64::NAN, ..good.clone() }),
        ("network", Machine { network: None, ..good.clone() }),
        ("network", Machine { network: Some(Bandwidth::ZERO), ..good.clone() }),
        ("link", Machine { link: Bandwidth::ZERO, ..good.clone() }),
        ("domain", Machine { domain: 0, ..good.clone() }),
        ("domains", Machine { domains: 0, ..good.clone() }),
    ] {
        let refused = accounting.bound(&account, &bad).unwrap_err();
        assert_eq!(refused.field(), Some(field), "{refused}");
        let placed = Placed::new(&accounting, &bad, &MemoryPolicy::default()).unwrap_err();
        assert_eq!(placed, refused);
        assert_eq!(bad.checked().unwrap_err().field(), Some(field));
    }
}

/// What is given by name is checked there: the message says what is allowed and what was given.
#[test]
fn inputs_of_a_machine_are_checked() {
    let device = library().value("Hardware.Cloud.H100").unwrap();
    let inputs = |oversubscription: f64| -> Map<Value> {
        [
            ("name", Value::text("mine")),
            ("device", device.clone()),
            ("domain", Value::Integer(8)),
            ("link", Value::text("450 GB/s")),
            ("oversubscription", Value::Number(oversubscription)),
        ]
        .into_iter()
        .map(|(name, value)| (name.into(), value))
        .collect()
    };
    assert_eq!(Machine::from_inputs(inputs(1.0)).unwrap().devices(), 8);
    let refused = Machine::from_inputs(inputs(0.5)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "oversubscription: a number of at least 1 is needed, but `0.5` was given"
    );
}

/// A server that does not say how many ports it has has no place on a network.
#[test]
fn a_server_without_ports_has_no_network() {
    let entry = |path: &str| match library().value(path).unwrap() {
        Value::Object(object) => object,
        other => panic!("{other} is no entry"),
    };
    let node = entry("Systems.Nodes.DGX_H100").downcast::<Node>().unwrap();
    let fabric = entry("Systems.Fabrics.InfiniBand_NDR").downcast::<NetworkFabric>().unwrap();
    let mute = Node { nics_per_node: None, ..(*node).clone() };
    let refused = Machine::of_node(&mute).on_fabric(&mute, &fabric, 4).unwrap_err();
    assert_eq!(refused.field(), Some("nics_per_node"));
}

proptest! {
    /// Whatever the algorithm, an AllReduce moves each part to where it is summed and the sum to
    /// everybody: at least `2 (n − 1) S` over all ranks, unless a switch adds.
    #[test]
    fn no_algorithm_sends_less_than_a_ring_unless_the_switch_adds(ranks in 2u64..2000, size in 0.001f64..100.0) {
        let least = 2.0 * (ranks - 1) as f64 / ranks as f64 * size * 1e9;
        for algorithm in Algorithm::ALL {
            let Some(plan) = algorithm.plan(Collective::AllReduce, ranks, gigabytes(size)) else { continue };
            prop_assert!(plan.steps >= 1);
            match algorithm {
                Algorithm::InSwitch => prop_assert!(plan.sent.base() >= size * 1e9),
                _ => prop_assert!(plan.sent.base() >= least * (1.0 - 1e-12), "{algorithm:?} {ranks}"),
            }
        }
    }

    /// The least share is that of the algorithm that sends least, for what is done within a group.
    #[test]
    fn the_least_share_is_that_of_an_algorithm(ranks in 1u64..2000, size in 0.001f64..100.0) {
        for collective in Collective::ALL {
            for in_switch in [false, true] {
                let there = Algorithm::ALL.iter().filter(|own| in_switch || **own != Algorithm::InSwitch);
                let plans = there.filter_map(|own| own.plan(*collective, ranks, gigabytes(size)));
                let least = plans.map(|plan| plan.sent.base()).fold(f64::INFINITY, f64::min);
                let share = collective.least_share(ranks, in_switch);
                prop_assert!(near(share * size * 1e9, least), "{collective:?} {ranks} {in_switch}");
            }
        }
    }

    #[test]
    fn an_all_reduce_is_a_reduce_scatter_and_an_all_gather(ranks in 2u64..2000, size in 0.001f64..100.0) {
        let sent = |collective| Algorithm::Ring.plan(collective, ranks, gigabytes(size)).unwrap();
        let (whole, halves) = (sent(Collective::AllReduce), [sent(Collective::ReduceScatter), sent(Collective::AllGather)]);
        prop_assert!(near(whole.sent.base(), halves[0].sent.base() + halves[1].sent.base()));
        prop_assert_eq!(whole.steps, halves[0].steps + halves[1].steps);
    }

    /// Within and between domains an AllReduce sends together what one flat ring sends.
    #[test]
    fn hierarchical_is_flat_where_links_are_equal(per_domain in 1u64..64, domains in 1u64..64, rate in 1.0f64..1000.0) {
        let machine = machine(per_domain, domains, rate, rate);
        let ranks = per_domain * domains;
        prop_assume!(ranks > 1);
        for collective in [Collective::AllReduce, Collective::ReduceScatter, Collective::AllGather] {
            let bound = machine.collective_bound(collective, gigabytes(1.0), machine.reach(ranks, 1)).unwrap();
            let flat = Algorithm::Ring.plan(collective, ranks, gigabytes(1.0)).unwrap().sent / machine.link;
            prop_assert!(near((bound.on_links + bound.on_network).base(), flat.base()), "{collective:?} {bound:?} {flat:?}");
            prop_assert!(bound.time() <= flat * (1.0 + 1e-12));
        }
    }

    #[test]
    fn more_bandwidth_is_never_slower(domain in 1u64..16, domains in 2u64..16, stride in 1u64..16, ranks in 1u64..64, more in 1.0f64..4.0) {
        let slow = machine(domain, domains, 300.0, 25.0);
        for faster in [machine(domain, domains, 300.0 * more, 25.0), machine(domain, domains, 300.0, 25.0 * more),
                       Machine { in_switch_reduction: true, ..slow.clone() }] {
            for collective in Collective::ALL {
                let time = |machine: &Machine| machine.collective_bound(*collective, gigabytes(1.0), machine.reach(ranks, stride)).unwrap().time();
                prop_assert!(time(&faster) <= time(&slow));
            }
        }
    }

    /// A group lies in as many domains as it needs: its ranks are in them, and no domain holds more
    /// than it has devices.
    #[test]
    fn a_group_lies_within_its_domains(domain in 1u64..128, ranks in 1u64..512, stride in 1u64..64) {
        let reach = machine(domain, 4096, 450.0, 50.0).reach(ranks, stride);
        prop_assert!(1 <= reach.per_domain && reach.per_domain <= reach.most_per_domain);
        prop_assert!((reach.most_per_domain - 1) * stride < domain);
        prop_assert!(reach.per_domain * reach.domains <= ranks && ranks <= reach.most_per_domain * reach.domains);
        // Counted one by one, no group of those that begin in the first domains lies worse.
        for first in 0..domain.min(24) {
            let start = first / stride * ranks * stride + first % stride;
            let domains: BTreeMap<u64, u64> =
                (0..ranks).fold(BTreeMap::new(), |mut counts, rank| {
                    *counts.entry((start + rank * stride) / domain).or_default() += 1;
                    counts
                });
            prop_assert!(domains.len() as u64 <= reach.domains, "{start}: {domains:?} {reach:?}");
            if domains.len() as u64 == reach.domains {
                prop_assert!(*domains.values().min().unwrap() >= reach.per_domain, "{start}: {domains:?} {reach:?}");
            }
        }
    }
}

/// What ranks of Llama 3 8B hold on layouts that differ in one thing.
fn held(layout: &str, step: &Step, policy: &MemoryPolicy) -> f64 {
    let model = Transformer::named("Llama3_8B").unwrap();
    let layout = Layout::parse(layout).unwrap();
    let division = Division::new(&model, &layout).unwrap();
    let accounting = Accounting::new(&division, step).unwrap();
    let stage = accounting.account(0).unwrap();
    accounting.memory(&stage, policy).unwrap().total().base()
}

#[test]
fn a_further_stage_of_zero_never_holds_more() {
    let policy = MemoryPolicy::default();
    for base in ["dp=2", "dp=8", "dp=64", "tp=2,dp=4,sp", "pp=4,dp=2", "dp=4,cp=2"] {
        for gradients in ["fp32", "bf16"] {
            let step = Step { gradients: gradients.into(), ..Step::training(64, 4096) };
            let stages: Vec<f64> =
                (0..4).map(|zero| held(&format!("{base},zero={zero}"), &step, &policy)).collect();
            assert!(stages.is_sorted_by(|less, more| less >= more), "{base} {gradients}: {stages:?}");
        }
    }
}

#[test]
fn more_recomputation_and_smaller_micro_batches_never_hold_more() {
    let policy = MemoryPolicy { fused_attention: false, ..MemoryPolicy::default() };
    for layout in ["dp=2", "tp=4", "tp=4,sp", "pp=4", "pp=4,vpp=2", "cp=2"] {
        let step = |recompute, micro_batch| Step { recompute, micro_batch, ..Step::training(32, 2048) };
        let of = |recompute, micro_batch| held(layout, &step(recompute, micro_batch), &policy);
        let modes = [Recompute::Nothing, Recompute::Selective, Recompute::Full];
        let by_mode: Vec<f64> = modes.iter().map(|mode| of(*mode, 4)).collect();
        assert!(by_mode.is_sorted_by(|less, more| less >= more), "{layout}: {by_mode:?}");
        let by_size: Vec<f64> = [8, 4, 2, 1].iter().map(|size| of(Recompute::Nothing, *size)).collect();
        assert!(by_size.is_sorted_by(|less, more| less >= more), "{layout}: {by_size:?}");
    }
}

#[test]
fn a_pipeline_holds_fewer_micro_batches_one_forward_one_backward_than_all_forward_first() {
    let step = Step::training(64, 4096);
    let of = |schedule| held("pp=4", &step, &MemoryPolicy { schedule, ..MemoryPolicy::default() });
    assert!(of(Schedule::OneForwardOneBackward) < of(Schedule::GPipe));
}

#[test]
fn a_pipeline_that_puts_off_passes_holds_what_its_paper_says() {
    let layout = Layout::parse("pp=4").unwrap();
    for micro_batches in [1, 2, 4, 6, 7, 8, 64] {
        let of = |stage, schedule| layout.in_flight(stage, micro_batches, schedule);
        for stage in 0..4 {
            // As many as the first stage keeps with one forward and one backward pass in turn, or 2p - 1.
            let [first, second] = [Schedule::ZeroBubbleH1, Schedule::ZeroBubbleH2].map(|one| of(stage, one));
            assert_eq!(first, of(0, Schedule::OneForwardOneBackward), "{micro_batches}");
            assert_eq!(second, micro_batches.min(7) as f64);
            assert!(second <= of(stage, Schedule::GPipe));
        }
    }
    let step = Step::training(64, 4096);
    let of = |layout, schedule| held(layout, &step, &MemoryPolicy { schedule, ..MemoryPolicy::default() });
    let held = Schedule::ALL.iter().map(|schedule| of("pp=4", *schedule));
    let [usual, gpipe, first, second] = held.collect::<Vec<_>>()[..] else { panic!("four orders") };
    assert!(usual <= first && first < second && second < gpipe);
    for schedule in [Schedule::ZeroBubbleH1, Schedule::ZeroBubbleH2] {
        assert_eq!(of("tp=4", schedule), of("tp=4", Schedule::OneForwardOneBackward));
    }
}

#[test]
fn passes_are_put_off_where_that_can_be() {
    let model = Transformer::named("Llama3_8B").unwrap();
    let machine = Machine::named("DGX_H100").unwrap();
    for (layout, recompute, message) in [
        ("pp=4,vpp=2", Recompute::Nothing, "vpp `2` interleaves chunks"),
        ("pp=4", Recompute::Full, "recompute `full` does not keep"),
    ] {
        let layout = Layout::parse(layout).unwrap();
        let division = Division::new(&model, &layout).unwrap();
        let step = Step { recompute, ..Step::training(64, 4096) };
        let accounting = Accounting::new(&division, &step).unwrap();
        let policy = MemoryPolicy { schedule: Schedule::ZeroBubbleH1, ..MemoryPolicy::default() };
        let error = accounting.fit(&machine, &policy).unwrap_err();
        assert_eq!(error.field(), Some("schedule"));
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn optimizers_hold_what_their_papers_say() {
    let state = |optimizer| {
        let model = Transformer::named("Llama3_8B").unwrap();
        let layout = Layout::whole();
        let division = Division::new(&model, &layout).unwrap();
        let step = Step::training(1, 4096);
        let accounting = Accounting::new(&division, &step).unwrap();
        let account = accounting.account(0).unwrap();
        let policy = MemoryPolicy { optimizer, ..MemoryPolicy::default() };
        accounting.memory(&account, &policy).unwrap().optimizer.base() / account.total_parameters() as f64
    };
    assert_eq!(state(Optimizer::Adam), 12.0);
    assert_eq!(state(Optimizer::Adam16), 8.0);
    assert_eq!(state(Optimizer::Adam8), 6.0);
    assert_eq!(state(Optimizer::Sgd), 4.0);
    assert_eq!(state(Optimizer::Momentum), 8.0);
    // The factors of a matrix are its rows and columns, far fewer than its numbers.
    assert!(state(Optimizer::Adafactor) > 4.0 && state(Optimizer::Adafactor) < 4.01);
    // The tables and the head are updated as with Adam.
    assert!(state(Optimizer::Muon) > 8.0 && state(Optimizer::Muon) < 8.6);
}

/// Each way to change a layout or a step is found where it is the one that helps, and what is found fits.
#[test]
fn the_nearest_that_fits_says_what_changed() {
    let cases = [
        ("DeepSeek_V3", "tp=8,dp=8", Step::decode(256, 4096), 8, vec!["ep 1 to 4"]),
        (
            "Llama3_8B",
            "tp=8,sp",
            Step { recompute: Recompute::Full, ..Step::training(1, 1 << 20) },
            4,
            vec!["cp 1 to 4"],
        ),
        ("Llama3_70B", "tp=8", Step::decode(1024, 32768), 1, vec!["batch 1024 to 32"]),
        (
            "Llama3_8B",
            "tp=8",
            Step::prefill(4096, 8192, 0),
            1,
            vec!["batch 4096 to 512", "micro-batch 4096 to 64"],
        ),
        ("Llama3_70B", "tp=8,dp=8,sp", Step::training(64, 8192), 8, vec!["zero 0 to 2"]),
    ];
    let policy = MemoryPolicy::default();
    for (model, layout, step, nodes, changes) in cases {
        let (model, layout) = (Transformer::named(model).unwrap(), Layout::parse(layout).unwrap());
        let machine = Machine::on("DGX_H100", Some(nodes), Some("InfiniBand_NDR")).unwrap();
        let nearest = Alternative::nearest(&model, &layout, &step, &machine, &policy).unwrap();
        assert_eq!(nearest.changes, changes);
        let division = Division::new(&model, &nearest.layout).unwrap();
        let accounting = Accounting::new(&division, &nearest.step).unwrap();
        let placed = Placed::new(&accounting, &machine, &policy).unwrap();
        assert!(placed.fits() && placed.fit == nearest.fit);
    }
}
