//! A plan file made of options, which have no sections.

use mlsysim_models::machine::Figures;
use mlsysim_quantity::nearest;
use mlsysim_scenario::{Define, Description, Error, Map, Result, Type, Value};

use crate::plan_file::{PlanFile, PlanSearch, PlanSystem, PlanTraining};

impl PlanFile {
    /// The plan that options say, by the names of the fields of all sections: `batch`, `on`, `fix`.
    ///
    /// A field that takes a list takes a single value too, and a text with commas, such as `64,128`.
    ///
    /// ```
    /// use mlsysim_scenario::{Map, Value};
    /// use mlsysim_search::PlanFile;
    ///
    /// let given = [("model", "Llama3_8B"), ("on", "DGX_H100"), ("batch", "64"), ("sequence", "8192")];
    /// let given = given.map(|(name, text)| (name.into(), Value::from_argument(text)));
    /// let mut options = Map::from_iter(given);
    /// options.insert("devices".into(), Value::text("4,8"));
    /// assert_eq!(PlanFile::from_options(options.clone())?.system.devices, Some(vec![4, 8]));
    /// options.insert("gaol".into(), Value::text("cost"));
    /// let error = PlanFile::from_options(options).unwrap_err();
    /// assert_eq!(error.to_string(), "gaol: a plan has no input of that name; did you mean `goal`?");
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// An option is misspelt, missing or out of its range; the field is the option.
    pub fn from_options(options: Map<Value>) -> Result<Self> {
        let (sections, own) = (sections(), Self::describe());
        let is_of = |description: &Description, name: &str| {
            description.fields.iter().find(|field| field.name == name)
        };
        let mut inputs: Map<Value> = Map::new();
        for (section, _) in &sections {
            inputs.insert((*section).into(), Value::Map(Map::new()));
        }
        for (name, value) in options {
            let value = match value {
                Value::Map(given) if &*name == "state" => {
                    Value::Map(Figures::grouped(given).map_err(|error| error.within("state"))?)
                }
                value => value,
            };
            let of_section = sections.iter().find_map(|(section, of)| Some((*section, is_of(of, &name)?)));
            if let Some((section, field)) = of_section {
                // Conditions have commas of their own, which do not part one from the other: what one
                // `forbid` lists is forbidden together.
                let value = if is_list(field.value) && section != "search" { split(value) } else { value };
                if let Some(Value::Map(fields)) = inputs.get_mut(section) {
                    fields.insert(name, value);
                }
            } else if is_of(own, &name).is_some() && !inputs.contains_key(&*name) {
                inputs.insert(name, value);
            } else {
                let all = sections.iter().map(|(_, of)| *of).chain([own]);
                let known = all.flat_map(|of| of.fields.iter().map(|field| field.name));
                let hint =
                    nearest(&name, known).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                return Err(Error::input(&*name, format!("a plan has no input of that name{hint}")));
            }
        }
        Self::from_inputs(with_lists(inputs)).map_err(|error| {
            let field = error.field().unwrap_or_default();
            let within = |(section, _): &(&str, _)| field.strip_prefix(section)?.strip_prefix('.');
            let own = sections.iter().find_map(within).map(str::to_string);
            own.map_or(error.clone(), |own| error.about(&own))
        })
    }
}

/// The sections of a plan file.
fn sections() -> [(&'static str, &'static Description); 3] {
    [
        ("system", PlanSystem::describe()),
        ("training", PlanTraining::describe()),
        ("search", PlanSearch::describe()),
    ]
}

/// The inputs of a plan with a single value of each field that takes a list as a list of one.
pub(crate) fn with_lists(mut inputs: Map<Value>) -> Map<Value> {
    for (section, description) in sections() {
        if let Some(Value::Map(fields)) = inputs.get_mut(section) {
            lists(fields, description);
        }
    }
    lists(&mut inputs, PlanFile::describe());
    inputs
}

fn lists(inputs: &mut Map<Value>, description: &Description) {
    for field in description.fields.iter().filter(|field| is_list(field.value)) {
        if let Some(value) = inputs.get_mut(field.name)
            && !matches!(value, Value::Null | Value::List(_))
        {
            *value = Value::List(vec![std::mem::replace(value, Value::Null)]);
        }
    }
}

/// Whether a field takes a list.
fn is_list(of: Type) -> bool {
    match of {
        Type::Optional(of) => is_list(*of),
        Type::List(_) => true,
        _ => false,
    }
}

/// A text as a list of what stands between its commas.
fn split(value: Value) -> Value {
    match value {
        Value::Text(text) => Value::List(text.split(',').map(Value::from_argument).collect()),
        value => value,
    }
}
