//! `Timeline`: who works when.

use kuva::plot::BarPlot;
use kuva::plot::annotations::TextAnnotation;
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
    /// What stands in it, where it is wide enough for that.
    pub name: String,
}

/// The colour of what is not work.
const IDLE: &str = "none";

/// What share of the whole is left blank between two stretches, so that they can be told apart.
const SLIT: f64 = 1e-3;

/// What share of the whole a letter takes.
const LETTER: f64 = 0.011;

/// Stretches of work in rows, and nothing where there is none.
///
/// ```
/// use mlsysim_report::plot::{Span, Timeline};
///
/// let span = Span { row: "stage 0".into(), kind: 0, start: 0.0, end: 1.0, name: "0".into() };
/// let picture = Timeline {
///     title: "A pipeline".into(),
///     label: "time (ms)".into(),
///     kinds: vec!["forward".into(), "backward".into()],
///     spans: vec![span],
///     range: (0.0, 1.0),
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
    /// From when to when the picture goes.
    pub range: (f64, f64),
}

impl Timeline {
    /// The picture, as SVG: a row for each that works, in the order in which they come, the first on top.
    pub fn svg(&self) -> String {
        let (plots, layout) = self.drawn();
        drawn(plots, layout)
    }

    /// Who works, in the order in which they come.
    pub(super) fn rows(&self) -> Vec<&str> {
        let mut rows: Vec<&str> = Vec::new();
        for span in &self.spans {
            if !rows.contains(&span.row.as_str()) {
                rows.push(&span.row);
            }
        }
        rows
    }

    /// The picture before it is drawn.
    pub(super) fn drawn(&self) -> (Vec<Plot>, Layout) {
        let (from, to) = self.range;
        let slit = SLIT * (to - from);
        let mut plot = BarPlot::new().with_stacked().with_horizontal(true).with_width(0.8);
        let (rows, mut names) = (self.rows(), Vec::new());
        // What a text stands below the place that it is given, which is above the middle of its row.
        let below = 0.32 * (rows.len() as f64 / 3.0).min(1.0);
        for (place, row) in rows.into_iter().rev().enumerate() {
            let spans =
                self.spans.iter().filter(|span| span.row == row && span.end > from && span.start < to);
            let mut spans: Vec<&Span> = spans.collect();
            spans.sort_by(|one, other| one.start.total_cmp(&other.start));
            let (mut at, mut pieces) = (0.0, Vec::with_capacity(2 * spans.len()));
            for span in spans {
                let (start, end) = (span.start.clamp(from, to), span.end.clamp(from, to));
                let drawn = (end - start - slit).max(0.5 * (end - start));
                if start > at {
                    pieces.push((start - at, IDLE.to_string()));
                }
                pieces.push((drawn, color(span.kind)));
                at = start + drawn;
                if drawn > LETTER * (to - from) * span.name.len() as f64 {
                    let (x, y) = (start + 0.5 * drawn, place as f64 + 1.0 - below);
                    names.push(TextAnnotation::new(&span.name, x, y).with_font_size(11));
                }
            }
            plot = plot.with_group(row, pieces);
        }
        let plots = vec![Plot::Bar(plot)];
        let entries = self.kinds.iter().enumerate().map(|(index, kind)| LegendEntry {
            label: kind.clone(),
            color: color(index),
            shape: LegendShape::Rect,
            dasharray: None,
        });
        let mut layout = Layout::auto_from_plots(&plots)
            .with_title(&self.title)
            .with_x_label(&self.label)
            .with_x_axis_min(from)
            .with_x_axis_max(to)
            .with_legend_entries(entries.collect());
        for name in names {
            layout = layout.with_annotation(name);
        }
        (plots, layout)
    }
}
