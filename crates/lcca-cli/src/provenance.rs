//! What a model remembers of the fit that made it: written by `lcca fit`, read by `lcca report`.
//!
//! JSON in the model's metadata. No clock is in it: the same fit gives the same bytes. A model that says nothing, or
//! something else, is still a model; what it does not say is `None` here.

use crate::args::FitArgs;
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
    pub trace: Vec<Moment>,
}

/// Where a fit stood after an iteration.
pub struct Moment {
    /// Over rows and Gram matrices together.
    pub passes: f64,
    pub total: f64,
    pub missing: Option<f64>,
}

/// What is written into the model of a finished fit.
pub fn of_fit(args: &FitArgs, fit: &Fit, threads: usize) -> Map<String, Value> {
    let facts = json!({
        "x": file_name(&args.x),
        "y": file_name(&args.y),
        "version": env!("CARGO_PKG_VERSION"),
        "threads": threads,
        "flags": flags(args),
        "outcome": outcome(fit),
    });
    facts.as_object().cloned().unwrap_or_default()
}

fn file_name(path: &Path) -> Option<String> {
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// What was typed and is no setting of the engine, but changes what is read or done.
fn flags(args: &FitArgs) -> Vec<String> {
    let reading = &args.reading;
    let with_value = [
        ("--row-weights", args.problem.row_weights.as_deref().and_then(file_name)),
        ("--x-cols", reading.x_cols.map(|cols| cols.to_string())),
        ("--y-cols", reading.y_cols.map(|cols| cols.to_string())),
        ("--memory", args.problem.memory.clone()),
    ];
    let alone = [("--zero-based", reading.zero_based), ("--certify", args.certify)];
    let pairs = with_value.into_iter().filter_map(|(flag, value)| Some([flag.to_string(), value?]));
    pairs.flatten().chain(alone.into_iter().filter(|flag| flag.1).map(|flag| flag.0.into())).collect()
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
        "trace": thinned(&fit.trace, TRACE_ROWS).map(moment).collect::<Vec<_>>(),
    })
}

fn moment(row: &TraceRow) -> Value {
    let TraceRow { iteration, passes, gram_passes, total, missing, .. } = row;
    json!({ "iteration": iteration, "passes": passes, "gram_passes": gram_passes, "total": total, "missing": missing })
}

/// At most `most` of the rows, evenly spaced, with the first and the last.
fn thinned<T>(rows: &[T], most: usize) -> impl Iterator<Item = &T> {
    let kept = rows.len().min(most);
    (0..kept).map(move |i| &rows[i * (rows.len() - 1) / (kept - 1).max(1)])
}

/// How the fit ended; `None` where the model does not say.
pub fn outcome_in(provenance: &Map<String, Value>) -> Option<Outcome> {
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
        trace: told["trace"].as_array()?.iter().filter_map(read_moment).collect(),
    })
}

fn read_moment(told: &Value) -> Option<Moment> {
    Some(Moment {
        passes: told["passes"].as_f64()? + told["gram_passes"].as_f64()?,
        total: told["total"].as_f64()?,
        missing: told["missing"].as_f64(),
    })
}

/// What was typed besides settings.
pub fn flags_in(provenance: &Map<String, Value>) -> Vec<String> {
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
            assert!(outcome_in(told.as_object().unwrap_or(&Map::new())).is_none());
        }
    }
}
