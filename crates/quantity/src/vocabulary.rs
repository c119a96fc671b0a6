//! The vocabulary of units, read once from `data/units.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::error::{Cause, nearest};
use crate::unit::Factor;
use crate::{Exponents, QuantityError, spelling};

/// The vocabulary as text, in pint's syntax: one definition a line, `#` before a comment.
pub const VOCABULARY: &str = include_str!("../../../data/units.txt");

/// Base dimensions that come in whole units, so that a prefix below one is a slip.
const COUNTABLE: [&str; 4] = ["information", "flop", "parameter", "token"];

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(VOCABULARY));

/// What a unit's name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    pub dimension: Exponents,
    pub factor: Factor,
    pub offset: f64,
}

/// A known unit by one of its names, with or without a prefix.
pub(crate) fn find(name: &str) -> Result<Entry, QuantityError> {
    TABLE.find(name).ok_or_else(|| {
        if let Some(cause) = TABLE.bits_or_bytes(name) {
            return cause.into();
        }
        let names = TABLE.names();
        let nearest = nearest(name, names.iter().map(String::as_str)).map(str::to_string);
        Cause::UnknownUnit { name: name.to_string(), nearest }.into()
    })
}

#[derive(Default)]
struct Table {
    units: HashMap<String, Entry>,
    /// Names and symbols of prefixes.
    prefixes: Vec<(String, Factor)>,
}

impl Table {
    fn read(text: &str) -> Table {
        let mut table = Table::default();
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or("").trim();
            if !line.is_empty() && !line.starts_with('@') {
                table.define(line);
            }
        }
        table
    }

    /// Takes one definition: `name = expression [; offset: value] = symbol = alias…`.
    ///
    /// A line that cannot be read is left out; a test reads every line and would fail.
    fn define(&mut self, line: &str) -> Option<()> {
        let mut parts = line.split('=').map(str::trim);
        let name = parts.next()?;
        let definition = parts.next()?;
        let (expression, modifier) = definition.split_once(';').unwrap_or((definition, ""));
        let (expression, modifier) = (expression.trim(), modifier.trim());
        let names = std::iter::once(name).chain(parts.filter(|alias| *alias != "_"));
        if name.ends_with('-') {
            let factor = Factor::decimal(expression)?;
            for prefix in names {
                self.prefixes.push((prefix.trim_end_matches('-').to_string(), factor));
            }
            return Some(());
        }
        let mut entry = self.evaluate(name, expression)?;
        if let Some(offset) = modifier.strip_prefix("offset:") {
            for (name, delta) in names.clone().flat_map(|name| [(name, "delta_"), (name, "Δ")]) {
                self.units.insert(format!("{delta}{name}"), entry);
            }
            entry.offset = offset.trim().parse().ok()?;
        }
        for name in names {
            self.units.insert(name.to_string(), entry);
        }
        Some(())
    }

    fn evaluate(&self, name: &str, expression: &str) -> Option<Entry> {
        if let Some(base) = expression.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            // Mass is counted in kilograms, though the vocabulary, like pint, begins with the gram.
            let factor = if name == "gram" { Factor::ratio(1.0, 1000.0) } else { Factor::ONE };
            return Some(Entry { dimension: Exponents::base(base)?, factor, offset: 0.0 });
        }
        if expression == "[]" {
            return Some(Entry { dimension: Exponents::NONE, factor: Factor::ONE, offset: 0.0 });
        }
        let mut factor = Factor::ONE;
        let mut dimension = Exponents::NONE;
        for (inverse, term) in terms(expression) {
            if let Some(number) = Factor::decimal(term) {
                factor = factor.times(if inverse { number.inverse() } else { number });
                continue;
            }
            for atom in spelling::read(term).ok()? {
                let entry = self.find(&atom.name)?;
                let halves = if inverse { -atom.halves } else { atom.halves };
                factor = factor.times(entry.factor.power(halves));
                dimension = dimension.times(entry.dimension, halves)?;
            }
        }
        Some(Entry { dimension, factor, offset: 0.0 })
    }

    /// Every name that can be looked up, with and without prefixes: small letters before capitals,
    /// since `mS` is rather `ms` than `MS`.
    fn names(&self) -> Vec<String> {
        let prefixed = self
            .prefixes
            .iter()
            .flat_map(|(prefix, _)| self.units.keys().map(move |name| format!("{prefix}{name}")));
        let mut names: Vec<String> =
            prefixed.filter(|name| self.find(name).is_some()).chain(self.units.keys().cloned()).collect();
        names.sort_unstable_by(|one, two| two.cmp(one));
        names
    }

    /// Whether `name` is a prefix before `b` or `bps`, in a case that some read as bits and others
    /// as bytes. A guess would be wrong by a factor of eight.
    fn bits_or_bytes(&self, name: &str) -> Option<Cause> {
        let lower = name.to_lowercase();
        let (stem, rate) = match lower.strip_suffix("ps") {
            Some(stem) => (stem, "/s"),
            None => (lower.as_str(), ""),
        };
        let prefix = match stem.strip_suffix('b')? {
            "k" => "k",
            "m" => "M",
            "g" => "G",
            "t" => "T",
            "p" => "P",
            "" => "",
            _ => return None,
        };
        let (bits, bytes) = (format!("{prefix}bit{rate}"), format!("{prefix}B{rate}"));
        Some(Cause::BitsOrBytes { name: name.to_string(), bits, bytes })
    }

    fn find(&self, name: &str) -> Option<Entry> {
        if let Some(entry) = self.units.get(name) {
            return Some(*entry);
        }
        // Of plurals only long names are understood: `GBs` is a slip, not many gigabytes.
        let singular = name.strip_suffix('s').filter(|singular| singular.len() >= 4);
        if let Some(entry) = singular.and_then(|singular| self.units.get(singular)) {
            return Some(*entry);
        }
        self.prefixes.iter().find_map(|(prefix, factor)| {
            let rest = name.strip_prefix(prefix.as_str()).filter(|rest| !rest.is_empty())?;
            let plural = rest.strip_suffix('s').filter(|singular| singular.len() >= 4);
            let entry = self.units.get(rest).or_else(|| self.units.get(plural?))?;
            let scaled = factor.times(entry.factor);
            // A fraction of a byte is a slip: `mB` was meant to be `MB`.
            let countable = COUNTABLE.iter().any(|base| Exponents::base(base) == Some(entry.dimension));
            let sensible = entry.offset == 0.0 && !(countable && factor.is_below_one());
            sensible.then_some(Entry { factor: scaled, ..*entry })
        })
    }
}

/// Splits a product at `*` and `/`, but not at `**`: each term with whether it divides.
fn terms(expression: &str) -> Vec<(bool, &str)> {
    let mut terms = Vec::new();
    let (mut start, mut inverse, mut at) = (0, false, 0);
    let bytes = expression.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'*' if bytes.get(at + 1) == Some(&b'*') => at += 1,
            sign @ (b'*' | b'/') => {
                terms.push((inverse, expression[start..at].trim()));
                (start, inverse) = (at + 1, sign == b'/');
            }
            _ => {}
        }
        at += 1;
    }
    terms.push((inverse, expression[start..].trim()));
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_understood() {
        let mut table = Table::default();
        for line in VOCABULARY.lines() {
            let line = line.split('#').next().unwrap_or("").trim();
            if !line.is_empty() && !line.starts_with('@') {
                assert!(table.define(line).is_some(), "cannot read `{line}`");
            }
        }
    }
}
