//! What a few rows of a user's own do to a calibration, by law.
#![allow(clippy::unwrap_used)]

use mlsysim::machine::Machine;
use mlsysim::predict::{
    Calibration, Coefficients, ProductCoefficients, ProductQuestion, Question, Sample, refine, shipped,
};
use proptest::prelude::*;

fn ours() -> &'static Calibration<ProductCoefficients> {
    &shipped().unwrap().product
}

/// Products of many sizes on one device, in 16 bits, in some groups, each as fast as `coefficients` say.
fn rows(coefficients: &ProductCoefficients, count: usize, groups: usize) -> Vec<Sample<ProductQuestion>> {
    let device = Machine::named("DGX_H100").unwrap().device;
    let sizes = (0..count as u64).map(|each| {
        let long = |step: u64| 128 << (each.wrapping_mul(step) % 7);
        // Every third is of few tokens, which memory binds.
        [if each % 3 == 0 { 1 + each % 16 } else { long(3) }, long(5) + 64 * (each % 11), long(2)]
    });
    let sample = |(at, sizes): (usize, [u64; 3])| {
        let question = ProductQuestion::new(sizes, 1.0, "fp16", &device, false).unwrap();
        Sample {
            id: format!("row {at}"),
            source: "own".to_string(),
            group: format!("own {}", at % groups),
            family: "own".to_string(),
            seconds: question.predicted(coefficients).base(),
            question,
            fits: true,
        }
    };
    sizes.enumerate().map(sample).collect()
}

fn index(name: &str) -> usize {
    ProductCoefficients::ALL.iter().position(|each| each.name == name).unwrap()
}

/// Ours with `factors` on some coefficients.
fn known(factors: &[(&str, f64)]) -> ProductCoefficients {
    let mut values = ours().coefficients.values();
    factors.iter().for_each(|(name, factor)| values[index(name)] *= factor);
    ProductCoefficients::of(&values)
}

#[test]
fn without_rows_ours_are_returned_exactly() {
    let refined = refine::<ProductQuestion>(ours(), &[]);
    assert_eq!(&refined.calibration, ours());
    assert_eq!((refined.rows, refined.kept.len()), (0, ProductCoefficients::ALL.len()));
}

#[test]
fn rows_that_ours_predict_move_nothing() {
    let refined = refine(ours(), &rows(&ours().coefficients, 300, 1));
    let values = refined.calibration.coefficients.values();
    for ((value, ours), each) in values.iter().zip(ours().coefficients.values()).zip(ProductCoefficients::ALL)
    {
        assert!((value / ours - 1.0).abs() < 1e-4, "{}: {value} in place of {ours}", each.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Many rows of other coefficients give those; what no row tells of stays ours to the last digit.
    #[test]
    fn many_rows_recover_what_made_them(compute in 0.75..1.2_f64, memory in 0.75..1.05_f64) {
        let factors = [("half_compute", compute), ("asynchronous_memory", memory)];
        let made = known(&factors);
        let refined = refine(ours(), &rows(&made, 3000, 1));
        let values = refined.calibration.coefficients.values();
        for (name, _) in factors {
            let (value, made) = (values[index(name)], made.values()[index(name)]);
            prop_assert!((value / made - 1.0).abs() < 0.03, "{name}: {value} in place of {made}");
        }
        for name in ["eight_compute", "block_start", "asynchronous_four_compute", "synchronous_memory"] {
            prop_assert!(refined.kept.contains(&name), "{name} was moved");
            prop_assert_eq!(values[index(name)], ours().coefficients.values()[index(name)]);
        }
    }

    /// Few rows move a coefficient towards what made them and not beyond, and more rows move it further.
    #[test]
    fn few_rows_lie_between(compute in 0.75..0.92_f64, few in 2..12_usize) {
        let made = known(&[("half_compute", compute)]);
        let moved = |count: usize| {
            let refined = refine(ours(), &rows(&made, count, 1));
            let at = index("half_compute");
            refined.calibration.coefficients.values()[at] / ours().coefficients.values()[at]
        };
        let (less, more) = (moved(few), moved(50 * few));
        prop_assert!(compute * 0.98 <= more && more <= less + 1e-9 && less <= 1.0, "{compute}: {less}, {more}");
        prop_assert!(less > 0.5 + compute / 2.0, "{few} rows moved it to {less} of {compute}");
    }

    /// The same rows give the same calibration, whatever their order.
    #[test]
    fn the_order_of_rows_does_not_matter(compute in 0.8..1.2_f64) {
        let mut all = rows(&known(&[("half_compute", compute)]), 60, 3);
        let one = refine(ours(), &all);
        prop_assert_eq!(&refine(ours(), &all), &one);
        all.reverse();
        let other = refine(ours(), &all).calibration.coefficients.values();
        for (one, other) in one.calibration.coefficients.values().into_iter().zip(other) {
            prop_assert!((one / other - 1.0).abs() < 1e-3, "{one} and {other}");
        }
    }
}

/// A row is scored by a fit that did not have its group, its family or its source.
#[test]
fn own_rows_are_left_out_of_their_folds() {
    let samples = rows(&known(&[("half_compute", 0.8)]), 200, 7);
    let refined = refine(ours(), &samples).calibration;
    let values = ours().coefficients.values();
    for fold in [refined.without_family("own"), refined.without_source("own")] {
        assert_eq!(fold.unwrap().coefficients.values(), values);
    }
    for group in 0..7 {
        let fold = refined.without_group(&format!("own {group}")).unwrap();
        assert_ne!(fold.coefficients, refined.coefficients);
        assert_ne!(fold.coefficients.values(), values);
    }
    assert_eq!(refined.bands, ours().bands);
}
