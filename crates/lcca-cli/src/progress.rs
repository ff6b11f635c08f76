//! Progress on standard error, shown only if standard error is a terminal and `--quiet` was not given.

use crate::output::say;
use crate::time_left::{TimeLeft, by_share};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use lcca::data::Cost;
use lcca::fit::{TraceRow, Watch};
use lcca::method::{Algorithm, Settings};
use lcca_io::legible;
use std::fmt;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most characters of a spinner's message.
const LONGEST_MESSAGE: usize = 200;

/// The ticks of a pass, because bars count whole numbers and a pass over one view is half a pass.
const TICKS_PER_PASS: f64 = 2.0;

/// Shows that work of unknown length is running.
pub fn spinner(message: String, quiet: bool) -> ProgressBar {
    let spinner = ProgressBar::with_draw_target(None, target(quiet));
    spinner.set_message(legible(&message, LONGEST_MESSAGE));
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}

/// Counts how many of several tasks are done.
pub fn counter(name: &str, of: usize, quiet: bool) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(of as u64), target(quiet));
    bar.set_style(style("{prefix} {bar:30} {pos} of {len}, {elapsed} so far{left}", 0));
    bar.set_prefix(name.to_string());
    bar
}

/// A style in which `{left}` is the time left, if it can be estimated: if some work is done, and more than
/// `vague` of it is not.
fn style(template: &str, vague: u64) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("left", move |state: &ProgressState, out: &mut dyn fmt::Write| {
        let of = state.len().filter(|len| len.saturating_sub(state.pos()) > vague);
        let left = of.and_then(|of| by_share(state.elapsed().as_secs_f64(), state.pos(), of));
        let _ = out.write_str(&left.map(about_left).unwrap_or_default());
    })
}

fn about_left(seconds: f64) -> String {
    format!(", about {} left", HumanDuration(Duration::from_secs_f64(seconds.min(1e9))))
}

/// Prints a line that stays above the progress bars, if bars are visible.
pub fn print_line(line: &str) {
    if io::stderr().is_terminal() {
        say(line);
    }
}

fn target(quiet: bool) -> ProgressDrawTarget {
    if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() }
}

/// The amount of work, as far as it is known beforehand.
#[derive(Clone, Copy)]
pub enum Length {
    /// A number of passes, roughly.
    Passes(f64),
    /// Passes until the share of the total that is missing is at most this.
    Tolerance(f64),
    /// A number of fits, one after the other.
    Fits(usize),
    /// An unknown amount.
    Unknown,
}

impl Length {
    /// The amount of work of a fit with these settings.
    pub fn of_fit(settings: &Settings) -> Self {
        match settings.method.algorithm() {
            Algorithm::Auto | Algorithm::Lobpcg | Algorithm::ShiftInvert => Length::Tolerance(settings.tol),
            _ => Length::Passes(settings.planned_passes()),
        }
    }
}

/// Watches fits: measures their time and shows passes, captured total and, if it can be estimated, the time
/// left.
pub struct FitProgress {
    bar: ProgressBar,
    start: Instant,
    earlier_seconds: f64,
    length: Length,
    seen: Mutex<Seen>,
}

/// The state of the fit that the watcher has seen.
struct Seen {
    /// The number of fits that began.
    fits: usize,
    left: TimeLeft,
}

impl FitProgress {
    pub fn new(name: &str, length: Length, quiet: bool) -> Self {
        let (ticks, template) = match length {
            Length::Passes(passes) => (
                Some((passes * TICKS_PER_PASS).ceil() as u64),
                "{prefix} {bar:30} {percent:>3}%  {msg}  {elapsed} so far{left}",
            ),
            Length::Fits(fits) => (Some(fits as u64), "{prefix} {bar:30} {pos} of {len} fits  {msg}"),
            Length::Tolerance(_) | Length::Unknown => (None, "{prefix} {spinner} {msg}"),
        };
        let bar = ProgressBar::with_draw_target(ticks, target(quiet));
        // The last tick stands for all work beyond the plan, so the time left is vague there.
        bar.set_style(style(template, 1));
        bar.set_prefix(name.to_string());
        let tolerance = if let Length::Tolerance(tolerance) = length { tolerance } else { 0.0 };
        let seen = Mutex::new(Seen { fits: 0, left: TimeLeft::new(tolerance) });
        FitProgress { bar, start: Instant::now(), earlier_seconds: 0.0, length, seen }
    }

    /// Adds the seconds of the run that this one continues.
    pub fn add_earlier_seconds(&mut self, seconds: f64) {
        self.earlier_seconds = seconds;
    }

    /// Prints a line without disturbing the bar.
    pub fn print_line(&self, line: &str) {
        self.bar.suspend(|| say(line));
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// The time so far, and the time left if it can be estimated.
    fn times(&self, left: Option<f64>) -> String {
        let so_far = HumanDuration(self.start.elapsed());
        format!("{so_far} so far{}", left.map(about_left).unwrap_or_default())
    }

    fn message(&self, row: &TraceRow) -> String {
        let passes = format!("pass {}, captured {:.4}", row.passes + row.gram_passes, row.total);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match self.length {
            Length::Passes(_) => passes,
            Length::Unknown => format!("{passes}, {}", self.times(None)),
            Length::Tolerance(tolerance) => {
                seen.left.look(self.start.elapsed().as_secs_f64(), row.missing);
                let missing = row.missing.map_or(String::new(), |missing| {
                    format!(", about {missing:.0e} of it missing, {tolerance:.0e} is allowed")
                });
                format!("{passes}{missing}, {}", self.times(seen.left.seconds()))
            }
            Length::Fits(fits) => {
                seen.fits += usize::from(row.iteration == 1);
                let done = seen.fits.saturating_sub(1);
                self.bar.set_position(done as u64);
                // Consecutive fits take about equally long.
                self.times(by_share(self.start.elapsed().as_secs_f64(), done as u64, fits as u64))
            }
        }
    }
}

impl Watch for FitProgress {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        let ticks = ((cost.passes + cost.gram_passes) * TICKS_PER_PASS) as u64;
        match self.length {
            // The bar stays below full, because a full bar before the end would be a lie.
            Length::Passes(planned) => {
                self.bar
                    .set_position(ticks.min(((planned * TICKS_PER_PASS).ceil() as u64).saturating_sub(1)));
            }
            Length::Fits(_) => {}
            Length::Tolerance(_) => self.bar.tick(),
            Length::Unknown => {
                self.bar.set_message(format!(
                    "pass {}, {}",
                    cost.passes + cost.gram_passes,
                    self.times(None)
                ));
            }
        }
        ControlFlow::Continue(())
    }

    fn iteration(&self, row: &TraceRow) {
        self.bar.set_message(self.message(row));
    }

    fn seconds(&self) -> f64 {
        self.earlier_seconds + self.start.elapsed().as_secs_f64()
    }
}
