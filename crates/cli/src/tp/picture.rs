//! The picture of a step at each degree: what it is the sum of, with its interval.

use mlsysim::predict::{Degrees, StatedDegrees};
use mlsysim_report::plot::{Bar, Stack};

use super::tables;

/// Bars of degrees: what the step spends its time on.
pub fn of(degrees: &Degrees, title: String) -> Stack {
    let bars = degrees.all.iter().map(|degree| {
        let total = &degree.predicted.total;
        let milliseconds = |time: mlsysim::quantity::Time| 1e3 * time.base();
        Bar {
            name: format!("TP {}", degree.tp),
            parts: degree.predicted.parts.categories.whole.map(milliseconds).into(),
            interval: Some((milliseconds(total.low), milliseconds(total.high))),
        }
    });
    Stack {
        title,
        label: "time (ms)".to_string(),
        parts: tables::categories().collect(),
        bars: bars.collect(),
        limit: None,
    }
}

/// Bars of degrees, stated and predicted: compute and exchanges of a layer.
pub fn of_case(degrees: &StatedDegrees, title: String) -> Stack {
    let mut bars = Vec::new();
    let milliseconds = |time: mlsysim::quantity::Time| 1e3 * time.base();
    for degree in &degrees.all {
        let parts = vec![milliseconds(degree.ideal), milliseconds(degree.layer - degree.ideal)];
        bars.push(Bar { name: format!("stated {}", degree.tp), parts, interval: None });
        if let Ok(predicted) = &degree.predicted {
            let [layer, low, high] = predicted.layer;
            let parts = vec![milliseconds(predicted.ideal), milliseconds(layer - predicted.ideal)];
            let interval = Some((milliseconds(low), milliseconds(high)));
            bars.push(Bar { name: format!("predicted {}", degree.tp), parts, interval });
        }
    }
    let parts = vec!["compute".to_string(), "AllReduces".to_string()];
    Stack { title, label: "time of a layer (ms)".to_string(), parts, bars, limit: None }
}
