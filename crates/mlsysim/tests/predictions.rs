//! Predicted times against published ones that their fits did not have.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use mlsysim::Result;
use mlsysim::predict::{CalibrationSet, Coefficients, Question, ServingClass, refit, shipped, shipped_steps};
use mlsysim::validation::{
    Frameworks, Measurements, Replayed, Samples, Score, SpeedUp, Status, Sweeps, Texts, report, scores,
};

/// How much worse than the committed table an error may be.
const WORSE: f64 = 1.1;

/// The committed table.
const TABLE: &str = "predictions/regimes.csv";

/// The folder of published measurements.
struct Published;

impl Texts for Published {
    fn text(&self, file: &str) -> Result<Cow<'_, str>> {
        Ok(common::measurements(file).into())
    }

    fn has(&self, file: &str) -> bool {
        common::root("data/measurements").join(file).exists()
    }
}

/// What becomes of every row.
fn replayed() -> Replayed {
    let measurements = Measurements::open(&Published).unwrap();
    Replayed::of(&measurements, CalibrationSet::shipped().unwrap(), |_| true).unwrap()
}

fn sweeps(replayed: &Replayed) -> &Sweeps {
    replayed.sweeps.as_ref().unwrap()
}

/// The scores of each regime, and of each device in it; and those of speed-ups, and of each source of them.
fn told(replayed: &Replayed) -> Vec<Score> {
    let scored = &replayed.scored;
    let mut all = report(scored, |row| row.regime.to_string());
    all.extend(sweeps(replayed).scores(|each| each.regime.to_string()));
    all.extend(SpeedUp::scores(&sweeps(replayed).speed_ups, |each| {
        format!("{} of {}", each.regime, each.source)
    }));
    let told = scored.iter().filter(|row| !matches!(row.status, Status::Excluded(_)));
    all.extend(scores(told, |row| format!("{} on {}", row.regime, row.family)));
    all
}

const HEADINGS: &str = "what,rows,kept apart,median,mean,P90,bias,coverage,family out median,family out P90,\
                        family out coverage,speed of light median,speed of light P90,efficiency median,\
                        efficiency P90,source out median,source out P90,floor violations";

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
            score.source.median,
            score.source.most,
        ];
        let shares = shares.map(|share| format!("{:.1}", 100.0 * share)).join(",");
        let Score { name, rows, kept_apart, violations, .. } = score;
        writeln!(text, "\"{name}\",{rows},{kept_apart},{shares},{violations}").unwrap();
    }
    text
}

#[test]
fn no_regime_gets_worse() {
    let replayed = replayed();
    let now = table(&told(&replayed));
    println!("{now}");
    let Replayed { rows, scored, left_out, .. } = &replayed;
    println!("{rows} rows, {} predicted; not modelled: {:#?}", scored.len(), replayed.reasons());
    // A row of serving may state several times, each of which is told on its own.
    let told = scored.iter().map(|row| (row.file, row.id.split(' ').next().unwrap_or_default()));
    let told: BTreeSet<_> = told.chain(left_out.iter().map(|row| (row.file, row.id.as_str()))).collect();
    assert_eq!(*rows, told.len(), "a row was dropped silently, or counted twice");
    let Sweeps { rows, references, speed_ups, left_out } = sweeps(&replayed);
    assert_eq!(*rows, references + speed_ups.len() + left_out.len(), "a row of a sweep was dropped silently");
    assert_eq!(*rows, common::measurements("tp_sweeps.csv").lines().count() - 1);
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
        if is[0] != was[0] || is[1] != was[1] || is[16] != was[16] {
            faults.push(format!("{name}: rows, rows kept apart or violations were {was:?} and are {is:?}"));
        }
        // Median and 90th percentile without the group, without the family and without the source.
        for column in [2, 4, 7, 8, 14, 15] {
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
    let scores = told(&replayed());
    let of = |name: &str| scores.iter().find(|score| score.name == name).unwrap();
    let (kernels, steps) = (shipped().unwrap(), shipped_steps().unwrap());
    let kernels = [
        kernels.product.estimates().len(),
        kernels.attention.estimates().len(),
        kernels.collective.estimates().len(),
    ];
    let steps = [steps.training.estimates().len(), steps.serving.estimates().len()];
    assert_eq!(kernels.iter().chain(&steps).sum::<usize>(), 76, "the accuracy page says how many there are");
    let (products, domain) = (of("16-bit GEMM"), of("collectives in an NVLink domain"));
    assert!(products.group.most <= 0.20, "{products:?}");
    assert!(domain.group.median <= 0.09 && domain.group.most <= 0.30, "{domain:?}");
    for (name, median, most) in [
        ("training step, dense", 0.08, 0.22),
        ("training step, MoE", 0.16, 0.45),
        ("decode step", 0.10, 0.25),
        ("prefill", 0.12, 0.34),
        ("static batch", 0.07, 0.28),
        ("maximum load", 0.09, 0.24),
    ] {
        let score = of(name);
        assert!(score.group.median <= median && score.group.most <= most, "{score:?}");
        assert!((0.88..=0.96).contains(&score.group_coverage), "{score:?}");
    }
    for (name, median, most) in [("training, dense and MoE", 0.11, 0.30), ("serving, all of it", 0.13, 0.42)]
    {
        for spreads in [of(name).family, of(name).source] {
            assert!(spreads.median <= median && spreads.most <= most, "{name}: {spreads:?}");
        }
    }
    let speed_up = of("speed-up of TP, serving and training");
    assert!(speed_up.group.median <= 0.10 && speed_up.group.most <= 0.28, "{speed_up:?}");
    for score in [products, domain, speed_up] {
        assert!((0.88..=0.96).contains(&score.group_coverage), "{score:?}");
        assert!(score.group.median < score.efficiency.median, "{score:?}");
        assert_eq!(score.violations, 0, "{score:?}");
    }
}

#[test]
fn releases_of_an_engine_differ() {
    let frameworks = Frameworks::read(&common::measurements("frameworks.toml")).unwrap();
    for (printed, class, max_tokens, tunes) in [
        ("vLLM 2023-10", ServingClass::Eager, 8192, false),
        ("vLLM (benchmark_latency) 2024-01", ServingClass::Graphs, 8192, false),
        ("TensorRT-LLM v0.10.0", ServingClass::Graphs, 2048, false),
        ("TensorRT-LLM v0.14.0", ServingClass::Graphs, 8192, false),
        ("TensorRT-LLM v0.17", ServingClass::Graphs, 8192, true),
    ] {
        let found = frameworks.of(printed).unwrap();
        assert_eq!((found.serving, found.max_tokens, found.tunes), (class, max_tokens, tunes), "{printed}");
    }
}

#[test]
fn no_prediction_beats_its_bound() {
    for row in replayed().scored {
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
    let (measurements, shipped) = (Measurements::open(&Published).unwrap(), shipped().unwrap());
    let (samples, product) = (measurements.products().unwrap(), &shipped.product);
    let fold = product.without_family("A40").unwrap();
    hold(&samples, &fold.left_out, &product.coefficients, &fold.coefficients);
    let samples = measurements.attention().unwrap();
    let fold = &shipped.attention.groups[0];
    hold(&samples, &fold.left_out, &shipped.attention.coefficients, &fold.coefficients);
    let training = &shipped_steps().unwrap().training;
    let fold = &training.groups[0];
    let samples = measurements.training(shipped).unwrap();
    hold(&samples, &fold.left_out, &training.coefficients, &fold.coefficients);
}
