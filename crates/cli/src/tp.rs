//! `mlsysim tp`: a step at each degree of tensor parallelism, and where splitting stops paying.

mod picture;
mod stated;
mod tables;

use std::process::ExitCode;

use mlsysim::predict::{Degree, Degrees, Engine, Practice, Stop, Terms};
use mlsysim::transformer::{Layout, Phase};
use mlsysim::{Error, Map, Name, Value};

use crate::account::{placed, question};
use crate::arguments::{Format, TpOptions};
use crate::configuration;
use crate::measurements::calibrations;
use crate::numbers::{counted, duration, gibibytes};
use crate::output::{Failure, noted, pretty, print};

/// Predicts a step at each degree and prints what is lost, or varies the degree of a case.
pub fn tp(mut options: TpOptions, format: Format) -> Result<ExitCode, Failure> {
    crate::picture::check(options.plot.as_deref())?;
    if let Some(name) = &options.scenario {
        return stated::stated(name, &options, format);
    }
    let model = configuration::named(options.model.as_deref().unwrap_or_default())?;
    let layout = Degrees::layout(Layout::inputs(&options.step.layout)?)?;
    options.step.layout = Layout { sp: false, ..layout.clone() }.written();
    let (_, step) = question::step(&options.step, &model)?;
    let (machine, policy) = question::placement(&options.machine, &options.memory)?.ok_or_else(|| {
        Error::input("on", "a machine is needed, such as `--on DGX_H100` or `--on Training_512_H100`")
    })?;
    let given = Practice::parse(&options.practice)?;
    let (engine, policy) = Engine::of(&given, &step, policy)?;
    let price = options.price.as_ref().map(|text| (Name::from("price"), Value::from_argument(text)));
    let terms = Terms::of(price.into_iter().collect::<Map<Value>>())?;
    let calibrations = calibrations(options.calibration.as_deref())?;
    let degrees = Degrees::new(&model, &layout, &step, &machine, &policy, &engine, terms, &calibrations)
        .map_err(|error| {
            let error = Practice::as_written(error, &given, ["precision", "kv-precision"]);
            question::as_written(error, &options.step)
        })?;
    let what = match step.phase {
        Phase::Training => "step of training",
        Phase::Prefill => "prefill",
        Phase::Decode => "decode step",
    };
    let tokens = match step.phase {
        Phase::Decode => format!("with {} each", counted(step.context, "cached token")),
        Phase::Prefill if step.context > 0 => {
            format!(
                "of {} each behind {}",
                counted(step.sequence, "token"),
                counted(step.context, "cached one")
            )
        }
        _ => format!("of {} each", counted(step.sequence, "token")),
    };
    let heading = format!(
        "A {what} of {}, {} {tokens}, on {}",
        model.name,
        counted(step.batch, "sequence"),
        placed::machine(&machine)
    );
    if let Some(path) = &options.plot {
        crate::picture::write(path, &picture::of(&degrees, heading.clone()).svg())?;
    }
    let mut notes: Vec<String> = model.notes.clone();
    if let Some((tp, error)) = &degrees.refused {
        notes.push(format!("TP {tp} is no legal degree: {error}"));
    }
    let said = said(&degrees);
    print(&match format {
        Format::Json => pretty(&degrees.report()),
        Format::Csv => noted(tables::all(&degrees).render(format), &[said, notes].concat(), format),
        Format::Text | Format::Markdown => {
            let text = format!(
                "{heading}\n\n{}\n\nWhat the {what} is the sum of:\n\n{}\n\nWhat the devices take of one layer is the sum of:\n\n{}\n\n{}",
                tables::degrees(&degrees).render(format),
                tables::splits(&degrees, Degrees::whole).render(format),
                tables::splits(&degrees, Degrees::layer).render(format),
                said.join("\n\n"),
            );
            noted(text, &notes, format)
        }
    })?;
    Ok(if degrees.all.iter().any(Degree::fits) { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// Where splitting stops paying, for latency and for cost, and what cannot run.
fn said(degrees: &Degrees) -> Vec<String> {
    let mut said = Vec::new();
    let rule = "a doubling pays when it saves at least 10 % of the time and ends below the 90 % interval of \
                the degree before";
    if let Some((last, stop)) = degrees.latency(false) {
        let (tp, next) = (last.tp, 2 * last.tp);
        let gain = degrees.all.iter().find(|degree| degree.tp == next).and_then(|next| degrees.gain(next));
        let saves = match gain {
            Some(gain) if gain >= 0.0 => format!("saves {}", tables::percent(gain)),
            Some(gain) => format!("takes {} more", tables::percent(-gain)),
            None => String::new(),
        };
        said.push(match stop {
            Some(Stop::Little) => format!("For latency it stops paying at TP {tp}: TP {next} {saves} ({rule})."),
            Some(Stop::Within) => {
                let alike = degrees.latency(true).map_or(tp, |(last, _)| last.tp);
                format!(
                    "For latency it stops paying for certain at TP {tp}: TP {next} {saves}, but its time lies \
                     within the 90 % interval of TP {tp} ({rule}). If the predictions of all degrees err alike, \
                     it pays up to TP {alike}."
                )
            }
            None => format!("For latency it pays up to TP {tp}, the last degree that there is ({rule})."),
        });
    }
    if let Some(cheapest) = degrees.cheapest() {
        let price = match cheapest.cost {
            Some(cost) => format!("{} USD for a million tokens", tables::brief(cost)),
            None => format!("{} of a device for a token", duration(cheapest.device_seconds())),
        };
        let among = if cheapest.fits() { "of those that fit" } else { "though no degree fits" };
        said.push(format!(
            "For cost it stops paying at TP {}, where a token is cheapest {among}: {price}.",
            cheapest.tp
        ));
    }
    if let Some(one) = degrees.all.first().filter(|one| !one.fits()) {
        let lacks = match one.missing {
            0 => format!("it lacks {} on a device", gibibytes(-one.free.base())),
            missing => format!("{} are missing", counted(missing, "device")),
        };
        said.push(format!("TP 1, the reference, cannot run: {lacks}; its time is what it would take."));
    }
    said
}
