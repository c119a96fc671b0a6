//! The stubs of the Python package, for the modules whose classes are made when they are asked for.

mod registry;

use std::fmt::Write;
use std::path::PathBuf;

use mlsysim::registry::RECORDS;
use mlsysim::{Description, library};
use mlsysim_scenario::{Family, Field, Output, Type};

/// Each stub by its path from the root.
pub fn stubs() -> Vec<(PathBuf, String)> {
    let stub = |name: &str, text: String| (PathBuf::from(format!("python/python/mlsysim/{name}.pyi")), text);
    vec![
        stub("engine/scenario_types", scenario_types()),
        stub("records", records()),
        stub("registry", registry::stub()),
        stub("solvers", solvers()),
    ]
}

const GENERATED: &str = "# Made by `cargo xtask docs` from the definitions in Rust; not to be edited.\n\n";

fn scenario_types() -> String {
    let mut text = GENERATED.to_string();
    text.push_str(
        r#"from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self, overload

from .._types import CountLike, CountedLike, NumberLike, Quantity, QuantityLike
from ..definition import Described
from ..explanation import Explanation, Explanations
from ..records import *
from ..solvers import *

class Note(NamedTuple):
    """What is remarkable about some outputs, beside their values."""

    outputs: tuple[str, ...]
    text: str

class BaseScenario(Described):
    """What all scenarios share."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def notes(self) -> list[Note]: ...
    def variant(self, *args: Any, **changes: Any) -> Self: ...
    @overload
    def explain(self) -> Explanations: ...
    @overload
    def explain(self, output: str, /, *arguments: Any) -> Explanation: ...
    def answer(self) -> dict[str, Any]: ...
"#,
    );
    let scenarios = library().catalogue().filter(|description| description.group().is_some());
    let mut names = vec!["BaseScenario", "Note"];
    for description in scenarios {
        let extras = ["name", "description"].into_iter().filter(|name| description.field(name).is_none());
        let extras: Vec<String> = extras.map(|name| format!("{name}: str = ...")).collect();
        class(&mut text, description, "BaseScenario", &extras);
        // A change leaves out what it does not change.
        let changes =
            description.fields.iter().map(|field| format!("{}: {} = ...", field.name, taken(&field.value)));
        let changes: Vec<String> = changes.chain(extras).collect();
        method(&mut text, "variant", &changes, "Self");
        names.push(description.name);
    }
    all(&mut text, names);
    text
}

fn records() -> String {
    let mut text = GENERATED.to_string();
    text.push_str(
        r#"from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ._types import CountLike, CountedLike, NumberLike, Quantity, QuantityLike
from .definition import Described

class Source(NamedTuple):
    """Where a figure comes from."""

    source: str
    url: str | None
    note: str | None
    unverified: bool

class Record(Described):
    """What all records share."""

    def sources(self) -> dict[str, Source]: ...
"#,
    );
    let mut names = vec!["Record", "Source"];
    for describe in RECORDS {
        let description = describe();
        class(&mut text, description, "Record", &[]);
        names.push(description.name);
        for alias in description.aliases {
            let _ = write!(text, "\n{alias} = {}\n", description.name);
            names.push(alias);
        }
    }
    all(&mut text, names);
    text
}

fn solvers() -> String {
    let mut text = GENERATED.to_string();
    text.push_str(
        r#"from collections.abc import Mapping, Sequence
from typing import Any, overload

from ._types import CountLike, CountedLike, NumberLike, Quantity, QuantityLike
from .definition import Described
from .explanation import Explanation, Explanations
from .records import *

class Solver:
    """What all solvers share."""

class SolverResult(Described):
    """What all results share."""

    @overload
    def explain(self) -> Explanations: ...
    @overload
    def explain(self, output: str, /) -> Explanation: ...

def solver_of(result: str) -> str | None: ...
"#,
    );
    let mut names = vec!["Solver", "SolverResult"];
    for description in library().catalogue() {
        let Family::Solver(result) = description.family else { continue };
        let _ = write!(text, "\nclass {}(Solver):\n", description.name);
        documentation(&mut text, description.doc.summary(), "    ");
        let _ = write!(text, "\n    def solve(\n        self,\n");
        // Python wants what may be left out behind what may not.
        let (optional, required): (Vec<_>, Vec<_>) =
            parameters(description.fields).into_iter().partition(|parameter| parameter.ends_with(" = ..."));
        for parameter in required.iter().chain(&optional) {
            let _ = writeln!(text, "        {parameter},");
        }
        let _ = writeln!(text, "    ) -> {result}: ...");
        let _ = write!(text, "\nclass {result}(SolverResult):\n");
        documentation(&mut text, &format!("What ``{}`` finds.", description.name), "    ");
        text.push('\n');
        for (_, output) in description.results().filter(|(_, output)| output.arguments.is_empty()) {
            property(&mut text, output.name, &output.value, output.doc.summary());
        }
        names.extend([description.name, result]);
    }
    all(&mut text, names);
    text
}

/// The class of a record or scenario: how it is built, and its attributes.
fn class(text: &mut String, description: &Description, base: &str, extras: &[String]) {
    let _ = write!(text, "\nclass {}({base}):\n", description.name);
    documentation(text, description.doc.summary(), "    ");
    text.push('\n');
    let parameters: Vec<String> =
        parameters(description.fields).into_iter().chain(extras.iter().cloned()).collect();
    method(text, "__init__", &parameters, "None");
    for field in description.fields {
        property(text, field.name, &field.value, field.doc.summary());
    }
    for (_, output) in description.results() {
        if output.is_method() {
            call(text, output);
        } else {
            property(text, output.name, &output.value, output.doc.summary());
        }
    }
}

/// A method with keyword arguments, one a line.
fn method(text: &mut String, name: &str, parameters: &[String], returned: &str) {
    let _ = write!(text, "    def {name}(\n        self,\n        *,\n");
    for parameter in parameters {
        let _ = writeln!(text, "        {parameter},");
    }
    let _ = writeln!(text, "    ) -> {returned}: ...");
}

/// What a definition takes.
fn parameters(fields: &[Field]) -> Vec<String> {
    let parameter = |field: &Field| {
        let default = if field.default.is_some() { " = ..." } else { "" };
        format!("{}: {}{default}", field.name, taken(&field.value))
    };
    fields.iter().map(parameter).collect()
}

fn property(text: &mut String, name: &str, value: &Type, meaning: &str) {
    let _ = write!(text, "    @property\n    def {name}(self) -> {}:\n", given(value));
    documentation(text, meaning, "        ");
}

/// An output that takes arguments; those that may be left out come last.
fn call(text: &mut String, output: &Output) {
    let optional = |value: &Type| matches!(value, Type::Optional(_));
    let mut arguments: Vec<&Field> = output.arguments.iter().map(|argument| &argument.field).collect();
    arguments.sort_by_key(|field| optional(&field.value));
    let arguments = arguments.iter().map(|field| {
        let default = if optional(&field.value) { " = ..." } else { "" };
        format!(", {}: {}{default}", field.name, taken(&field.value))
    });
    let arguments: String = arguments.collect();
    let _ = writeln!(text, "    def {}(self{arguments}) -> {}:", output.name, given(&output.value));
    documentation(text, output.doc.summary(), "        ");
}

fn documentation(text: &mut String, summary: &str, indent: &str) {
    let lines: Vec<&str> = summary.lines().map(str::trim).collect();
    let _ = writeln!(text, "{indent}\"\"\"{}\"\"\"", lines.join(&format!("\n{indent}")));
}

fn all<'a>(text: &mut String, names: impl IntoIterator<Item = &'a str>) {
    let _ = write!(text, "\n__all__ = [\n");
    for name in names {
        let _ = writeln!(text, "    \"{name}\",");
    }
    text.push_str("]\n");
}

/// The type of an attribute.
fn given(value: &Type) -> String {
    match value {
        Type::Count | Type::Integer => "int".to_string(),
        Type::Number => "float".to_string(),
        Type::Flag => "bool".to_string(),
        Type::Text => "str".to_string(),
        Type::Quantity(_) => "Quantity".to_string(),
        Type::Optional(inner) => format!("{} | None", given(inner)),
        Type::List(inner) => format!("list[{}]", given(inner)),
        Type::Map(inner) => format!("dict[str, {}]", given(inner)),
        Type::Object(description) => description().name.to_string(),
    }
}

/// The type of what may be given for an input.
fn taken(value: &Type) -> String {
    match value {
        Type::Count | Type::Integer => "CountLike".to_string(),
        Type::Number => "NumberLike".to_string(),
        Type::Flag => "bool".to_string(),
        Type::Text => "str".to_string(),
        // A number of tokens or of parameters may come without its unit.
        Type::Quantity(dimension) if dimension.exponents.without_counts().is_none() => {
            "CountedLike".to_string()
        }
        Type::Quantity(_) => "QuantityLike".to_string(),
        Type::Optional(inner) => format!("{} | None", taken(inner)),
        Type::List(inner) => format!("Sequence[{}]", taken(inner)),
        Type::Map(inner) => format!("Mapping[str, {}]", taken(inner)),
        Type::Object(description) => format!("{} | str | Mapping[str, Any]", description().name),
    }
}
