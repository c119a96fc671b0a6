//! The lines of an account by name, such as `flops.forward.attention`, and how each comes about.

use mlsysim_quantity::{Bytes, nearest};
use mlsysim_scenario::{Derivation, Error, Result, Value, constant, listed};

use super::tree::{computed, count};
use crate::transformer::{Account, Accounting, Exchange, Factors, Group, Part, Pass};

/// A line of an account: what is told, and of which part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// The parameters that the rank has of a part, or of all.
    Parameters(Option<Part>),
    /// The arithmetic of a pass, of a part or of all.
    Flops(Pass, Option<Part>),
    /// What a pass moves between memory and the device, of a part or of all.
    Bytes(Pass, Option<Part>),
    /// What the rank sends to a group, or to all.
    Sent(Option<Group>),
}

impl Line {
    /// Every line, in the order of tables.
    pub fn all() -> Vec<Line> {
        let parts = || Part::ALL.into_iter().map(Some).chain([None]);
        let passes = |line: fn(Pass, Option<Part>) -> Line| {
            Pass::ALL.iter().flat_map(move |pass| parts().map(move |part| line(*pass, part)))
        };
        let groups = Group::ALL.iter().copied().map(Some).chain([None]);
        parts()
            .map(Line::Parameters)
            .chain(passes(Line::Flops))
            .chain(passes(Line::Bytes))
            .chain(groups.map(Line::Sent))
            .collect()
    }

    /// The totals of `account` that are not zero, in the order of tables.
    ///
    /// ```
    /// use mlsysim_models::transformer::{Accounting, Division, Layout, Line, Step, Transformer};
    ///
    /// let (model, layout) = (Transformer::named("Llama3_8B")?, Layout::whole());
    /// let (division, step) = (Division::new(&model, &layout)?, Step::decode(8, 1024));
    /// let totals = Line::totals(&Accounting::new(&division, &step)?.account(0)?);
    /// let names: Vec<String> = totals.iter().map(|line| line.name()).collect();
    /// assert_eq!(names, ["parameters.total", "flops.forward.total", "bytes.forward.total"]);
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn totals(account: &Account) -> Vec<Line> {
        let is_total = |line: &Line| {
            matches!(
                line,
                Line::Parameters(None) | Line::Flops(_, None) | Line::Bytes(_, None) | Line::Sent(None)
            )
        };
        let mut lines = Line::all();
        lines.retain(|line| is_total(line) && !is_zero(&Ok(line.value(account))));
        lines
    }

    /// The name: `flops.forward.attention`, `sent.tp`, `parameters.total`.
    pub fn name(self) -> String {
        let of = |part: Option<Part>| part.map_or("total", Part::name);
        match self {
            Line::Parameters(part) => format!("parameters.{}", of(part)),
            Line::Flops(pass, part) => format!("flops.{}.{}", pass.name(), of(part)),
            Line::Bytes(pass, part) => format!("bytes.{}.{}", pass.name(), of(part)),
            Line::Sent(group) => format!("sent.{}", group.map_or("total", Group::name)),
        }
    }

    /// The line called `name`; `attention` alone is its parameters.
    ///
    /// # Errors
    ///
    /// There is no such line; the message names the nearest, or the forms that there are.
    pub fn parse(name: &str) -> Result<Line> {
        let all = Line::all();
        let named = |line: &&Line| {
            let own = line.name();
            own == name
                || own.strip_suffix(".total") == Some(name)
                || own.strip_prefix("parameters.") == Some(name)
        };
        all.iter().find(named).copied().ok_or_else(|| {
            let names: Vec<String> = all.iter().map(|line| line.name()).collect();
            let short = names.iter().filter_map(|name| name.strip_prefix("parameters."));
            let hint = match nearest(name, names.iter().map(String::as_str).chain(short)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    let of = |names: &[&str]| listed(names.iter().copied());
                    let parts = Part::ALL.map(Part::name);
                    format!(
                        "there are `parameters.PART`, `flops.PASS.PART`, `bytes.PASS.PART` and `sent.GROUP`; \
                         parts are {}, passes {}, groups {}, and `total` stands for all of them",
                        of(&parts),
                        of(Pass::NAMES),
                        of(Group::NAMES)
                    )
                }
            };
            Error::unknown(format!("an account has no line `{name}`; {hint}"))
        })
    }

    /// The value of the line in `account`.
    pub fn value(self, account: &Account) -> Value {
        match self {
            Line::Parameters(Some(part)) => count(account.parameters[part]),
            Line::Parameters(None) => count(account.total_parameters()),
            Line::Flops(pass, Some(part)) => constant(&account.flops[pass as usize][part]),
            Line::Flops(pass, None) => constant(&account.pass_flops(pass)),
            Line::Bytes(pass, Some(part)) => constant(&account.bytes[pass as usize][part]),
            Line::Bytes(pass, None) => constant(&account.pass_bytes(pass)),
            Line::Sent(Some(group)) => constant(&account.sent.by_group[group as usize]),
            Line::Sent(None) => constant(&account.sent.total()),
        }
    }
}

impl Accounting<'_> {
    /// How a line of `account` comes about, down to the configuration and the layout.
    pub fn explain(&self, account: &Account, line: Line) -> Derivation {
        let value = line.value(account);
        let sums = |parts: Vec<(Line, &str)>| {
            let mut equation = Vec::new();
            let mut derived = Vec::new();
            for (line, name) in parts {
                let mut part = self.explain(account, line);
                if is_zero(&part.value) {
                    continue;
                }
                part.label = name.to_string();
                equation.push(name.to_string());
                derived.push(part);
            }
            (if equation.is_empty() { "0".to_string() } else { equation.join(" + ") }, derived)
        };
        let by_part =
            |line: fn(Part) -> Line| Part::ALL.iter().map(|part| (line(*part), part.name())).collect();
        match line {
            Line::Parameters(Some(part)) => {
                let parts = self.held(account.stage, part);
                computed(
                    line.name(),
                    value,
                    "Parameters that the rank has of this part.",
                    summed(&parts),
                    parts,
                )
            }
            Line::Parameters(None) => {
                let (equation, parts) = sums(by_part(|part| Line::Parameters(Some(part))));
                computed(line.name(), value, "All parameters that the rank has.", equation, parts)
            }
            Line::Flops(pass, Some(part)) => {
                let parts = self.worked(account.stage, part, pass);
                computed(line.name(), value, meaning_of(pass), summed(&parts), parts)
            }
            Line::Bytes(pass, Some(part)) => {
                let parts = self.moved(account.stage, part, pass);
                computed(
                    line.name(),
                    value,
                    "Operands that the pass reads and writes, each once.",
                    summed(&parts),
                    parts,
                )
            }
            Line::Flops(pass, None) | Line::Bytes(pass, None) => {
                let flops = matches!(line, Line::Flops(..));
                let lines = Part::ALL.iter().map(|part| {
                    let line =
                        if flops { Line::Flops(pass, Some(*part)) } else { Line::Bytes(pass, Some(*part)) };
                    (line, part.name())
                });
                let (equation, parts) = sums(lines.collect());
                computed(line.name(), value, meaning_of(pass), equation, parts)
            }
            Line::Sent(group) => {
                let mut parts = Vec::new();
                for exchange in self.merged_exchanges(account) {
                    if group.is_none_or(|group| group == exchange.group) {
                        parts.push(self.exchange(&exchange));
                    }
                }
                computed(line.name(), value, "What the rank sends in a step.", summed(&parts), parts)
            }
        }
    }

    /// The exchanges of an account's rank; equal ones of different layers stand once, with the times
    /// of all.
    pub fn merged_exchanges(&self, account: &Account) -> Vec<Exchange> {
        let mut merged: Vec<Exchange> = Vec::new();
        self.exchanges(account.stage, account, |exchange| {
            let alike = |known: &&mut Exchange| {
                let times = exchange.times;
                Exchange { times, ..**known } == exchange && known.times.alike(&times)
            };
            match merged.iter_mut().find(alike) {
                Some(known) => known.times = known.times.plus(&exchange.times),
                None => merged.push(exchange),
            }
        });
        merged.retain(|exchange| exchange.ranks > 1);
        merged
    }

    /// The parameters of a part, operation by operation.
    fn held(&self, stage: u64, part: Part) -> Vec<Derivation> {
        let mut parts = Vec::new();
        self.operations(stage, |operation, layers, _| {
            if operation.part == part && operation.parameters(&self.division.shares) > 0 {
                let each = self.operation_parameters(operation);
                let value = count(layers * operation.parameters(&self.division.shares));
                let repeats = Factors::ONE.by("layers", layers as f64);
                parts.push(self.repeated(operation.name, value, repeats, each));
            }
        });
        parts
    }

    /// The arithmetic of a part in a pass, operation by operation.
    fn worked(&self, stage: u64, part: Part, pass: Pass) -> Vec<Derivation> {
        let mut parts = Vec::new();
        self.operations(stage, |operation, layers, in_layer| {
            if operation.part != part || !self.happens(operation, pass, in_layer) {
                return;
            }
            if let Some(each) = self.operation_flops(operation, pass) {
                let flops =
                    self.repeats(layers).product() * self.flops_of(operation, in_layer)[pass as usize];
                let repeats = self.repeats(layers);
                parts.push(self.repeated(operation.name, constant(&flops), repeats, each));
            }
        });
        parts
    }

    /// What a part moves in a pass, operation by operation.
    fn moved(&self, stage: u64, part: Part, pass: Pass) -> Vec<Derivation> {
        let mut parts = Vec::new();
        self.operations(stage, |operation, layers, in_layer| {
            let each = self.bytes_of(operation, in_layer)[pass as usize];
            if operation.part == part && each > Bytes::ZERO {
                let repeats = self.repeats(layers);
                let bytes = self.repeats(layers).product() * each;
                let each = self.operation_bytes(operation, pass, each);
                parts.push(self.repeated(operation.name, constant(&bytes), repeats, each));
            }
        });
        parts
    }

    /// How often something in `layers` of a stage happens in a step.
    fn repeats(&self, layers: u64) -> Factors {
        Factors::ONE.by("micro_batches", self.load.micro_batches as f64).by("layers", layers as f64)
    }

    /// A number for each of several layers and micro-batches, multiplied out.
    fn repeated(&self, name: &str, value: Value, repeats: Factors, mut each: Derivation) -> Derivation {
        each.label = "each".to_string();
        let mut parts: Vec<Derivation> =
            repeats.iter().map(|(name, value)| self.factor(name, value)).collect();
        parts.push(each);
        computed(name, value, "", format!("{repeats} × each"), parts)
    }
}

/// The names of `parts` with a plus between.
pub(super) fn summed(parts: &[Derivation]) -> String {
    let names: Vec<&str> = parts.iter().map(|part| part.label.as_str()).collect();
    if names.is_empty() { "0".to_string() } else { names.join(" + ") }
}

pub(super) fn is_zero(value: &Result<Value>) -> bool {
    match value {
        Ok(Value::Integer(0)) => true,
        Ok(Value::Quantity(quantity)) => quantity.value() == 0.0,
        _ => false,
    }
}

fn meaning_of(pass: Pass) -> &'static str {
    match pass {
        Pass::Forward => "From tokens to scores, in a step.",
        Pass::Backward => "From the loss back, in a step.",
        Pass::Recompute => "What the backward pass computes again, in a step.",
    }
}
