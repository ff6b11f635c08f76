//! Ctrl-C ends the program at once and leaves nothing behind.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![cfg(unix)]

mod common;

use common::data::{X_COLS, Y_COLS};
use common::process::{signal, start};
use common::{Folder, Ran};
use lcca::matrix::{SparseRows, Values};
use std::fs;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

/// A limit that suits busy machines; an idle machine takes a few milliseconds.
const AT_ONCE: Duration = Duration::from_secs(5);

/// Sends the signal, and checks that the program ends at once.
fn stop(child: Child, name: &str) -> Ran {
    signal(&child, name);
    let start = Instant::now();
    let ran = Ran::from(child.wait_with_output().unwrap());
    println!("ended {:?} after {name}", start.elapsed());
    assert!(start.elapsed() < AT_ONCE, "{:?}", start.elapsed());
    ran
}

/// Stops, after a second, a fit that would take days.
#[test]
fn an_interrupted_fit_leaves_everything_as_it_was() {
    let folder = Folder::with_views(50_000, 1);
    folder.write("kept", "precious");
    let before = folder.contents();
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        for (output, method) in
            [("new", "d-cca --t1 1000000000"), ("kept", "l-cca --t1 1000000000 --k-pc 10 --t2 5")]
        {
            let child = start(&folder, &format!("fit x.npz y.npz -k 5 --method {method} -o {output}"));
            thread::sleep(Duration::from_secs(1));
            let ran = stop(child, signal);
            ran.refused(code, &["interrupted, nothing was written"]);
            assert!(before == folder.contents(), "{:?}", folder.contents().keys());
        }
    }
}

/// Interrupts a conversion while it writes, because only then is there a temporary file.
#[test]
fn an_interrupted_conversion_removes_its_temporary_file() {
    let folder = Folder::new();
    let (rows, per_row) = (400_000u64, 12u64);
    let ends: Vec<u64> = (0..=rows).map(|row| row * per_row).collect();
    let columns: Vec<u32> = (0..rows * per_row).map(|entry| (entry % per_row) as u32).collect();
    let values = Values::F64((0..rows * per_row).map(|entry| entry as f64 / 3.0).collect::<Vec<_>>().into());
    let matrix = SparseRows::new(X_COLS.max(Y_COLS), ends.into(), columns.into(), values).unwrap();
    folder.write_matrix("x.npz", &matrix.into());
    folder.write("kept.mtx", "precious");
    for output in ["new.mtx", "kept.mtx"] {
        let child = start(&folder, &format!("convert x.npz {output}"));
        wait_for_temporary(&folder);
        stop(child, "INT").refused(130, &["interrupted, nothing was written"]);
        assert_eq!(names(&folder), ["kept.mtx", "x.npz"]);
        assert_eq!(folder.read("kept.mtx"), b"precious");
    }
}

/// Checks that an unfinished folder is removed as a whole.
#[test]
fn interrupted_views_leave_no_folder() {
    let folder = Folder::new();
    let line = |row: u64| format!("a{} b{row}\tc{} d{row}\n", row % 100, row % 77);
    folder.write("t.tsv", (0..1_000_000).map(line).collect::<String>());
    folder.write("kept", "precious");
    let child = start(&folder, "views text t.tsv --no-header --x 1 --y 2 -o made --min-count 1");
    wait_for_temporary(&folder);
    stop(child, "INT").refused(130, &["interrupted, nothing was written"]);
    assert_eq!(names(&folder), ["kept", "t.tsv"]);
}

fn wait_for_temporary(folder: &Folder) {
    let start = Instant::now();
    while names(folder).len() == 2 {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing is being written");
        thread::sleep(Duration::from_millis(1));
    }
}

fn names(folder: &Folder) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder.path("."))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
