//! Every unit of the reference is understood, with its factor, and printed as it was written.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use mlsysim_quantity::{Exponents, Unit};
use serde_json::{Map, Value as Json};

/// Factors are exact on both sides up to a rounding each.
const TOLERANCE: f64 = 1e-15;

/// Units of the reference that have no place here, each for the reason that it is refused.
const REFUSED: [(&str, &str); 2] = [
    // An exchange rate is an input with a date; the reference takes a euro for a dollar.
    ("EUR", "`EUR` is not a unit"),
    // Logarithmic: no factor leads to a base unit.
    ("dB", "`dB` is not a unit"),
];

fn golden(section: &str) -> Map<String, Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/units.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let units: Json = serde_json::from_str(&text).unwrap();
    units[section].as_object().unwrap().clone()
}

/// What a unit of the reference is called at length; some texts stand for several definitions.
fn long_names(record: &Json) -> Vec<String> {
    match &record["long"] {
        Json::Array(names) => names.iter().map(|name| name.as_str().unwrap().to_string()).collect(),
        name => vec![name.as_str().unwrap().to_string()],
    }
}

fn is_refused(text: &str, record: &Json) -> bool {
    let Some((_, message)) = REFUSED.iter().find(|(name, _)| text == *name || record["unit"] == **name)
    else {
        return false;
    };
    let unit = record["unit"].as_str().unwrap_or(text);
    let error = Unit::parse(unit).unwrap_err().to_string();
    assert!(error.starts_with(message), "{error}");
    true
}

#[test]
fn used_and_defined_units_have_the_factor_and_dimension_of_the_reference() {
    let units = golden("used").into_iter().chain(golden("custom_definitions"));
    let checked =
        units.filter(|(text, record)| !is_refused(text, record)).map(|(text, record)| check(&text, &record));
    assert!(checked.count() > 200);
}

/// The compact text and every long name of one unit, against the golden factor and dimension.
fn check(text: &str, record: &Json) {
    let names = long_names(record);
    for name in names.iter().map(String::as_str).chain([text]).filter(|name| *name != "dimensionless") {
        let unit = Unit::parse(name).unwrap_or_else(|error| panic!("{error}"));
        // The reference counts information in bits and takes a byte for the number 8.
        let bytes = power(unit.dimension(), "information");
        let ours = (unit.to_base(1.0) - unit.to_base(0.0)) * 8f64.powf(bytes);
        let theirs = record["factor"].as_f64().unwrap();
        assert!((ours - theirs).abs() <= TOLERANCE * theirs, "{name}: {ours:e} is not the golden {theirs:e}");
        check_dimension(name, unit.dimension(), record["dimensionality"].as_object().unwrap());
    }
    assert_eq!(Unit::parse(text).unwrap().text(), text, "the compact form does not print as it was written");
}

/// The powers must agree, save for what is a plain number in the reference.
fn check_dimension(name: &str, ours: Exponents, theirs: &Map<String, Json>) {
    let plain = ["information", "parameter", "token", "money"];
    let ours: Vec<_> = ours.powers().filter(|(base, _)| !plain.contains(base)).collect();
    assert_eq!(ours.len(), theirs.len(), "{name}: {ours:?} is not the golden {theirs:?}");
    for (base, power) in ours {
        assert_eq!(theirs[&format!("[{base}]")].as_f64(), Some(power), "{name}: [{base}]");
    }
}

fn power(dimension: Exponents, base: &str) -> f64 {
    dimension.powers().find(|(name, _)| *name == base).map_or(0.0, |(_, power)| power)
}

#[test]
fn exported_aliases_name_the_same_unit_as_their_long_form() {
    let mut checked = 0;
    for (alias, record) in golden("exported_aliases") {
        // Constants with a value are quantities, not units.
        if record.get("value").is_some() || alias == "dimensionless" || is_refused(&alias, &record) {
            continue;
        }
        let unit = |text: &str| Unit::parse(text).unwrap_or_else(|error| panic!("{alias}: {error}"));
        let named = unit(&alias);
        for other in long_names(&record).iter().map(String::as_str).chain(record["unit"].as_str()) {
            let other = unit(other);
            assert_eq!(named.dimension(), other.dimension(), "{alias} and {other}");
            assert_eq!(named.to_base(1.0), other.to_base(1.0), "{alias} and {other}");
        }
        checked += 1;
    }
    assert!(checked > 100);
}

#[test]
fn exported_constants_are_in_units_that_are_known() {
    for (name, record) in golden("exported_aliases") {
        if record.get("value").is_some() {
            let unit = record["unit"].as_str().unwrap();
            assert!(Unit::parse(unit).is_ok(), "{name}: {unit}");
        }
    }
}
