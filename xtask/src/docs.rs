//! `cargo xtask docs`: the documentation site in target/site, and rustdoc beside it. Needs no network once
//! its tools are installed.

use crate::python;
use crate::step::{self, cargo};
use std::fs;
use std::path::Path;
use std::process::Command;

const HOME: &str = "target/python-docs";
const SITE: &str = "target/site";
const RUSTDOC: &str = "target/doc";

/// Builds the program, whose reference is a page, and the site.
pub fn build() -> Result<(), String> {
    step::run(&mut cargo("build --release --package lcca-cli"))?;
    pages()
}

/// Builds the site with the program as it is and checks links. A warning of rustdoc or MkDocs is a failure.
pub fn pages() -> Result<(), String> {
    // Pages of crates that were renamed or removed would stay.
    if fs::exists(RUSTDOC).unwrap_or(false) {
        fs::remove_dir_all(RUSTDOC).map_err(|error| format!("{RUSTDOC}: {error}"))?;
    }
    step::run(cargo("doc --release --no-deps --workspace").env("RUSTDOCFLAGS", "-D warnings"))?;
    let python = python::environment(HOME, "tools/docs/requirements.txt")?;
    // A page of Material for MkDocs about its future is not about this project.
    let mut site = Command::new(&python);
    site.env("NO_MKDOCS_2_WARNING", "1").args(["-m", "mkdocs", "build", "--quiet", "--strict", "--clean"]);
    step::run(&mut site)?;
    step::run(Command::new(&python).args(["tools/docs/site_links.py", SITE]))
}

/// Searches the site in a browser as a reader does who opened it from a folder.
pub fn search(python: &Path, browser: &Path) -> Result<(), String> {
    step::run(Command::new(python).args(["tools/docs/site_search.py", SITE]).arg(browser))
}
