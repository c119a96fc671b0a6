//! `OnTop`: a user's own rows, in the words of published ones.

use std::borrow::Cow;
use std::collections::HashSet;

use mlsysim_scenario::Result;

use super::{Measurements, Texts};

/// A user's own folder on top of another, whose texts say what words stand for.
pub struct OnTop<'a> {
    /// The user's own.
    pub own: &'a dyn Texts,
    /// The other.
    pub below: &'a dyn Texts,
}

impl OnTop<'_> {
    /// Whether there is any table of a user's own.
    pub fn has_any(&self) -> bool {
        Measurements::TABLES.iter().any(|table| self.own.has(table))
    }
}

impl Texts for OnTop<'_> {
    fn text(&self, file: &str) -> Result<Cow<'_, str>> {
        match (self.own.has(file), file.ends_with(".toml")) {
            (true, true) if self.below.has(file) => {
                Ok(joined(&self.own.text(file)?, &self.below.text(file)?).into())
            }
            (true, _) => self.own.text(file),
            (false, _) => self.below.text(file),
        }
    }

    /// A table of the folder below has none of the user's rows.
    fn has(&self, file: &str) -> bool {
        self.own.has(file) || file.ends_with(".toml") && self.below.has(file)
    }
}

/// The sections of `own`, and those of `below` that it does not have. Own ones come first, so that an
/// error in one of them is at its own line.
pub(super) fn joined(own: &str, below: &str) -> String {
    // `[RTX_3090.peaks]` is of `[RTX_3090]`; a quoted name may have dots of its own.
    let header = |line: &str| {
        let name = line.strip_prefix('[')?;
        let end = match name.strip_prefix('"') {
            Some(quoted) => quoted.find('"').map(|end| end + 1),
            None => name.find(['.', ']']),
        };
        name.get(..end?).map(str::to_string)
    };
    let known: HashSet<String> = own.lines().filter_map(header).collect();
    let mut is_known = false;
    let others = below.lines().filter(|line| {
        is_known = header(line).map_or(is_known, |section| known.contains(&section));
        !is_known
    });
    let mut lines: Vec<&str> = own.lines().collect();
    lines.extend(others);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn own_sections_stand_in_place_of_those_below() {
        let below = "[A]\nx = 1\n[A.peaks]\nfp16 = 2\n[B]\nx = 3\n[\"C-1.2B\"]\nx = 4\n[\"C-1.3B\"]\nx = 5";
        let joined = joined("[A]\nx = 9\n[\"C-1.2B\"]\nx = 8", below);
        assert_eq!(joined, "[A]\nx = 9\n[\"C-1.2B\"]\nx = 8\n[B]\nx = 3\n[\"C-1.3B\"]\nx = 5");
    }
}
