//! What tells one fit from another: the settings that decide its path, the shape of the data, and a checksum of every
//! column's moments. Which rows stand beside which is not part of it; a checkpoint's products are formed afresh anyway.
//! Moments count in steps of about a thousandth: where rows are added up in another order, their last digits differ.

use crate::error::{Fault, Outcome, one_line};
use lcca::data::{Moments, Pair, Side};
use lcca::method::Settings;
use serde_json::{Map, Value, json};

/// Settings that say how long a fit goes on or what it may use, not where it goes.
const FREE: [&str; 4] = ["tol", "max_passes", "memory", "t1"];

/// The facts by which a fit is known again, in the order in which differences are told.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity(Vec<(String, Value)>);

impl Identity {
    /// Of a fit to this data with these settings. Reads the moments, which the fit needs anyway.
    pub fn of(pair: &dyn Pair, settings: &Settings) -> lcca::Result<Self> {
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
        Ok(Identity(facts))
    }

    pub(crate) fn to_json(&self) -> String {
        Value::Object(self.0.iter().cloned().collect()).to_string()
    }

    /// What differs from the fit described by `json`, in words.
    pub(crate) fn difference(&self, json: &str) -> Outcome<Option<String>> {
        let there: Map<String, Value> =
            serde_json::from_str(json).map_err(|error| Fault::new(one_line(&error)).within("identity"))?;
        let told = |(key, here): &(String, Value)| {
            let there = there.get(key).unwrap_or(&Value::Null);
            (there != here).then(|| difference(key, there, here))
        };
        Ok(self.0.iter().find_map(told))
    }
}

fn difference(key: &str, there: &Value, here: &Value) -> String {
    if let Some(side) = Side::BOTH.into_iter().find(|&side| numbers_of(side) == key) {
        return format!("{side} held other numbers then");
    }
    let told = |value: &Value| match value {
        Value::Null => "not set".to_string(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    format!("{key} is {} there and {} here", told(there), told(here))
}

fn numbers_of(side: Side) -> String {
    format!("numbers of {side}")
}

/// The settings that matter, the method's parameters among them.
fn choices(settings: &Settings) -> Vec<(String, Value)> {
    let Ok(Value::Object(mut settings)) = serde_json::to_value(settings) else { return Vec::new() };
    let mut choices = Vec::new();
    if let Some(Value::Object(method)) = settings.remove("method") {
        let rename =
            |(key, value): (String, Value)| (if key == "name" { "method".into() } else { key }, value);
        choices.extend(method.into_iter().map(rename));
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

/// A number to a thousandth, as bytes. Steps end at odd places, where no root of a share of rows lies.
fn step(number: f64) -> [u8; 8] {
    ((number * 1000.0 + 0.37).round() as i64).to_le_bytes()
}
