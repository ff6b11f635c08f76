//! The record of a fit in its model file.
//!
//! JSON in the model's metadata, under `outcome` of its provenance. It holds no times, so that the same fit
//! gives the same bytes. Files of earlier versions hold sentences in place of decisions and notes, which
//! are kept as they are.

use super::wording;
use lcca::data::Side;
use lcca::fit::{Certificate, Fit, HeldOut, TraceRow};
use lcca::outcome::{Decision, Note};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The key of the record in a model's provenance.
const KEY: &str = "outcome";

/// The most iterations that are kept, because the metadata of a file is not a place for more.
const TRACE_POINTS: usize = 1000;

/// The outcome of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored")]
#[non_exhaustive]
pub struct FitRecord {
    /// The full name of the method that ran.
    pub chosen: String,
    /// The decisions of the fit, in order.
    pub decisions: Vec<Recorded<Decision>>,
    /// Notes that the user should know.
    pub notes: Vec<Recorded<Note>>,
    /// Whether the fit converged.
    pub converged: bool,
    /// An estimate of the share of the objective's total that is missing, if the method could tell.
    #[serde(rename = "missing_share")]
    pub missing: Option<f64>,
    /// Passes over the rows.
    pub passes: f64,
    /// Passes over Gram matrices.
    pub gram_passes: f64,
    /// Correlations on held-out rows, if some were held out.
    pub held_out: Option<HeldOut>,
    /// Bounds on the objective values, if the fit was certified.
    #[serde(rename = "certified")]
    pub certificate: Option<Certificate>,
    /// Some iterations, the first and the last among them.
    pub trace: Vec<TracePoint>,
}

/// A decision or a note as a file holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Recorded<T> {
    /// Data of this version.
    Known(T),
    /// A sentence of an earlier version.
    Text(String),
    /// Data of a later version.
    Unknown(Value),
}

/// The state of a fit after an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredPoint")]
#[non_exhaustive]
pub struct TracePoint {
    /// The iteration, from 1.
    pub iteration: usize,
    /// Passes over the rows so far.
    pub passes: f64,
    /// Passes over Gram matrices so far.
    pub gram_passes: f64,
    /// The captured correlation of the current subspaces.
    pub total: f64,
    /// An estimate of the share of the objective's total that is missing, if there was one at this
    /// iteration.
    #[serde(rename = "missing_share")]
    pub missing: Option<f64>,
}

impl FitRecord {
    /// Makes the record of a finished fit.
    pub fn new(fit: &Fit) -> Self {
        FitRecord {
            chosen: fit.chosen.to_string(),
            decisions: fit.decisions.iter().cloned().map(Recorded::Known).collect(),
            notes: fit.notes.iter().cloned().map(Recorded::Known).collect(),
            converged: fit.converged,
            missing: Some(fit.missing).filter(|missing| missing.is_finite()),
            passes: fit.cost.passes,
            gram_passes: fit.cost.gram_passes,
            held_out: fit.held_out.clone(),
            certificate: fit.certificate.clone(),
            trace: thinned(&fit.trace, TRACE_POINTS).map(TracePoint::new).collect(),
        }
    }

    /// The record in a model's provenance; `None` if it has none, or none that can be read.
    pub fn from_provenance(provenance: &Map<String, Value>) -> Option<Self> {
        FitRecord::deserialize(provenance.get(KEY)?).ok()
    }

    /// Adds the record to a model's provenance.
    pub fn insert_into(&self, provenance: &mut Map<String, Value>) {
        // Plain data with text keys always becomes JSON; numbers that are not finite become null.
        let json = serde_json::to_value(self).unwrap_or(Value::Null);
        provenance.insert(KEY.into(), json);
    }

    /// All decisions in one sentence, without a full stop.
    pub fn why(&self) -> String {
        let clauses = self.decisions.iter().map(|decision| decision.sentence(wording::decision));
        clauses.collect::<Vec<_>>().join("; ")
    }

    /// The notes, one sentence each.
    pub fn note_sentences(&self) -> Vec<String> {
        self.notes.iter().map(|note| note.sentence(wording::note)).collect()
    }

    /// The notes as sentences, with columns called by their names. `name` gives the name of a column of a
    /// view.
    pub fn note_sentences_with_names(&self, name: impl Fn(Side, usize) -> Option<String>) -> Vec<String> {
        self.notes.iter().map(|note| note.sentence(|note| wording::note_with_names(note, &name))).collect()
    }
}

impl<T> Recorded<T> {
    fn sentence(&self, known: impl Fn(&T) -> String) -> String {
        match self {
            Recorded::Known(data) => known(data),
            Recorded::Text(text) => text.clone(),
            Recorded::Unknown(json) => format!("{json}, which a later version wrote"),
        }
    }
}

impl TracePoint {
    fn new(row: &TraceRow) -> Self {
        let TraceRow { iteration, passes, gram_passes, total, missing, .. } = *row;
        TracePoint { iteration, passes, gram_passes, total, missing }
    }
}

/// At most `most` of the rows, evenly spaced, with the first and the last.
fn thinned<T>(rows: &[T], most: usize) -> impl Iterator<Item = &T> {
    let kept = rows.len().min(most);
    (0..kept).map(move |i| &rows[i * (rows.len() - 1) / (kept - 1).max(1)])
}

/// A record of any version.
#[derive(Deserialize)]
struct Stored {
    chosen: String,
    /// All decisions as one sentence, in files of earlier versions.
    why: Option<String>,
    #[serde(default)]
    decisions: Vec<Recorded<Decision>>,
    #[serde(default)]
    notes: Vec<Recorded<Note>>,
    converged: bool,
    missing_share: Option<f64>,
    /// The missing part of the total, in files of earlier versions, not as a share of it.
    missing: Option<f64>,
    passes: f64,
    #[serde(default)]
    gram_passes: f64,
    held_out: Option<HeldOut>,
    /// Parsed separately, because a record with an unreadable certificate is still a record.
    #[serde(default)]
    certified: Value,
    #[serde(default)]
    trace: Vec<TracePoint>,
}

/// An iteration of any version.
#[derive(Deserialize)]
struct StoredPoint {
    iteration: usize,
    passes: f64,
    gram_passes: f64,
    total: f64,
    missing_share: Option<f64>,
    missing: Option<f64>,
}

impl From<StoredPoint> for TracePoint {
    fn from(stored: StoredPoint) -> Self {
        let StoredPoint { iteration, passes, gram_passes, total, missing_share, missing } = stored;
        let missing = missing_share.or_else(|| share(missing?, total));
        TracePoint { iteration, passes, gram_passes, total, missing }
    }
}

/// The missing part of a total, as a share of it.
fn share(missing: f64, total: f64) -> Option<f64> {
    Some(missing / total).filter(|share| share.is_finite())
}

impl From<Stored> for FitRecord {
    fn from(stored: Stored) -> Self {
        let text = stored.why.into_iter().map(Recorded::Text);
        let total = stored.trace.last().map_or(f64::NAN, |point| point.total);
        FitRecord {
            chosen: stored.chosen,
            decisions: text.chain(stored.decisions).collect(),
            notes: stored.notes,
            converged: stored.converged,
            missing: stored.missing_share.or_else(|| share(stored.missing?, total)),
            passes: stored.passes,
            gram_passes: stored.gram_passes,
            held_out: stored.held_out,
            certificate: serde_json::from_value(stored.certified).ok(),
            trace: stored.trace,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record() -> FitRecord {
        FitRecord {
            chosen: "lobpcg".into(),
            decisions: vec![Recorded::Known(Decision::RowsMerged { distinct: 2, rows: 3 })],
            notes: vec![Recorded::Known(Note::FewerPairs { pairs: 1, requested: 4 })],
            converged: true,
            missing: Some(0.1),
            passes: 12.5,
            gram_passes: 0.5,
            held_out: None,
            certificate: None,
            trace: vec![TracePoint {
                iteration: 1,
                passes: 1.0,
                gram_passes: 0.0,
                total: 0.3,
                missing: None,
            }],
        }
    }

    fn provenance(json: Value) -> Map<String, Value> {
        json.as_object().cloned().unwrap()
    }

    #[test]
    fn a_record_comes_back_as_it_was() {
        let mut provenance = provenance(json!({ "x": "x.npz" }));
        record().insert_into(&mut provenance);
        let text = serde_json::to_string(&provenance).unwrap();
        assert_eq!(FitRecord::from_provenance(&serde_json::from_str(&text).unwrap()), Some(record()));
        assert!(!text.contains("seconds"), "a model has no clock: {text}");
    }

    #[test]
    fn records_of_earlier_versions_keep_their_sentences() {
        let old = provenance(json!({ "outcome": {
            "chosen": "lobpcg", "why": "asked for; for old reasons", "converged": false, "missing": 0.25, "passes": 7.5,
            "gram_passes": 0.0, "notes": ["a note"], "certified": null,
            "trace": [{ "iteration": 1, "passes": 1.0, "gram_passes": 0.0, "total": 0.5, "missing": null }],
        } }));
        let record = FitRecord::from_provenance(&old).unwrap();
        assert_eq!(record.why(), "asked for; for old reasons");
        assert_eq!(record.note_sentences(), ["a note"]);
        assert_eq!((record.missing, record.passes, record.trace.len()), (Some(0.5), 7.5, 1));
    }

    #[test]
    fn decisions_of_later_versions_do_not_hide_the_rest() {
        let mut json = serde_json::to_value(record()).unwrap();
        json["decisions"] = json!([{ "decision": "thrown-dice", "eyes": 3 }]);
        let record = FitRecord::from_provenance(&provenance(json!({ "outcome": json }))).unwrap();
        assert!(record.converged && record.why().contains("thrown-dice"), "{}", record.why());
    }

    #[test]
    fn models_that_remember_nothing_have_no_record() {
        for origin in [json!({}), json!({ "outcome": 3 }), json!({ "outcome": { "why": "", "trace": [] } })] {
            assert_eq!(FitRecord::from_provenance(&provenance(origin)), None);
        }
    }

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
}
