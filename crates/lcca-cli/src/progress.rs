//! Progress on standard error, shown only if that is a terminal and `--quiet` was not given.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lcca::data::Cost;
use lcca::fit::{TraceRow, Watch};
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Bars count whole numbers, and a pass over one view is half a pass.
const TICKS_PER_PASS: f64 = 2.0;

/// Shows that something of unknown length is running.
pub fn spinner(message: String, quiet: bool) -> ProgressBar {
    let spinner = ProgressBar::with_draw_target(None, target(quiet));
    spinner.set_message(message);
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}

/// Prints a line that stays above the progress bars, if bars are visible.
pub fn print_line(line: &str) {
    if io::stderr().is_terminal() {
        eprintln!("{line}");
    }
}

fn target(quiet: bool) -> ProgressDrawTarget {
    if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() }
}

/// Watches a fit: measures its time and shows passes, captured total and time left.
pub struct FitProgress {
    bar: ProgressBar,
    start: Instant,
    earlier_seconds: f64,
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
        FitProgress { bar, start: Instant::now(), earlier_seconds: 0.0 }
    }

    /// Adds the seconds of the run that this one continues.
    pub fn add_earlier_seconds(&mut self, seconds: f64) {
        self.earlier_seconds = seconds;
    }

    /// Prints a line without disturbing the bar.
    pub fn print_line(&self, line: &str) {
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
        self.earlier_seconds + self.start.elapsed().as_secs_f64()
    }
}
