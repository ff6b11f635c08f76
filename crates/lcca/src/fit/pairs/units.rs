//! The units in which covariances are measured while a fit iterates.
//!
//! The iteration and its estimates of the missing total take objective values to be at most 1, as
//! correlations are. If the metric of a view is not that of CCA, wᵀw = 1 does not bound them; with B =
//! u·n·I and u at least the largest variance of a variable of unit length, (1/n)·λ₁(C), they are. That
//! eigenvalue is found by a few block power steps, from below, so a margin is added. A larger u than needed
//! changes no answer.

use crate::data::{Counting, Normal, Pair, Side};
use crate::error::Result;
use crate::matrix::Panel;
use crate::method::Settings;
use crate::panels;
use crate::random::{Purpose, normal_panel};
use crate::whiten::orthonormalize;

/// The number of columns of the power iteration.
const COLUMNS: usize = 8;
/// The number of steps of the power iteration, half a pass each.
const STEPS: usize = 5;
/// The largest variance may exceed the one that was found by this factor.
const MARGIN: f64 = 1.25;

/// The unit u of each view; 1 if its metric is that of CCA, or if nothing iterates.
pub(in crate::fit) fn units(pair: &Counting<'_>, settings: &Settings, iterates: bool) -> Result<[f64; 2]> {
    let mut units = [1.0; 2];
    for (side, unit) in Side::BOTH.into_iter().zip(&mut units) {
        if iterates && !settings.metric_of(side).is_cca() {
            *unit = MARGIN * largest_variance(pair, side, settings.seed)?;
        }
    }
    Ok(units)
}

/// About λ₁(C)/n of one view.
fn largest_variance(pair: &dyn Pair, side: Side, seed: u64) -> Result<f64> {
    let normal = Normal::absolute(pair, side, 0.0);
    let columns = COLUMNS.min(normal.size());
    let mut w = normal_panel(normal.size(), columns, seed, Purpose::ProbeX);
    let mut product = Panel::zeros(normal.size(), columns);
    for step in 0..STEPS {
        orthonormalize(&mut w);
        normal.apply(&w, &mut product)?;
        if step + 1 < STEPS {
            std::mem::swap(&mut w, &mut product);
        }
    }
    let small = panels::symmetric_cross(&w, &product);
    let values = small.self_adjoint_eigenvalues(faer::Side::Lower);
    let largest = values.map_err(|_| crate::Error::Factorization("WᵀCW"))?.last().copied().unwrap_or(0.0);
    Ok(largest / pair.moments(side)?.weight)
}
