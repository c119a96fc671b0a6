//! An account as text that can be checked by hand.

use mlsysim::transformer::{Account, Accounting, Layout, Phase, Placed};
use mlsysim::{Result, Value};

use super::{placed, tables};
use crate::arguments::{AccountOptions, Format};
use crate::numbers::{counted, grouped, prefixed};
use crate::output::{Table, noted};

/// What is accounted for, and what the reader should know.
pub struct Asked<'a> {
    pub options: &'a AccountOptions,
    pub accounting: &'a Accounting<'a>,
    pub account: &'a Account,
    pub notes: &'a [String],
}

/// What is accounted for, what the reader should know, and every table of the account; on a machine,
/// what it holds and takes there too.
pub fn page(asked: &Asked<'_>, on: Option<&Placed<'_>>) -> Result<String> {
    let &Asked { options, accounting, account, notes } = asked;
    let report = match on {
        Some(placed) => placed.report(account)?,
        None => accounting.report(account)?,
    };
    let Value::Map(report) = report else { return Ok(String::new()) };
    let layout = accounting.division.layout;
    let trains = accounting.step.phase == Phase::Training;
    let facts = facts(options, accounting, account, on).render(Format::Text);
    let mut text = noted(facts, notes, Format::Text);
    let mut section = |title: &str, table: Table| {
        text.push_str(&format!("\n\n{title}\n\n{}", table.render(Format::Text)));
    };
    section("One rank in a step, by part:", tables::parts(account, Format::Text));
    section("Its operations:", tables::operations(&report, trains));
    if let Some(table) = tables::exchanges(&report) {
        section("Its exchanges:", table);
    }
    if let Some(table) = on.and_then(|_| placed::groups(&report)) {
        section("Its groups on the machine, with all that it exchanges in a step:", table);
    }
    if layout.pp > 1 {
        section("A rank of each stage:", tables::stages(accounting)?);
    }
    if let Some(table) = tables::conventions(&report) {
        section("Training FLOPs of the whole model, by convention:", table);
    }
    if let Some(placed) = on {
        let of = |what: &str, stage: u64| match layout.pp {
            1 => String::new(),
            _ => format!(" of the {what} stage, {stage}"),
        };
        let fullest = of("fullest", placed.fit.stage);
        section(&format!("Memory of a rank{fullest} (1 GiB is 2^30 bytes):"), placed::memory(placed));
        let slowest = of("slowest", placed.slowest);
        section(&format!("The bound of a step: the least time{slowest}:"), placed::bound(placed)?);
        text.push_str("\n\n");
        text.push_str(&placed::verdict(placed).join("\n"));
    }
    Ok(text)
}

/// The model, the layout and the step, with what was left open.
fn facts(
    options: &AccountOptions,
    accounting: &Accounting<'_>,
    account: &Account,
    on: Option<&Placed<'_>>,
) -> Table {
    let (step, load) = (accounting.step, &accounting.load);
    let (model, layout) = (accounting.division.model, accounting.division.layout);
    let trains = step.phase == Phase::Training;
    let counts = model.counts();
    // A count of parameters is below 2^53, as the reader of configurations sees to.
    let number = |count: u64| grouped(i64::try_from(count).unwrap_or(i64::MAX));
    let by_default = |given: &[&Option<String>]| match given.iter().any(|option| option.is_some()) {
        true => "",
        false => ", by default",
    };
    let mut table = Table::new(&["what", "value"]);
    let mut fact = |name: &str, value: String| table.row([name.to_string(), value]);
    fact("model", format!("{} ({})", model.name, model.model_type));
    fact(
        "parameters",
        format!("{}, of which a token passes {}", number(counts.total), number(counts.active)),
    );
    fact("layout", degrees(layout));
    fact("devices", number(layout.devices()));
    fact("step", step.phase.name().to_string());
    let given = by_default(&[&options.step.batch, &options.step.decode]);
    fact("batch", format!("{}{given}", counted(step.batch, "sequence")));
    let given = by_default(&[&options.step.seq, &options.step.prefill, &options.step.decode]);
    fact("sequence", format!("{}{given}", counted(step.sequence, "new token")));
    if !trains {
        fact("context", counted(step.context, "cached token"));
        let kept = account.cached_per_token as f64 * accounting.elements.cached.base();
        fact("cache", format!("{} a token on the rank", prefixed(kept, "B")));
    }
    fact("tokens", number(step.batch.saturating_mul(step.sequence)));
    fact(
        "micro-batches",
        format!("{} of {} each", number(load.micro_batches), counted(load.sequences, "sequence")),
    );
    if trains {
        fact("recompute", step.recompute.name().to_string());
        fact("precision", format!("{}, gradients {}", step.precision, step.gradients));
    } else {
        fact("precision", format!("{}, KV cache {}", step.precision, step.kv_precision));
    }
    let layers = counted(account.layers, "layer");
    let stage = account.stage;
    fact(
        "stage",
        match (layout.pp, &options.stage) {
            (1, _) => format!("the only one, {layers}"),
            (stages, Some(_)) => format!("{stage} of 0 to {}, {layers}", stages - 1),
            (stages, None) => {
                let why =
                    if on.is_some() { "the slowest at the bound" } else { "the first with most parameters" };
                format!("{stage} of 0 to {}, {why}, {layers}", stages - 1)
            }
        },
    );
    if let Some(placed) = on {
        fact("machine", placed::machine(placed.machine));
    }
    table
}

/// The degrees that are not their defaults, as `--layout` takes them.
fn degrees(layout: &Layout) -> String {
    if *layout == Layout::whole() { "one device".to_string() } else { layout.written() }
}
