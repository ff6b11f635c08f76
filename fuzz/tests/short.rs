//! A few thousand damaged inputs for every reader, the same in every run. `cargo xtask fuzz` runs more.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::Command;

#[test]
fn damaged_inputs_are_refused_or_read_and_never_crash_a_reader() {
    let output = Command::new(env!("CARGO_BIN_EXE_lcca-fuzz"))
        .args(["--runs", "2000", "--seed", "13"])
        .output()
        .unwrap();
    let [out, errors] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{out}{errors}");
    assert!(out.lines().count() > 20, "every target reports: {out}");
}
