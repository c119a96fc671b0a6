//! `Registry`: looks up entries, figures in them and named cases by dotted path.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use mlsysim_quantity::nearest;
use mlsysim_scenario::{
    Case, Description, Error, Inputs, Library, Map, Name, Object, Origin, Piece, Result, Value, suggestion,
};

use crate::entry::Entry;
use crate::types::RECORDS;
use crate::{FILES, read_case};

/// A list of the types that a registry can build.
pub type Catalogue = &'static [fn() -> &'static Description];

/// The embedded data and the types that it is made of.
pub struct Registry {
    catalogue: Catalogue,
    types: HashMap<&'static str, &'static Description>,
    entries: RwLock<HashMap<usize, Arc<Entry>>>,
    objects: RwLock<HashMap<usize, Object>>,
}

/// The type of an entry that is a group of single figures and no record.
const FIGURES: &str = "Figures";

impl Registry {
    /// The embedded data, with the scenarios of `catalogue` to build named cases from.
    pub fn new(catalogue: Catalogue) -> Self {
        let mut types = HashMap::new();
        for describe in catalogue.iter().chain(RECORDS) {
            let description = describe();
            types.insert(description.name, description);
            types.extend(description.aliases.iter().map(|alias| (*alias, description)));
            if let (Some(_), Some(short)) = (description.group(), description.name.strip_suffix("Scenario")) {
                types.insert(short, description);
            }
        }
        Registry { catalogue, types, entries: RwLock::default(), objects: RwLock::default() }
    }

    /// The scenarios and solvers that were given to the registry.
    pub fn catalogue(&self) -> impl Iterator<Item = &'static Description> + use<> {
        self.catalogue.iter().map(|describe| describe())
    }

    /// The paths of all entries below `prefix`, sorted: `Hardware`, `Models.Language`, …
    pub fn paths(&self, prefix: &str) -> impl Iterator<Item = &'static str> {
        let below = move |path: &&'static str| {
            path.strip_prefix(prefix)
                .is_some_and(|rest| rest.is_empty() || prefix.is_empty() || rest.starts_with('.'))
        };
        FILES.iter().map(|(path, _)| *path).filter(|path| !is_apart(path)).filter(below)
    }

    /// The names of all named cases with their group, sorted by group.
    pub fn case_names(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        FILES.iter().filter_map(|(path, _)| path.strip_prefix("Scenarios.")?.split_once('.'))
    }

    /// The named case called `name`.
    ///
    /// # Errors
    ///
    /// There is no such case; the error names the nearest.
    pub fn case(&self, name: &str) -> Result<Case> {
        let found = FILES.iter().find(|(path, _)| {
            path.strip_prefix("Scenarios.")
                .and_then(|rest| rest.split_once('.'))
                .is_some_and(|(_, case)| case == name)
        });
        match found {
            Some((_, content)) => read_case(content, Map::new(), self),
            None => Err(unknown("named case", name, self.case_names().map(|(_, case)| case))),
        }
    }

    /// The entry at `path`, or the only one whose path ends with it.
    ///
    /// # Errors
    ///
    /// There is no such entry; the error names the nearest.
    pub fn entry(&self, path: &str) -> Result<Arc<Entry>> {
        let (file, rest) = find(path)?;
        match rest {
            "" => self.entry_at(file),
            below => Err(Error::unknown(format!("`{below}` is a part of {}, not an entry", FILES[file].0))),
        }
    }

    /// The entry of the file at `index`.
    fn entry_at(&self, index: usize) -> Result<Arc<Entry>> {
        remembered(&self.entries, index, || Entry::read(FILES[index].0, FILES[index].1).map(Arc::new))
    }

    /// The entry of the file at `index`, built.
    fn object(&self, index: usize) -> Result<Object> {
        remembered(&self.objects, index, || {
            let entry = self.entry_at(index)?;
            let path = &entry.path;
            let Some(description) = self.description(&entry.kind) else {
                return Err(Error::malformed(format!("{path} is of the unknown type `{}`", entry.kind)));
            };
            let built = Inputs::new(description, entry.fields.clone(), self)
                .and_then(|mut inputs| (description.build)(&mut inputs))
                .map_err(|error| error.within(path))?;
            Ok(Object::at(path.clone(), built.item().clone()))
        })
    }
}

/// What `make` makes of `index`, made once.
fn remembered<T: Clone>(
    known: &RwLock<HashMap<usize, T>>,
    index: usize,
    make: impl FnOnce() -> Result<T>,
) -> Result<T> {
    if let Ok(known) = known.read()
        && let Some(value) = known.get(&index)
    {
        return Ok(value.clone());
    }
    let value = make()?;
    if let Ok(mut known) = known.write() {
        known.insert(index, value.clone());
    }
    Ok(value)
}

impl Library for Registry {
    fn value(&self, path: &str) -> Result<Value> {
        if let Some(rest) = path.strip_prefix("Scenarios.") {
            let (name, below) = rest.split_once('.').unwrap_or((rest, ""));
            let case = self.case(name)?;
            // An input is given as the case writes it; an output is computed.
            let (first, deeper) = below.split_once('.').unwrap_or((below, ""));
            return match case.item().description().field(first) {
                Some((index, _)) => self.walk(path, case.input(index).clone(), deeper),
                None => self.walk(path, Value::Object(case.object()), below),
            };
        }
        let (file, below) = find(path)?;
        let entry = self.entry_at(file)?;
        // A figure is given as its file writes it, so that `400 Gbps` stays in Gbps.
        if let Some(written) = written(&entry.fields, below) {
            return mlsysim_scenario::resolve(self, spelled(written));
        }
        let value = if entry.kind == FIGURES {
            Value::Map(entry.fields.clone())
        } else {
            Value::Object(self.object(file)?)
        };
        self.walk(FILES[file].0, value, below)
    }

    fn description(&self, name: &str) -> Option<&'static Description> {
        self.types.get(name).copied()
    }

    fn unknown_type(&self, name: &str) -> String {
        let names = self.catalogue().filter(|description| description.group().is_some());
        match nearest(name, names.map(|description| description.name)) {
            Some(near) => format!("there is no scenario type `{name}`; did you mean `{near}`?"),
            None => format!("there is no scenario type `{name}`; `mlsysim list scenarios` shows them all"),
        }
    }

    fn unknown_structure(&self, name: &str) -> String {
        let mut names: Vec<&str> = self.types.keys().copied().collect();
        names.sort_unstable();
        match nearest(name, names) {
            Some(near) => format!("there is no type `{name}`; did you mean `{near}`?"),
            None => format!("there is no type `{name}`"),
        }
    }

    fn origin(&self, path: &str) -> Option<Origin> {
        if let Some(rest) = path.strip_prefix("Scenarios.") {
            return self.origin_in_case(rest);
        }
        let (file, below) = find(path).ok()?;
        let entry = self.entry_at(file).ok()?;
        // A figure that refers to another entry, or lies in one, comes from where that one does.
        let ends = below.match_indices('.').map(|(end, _)| end).chain([below.len()]);
        for end in ends {
            if let Some(Value::Reference(reference)) = written(&entry.fields, &below[..end]) {
                return self.origin(&format!("{reference}{}", &below[end..]));
            }
        }
        if written(&entry.fields, below).is_some() || below.is_empty() {
            return Some(entry.origin(below));
        }
        // A computed figure comes from where the first input of its equation does that has a source.
        let (parent, name) = below.rsplit_once('.').unwrap_or(("", below));
        let parent_path =
            if parent.is_empty() { entry.path.to_string() } else { format!("{}.{parent}", entry.path) };
        let Ok(Value::Object(object)) = self.value(&parent_path) else { return Some(entry.origin(below)) };
        let equation = &object.description().output(name)?.1.equation;
        let uses = equation.pieces.iter().filter_map(|piece| match piece {
            Piece::Use(way) => Some(way.join(".")),
            _ => None,
        });
        let figures: Vec<String> = uses.map(|way| format!("{parent_path}.{way}")).collect();
        let stated = figures.iter().filter(|path| matches!(self.value(path), Ok(value) if !value.is_null()));
        let used = stated.chain(figures.first()).find_map(|path| self.origin(path));
        // A figure that several steps make comes from where the entry does.
        used.or_else(|| Some(entry.origin(parent)))
    }
}

impl Registry {
    /// Where an input of a named case comes from, or an output of it: `Case.tp_size`.
    fn origin_in_case(&self, path: &str) -> Option<Origin> {
        let (name, below) = path.split_once('.').unwrap_or((path, ""));
        let case = self.case(name).ok()?;
        let field = below.split('.').next().unwrap_or(below);
        match case.written().get(field) {
            Some(Value::Reference(reference)) => {
                self.origin(&format!("{reference}{}", &below[field.len()..]))
            }
            _ => {
                let source = format!("the case {name}: {}", case.source_of(below));
                Some(Origin { source, ..Origin::default() })
            }
        }
    }

    /// What stands below `value`, which is the entry or case at `path`, at the end of `below`.
    fn walk(&self, path: &str, mut value: Value, below: &str) -> Result<Value> {
        for step in below.split('.').filter(|step| !step.is_empty()) {
            value = self.step(&value, step).ok_or_else(|| no_part(path, step, &value))??;
        }
        Ok(value)
    }

    fn step(&self, value: &Value, step: &str) -> Option<Result<Value>> {
        match value {
            Value::Object(object) => object.get(step),
            Value::Map(map) => map.get(step).cloned().map(Ok),
            Value::List(items) => items.get(step.parse::<usize>().ok()?).cloned().map(Ok),
            _ => None,
        }
    }
}

/// Sources and named cases are files, but no entries.
fn is_apart(path: &str) -> bool {
    path.starts_with("sources.") || path.starts_with("Scenarios.")
}

/// The file that `path` leads into, and what of the path is left.
fn find(path: &str) -> Result<(usize, &str)> {
    let lookup = |path: &str| FILES.binary_search_by(|(known, _)| (*known).cmp(path)).ok();
    let mut end = path.len();
    loop {
        if let Some(index) = lookup(&path[..end]).filter(|_| !is_apart(path)) {
            return Ok((index, path[end..].trim_start_matches('.')));
        }
        match path[..end].rfind('.') {
            Some(dot) => end = dot,
            None => break,
        }
    }
    // The last part alone is enough where only one entry has it: `H100`.
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let ends = |known: &str| known.rsplit('.').next() == Some(name);
    let mut matching = FILES.iter().enumerate().filter(|(_, (known, _))| !is_apart(known) && ends(known));
    if let (Some((index, _)), None) = (matching.next(), matching.next()) {
        return Ok((index, rest));
    }
    let group = format!("{path}.");
    let mut inside = FILES.iter().map(|(known, _)| *known).filter(|known| known.starts_with(&group));
    if let Some(first) = inside.next() {
        let count = inside.count() + 1;
        let entries = if count == 1 { "entry" } else { "entries" };
        return Err(Error::unknown(format!("`{path}` is a group of {count} {entries}, such as `{first}`")));
    }
    let entries = FILES.iter().map(|(known, _)| *known).filter(|known| !is_apart(known));
    let names = entries.clone().filter_map(|known| known.rsplit('.').next());
    match nearest(path, entries).or_else(|| nearest(path, names)) {
        Some(near) => {
            Err(Error::unknown(format!("there is no registry entry `{path}`; did you mean `{near}`?")))
        }
        None => {
            Err(Error::unknown(format!("there is no registry entry `{path}`; `mlsysim list` shows them all")))
        }
    }
}

/// What the file writes at `path`, if it writes something there.
fn written<'a>(fields: &'a Map<Value>, path: &str) -> Option<&'a Value> {
    let mut steps = path.split('.');
    let mut value = fields.get(steps.next()?)?;
    for step in steps {
        value = match value {
            Value::Map(map) => map.get(step)?,
            Value::List(items) => items.get(step.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value).filter(|value| !matches!(value, Value::Map(_) | Value::List(_)))
}

/// A text that spells a quantity is one.
fn spelled(value: &Value) -> Value {
    if let Value::Text(text) = value
        && let Ok(quantity) = text.parse()
    {
        return Value::Quantity(quantity);
    }
    value.clone()
}

fn no_part(entry: &str, step: &str, value: &Value) -> Error {
    let names: Vec<Name> = match value {
        Value::Object(object) => {
            let description = object.description();
            let fields = description.fields.iter().map(|field| field.name);
            fields.chain(description.outputs().iter().map(|output| output.name)).map(Name::from).collect()
        }
        Value::Map(map) => map.keys().cloned().collect(),
        _ => Vec::new(),
    };
    let hint = suggestion(step, names.iter().map(Name::as_ref));
    Error::unknown(format!("{entry} has no `{step}` there; {hint}"))
}

fn unknown<'a>(what: &str, name: &str, candidates: impl Iterator<Item = &'a str>) -> Error {
    match nearest(name, candidates) {
        Some(near) => Error::unknown(format!("there is no {what} `{name}`; did you mean `{near}`?")),
        None => {
            Error::unknown(format!("there is no {what} `{name}`; `mlsysim list scenarios` shows them all"))
        }
    }
}
