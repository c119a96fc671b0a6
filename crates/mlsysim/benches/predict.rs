//! The prediction of a step of training of one layout, from a parsed layout: divided, accounted for,
//! priced kernel by kernel and collective by collective, and weighed, with its interval; wanted in less
//! than 10 µs. The machine is known before, as in a search over layouts. The same with the tree of its
//! parts.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mlsysim::machine::Machine;
use mlsysim::predict::{
    Calibration, Practice, Pricing, TrainingCoefficients, TrainingQuestion, shipped, shipped_steps,
};
use mlsysim::quantity::Time;
use mlsysim::transformer::{Accounting, Division, Layout, Step, Transformer};
use mlsysim::{Error, Result};

/// What a search does for each layout that fits.
fn predicted(
    model: &Transformer,
    layout: &Layout,
    step: &Step,
    pricing: &Pricing,
    calibration: &Calibration<TrainingCoefficients>,
) -> Result<Time> {
    let division = Division::new(model, layout)?;
    let accounting = Accounting::new(&division, step)?;
    let question = TrainingQuestion::new(&accounting, pricing)?;
    Ok(calibration.predict(&question).high)
}

/// The same with its parts.
fn told(
    model: &Transformer,
    layout: &Layout,
    step: &Step,
    pricing: &Pricing,
    calibration: &Calibration<TrainingCoefficients>,
) -> Result<usize> {
    let division = Division::new(model, layout)?;
    let accounting = Accounting::new(&division, step)?;
    Ok(calibration.step(&accounting, pricing)?.parts.parts.len())
}

fn predictions(criterion: &mut Criterion) {
    let layouts = [("Llama3_70B", "tp=8,pp=4,dp=16,sp,zero=1"), ("DeepSeek_V3", "pp=8,dp=64,ep=64,zero=1")];
    for (name, layout) in layouts {
        let prepared = || {
            let machine = Machine::named("Training_512_H100")?;
            Ok::<_, Error>((Transformer::named(name)?, Layout::parse(layout)?, machine))
        };
        let Ok((model, layout, machine)) = prepared() else { panic!("{name} or its layout does not build") };
        let practice = Practice::default();
        let calibrated = || Ok::<_, Error>((shipped()?.kernels(), &shipped_steps()?.training));
        let Ok((kernels, training)) = calibrated() else { panic!("no calibration") };
        let Ok(pricing) = Pricing::new(&machine, &practice, kernels) else {
            panic!("the machine has no price")
        };
        let step = Step::training(512, 4096);
        criterion.bench_function(&format!("prediction/{name}"), |bencher| {
            bencher.iter(|| {
                predicted(black_box(&model), black_box(&layout), black_box(&step), &pricing, training)
            });
        });
        criterion.bench_function(&format!("prediction_with_parts/{name}"), |bencher| {
            bencher
                .iter(|| told(black_box(&model), black_box(&layout), black_box(&step), &pricing, training));
        });
    }
}

criterion_group!(benches, predictions);
criterion_main!(benches);
