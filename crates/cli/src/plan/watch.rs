//! A search that is watched: a bar on a terminal once it takes longer than a second, and Ctrl-C, which
//! ends it with the best so far.

use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use mlsysim::search::{Found, Search};

use crate::output::Failure;

/// From when on a bar is drawn.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the bar moves.
const GLANCE: Duration = Duration::from_millis(50);

/// Runs `search`, watched.
pub fn searched(search: &Search, exhaustive: bool) -> Result<Found, Failure> {
    let stop: Arc<AtomicBool> = search.progress().stop.clone();
    // A second search replaces nothing: the first handler is told of both by the same flag.
    let _ = ctrlc::set_handler({
        let stop = stop.clone();
        move || stop.store(true, Ordering::Relaxed)
    });
    let found = std::thread::scope(|scope| {
        let work = scope.spawn(|| if exhaustive { search.exhaustive() } else { search.pruned() });
        watch(search, || work.is_finished());
        work.join()
    });
    found.map_err(|_| Failure::Refused("the search ended before its time".to_string()))
}

fn watch(search: &Search, is_finished: impl Fn() -> bool) {
    let start = Instant::now();
    let progress = search.progress();
    let mut bar: Option<ProgressBar> = None;
    let is_drawn = stderr().is_terminal();
    let mut glance = Duration::from_millis(1);
    while !is_finished() {
        std::thread::sleep(glance);
        glance = (2 * glance).min(GLANCE);
        if !is_drawn || start.elapsed() < PATIENCE {
            continue;
        }
        let all = progress.all.load(Ordering::Relaxed);
        let bar = bar.get_or_insert_with(|| drawn(all));
        bar.set_position(progress.done.load(Ordering::Relaxed));
        let layouts = progress.layouts.load(Ordering::Relaxed) as f64;
        let rate = layouts / start.elapsed().as_secs_f64();
        bar.set_message(format!("{:.1} million layouts, {:.1} million a second", layouts / 1e6, rate / 1e6));
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn drawn(all: u64) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}, {eta} left  (Ctrl-C: the best so far)");
    let bar = ProgressBar::new(all);
    style.map_or(bar.clone(), |style| bar.with_style(style))
}
