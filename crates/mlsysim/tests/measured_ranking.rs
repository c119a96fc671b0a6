//! The order of published layouts against the order that is predicted of them.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test without its tables has failed, and tells what it compared"
)]

use std::borrow::Cow;
use std::fs;

use mlsysim::Result;
use mlsysim::predict::CalibrationSet;
use mlsysim::search::RELATIVE_ERROR;
use mlsysim::validation::{Measurements, RankedSet, Texts, ranking_scores, relative_error};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/measurements/");

/// The folder of published measurements.
struct Published;

impl Texts for Published {
    fn text(&self, file: &str) -> Result<Cow<'_, str>> {
        Ok(fs::read_to_string(format!("{FOLDER}{file}")).expect("a file").into())
    }

    fn has(&self, file: &str) -> bool {
        fs::exists(format!("{FOLDER}{file}")).expect("a folder")
    }
}

fn sets() -> Vec<RankedSet> {
    let measurements = Measurements::open(&Published).expect("the texts beside the tables");
    measurements.rankings(CalibrationSet::shipped().expect("calibrations")).expect("a table")
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
