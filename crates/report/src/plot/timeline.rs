//! `Timeline`: who works when.

use kuva::plot::BarPlot;
use kuva::plot::legend::{LegendEntry, LegendShape};
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;

use super::{color, drawn};

/// A stretch of work.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Who works.
    pub row: String,
    /// What kind of work it is, an index of [`Timeline::kinds`].
    pub kind: usize,
    /// From when.
    pub start: f64,
    /// Until when.
    pub end: f64,
}

/// The colour of what is not work.
const IDLE: &str = "none";

/// Stretches of work in rows.
///
/// ```
/// use mlsysim_report::plot::{Span, Timeline};
///
/// let picture = Timeline {
///     title: "A pipeline".into(),
///     label: "time (ms)".into(),
///     kinds: vec!["forward".into(), "backward".into()],
///     spans: vec![Span { row: "stage 0".into(), kind: 0, start: 0.0, end: 1.0 }],
/// };
/// assert!(picture.svg().contains("stage 0"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// What the picture shows.
    pub title: String,
    /// What the axis shows, with its unit.
    pub label: String,
    /// The kinds of work.
    pub kinds: Vec<String>,
    /// The stretches.
    pub spans: Vec<Span>,
}

impl Timeline {
    /// The picture, as SVG: a row for each that works, in the order in which they come, the first on top.
    pub fn svg(&self) -> String {
        let mut rows: Vec<&str> = Vec::new();
        for span in &self.spans {
            if !rows.contains(&span.row.as_str()) {
                rows.push(&span.row);
            }
        }
        let mut plot = BarPlot::new().with_stacked().with_horizontal(true);
        for row in rows.iter().rev() {
            let mut spans: Vec<&Span> = self.spans.iter().filter(|span| span.row == **row).collect();
            spans.sort_by(|one, other| one.start.total_cmp(&other.start));
            let (mut at, mut pieces) = (0.0, Vec::with_capacity(2 * spans.len()));
            for span in spans {
                pieces.push(((span.start - at).max(0.0), IDLE.to_string()));
                pieces.push((span.end - span.start.max(at), color(span.kind)));
                at = span.end;
            }
            plot = plot.with_group(*row, pieces);
        }
        let plots = vec![Plot::Bar(plot)];
        let entries = self.kinds.iter().enumerate().map(|(index, kind)| LegendEntry {
            label: kind.clone(),
            color: color(index),
            shape: LegendShape::Rect,
            dasharray: None,
        });
        let layout = Layout::auto_from_plots(&plots)
            .with_title(&self.title)
            .with_x_label(&self.label)
            .with_legend_entries(entries.collect());
        drawn(plots, layout)
    }
}
