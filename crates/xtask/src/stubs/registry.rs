//! The stub of the registry: a class for each part of it, a property for each name in one.

use std::collections::BTreeMap;
use std::fmt::Write;

use mlsysim::{Value, library};
use mlsysim_scenario::Library;

use super::{GENERATED, all};

/// What stands in each group: names and the types of their values.
///
/// Both are sorted, so that a group comes before the groups in it.
type Groups = BTreeMap<String, Group>;

/// One part of the registry.
struct Group {
    base: &'static str,
    members: BTreeMap<String, String>,
}

impl Default for Group {
    fn default() -> Self {
        Group { base: "Namespace", members: BTreeMap::new() }
    }
}

/// The text of the stub.
pub fn stub() -> String {
    let mut text = GENERATED.to_string();
    text.push_str(
        r#"from collections.abc import Iterator
from typing import Any

from ._types import Quantity
from .engine.scenario_types import *
from .records import *

class Namespace:
    """A part of the registry: its groups and entries are attributes."""

    def __getitem__(self, name: str) -> Any: ...
    def __contains__(self, name: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def _repr_html_(self) -> str: ...

class Figures(Namespace):
    """A group of single figures, each a quantity in the unit of its source, a number or a text."""

    def sources(self) -> dict[str, Source]: ...
"#,
    );
    let mut groups = Groups::new();
    for path in library().paths("") {
        match library().value(path) {
            Ok(Value::Map(figures)) => group(&mut groups, path, figures.keys().map(AsRef::as_ref)),
            Ok(value) => member(&mut groups, path, typed(&value)),
            // Whatever does not build is for the tests of the registry to report.
            Err(_) => member(&mut groups, path, "Any".to_string()),
        }
    }
    for (_, name) in library().case_names() {
        let kind = library().case(name).map_or("Any", |case| case.item().description().name);
        member(&mut groups, &format!("Scenarios.{name}"), kind.to_string());
    }
    // The innermost first, so that each class is defined before it is used.
    for (path, group) in groups.iter().rev() {
        let _ = write!(text, "\nclass {}({}):\n", class(path), group.base);
        for (name, kind) in &group.members {
            let _ = write!(text, "    @property\n    def {name}(self) -> {kind}: ...\n");
        }
    }
    let roots = || groups.keys().map(String::as_str).filter(|path| !path.contains('.'));
    text.push('\n');
    for root in roots() {
        let _ = writeln!(text, "{root}: {}", class(root));
    }
    all(&mut text, roots());
    text
}

/// The group of figures at `path`, with the figures and groups called `names` in it.
fn group<'a>(groups: &mut Groups, path: &str, names: impl Iterator<Item = &'a str>) {
    for name in names {
        let path = format!("{path}.{name}");
        // By its path a figure is as its file writes it; in the map of its group it is not read yet.
        match library().value(&path) {
            Ok(Value::Map(below)) => group(groups, &path, below.keys().map(AsRef::as_ref)),
            Ok(value) => member(groups, &path, typed(&value)),
            Err(_) => member(groups, &path, "Any".to_string()),
        }
    }
    groups.entry(path.to_string()).or_default().base = "Figures";
}

/// Adds what stands at `path` to the group around it, and that group to the one around it.
fn member(groups: &mut Groups, path: &str, kind: String) {
    let Some((outer, name)) = path.rsplit_once('.') else { return };
    groups.entry(outer.to_string()).or_default().members.insert(name.to_string(), kind);
    member(groups, outer, class(outer));
}

fn class(path: &str) -> String {
    format!("_{}", path.replace('.', "_"))
}

/// The Python type of an entry or a figure.
fn typed(value: &Value) -> String {
    match value {
        Value::Bool(_) => "bool".to_string(),
        Value::Integer(_) => "int".to_string(),
        Value::Number(_) => "float".to_string(),
        Value::Text(_) => "str".to_string(),
        Value::Quantity(_) => "Quantity".to_string(),
        Value::Object(object) => object.description().name.to_string(),
        _ => "Any".to_string(),
    }
}
