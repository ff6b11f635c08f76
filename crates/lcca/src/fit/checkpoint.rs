//! Where a fit stands between two iterations: enough to go on from, in another process if need be.
//!
//! A checkpoint holds weights and what was counted, nothing as long as the rows. Going on forms the weights' products
//! afresh (one pass, two where a view is eliminated), and Gram matrices and solvers from the same seed, so the answer is
//! right whatever the checkpoint held; a good one saves the iterations behind it. The loops lend a [`Snapshot`], which
//! costs nothing, and it is copied only where the [`Watch`](super::Watch) wants it.

use super::choose::Choice;
use super::stopping::Stopping;
use super::{Problem, TraceRow};
use crate::data::{Cost, Shape};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::method::Method;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The loop that a checkpoint belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loop {
    /// LOBPCG on both views.
    Lobpcg,
    /// LOBPCG on one view, the other solved away.
    Eliminate,
    /// Alternating least squares, by any solver.
    Alternate,
}

/// The state of a fit after an iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The loop it belongs to.
    pub of: Loop,
    /// The weights of X and Y, p×m; a view that is solved away has no columns.
    pub weights: [Panel; 2],
    /// The last step of both, where the loop keeps one.
    pub step: Option<[Panel; 2]>,
    /// One row an iteration.
    pub trace: Vec<TraceRow>,
    /// The objective's total after every iteration, which tells when to stop;
    pub totals: Vec<f64>,
    /// so does what the residuals said was missing.
    pub by_residuals: Vec<f64>,
    /// What was spent on the data.
    pub cost: Cost,
}

/// A checkpoint before anybody asked for it: borrowed.
pub(super) struct Snapshot<'s> {
    pub of: Loop,
    pub weights: [&'s Panel; 2],
    pub step: Option<[&'s Panel; 2]>,
    pub trace: &'s [TraceRow],
    pub totals: &'s [f64],
    pub by_residuals: &'s [f64],
}

impl Problem<'_> {
    /// Lends the state after an iteration; `last` where no other follows.
    pub(super) fn checkpoint(&self, snapshot: Snapshot<'_>, last: bool) {
        let iteration = snapshot.trace.len();
        if iteration > 0 && self.watch.wants_checkpoint(iteration, last) {
            self.watch.checkpoint(snapshot.copied(self.pair.cost()));
        }
    }

    /// The outcome of an iteration's passes; where they were stopped, the state before them is lent a last time.
    pub(super) fn keep<T>(&self, outcome: Result<T>, before: Snapshot<'_>) -> Result<T> {
        if let Err(Error::Interrupted) = outcome {
            self.checkpoint(before, true);
        }
        outcome
    }
}

impl Snapshot<'_> {
    fn copied(&self, cost: Cost) -> Checkpoint {
        Checkpoint {
            of: self.of,
            weights: self.weights.map(Panel::clone),
            step: self.step.map(|step| step.map(Panel::clone)),
            trace: self.trace.to_vec(),
            totals: self.totals.to_vec(),
            by_residuals: self.by_residuals.to_vec(),
            cost,
        }
    }
}

impl Checkpoint {
    /// Weights to start from, and nothing else.
    pub(super) fn start(of: Loop, weights: [Panel; 2]) -> Self {
        let (totals, by_residuals) = (Vec::new(), Vec::new());
        Checkpoint { of, weights, step: None, trace: Vec::new(), totals, by_residuals, cost: Cost::default() }
    }

    /// Puts back what was counted, up to the last iteration, which will be looked at again.
    pub(super) fn recall(&mut self, trace: &mut Vec<TraceRow>, stopping: &mut Stopping) {
        *trace = std::mem::take(&mut self.trace);
        trace.pop();
        stopping.remember(std::mem::take(&mut self.totals), std::mem::take(&mut self.by_residuals));
    }

    /// Whether the method that was chosen can go on from here.
    pub(super) fn check(&self, choice: &Choice, shape: Shape) -> Result<()> {
        let refused = |found: String, expected: String| Err(Error::Checkpoint { found, expected });
        let expected = Loop::of(choice);
        if expected != Some(self.of) {
            let expected =
                expected.map_or("nothing: the method does not iterate".into(), |of| of.to_string());
            return refused(self.of.to_string(), expected);
        }
        match (self.trace.len(), choice.method.t1()) {
            (0, _) => return refused("no iteration".into(), "at least one".into()),
            (done, Some(t1)) if done > t1 => {
                return refused(format!("{done} iterations"), format!("at most the {t1} of t1"));
            }
            _ => {}
        }
        let (expected, found) = (self.totals.len(), self.by_residuals.len());
        if found != expected {
            return Err(Error::Length { what: "what residuals said of the totals", expected, found });
        }
        self.panels().try_for_each(|panels| check_panels(panels, shape))
    }

    fn panels(&self) -> impl Iterator<Item = &[Panel; 2]> {
        std::iter::once(&self.weights).chain(&self.step)
    }
}

fn check_panels([x, y]: &[Panel; 2], shape: Shape) -> Result<()> {
    for (panel, expected, what) in
        [(x, shape.x_cols, "rows of the weights of X"), (y, shape.y_cols, "rows of the weights of Y")]
    {
        if panel.rows() != expected {
            return Err(Error::Length { what, expected, found: panel.rows() });
        }
        let bad = |row: usize| panel.row(row).iter().position(|value| !value.is_finite());
        if let Some((row, column)) = (0..panel.rows()).find_map(|row| Some((row, bad(row)?))) {
            return Err(Error::NotFinite { row, column, value: panel.row(row)[column] });
        }
    }
    Ok(())
}

impl Loop {
    /// The loop that runs, where the method iterates.
    pub(super) fn of(choice: &Choice) -> Option<Loop> {
        match choice.method {
            _ if choice.eliminate.is_some() => Some(Loop::Eliminate),
            Method::Lobpcg | Method::ShiftInvert | Method::Auto => Some(Loop::Lobpcg),
            Method::Als { .. } | Method::DCca { .. } | Method::GCca { .. } | Method::LCca { .. } => {
                Some(Loop::Alternate)
            }
            Method::RpCca { .. } | Method::Gram | Method::Exact => None,
        }
    }
}

impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Loop::Lobpcg => "LOBPCG on both views",
            Loop::Eliminate => "LOBPCG with a view solved away",
            Loop::Alternate => "alternating least squares",
        })
    }
}
