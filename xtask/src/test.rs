//! `cargo xtask test`: everything that must hold before a change is merged.

use crate::step::{self, cargo};
use crate::{apt, data, package, python};
use std::env;
use std::path::{self, PathBuf};
use std::process::Command;

const BROWSER: &str = "chromium";

pub fn run() -> Result<(), String> {
    if has_component("fmt", "rustfmt")? {
        step::run(&mut cargo("fmt --all --check"))?;
    }
    if has_component("clippy", "clippy")? {
        step::run(&mut cargo("clippy --release --workspace --all-targets -- -D warnings"))?;
    }
    let python = python::environment("target/python", "xtask/requirements.txt")?;
    let absolute = |p: PathBuf| path::absolute(p).map_err(|e| e.to_string());
    let data = data::prepare(&python)?.map(absolute).transpose()?;
    step::run(&mut tests(absolute(python)?, data.as_ref())?)?;
    step::run(cargo("doc --release --no-deps --workspace").env("RUSTDOCFLAGS", "-D warnings"))?;
    package::test(data.as_deref())
}

/// A machine without the component still gets its tests run; CI must have it.
fn has_component(subcommand: &str, component: &str) -> Result<bool, String> {
    if step::works(&mut cargo(&format!("{subcommand} --version"))) {
        return Ok(true);
    }
    let missing = format!("{component} is not installed; `rustup component add {component}` adds it");
    do_without(missing)
}

/// CI does without nothing.
fn do_without(missing: String) -> Result<bool, String> {
    if env::var_os("CI").is_some_and(|ci| ci == "true") {
        return Err(missing);
    }
    step::note(&format!("{missing}; going on without"));
    Ok(false)
}

/// A real browser for the tests of pages.
fn has_browser() -> Result<bool, String> {
    if apt::has(BROWSER, BROWSER) {
        return Ok(true);
    }
    do_without(format!("{BROWSER} is not installed, in which pages are tested"))
}

/// Unit, integration and documentation tests, told where Python, the browser and the data are.
fn tests(python: PathBuf, data: Option<&PathBuf>) -> Result<Command, String> {
    let mut tests = cargo("test --release --workspace");
    tests.env("LCCA_PYTHON", python);
    match has_browser()? {
        true => tests.env("LCCA_BROWSER", BROWSER),
        false => tests.env_remove("LCCA_BROWSER"),
    };
    match data {
        Some(data) => tests.env("LCCA_DATA", data),
        None => tests.env_remove("LCCA_DATA"),
    };
    Ok(tests)
}
