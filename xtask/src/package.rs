//! The Python package: built as users build it, by maturin into an environment of its own, then tested.

use crate::{python, step};
use std::path::{self, Path, PathBuf};
use std::process::Command;

/// The package's environment.
pub const HOME: &str = "target/python-package";

/// Builds the package into its environment, made on the way; the environment's Python.
pub fn build() -> Result<PathBuf, String> {
    let python = python::environment(HOME, "python/requirements.txt")?;
    let home = path::absolute(HOME).map_err(|error| error.to_string())?;
    let mut maturin = Command::new(home.join("bin/maturin"));
    // It must be this environment even where another one is active.
    maturin.env("VIRTUAL_ENV", &home).env_remove("CONDA_PREFIX");
    step::run(maturin.args(["develop", "--release", "--quiet"]))?;
    Ok(python)
}

/// Tests, examples in docstrings, types, and whether the stubs say what the module has.
pub fn test(data: Option<&Path>) -> Result<(), String> {
    let python = build()?;
    let run = |words: &str| {
        let mut command = Command::new(&python);
        command.arg("-m").args(words.split(' '));
        match data {
            Some(data) => command.env("LCCA_DATA", data),
            None => command.env_remove("LCCA_DATA"),
        };
        step::run(&mut command)
    };
    run("pytest --quiet")?;
    run("mypy --no-error-summary")?;
    run("mypy.stubtest lcca._lcca --mypy-config-file pyproject.toml --concise")
}
