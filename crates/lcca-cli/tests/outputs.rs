//! What a command writes replaces none of the files that it reads.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
// Links are how a page can have the name of a matrix.
#![cfg(unix)]

mod common;

use common::Folder;
use std::os::unix::fs::symlink;

const ROWS: usize = 40;

fn table(header: &str, seed: usize) -> String {
    let cell = |i: usize| ((i * i * 7 + i * 13 + seed) % 97) as f64 / 10.0;
    let line = |row: usize| format!("{},{}\n", cell(row * 3 + seed), cell(row * 5 + seed * 2 + 1));
    format!("{header}\n{}", (0..ROWS).map(line).collect::<String>())
}

/// A model with covariates, and all that can be shown beside it.
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
