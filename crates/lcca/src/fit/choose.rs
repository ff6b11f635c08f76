//! What `auto` stands for on given data, and why.

use crate::data::{GramEstimate, Pair, Shape, Side};
use crate::error::Result;
use crate::method::{Method, Settings};

/// Passes that LOBPCG usually needs, for comparing costs.
const USUAL_PASSES: f64 = 40.0;

/// Operations that take no time worth saving: up to here the classical way is taken for its last digits.
const TRIVIAL: f64 = 1e9;

/// Forming an entry's share of a Gram matrix costs about this share of multiplying it with a panel's row.
const FORMING: f64 = 0.25;

/// A method, and the reason for it in plain words.
#[derive(Clone)]
pub(super) struct Choice {
    pub method: Method,
    pub why: String,
    /// A view to be solved away.
    pub eliminate: Option<Side>,
    /// Whether to form the joint Gram matrix and iterate on that, with what it is expected to hold.
    pub gram: Option<GramEstimate>,
}

impl Choice {
    fn plain(method: Method, why: impl Into<String>) -> Self {
        Choice { method, why: why.into(), eliminate: None, gram: None }
    }
}

/// Classical CCA where that is cheaper and fits the memory, else LOBPCG.
pub(super) fn choose(pair: &dyn Pair, settings: &Settings) -> Result<Choice> {
    let mut choice = choose_method(pair, settings)?;
    let iterates = matches!(choice.method, Method::Lobpcg | Method::ShiftInvert);
    if iterates && settings.structure || choice.method == Method::ShiftInvert {
        choice.gram = gram_mode(pair, &choice, settings)?;
    }
    Ok(choice)
}

fn choose_method(pair: &dyn Pair, settings: &Settings) -> Result<Choice> {
    if let Some(side) = one_hot(pair, settings) {
        let why =
            format!("{side} is one-hot, so it is solved exactly and only the other view is iterated on");
        return Ok(Choice { eliminate: Some(side), ..Choice::plain(Method::Lobpcg, why) });
    }
    if settings.method != Method::Auto {
        return Ok(Choice::plain(settings.method, "asked for"));
    }
    let Shape { rows, x_cols, y_cols } = pair.shape();
    let width = (1 + x_cols + y_cols) as f64;
    let count = |side: Side| -> Result<u64> { Ok(pair.moments(side)?.count.iter().sum()) };
    let entries = count(Side::X)? + count(Side::Y)?;
    let exact = 2.0 * rows as f64 * width * width + 20.0 * width.powi(3);
    let gram = 0.5 * rows as f64 * width * width + 10.0 * width.powi(3);
    let iterative = USUAL_PASSES * 6.0 * entries as f64 * (1.5 * settings.k as f64);
    // The factors of both views, their stacks while QR runs, and its copies.
    let memory = 8.0 * 16.0 * width * width;
    if memory > settings.memory as f64 {
        let columns = x_cols + y_cols;
        let why = format!("the views are too wide for QR and SVD in the memory allowed: {columns} columns");
        return Ok(Choice::plain(Method::Lobpcg, why));
    }
    let method = match exact <= TRIVIAL {
        true => Method::Exact,
        false if gram < iterative => Method::Gram,
        false => Method::Lobpcg,
    };
    let why = format!(
        "QR and SVD would take about {exact:.0e} operations, Gram matrices {gram:.0e}, iterating {iterative:.0e}"
    );
    Ok(Choice::plain(method, why))
}

/// Whether passes over Gram matrices touch so much less than passes over rows that forming them pays.
fn gram_mode(pair: &dyn Pair, choice: &Choice, settings: &Settings) -> Result<Option<GramEstimate>> {
    let Some(estimate) = pair.joint_gram_estimate()? else { return Ok(None) };
    let columns = 1.5 * settings.k as f64;
    let by_rows = USUAL_PASSES * estimate.touched * columns;
    let by_grams = USUAL_PASSES * estimate.entries * columns + FORMING * estimate.work;
    // The four blocks while they are put together, and a transposed view.
    let bytes = 24.0 * estimate.entries + 4.0 * estimate.touched;
    let asked = choice.method == Method::ShiftInvert;
    Ok((asked || by_grams < by_rows && bytes < settings.memory as f64).then_some(estimate))
}

/// The one-hot view, the wider of two, where structure may be used and nothing else was asked for.
fn one_hot(pair: &dyn Pair, settings: &Settings) -> Option<Side> {
    let wanted = settings.structure && matches!(settings.method, Method::Auto | Method::Lobpcg);
    let sides = Side::BOTH.into_iter().filter(|&side| wanted && pair.is_one_hot(side));
    sides.max_by_key(|&side| pair.shape().cols(side))
}
