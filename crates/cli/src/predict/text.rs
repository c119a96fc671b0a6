//! A prediction as text for people.

use mlsysim::Result;
use mlsysim::predict::{Forecast, Workload};
use mlsysim::transformer::Phase;

use super::tables;
use crate::account::placed;
use crate::arguments::{Format, PredictOptions};
use crate::numbers::{counted, gibibytes};
use crate::output::{Table, noted};

/// What is predicted, its parts, what follows from it, and whether it fits.
pub fn page(options: &PredictOptions, forecast: &Forecast<'_>, notes: &[String]) -> Result<String> {
    let mut text = noted(facts(options, forecast).render(Format::Text), notes, Format::Text);
    let mut section = |title: &str, table: Table| {
        text.push_str(&format!("\n\n{title}\n\n{}", table.render(Format::Text)));
    };
    let total = &forecast.predicted.total;
    section("The time of a step:", tables::time(forecast));
    section(
        "What it is the sum of, micro-batches and layers together:",
        tables::parts(forecast, Format::Text),
    );
    section("What follows from it:", tables::rates(forecast)?);
    text.push_str(&format!(
        "\n\nMost of it is {}. The interval is that of the regime `{}`:",
        total.binds, total.regime
    ));
    for reason in &total.reasons {
        text.push_str(&format!("\n- {reason}"));
    }
    let fit = &forecast.placed.fit;
    text.push_str(&format!(
        "\n\nA rank of the fullest stage, {}, holds {} of {}.\n",
        fit.stage,
        gibibytes(fit.memory.total().base()),
        gibibytes(fit.capacity.base())
    ));
    text.push_str(&placed::verdict(&forecast.placed).join("\n"));
    Ok(text)
}

/// What a time is of.
pub fn told(workload: Option<Workload>) -> &'static str {
    match workload {
        None => "step of training",
        Some(Workload::DecodeStep { .. }) => "decode step",
        Some(Workload::Prefill { .. }) => "prefill",
        Some(Workload::StaticBatch { .. }) => "whole batch",
        Some(Workload::Load { .. }) => "token of all requests together",
        Some(Workload::LoadedStep { .. }) => "token of a request under load",
    }
}

/// The model, the layout, the step, the machine and the practice, with what was left open.
fn facts(options: &PredictOptions, forecast: &Forecast<'_>) -> Table {
    let accounting = forecast.placed.accounting;
    let (step, load) = (accounting.step, &accounting.load);
    let (model, layout) = (accounting.division.model, accounting.division.layout);
    let by_default = |given: bool| if given { "" } else { ", by default" };
    let mut table = Table::new(&["what", "value"]);
    let mut fact = |name: &str, value: String| table.row([name.to_string(), value]);
    fact("model", format!("{} ({})", model.name, model.model_type));
    fact("layout", format!("{}, {}", layout.written(), counted(layout.devices(), "device")));
    let asked = &options.step;
    let batch = asked.batch.is_some() || asked.decode.is_some() || options.load.is_some();
    match forecast.workload {
        Some(Workload::StaticBatch { prompt, answer, .. }) => {
            fact("requests", format!("prompts of {prompt} tokens, answers of {answer}, all at once"));
        }
        Some(Workload::Load { prompt, answer, requests }) => {
            let most = requests.map_or("as many as fit".to_string(), |most| format!("{most} at most"));
            fact("requests", format!("prompts of {prompt} tokens, answers of {answer}, {most} at once"));
        }
        _ => {}
    }
    fact("batch", format!("{}{}", counted(step.batch, "sequence"), by_default(batch)));
    let given = asked.seq.is_some() || asked.prefill.is_some() || asked.decode.is_some();
    fact("sequence", format!("{}{}", counted(step.sequence, "new token"), by_default(given)));
    if step.phase != Phase::Training {
        fact("context", counted(step.context, "cached token"));
    }
    let each = counted(load.sequences, "sequence");
    fact("micro-batches", format!("{} of {each} each", load.micro_batches));
    if step.phase == Phase::Training {
        fact("recompute", format!("{}{}", step.recompute.name(), by_default(asked.recompute.is_some())));
    }
    fact("precision", format!("{}{}", step.precision, by_default(asked.precision.is_some())));
    for (name, value) in forecast.engine.settings(forecast.workload.is_none()) {
        let is_given =
            options.practice.split(',').any(|item| item.split('=').next().map(str::trim) == Some(name));
        fact(&format!("practice: {name}"), format!("{value}{}", by_default(is_given)));
    }
    fact("machine", placed::machine(forecast.placed.machine));
    table
}
