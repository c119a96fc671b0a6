//! Predicted times against published ones that their fits did not have.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use mlsysim::predict::{Coefficients, Question, TrainingQuestion, refit, shipped, shipped_steps};
use mlsysim::validation::{Predicted, Samples, Score, Scored, Status, report, score, scores};

/// How much worse than the committed table an error may be.
const WORSE: f64 = 1.1;

/// The committed table.
const TABLE: &str = "predictions/regimes.csv";

fn predicted() -> Predicted {
    let [machines, models, frameworks, exclusions] =
        ["machines.toml", "models.toml", "frameworks.toml", "exclusions.csv"].map(common::measurements);
    Predicted::read(&machines, &models, &frameworks, &exclusions).unwrap()
}

fn training(predicted: &Predicted) -> Samples<TrainingQuestion> {
    let [published, apart] = ["training.csv", "training_apart.csv"].map(common::measurements);
    predicted.training(&published, Some(&apart), shipped().unwrap()).unwrap()
}

/// Every row that is predicted, and how many are not.
fn replayed() -> (Vec<Scored>, BTreeMap<String, usize>, usize) {
    let (predicted, shipped) = (predicted(), shipped().unwrap());
    let [gemm, kernels, attention, published] =
        ["gemm.csv", "kernels/gemm.csv", "kernels/attention.csv", "collectives.csv"]
            .map(common::measurements);
    let tables = ["kernels/all_reduce.csv", "kernels/collectives.csv"].map(common::measurements);
    let products = predicted.products(&gemm, &kernels).unwrap();
    let attention = predicted.attention(&attention).unwrap();
    let collectives = predicted.collectives(&published, &tables.each_ref().map(String::as_str)).unwrap();
    let mut scored = score(&products, &shipped.product);
    scored.extend(score(&attention, &shipped.attention));
    scored.extend(score(&collectives, &shipped.collective));
    let steps = shipped_steps().unwrap();
    let training = training(&predicted);
    let serving = predicted.serving(&common::measurements("serving.csv"), shipped).unwrap();
    scored.extend(score(&training, &steps.training));
    scored.extend(score(&serving, &steps.serving));
    let mut left_out = products.left_out;
    let others = [attention.left_out, collectives.left_out, training.left_out, serving.left_out];
    for (reason, count) in others.into_iter().flatten() {
        *left_out.entry(reason).or_default() += count;
    }
    let rows = [products.rows, attention.rows, collectives.rows, training.rows, serving.rows];
    (scored, left_out, rows.iter().sum())
}

/// The scores of each regime, and of each device in it.
fn told(scored: &[Scored]) -> Vec<Score> {
    let mut all = report(scored, |row| row.regime.to_string());
    let told = scored.iter().filter(|row| !matches!(row.status, Status::Excluded(_)));
    all.extend(scores(told, |row| format!("{} on {}", row.regime, row.family)));
    all
}

const HEADINGS: &str = "what,rows,kept apart,median,mean,P90,bias,coverage,family out median,family out P90,\
                        family out coverage,speed of light median,speed of light P90,efficiency median,\
                        efficiency P90,floor violations";

fn table(scores: &[Score]) -> String {
    let mut text = format!("{HEADINGS}\n");
    for score in scores {
        let shares = [
            score.group.median,
            score.group.mean,
            score.group.most,
            score.group.bias,
            score.group_coverage,
            score.family.median,
            score.family.most,
            score.family_coverage,
            score.speed_of_light.median,
            score.speed_of_light.most,
            score.efficiency.median,
            score.efficiency.most,
        ];
        let shares = shares.map(|share| format!("{:.1}", 100.0 * share)).join(",");
        let Score { name, rows, kept_apart, violations, .. } = score;
        writeln!(text, "\"{name}\",{rows},{kept_apart},{shares},{violations}").unwrap();
    }
    text
}

#[test]
fn no_regime_gets_worse() {
    let (scored, left_out, rows) = replayed();
    let now = table(&told(&scored));
    println!("{now}");
    println!("{rows} rows, {} predicted; not modelled: {left_out:#?}", scored.len());
    // A row of serving may state several times, each of which is told on its own.
    let told: BTreeSet<&str> = scored.iter().map(|row| row.id.as_str()).collect();
    assert!(rows <= told.len() + left_out.values().sum::<usize>(), "a row was dropped silently");
    if std::env::var_os("UPDATE_TABLES").is_some() {
        fs::write(common::root("tests").join(TABLE), &now).unwrap();
    }
    let read = |text: &str| -> BTreeMap<String, Vec<f64>> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let line = |record: csv::StringRecord| {
            let numbers = record.iter().skip(1).map(|cell| cell.parse().unwrap()).collect();
            (record[0].to_string(), numbers)
        };
        reader.records().map(|record| line(record.unwrap())).collect()
    };
    let (committed, now) = (read(&common::text(TABLE)), read(&now));
    let mut faults = Vec::new();
    for (name, was) in &committed {
        let Some(is) = now.get(name) else {
            faults.push(format!("{name}: no row of it is left"));
            continue;
        };
        if is[0] != was[0] || is[1] != was[1] || is[14] != was[14] {
            faults.push(format!("{name}: rows, rows kept apart or violations were {was:?} and are {is:?}"));
        }
        // Median and 90th percentile without the group and without the family.
        for column in [2, 4, 7, 8] {
            if is[column] > WORSE * was[column] + 0.1 {
                faults.push(format!("{name}: an error was {} % and is {} %", was[column], is[column]));
            }
        }
        for column in [6, 9] {
            if (is[column] - was[column]).abs() > 2.0 {
                faults.push(format!("{name}: coverage was {} % and is {} %", was[column], is[column]));
            }
        }
    }
    faults
        .extend(now.keys().filter(|name| !committed.contains_key(*name)).map(|name| format!("{name}: new")));
    assert!(faults.is_empty(), "with UPDATE_TABLES=1 this test writes tests/{TABLE}:\n{}", faults.join("\n"));
}

#[test]
fn the_targets_that_were_reached_stay_reached() {
    let (scored, ..) = replayed();
    let scores = told(&scored);
    let of = |name: &str| scores.iter().find(|score| score.name == name).unwrap();
    let (products, domain) = (of("16-bit GEMM"), of("collectives in an NVLink domain"));
    assert!(products.group.most <= 0.20, "{products:?}");
    assert!(domain.group.median <= 0.09 && domain.group.most <= 0.30, "{domain:?}");
    for score in [products, domain] {
        assert!((0.88..=0.96).contains(&score.group_coverage), "{score:?}");
        assert!(score.group.median < score.efficiency.median, "{score:?}");
        assert_eq!(score.violations, 0, "{score:?}");
    }
}

#[test]
fn no_prediction_beats_its_bound() {
    for row in replayed().0 {
        for predicted in [&row.without_group, &row.without_family] {
            assert!(predicted.bound <= predicted.low && predicted.low <= predicted.time, "{row:?}");
            assert!(predicted.time <= predicted.high, "{row:?}");
        }
    }
}

#[test]
fn a_shipped_fold_is_what_its_rows_give() {
    fn hold<Q: Question>(samples: &Samples<Q>, left_out: &[String], whole: &Q::Of, shipped: &Q::Of) {
        let again = refit(&samples.of_calibration(), left_out, whole);
        for ((coefficient, again), shipped) in Q::Of::ALL.iter().zip(again.values()).zip(shipped.values()) {
            let off = (again / shipped).ln().abs();
            assert!(off < 1e-3, "{}: {again} in place of {shipped}", coefficient.name);
        }
    }
    let (predicted, shipped) = (predicted(), shipped().unwrap());
    let [gemm, kernels] = ["gemm.csv", "kernels/gemm.csv"].map(common::measurements);
    let (samples, product) = (predicted.products(&gemm, &kernels).unwrap(), &shipped.product);
    let fold = product.without_family("A40").unwrap();
    hold(&samples, &fold.left_out, &product.coefficients, &fold.coefficients);
    let samples = predicted.attention(&common::measurements("kernels/attention.csv")).unwrap();
    let fold = &shipped.attention.groups[0];
    hold(&samples, &fold.left_out, &shipped.attention.coefficients, &fold.coefficients);
    let training = &shipped_steps().unwrap().training;
    let fold = &training.groups[0];
    hold(&self::training(&predicted), &fold.left_out, &training.coefficients, &fold.coefficients);
}
