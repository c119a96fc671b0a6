//! The order of published layouts against the order that is predicted of them.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test without its tables has failed, and tells what it compared"
)]

use std::fs;

use mlsysim::predict::{shipped, shipped_steps};
use mlsysim::search::RELATIVE_ERROR;
use mlsysim::validation::{Predicted, RankedSet, ranking_scores, relative_error};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/measurements/");

fn sets() -> Vec<RankedSet> {
    let read = |file: &str| fs::read_to_string(format!("{FOLDER}{file}")).expect("a file");
    let [machines, models, frameworks, exclusions] =
        ["machines.toml", "models.toml", "frameworks.toml", "exclusions.csv"].map(read);
    let predicted =
        Predicted::read(&machines, &models, &frameworks, &exclusions).expect("the texts beside the tables");
    let (kernels, steps) = (shipped().expect("calibrations"), shipped_steps().expect("calibrations"));
    predicted.rankings(&read("training.csv"), kernels, &steps.training).expect("a table")
}

#[test]
fn published_layouts_are_ranked_as_they_were_measured() {
    let all = sets();
    for score in ranking_scores(&all) {
        let size = if score.is_large { "of four layouts or more" } else { "of two or three" };
        println!("measured ranking: {}, {} sets {size}, {} layouts", score.source, score.sets, score.layouts);
        for (how, spread) in [("groups", score.group), ("families", score.family)] {
            println!(
                "measured ranking:   {how} left out: median rank correlation {:.2}, regret median {:.1} %, mean {:.1} %, worst {:.1} %",
                spread.correlation,
                100.0 * spread.regret,
                100.0 * spread.mean,
                100.0 * spread.worst
            );
        }
        if score.source == "all" && score.is_large {
            assert!(score.group.regret < 0.03, "the median regret is {:.3}", score.group.regret);
        }
    }
    let [half, nine] = [0.5, 0.9].map(|share| relative_error(&all, share, |layout| layout.predicted));
    let percent = |log: f64| 100.0 * (log.exp() - 1.0);
    println!(
        "measured ranking: ratios of two layouts are off by {:.1} % in the median and {:.1} % in nine of ten cases",
        percent(half),
        percent(nine)
    );
    let told = nine / RELATIVE_ERROR;
    assert!((told - 1.0).abs() < 0.1, "nine in ten ratios are within {nine:.3}, not {RELATIVE_ERROR}");
}
