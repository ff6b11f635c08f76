//! Runs the program in a temporary folder, and inspects all that the program leaves there.

// No test file uses all of these functions.
#![allow(dead_code)]

pub mod data;
pub mod formats;
pub mod page;
pub mod process;
pub mod sets;

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// The program with these words as arguments, in this folder, with an empty standard input.
pub fn lcca(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lcca"));
    command.current_dir(folder).args(line.split_whitespace()).stdin(Stdio::null());
    command
}

/// The exit code and the output of a run.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn output(command: &mut Command) -> Ran {
        Ran::from(command.output().unwrap())
    }

    /// Checks that the run succeeded.
    pub fn done(self) -> Ran {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// The one JSON object on standard output.
    pub fn json(&self) -> Value {
        let value: Value = serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:?}"));
        assert!(value.is_object(), "{self:?}");
        value
    }

    /// Checks that the run was refused: with this exit code, nothing on standard output, and one line of
    /// standard error that has all `needles`.
    pub fn refused(&self, code: i32, needles: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        let one_line = self.stderr.lines().count() == 1 && self.stderr.ends_with('\n');
        assert!(one_line && self.stderr.starts_with("lcca: "), "{self:?}");
        assert!(!self.stderr.contains("should not happen"), "{self:?}");
        needles.iter().for_each(|needle| assert!(self.stderr.contains(needle), "no {needle:?} in {self:?}"));
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// A folder for one test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn command(&self, line: &str) -> Command {
        lcca(self.0.path(), line)
    }

    pub fn run(&self, line: &str) -> Ran {
        Ran::output(&mut self.command(line))
    }

    /// The JSON object that a successful command prints.
    pub fn json(&self, line: &str) -> Value {
        self.run(&format!("{line} --json")).done().json()
    }

    /// Every file and its bytes.
    pub fn contents(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap());
        entries
            .filter(|entry| entry.file_type().unwrap().is_file())
            .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
            .collect()
    }

    /// Checks that the command is refused with exit code 2, and leaves every byte of the folder unchanged.
    pub fn refuses(&self, line: &str, needles: &[&str]) {
        self.refuses_with(2, line, needles);
    }

    /// Checks that the command is refused with this exit code, and leaves every byte of the folder
    /// unchanged.
    pub fn refuses_with(&self, code: i32, line: &str, needles: &[&str]) {
        let before = self.contents();
        self.run(line).refused(code, needles);
        assert!(before == self.contents(), "{line}: the folder changed: {:?}", self.contents().keys());
    }
}

/// A list of numbers in a JSON object.
pub fn numbers(object: &Value, key: &str) -> Vec<f64> {
    let list = object[key].as_array().unwrap_or_else(|| panic!("no list {key:?} in {object}"));
    list.iter().map(|number| number.as_f64().unwrap()).collect()
}

/// A number in a JSON object.
pub fn number(object: &Value, key: &str) -> f64 {
    object[key].as_f64().unwrap_or_else(|| panic!("no number {key:?} in {object}"))
}

/// The largest difference, entry by entry.
pub fn gap(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "{a:?} {b:?}");
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Whether missing tools and data are failures, because CI must not skip tests silently.
pub fn on_ci() -> bool {
    std::env::var_os("CI").is_some_and(|ci| ci == "true")
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
