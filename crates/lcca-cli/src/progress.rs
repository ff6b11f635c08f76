//! Progress on standard error: silent where that is no terminal, or on request.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lcca::data::Cost;
use lcca::fit::{TraceRow, Watch};
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Half passes are counted, so that a bar can stand on whole numbers.
const TICKS_PER_PASS: f64 = 2.0;

/// Something of unknown length goes on.
pub fn spinner(message: String, quiet: bool) -> ProgressBar {
    let spinner = ProgressBar::with_draw_target(None, target(quiet));
    spinner.set_message(message);
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}

/// A line that stays where bars are seen; nothing where they are not.
pub fn leave(line: &str) {
    if io::stderr().is_terminal() {
        eprintln!("{line}");
    }
}

fn target(quiet: bool) -> ProgressDrawTarget {
    if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() }
}

/// Watches a fit: keeps the time and shows passes, captured total and time left.
pub struct FitProgress {
    bar: ProgressBar,
    start: Instant,
    seconds_before: f64,
}

impl FitProgress {
    pub fn new(name: &str, planned_passes: f64, quiet: bool) -> Self {
        let ticks = (planned_passes * TICKS_PER_PASS).ceil() as u64;
        let bar = ProgressBar::with_draw_target(Some(ticks), target(quiet));
        let template = "{prefix} {bar:30} {percent:>3}%  {msg}  {elapsed} so far, about {eta} left";
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_prefix(name.to_string());
        FitProgress { bar, start: Instant::now(), seconds_before: 0.0 }
    }

    /// Counts on from the seconds of an earlier run.
    pub fn go_on_from(&mut self, seconds: f64) {
        self.seconds_before = seconds;
    }

    /// Says something without spoiling the bar.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for FitProgress {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        self.bar.set_position(((cost.passes + cost.gram_passes) * TICKS_PER_PASS) as u64);
        ControlFlow::Continue(())
    }

    fn iteration(&self, row: &TraceRow) {
        self.bar.set_message(format!("pass {}, captured {:.4}", row.passes + row.gram_passes, row.total));
    }

    fn seconds(&self) -> f64 {
        self.seconds_before + self.start.elapsed().as_secs_f64()
    }
}
