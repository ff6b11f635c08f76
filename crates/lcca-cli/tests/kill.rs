//! Kills commands at any moment, on a full disk or in a read-only folder: an output is whole or not there,
//! the same command succeeds afterward, and no other file is left. `cargo xtask soak` does this 1,000
//! times.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![cfg(unix)]

mod common;

use common::data::{sparse, topics};
use common::{Folder, Ran, gap, numbers};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Random numbers that are equal in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }
}

fn rounds() -> u64 {
    std::env::var("LCCA_SOAK").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(50)
}

const FIT: &str = "fit x.npz y.npz -k 6 --method lobpcg --tol 1e-9 --threads 1 --no-structure --hold-out no \
    -o model --resume state --save-every 0 --quiet";

/// The commands that are killed, each with its output.
const COMMANDS: [(&str, &str); 4] = [
    (FIT, "model"),
    ("convert x.npz x.safetensors --quiet", "x.safetensors"),
    ("views text texts.tsv --x 1 --y 2 --min-count 1 -o views --quiet", "views"),
    ("fit x.npz y.npz -k 6 --threads 1 -o quick --quiet", "quick"),
];

fn folder() -> Folder {
    let folder = Folder::new();
    let [x, y] = topics(3000, 120, 90, 3);
    folder.write_matrix("x.npz", &sparse(120, &x));
    folder.write_matrix("y.npz", &sparse(90, &y));
    let line = |i: usize| format!("w{} w{} a\tv{} v{}\n", i % 50, i % 7, i % 50, i % 11);
    folder.write("texts.tsv", (0..20_000).map(line).collect::<String>());
    folder
}

/// All names in the folder, including hidden ones.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn remove(path: &Path) {
    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

/// Reads the output of a command, which must be whole.
fn check_output(folder: &Folder, output: &str) {
    match output {
        "views" => {
            let json = fs::read(folder.path("views/views.json")).unwrap();
            serde_json::from_slice::<serde_json::Value>(&json).unwrap();
            folder.run("info views/x.safetensors --verify").done();
        }
        output => drop(folder.run(&format!("info {output} --verify")).done()),
    }
}

#[test]
fn a_killed_command_leaves_nothing_half_done() {
    let folder = folder();
    let root = folder.path("");
    let clean = names(&root);
    let mut whole = Vec::new();
    let mut lengths = Vec::new();
    for (line, output) in COMMANDS {
        let start = Instant::now();
        folder.run(line).done();
        lengths.push(start.elapsed());
        whole.push(fs::read(folder.path(output)).ok());
        remove(&folder.path(output));
    }
    let reference = folder
        .json("fit x.npz y.npz -k 6 --method lobpcg --tol 1e-9 --threads 1 --no-structure --hold-out no");
    let mut dice = Dice(17);
    for round in 0..rounds() {
        let which = round as usize % COMMANDS.len();
        let (line, output) = COMMANDS[which];
        let mut child = folder.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let longest = lengths[which].as_micros() as u64 * 11 / 10;
        thread::sleep(Duration::from_micros(dice.roll(longest)));
        let _ = child.kill();
        child.wait().unwrap();
        // A file under its final name is whole, and so is the state.
        if folder.path(output).exists() {
            check_output(&folder, output);
            remove(&folder.path(output));
        }
        // The command succeeds when it is repeated, and removes the files that the killed one left.
        let ran = folder.run(&line.replace("--quiet", "--quiet --json")).done();
        check_output(&folder, output);
        if line == FIT {
            let gap = gap(&numbers(&ran.json(), "objective"), &numbers(&reference, "objective"));
            assert!(gap < 1e-8, "round {round}: {gap:e}");
        } else if let Some(whole) = &whole[which] {
            assert!(*whole == folder.read(output), "round {round}: {line} writes other bytes");
        }
        remove(&folder.path(output));
        assert_eq!(names(&root), clean, "round {round}: {line}");
    }
}

/// Runs the program under a limit of the shell.
fn limited(folder: &Folder, limit: &str, line: &str) -> Ran {
    let script = format!("ulimit {limit}; exec {} {line}", env!("CARGO_BIN_EXE_lcca"));
    Ran::output(Command::new("bash").args(["-c", &script]).current_dir(folder.path("")))
}

/// A limit on the size of files stands for a full disk, because writing beyond it fails in the same way.
/// The system also sends a signal, which would end a program that does not ignore it.
#[test]
fn a_full_disk_is_reported_and_leaves_nothing() {
    let folder = folder();
    let clean = names(&folder.path(""));
    for (line, _) in COMMANDS {
        let ran = limited(&folder, "-f 1", line);
        assert_eq!(ran.code, Some(3), "{line}: {ran:?}");
        assert!(ran.stderr.lines().last().unwrap_or_default().contains("File too large"), "{line}: {ran:?}");
        remove(&folder.path("state"));
        assert_eq!(names(&folder.path("")), clean, "{line}");
    }
}

/// Too little memory for the program, for its threads or for its work leads to success, or to one line and
/// exit code 3.
#[test]
fn too_little_memory_is_one_line_and_leaves_nothing() {
    let folder = folder();
    let clean = names(&folder.path(""));
    let mut refused = 0;
    for megabytes in (30..=400).step_by(37).chain([44, 52, 60]) {
        let lines = [("info x.npz", ""), ("fit x.npz y.npz -k 6 --threads 64 -o many --quiet", "many")];
        // A demo takes seconds if it has enough memory.
        let demo = [("demo --quiet -o figures", "figures")].into_iter().filter(|_| megabytes <= 67);
        for (line, output) in COMMANDS.into_iter().chain(lines).chain(demo) {
            let ran = limited(&folder, &format!("-v {}", megabytes * 1024), line);
            if ran.code != Some(0) {
                refused += 1;
                assert_eq!(ran.code, Some(3), "{megabytes} MB, {line}: {ran:?}");
                assert!(
                    ran.stderr.starts_with("lcca: ") && ran.stderr.lines().count() == 1,
                    "{line}: {ran:?}"
                );
                assert!(!ran.stderr.contains("should not happen"), "{megabytes} MB, {line}: {ran:?}");
            }
            [output, "state"]
                .into_iter()
                .filter(|name| !name.is_empty())
                .for_each(|name| remove(&folder.path(name)));
            assert_eq!(names(&folder.path("")), clean, "{megabytes} MB, {line}");
        }
    }
    assert!(refused > 5, "{refused} commands had too little memory");
}

#[test]
fn a_read_only_place_is_refused_before_work_begins() {
    let folder = folder();
    // Not even root can write in /proc.
    for (line, output) in COMMANDS {
        let line = line.replace(&format!("-o {output}"), &format!("-o /proc/{output}"));
        let line = line.replace("convert x.npz x.safetensors", "convert x.npz /proc/x.safetensors");
        let line = line.replace("--resume state --save-every 0 ", "");
        let ran = folder.run(&line);
        assert!(matches!(ran.code, Some(2 | 3)), "{ran:?}");
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    }
}

#[test]
fn a_store_that_is_cut_short_during_a_fit_is_an_error() {
    let folder = Folder::new();
    let [x, y] = topics(20_000, 900, 700, 3);
    folder.write_matrix("x.safetensors", &sparse(900, &x));
    folder.write_matrix("y.safetensors", &sparse(700, &y));
    let line = "fit x.safetensors y.safetensors -k 12 --method lobpcg --tol 1e-12 --threads 2 --no-structure \
        --resume state --save-every 0";
    let child = folder.command(line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !folder.path("state").exists() && start.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(1));
    }
    fs::OpenOptions::new().write(true).open(folder.path("x.safetensors")).unwrap().set_len(4096).unwrap();
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{error}");
    let expected = "lcca: x.safetensors: was cut short or could not be read while it was in use\n";
    assert!(error.ends_with(expected), "{error}");
}
