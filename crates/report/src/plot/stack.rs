//! `Stack`: what times or sizes are made of, side by side, with intervals.

use kuva::plot::BarPlot;
use kuva::plot::annotations::ReferenceLine;
use kuva::plot::scatter::ScatterPlot;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;

use super::{color, drawn};

/// A bar of a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it is of.
    pub name: String,
    /// How much each part takes, in the order of [`Stack::parts`].
    pub parts: Vec<f64>,
    /// Between what the whole lies, where that is not exact.
    pub interval: Option<(f64, f64)>,
}

/// Bars of the same parts.
///
/// ```
/// use mlsysim_report::plot::{Bar, Stack};
///
/// let bar = |name: &str, parts: [f64; 2]| Bar { name: name.into(), parts: parts.into(), interval: Some((4.0, 6.0)) };
/// let picture = Stack {
///     title: "A step".into(),
///     label: "time (ms)".into(),
///     parts: vec!["products".into(), "exchanges".into()],
///     bars: vec![bar("TP 1", [5.0, 0.0]), bar("TP 2", [2.5, 1.0])],
///     limit: None,
/// };
/// assert!(picture.svg().contains("exchanges"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// What the picture shows.
    pub title: String,
    /// What the axis shows, with its unit.
    pub label: String,
    /// The parts, from the bottom.
    pub parts: Vec<String>,
    /// The bars.
    pub bars: Vec<Bar>,
    /// What no bar may be higher than.
    pub limit: Option<Limit>,
}

/// A line across a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// What it is.
    pub name: String,
    /// At which height.
    pub at: f64,
}

impl Stack {
    /// The picture, as SVG.
    pub fn svg(&self) -> String {
        let (plots, layout) = self.drawn();
        drawn(plots, layout)
    }

    /// The picture before it is drawn.
    pub(super) fn drawn(&self) -> (Vec<Plot>, Layout) {
        // Few bars are kept from being as wide as the picture.
        let width = (0.2 + 0.1 * self.bars.len() as f64).min(0.8);
        let mut plot = BarPlot::new().with_stacked().with_width(width);
        for bar in &self.bars {
            let parts = bar.parts.iter().enumerate().map(|(index, part)| (*part, color(index)));
            plot = plot.with_group(&bar.name, parts.collect::<Vec<_>>());
        }
        let plot = plot.with_legend(self.parts.iter().map(String::as_str).collect());
        let mut plots = vec![Plot::Bar(plot)];
        plots.extend(self.intervals());
        let mut layout = Layout::auto_from_plots(&plots).with_title(&self.title).with_y_label(&self.label);
        if let Some(limit) = &self.limit {
            let highest = self.bars.iter().map(|bar| bar.parts.iter().sum()).fold(limit.at, f64::max);
            let line = ReferenceLine::horizontal(limit.at).with_color("black").with_label(&limit.name);
            layout = layout.with_y_axis_max(1.1 * highest).with_reference_line(line);
        }
        (plots, layout)
    }

    /// The intervals around the wholes; bars stand at 1, 2 and so on.
    fn intervals(&self) -> Option<Plot> {
        let bars = self.bars.iter().enumerate();
        let told: Vec<(f64, f64, (f64, f64))> = bars
            .filter_map(|(index, bar)| {
                let (low, high) = bar.interval?;
                let whole: f64 = bar.parts.iter().sum();
                Some((index as f64 + 1.0, whole, ((whole - low).max(0.0), (high - whole).max(0.0))))
            })
            .collect();
        let points: Vec<(f64, f64)> = told.iter().map(|(at, whole, _)| (*at, *whole)).collect();
        let errors: Vec<(f64, f64)> = told.iter().map(|(.., error)| *error).collect();
        let plot = ScatterPlot::new().with_data(points).with_y_err_asymmetric(errors);
        (!told.is_empty()).then(|| Plot::Scatter(plot.with_color("black").with_size(1.5)))
    }
}
