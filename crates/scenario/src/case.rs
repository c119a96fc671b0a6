//! `Case`: a scenario that was built, with its inputs as they were written.

use std::sync::Arc;

use crate::{
    Answer, Description, Inputs, Item, Library, Map, Name, Object, Output, Result, Value, answer, resolve,
};

/// A scenario that was built from written inputs, which it keeps.
///
/// The typed scenario computes in base units; the case remembers that a time was written as
/// `0.3 ms` and that a bandwidth came from the registry.
#[derive(Clone, Debug)]
pub struct Case {
    /// The case's name in the registry, if it has one.
    pub name: Option<Name>,
    /// What it is, in a few words.
    pub title: String,
    /// What it says, in a sentence or two.
    pub description: String,
    /// Where the inputs come from that are written out.
    pub source: Option<String>,
    /// The inputs that do not come from there: `tp_size`, or `links.NVLink` within a map.
    changed: Vec<String>,
    written: Map<Value>,
    given: Vec<Value>,
    item: Arc<dyn Item>,
}

impl Case {
    /// Builds the scenario `description` from `written` inputs.
    ///
    /// # Errors
    ///
    /// A missing, misspelt or wrong input, or a reference to nothing.
    pub fn new(
        description: &'static Description,
        written: Map<Value>,
        library: &dyn Library,
    ) -> Result<Self> {
        let mut inputs = Inputs::new(description, written.clone(), library)?;
        let given = (0..description.fields.len()).map(|index| inputs.value(index)).collect();
        let object = (description.build)(&mut inputs)?;
        Ok(Case {
            name: None,
            title: String::new(),
            description: String::new(),
            source: None,
            changed: Vec::new(),
            written,
            given,
            item: object.item().clone(),
        })
    }

    /// The same case with some inputs changed, through the same checks.
    ///
    /// # Errors
    ///
    /// As for [`Case::new`].
    pub fn variant(&self, changes: Map<Value>, library: &dyn Library) -> Result<Self> {
        if changes.is_empty() {
            return Ok(self.clone());
        }
        let mut changed = self.changed.clone();
        for (name, value) in &changes {
            match (self.written.get(name), value) {
                (Some(Value::Map(before)), Value::Map(after)) => {
                    let differing = after.iter().filter(|(key, value)| before.get(*key) != Some(value));
                    changed.extend(differing.map(|(key, _)| format!("{name}.{key}")));
                }
                _ => changed.push(name.to_string()),
            }
        }
        // A variant of a variant may change the same input again.
        changed.sort_unstable();
        changed.dedup();
        let mut written = self.written.clone();
        written.extend(changes);
        let case = Case::new(self.item.description(), written, library)?;
        // What was said of the case need not be true of its variant.
        let title =
            self.name.as_ref().map_or_else(|| self.title.clone(), |name| format!("A variant of {name}"));
        Ok(Case { title, source: self.source.clone(), changed, ..case })
    }

    /// Where the input at `path` comes from, if it is written out: `tp_size`, or `links.NVLink`.
    ///
    /// What the case says of itself, unless a variant changed the input.
    pub fn source_of(&self, path: &str) -> &str {
        let field = path.split('.').next().unwrap_or(path);
        let changed = self.changed.iter().any(|changed| changed == path || changed == field);
        self.source.as_deref().filter(|_| !changed).unwrap_or("given")
    }

    /// The inputs that a variant changed, for which [`Case::source`] does not speak.
    pub fn changed(&self) -> &[String] {
        &self.changed
    }

    /// The same inputs with what another case said beside its own: of itself, and of their sources.
    ///
    /// Whoever keeps a case elsewhere and builds it again from [`Case::written`] loses nothing so.
    #[must_use]
    pub fn with_origin(
        self,
        title: String,
        description: String,
        source: Option<String>,
        changed: Vec<String>,
    ) -> Self {
        Case { title, description, source, changed, ..self }
    }

    /// The built scenario.
    pub fn item(&self) -> &Arc<dyn Item> {
        &self.item
    }

    /// The scenario as an object, with its path if it is a named case.
    pub fn object(&self) -> Object {
        match &self.name {
            Some(name) => Object::at(format!("Scenarios.{name}"), self.item.clone()),
            None => Object::new(self.item.clone()),
        }
    }

    /// The inputs as they were written, defaults left out.
    pub fn written(&self) -> &Map<Value> {
        &self.written
    }

    /// The input at `index` with references followed, in the unit in which it was written.
    pub fn input(&self, index: usize) -> &Value {
        &self.given[index]
    }

    /// The output called `name`, for `arguments` if it is a method.
    ///
    /// # Errors
    ///
    /// The scenario has no such output, or this instance has none.
    pub fn output(&self, name: &str, arguments: &[Value]) -> Result<Value> {
        let description = self.item.description();
        match description.output(name).filter(|(_, output)| !output.step) {
            Some((index, output)) => {
                output.takes(arguments)?;
                self.item.output(index, arguments)
            }
            None => Err(description.unknown_output(name)),
        }
    }

    /// The arguments that a method of one key can be called with here, one list a call.
    pub fn keys(&self, output: &Output) -> Vec<Vec<Value>> {
        match output.arguments {
            [argument] => answer::keys(&*self.item, argument).into_iter().map(|key| vec![key]).collect(),
            _ => Vec::new(),
        }
    }

    /// Every output, and the outputs of `calls` by their labels.
    ///
    /// An argument `{"field": name}` of a call is the case's own input.
    pub fn answer(&self, id: serde_json::Value, calls: &Map<Vec<Value>>) -> Answer {
        let arguments = |argument: &Value| self.argument(argument);
        let calls = calls
            .iter()
            .map(|(label, given)| (label.clone(), given.iter().map(arguments).collect()))
            .collect();
        Answer::new(id, &*self.item, &calls)
    }

    fn argument(&self, argument: &Value) -> Value {
        if let Value::Map(map) = argument
            && map.len() == 1
            && let Some(Value::Text(name)) = map.get("field")
            && let Some((index, _)) = self.item.description().field(name)
        {
            return self.given[index].clone();
        }
        // An unknown unit stays as it was written, for the method to refuse by its name.
        resolve(&crate::NoLibrary, argument.clone()).unwrap_or_else(|_| argument.clone())
    }
}
