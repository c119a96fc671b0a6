//! The table in `docs/differences.md`: where we differ from the reference on purpose.

use std::cell::RefCell;
use std::collections::BTreeSet;

/// The rows of one kind, and which of them a test has met.
///
/// A row whose value no longer differs is a fault in the table, so that each test asserts in the
/// end that it has met all of them.
pub struct Differences {
    kind: &'static str,
    places: BTreeSet<String>,
    met: RefCell<BTreeSet<String>>,
}

impl Differences {
    /// Reads the rows of `kind`.
    ///
    /// The first column is the kind, the second a path of the registry, or a case or type whose
    /// output stands in the third; either may be several, separated by commas.
    pub fn read(kind: &'static str) -> Self {
        let path = super::root("docs/differences.md");
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let places = text.lines().flat_map(|line| {
            let line = line.trim().strip_prefix('|').unwrap_or("");
            let cells: Vec<_> = line.split('|').map(|cell| cell.trim().replace('`', "")).collect();
            let (place, output) = match cells.as_slice() {
                [row, place, output, ..] if row == kind => (place.clone(), output.clone()),
                _ => return Vec::new(),
            };
            if kind != "output" {
                return vec![place];
            }
            let outputs = || output.split(", ");
            place
                .split(", ")
                .flat_map(|place| outputs().map(move |output| format!("{place}.{output}")))
                .collect()
        });
        Differences { kind, places: places.collect(), met: RefCell::default() }
    }

    /// Whether a difference at `path` is listed.
    pub fn allow(&self, path: &str) -> bool {
        let listed = self.places.contains(path);
        if listed {
            self.met.borrow_mut().insert(path.to_string());
        }
        listed
    }

    /// How many rows were met.
    pub fn used(&self) -> usize {
        self.met.borrow().len()
    }

    /// Fails on a row whose value does not differ.
    pub fn assert_all_used(&self) {
        let met = self.met.borrow();
        let stale: Vec<_> = self.places.difference(&met).collect();
        assert!(
            stale.is_empty(),
            "docs/differences.md lists as `{}` what does not differ: {stale:#?}",
            self.kind
        );
    }
}
