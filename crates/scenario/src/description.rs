//! What a definition says about itself: the tables that the macros write and every front end reads.

use std::fmt;
use std::sync::OnceLock;

use mlsysim_quantity::Unit;

use crate::error::suggestion;
use crate::{Datum, Error, Inputs, Kind, Name, Object, Range, Result, Value};

/// A scenario, solver or record, described: its documentation, inputs and outputs.
pub struct Description {
    /// The type's name, as in Rust and in Python.
    pub name: &'static str,
    /// What sort of definition it is.
    pub family: Family,
    /// The names of types of the Python reference whose instances this type holds too.
    pub aliases: &'static [&'static str],
    /// The documentation.
    pub doc: Doc,
    /// The inputs, in order.
    pub fields: &'static [Field],
    /// The outputs, in order; steps that are no outputs among them.
    pub outputs: fn() -> &'static [Output],
    /// Builds an instance through all checks.
    pub build: fn(&mut Inputs) -> Result<Object>,
}

/// What sort of definition a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A scenario of the catalogue, with its group.
    Scenario(&'static str),
    /// A model that several scenarios share, with the name of its result.
    Solver(&'static str),
    /// A record of the registry.
    Record,
    /// What a solver returns.
    Result,
}

/// A documentation comment: its text, and access to its sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doc(pub &'static str);

/// One input of a scenario or field of a record.
pub struct Field {
    /// The field's name.
    pub name: &'static str,
    /// What it means.
    pub doc: Doc,
    /// What type of value it takes.
    pub value: Type,
    /// The unit in which it is shown when nobody wrote one.
    pub unit: &'static str,
    /// What is allowed.
    pub range: Range,
    /// The value where none is given; nothing for a required input.
    pub default: Option<fn() -> Value>,
}

/// One output, or a step on the way to outputs.
pub struct Output {
    /// The method's name.
    pub name: &'static str,
    /// What it means.
    pub doc: Doc,
    /// What type of value it has.
    pub value: Type,
    /// Whether the method returns a `Result`, because an instance may lack the output.
    pub fallible: bool,
    /// The unit in which it is stated.
    pub unit: &'static str,
    /// The arguments of a method; none for an attribute.
    pub arguments: &'static [Argument],
    /// The equation, printed from the code.
    pub equation: Equation,
    /// For a solver's result: the solver's inputs as equations of this definition.
    pub bindings: &'static [(&'static str, Equation)],
    /// What kind of number the equation makes of exact inputs.
    pub kind: Kind,
    /// Where the equation comes from, if it is not plain arithmetic.
    pub source: &'static str,
    /// A step that derivations show and that is no output.
    pub step: bool,
    /// A method though it takes no arguments.
    pub called: bool,
    /// The unit, read from its text when it is first needed.
    pub shown: LazyUnit,
}

/// An argument of a method.
pub struct Argument {
    /// The argument as if it were a field.
    pub field: Field,
    /// The map whose keys the argument takes, if it does.
    pub keys: Option<&'static str>,
}

/// An equation, printed from the code that runs.
pub struct Equation {
    /// The equation as one line of text.
    pub text: &'static str,
    /// The equation as LaTeX.
    pub latex: &'static str,
    /// The text cut at the names that it uses, so that values can be put in.
    pub pieces: &'static [Piece],
}

/// A pure function that describes itself, written by `#[formula]`.
pub struct Formula {
    /// Its description; the names that its equation uses are its arguments.
    pub output: Output,
    /// Its value for arguments.
    pub evaluate: fn(&[Value]) -> Result<Value>,
}

/// A part of an equation's text.
pub enum Piece {
    /// Text between names.
    Text(&'static str),
    /// A name: the way from the definition to a value, such as `["workload", "layers"]`.
    Use(&'static [&'static str]),
    /// A method with arguments: the way to it, and to each argument.
    Call(&'static [&'static str], &'static [&'static [&'static str]]),
    /// A method called for a variable, such as `sharded(phase)`.
    Each(&'static str, &'static str),
    /// An argument of the method, or what an element-wise equation varies over.
    Variable(&'static str),
    /// A constant: its name and its value.
    Constant(&'static str, fn() -> Value),
    /// A formula, and the way to each of its arguments.
    Formula(&'static Formula, &'static [&'static [&'static str]]),
    /// A formula that is called with other arguments than ways; the text around it says with which.
    Mention(&'static Formula),
}

/// The type of a value, for pages, schemas and stubs.
#[derive(Clone, Copy)]
pub enum Type {
    /// A whole number, 0 or more.
    Count,
    /// A whole number of either sign.
    Integer,
    /// A number.
    Number,
    /// Yes or no.
    Flag,
    /// A text.
    Text,
    /// A quantity of the named dimension.
    Quantity(mlsysim_quantity::NamedDimension),
    /// Something or nothing.
    Optional(&'static Type),
    /// Values in order.
    List(&'static Type),
    /// Values by name.
    Map(&'static Type),
    /// A record or another scenario.
    Object(fn() -> &'static Description),
}

/// What is remarkable about an output, beside its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The outputs that the note is about.
    pub outputs: &'static [&'static str],
    /// What is remarkable.
    pub text: String,
    /// Whether it means that what the scenario describes cannot be done.
    pub infeasible: bool,
}

/// An output's name and unit, made from their texts when they are first needed.
pub struct LazyUnit(OnceLock<(Name, Unit)>);

impl LazyUnit {
    /// A unit that nobody has asked for yet.
    #[expect(clippy::new_without_default, reason = "only the macros make these, in statics")]
    pub const fn new() -> Self {
        LazyUnit(OnceLock::new())
    }
}

impl Output {
    /// Whether the output is a method rather than an attribute.
    pub fn is_method(&self) -> bool {
        self.called || !self.arguments.is_empty()
    }

    /// The unit in which the output is stated; plain numbers where there is none.
    pub fn shown_unit(&self) -> &Unit {
        &self.shown().1
    }

    /// The name, cheap to clone.
    pub fn shared_name(&self) -> Name {
        self.shown().0.clone()
    }

    fn shown(&self) -> &(Name, Unit) {
        self.shown.0.get_or_init(|| (self.name.into(), stated_unit(self.unit, &self.value)))
    }

    /// Whether the output takes as many arguments as there are.
    ///
    /// # Errors
    ///
    /// There are more arguments than it takes.
    pub fn takes(&self, arguments: &[Value]) -> Result<()> {
        let (name, most, given) = (self.name, self.arguments.len(), arguments.len());
        if given <= most {
            return Ok(());
        }
        let plural = if most == 1 { "" } else { "s" };
        Err(Error::input(name, format!("it takes {most} argument{plural}, but {given} were given")))
    }

    /// The argument at `position` as a `T`.
    ///
    /// # Errors
    ///
    /// The argument is missing, of the wrong type or out of its range.
    pub fn argument<T: Datum>(&self, position: usize, given: &[Value]) -> Result<T> {
        let field = &self.arguments[position].field;
        let value = given.get(position).cloned().unwrap_or(Value::Null);
        T::from_value(value, field).map_err(|error| error.within(field.name))
    }
}

impl Field {
    /// The unit in which the field is shown when nobody wrote one.
    pub fn shown_unit(&self) -> Unit {
        stated_unit(self.unit, &self.value)
    }
}

/// The unit spelled `text`, or the coherent unit of the type where none is spelled.
fn stated_unit(text: &str, value: &Type) -> Unit {
    let text = if text.is_empty() { value.coherent_unit() } else { text };
    Unit::parse(text).unwrap_or_else(|_| Unit::none())
}

impl Description {
    /// The outputs in order, steps that are no outputs among them.
    pub fn outputs(&self) -> &'static [Output] {
        (self.outputs)()
    }

    /// The field called `name`.
    pub fn field(&self, name: &str) -> Option<(usize, &'static Field)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name == name)
    }

    /// The output or step called `name`.
    pub fn output(&self, name: &str) -> Option<(usize, &'static Output)> {
        self.outputs().iter().enumerate().find(|(_, output)| output.name == name)
    }

    /// The outputs without the steps, with their positions.
    pub fn results(&self) -> impl Iterator<Item = (usize, &'static Output)> + use<> {
        self.outputs().iter().enumerate().filter(|(_, output)| !output.step)
    }

    /// The refusal of an output that the type does not have.
    pub fn unknown_output(&self, name: &str) -> Error {
        let names = self.outputs().iter().filter(|output| !output.step).map(|output| output.name);
        let hint = suggestion(name, names);
        Error::unknown(format!("{} has no output `{name}`; {hint}", self.name))
    }

    /// The scenario's group, such as `serving`.
    pub fn group(&self) -> Option<&'static str> {
        match self.family {
            Family::Scenario(group) => Some(group),
            _ => None,
        }
    }

    /// Whether `name` is this type: its own name, an alias, or its name without `Scenario`.
    pub fn answers_to(&self, name: &str) -> bool {
        name == self.name
            || self.aliases.contains(&name)
            || (self.group().is_some() && self.name.strip_suffix("Scenario") == Some(name))
    }
}

impl fmt::Debug for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Description").field(&self.name).finish()
    }
}

impl Doc {
    /// The first paragraph.
    pub fn summary(self) -> &'static str {
        self.0.split("\n\n").next().unwrap_or("").trim()
    }

    /// What stands before the first heading, the summary included.
    pub fn body(self) -> &'static str {
        let end = if self.0.starts_with("# ") { Some(0) } else { self.0.find("\n# ") };
        self.0[..end.unwrap_or(self.0.len())].trim()
    }

    /// The section under the heading `title`.
    pub fn section(self, title: &str) -> Option<&'static str> {
        let heading = format!("# {title}\n");
        let start = self.0.find(&heading)? + heading.len();
        let rest = &self.0[start..];
        Some(rest[..rest.find("\n# ").unwrap_or(rest.len())].trim())
    }
}

impl Type {
    /// The type as the Python package spells it: `Dict[str, Quantity]`.
    pub fn python(&self) -> String {
        match self {
            Type::Count | Type::Integer => "int".to_string(),
            Type::Number => "float".to_string(),
            Type::Flag => "bool".to_string(),
            Type::Text => "str".to_string(),
            Type::Quantity(_) => "Quantity".to_string(),
            Type::Optional(inner) => format!("Optional[{}]", inner.python()),
            Type::List(inner) => format!("List[{}]", inner.python()),
            Type::Map(inner) => format!("Dict[str, {}]", inner.python()),
            Type::Object(description) => description().name.to_string(),
        }
    }

    /// The coherent unit of the quantities in the type, empty where there are none.
    pub fn coherent_unit(&self) -> &'static str {
        match self {
            Type::Quantity(dimension) => dimension.unit,
            Type::Optional(inner) | Type::List(inner) | Type::Map(inner) => inner.coherent_unit(),
            _ => "",
        }
    }

    /// The type in words with its range: "a whole number of at least 1".
    pub fn phrase(&self, range: &Range) -> String {
        let limited = |noun: &str, unit: &str| match range.phrase(unit).as_str() {
            "" => noun.to_string(),
            limits if limits.starts_with("at ") => format!("{noun} of {limits}"),
            limits => format!("{noun} {limits}"),
        };
        let some = if range.nonempty { "a non-empty" } else { "a" };
        match self {
            Type::Count | Type::Integer => limited("a whole number", ""),
            Type::Number => limited("a number", ""),
            Type::Flag => "`true` or `false`".to_string(),
            Type::Text => format!("{some} text"),
            Type::Quantity(dimension) => limited(&with_article(dimension.name), dimension.unit),
            Type::Optional(inner) => inner.phrase(range),
            Type::List(inner) => {
                format!("{some} list, each {}", inner.phrase(&Range { nonempty: false, ..*range }))
            }
            Type::Map(inner) => {
                format!("{some} map by name, each {}", inner.phrase(&Range { nonempty: false, ..*range }))
            }
            Type::Object(description) => with_article(description().name),
        }
    }
}

/// "an Energy", "a Time".
pub(crate) fn with_article(name: &str) -> String {
    let vowel = name.starts_with(['A', 'E', 'I', 'O', 'U']);
    format!("{} {name}", if vowel { "an" } else { "a" })
}

/// The type as the Python package spells it.
impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.python())
    }
}
