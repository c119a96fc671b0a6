//! A page for each scenario by group, each solver and each record.

use std::cell::RefCell;
use std::collections::BTreeMap;

use mlsysim::registry::RECORDS;
use mlsysim::{Description, library};
use mlsysim_scenario::{Equation, Family, Typeset, group_title, page, prose};

use super::{Page, Part, examples, mathml};
use crate::Result;

/// The pages of the scenarios by group, of the solvers and of the records.
///
/// # Errors
///
/// An equation cannot be set, or an example does not compute.
pub fn parts() -> Result<Vec<Part>> {
    let mut folders: BTreeMap<&str, Vec<&'static Description>> = BTreeMap::new();
    let records = RECORDS.iter().map(|describe| describe());
    for description in library().catalogue().chain(records) {
        folders.entry(folder(description)).or_default().push(description);
    }
    let (shared, groups): (Vec<_>, Vec<_>) =
        folders.into_iter().partition(|(folder, _)| matches!(*folder, "solvers" | "records"));
    // Scenarios come first, then what they are made of.
    groups.into_iter().chain(shared.into_iter().rev()).map(|(folder, types)| part(folder, types)).collect()
}

fn folder(description: &Description) -> &'static str {
    match description.family {
        Family::Scenario(group) => group,
        Family::Solver(_) | Family::Result => "solvers",
        Family::Record => "records",
    }
}

fn part(folder: &str, types: Vec<&'static Description>) -> Result<Part> {
    let (title, about) = match folder {
        "solvers" => ("Solvers".to_string(), "Models of several steps that scenarios share.".to_string()),
        "records" => ("Records".to_string(), "What the entries of the registry are made of.".to_string()),
        group => {
            let command =
                format!("`mlsysim list scenarios --group {group}` shows them with their named cases.");
            (group_title(group), command)
        }
    };
    let mut index = format!("# {title}\n\n{about}\n\n| Type | What it is |\n| --- | --- |\n");
    for description in &types {
        let summary = prose(description.doc.summary()).split_whitespace().collect::<Vec<_>>().join(" ");
        let name = description.name;
        index.push_str(&format!("| [`{name}`]({name}.md) | {summary} |\n"));
    }
    let mut pages = vec![Page { path: format!("reference/{folder}/index.md"), title, text: index }];
    for description in types {
        let setting = Book { failure: RefCell::default() };
        let text = setting.linked(&page(description, &setting), description.name);
        if let Some(failure) = setting.failure.into_inner() {
            return Err(format!("{}: {failure}", description.name).into());
        }
        let path = format!("reference/{folder}/{}.md", description.name);
        pages.push(Page { path, title: description.name.to_string(), text });
    }
    Ok(Part { pages })
}

/// The manual's way to set a page; the first failure is kept for the end.
struct Book {
    failure: RefCell<Option<String>>,
}

impl Book {
    fn kept(&self, outcome: Result<String>) -> String {
        outcome.unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert_with(|| error.to_string());
            String::new()
        })
    }

    /// The page with each type that its prose names made a link, but for the page's own type.
    fn linked(&self, page: &str, own: &str) -> String {
        let mut text = String::with_capacity(page.len());
        let mut code = false;
        for line in page.split_inclusive('\n') {
            code ^= line.starts_with("```");
            if code || line.starts_with("```") || line.starts_with('#') {
                text.push_str(line);
                continue;
            }
            // Every second piece stands between backticks.
            for (index, piece) in line.split('`').enumerate() {
                if index % 2 == 0 {
                    text.push_str(piece);
                    continue;
                }
                let named = library().catalogue().find(|known| known.name == piece && piece != own);
                match named.filter(|_| !text.ends_with('[')) {
                    Some(known) => text.push_str(&self.reference(piece, known)),
                    None => text.push_str(&format!("`{piece}`")),
                }
            }
        }
        text
    }
}

impl Typeset for Book {
    fn equation(&self, name: &str, equation: &Equation) -> String {
        self.kept(mathml::block(name, equation))
    }

    fn solver(&self, result: &str) -> Option<&'static Description> {
        library().catalogue().find(|description| match description.family {
            Family::Solver(found) => found == result,
            _ => false,
        })
    }

    fn reference(&self, text: &str, description: &Description) -> String {
        match description.family {
            // A result has no page of its own: its fields stand with the solver.
            Family::Result => match self.solver(description.name) {
                Some(solver) => format!("[`{text}`](../solvers/{}.md)", solver.name),
                None => format!("`{text}`"),
            },
            _ => format!("[`{text}`](../{}/{}.md)", folder(description), description.name),
        }
    }

    fn examples(&self, description: &Description) -> String {
        self.kept(examples::text(description))
    }
}
