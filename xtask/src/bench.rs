//! `cargo xtask bench NAME`: one comparison with peers, in an environment of its own.

use crate::{python, step};
use std::process::Command;

const HOME: &str = "target/python-bench";

pub fn run(name: &str, flags: &[&str]) -> Result<(), String> {
    let script = match name {
        "kernel" => "bench/kernel.py",
        _ => return Err(format!("`{name}` is not a benchmark; there is: kernel")),
    };
    let python = python::environment(HOME, "bench/requirements.txt")?;
    if let Err(reason) = python::install(HOME, "bench/requirements-optional.txt") {
        step::note(&format!("going on without the optional peers: {reason}"));
    }
    step::run(Command::new(python).arg(script).args(flags))
}
