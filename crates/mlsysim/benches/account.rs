//! The account of a layout, from a parsed layout and from a division that was made before; wanted in
//! less than 2 µs. The same placed on a machine, with the memory of a rank and the bound of its step;
//! wanted in less than 5 µs. And the import of a configuration; wanted in less than 1 ms.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mlsysim::machine::Machine;
use mlsysim::quantity::{Bytes, Time};
use mlsysim::transformer::{Accounting, Division, Layout, MemoryPolicy, Recompute, Step, Transformer};
use mlsysim::{Error, Result};

/// The largest configuration of a mixture of experts that is widely run.
const CONFIGURATION: &str = include_str!("../../../tests/configurations/deepseek-ai__DeepSeek-V3.json");

/// What a sweep does for each layout: divide, account for the step, sum up a stage.
fn from_scratch(model: &Transformer, layout: &Layout, step: &Step) -> Result<u64> {
    let division = Division::new(model, layout)?;
    of_division(&division, step)
}

/// The same where the division is known, for another step.
fn of_division(division: &Division, step: &Step) -> Result<u64> {
    let accounting = Accounting::new(division, step)?;
    Ok(accounting.account(0)?.total_parameters())
}

fn accounts(criterion: &mut Criterion) {
    let step = Step { recompute: Recompute::Selective, ..Step::training(512, 8192) };
    let prepared = || {
        let layout = Layout::parse("tp=8,pp=4,dp=16,sp,zero=1")?;
        Ok::<_, Error>((Transformer::named("Llama3_70B")?, layout))
    };
    let Ok((model, layout)) = prepared() else { panic!("the model or its layout does not build") };
    let Ok(division) = Division::new(&model, &layout) else { panic!("the layout does not fit the model") };
    criterion.bench_function("account", |bencher| {
        bencher.iter(|| from_scratch(black_box(&model), black_box(&layout), black_box(&step)));
    });
    criterion.bench_function("account_of_division", |bencher| {
        bencher.iter(|| of_division(black_box(&division), black_box(&step)));
    });
}

/// What a search does for each layout: as a sweep, and then place the stage on a machine.
fn placed(
    model: &Transformer,
    layout: &Layout,
    step: &Step,
    machine: &Machine,
    policy: &MemoryPolicy,
) -> Result<(Bytes, Time)> {
    let division = Division::new(model, layout)?;
    let accounting = Accounting::new(&division, step)?;
    let account = accounting.account(0)?;
    let memory = accounting.memory(&account, policy)?;
    let bound = accounting.bound(&account, machine)?;
    Ok((memory.total(), bound.time()))
}

fn placements(criterion: &mut Criterion) {
    let layouts = [("Llama3_70B", "tp=8,pp=4,dp=16,sp,zero=1"), ("DeepSeek_V3", "pp=8,dp=64,ep=64,zero=1")];
    for (name, layout) in layouts {
        let prepared = || {
            let machine = Machine::named("Training_512_H100")?;
            Ok::<_, Error>((Transformer::named(name)?, Layout::parse(layout)?, machine))
        };
        let Ok((model, layout, machine)) = prepared() else { panic!("{name} or its layout does not build") };
        let (step, policy) = (Step::training(512, 4096), MemoryPolicy::default());
        criterion.bench_function(&format!("placed_layout_with_memory/{name}"), |bencher| {
            bencher.iter(|| {
                placed(black_box(&model), black_box(&layout), black_box(&step), &machine, black_box(&policy))
            });
        });
    }
}

fn import(criterion: &mut Criterion) {
    criterion.bench_function("import", |bencher| {
        bencher.iter(|| Transformer::from_config(black_box(CONFIGURATION)));
    });
}

criterion_group!(benches, accounts, placements, import);
criterion_main!(benches);
