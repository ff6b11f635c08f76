//! What `auto` stands for on given data, and why.

use crate::data::{Pair, Shape, Side};
use crate::error::Result;
use crate::method::{Method, Settings};

/// Passes that LOBPCG usually needs, for comparing costs.
const USUAL_PASSES: f64 = 40.0;

/// Operations that take no time worth saving: up to here the classical way is taken for its last digits.
const TRIVIAL: f64 = 1e9;

/// A method, and the reason for it in plain words.
pub(super) struct Choice {
    pub method: Method,
    pub why: String,
    /// A view to be solved away.
    pub eliminate: Option<Side>,
}

/// Classical CCA where that is cheaper and fits the memory, else LOBPCG.
pub(super) fn choose(pair: &dyn Pair, settings: &Settings) -> Result<Choice> {
    if let Some(side) = one_hot(pair, settings) {
        let why =
            format!("{side} is one-hot, so it is solved exactly and only the other view is iterated on");
        return Ok(Choice { method: Method::Lobpcg, why, eliminate: Some(side) });
    }
    if settings.method != Method::Auto {
        return Ok(Choice { method: settings.method, why: "asked for".into(), eliminate: None });
    }
    let Shape { rows, x_cols, y_cols } = pair.shape();
    let width = (1 + x_cols + y_cols) as f64;
    let count = |side: Side| -> Result<u64> { Ok(pair.moments(side)?.count.iter().sum()) };
    let entries = count(Side::X)? + count(Side::Y)?;
    let exact = 2.0 * rows as f64 * width * width + 20.0 * width.powi(3);
    let iterative = USUAL_PASSES * 6.0 * entries as f64 * (1.5 * settings.k as f64);
    // The factors of both views, their stacks while QR runs, and its copies.
    let memory = 8.0 * 16.0 * width * width;
    let costs =
        format!("QR and SVD would take about {exact:.0e} operations, iterating about {iterative:.0e}");
    if memory > settings.memory as f64 {
        let why = format!(
            "the views are too wide for QR and SVD in the memory allowed: {} columns",
            x_cols + y_cols
        );
        return Ok(Choice { method: Method::Lobpcg, why, eliminate: None });
    }
    let method = if exact < iterative.max(TRIVIAL) { Method::Exact } else { Method::Lobpcg };
    Ok(Choice { method, why: costs, eliminate: None })
}

/// The one-hot view, the wider of two, where structure may be used and nothing else was asked for.
fn one_hot(pair: &dyn Pair, settings: &Settings) -> Option<Side> {
    let wanted = settings.structure && matches!(settings.method, Method::Auto | Method::Lobpcg);
    let sides = Side::BOTH.into_iter().filter(|&side| wanted && pair.is_one_hot(side));
    sides.max_by_key(|&side| pair.shape().cols(side))
}
