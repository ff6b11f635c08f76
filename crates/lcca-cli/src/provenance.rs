//! What a model remembers of its fit: written by `lcca fit`, read by `lcca report`.
//!
//! It is JSON in the model's metadata. It contains no clock, so that the same fit gives the same bytes. A model without it is
//! still a model.

use lcca::fit::{Certificate, Fit, TraceRow};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Iterations kept of a trace, at most: the metadata of a file is no place for more.
const TRACE_ROWS: usize = 1000;

/// How a fit ended, as far as its model says.
pub struct Outcome {
    /// The method that ran, and why.
    pub chosen: String,
    pub why: String,
    pub converged: bool,
    /// What is about missing from the objective's total; `None` where the method could not tell.
    pub missing: Option<f64>,
    pub passes: f64,
    pub gram_passes: f64,
    pub notes: Vec<String>,
    pub certificate: Option<Certificate>,
    /// Some iterations, the first and the last among them.
    pub trace: Vec<TracePoint>,
}

/// Where a fit stood after an iteration.
pub struct TracePoint {
    /// Over rows and Gram matrices together.
    pub passes: f64,
    pub total: f64,
    pub missing: Option<f64>,
}

/// What is written into the model of a finished fit.
pub fn of_fit(files: [&Path; 2], flags: &[String], fit: &Fit, threads: usize) -> Map<String, Value> {
    let file_name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let facts = json!({
        "x": file_name(files[0]),
        "y": file_name(files[1]),
        "version": env!("CARGO_PKG_VERSION"),
        "threads": threads,
        "flags": flags,
        "outcome": outcome(fit),
    });
    facts.as_object().cloned().unwrap_or_default()
}

fn outcome(fit: &Fit) -> Value {
    json!({
        "chosen": fit.chosen.full_name(),
        "why": fit.why,
        "converged": fit.converged,
        "missing": fit.missing,
        "passes": fit.cost.passes,
        "gram_passes": fit.cost.gram_passes,
        "notes": fit.notes,
        "certified": fit.certificate,
        "trace": thinned(&fit.trace, TRACE_ROWS).map(trace_point).collect::<Vec<_>>(),
    })
}

fn trace_point(row: &TraceRow) -> Value {
    let TraceRow { iteration, passes, gram_passes, total, missing, .. } = row;
    json!({ "iteration": iteration, "passes": passes, "gram_passes": gram_passes, "total": total, "missing": missing })
}

/// At most `most` of the rows, evenly spaced, with the first and the last.
fn thinned<T>(rows: &[T], most: usize) -> impl Iterator<Item = &T> {
    let kept = rows.len().min(most);
    (0..kept).map(move |i| &rows[i * (rows.len() - 1) / (kept - 1).max(1)])
}

/// How the fit ended; `None` where the model does not say.
pub fn read_outcome(provenance: &Map<String, Value>) -> Option<Outcome> {
    let told = provenance.get("outcome")?;
    Some(Outcome {
        chosen: told["chosen"].as_str()?.to_string(),
        why: told["why"].as_str()?.to_string(),
        converged: told["converged"].as_bool()?,
        missing: told["missing"].as_f64(),
        passes: told["passes"].as_f64()?,
        gram_passes: told["gram_passes"].as_f64()?,
        notes: texts(&told["notes"]),
        certificate: serde_json::from_value(told["certified"].clone()).ok(),
        trace: told["trace"].as_array()?.iter().filter_map(read_trace_point).collect(),
    })
}

fn read_trace_point(told: &Value) -> Option<TracePoint> {
    Some(TracePoint {
        passes: told["passes"].as_f64()? + told["gram_passes"].as_f64()?,
        total: told["total"].as_f64()?,
        missing: told["missing"].as_f64(),
    })
}

/// What was typed besides settings.
pub fn read_flags(provenance: &Map<String, Value>) -> Vec<String> {
    provenance.get("flags").map(texts).unwrap_or_default()
}

fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| item.as_str().map(str::to_string)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_both_ends_and_the_order() {
        let rows: Vec<usize> = (0..4321).collect();
        let kept: Vec<usize> = thinned(&rows, 100).copied().collect();
        assert_eq!((kept.len(), kept[0], kept[99]), (100, 0, 4320));
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
        for few in [0, 1, 2, 100] {
            assert_eq!(thinned(&rows[..few], 100).count(), few);
        }
    }

    #[test]
    fn what_is_not_there_is_not_told() {
        for told in [json!({}), json!({ "outcome": 3 }), json!({ "outcome": { "why": "", "trace": [] } })] {
            assert!(read_outcome(told.as_object().unwrap_or(&Map::new())).is_none());
        }
    }
}
