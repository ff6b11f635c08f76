//! Compares answers with NumPy's dense factorizations, if `LCCA_PYTHON` names a Python with NumPy and
//! SciPy.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{Folder, gap, numbers, on_ci};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const K: usize = 6;

/// The answers of Python, which also makes the views; or says that the test is skipped.
fn reference(folder: &Folder) -> Option<Value> {
    let Some(python) = std::env::var_os("LCCA_PYTHON") else {
        assert!(!on_ci(), "LCCA_PYTHON is not set");
        println!("skipped: LCCA_PYTHON is not set");
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python_reference.py");
    let output = Command::new(python).arg(script).arg(folder.path(".")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn exact_methods_agree_with_numpy() {
    let folder = Folder::new();
    let Some(truth) = reference(&folder) else { return };
    for flags in ["", "--no-center", "--ridge 0.1"] {
        let truth = &numbers(&truth, flags)[..K];
        for method in ["exact", "als --t1 500"] {
            let fit =
                folder.json(&format!("fit x.npz y.npz -k {K} --tol 1e-6 --strict --method {method} {flags}"));
            let gap = gap(&numbers(&fit, "objective"), truth);
            println!("{method} {flags}: {gap:.1e}");
            assert!(gap < 1e-9, "{method} {flags}: {gap:e} {truth:?} {fit}");
            if !flags.contains("ridge") {
                assert_eq!(numbers(&fit, "correlations").len(), K);
                let gap = common::gap(&numbers(&fit, "correlations"), truth);
                assert!(gap < 1e-9, "{method} {flags}: {gap:e}");
            }
        }
    }
}
