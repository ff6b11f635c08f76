//! `cargo xtask release`: builds and checks everything that a release consists of, in an environment of its
//! own.

use crate::{python, step};
use std::process::Command;

pub fn run(flags: &[&str]) -> Result<(), String> {
    let python = python::environment("target/python-release", "tools/release/requirements.txt")?;
    step::run(Command::new(python).arg("tools/release").args(flags))
}
