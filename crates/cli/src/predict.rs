//! `mlsysim predict`: how long a step takes, with an interval, what it is the sum of and why.

mod tables;
mod text;
mod twin;

use std::process::ExitCode;

use mlsysim::machine::Machine;
use mlsysim::predict::{Engine, Forecast, Practice, Served, Terms, Workload};
use mlsysim::transformer::{Accounting, Division, MemoryPolicy, Placed, Step, Transformer};
use mlsysim::{Error, Map, Name, Value};

use crate::account::{placed, question};
use crate::arguments::{Format, PredictOptions};
use crate::configuration;
use crate::explain;
use crate::measurements::calibrations;
use crate::output::{Failure, noted, pretty, print};

/// Predicts a step, or derives a part of it.
pub fn predict(options: &PredictOptions, format: Format) -> Result<ExitCode, Failure> {
    if let Some(name) = &options.scenario {
        return twin::twin(name, options, format);
    }
    let model = configuration::named(options.model.as_deref().unwrap_or_default())?;
    let (layout, mut step) = question::step(&options.step, &model)?;
    let (machine, policy) = machine(options)?;
    let given = Practice::parse(&options.practice)?;
    let (engine, policy) = Engine::of(&given, &step, policy)?;
    let workload = workload(options, &step)?;
    if let Some(workload) = workload {
        let served = Served { model: &model, layout: &layout, machine: &machine, engine: &engine };
        step = match served.last_step(workload, &step) {
            Ok(step) => step,
            // Where not even one request fits, nothing is predicted; what would fit is told all the same.
            Err(error) => return nothing_fits(error, &served, &policy, &step),
        };
    }
    let terms = terms(options)?;
    let calibrations = calibrations(options.calibration.as_deref())?;
    let division = Division::new(&model, &layout)?;
    let as_written = |error| {
        let error = Practice::as_written(error, &given, ["precision", "kv-precision"]);
        question::as_written(error, &options.step)
    };
    let accounting = Accounting::new(&division, &step).map_err(as_written)?;
    let forecast = match workload {
        None => Forecast::new(&accounting, &machine, &policy, &engine, terms, &calibrations),
        workload => {
            Forecast::serving(&accounting, &machine, &policy, &engine, terms, &calibrations, workload)
        }
    };
    let forecast = forecast.map_err(as_written)?;
    if let Some(path) = &options.explain {
        let derived = forecast.explain(path.as_deref().unwrap_or_default())?;
        return print(&explain::rendered(&[derived], format));
    }
    told(options, &model, &forecast, format)
}

/// Prints the forecast; what does not fit has its own exit code.
fn told(
    options: &PredictOptions,
    model: &Transformer,
    forecast: &Forecast<'_>,
    format: Format,
) -> Result<ExitCode, Failure> {
    let placed = &forecast.placed;
    let notes: Vec<String> = model.notes.iter().cloned().chain(placed.accounting.division.notes()).collect();
    print(&match format {
        Format::Text => text::page(options, forecast, &notes)?,
        Format::Json => pretty(&forecast.report()?),
        Format::Markdown => {
            let time = tables::time(forecast).render(format);
            let parts = tables::parts(forecast, format).render(format);
            let rates = tables::rates(forecast)?.render(format);
            let verdict = placed::verdict(placed).join("\n\n");
            noted(format!("{time}\n\n{parts}\n\n{rates}\n\n{verdict}"), &notes, format)
        }
        Format::Csv => noted(tables::parts(forecast, format).render(format), &notes, format),
    })?;
    if placed.fits() {
        return Ok(ExitCode::SUCCESS);
    }
    if matches!(format, Format::Json | Format::Csv) {
        placed::verdict(placed).iter().for_each(|line| anstream::eprintln!("{line}"));
    }
    Ok(ExitCode::from(2))
}

/// The machine and the memory policy, which a prediction cannot do without.
fn machine(options: &PredictOptions) -> Result<(Machine, MemoryPolicy), Error> {
    question::placement(&options.machine, &options.memory)?.ok_or_else(|| {
        Error::input("on", "a machine is needed, such as `--on DGX_H100` or `--on Training_512_H100`")
    })
}

/// Tells what would fit where the weights leave no memory for a single request.
fn nothing_fits(
    error: Error,
    served: &Served<'_>,
    policy: &MemoryPolicy,
    step: &Step,
) -> Result<ExitCode, Failure> {
    let division = Division::new(served.model, served.layout)?;
    let (precision, kv_precision) = (step.precision.clone(), step.kv_precision.clone());
    let one = Step { precision, kv_precision, ..Step::decode(served.layout.dp, step.sequence) };
    let accounting = Accounting::new(&division, &one)?;
    let placed = Placed::new(&accounting, served.machine, policy)?;
    if placed.fits() {
        return Err(error.into());
    }
    print(&placed::verdict(&placed).join("\n"))?;
    Ok(ExitCode::from(2))
}

/// What is served beyond one step: a whole batch, or requests that begin as others end.
fn workload(options: &PredictOptions, step: &Step) -> Result<Option<Workload>, Error> {
    let Some(answer) = question::whole("answer", options.answer.as_deref())? else { return Ok(None) };
    let (prompt, batch) = (step.sequence, step.batch);
    Ok(Some(match &options.load {
        None => Workload::StaticBatch { batch, prompt, answer },
        Some(requests) => {
            Workload::Load { prompt, answer, requests: question::whole("load", requests.as_deref())? }
        }
    }))
}

/// What energy and money are reckoned with.
fn terms(options: &PredictOptions) -> Result<Terms, Error> {
    let given = [("power", &options.power), ("price", &options.price)];
    let read = given
        .into_iter()
        .filter_map(|(name, text)| text.as_ref().map(|text| (Name::from(name), Value::from_argument(text))));
    Terms::of(read.collect::<Map<Value>>())
}
