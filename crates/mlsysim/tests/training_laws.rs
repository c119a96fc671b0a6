//! What holds for every prediction of a step of training, whatever its numbers.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use mlsysim::machine::Machine;
use mlsysim::predict::{
    AttentionKernel, CalibrationSet, Engine, Forecast, PartTime, Practice, Pricing, StepPrediction, Terms,
    shipped, shipped_steps,
};
use mlsysim::quantity::Time;
use mlsysim::registry::HardwareNode;
use mlsysim::transformer::{
    Accounting, Division, Layout, MemoryPolicy, Recompute, Schedule, Step, Transformer,
};
use proptest::prelude::*;

/// Roundings of some operations.
const ROUNDING: f64 = 1.0 + 1e-9;

/// Clusters, models, and layouts that suit both.
const CLUSTERS: [&str; 3] = ["Training_1K_A100", "Training_512_H100", "Training_1K_B200"];

const DENSE: [&str; 6] = [
    "tp=1,dp=8",
    "tp=8,sp,dp=2",
    "tp=4,pp=4,dp=2",
    "tp=2,pp=2,vpp=2,dp=4,zero=1",
    "dp=16,zero=3",
    "cp=4,tp=2,dp=2,zero=2",
];

const ROUTED: [&str; 4] =
    ["tp=2,ep=4,dp=4,zero=1", "ep=8,dp=8", "pp=4,ep=8,dp=8,zero=1", "tp=8,etp=1,ep=8,dp=1"];

/// A step that is predicted.
#[derive(Clone, Debug)]
struct Asked {
    model: Transformer,
    layout: Layout,
    step: Step,
    machine: Machine,
    practice: Practice,
    schedule: Schedule,
}

impl Asked {
    fn predicted(&self) -> StepPrediction {
        let division = Division::new(&self.model, &self.layout).unwrap();
        let accounting = Accounting::new(&division, &self.step).unwrap();
        let pricing = Pricing::new(&self.machine, &self.practice, shipped().unwrap().kernels()).unwrap();
        let pricing = pricing.in_order(self.schedule);
        shipped_steps().unwrap().training.step(&accounting, &pricing).unwrap()
    }

    fn time(&self) -> Time {
        self.predicted().total.time
    }

    /// The same on a device that was changed.
    fn on(&self, change: impl FnOnce(&mut HardwareNode)) -> Asked {
        let mut asked = self.clone();
        let mut device = (*asked.machine.device).clone();
        change(&mut device);
        asked.machine.device = Arc::new(device);
        asked
    }
}

fn asked() -> impl Strategy<Value = Asked> {
    let layouts = prop::sample::select([DENSE.as_slice(), &ROUTED].concat());
    let practices = prop::sample::select(vec![AttentionKernel::Fused, AttentionKernel::Unfused]);
    let recompute = prop::sample::select(Recompute::ALL.to_vec());
    (layouts, 0..CLUSTERS.len(), 1..5u64, 5..13u32, recompute, practices, any::<[bool; 2]>()).prop_map(
        |(layout, at, batches, length, recompute, attention, [graphs, overlaps])| {
            let name = if ROUTED.contains(&layout) { "Mixtral_8x7B" } else { "Llama3_8B" };
            let layout = Layout::parse(layout).unwrap();
            let step = Step::training(4 * layout.pp * layout.dp * batches, 1 << length);
            Asked {
                model: Transformer::named(name).unwrap(),
                layout,
                step: Step { recompute, ..step },
                machine: Machine::named(CLUSTERS[at]).unwrap(),
                practice: Practice { attention, graphs, overlaps, ..Practice::default() },
                schedule: Schedule::OneForwardOneBackward,
            }
        },
    )
}

/// What is asked with passes in another order.
fn in_order(asked: &Asked, schedule: Schedule) -> Asked {
    Asked { schedule, ..asked.clone() }
}

/// A step whose passes may be in any order: one without chunks whose layers are not computed again whole.
fn asked_in_any_order() -> impl Strategy<Value = Asked> {
    asked().prop_filter("any order suits it", |asked| {
        asked.layout.vpp == 1 && asked.step.recompute != Recompute::Full
    })
}

/// The parts of `part` sum to it, at each level.
fn sums_up(part: &PartTime) -> bool {
    let sum = part.parts.iter().fold(Time::ZERO, |sum, part| sum + part.time);
    let is_near = part.parts.is_empty() || (sum / part.time - 1.0).abs() < 1e-9;
    is_near && part.time >= Time::ZERO && part.parts.iter().all(sums_up)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn passes_that_are_put_off_never_make_a_step_slower(asked in asked_in_any_order()) {
        let of = |schedule| in_order(&asked, schedule).predicted();
        let [usual, first, second] =
            [Schedule::OneForwardOneBackward, Schedule::ZeroBubbleH1, Schedule::ZeroBubbleH2].map(of);
        prop_assert!(sums_up(&second.parts), "{:#?}", second.parts);
        if asked.layout.pp == 1 {
            // Without a pipeline passes have no order.
            prop_assert_eq!(&usual, &first);
            prop_assert_eq!(&usual, &second);
        } else {
            let times = [&second, &first, &usual].map(|predicted| predicted.total.time);
            prop_assert!(times[0] <= times[1] && times[1] < times[2], "{times:?}");
            prop_assert!(first.total.bound <= first.total.time && first.total.bound == usual.total.bound);
            // Nobody has measured it: the band is wider, and says why.
            let width = |predicted: &StepPrediction| predicted.total.high / predicted.total.time;
            prop_assert!(width(&first) > width(&usual), "{:?}", first.total);
            prop_assert!(first.total.reasons.iter().any(|reason| reason.contains("zb-h1")));
        }
    }

    #[test]
    fn exchanges_that_run_beside_products_never_make_a_step_slower(asked in asked()) {
        let with = |overlaps| {
            let practice = Practice { overlaps, ..asked.practice.clone() };
            Asked { practice, ..asked.clone() }.predicted()
        };
        let [apart, beside] = [false, true].map(with);
        prop_assert!(sums_up(&beside.parts), "{:#?}", beside.parts);
        prop_assert!(beside.total.time <= apart.total.time && beside.total.bound == apart.total.bound);
        if asked.layout.tp == 1 {
            prop_assert_eq!(&apart, &beside);
        }
    }

    #[test]
    fn a_faster_device_is_never_slower_in_any_order(asked in asked_in_any_order(), more in 1.0..8.0f64) {
        for schedule in [Schedule::ZeroBubbleH1, Schedule::ZeroBubbleH2] {
            let asked = in_order(&asked, schedule);
            let faster = asked.on(|device| {
                let mut compute = (*device.compute).clone();
                compute.precision_flops.iter_mut().for_each(|(_, rate)| *rate = more * *rate);
                device.compute = Arc::new(compute);
            });
            prop_assert!(faster.time() <= ROUNDING * asked.time());
        }
    }

    #[test]
    fn a_bound_is_below_its_prediction_and_parts_sum_to_the_whole(asked in asked()) {
        let predicted = asked.predicted();
        let total = &predicted.total;
        prop_assert!(total.bound <= total.low && total.low <= total.time && total.time <= total.high, "{total:?}");
        prop_assert!(total.high.base().is_finite());
        prop_assert!(sums_up(&predicted.parts), "{:#?}", predicted.parts);
        prop_assert!((predicted.parts.time / total.time - 1.0).abs() < 1e-9);
        for (path, part) in predicted.parts.paths() {
            let steps: Vec<&str> = path.split('.').collect();
            prop_assert_eq!(predicted.parts.at(&steps), Some(part));
            prop_assert!(part.share_of_bound().is_none_or(|share| (0.0..=ROUNDING).contains(&share)), "{part:?}");
        }
    }

    #[test]
    fn a_faster_machine_is_never_slower(asked in asked(), more in 1.0..8.0f64) {
        let before = asked.time();
        let mut faster = vec![
            asked.on(|device| {
                let mut memory = (*device.memory).clone();
                memory.bandwidth = more * memory.bandwidth;
                device.memory = Arc::new(memory);
            }),
            asked.on(|device| {
                let mut compute = (*device.compute).clone();
                compute.precision_flops.iter_mut().for_each(|(_, rate)| *rate = more * *rate);
                device.compute = Arc::new(compute);
            }),
        ];
        for change in [
            |machine: &mut Machine, more: f64| machine.link = more * machine.link,
            |machine: &mut Machine, more: f64| machine.network = machine.network.map(|rate| more * rate),
        ] {
            let mut asked = asked.clone();
            change(&mut asked.machine, more);
            faster.push(asked);
        }
        for (what, faster) in ["memory", "peak", "links", "network"].into_iter().zip(faster) {
            let after = faster.time();
            prop_assert!(after <= before * ROUNDING, "{what}: {after:?} and {before:?}");
        }
    }

    #[test]
    fn less_work_is_never_slower(asked in asked()) {
        let before = asked.time();
        let mut shorter = asked.clone();
        shorter.step.sequence /= 2;
        prop_assert!(shorter.time() <= before * ROUNDING);
        let mut fewer = asked.clone();
        fewer.step.batch -= asked.layout.dp;
        prop_assert!(fewer.time() <= before * ROUNDING);
        let mut kept = asked.clone();
        kept.step.recompute = Recompute::Nothing;
        prop_assert!(kept.time() <= before * ROUNDING);
    }

    #[test]
    fn a_step_is_continuous_in_its_sequence_and_its_batch(asked in asked(), more in 1..4u64) {
        let before = asked.time();
        // The least sequence beside this one that a layout still divides.
        let grain = 2 * asked.layout.cp * asked.layout.tp;
        let mut longer = asked.clone();
        longer.step.sequence += more * grain;
        let share = (more * grain) as f64 / asked.step.sequence as f64;
        // Attention grows with the square of the sequence.
        let most = (1.0 + share).powi(2) * ROUNDING;
        prop_assert!(longer.time() <= before * most, "{:?} and {before:?}", longer.time());
        let mut larger = asked.clone();
        larger.step.batch += asked.layout.dp;
        let share = asked.layout.dp as f64 / asked.step.batch as f64;
        prop_assert!(larger.time() <= before * (1.0 + share) * ROUNDING);
    }
}

/// A model with so many layers of Llama 3 8B.
fn layers(count: u32) -> Transformer {
    let config = format!(
        r#"{{"model_type": "llama", "num_hidden_layers": {count}, "hidden_size": 4096, "num_attention_heads": 32,
            "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
            "tie_word_embeddings": false, "max_position_embeddings": 8192}}"#
    );
    Transformer::from_config(&config).unwrap()
}

#[test]
fn fewer_layers_are_never_slower() {
    for layout in ["tp=1,dp=8", "tp=4,sp,dp=2", "pp=2,tp=2,dp=2", "dp=16,zero=3"] {
        let layout = Layout::parse(layout).unwrap();
        let times = (1..8u32).map(|half| {
            let asked = Asked {
                model: layers(2 * half),
                layout: layout.clone(),
                step: Step::training(16, 4096),
                machine: Machine::named("Training_512_H100").unwrap(),
                practice: Practice::default(),
                schedule: Schedule::OneForwardOneBackward,
            };
            asked.time()
        });
        let times: Vec<Time> = times.collect();
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
    }
}

#[test]
fn what_has_no_group_has_no_exchange() {
    let has = |layout: &str, name: &str| {
        let asked = Asked {
            model: layers(4),
            layout: Layout::parse(layout).unwrap(),
            step: Step::training(16, 4096),
            machine: Machine::named("Training_512_H100").unwrap(),
            practice: Practice::default(),
            schedule: Schedule::OneForwardOneBackward,
        };
        asked.predicted().parts.paths().iter().any(|(path, _)| path.contains(name))
    };
    for (name, without, with) in [
        ("exchange_over_tp", "tp=1,dp=2,pp=2", "tp=2"),
        ("exchange_over_cp", "tp=2", "cp=2"),
        ("pipeline", "tp=2", "pp=2"),
        ("replicas", "tp=2,pp=2", "dp=2"),
    ] {
        assert!(!has(without, name) && has(with, name), "{name}");
    }
}

/// What is beyond the calibration widens the interval, and says why.
#[test]
fn what_is_not_calibrated_is_said() {
    let (model, layout) = (layers(4), Layout::parse("tp=2").unwrap());
    let (division, step) = (Division::new(&model, &layout).unwrap(), Step::training(8, 4096));
    let accounting = Accounting::new(&division, &step).unwrap();
    let machine = Machine::named("DGX_H100").unwrap();
    let unknown = HardwareNode { name: "A device of nobody's".into(), ..(*machine.device).clone() };
    let unknown = Machine { device: Arc::new(unknown), ..machine.clone() };
    let policy = MemoryPolicy::default();
    let width = |machine: &Machine, products: &str| {
        let practice = Practice { products: products.into(), ..Practice::default() };
        let engine = Engine { practice, ..Engine::default() };
        let forecast = Forecast::new(
            &accounting,
            machine,
            &policy,
            &engine,
            Terms::default(),
            CalibrationSet::shipped().unwrap(),
        )
        .unwrap();
        let total = &forecast.predicted.total;
        (total.high / total.time, total.reasons.join("; "))
    };
    let (usual, reasons) = width(&machine, "bf16");
    assert!(!reasons.contains("not in the calibration"), "{reasons}");
    let (wider, reasons) = width(&unknown, "bf16");
    assert!(
        wider > usual && reasons.contains("A device of nobody's is of no family of devices"),
        "{reasons}"
    );
    let (wider, reasons) = width(&machine, "mxfp8");
    assert!(
        wider > usual && reasons.contains("`mxfp8` is not in the calibration, block fp8 is nearest"),
        "{reasons}"
    );
}

#[test]
fn energy_and_cost_are_power_and_price_for_the_time() {
    use mlsysim::scenario::{Map, Value};
    let (model, layout) = (layers(4), Layout::parse("tp=2,dp=2").unwrap());
    let (division, step) = (Division::new(&model, &layout).unwrap(), Step::training(8, 4096));
    let accounting = Accounting::new(&division, &step).unwrap();
    let machine = Machine::named("DGX_H100").unwrap();
    let (policy, engine) = (MemoryPolicy::default(), Engine::default());
    let forecast = |machine: &Machine, terms: Terms| {
        let forecast =
            Forecast::new(&accounting, machine, &policy, &engine, terms, CalibrationSet::shipped().unwrap())
                .unwrap();
        (forecast.predicted.total.time, forecast.energy().map(|energy| energy.base()), forecast.cost())
    };
    let (time, energy, cost) = forecast(&machine, Terms::default());
    assert!((energy.unwrap() / (4.0 * 700.0 * time.base()) - 1.0).abs() < 1e-12);
    assert_eq!(cost, None);
    let given = [("power", "500 W"), ("price", "7.2 USD/h")];
    let given: Map<Value> = given.into_iter().map(|(name, text)| (name.into(), Value::text(text))).collect();
    let (time, energy, cost) = forecast(&machine, Terms::of(given).unwrap());
    assert!((energy.unwrap() / (2000.0 * time.base()) - 1.0).abs() < 1e-12);
    assert!((cost.unwrap().base() / (4.0 * 0.002 * time.base()) - 1.0).abs() < 1e-12);
    // A device that states no power is predicted all the same, and says what it lacks.
    let device = HardwareNode { tdp: None, ..(*machine.device).clone() };
    let machine = Machine { device: Arc::new(device), ..machine };
    let error = forecast(&machine, Terms::default()).1.unwrap_err().to_string();
    assert!(error.contains("states no thermal design power, `tdp`"), "{error}");
}
