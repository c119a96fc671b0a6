//! `Derivation`: how a number comes about, as a tree down to the inputs and their sources.

use std::borrow::Cow;

use mlsysim_quantity::format_brief;

use crate::scope::{Inputs, Scope};
use crate::{Case, Kind, Library, Name, Origin, Result, Type, Value};

/// A number and how it comes about.
#[derive(Clone, Debug)]
pub struct Derivation {
    /// What the number is called.
    pub label: String,
    /// The number, or why there is none.
    pub value: Result<Value>,
    /// What kind of number it is.
    pub kind: Kind,
    /// What it means.
    pub meaning: &'static str,
    /// The equation, if it was computed.
    pub equation: Option<Cow<'static, str>>,
    /// The equation with the values put in.
    pub substituted: Option<String>,
    /// Where the equation comes from, if it is not plain arithmetic.
    pub equation_source: &'static str,
    /// The registry path of an input that came from there.
    pub reference: Option<Name>,
    /// Where an input comes from.
    pub origin: Option<Origin>,
    /// What is remarkable.
    pub notes: Vec<String>,
    /// What the equation uses.
    pub parts: Vec<Derivation>,
}

impl Derivation {
    /// Derives the output called `name` of `case`.
    ///
    /// # Errors
    ///
    /// The scenario has no such output.
    pub fn of_output(
        case: &Case,
        name: &str,
        arguments: &[Value],
        library: &dyn Library,
    ) -> Result<Derivation> {
        let description = case.item().description();
        let Some((index, output)) = description.output(name).filter(|(_, output)| !output.step) else {
            return Err(description.unknown_output(name));
        };
        output.takes(arguments)?;
        let scope = Scope::new(case.item().clone(), Inputs::Case(case), library);
        Ok(scope.output(index, arguments))
    }
}

pub(crate) fn leaf(
    name: &str,
    rest: &[&str],
    value: Result<Value>,
    kind: Kind,
    meaning: &'static str,
) -> Derivation {
    Derivation {
        label: joined(name, rest).to_string(),
        value,
        kind,
        meaning,
        equation: None,
        substituted: None,
        equation_source: "",
        reference: None,
        origin: None,
        notes: Vec::new(),
        parts: Vec::new(),
    }
}

pub(crate) fn plain_origin(source: &str) -> Origin {
    Origin { source: source.to_string(), ..Origin::default() }
}

pub(crate) fn joined(name: &str, rest: &[&str]) -> Name {
    let mut path = name.to_string();
    for step in rest {
        path.push('.');
        path.push_str(step);
    }
    path.into()
}

pub(crate) fn label(name: &str, arguments: &[Value]) -> String {
    if arguments.is_empty() {
        return name.to_string();
    }
    let given = arguments.iter().filter(|argument| !argument.is_null());
    let arguments: Vec<String> = given.map(ToString::to_string).collect();
    format!("{name}({})", arguments.join(", "))
}

/// A value as it stands within an equation.
pub(crate) fn brief(value: &Value) -> String {
    match value {
        Value::Number(number) => format_brief(*number),
        Value::Quantity(quantity) => {
            format!("{} {}", format_brief(quantity.value()), quantity.unit()).trim_end().to_string()
        }
        Value::Map(map) => {
            let entries: Vec<String> =
                map.iter().map(|(key, value)| format!("{key}: {}", brief(value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(brief).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(object) => {
            object.path().map_or_else(|| object.description().name.to_string(), str::to_string)
        }
        other => other.to_string(),
    }
}

/// What stands below `value` at the end of `rest`.
pub(crate) fn below(value: Value, rest: &[&str]) -> Result<Value> {
    let Some((first, rest)) = rest.split_first() else { return Ok(value) };
    let next = match &value {
        Value::Object(object) => object.get(first),
        Value::Map(map) => map.get(*first).cloned().map(Ok),
        _ => None,
    };
    match next {
        Some(next) => below(next?, rest),
        None => Err(crate::Error::unknown(format!("there is no `{first}` here"))),
    }
}

/// What the documentation of a record says of what stands at the end of `rest`.
pub(crate) fn meaning(value: &Value, rest: &[&str]) -> Option<&'static str> {
    let (last, owner) = rest.split_last()?;
    let Ok(Value::Object(object)) = below(value.clone(), owner) else { return None };
    let description = object.description();
    let field = description.field(last).map(|(_, field)| field.doc);
    let doc = field.or_else(|| description.output(last).map(|(_, output)| output.doc))?;
    Some(doc.summary())
}

/// The kind of an input: a count is exact, a claim about the world is stated.
pub(crate) fn stated(value: &Type, whole: bool) -> Kind {
    match value {
        Type::Count | Type::Integer | Type::Text | Type::Flag => Kind::Exact,
        Type::Object(_) if whole => Kind::Exact,
        Type::Optional(inner) | Type::List(inner) | Type::Map(inner) => stated(inner, whole),
        _ => Kind::Stated,
    }
}

pub(crate) fn kind_of(value: &Value) -> Kind {
    match value {
        Value::Quantity(_) | Value::Number(_) => Kind::Stated,
        _ => Kind::Exact,
    }
}
