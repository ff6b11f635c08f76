//! Follows samples from the command that writes them to the first report, and checks the reference of all
//! commands.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{Folder, numbers};
use std::fs;

#[test]
fn three_commands_lead_from_nothing_to_a_report() {
    let folder = Folder::new();
    folder.run("sample countries").done();
    let columns = "--x-columns under15,over75 --y-columns savings,income,growth";
    let fit = folder.json(&format!("fit sample/countries.csv sample/countries.csv {columns} -o model"));
    let gap = common::gap(&numbers(&fit, "correlations"), &[0.8247966, 0.3652762]);
    assert!(gap < 1e-6, "R's cancor says otherwise: {fit}");
    folder.run("report model -o report.html").done();
    assert!(fs::read_to_string(folder.path("report.html")).unwrap().contains("under15"));
}

#[test]
fn samples_are_named_counted_and_the_same_every_time() {
    let folder = Folder::new();
    let printed = folder.run("sample words paths --rows 30 --seed 2 -o a").done().stdout;
    assert_eq!(printed, "a/paths.txt: paths of installed files\na/corpus.txt: English sentences\n");
    folder.run("sample --rows 30 --seed 2 -o b").done();
    for file in ["paths.txt", "corpus.txt"] {
        let text = fs::read_to_string(folder.path("a").join(file)).unwrap();
        assert_eq!(text.lines().count(), 30);
        assert_eq!(text, fs::read_to_string(folder.path("b").join(file)).unwrap());
    }
    assert!(folder.path("b/pairs.tsv").exists() && folder.path("b/countries.csv").exists());
    folder.refuses("sample digits", &["digits", "countries, sentences, paths, words"]);
    folder.write("file", "");
    folder.refuses("sample -o file", &["file: is a file, expected a folder"]);
    folder.refuses("sample --rows 0", &["expected 1 to 10000000"]);
}

/// The lines of `lcca WORDS --help` that begin with a flag, as "--flag".
fn flags(folder: &Folder, words: &str) -> Vec<String> {
    let help = folder.run(&format!("{words} --help")).done().stdout;
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let long = |line: &str| line.split([' ', ',', '[']).find(|word| word.starts_with("--")).map(String::from);
    lines.filter_map(long).collect()
}

#[test]
fn the_reference_has_every_command_and_every_flag() {
    let folder = Folder::new();
    let page = folder.run("reference").done().stdout;
    let listed = folder.run("help").done().stdout;
    let commands = listed.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names: Vec<&str> = commands.map_while(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 10 && names.contains(&"fit"), "{listed}");
    for name in names.into_iter().filter(|name| *name != "help") {
        let start = page.find(&format!("\n### lcca {name}\n")).unwrap_or_else(|| panic!("no {name}"));
        let section = page[start + 1..].split("\n### ").next().unwrap();
        for flag in flags(&folder, name) {
            assert!(section.contains(&flag), "{name} {flag}");
        }
    }
    for name in ["text", "words", "columns"] {
        assert!(page.contains(&format!("\n#### lcca views {name}\n")), "{name}");
    }
    assert!(!page.contains('\u{1b}'));
}
