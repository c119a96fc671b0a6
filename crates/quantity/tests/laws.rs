//! What holds for every quantity, unit and text.
#![allow(clippy::unwrap_used)]

use mlsysim_quantity::{DynQuantity, Time, Unit, VOCABULARY, dimension};
use proptest::prelude::*;

/// Every name that the vocabulary defines, read from its text: names, symbols and aliases.
fn names() -> Vec<String> {
    let lines = VOCABULARY.lines().map(|line| line.split('#').next().unwrap().trim());
    let definitions =
        lines.filter(|line| line.contains('=') && !line.split('=').next().unwrap().contains('-'));
    let names = definitions.flat_map(|line| {
        let mut parts = line.split('=').map(str::trim);
        let name = parts.next();
        parts.next();
        name.into_iter().chain(parts.filter(|alias| *alias != "_")).map(str::to_string).collect::<Vec<_>>()
    });
    names.collect()
}

/// A unit of the vocabulary, alone or in a compound.
fn unit() -> impl Strategy<Value = String> {
    let name = proptest::sample::select(names());
    // A temperature with an offset stands alone.
    let in_compound = proptest::sample::select(
        names().into_iter().filter(|name| Unit::parse(name).unwrap().to_base(0.0) == 0.0).collect::<Vec<_>>(),
    );
    let power = proptest::sample::select(vec!["", "²", "³", "⁰⋅⁵", " ** 2", "^2"]);
    let factor = (in_compound, power).prop_map(|(name, power)| format!("{name}{power}"));
    let sign = proptest::sample::select(vec!["·", " * ", "/", " / "]);
    let compound =
        (factor.clone(), proptest::collection::vec((sign, factor), 1..4)).prop_map(|(first, rest)| {
            rest.into_iter().fold(first, |text, (sign, factor)| format!("{text}{sign}{factor}"))
        });
    prop_oneof![
        name,
        compound.prop_filter("within the powers of the table", |text| Unit::parse(text).is_ok())
    ]
}

#[test]
fn the_vocabulary_has_names() {
    assert!(names().len() > 150);
    assert!(names().iter().all(|name| Unit::parse(name).is_ok()));
}

proptest! {
    /// Text to quantity to text to quantity loses nothing.
    #[test]
    fn a_quantity_survives_being_printed(value in proptest::num::f64::NORMAL | proptest::num::f64::ZERO, unit in unit()) {
        let written = DynQuantity::new(value, Unit::parse(&unit).unwrap());
        let printed = written.to_string();
        let read: DynQuantity = printed.parse().unwrap();
        prop_assert_eq!(read.value().to_bits(), value.to_bits());
        prop_assert_eq!(read.unit(), written.unit());
        prop_assert_eq!(read.to_string(), printed);
    }

    /// A unit that was printed is read as the same unit.
    #[test]
    fn a_unit_survives_being_printed(unit in unit()) {
        let unit = Unit::parse(&unit).unwrap();
        let read = Unit::parse(unit.text()).unwrap();
        prop_assert_eq!(read.text(), unit.text());
        prop_assert_eq!(read.dimension(), unit.dimension());
        prop_assert_eq!(read.to_base(1.0), unit.to_base(1.0));
    }

    /// To base units and back is the same number up to two roundings.
    #[test]
    fn conversion_is_undone(value in -1e12..1e12f64, unit in unit()) {
        let unit = Unit::parse(&unit).unwrap();
        let back = unit.from_base(unit.to_base(value));
        // An offset costs what is near to it.
        let size = value.abs().max(unit.to_base(0.0).abs());
        prop_assert!((back - value).abs() <= 4.0 * f64::EPSILON * size, "{} is not {}", back, value);
    }

    /// What is converted measures the same.
    #[test]
    fn conversion_keeps_the_quantity(value in 1e-6..1e6f64, from in unit(), to in unit()) {
        let (from, to) = (DynQuantity::new(value, Unit::parse(&from).unwrap()), Unit::parse(&to).unwrap());
        match from.convert(&to) {
            Some(converted) => {
                prop_assert_eq!(from.dimension(), to.dimension());
                let size = from.base().abs().max(to.to_base(0.0).abs());
                prop_assert!((converted.base() - from.base()).abs() <= 4.0 * f64::EPSILON * size);
            }
            None => prop_assert_ne!(from.dimension(), to.dimension()),
        }
    }

    /// The gate lets exactly the right dimension through.
    #[test]
    fn the_gate_takes_times_and_nothing_else(value in -1e9..1e9f64, unit in unit()) {
        let written = DynQuantity::new(value, Unit::parse(&unit).unwrap());
        let time = Time::try_from(&written);
        let seconds = Unit::parse("s").unwrap().dimension();
        let is_time = written.dimension().without_counts() == seconds;
        prop_assert_eq!(time.is_ok(), is_time);
        if let Err(error) = time {
            prop_assert!(error.to_string().contains("a Time is needed"), "{}", error);
        }
    }

    /// Whatever the text, the answer is a value or a message that quotes some of it.
    #[test]
    fn no_text_panics(text in ".{0,40}") {
        if let Err(error) = text.parse::<DynQuantity>() {
            prop_assert!(!error.to_string().is_empty());
        }
        if let Ok(unit) = Unit::parse(&text) {
            prop_assert!(Unit::parse(unit.text()).is_ok(), "{} is printed as {}", text, unit);
        }
    }

    /// The same for texts of the letters that units and numbers are made of.
    #[test]
    fn no_text_like_a_unit_panics(text in "[-+0-9.eE_ GMkmµBbsTFLOPtokenr/·*^()²³⁻⋅°C%1]{0,24}") {
        let _ = text.parse::<DynQuantity>();
        if let Ok(unit) = Unit::parse(&text) {
            prop_assert!(Unit::parse(unit.text()).is_ok(), "{} is printed as {}", text, unit);
        }
    }
}

/// No two named dimensions are one, and each prints by its name.
#[test]
fn named_dimensions_are_different() {
    for (index, row) in dimension::ALL.iter().enumerate() {
        assert_eq!(row.exponents.to_string(), row.name);
        assert!(dimension::ALL[..index].iter().all(|other| other.exponents != row.exponents), "{}", row.name);
    }
}
