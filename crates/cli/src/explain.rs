//! `mlsysim explain`: how a number comes about.

use std::process::ExitCode;

use mlsysim::{Case, Derivation, ErrorKind, Result, Value, library};

use crate::arguments::Format;
use crate::output::{Failure, Table, cells, pretty, print};
use crate::target;

/// Derives one output of a case, or all of them.
pub fn explain(name: &str, set: &[String], format: Format) -> Result<ExitCode, Failure> {
    let (case, output) = split(name, set)?;
    let derived = match output {
        Some(output) => vec![derive(&case, &output)?],
        None => all(&case)?,
    };
    print(&match format {
        Format::Text => derived.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n"),
        Format::Json if derived.len() == 1 => pretty(&derived[0]),
        Format::Json => pretty(&derived),
        Format::Markdown | Format::Csv => table(&derived, format).render(format),
    })
}

/// The case, and the output behind the name's last dot unless the whole name is a case.
fn split(name: &str, set: &[String]) -> Result<(Case, Option<String>)> {
    let whole = match target::case(name, set) {
        Ok(case) => return Ok((case, None)),
        Err(error) => error,
    };
    // `sharded(1.5)` has its dot inside the parentheses.
    let end = name.find('(').unwrap_or(name.len());
    match name[..end].rfind('.').filter(|_| !name.ends_with(".toml")) {
        Some(dot) if target::find(&name[..dot]).is_ok() || name[..dot].ends_with(".toml") => {
            Ok((target::case(&name[..dot], set)?, Some(name[dot + 1..].to_string())))
        }
        _ => Err(whole),
    }
}

/// The derivation of `output`, which may be a call: `sharded(attention)`.
fn derive(case: &Case, output: &str) -> Result<Derivation> {
    let (name, arguments) = match output.strip_suffix(')').and_then(|call| call.split_once('(')) {
        Some((name, arguments)) => (name, arguments.split(',').map(Value::from_argument).collect()),
        None => (output, Vec::new()),
    };
    let derived = Derivation::of_output(case, name, &arguments, library())?;
    // An output may be absent and still be derived; a wrong argument is a mistake.
    match &derived.value {
        Err(error) if error.kind() == ErrorKind::Input => Err(error.clone()),
        _ => Ok(derived),
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
