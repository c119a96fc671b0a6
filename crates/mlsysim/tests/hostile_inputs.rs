//! Whatever is put in place of one input, the answer is finite numbers or a refusal that names the
//! input.
//!
//! Driven by the descriptions and the named cases, so that a new scenario is covered by its case.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use mlsysim::{Case, Description, Map, Value, library};
use mlsysim::{DynQuantity, Unit};
use mlsysim_scenario::Type;

/// What one variation of a case came to.
#[derive(Default)]
struct Tally {
    answered: usize,
    refused: usize,
}

/// A type with the inputs of an instance that is sound.
struct Subject {
    description: &'static Description,
    inputs: Map<Value>,
}

/// Every named case, and every solver with the inputs that a case binds to it.
fn subjects() -> Vec<Subject> {
    let mut subjects = Vec::new();
    for (_, name) in library().case_names() {
        let case = library().case(name).unwrap();
        let item = case.item();
        let description = item.description();
        for (index, _) in description.results() {
            if let Some(solver) = item.solver(index) {
                let description = solver.description();
                let fields = description.fields.iter().enumerate();
                let inputs = fields.map(|(index, field)| (field.name.into(), solver.field(index))).collect();
                subjects.push(Subject { description, inputs });
            }
        }
        let fields = description.fields.iter().enumerate();
        let inputs = fields.map(|(index, field)| (field.name.into(), case.input(index).clone())).collect();
        subjects.push(Subject { description, inputs });
    }
    subjects
}

#[test]
fn every_type_of_the_catalogue_has_a_case() {
    let covered: Vec<_> = subjects().iter().map(|subject| subject.description.name).collect();
    for description in library().catalogue() {
        assert!(covered.contains(&description.name), "no named case uses {}", description.name);
    }
}

#[test]
fn no_input_leads_to_an_answer_that_is_no_number() {
    let mut tally = Tally::default();
    for subject in subjects() {
        check(&subject, None, &subject.inputs, &mut tally);
        for field in subject.description.fields {
            let given = &subject.inputs[field.name];
            for hostile in variations(given, &field.value) {
                let mut inputs = subject.inputs.clone();
                inputs.insert(field.name.into(), hostile);
                check(&subject, Some(field.name), &inputs, &mut tally);
            }
            let mut inputs = subject.inputs.clone();
            inputs.shift_remove(field.name);
            check(&subject, Some(field.name), &inputs, &mut tally);
        }
    }
    println!("hostile inputs: {} answered, {} refused", tally.answered, tally.refused);
    assert!(tally.answered > 0 && tally.refused > tally.answered);
}

/// Fails unless `inputs` give finite outputs, or a refusal of the input called `changed`.
fn check(subject: &Subject, changed: Option<&str>, inputs: &Map<Value>, tally: &mut Tally) {
    let name = subject.description.name;
    let shown = || {
        changed.map_or(String::new(), |changed| {
            format!("{changed} = {}", inputs.get(changed).map_or("nothing".to_string(), Value::to_string))
        })
    };
    match Case::new(subject.description, inputs.clone(), library()) {
        Ok(case) => {
            tally.answered += 1;
            let answer = serde_json::to_string(&case.answer(serde_json::Value::Null, &Map::new())).unwrap();
            assert!(!answer.contains("nonfinite"), "{name}, {}: {answer}", shown());
        }
        Err(error) => {
            tally.refused += 1;
            let field =
                error.field().unwrap_or_else(|| panic!("{name}, {}: {error} names no input", shown()));
            let named = field.split(['.', '[']).next().unwrap();
            // Two inputs that contradict each other: either may be named.
            let known = subject.description.field(named).is_some();
            assert!(known, "{name}, {}: {error}", shown());
            assert!(!error.message().is_empty());
        }
    }
}

/// Values in place of `given`: of the right type at its limits, of wrong types, and nothing.
fn variations(given: &Value, needed: &Type) -> Vec<Value> {
    let mut found = vec![
        Value::Null,
        Value::Bool(true),
        Value::text("nonsense"),
        Value::List(vec![]),
        Value::from(Map::new()),
    ];
    found.extend(numbers().into_iter().map(Value::Number));
    found.extend([i64::MIN, -1, 0, 1, i64::MAX].map(Value::Integer));
    found.extend(entries());
    match needed {
        Type::Optional(inner) => found.extend(variations(given, inner)),
        Type::Quantity(dimension) => {
            let own = Unit::parse(dimension.unit).unwrap();
            found.extend(
                numbers().into_iter().map(|number| Value::Quantity(DynQuantity::new(number, own.clone()))),
            );
            found.extend(
                ["B", "s", "flop", "W", "USD", "°C"]
                    .map(|unit| Value::Quantity(DynQuantity::new(1.0, Unit::parse(unit).unwrap()))),
            );
        }
        Type::Map(inner) => {
            let Value::Map(map) = given else { panic!("{given} is no map") };
            for (key, item) in map {
                found.extend(variations(item, inner).into_iter().map(|hostile| {
                    let mut map = map.clone();
                    map.insert(key.clone(), hostile);
                    Value::Map(map)
                }));
            }
        }
        Type::List(inner) => {
            // A list that is not set is tried with one entry.
            let items = if let Value::List(items) = given { items.clone() } else { vec![Value::Null] };
            for index in 0..items.len() {
                found.extend(variations(&items[index], inner).into_iter().map(|hostile| {
                    let mut items = items.clone();
                    items[index] = hostile;
                    Value::List(items)
                }));
            }
        }
        Type::Object(description) => found.extend(parts(given, description())),
        Type::Count | Type::Integer | Type::Number | Type::Flag | Type::Text => {}
    }
    found
}

/// Records like `given` with one of their own fields out of the ordinary.
fn parts(given: &Value, description: &'static Description) -> Vec<Value> {
    // An optional record that is not set, and one that a case spells out.
    let Value::Object(object) = given else { return Vec::new() };
    let mut found = Vec::new();
    let fields: Map<Value> = description
        .fields
        .iter()
        .enumerate()
        .map(|(index, field)| (field.name.into(), object.item().field(index)))
        .collect();
    for field in description.fields {
        let numeric =
            matches!(&fields[field.name], Value::Integer(_) | Value::Number(_) | Value::Quantity(_));
        for number in numbers().into_iter().filter(|_| numeric) {
            let mut fields = fields.clone();
            let unit = match &fields[field.name] {
                Value::Quantity(quantity) => quantity.unit().clone(),
                _ => Unit::none(),
            };
            fields.insert(field.name.into(), Value::Quantity(DynQuantity::new(number, unit)));
            found.push(Value::Map(fields));
        }
        let mut fields = fields.clone();
        fields.insert(field.name.into(), Value::Null);
        found.push(Value::Map(fields));
    }
    found
}

fn numbers() -> Vec<f64> {
    // 2^53 is the largest count that is accepted; a product of two such does not fit a machine integer.
    let largest = 9_007_199_254_740_992.0;
    let limits =
        [0.0, 1.0, 2.5, 97.0, largest, 1e300, f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::INFINITY, f64::NAN];
    limits.into_iter().flat_map(|number| [number, -number]).collect()
}

/// A reference to every entry of the registry, and to one named case.
fn entries() -> Vec<Value> {
    let case = library().case_names().next().map(|(_, name)| format!("Scenarios.{name}"));
    let paths = library().paths("").map(str::to_string).chain(case);
    paths.map(|path| Value::Reference(path.into())).collect()
}
