//! The CUDA kernels: compiled with NVRTC, a Python package that needs no GPU, and tested on the GPU of this
//! machine.

use crate::python;
use crate::step::{self, cargo};
use std::process::Command;

/// Compiles the kernels, or checks with the flag `--check` that they are compiled.
pub fn compile(flags: &[&str]) -> Result<(), String> {
    let python = python::environment("target/python-kernels", "crates/lcca-cuda/kernels/requirements.txt")?;
    step::run(Command::new(python).arg("crates/lcca-cuda/kernels/compile.py").args(flags))
}

/// Runs the tests that need a GPU, which fail if there is none.
pub fn test() -> Result<(), String> {
    step::run(&mut cargo("test --release --package lcca-cuda -- --include-ignored"))
}
