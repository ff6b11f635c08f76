//! How the fit converged: captured total and estimated missing share, iteration by iteration.
//!
//! The horizontal axis is passes, not seconds: a model has no clock in it, so that the same fit gives the same bytes.

use super::numbers::small;
use super::subject::Subject;
use crate::html::chart::{Chart, Series};
use crate::html::element;
use lcca_io::{FitRecord, TracePoint};

const PASSES: &str = "passes over rows and Gram matrices";

pub fn charts(subject: &Subject<'_>, record: Option<&FitRecord>) -> Vec<Chart> {
    let Some(record) = record.filter(|record| record.trace.len() > 1) else { return Vec::new() };
    let is_cca = subject.model.settings.is_cca();
    let what = if is_cca { "captured total" } else { "sum of covariances" };
    let mut charts = vec![captured(&record.trace, what)];
    if has_estimates(&record.trace) {
        charts.push(missing(subject, &record.trace));
    }
    charts
}

fn has_estimates(trace: &[TracePoint]) -> bool {
    trace.iter().any(|point| point.missing.is_some())
}

/// Passes over rows and Gram matrices together.
fn all_passes(point: &TracePoint) -> f64 {
    point.passes + point.gram_passes
}

fn captured(trace: &[TracePoint], what: &'static str) -> Chart {
    Chart {
        id: "captured".into(),
        description: format!("{what} after each iteration"),
        x_label: PASSES,
        y_label: what,
        x_counts: false,
        x_log: false,
        y_log: false,
        y_ends: None,
        limit: None,
        series: vec![Series {
            name: what,
            points: trace.iter().map(|point| (all_passes(point), point.total)).collect(),
            dashed: false,
        }],
    }
}

fn missing(subject: &Subject<'_>, trace: &[TracePoint]) -> Chart {
    let tol = subject.model.settings.tol;
    let share = |point: &TracePoint| Some((all_passes(point), point.missing?));
    Chart {
        id: "rest".into(),
        description: "estimated share of the total that is missing after each iteration".into(),
        y_label: "share missing, estimated",
        y_log: true,
        limit: Some((tol, format!("allowed: {}", small(tol)))),
        series: vec![Series {
            name: "share missing",
            points: trace.iter().filter_map(share).collect(),
            dashed: false,
        }],
        ..captured(&[], "")
    }
}

pub fn section(record: Option<&FitRecord>) -> String {
    let content = match record.map(|record| &record.trace[..]) {
        None => element::remark(
            "The model holds no trace of its fit: it was written by another version or another program.",
        ),
        Some([] | [_]) => element::remark("The fit took one step, so there is nothing to trace."),
        Some(trace) => {
            let missing = if has_estimates(trace) {
                element::chart("rest", "The estimated share of the total that is missing.")
            } else {
                element::remark("No iteration came with an estimate of what is missing.")
            };
            let captured = element::chart("captured", "The sum of correlations captured so far.");
            format!("<div class=\"sides\">\n{captured}{missing}</div>\n")
        }
    };
    element::section("convergence", "Convergence", &content)
}
