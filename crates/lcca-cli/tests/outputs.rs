//! An output replaces none of the files that its command reads, waits for no other program, and stays as
//! private as it was.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
// A page can have the name of a matrix only by a link, so these tests need links.
#![cfg(unix)]

mod common;

use common::{Folder, Ran};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

const ROWS: usize = 40;

fn table(header: &str, seed: usize) -> String {
    let cell = |i: usize| ((i * i * 7 + i * 13 + seed) % 97) as f64 / 10.0;
    let line = |row: usize| format!("{},{}\n", cell(row * 3 + seed), cell(row * 5 + seed * 2 + 1));
    format!("{header}\n{}", (0..ROWS).map(line).collect::<String>())
}

/// A folder with a model with covariates, and all files that a page can show with it.
fn folder() -> Folder {
    let folder = Folder::new();
    for (name, header, seed) in [("x", "a,b", 1), ("y", "c,d", 2), ("z", "e,f", 3)] {
        folder.write(&format!("{name}.csv"), table(header, seed));
    }
    folder.write("labels.txt", "l\n".repeat(ROWS));
    folder.run("fit x.csv y.csv -k 2 --covariates z.csv --hold-out no -o model").done();
    for (command, file) in
        [("bootstrap model", "bootstrap.json"), ("score model --permutations 9", "scores.json")]
    {
        let printed = folder.json(&format!("{command} x.csv y.csv --covariates z.csv"));
        folder.write(file, printed.to_string());
    }
    folder
}

const BESIDE: &str = "model x.csv y.csv --covariates z.csv";

#[test]
fn a_page_replaces_none_of_its_inputs() {
    let folder = folder();
    let lines = [
        format!("report {BESIDE} --label labels.txt --bootstrap bootstrap.json --scores scores.json"),
        format!("plot scree {BESIDE} --bootstrap bootstrap.json --scores scores.json"),
        format!("plot scores {BESIDE} --label labels.txt"),
    ];
    for line in lines {
        for input in line.split(' ').filter(|word| folder.path(word).is_file()) {
            let page = format!("{input}.html");
            if !folder.path(&page).exists() {
                symlink(folder.path(input), folder.path(&page)).unwrap();
            }
            folder.refuses(&format!("{line} -o {page}"), &["is to be read and written", input]);
        }
        folder.run(&format!("{line} -o page.html")).done();
    }
}

#[test]
fn canonical_variables_replace_none_of_their_inputs() {
    let folder = folder();
    let line = "transform model --x x.csv --covariates z.csv";
    for input in ["model", "x.csv", "z.csv"] {
        folder.refuses(&format!("{line} -o {input}"), &["is to be read and written", input]);
    }
    folder.run(&format!("{line} -o variables.csv")).done();
}

fn pipe(folder: &Folder, name: &str) {
    assert!(Command::new("mkfifo").arg(folder.path(name)).status().unwrap().success());
}

/// These pipes have no writer, so opening one would take forever.
#[test]
fn pipes_are_neither_read_nor_waited_for() {
    let folder = folder();
    for name in [".new.1-0.part", ".views.1-0.part", "pipe", "pipe.csv", "pipe.txt"] {
        pipe(&folder, name);
    }
    folder.run("fit x.csv y.csv -k 1 --hold-out no -o new").done();
    folder.write("texts.tsv", "a b\tc d\na c\tc e\nb c\td e\n");
    folder.run("views text texts.tsv --no-header --x 1 --y 2 --min-count 1 -o views").done();
    for line in [
        "info pipe",
        "fit pipe.csv y.csv -k 1",
        "fit x.csv y.csv -k 1 --resume pipe",
        "score pipe x.csv y.csv",
        "views text pipe.txt --no-header --x 1 --y 2 -o other",
        "bootstrap model x.csv y.csv --covariates z.csv --groups pipe.txt",
    ] {
        folder.refuses(&format!("{line} --quiet"), &["pipe", "expected"]);
    }
    folder.refuses(
        "convert pipe.csv other.npz",
        &["pipe.csv: is a pipe or a device", "- reads standard input"],
    );
    folder.refuses("convert x.csv pipe.csv", &["pipe.csv"]);
}

#[test]
fn a_private_output_stays_private() {
    let folder = folder();
    fs::set_permissions(folder.path("model"), fs::Permissions::from_mode(0o600)).unwrap();
    folder.run("fit x.csv y.csv -k 1 --hold-out no -o model").done();
    assert_eq!(fs::metadata(folder.path("model")).unwrap().permissions().mode() & 0o777, 0o600);
}

/// A library that acts like a file system without locks, and gives every process the same number.
const WITHOUT_LOCKS: &str = r#"
    #[unsafe(no_mangle)] pub extern "C" fn getpid() -> i32 { 1 }
    #[unsafe(no_mangle)] pub extern "C" fn flock(_: i32, _: i32) -> i32 {
        unsafe extern "C" { fn __errno_location() -> *mut i32; }
        unsafe { *__errno_location() = 95 };
        -1
    }"#;

/// Every process in a container may have the number 1, and network file systems may have no locks. The
/// files that a killed process has left must not stop the next one.
#[test]
#[cfg(target_os = "linux")]
fn what_a_killed_process_has_left_is_in_nobodys_way() {
    let folder = folder();
    folder.write("without_locks.rs", WITHOUT_LOCKS);
    let compiler = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let mut compile = Command::new(compiler);
    compile.args(["--edition", "2024", "--crate-type", "cdylib", "-C", "panic=abort", "-o"]);
    let made = compile.arg(folder.path("locks.so")).arg(folder.path("without_locks.rs")).status().unwrap();
    assert!(made.success());
    let preloaded = |line: &str| Ran::output(folder.command(line).env("LD_PRELOAD", folder.path("locks.so")));
    for left in [".new.1-0.part", ".new.1-1.part"] {
        folder.write(left, "");
    }
    for _ in 0..2 {
        preloaded("fit x.csv y.csv -k 1 --hold-out no -o new").done();
    }
    fs::create_dir(folder.path(".views.1-0.part")).unwrap();
    folder.write("texts.tsv", "a b\tc d\na c\tc e\nb c\td e\n");
    preloaded("views text texts.tsv --no-header --x 1 --y 2 --min-count 1 -o views").done();
}

/// A demo that has too little memory for its first fit leaves no folder.
#[test]
fn a_failed_demo_leaves_nothing() {
    let folder = folder();
    let script = format!("ulimit -v 61440; exec {} demo --quiet -o figures", env!("CARGO_BIN_EXE_lcca"));
    let ran = Ran::output(Command::new("bash").args(["-c", &script]).current_dir(folder.path("")));
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let names = fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().contains("figures")));
}
