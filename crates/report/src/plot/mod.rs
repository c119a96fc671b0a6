//! Pictures: a scatter, stacks with intervals, a timeline, and several of them below each other.

mod page;
mod scatter;
mod stack;
mod timeline;

use kuva::backend::svg::SvgBackend;
use kuva::render::layout::Layout;
use kuva::render::palette::Palette;
use kuva::render::plots::Plot;
use kuva::render::render::render_multiple;

pub use page::{Page, Panel};
pub use scatter::{Scatter, Series};
pub use stack::{Bar, Limit, Stack};
pub use timeline::{Span, Timeline};

/// In which order the colours of Okabe and Ito follow each other: light ones and dark ones in turn, so that
/// neighbours differ in print too.
const ORDER: [usize; 8] = [0, 4, 3, 2, 1, 5, 6, 7];

/// The colour of the series at `index`; they repeat after eight.
fn color(index: usize) -> String {
    let palette = Palette::okabe_ito();
    let colors = palette.colors();
    let place = ORDER[index % ORDER.len()] % colors.len().max(1);
    colors.get(place).cloned().unwrap_or_else(|| "black".to_string())
}

/// The SVG of `plots` in `layout`.
fn drawn(plots: Vec<Plot>, layout: Layout) -> String {
    SvgBackend::new().render_scene(&render_multiple(plots, layout))
}
