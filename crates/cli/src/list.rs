//! `mlsysim list`: what there is.

use std::process::ExitCode;

use mlsysim::{Description, library};

use crate::arguments::Format;
use crate::output::{Failure, Table, print};

const SORTS: [&str; 5] = ["hardware", "models", "systems", "scenarios", "solvers"];

/// Lists one sort of thing, or counts them all.
pub fn list(what: Option<&str>, group: Option<&str>, format: Format) -> Result<ExitCode, Failure> {
    let table = match what {
        None if group.is_some() => scenarios(group, format)?,
        None => counted(),
        Some("scenarios") => scenarios(group, format)?,
        Some(_) if group.is_some() => {
            return Err(Failure::Refused("--group goes with `mlsysim list scenarios`".to_string()));
        }
        Some("hardware") => entries("Hardware"),
        Some("models") => entries("Models"),
        Some("systems") => entries("Systems"),
        Some("solvers") => solvers(),
        Some(other) => {
            let hint = match mlsysim::quantity::nearest(other, SORTS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there is {}", SORTS.join(", ")),
            };
            return Err(Failure::Refused(format!("there is no list of `{other}`; {hint}")));
        }
    };
    print(&table.render(format))
}

fn counted() -> Table {
    let mut table = Table::new(&["list", "entries"]);
    for sort in SORTS {
        let count = match sort {
            "hardware" => library().paths("Hardware").count(),
            "models" => library().paths("Models").count(),
            "systems" => library().paths("Systems").count(),
            "scenarios" => types(true).count(),
            _ => types(false).count(),
        };
        table.row([sort.to_string(), count.to_string()]);
    }
    table
}

/// The scenario types, or the solvers.
fn types(scenarios: bool) -> impl Iterator<Item = &'static Description> {
    library().catalogue().filter(move |description| description.group().is_some() == scenarios)
}

/// The scenario types with their named cases: for programs all of them, for people the first two.
fn scenarios(group: Option<&str>, format: Format) -> Result<Table, Failure> {
    if let Some(group) = group {
        let mut groups: Vec<&str> = types(true).filter_map(Description::group).collect();
        groups.dedup();
        if !groups.contains(&group) {
            return Err(Failure::Refused(format!(
                "there is no group `{group}`; there is {}",
                groups.join(", ")
            )));
        }
    }
    let mut table = Table::new(&["group", "scenario", "named cases", "what it is"]);
    let cases: Vec<_> = library()
        .case_names()
        .filter_map(|(_, name)| Some((name, library().case(name).ok()?.item().description().name)))
        .collect();
    for description in
        types(true).filter(|description| group.is_none_or(|group| description.group() == Some(group)))
    {
        let named = cases.iter().filter(|(_, kind)| *kind == description.name).map(|(name, _)| *name);
        let named: Vec<&str> = named.collect();
        let shown = match named.as_slice() {
            [first, second, more @ ..] if format == Format::Text && !more.is_empty() => {
                format!("{first}, {second} and {} more", more.len())
            }
            all => all.join(", "),
        };
        table.row([
            description.group().unwrap_or("").to_string(),
            description.name.to_string(),
            shown,
            in_one_line(description.doc.summary()),
        ]);
    }
    Ok(table)
}

fn solvers() -> Table {
    let mut table = Table::new(&["solver", "what it is"]);
    for description in types(false) {
        table.row([description.name.to_string(), in_one_line(description.doc.summary())]);
    }
    table
}

fn entries(root: &str) -> Table {
    let mut table = Table::new(&["path", "what it is"]);
    for path in library().paths(root) {
        let about = library().entry(path).map(|entry| entry.about.clone()).unwrap_or_default();
        table.row([path.to_string(), about]);
    }
    table
}

pub fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
