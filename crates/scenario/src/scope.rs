//! Walking a definition's equations down to its inputs, for [`Derivation`].

use std::cell::RefCell;
use std::sync::Arc;

use crate::answer::keys;
use crate::derivation::{below, brief, joined, kind_of, label, leaf, meaning, plain_origin, stated};
use crate::{
    Case, Derivation, Description, Equation, Family, Formula, Item, Kind, Library, Map, Name, Output, Piece,
    Type, Value,
};

/// An instance whose numbers are derived, and where its inputs come from.
pub(crate) struct Scope<'a> {
    pub item: Arc<dyn Item>,
    pub inputs: Inputs<'a>,
    pub library: &'a dyn Library,
    /// What was derived before: the output, its arguments and the derivation.
    known: RefCell<Vec<(usize, Vec<Value>, Derivation)>>,
}

pub(crate) enum Inputs<'a> {
    /// Written by somebody.
    Case(&'a Case),
    /// Bound by a scenario to a solver's inputs.
    Bound(&'a Scope<'a>, &'static Output),
    /// Of a scenario that is itself an input, with its registry path if it has one.
    Held(Option<Name>),
}

impl<'a> Scope<'a> {
    fn description(&self) -> &'static Description {
        self.item.description()
    }

    /// An instance of which nothing has been derived yet.
    pub fn new(item: Arc<dyn Item>, inputs: Inputs<'a>, library: &'a dyn Library) -> Self {
        Scope { item, inputs, library, known: RefCell::default() }
    }

    /// The derivation of the output at `index`, made once.
    ///
    /// Equations use each other more than once, so that deriving anew would take time that doubles
    /// with every level.
    pub fn output(&self, index: usize, arguments: &[Value]) -> Derivation {
        let same = |known: &&(usize, Vec<Value>, Derivation)| known.0 == index && known.1 == arguments;
        if let Some((.., derived)) = self.known.borrow().iter().find(same) {
            return derived.clone();
        }
        let derived = self.derive(index, arguments);
        self.known.borrow_mut().push((index, arguments.to_vec(), derived.clone()));
        derived
    }

    fn derive(&self, index: usize, arguments: &[Value]) -> Derivation {
        let output = &self.description().outputs()[index];
        let value = self.item.output(index, arguments);
        let names = output.arguments.iter().map(|argument| argument.field.name);
        // An argument that may be left out is then nothing.
        let left_out = output.arguments.iter().skip(arguments.len()).map(|_| &Value::Null);
        let bound: Bound = names.zip(arguments.iter().chain(left_out)).collect();
        let parts: Vec<Derivation> = match self.item.solver(index) {
            Some(solver) => {
                let scope = Scope::new(solver, Inputs::Bound(self, output), self.library);
                let results = scope.description().results();
                results
                    .filter(|(_, result)| result.arguments.is_empty())
                    .map(|(index, _)| scope.output(index, &[]))
                    .collect()
            }
            None => self.parts(&output.equation, &bound),
        };
        let inherited = parts.iter().map(|part| part.kind).max().unwrap_or(Kind::Exact);
        let kind = output.kind.of_inputs(inherited);
        // A number that exists did not need what does not: the branch of its equation not taken.
        let solved = self.item.solver(index).is_some();
        let parts = match &value {
            Ok(_) if !solved => parts.into_iter().filter(|part| part.value.is_ok()).collect(),
            _ => parts,
        };
        let all_notes = self.item.notes();
        let notes = all_notes.iter().filter(|note| note.outputs.contains(&output.name));
        let substituted = (!solved).then(|| self.substituted(&output.equation, &bound));
        Derivation {
            label: label(output.name, arguments),
            value,
            kind,
            meaning: output.doc.summary(),
            equation: Some(output.equation.text.into()),
            substituted,
            equation_source: output.source,
            reference: None,
            origin: None,
            notes: notes.map(|note| note.text.clone()).collect(),
            parts,
        }
    }

    /// What an equation uses, each once.
    fn parts(&self, equation: &Equation, bound: &Bound) -> Vec<Derivation> {
        let mut parts: Vec<Derivation> = Vec::new();
        for piece in equation.pieces {
            let found = match piece {
                Piece::Text(_) | Piece::Variable(_) | Piece::Constant(..) | Piece::Mention(_) => Vec::new(),
                Piece::Use(way) => vec![self.used(way)],
                Piece::Call(way, arguments) => vec![self.called(way, arguments)],
                Piece::Each(name, variable) => self.each(name, value_of(bound, variable)),
                Piece::Formula(formula, arguments) => self.formula(formula, arguments),
            };
            for part in found {
                if !parts.iter().any(|known| known.label == part.label) {
                    parts.push(part);
                }
            }
        }
        parts
    }

    /// The derivation of what stands at the end of `way`.
    fn used(&self, way: &[&'static str]) -> Derivation {
        let (first, rest) = (way[0], &way[1..]);
        if let Some((index, _)) = self.description().field(first) {
            return self.input(index, rest);
        }
        match self.description().output(first) {
            Some((index, output)) => {
                let mut derived = self.output(index, &[]);
                // A figure of a solver's result has a derivation of its own.
                if let [figure] = rest
                    && let Some(part) = derived.parts.iter().position(|part| part.label == *figure)
                    && self.item.solver(index).is_some()
                {
                    let label = joined(output.name, rest).to_string();
                    return Derivation { label, ..derived.parts.swap_remove(part) };
                }
                match rest.is_empty() {
                    true => derived,
                    false => {
                        // A figure of a record is a claim about the world, one of a result is computed.
                        let stated = matches!(&derived.value, Ok(Value::Object(object))
                            if object.description().family == Family::Record);
                        let value = derived.value.and_then(|value| below(value, rest));
                        let figure = value.as_ref().map_or(Kind::Exact, kind_of);
                        let kind = if stated { derived.kind.max(figure) } else { derived.kind };
                        leaf(output.name, rest, value, kind, output.doc.summary())
                    }
                }
            }
            None => {
                let value = Err(self.description().unknown_output(first));
                leaf(first, rest, value, Kind::Exact, "")
            }
        }
    }

    /// The derivation of an input, or of what stands below it.
    fn input(&self, index: usize, rest: &[&'static str]) -> Derivation {
        let field = &self.description().fields[index];
        match &self.inputs {
            Inputs::Case(case) => {
                let written = case.written().get(field.name);
                let value = below(case.input(index).clone(), rest);
                let reference = match written {
                    Some(Value::Reference(path)) => Some(joined(path, rest)),
                    Some(Value::Text(path))
                        if matches!(field.value, Type::Object(_)) || path.starts_with('@') =>
                    {
                        Some(joined(path.trim_start_matches('@'), rest))
                    }
                    _ => None,
                };
                let meaning = meaning(case.input(index), rest).unwrap_or(field.doc.summary());
                let mut derived =
                    leaf(field.name, rest, value, stated(&field.value, rest.is_empty()), meaning);
                if let Ok(value) = &derived.value
                    && !rest.is_empty()
                {
                    derived.kind = kind_of(value);
                }
                derived.origin = match &reference {
                    Some(path) => self.library.origin(path),
                    None if written.is_none() => Some(plain_origin("default of the scenario")),
                    None => Some(plain_origin(case.source_of(field.name))),
                };
                derived.reference = reference;
                if let (true, Some(Value::Map(map))) = (rest.is_empty(), written) {
                    derived.parts = self.entries(case, index, map);
                }
                derived
            }
            Inputs::Held(path) => {
                let value = below(self.item.field(index), rest);
                let kind = value.as_ref().map_or(Kind::Stated, kind_of);
                let mut derived = leaf(field.name, rest, value, kind, field.doc.summary());
                let way: Vec<&str> = std::iter::once(field.name).chain(rest.iter().copied()).collect();
                derived.reference = path.as_ref().map(|path| joined(path, &way));
                derived.origin = derived.reference.as_ref().and_then(|path| self.library.origin(path));
                derived
            }
            Inputs::Bound(outer, output) => {
                let binding = output.bindings.iter().find(|(name, _)| *name == field.name);
                let value = below(self.item.field(index), rest);
                let kind = stated(&field.value, rest.is_empty());
                let Some((_, equation)) = binding else {
                    let origin = Some(plain_origin("default of the solver"));
                    return Derivation { origin, ..leaf(field.name, rest, value, kind, field.doc.summary()) };
                };
                if let [Piece::Text(_) | Piece::Constant(..)] = equation.pieces {
                    let origin = Some(plain_origin("fixed by the scenario"));
                    return Derivation { origin, ..leaf(field.name, rest, value, kind, field.doc.summary()) };
                }
                if let [Piece::Use(way)] = equation.pieces {
                    let way: Vec<&'static str> = way.iter().chain(rest).copied().collect();
                    let own = joined(field.name, rest).to_string();
                    let mut derived = outer.used(&way);
                    // The solver's name for the input stands first, the scenario's behind it.
                    if derived.label != own && derived.equation.is_none() {
                        derived.equation = Some(derived.label.into());
                        derived.label = own;
                    }
                    return derived;
                }
                let parts = outer.parts(equation, &Vec::new());
                let kind = parts.iter().map(|part| part.kind).max().unwrap_or(kind);
                Derivation {
                    equation: Some(equation.text.into()),
                    substituted: Some(outer.substituted(equation, &Vec::new())),
                    parts,
                    ..leaf(field.name, rest, value, kind, field.doc.summary())
                }
            }
        }
    }

    /// The entries of a written map, where any of them comes from elsewhere than the others.
    fn entries(&self, case: &Case, index: usize, written: &Map<Value>) -> Vec<Derivation> {
        let field = &self.description().fields[index];
        let source = |key: &str| case.source_of(&format!("{}.{key}", field.name));
        let apart = |(key, value): (&Name, &Value)| {
            matches!(value, Value::Reference(_)) || source(key) != case.source_of(field.name)
        };
        if !written.iter().any(apart) {
            return Vec::new();
        }
        let entry = |(key, value): (&Name, &Value)| {
            let mut derived = leaf(key, &[], below(case.input(index).clone(), &[key]), Kind::Exact, "");
            derived.kind = derived.value.as_ref().map_or(Kind::Stated, kind_of);
            match value {
                Value::Reference(path) => {
                    derived.origin = self.library.origin(path);
                    derived.reference = Some(path.clone());
                }
                _ => derived.origin = Some(plain_origin(source(key))),
            }
            derived
        };
        written.iter().map(entry).collect()
    }

    /// The derivation of a method of a record, or of this definition.
    fn called(&self, way: &[&'static str], arguments: &[&[&'static str]]) -> Derivation {
        let used: Vec<Derivation> = arguments.iter().map(|argument| self.used(argument)).collect();
        let values: Vec<Value> = used.iter().map(|part| part.value.clone().unwrap_or(Value::Null)).collect();
        let name = way[way.len() - 1];
        if way.len() == 1
            && let Some((index, _)) = self.description().output(name)
        {
            return self.output(index, &values);
        }
        let owner = self.used(&way[..way.len() - 1]);
        let mut derived = leaf(&label(&way.join("."), &values), &[], Ok(Value::Null), Kind::Stated, "");
        let Ok(Value::Object(object)) = &owner.value else {
            derived.value = owner.value;
            return derived;
        };
        match object.description().output(name) {
            Some((index, _)) if matches!(object.description().family, Family::Scenario(_)) => {
                let inputs = Inputs::Held(owner.reference.clone());
                let scope = Scope::new(object.item().clone(), inputs, self.library);
                return Derivation { label: derived.label, ..scope.output(index, &values) };
            }
            Some((index, output)) => {
                derived.value = object.item().output(index, &values);
                derived.meaning = output.doc.summary();
                let figure = object.item().figure(index, &values);
                if let (Some(path), Some(figure)) = (&owner.reference, figure) {
                    let path: Name = format!("{path}.{figure}").into();
                    derived.origin = self.library.origin(&path);
                    derived.reference = Some(path);
                } else {
                    derived.origin = owner.origin;
                }
            }
            None => derived.value = Err(object.description().unknown_output(name)),
        }
        derived.parts = used.into_iter().filter(|part| part.kind > Kind::Exact).collect();
        derived
    }

    /// The derivations of a formula's arguments, and then of its value.
    fn formula(&self, formula: &'static Formula, arguments: &[&[&'static str]]) -> Vec<Derivation> {
        let mut parts: Vec<Derivation> = arguments.iter().map(|argument| self.used(argument)).collect();
        let values: Vec<Value> = parts.iter().map(|part| part.value.clone().unwrap_or(Value::Null)).collect();
        let output = &formula.output;
        let named = |way: &[&str]| output.arguments.iter().position(|argument| way == [argument.field.name]);
        let put_in = output.equation.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => (*text).to_string(),
            Piece::Use(way) => named(way).map_or_else(|| way.join("."), |index| brief(&values[index])),
            Piece::Constant(_, value) => brief(&value()),
            Piece::Mention(_) => String::new(),
            _ => "…".to_string(),
        });
        parts.push(Derivation {
            equation: Some(output.equation.text.into()),
            substituted: Some(put_in.collect()),
            equation_source: output.source,
            ..leaf(
                &label(output.name, &values),
                &[],
                (formula.evaluate)(&values),
                parts.iter().map(|part| part.kind).max().unwrap_or(Kind::Exact),
                output.doc.summary(),
            )
        });
        parts
    }

    /// A method of this definition for its argument, or for each key that it takes.
    fn each(&self, name: &str, argument: Option<&Value>) -> Vec<Derivation> {
        let Some((index, output)) = self.description().output(name) else { return Vec::new() };
        if let Some(argument) = argument {
            return vec![self.output(index, std::slice::from_ref(argument))];
        }
        let keys = output.arguments.first().map(|argument| keys(&*self.item, argument));
        keys.into_iter().flatten().map(|key| self.output(index, &[key])).collect()
    }

    /// The equation's text with values in place of names.
    fn substituted(&self, equation: &Equation, bound: &Bound) -> String {
        let shown = |derived: Derivation| match derived.value {
            Ok(Value::Null) | Err(_) => derived.label,
            Ok(value) => brief(&value),
        };
        let pieces = equation.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => (*text).to_string(),
            Piece::Constant(_, value) => brief(&value()),
            Piece::Mention(_) => String::new(),
            Piece::Use(way) => shown(self.used(way)),
            Piece::Call(way, arguments) => shown(self.called(way, arguments)),
            Piece::Variable(variable) => value_of(bound, variable)
                .filter(|value| !value.is_null())
                .map_or_else(|| (*variable).to_string(), brief),
            Piece::Each(name, variable) => match value_of(bound, variable) {
                Some(argument) => self.each(name, Some(argument)).pop().map(shown).unwrap_or_default(),
                None => format!("{name}({variable})"),
            },
            Piece::Formula(formula, arguments) => {
                self.formula(formula, arguments).pop().map(shown).unwrap_or_default()
            }
        });
        pieces.collect()
    }
}

/// The values of a method's arguments by name.
type Bound<'a> = Vec<(&'static str, &'a Value)>;

fn value_of<'a>(bound: &Bound<'a>, variable: &str) -> Option<&'a Value> {
    bound.iter().find(|(name, _)| *name == variable).map(|(_, value)| *value)
}
