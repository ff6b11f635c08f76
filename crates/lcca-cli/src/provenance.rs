//! The origin of a model: files, flags, version and threads, how files were read, and the record of its
//! fit.
//!
//! The origin is JSON in the model's metadata. It contains no clock, because the same fit must give the
//! same bytes. A model without it is still a model.

use lcca::fit::Fit;
use lcca_io::{FitRecord, ReadingRecord};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The origin of the model of a finished fit.
pub fn provenance(
    files: [&Path; 2],
    flags: &[String],
    reading: &ReadingRecord,
    fit: &Fit,
    threads: usize,
) -> Map<String, Value> {
    // The paths are those that the user typed, because the command should be repeatable.
    let [x, y] = files.map(|path| path.display().to_string());
    let facts = json!({
        "x": x,
        "y": y,
        "version": env!("CARGO_PKG_VERSION"),
        "threads": threads,
        "flags": flags,
    });
    let mut provenance = facts.as_object().cloned().unwrap_or_default();
    reading.insert_into(&mut provenance);
    FitRecord::new(fit).insert_into(&mut provenance);
    provenance
}

/// The typed flags that are not settings of the engine.
pub fn read_flags(provenance: &Map<String, Value>) -> Vec<String> {
    let flags = provenance.get("flags").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    flags.iter().filter_map(|flag| flag.as_str().map(str::to_string)).collect()
}
