//! Python environments, created once and reused until their list of requirements changes.

use crate::step;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The machine's own Python.
pub const SYSTEM: &str = if cfg!(windows) { "python" } else { "python3" };

/// The path of a program in the environment at `home`.
pub fn program(home: &str, name: &str) -> PathBuf {
    if cfg!(windows) {
        Path::new(home).join("Scripts").join(name).with_extension("exe")
    } else {
        Path::new(home).join("bin").join(name)
    }
}

/// Returns the Python of the environment at `home`, created anew unless it was filled from this list of
/// requirements.
pub fn environment(home: &str, requirements: &str) -> Result<PathBuf, String> {
    let python = program(home, "python");
    if is_filled_from(home, requirements)? && step::works(Command::new(&python).args(["-c", ""])) {
        return Ok(python);
    }
    create(home)?;
    install(home, requirements)?;
    Ok(python)
}

/// Installs the listed requirements into the environment at `home`, unless they already are.
pub fn install(home: &str, requirements: &str) -> Result<(), String> {
    install_by(Command::new(program(home, "python")), home, requirements)
}

/// Like [`install`], but ends the installation and every process it started after `limit`.
pub fn install_within(home: &str, requirements: &str, limit: Duration) -> Result<(), String> {
    let mut timeout = Command::new("timeout");
    timeout.arg(limit.as_secs().to_string()).arg(program(home, "python"));
    install_by(timeout, home, requirements)
}

fn install_by(mut python: Command, home: &str, requirements: &str) -> Result<(), String> {
    if is_filled_from(home, requirements)? {
        return Ok(());
    }
    step::run(python.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
        requirements,
    ]))?;
    fs::copy(requirements, stamp(home, requirements)).map_err(|e| format!("{home}: {e}"))?;
    Ok(())
}

fn create(home: &str) -> Result<(), String> {
    if !step::works(Command::new(SYSTEM).args(["-c", "import venv, ensurepip"])) {
        return Err("Python 3 with venv is needed: install python3 and python3-venv".into());
    }
    step::run(Command::new(SYSTEM).args(["-m", "venv", "--clear", home]))
}

/// Returns whether the environment was filled from exactly this list.
fn is_filled_from(home: &str, requirements: &str) -> Result<bool, String> {
    let wanted = fs::read(requirements).map_err(|e| format!("{requirements}: {e}"))?;
    Ok(fs::read(stamp(home, requirements)).is_ok_and(|installed| installed == wanted))
}

/// The path of a copy of the list, written once everything on it is installed.
fn stamp(home: &str, requirements: &str) -> PathBuf {
    Path::new(home).join(Path::new(requirements).file_name().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_list_is_noticed() {
        let folder = std::env::temp_dir().join(format!("xtask-python-{}", std::process::id()));
        let (home, list) = (folder.join("home"), folder.join("list.txt"));
        fs::create_dir_all(&home).unwrap();
        fs::write(&list, "numpy<3").unwrap();
        let is_filled = || is_filled_from(home.to_str().unwrap(), list.to_str().unwrap()).unwrap();

        assert!(!is_filled());
        fs::copy(&list, home.join("list.txt")).unwrap();
        assert!(is_filled());
        fs::write(&list, "numpy<4").unwrap();
        assert!(!is_filled());
        fs::remove_dir_all(folder).unwrap();
    }
}
