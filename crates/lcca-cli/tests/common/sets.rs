//! Data sets with known answers: generated ones everywhere, and the public originals if they are prepared.

use super::{on_ci, workspace};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A folder of data sets.
pub struct Sets {
    pub folder: PathBuf,
    pub is_real: bool,
    truths: Value,
}

impl Sets {
    /// A known number of a data set.
    pub fn truth(&self, set: &str, what: &str) -> f64 {
        let number = self.truths[set][what].as_f64();
        number.unwrap_or_else(|| panic!("no {what} of {set} in {}", self.folder.display()))
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }
}

/// The folders that have the file or set `name`. If there are none, says that the test is skipped.
pub fn sets_with(name: &str) -> Vec<Sets> {
    let raw = workspace().join("../shared/data");
    let generated = named("LCCA_GENERATED", true).map(|folder| {
        let truths = std::fs::read(folder.join("truths.json")).unwrap();
        Sets { truths: serde_json::from_slice(&truths).unwrap(), is_real: false, folder }
    });
    let real = named("LCCA_DATA", raw.exists()).map(|folder| Sets { folder, is_real: true, truths: known() });
    let folders = generated.into_iter().chain(real).filter(|sets| sets.path(name).exists());
    let found: Vec<Sets> = folders.collect();
    if found.is_empty() {
        println!("skipped: {name} is not in $LCCA_GENERATED or $LCCA_DATA");
    }
    found
}

/// The folder in an environment variable. CI must set the variable if it is `expected`.
fn named(variable: &str, expected: bool) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    assert!(folder.is_some() || !(on_ci() && expected), "{variable} is not set");
    folder
}

/// Answers on the public sets, k = 20, computed independently of this project.
fn known() -> Value {
    json!({
        "brown": { "total": 14.994762323 },
        "mnist": { "total": 16.97992 },
        "tatoeba": { "objective": 19.8712562, "held_out": 19.8810 },
        "url": { "rows": 5700 },
    })
}
