//! The tables of a step at each degree.

use mlsysim::predict::{Category, Degree, Degrees, Ratio, Split};
use mlsysim::quantity::{Time, format_brief, format_number};

use crate::numbers::{duration, gibibytes};
use crate::output::Table;

/// The headings of what is lost, in the order of [`Category::ALL`].
const LOSSES: [&str; 7] =
    ["products", "attention", "not split", "latency", "bandwidth", "launches, host", "other"];

/// The degrees with what follows from their times.
pub fn degrees(degrees: &Degrees) -> Table {
    let priced = degrees.all.iter().any(|degree| degree.cost.is_some());
    let token = if priced { "USD/M tokens" } else { "device-s/token" };
    let headings =
        ["TP", "time", "90 % interval", "speed-up", "its interval", "efficiency", "gain", token, "memory"];
    let mut table = Table::new(&headings);
    for degree in &degrees.all {
        let total = &degree.predicted.total;
        let [low, high] = [total.low, total.high].map(|end| duration(end.base()));
        let speed_up = degrees.speed_up_within(degree);
        table.row([
            named(degree),
            duration(total.time.base()),
            format!("{low} to {high}"),
            format!("{:.3}", speed_up.ratio),
            interval(speed_up),
            percent(degrees.efficiency(degree)),
            degrees.gain(degree).map_or("-".to_string(), percent),
            degree.cost.map_or_else(|| duration(degree.device_seconds()), brief),
            memory(degree),
        ]);
    }
    table
}

/// The ideal split and what each degree loses, which add up to the time.
pub fn splits(degrees: &Degrees, split: fn(&Degrees, &Degree) -> Split) -> Table {
    let mut table = Table::new(&[&["TP", "time", "ideal"][..], &LOSSES[..]].concat());
    for degree in &degrees.all {
        let split = split(degrees, degree);
        let losses = split.losses.iter().map(|loss| signed(*loss));
        let times = [degree.tp.to_string(), duration(split.total().base()), duration(split.ideal.base())];
        table.row(times.into_iter().chain(losses));
    }
    table
}

/// Everything, whole, for programs.
pub fn all(degrees: &Degrees) -> Table {
    let first = ["tp", "devices", "domains", "seconds", "low", "high", "bound"];
    let next = [
        "speed_up",
        "speed_up_low",
        "speed_up_high",
        "efficiency",
        "gain",
        "fits",
        "free_bytes",
        "device_seconds_per_token",
        "usd_per_million_tokens",
    ];
    let step = ["ideal", "products", "attention", "not_split", "latency", "bandwidth", "host", "other"];
    let layer = [
        "layer_ideal",
        "layer_products",
        "layer_attention",
        "layer_not_split",
        "layer_latency",
        "layer_bandwidth",
        "layer_host",
        "layer_other",
    ];
    let mut table = Table::new(&[&first[..], &next[..], &step[..], &layer[..]].concat());
    let optional = |number: Option<f64>| number.map_or(String::new(), format_number);
    for degree in &degrees.all {
        let total = &degree.predicted.total;
        let mut row: Vec<String> =
            [degree.tp, degree.layout.devices(), degree.domains].map(|count| count.to_string()).into();
        row.extend([total.time, total.low, total.high, total.bound].map(|time| format_number(time.base())));
        let Ratio { ratio, low, high } = degrees.speed_up_within(degree);
        row.extend([ratio, low, high, degrees.efficiency(degree)].map(format_number));
        row.push(optional(degrees.gain(degree)));
        row.extend([degree.fits().to_string(), format_number(degree.free.base())]);
        row.push(format_number(degree.device_seconds()));
        row.push(optional(degree.cost));
        for split in [degrees.whole(degree), degrees.layer(degree)] {
            row.push(format_number(split.ideal.base()));
            row.extend(split.losses.map(|loss| format_number(loss.base())));
        }
        table.row(row);
    }
    table
}

/// Between which speed-ups nine measurements in ten lie; nothing where it is known.
fn interval(speed_up: Ratio) -> String {
    let Ratio { ratio, low, high } = speed_up;
    if low == ratio && high == ratio { "-".to_string() } else { format!("{low:.3} to {high:.3}") }
}

/// The degree, and over how many domains it lies.
fn named(degree: &Degree) -> String {
    match degree.domains {
        1 => degree.tp.to_string(),
        domains => format!("{} over {domains} domains", degree.tp),
    }
}

/// Whether it fits, and by how much it does not.
fn memory(degree: &Degree) -> String {
    match (degree.missing, degree.free.base()) {
        (0, free) if free >= 0.0 => format!("{} free", gibibytes(free)),
        (0, free) => format!("lacks {}", gibibytes(-free)),
        (missing, _) => format!("lacks {missing} devices"),
    }
}

/// A loss with its sign; what rounding leaves of nothing is nothing.
fn signed(loss: Time) -> String {
    match loss.base() {
        loss if loss.abs() < 5e-10 => "0".to_string(),
        loss if loss < 0.0 => format!("-{}", short(-loss)),
        loss => short(loss),
    }
}

/// A time to four digits.
fn short(seconds: f64) -> String {
    duration(format!("{seconds:.3e}").parse().unwrap_or(seconds))
}

pub fn brief(number: f64) -> String {
    format_brief(format!("{number:.4e}").parse().unwrap_or(number))
}

pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// What the picture calls the categories.
pub fn categories() -> impl Iterator<Item = String> {
    Category::NAMES.iter().map(|name| (*name).to_string())
}
