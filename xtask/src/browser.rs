//! A Chromium for the tests of pages: the installed one, or one from npm's registry that is unpacked under
//! `target/`.

use crate::step;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, path};

const INSTALLED: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const UNPACKED: &str = "target/browser";

/// Returns the browser, or an error that names the missing part and the command that installs it.
pub fn find(python: &Path) -> Result<PathBuf, String> {
    if let Some(named) = env::var_os("LCCA_BROWSER") {
        return Ok(named.into());
    }
    if let Some(name) = INSTALLED.into_iter().find(|name| runs(Path::new(name))) {
        return Ok(name.into());
    }
    let unpacked = path::absolute(Path::new(UNPACKED).join("chromium")).map_err(|e| e.to_string())?;
    let runs_here = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    if runs_here && (runs(&unpacked) || (unpack(python) && runs(&unpacked))) {
        return Ok(unpacked);
    }
    Err("no Chromium is installed, so pages cannot be tested; `apt-get install chromium` installs it on \
        Debian, and \
         LCCA_BROWSER=PATH names one that is elsewhere"
        .into())
}

fn unpack(python: &Path) -> bool {
    step::run(Command::new(python).arg("tools/browser.py").arg(UNPACKED)).is_ok()
}

fn runs(program: &Path) -> bool {
    step::works(Command::new(program).arg("--version"))
}
