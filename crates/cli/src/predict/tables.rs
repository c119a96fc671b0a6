//! The tables of a prediction.

use mlsysim::Result;
use mlsysim::predict::{Forecast, PartTime};
use mlsysim::quantity::{format_brief, format_number};
use mlsysim::scenario::Kind;
use mlsysim::transformer::{Convention, Phase};

use crate::arguments::Format;
use crate::numbers::{duration, prefixed};
use crate::output::Table;

/// The conventions that published figures are told by: three of MFU, and HFU.
const TOLD: [(&str, Convention); 4] = [
    ("MFU (masked)", Convention::Masked),
    ("MFU (6n)", Convention::Parameters),
    ("MFU (palm)", Convention::Palm),
    ("HFU (hardware)", Convention::Hardware),
];

/// The time with its interval and its bound.
pub fn time(forecast: &Forecast<'_>) -> Table {
    let total = &forecast.predicted.total;
    let mut table = Table::new(&["what", "value", "kind"]);
    let mut row =
        |name: &str, value: String, kind: Kind| table.row([name.to_string(), value, kind.to_string()]);
    row(super::text::told(forecast.workload), duration(total.time.base()), total.kind);
    let [low, high] = [total.low, total.high].map(|end| duration(end.base()));
    row("90 % interval", format!("{low} to {high}"), total.kind);
    row("bound", duration(total.bound.base()), Kind::Bound);
    row("share of the bound reached", percent(total.share_of_bound()), total.kind);
    table
}

/// The parts that the time is the sum of; for programs by path, and whole.
pub fn parts(forecast: &Forecast<'_>, format: Format) -> Table {
    let all = format == Format::Csv;
    let headings: &[&'static str] = if all {
        &["part", "seconds", "share", "kind", "binds", "bound_seconds", "share_of_bound"]
    } else {
        &["part", "time", "share", "kind", "binds", "of the bound"]
    };
    let mut table = Table::new(headings);
    let whole = &forecast.predicted.parts;
    for (path, part) in [(whole.key(), whole)].into_iter().chain(whole.paths()) {
        let share = forecast.share(part);
        let shares = part.share_of_bound();
        let cells = if all {
            let exact = |number: Option<f64>| number.map_or(String::new(), format_number);
            vec![
                path,
                format_number(part.time.base()),
                format_number(share),
                part.kind.to_string(),
                part.binds.to_string(),
                exact(part.bound.map(|bound| bound.base())),
                exact(shares),
            ]
        } else {
            vec![
                indented(part, &path, whole),
                duration(part.time.base()),
                percent(share),
                part.kind.to_string(),
                part.binds.to_string(),
                shares.filter(|share| *share > 0.0).map_or("-".to_string(), percent),
            ]
        };
        table.row(cells);
    }
    table
}

/// The name of a part, further in for each level above it.
fn indented(part: &PartTime, path: &str, whole: &PartTime) -> String {
    let depth = if std::ptr::eq(part, whole) { 0 } else { path.matches('.').count() + 1 };
    format!("{}{}", "· ".repeat(depth), part.name)
}

/// What follows from the time: rates, shares of the peak, and estimates of energy and cost.
pub fn rates(forecast: &Forecast<'_>) -> Result<Table> {
    let mut table = Table::new(&["what", "value", "by"]);
    let mut row = |name: &str, value: String, by: String| table.row([name.to_string(), value, by]);
    if let Some([rate, low, high]) = forecast.tokens_per_second() {
        row("tokens/s", brief(rate), format!("{} to {}", brief(low), brief(high)));
        let each = rate / forecast.devices() as f64;
        row("tokens/s of a device", brief(each), format!("{} devices", forecast.devices()));
    }
    if let Some(rate) = forecast.decode_tokens_per_second() {
        row("tokens/s of a request", brief(rate), "after its first token".to_string());
    }
    if forecast.placed.accounting.step.phase == Phase::Training {
        let peak = prefixed(forecast.peak.base(), "FLOP/s");
        for (name, convention) in TOLD {
            if let Some(share) = forecast.utilization(convention)? {
                row(name, percent(share), format!("of {peak} a device"));
            }
        }
    }
    match (forecast.energy(), forecast.power()) {
        (Ok(energy), Ok(power)) => row(
            "energy, estimated",
            prefixed(energy.base(), "J"),
            format!("{}, {}, for the whole time", prefixed(power.base(), "W"), forecast.power_from()),
        ),
        (Err(error), _) | (_, Err(error)) => {
            row("energy, estimated", "none".to_string(), error.message().to_string())
        }
    }
    if let (Some(cost), Some(price)) = (forecast.cost(), forecast.terms.price) {
        row(
            "cost",
            format!("{} USD", brief(cost.base())),
            format!("{} USD/h a device", brief(3600.0 * price.base())),
        );
    }
    Ok(table)
}

/// A number to six digits at most, four where there are more.
fn brief(number: f64) -> String {
    format_brief(format!("{number:.4e}").parse().unwrap_or(number))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
