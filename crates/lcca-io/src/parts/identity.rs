//! The identity of a fit: the settings that decide its path, the shape of the data, a checksum of every
//! column's moments, and a fingerprint of the rows. The rows may be in another order than before, if it is
//! the same in both views. Moments are rounded to about a thousandth, because their last digits depend on
//! the order of summation.

use super::fingerprint::{agree, fingerprint};
use crate::error::{Fault, Outcome, one_line};
use lcca::data::{Moments, Pair, Side};
use lcca::method::Settings;
use serde_json::{Map, Value, json};

/// Settings that limit how long a fit runs or what resources it may use, and do not change its path.
const FREE: [&str; 5] = ["tol", "max_passes", "memory", "t1", "variables"];

/// The key of the fingerprint. Files of the first version have none.
const ROWS: &str = "fingerprint of the rows";

/// The result of comparing a stored identity with that of the fit at hand.
pub(crate) enum Comparison {
    Same,
    /// No difference was found, but the file has no fingerprint of the rows.
    SameAsFarAsKnown,
    /// The difference, in words.
    Different(String),
}

/// The facts by which a fit is recognized, in the order in which differences are reported.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity(Vec<(String, Value)>);

impl Identity {
    /// The identity of a fit to this data with these settings. Reads the moments, which the fit
    /// needs anyway, and passes over the rows once.
    pub fn new(pair: &dyn Pair, settings: &Settings) -> lcca::Result<Self> {
        let shape = pair.shape();
        let mut facts = vec![
            ("rows".to_string(), json!(shape.rows)),
            ("columns of X".to_string(), json!(shape.x_cols)),
            ("columns of Y".to_string(), json!(shape.y_cols)),
        ];
        facts.extend(choices(settings));
        for side in Side::BOTH {
            facts.push((numbers_of(side), json!(checksum(pair.moments(side)?))));
        }
        facts.push((ROWS.into(), json!(fingerprint(pair)?)));
        Ok(Identity(facts))
    }

    pub(crate) fn to_json(&self) -> String {
        Value::Object(self.0.iter().cloned().collect()).to_string()
    }

    /// Compares with the fit that `json` describes.
    pub(crate) fn compare(&self, json: &str) -> Outcome<Comparison> {
        let there: Map<String, Value> =
            serde_json::from_str(json).map_err(|error| Fault::new(one_line(&error)).within("identity"))?;
        for (key, here) in self.0.iter().filter(|(key, _)| key != ROWS) {
            let there = there.get(key).unwrap_or(&Value::Null);
            if there != here && !(there.is_null() && is_as_before(key, here)) {
                return Ok(Comparison::Different(difference(key, there, here)));
            }
        }
        let here = self.0.iter().find(|(key, _)| key == ROWS);
        Ok(match there.get(ROWS) {
            None => Comparison::SameAsFarAsKnown,
            Some(there) if here.is_some_and(|(_, here)| agree(&list(here), &list(there))) => Comparison::Same,
            Some(_) => Comparison::Different(
                "other data: rows held other numbers or were paired otherwise then".into(),
            ),
        })
    }
}

/// Whether the value of a setting that older files lack is the one that older versions used.
fn is_as_before(key: &str, here: &Value) -> bool {
    match key {
        "scale" => here != "yes",
        "metric_x" | "metric_y" => here == "cca",
        "normalize_x" | "normalize_y" => here == "no",
        _ => false,
    }
}

fn list(numbers: &Value) -> Vec<f64> {
    numbers.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

fn difference(key: &str, there: &Value, here: &Value) -> String {
    if let Some(side) = Side::BOTH.into_iter().find(|&side| numbers_of(side) == key) {
        return format!("other data: {side} held other numbers then");
    }
    let [there, here] = [there, here].map(|value| match value {
        Value::Null => "not set".to_string(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    format!("{key} is {there} there and {here} here")
}

fn numbers_of(side: Side) -> String {
    format!("numbers of {side}")
}

/// The settings that decide the path, with the method's parameters among them.
fn choices(settings: &Settings) -> Vec<(String, Value)> {
    let (metrics, normalization) = ([settings.metric_x, settings.metric_y], settings.normalization());
    let Ok(Value::Object(mut settings)) = serde_json::to_value(settings) else { return Vec::new() };
    let mut choices = Vec::new();
    if let Some(Value::Object(method)) = settings.remove("method") {
        choices.extend(method.into_iter().map(|(key, value)| match key.as_str() {
            "name" => ("method".into(), value),
            _ => (key, value),
        }));
    }
    // The default is not stored, but the comparison needs it, because it differs from other choices.
    for (key, metric) in [("metric_x", metrics[0]), ("metric_y", metrics[1])] {
        settings.insert(key.into(), metric.name().into());
    }
    for (key, normalize) in [("normalize_x", normalization[0]), ("normalize_y", normalization[1])] {
        settings.insert(key.into(), normalize.name().into());
    }
    choices.extend(settings);
    choices.retain(|(key, _)| !FREE.contains(&key.as_str()));
    choices
}

fn checksum(moments: &Moments) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(bytemuck::cast_slice(&moments.count));
    hasher.update(&step(moments.weight.ln()));
    for (sum, square) in moments.sum.iter().zip(&moments.square) {
        let length = (moments.weight * square).sqrt();
        hasher.update(&step(square.ln()));
        hasher.update(&step(if length > 0.0 { sum / length } else { 0.0 }));
    }
    hasher.finalize()
}

/// Rounds a number to a thousandth, as bytes. The borders between steps are shifted by an odd amount,
/// because shares of rows and their roots are common values, and none of them lies on a shifted border.
fn step(number: f64) -> [u8; 8] {
    ((number * 1000.0 + 0.37).round() as i64).to_le_bytes()
}
