//! `Scatter`: what is predicted against what was measured, on logarithmic axes.

use kuva::plot::LinePlot;
use kuva::plot::scatter::{MarkerShape, ScatterPlot};
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;

use super::{color, drawn};

/// Points of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What they are.
    pub name: String,
    /// What was measured and what is predicted of each, both above 0.
    pub points: Vec<(f64, f64)>,
}

/// Measured and predicted times, with a line where both are the same.
///
/// ```
/// use mlsysim_report::plot::{Scatter, Series};
///
/// let series = vec![Series { name: "decode step".into(), points: vec![(1.0, 1.1), (20.0, 18.0)] }];
/// let picture = Scatter { title: "Times".into(), unit: "s".into(), series };
/// assert!(picture.svg().starts_with("<svg"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// What the picture shows.
    pub title: String,
    /// The unit of both axes.
    pub unit: String,
    /// The points.
    pub series: Vec<Series>,
}

/// Shapes that tell series apart without their colours.
const MARKERS: [MarkerShape; 6] = [
    MarkerShape::Circle,
    MarkerShape::Square,
    MarkerShape::Triangle,
    MarkerShape::Diamond,
    MarkerShape::Cross,
    MarkerShape::Plus,
];

impl Scatter {
    /// The picture, as SVG; points that a logarithm does not have are left out.
    pub fn svg(&self) -> String {
        let is_shown = |(x, y): &(f64, f64)| *x > 0.0 && *y > 0.0 && x.is_finite() && y.is_finite();
        let shown = || self.series.iter().flat_map(|series| series.points.iter().copied()).filter(is_shown);
        let least = shown().fold(f64::INFINITY, |least, (x, y)| least.min(x).min(y));
        let most = shown().fold(0.0, |most: f64, (x, y)| most.max(x).max(y));
        let mut plots = Vec::new();
        if least <= most {
            let same = LinePlot::new().with_data([(least, least), (most, most)]).with_color("black");
            plots.push(Plot::Line(same.with_stroke_width(1.0).with_legend("as measured")));
        }
        for (index, series) in self.series.iter().enumerate() {
            let points: Vec<(f64, f64)> = series.points.iter().copied().filter(is_shown).collect();
            let marker = MARKERS[index % MARKERS.len()];
            let points = ScatterPlot::new().with_data(points).with_marker(marker).with_color(color(index));
            plots.push(Plot::Scatter(
                points.with_size(2.5).with_marker_opacity(0.6).with_legend(&series.name),
            ));
        }
        let layout = Layout::auto_from_plots(&plots)
            .with_title(&self.title)
            .with_x_label(format!("measured ({})", self.unit))
            .with_y_label(format!("predicted ({})", self.unit))
            .with_log_scale();
        drawn(plots, layout)
    }
}
