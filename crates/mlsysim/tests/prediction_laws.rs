//! What holds for every prediction of a kernel or a collective, whatever its numbers.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use mlsysim::machine::{Collective, Machine};
use mlsysim::predict::{
    AttentionQuestion, Coefficients, CollectiveLibrary, CollectiveQuestion, Prediction, ProductCoefficients,
    ProductQuestion, Question, Sample, calibrate, shipped,
};
use mlsysim::quantity::{Bytes, Time};
use mlsysim::registry::HardwareNode;
use mlsysim::transformer::{AttentionShape, Mask};
use proptest::prelude::*;

/// Roundings of some operations.
const ROUNDING: f64 = 1.0 + 1e-12;

const SERVERS: [&str; 3] = ["DGX_A100", "DGX_H100", "DGX_B200"];

fn server(index: usize) -> Machine {
    Machine::named(SERVERS[index % SERVERS.len()]).unwrap()
}

/// The device with so many times its peaks and its memory bandwidth.
fn scaled(device: &HardwareNode, peak: f64, bandwidth: f64) -> HardwareNode {
    let mut device = device.clone();
    let (mut compute, mut memory) = ((*device.compute).clone(), (*device.memory).clone());
    for (_, rate) in compute.precision_flops.iter_mut() {
        *rate = peak * *rate;
    }
    memory.bandwidth = bandwidth * memory.bandwidth;
    device.compute = Arc::new(compute);
    device.memory = Arc::new(memory);
    device
}

fn product(sizes: [u64; 3], printed: &str, device: &HardwareNode, repeated: bool) -> Prediction {
    shipped().unwrap().product.predict(&ProductQuestion::new(sizes, 1.0, printed, device, repeated).unwrap())
}

fn attention(new: u64, cached: u64, device: &HardwareNode) -> Prediction {
    let shape = AttentionShape {
        sequences: 4,
        heads: 32,
        kv_heads: 8,
        head_width: 128,
        new,
        cached,
        mask: Mask::Causal,
    };
    shipped().unwrap().attention.predict(&AttentionQuestion::new(&shape, "bf16", device, false).unwrap())
}

fn exchange(
    collective: Collective,
    bytes: f64,
    ranks: u64,
    machine: &Machine,
    library: CollectiveLibrary,
) -> Prediction {
    let reach = machine.reach(ranks, 1);
    let question = CollectiveQuestion::new(collective, Bytes::from_base(bytes), reach, machine, library);
    shipped().unwrap().collective.predict(&question.unwrap())
}

fn is_sound(predicted: &Prediction) -> bool {
    predicted.bound <= predicted.low
        && predicted.low <= predicted.time
        && predicted.time <= predicted.high
        && predicted.high.base().is_finite()
}

proptest! {
    #[test]
    fn a_faster_device_is_never_slower(
        sizes in [1..20_000u64, 1..20_000u64, 1..20_000u64],
        at in 0..3usize,
        more in 1.0..8.0f64,
        repeated: bool,
        printed in prop::sample::select(vec!["bf16", "fp8", "fp8_block", "int4"]),
    ) {
        let device = server(at).device;
        prop_assume!(at != 0 || !printed.starts_with("fp8"));
        let before = product(sizes, printed, &device, repeated);
        prop_assert!(is_sound(&before));
        for faster in [scaled(&device, more, 1.0), scaled(&device, 1.0, more)] {
            let after = product(sizes, printed, &faster, repeated);
            prop_assert!(after.time <= before.time * ROUNDING, "{after:?} {before:?}");
        }
    }

    #[test]
    fn a_larger_product_is_never_faster(
        sizes in [1..20_000u64, 1..20_000u64, 1..20_000u64],
        at in 0..3usize,
        dimension in 0..3usize,
        more in 1..500u64,
        repeated: bool,
    ) {
        let device = server(at).device;
        let before = product(sizes, "bf16", &device, repeated);
        let mut larger = sizes;
        larger[dimension] += more;
        let after = product(larger, "bf16", &device, repeated);
        prop_assert!(before.time <= after.time * ROUNDING);
        // One more row, column or step changes little: nothing jumps within a regime.
        let mut next = sizes;
        next[dimension] += 1;
        let next = product(next, "bf16", &device, repeated).time;
        let share = 1.0 / sizes[dimension] as f64;
        // What moves may leave the cache, which counts with its square.
        prop_assert!(next <= before.time * (1.0 + 3.0 * share) * ROUNDING, "{next:?} {before:?}");
    }

    #[test]
    fn more_keys_are_never_faster(new in 1..4096u64, cached in 0..100_000u64, more in 1..5000u64, at in 0..3usize) {
        let device = server(at).device;
        // A single token is a decode step, which is a regime of its own.
        let new = if new < 64 { 1 } else { new };
        let (before, after) = (attention(new, cached, &device), attention(new, cached + more, &device));
        prop_assert!(is_sound(&before) && before.time <= after.time * ROUNDING);
        for faster in [scaled(&device, 3.0, 1.0), scaled(&device, 1.0, 3.0)] {
            prop_assert!(attention(new, cached, &faster).time <= before.time * ROUNDING);
        }
    }

    #[test]
    fn collectives_keep_their_laws(
        bytes in 1.0..1e10f64,
        more in 1.0..10.0f64,
        ranks in 2..9u64,
        at in 0..3usize,
        collective in prop::sample::select(Collective::ALL.to_vec()),
        library in prop::sample::select(CollectiveLibrary::ALL.to_vec()),
    ) {
        let machine = server(at);
        let before = exchange(collective, bytes, ranks, &machine, library);
        prop_assert!(is_sound(&before), "{before:?}");
        let larger = exchange(collective, bytes * more, ranks, &machine, library);
        prop_assert!(before.time <= larger.time * ROUNDING);
        let beside = exchange(collective, bytes * (1.0 + 1e-9), ranks, &machine, library);
        prop_assert!(beside.time <= before.time * (1.0 + 1e-8), "a jump at {bytes} bytes");
        let mut faster = machine.clone();
        faster.link = more * machine.link;
        prop_assert!(exchange(collective, bytes, ranks, &faster, library).time <= before.time * ROUNDING);
    }

    #[test]
    fn a_group_of_one_takes_nothing(
        bytes in 0.0..1e12f64,
        at in 0..3usize,
        collective in prop::sample::select(Collective::ALL.to_vec()),
        library in prop::sample::select(CollectiveLibrary::ALL.to_vec()),
    ) {
        let alone = exchange(collective, bytes, 1, &server(at), library);
        prop_assert_eq!([alone.time, alone.low, alone.high, alone.bound], [Time::ZERO; 4]);
        prop_assert_eq!(alone.binds, "nothing");
    }
}

#[test]
fn a_calibration_finds_the_coefficients_that_made_its_rows() {
    let starts: Vec<f64> = ProductCoefficients::ALL.iter().map(|each| each.start).collect();
    let mut made = ProductCoefficients::of(&starts);
    made.half_compute = 0.6;
    made.asynchronous_memory = 0.9;
    made.asynchronous_start = 6.0;
    let device = server(1).device;
    let sizes = [1u64, 16, 128, 1024, 4096];
    let samples: Vec<Sample<ProductQuestion>> = sizes
        .iter()
        .flat_map(|rows| [1024u64, 4096, 8192, 12_288].map(|columns| (*rows, columns)))
        .flat_map(|(rows, columns)| [1024u64, 8192, 16_384].map(|inner| [rows, columns, inner]))
        .map(|shape| {
            let question = ProductQuestion::new(shape, 1.0, "bf16", &device, false).unwrap();
            Sample {
                id: format!("{shape:?}"),
                source: "made".to_string(),
                group: format!("{}", shape[0]),
                family: "H100".to_string(),
                seconds: question.predicted(&made).base(),
                question,
                fits: true,
            }
        })
        .collect();
    let found = calibrate(&samples).unwrap().coefficients;
    for (name, found, made) in [
        ("compute", found.half_compute, made.half_compute),
        ("memory", found.asynchronous_memory, made.asynchronous_memory),
        ("start", found.asynchronous_start, made.asynchronous_start),
    ] {
        assert!((found / made).ln().abs() < 0.02, "{name}: {found} in place of {made}");
    }
    // What no row tells stays where it starts.
    assert!((found.eight_compute / made.eight_compute).ln().abs() < 1e-6);
    let few = calibrate(&samples[..15]).unwrap_err().to_string();
    assert!(few.contains("more than 17 rows are needed for 17 coefficients, but 15 were found"), "{few}");
}

#[test]
fn every_prediction_is_derived_down_to_its_coefficients() {
    let machine = server(1);
    let shipped = shipped().unwrap();
    let product = ProductQuestion::new([64, 8192, 8192], 1.0, "fp8", &machine.device, true).unwrap();
    let (predicted, derived) = (shipped.product.predict(&product), shipped.product.explain(&product));
    let text = derived.to_string();
    for part in ["eight_start", "scaled_passes", "depth", "eight_compute", "scaled_memory", "cached"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let [model, bound] = [0, 1].map(|part| seconds(&derived.parts[part].value));
    assert!((model.max(bound) / predicted.time.base() - 1.0).abs() < 1e-12);
    let reach = machine.reach(8, 1);
    for library in CollectiveLibrary::ALL {
        let payload = Bytes::from_base(1e6);
        let question =
            CollectiveQuestion::new(Collective::AllReduce, payload, reach, &machine, *library).unwrap();
        let derived = shipped.collective.explain(&question);
        let model = &derived.parts[0];
        let least = model.parts.iter().take(3).map(|way| seconds(&way.value)).fold(f64::INFINITY, f64::min);
        let time = seconds(&model.value);
        if *library == CollectiveLibrary::OwnEager {
            assert!(time > least, "{derived}");
        } else {
            assert!((time / least - 1.0).abs() < 1e-12, "{derived}");
        }
    }
}

fn seconds(value: &mlsysim::Result<mlsysim::Value>) -> f64 {
    match value {
        Ok(mlsysim::Value::Quantity(quantity)) => quantity.base(),
        other => panic!("{other:?} is no time"),
    }
}
