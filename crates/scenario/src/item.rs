//! `Item`: a record, scenario or result seen without its type.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::{Description, Equation, Error, ErrorKind, Note, Output, Piece, Result, Value};

/// A record, scenario, solver or result, seen through its description.
///
/// Written by `#[derive(Record)]` and `#[derive(Scenario)]`.
pub trait Item: Any + fmt::Debug + Send + Sync {
    /// What the type says about itself.
    fn description(&self) -> &'static Description;

    /// The field at `index` of the description, as a value.
    fn field(&self, index: usize) -> Value;

    /// The output at `index` of the description for `arguments`.
    ///
    /// # Errors
    ///
    /// The output does not exist for this instance, or an argument is wrong.
    fn output(&self, index: usize, arguments: &[Value]) -> Result<Value>;

    /// The solver behind the output at `index`, where the output is a solver's result.
    fn solver(&self, index: usize) -> Option<Arc<dyn Item>>;

    /// What a solver finds, all its outputs as one result; nothing where this is no solver.
    fn solved(&self) -> Option<Result<Value>>;

    /// For an output that looks a figure up: the way to the figure below this record.
    fn figure(&self, index: usize, arguments: &[Value]) -> Option<String>;

    /// What is remarkable about the outputs.
    fn notes(&self) -> Vec<Note>;

    /// The typed form behind the item.
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// A type that describes itself; the static side of [`Item`].
pub trait Define: Item + Clone + Sized {
    /// What the type says about itself.
    fn describe() -> &'static Description;

    /// Builds an instance from inputs, through every check.
    ///
    /// # Errors
    ///
    /// A missing, wrong or contradictory input.
    fn build(inputs: &mut crate::Inputs) -> Result<Self>;

    /// The same instance, if all its inputs are in their ranges and agree with each other.
    ///
    /// A struct literal is not checked; this is its gate.
    ///
    /// # Errors
    ///
    /// The first input that is out of its range.
    fn checked(self) -> Result<Self>;

    /// Builds an instance from named values; quantities may be text.
    ///
    /// # Errors
    ///
    /// A missing, misspelt or wrong input.
    fn from_inputs<N, V>(inputs: impl IntoIterator<Item = (N, V)>) -> Result<Self>
    where
        N: AsRef<str>,
        V: Into<Value>,
    {
        let named = inputs.into_iter().map(|(name, value)| (name.as_ref().into(), value.into()));
        Self::build(&mut crate::Inputs::new(Self::describe(), named.collect(), &crate::NoLibrary)?)
    }
}

/// The equations of a type, written by `#[equations]`.
pub trait Equations {
    /// The outputs and steps, in the order of the code.
    fn outputs() -> &'static [Output];

    /// The output at `index` for `arguments`.
    ///
    /// # Errors
    ///
    /// The output does not exist for this instance, or an argument is wrong.
    fn evaluate(&self, _index: usize, _arguments: &[Value]) -> Result<Value> {
        Err(Error::unknown("there is no such output"))
    }

    /// The solver behind the output at `index`.
    fn solver_of(&self, _index: usize) -> Option<Arc<dyn Item>> {
        None
    }

    /// What a solver finds, all its outputs as one result.
    fn solution(&self) -> Option<Result<Value>> {
        None
    }

    /// For an output that looks a figure up: the way to the figure below this record.
    fn figure_of(&self, _index: usize, _arguments: &[Value]) -> Option<String> {
        None
    }

    /// Whether the inputs agree with each other.
    ///
    /// # Errors
    ///
    /// The input that contradicts another one.
    fn agree(&self) -> Result<()> {
        Ok(())
    }

    /// What is remarkable about the outputs.
    fn remarks(&self) -> Vec<Note> {
        Vec::new()
    }
}

/// Whether a solver takes what a scenario binds to its inputs.
///
/// A solver that cannot be built because an optional input is unset is no contradiction: only the
/// output that needs it is absent. A refusal names the scenario's own input.
///
/// # Errors
///
/// The scenario's input that the solver refuses.
pub fn accepted<T: Equations>(solver: Result<T>, bindings: &[(&str, Equation)]) -> Result<()> {
    let agreed = match &solver {
        Ok(solver) => solver.agree(),
        Err(error) if error.kind() == ErrorKind::Absent => Ok(()),
        Err(error) => Err(error.clone()),
    };
    agreed.map_err(|error| {
        let bound = bindings.iter().find(|(field, _)| Some(*field) == error.field());
        match bound.map(|(_, equation)| equation.pieces) {
            Some([Piece::Use([own, ..])]) => error.about(own),
            _ => error,
        }
    })
}
