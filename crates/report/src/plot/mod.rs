//! Pictures: a scatter, stacks with intervals, a timeline.

mod scatter;
mod stack;
mod timeline;

use kuva::backend::svg::SvgBackend;
use kuva::render::layout::Layout;
use kuva::render::palette::Palette;
use kuva::render::plots::Plot;
use kuva::render::render::render_multiple;

pub use scatter::{Scatter, Series};
pub use stack::{Bar, Stack};
pub use timeline::{Span, Timeline};

/// The colour of the series at `index`; they repeat after eight.
fn color(index: usize) -> String {
    let palette = Palette::okabe_ito();
    let colors = palette.colors();
    colors.get(index % colors.len().max(1)).cloned().unwrap_or_else(|| "black".to_string())
}

/// The SVG of `plots` in `layout`.
fn drawn(plots: Vec<Plot>, layout: Layout) -> String {
    SvgBackend::new().render_scene(&render_multiple(plots, layout))
}
