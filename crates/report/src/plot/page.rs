//! `Page`: pictures below each other.

use kuva::backend::svg::SvgBackend;
use kuva::render::figure::Figure;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;

use super::{Stack, Timeline};

/// How wide a page is, in pixels.
const WIDTH: f64 = 1100.0;

/// A picture of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Panel {
    /// Bars.
    Stack(Stack),
    /// Stretches of work.
    Timeline(Timeline),
}

/// Pictures below each other, under one title.
///
/// ```
/// use mlsysim_report::plot::{Bar, Page, Panel, Stack};
///
/// let bars = vec![Bar { name: "stage 0".into(), parts: vec![20.0], interval: None }];
/// let label = "memory (GiB)".to_string();
/// let memory =
///     Stack { title: "Memory".into(), label, parts: vec!["weights".into()], bars, limit: None };
/// let page = Page { title: "A plan".into(), panels: vec![Panel::Stack(memory)] };
/// assert!(page.svg().contains("weights"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// What the page shows.
    pub title: String,
    /// The pictures, from the top.
    pub panels: Vec<Panel>,
}

impl Panel {
    fn drawn(&self) -> (Vec<Plot>, Layout, f64) {
        match self {
            Panel::Stack(stack) => {
                let (plots, layout) = stack.drawn();
                (plots, layout, 380.0)
            }
            Panel::Timeline(timeline) => {
                let (plots, layout) = timeline.drawn();
                (plots, layout, 120.0 + 26.0 * timeline.rows().len().max(3) as f64)
            }
        }
    }
}

impl Page {
    /// The page, as SVG.
    pub fn svg(&self) -> String {
        let (mut plots, mut layouts) = (Vec::new(), Vec::new());
        // A long title is written in smaller letters, so that it stays on the page.
        let size = (1.6 * WIDTH / self.title.chars().count().max(1) as f64).clamp(8.0, 15.0) as u32;
        let mut figure = Figure::new(self.panels.len(), 1).with_title(&self.title).with_title_size(size);
        figure = figure.with_cell_size(WIDTH, 300.0).with_spacing(24.0);
        for (row, panel) in self.panels.iter().enumerate() {
            let (of_panel, layout, height) = panel.drawn();
            plots.push(of_panel);
            layouts.push(layout);
            figure = figure.with_row_height(row, height);
        }
        SvgBackend::new().render_scene(&figure.with_plots(plots).with_layouts(layouts).render())
    }
}
