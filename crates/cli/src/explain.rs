//! `mlsysim explain`: how a number comes about.

use std::process::ExitCode;

use mlsysim::{Case, Derivation, Error, ErrorKind, Result, Value, library};

use crate::arguments::Format;
use crate::output::{Failure, Table, cells, pretty, print};
use crate::target;

/// Derives one output of a case, or all of them.
pub fn explain(name: &str, set: &[String], format: Format) -> Result<ExitCode, Failure> {
    let (case, output) = split(name, set)?;
    let derived = match output {
        Some(output) => derive(&case, &output)?,
        None => all(&case)?,
    };
    print(&rendered(&derived, format))
}

/// Derivations in `format`; as JSON a single one stands alone, and several in a list.
pub fn rendered(derived: &[Derivation], format: Format) -> String {
    match (format, derived) {
        (Format::Text, _) => derived.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n"),
        (Format::Json, [only]) => pretty(only),
        (Format::Json, _) => pretty(&derived),
        (Format::Markdown | Format::Csv, _) => table(derived, format).render(format),
    }
}

/// The case, and the output behind the name's last dot unless the whole name is a case.
fn split(name: &str, set: &[String]) -> Result<(Case, Option<String>)> {
    let whole = match target::case(name, set) {
        Ok(case) => return Ok((case, None)),
        Err(error) => error,
    };
    // The first dot behind the case's name begins the output: `Case.result.compute_time`.
    let start = name.find(".toml.").map_or(0, |file| file + 1).max(if name.starts_with("Scenarios.") {
        10
    } else {
        0
    });
    match name[start..].find('.').map(|dot| start + dot) {
        Some(dot) if target::find(&name[..dot]).is_ok() || name[..dot].ends_with(".toml") => {
            Ok((target::case(&name[..dot], set)?, Some(name[dot + 1..].to_string())))
        }
        _ => Err(whole),
    }
}

/// The derivation of `output`: an attribute, a call (`sharded(attention)`), or a figure of a result
/// (`result.compute_time`).
fn derive(case: &Case, output: &str) -> Result<Vec<Derivation>> {
    let (name, rest) = match output.split_once('.') {
        Some((name, rest)) if !name.contains('(') => (name, Some(rest)),
        _ => (output, None),
    };
    let (name, arguments) = match name.strip_suffix(')').and_then(|call| call.split_once('(')) {
        Some((name, "")) => (name, Vec::new()),
        Some((name, arguments)) => (name, arguments.split(',').map(Value::from_argument).collect()),
        None => (name, Vec::new()),
    };
    let described = case.item().description().output(name);
    let calls = match described {
        // A method without its argument is derived for each key that it takes.
        Some((_, output)) if arguments.is_empty() && !output.arguments.is_empty() => case.keys(output),
        _ => vec![arguments],
    };
    let mut derived = Vec::new();
    for arguments in calls {
        derived.push(Derivation::of_output(case, name, &arguments, library())?);
    }
    // An output may be absent and still be derived; a wrong argument is a mistake.
    let mistake = derived.iter().filter_map(|derived| derived.value.as_ref().err());
    if let Some(error) = mistake.into_iter().find(|error| error.kind() == ErrorKind::Input) {
        return Err(error.clone());
    }
    match rest {
        None => Ok(derived),
        Some(rest) => derived.into_iter().map(|derived| part(derived, name, rest)).collect(),
    }
}

/// The part of a result's derivation that is called `rest`.
fn part(mut derived: Derivation, name: &str, rest: &str) -> Result<Derivation> {
    let figure = rest.split('.').next().unwrap_or(rest);
    match derived.parts.iter().position(|part| part.label == figure) {
        Some(index) => Ok(derived.parts.swap_remove(index)),
        None => {
            let names: Vec<&str> = derived.parts.iter().map(|part| part.label.as_str()).collect();
            let hint = mlsysim::scenario::suggestion(figure, names.iter().copied());
            Err(Error::unknown(format!("`{name}` has no figure `{figure}`; {hint}")))
        }
    }
}

fn all(case: &Case) -> Result<Vec<Derivation>> {
    let outputs = case.item().description().results();
    let attributes = outputs.filter(|(_, output)| output.arguments.is_empty());
    attributes.map(|(_, output)| Derivation::of_output(case, output.name, &[], library())).collect()
}

/// Every number of the derivations, one a row, in the order of the tree.
fn table(derived: &[Derivation], format: Format) -> Table {
    let mut table = Table::new(&["depth", "name", "value", "unit", "kind", "equation", "from"]);
    for root in derived {
        rows(root, 0, format, &mut table);
    }
    table
}

fn rows(node: &Derivation, depth: usize, format: Format, table: &mut Table) {
    let (number, unit) = match &node.value {
        Ok(value) => cells(value, format),
        Err(error) => (format!("none: {error}"), String::new()),
    };
    let origin = node.origin.as_ref().map(ToString::to_string);
    let from = [node.reference.as_ref().map(|path| format!("@{path}")), origin];
    table.row([
        depth.to_string(),
        node.label.clone(),
        number,
        unit,
        node.kind.to_string(),
        node.equation.as_deref().unwrap_or("").to_string(),
        from.into_iter().flatten().collect::<Vec<_>>().join(" "),
    ]);
    for part in &node.parts {
        rows(part, depth + 1, format, table);
    }
}
