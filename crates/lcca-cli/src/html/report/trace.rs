//! How the fit got there: captured total and estimated rest, iteration by iteration.
//!
//! Against passes, not seconds: a model has no clock in it, so that the same fit gives the same bytes.

use super::{Subject, small};
use crate::html::chart::{Chart, Series};
use crate::html::element;
use crate::provenance::{Moment, Outcome};

const PASSES: &str = "passes over rows and Gram matrices";

pub fn charts(subject: &Subject<'_>, outcome: Option<&Outcome>) -> Vec<Chart> {
    let Some(outcome) = outcome.filter(|outcome| outcome.trace.len() > 1) else { return Vec::new() };
    let mut charts = vec![captured(&outcome.trace)];
    if estimates(&outcome.trace) {
        charts.push(rest(subject, &outcome.trace));
    }
    charts
}

fn estimates(trace: &[Moment]) -> bool {
    trace.iter().any(|moment| moment.missing.is_some())
}

fn captured(trace: &[Moment]) -> Chart {
    Chart {
        id: "captured".into(),
        description: "captured correlation after every iteration".into(),
        x_label: PASSES,
        y_label: "captured total",
        x_counts: false,
        x_log: false,
        y_log: false,
        y_ends: None,
        limit: None,
        series: vec![Series {
            name: "captured total",
            points: trace.iter().map(|m| (m.passes, m.total)).collect(),
            dashed: false,
        }],
    }
}

fn rest(subject: &Subject<'_>, trace: &[Moment]) -> Chart {
    let tol = subject.model.settings.tol;
    let point = |m: &Moment| Some((m.passes, m.missing? / m.total));
    Chart {
        id: "rest".into(),
        description: "estimated share of the total that is missing after every iteration".into(),
        y_label: "share missing, estimated",
        y_log: true,
        limit: Some((tol, format!("allowed: {}", small(tol)))),
        series: vec![Series {
            name: "share missing",
            points: trace.iter().filter_map(point).collect(),
            dashed: false,
        }],
        ..captured(&[])
    }
}

pub fn section(outcome: Option<&Outcome>) -> String {
    let content = match outcome.map(|outcome| &outcome.trace[..]) {
        None => element::remark(
            "The model holds no trace of its fit: it was written by another version or another program.",
        ),
        Some([] | [_]) => element::remark("The fit took one step, so there is nothing to trace."),
        Some(trace) => {
            let rest = match estimates(trace) {
                true => element::chart("rest", "What is about missing from the total, as a share of it."),
                false => element::remark("No iteration came with an estimate of what is missing."),
            };
            let captured = element::chart("captured", "The sum of correlations captured so far.");
            format!("<div class=\"sides\">\n{captured}{rest}</div>\n")
        }
    };
    element::section("convergence", "Convergence", &content)
}
