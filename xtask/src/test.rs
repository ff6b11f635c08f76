//! `cargo xtask test`: everything that must hold before a change is merged.
//!
//! The seconds of each step are left in target/steps.tsv.

use crate::step::{self, cargo};
use crate::{browser, data, docs, kernels, package, python};
use std::env;
use std::path::{self, Path, PathBuf};
use std::process::Command;
use std::thread;

pub fn run() -> Result<(), String> {
    step::forget_seconds();
    // Downloads wait for the network while lints wait for the compiler.
    let environments = thread::spawn(package::environments);
    if has_component("fmt", "rustfmt")? {
        step::run(&mut cargo("fmt --all --check"))?;
    }
    if has_component("clippy", "clippy")? {
        step::run(&mut cargo("clippy --release --workspace --all-targets -- -D warnings"))?;
    }
    environments.join().map_err(|_| "setting up Python failed")??;
    let python = python::environment("target/python", "xtask/requirements.txt")?;
    let absolute = |p: PathBuf| path::absolute(p).map_err(|e| e.to_string());
    let generated = absolute(data::generate(&python)?)?;
    let data = data::prepare(&python)?.map(absolute).transpose()?;
    let python = absolute(python)?;
    step::run(tests(python.clone(), data.as_ref())?.env("LCCA_GENERATED", generated))?;
    // NVRTC is a package for Linux and Windows on x86-64.
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        kernels::compile(&["--check"])?;
    }
    // The tests have built the program.
    docs::pages()?;
    if let Some(browser) = real_browser(&python)? {
        docs::search(&python, &browser)?;
    }
    package::test(data.as_deref())
}

/// Returns whether a cargo subcommand is installed.
fn has_component(subcommand: &str, component: &str) -> Result<bool, String> {
    if step::works(&mut cargo(&format!("{subcommand} --version"))) {
        return Ok(true);
    }
    skip(format!("{component} is not installed; `rustup component add {component}` adds it"))
}

/// Returns a real browser to test pages in.
fn real_browser(python: &Path) -> Result<Option<PathBuf>, String> {
    match browser::find(python) {
        Ok(browser) => Ok(Some(browser)),
        Err(missing) => skip(missing).map(|_| None),
    }
}

/// Skips the steps that need something missing. A machine without it still runs all other steps, but CI must
/// have it.
fn skip(missing: String) -> Result<bool, String> {
    if env::var_os("CI").is_some_and(|ci| ci == "true") {
        return Err(missing);
    }
    step::note(&format!("{missing}; continuing without"));
    Ok(false)
}

/// The command of all unit, integration and documentation tests, with the paths of Python, the browser and
/// the data in its environment.
fn tests(python: PathBuf, data: Option<&PathBuf>) -> Result<Command, String> {
    let mut tests = cargo("test --release --workspace");
    step::set_or_remove(&mut tests, "LCCA_BROWSER", real_browser(&python)?);
    tests.env("LCCA_PYTHON", python);
    step::set_or_remove(&mut tests, "LCCA_DATA", data);
    Ok(tests)
}
