//! The Python package: built as users build it, by maturin into an environment of its own, then tested.

use crate::{data, python, step};
use std::fs;
use std::path::{self, Path, PathBuf};
use std::process::Command;

/// The folder of the package's environment.
pub const HOME: &str = "target/python-package";
const REQUIREMENTS: &str = "python/requirements.txt";

/// The folder of an environment with the oldest versions that the package promises to work with, and the list
/// of these.
const OLDEST: [&str; 2] = ["target/python-oldest", "target/python-oldest.txt"];

/// The files that are tested with the oldest versions: the examples, and the tests that ask most of other
/// packages.
const TESTED_WITH_OLDEST: &str = "python/lcca python/tests/test_drop_in.py python/tests/test_containers.py \
     python/tests/test_two_views.py python/tests/test_plot.py --ignore python/lcca/dask";

/// Sets up the environments that the package's tests need.
pub fn environments() -> Result<(), String> {
    python::environment(HOME, REQUIREMENTS)?;
    oldest().map(drop)
}

/// Builds the package into its environment, which is created if needed, and returns the environment's Python.
pub fn build() -> Result<PathBuf, String> {
    build_with(&[])
}

fn build_with(arguments: &[&str]) -> Result<PathBuf, String> {
    let python = python::environment(HOME, REQUIREMENTS)?;
    let absolute = |path| path::absolute(path).map_err(|error| error.to_string());
    let home = absolute(PathBuf::from(HOME))?;
    let mut maturin = Command::new(absolute(python::program(HOME, "maturin"))?);
    // Maturin installs into the active environment, and another one may be active.
    maturin.env("VIRTUAL_ENV", &home).env_remove("CONDA_PREFIX");
    step::run(maturin.args(["develop", "--release", "--quiet"]).args(arguments))?;
    Ok(python)
}

/// Runs the tests and the examples in docstrings, checks types, and compares the stubs with the compiled
/// module.
pub fn test(real_data: Option<&Path>) -> Result<(), String> {
    // With the laws of pairs, which tests run on pairs that are written in Python.
    let python = build_with(&["--features", "laws"])?;
    let generated = path::absolute(data::generate(&python)?).map_err(|error| error.to_string())?;
    for arguments in [
        // Two processes run at a time, because half of the time is spent waiting for programs and browsers.
        // Tests of clusters that lose workers run on their own, because they need the machine for
        // themselves.
        "pytest --quiet --numprocesses 2 --dist loadfile --ignore-glob=*/test_dask_*.py",
        "pytest --quiet -k test_dask_",
        "mypy --no-error-summary",
        "mypy.stubtest lcca._lcca --mypy-config-file pyproject.toml --concise",
    ] {
        let mut command = Command::new(&python);
        command.env("LCCA_GENERATED", &generated).arg("-m").args(arguments.split(' '));
        step::run(step::set_or_remove(&mut command, "LCCA_DATA", real_data))?;
    }
    test_with_oldest()
}

/// Runs some of the tests with the oldest versions of other packages that are declared. The module is the one
/// that was built: it fits every Python.
fn test_with_oldest() -> Result<(), String> {
    let mut command = Command::new(oldest()?);
    command.env("PYTHONPATH", "python").args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"]);
    step::run(command.args(TESTED_WITH_OLDEST.split_whitespace()))
}

/// Returns the Python of an environment with the oldest versions.
fn oldest() -> Result<PathBuf, String> {
    let [home, list] = OLDEST;
    let printed =
        Command::new(python::SYSTEM).arg("tools/oldest.py").output().map_err(|error| error.to_string())?;
    if !printed.status.success() {
        return Err(format!("tools/oldest.py: {}", String::from_utf8_lossy(&printed.stderr)));
    }
    fs::write(list, printed.stdout).map_err(|error| format!("{list}: {error}"))?;
    python::environment(home, list)
}

/// Reads legal files with the package and with other libraries, and compares.
pub fn differential(flags: &[&str]) -> Result<(), String> {
    let mut command = Command::new(build()?);
    command.env("PYTHONPATH", "tools").args(["-m", "differential"]).args(flags);
    step::run(&mut command)
}
