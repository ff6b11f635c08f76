//! What `auto` stands for on given data, and why.

use crate::data::{Pair, Shape, Side};
use crate::error::Result;
use crate::method::{Method, Settings};

/// Passes that LOBPCG usually needs, for comparing costs.
const USUAL_PASSES: f64 = 40.0;

/// A method, and the reason for it in plain words.
pub(super) struct Choice {
    pub method: Method,
    pub why: String,
}

/// Classical CCA where that is cheaper and fits the memory, else LOBPCG.
pub(super) fn choose(pair: &dyn Pair, settings: &Settings) -> Result<Choice> {
    if settings.method != Method::Auto {
        return Ok(Choice { method: settings.method, why: "asked for".into() });
    }
    let Shape { rows, x_cols, y_cols } = pair.shape();
    let width = (1 + x_cols + y_cols) as f64;
    let count = |side: Side| -> Result<u64> { Ok(pair.moments(side)?.count.iter().sum()) };
    let entries = count(Side::X)? + count(Side::Y)?;
    let exact = 2.0 * rows as f64 * width * width + 20.0 * width.powi(3);
    let iterative = USUAL_PASSES * 6.0 * entries as f64 * (1.5 * settings.k as f64);
    let memory = 8.0 * 16.0 * width * width;
    let costs =
        format!("QR and SVD would take about {exact:.0e} operations, iterating about {iterative:.0e}");
    if memory > settings.memory as f64 {
        let why = format!(
            "the views are too wide for QR and SVD in the memory allowed: {} columns",
            x_cols + y_cols
        );
        return Ok(Choice { method: Method::Lobpcg, why });
    }
    let method = if exact < iterative { Method::Exact } else { Method::Lobpcg };
    Ok(Choice { method, why: costs })
}
