//! The Python package: built as users build it, by maturin into an environment of its own, then tested.

use crate::{data, python, step};
use std::path::{self, Path, PathBuf};
use std::process::Command;

/// The folder of the package's environment.
pub const HOME: &str = "target/python-package";

/// Builds the package into its environment, which is created if needed, and returns the environment's Python.
pub fn build() -> Result<PathBuf, String> {
    build_with(&[])
}

fn build_with(arguments: &[&str]) -> Result<PathBuf, String> {
    let python = python::environment(HOME, "python/requirements.txt")?;
    let absolute = |path| path::absolute(path).map_err(|error| error.to_string());
    let home = absolute(PathBuf::from(HOME))?;
    let mut maturin = Command::new(absolute(python::program(HOME, "maturin"))?);
    // Maturin installs into the active environment, and another one may be active.
    maturin.env("VIRTUAL_ENV", &home).env_remove("CONDA_PREFIX");
    step::run(maturin.args(["develop", "--release", "--quiet"]).args(arguments))?;
    Ok(python)
}

/// Runs the tests and the examples in docstrings, checks types, and compares the stubs with the compiled module.
pub fn test(real_data: Option<&Path>) -> Result<(), String> {
    // With the laws of pairs, which tests run on pairs that are written in Python.
    let python = build_with(&["--features", "laws"])?;
    let generated = path::absolute(data::generate(&python)?).map_err(|error| error.to_string())?;
    for arguments in [
        "pytest --quiet",
        "mypy --no-error-summary",
        "mypy.stubtest lcca._lcca --mypy-config-file pyproject.toml --concise",
    ] {
        let mut command = Command::new(&python);
        command.env("LCCA_GENERATED", &generated).arg("-m").args(arguments.split(' '));
        step::run(step::set_or_remove(&mut command, "LCCA_DATA", real_data))?;
    }
    Ok(())
}

/// Reads legal files with the package and with other libraries, and compares.
pub fn differential(flags: &[&str]) -> Result<(), String> {
    let mut command = Command::new(build()?);
    command.env("PYTHONPATH", "tools").args(["-m", "differential"]).args(flags);
    step::run(&mut command)
}
