//! No names, paths or origins can make a terminal obey, and long names do not break tables.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::data::{sparse, topics};
use common::{Folder, Ran};
use lcca_io::{ModelNames, Names, read_matrix, read_model, write_matrix_named, write_model_named};
use serde_json::json;

const EVIL: &str = "\u{1b}[31mred\u{7}\nsecond line\r\u{202e}gpj.exe\u{9b}2J";

fn is_tame(text: &str) -> bool {
    let treacherous =
        |c: char| (c.is_control() && c != '\n' && c != '\t') || ('\u{202a}'..='\u{202e}').contains(&c);
    !text.contains(treacherous) && !text.contains("\nsecond line")
}

fn tame(ran: &Ran) {
    assert!(is_tame(&ran.stdout) && is_tame(&ran.stderr), "{ran:?}");
    let longest = ran.stdout.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    assert!(longest < 2000, "{longest}");
}

/// Two stores with names and a model of them whose origin and names are hostile.
fn evil_model() -> Folder {
    let folder = Folder::new();
    let [x, y] = topics(300, 9, 8, 3);
    let long = "n".repeat(5000);
    let names = |cols: usize| {
        let first = [EVIL.to_string(), long.clone(), "=HYPERLINK(\"http://x\")".into(), "a,b".into()];
        Names::new(first.into_iter().chain((4..cols).map(|col| format!("c{col}"))))
    };
    folder.write_matrix("x.npz", &sparse(9, &x));
    folder.write_matrix("y.npz", &sparse(8, &y));
    for (name, cols) in [("x", 9), ("y", 8)] {
        let matrix = read_matrix(&folder.path(&format!("{name}.npz"))).unwrap().matrix;
        write_matrix_named(&folder.path(&format!("{name}.safetensors")), &matrix, Some(&names(cols)))
            .unwrap();
    }
    folder.run("fit x.npz y.npz -k 2 --ridge 0.1 -o plain --quiet").done();
    let (model, mut provenance) = read_model(&folder.path("plain")).unwrap();
    provenance.insert(EVIL.into(), json!(EVIL));
    provenance.insert("x".into(), json!(EVIL));
    let named = ModelNames { x: Some(names(9)), y: Some(names(8)), covariates: None };
    write_model_named(&folder.path("model"), &model, &named, &provenance).unwrap();
    folder
}

#[test]
fn names_and_origins_are_shown_as_they_are_and_obeyed_by_nobody() {
    let folder = evil_model();
    for line in ["info model", "info x.safetensors", "neighbors model c4", "neighbors model c5 -n 20"] {
        let ran = folder.run(line).done();
        tame(&ran);
        assert!(line.starts_with("info x") || ran.stdout.contains("\\u{1b}[31mred"), "{ran:?}");
    }
    // Refusals quote the requested name and the names that exist.
    tame(&folder.run(&format!("neighbors model {}", "\u{1b}[31m")));
    for (command, argument) in [("info", EVIL), ("convert", EVIL), ("score", EVIL)] {
        let ran = Ran::output(folder.command(command).arg(argument).args(["a", "b"]));
        assert_ne!(ran.code, Some(0));
        tame(&ran);
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    }
    let ran = Ran::output(folder.command("info").arg(EVIL));
    assert!(ran.stderr.contains("\\u{1b}[31mred\\u{7}\\nsecond line\\r\\u{202e}"), "{ran:?}");
}

#[test]
fn a_formula_in_a_name_can_be_defused() {
    let folder = evil_model();
    let ran = folder.run("export model -o plain.csv").done();
    assert!(ran.stderr.contains("1 name begins like a formula; --safe-csv puts ' before them"), "{ran:?}");
    let text = String::from_utf8(folder.read("plain.csv")).unwrap();
    assert!(text.contains("\"=HYPERLINK(\"\"http://x\"\")\","), "{text}");
    let ran = folder.run("export model -o safe.csv --safe-csv").done();
    assert!(!ran.stderr.contains("formula"), "{ran:?}");
    let text = String::from_utf8(folder.read("safe.csv")).unwrap();
    assert!(text.contains("\"'=HYPERLINK(\"\"http://x\"\")\","), "{text}");
}

/// Tests every command that writes names to a table: unchanged with a remark, and defused.
#[test]
fn a_formula_in_any_table_can_be_defused() {
    let folder = Folder::new();
    let line = |i: usize| format!("=cmd|'/C calc'!A{i},{},{}\n", i * i % 7, i * 5 % 11);
    folder.write("x.csv", format!("id,a,@b\n{}", (0..12).map(line).collect::<String>()));
    folder.write("y.csv", format!("id,a,@b\n{}", (0..12).rev().map(line).collect::<String>()));
    folder.run("fit x.csv y.csv -k 1 --index id --hold-out no --ridge 0.1 -o model --quiet").done();
    for (line, file, cell, names) in [
        ("transform model --x x.csv --index id -o z.csv", "z.csv", "=cmd|", "12 names begin"),
        ("bootstrap model x.csv y.csv --index id -n 3 -o b.tsv", "b.tsv", "@b", "2 names begin"),
        ("export model -o e.csv", "e.csv", "@b", "1 name begins"),
    ] {
        let text = |file: &str| String::from_utf8(folder.read(file)).unwrap();
        let ran = folder.run(line).done();
        let remark = format!("{file}: {names} like a formula; --safe-csv puts ' before them");
        assert!(ran.stderr.contains(&remark) && text(file).contains(cell), "{ran:?}");
        let ran = folder.run(&format!("{line} --safe-csv")).done();
        assert!(!ran.stderr.contains("formula"), "{ran:?}");
        let cells = text(file);
        assert!(cells.contains(&format!("'{cell}")), "{cells}");
        assert_eq!(cells.matches(&format!("'{cell}")).count(), cells.matches(cell).count(), "{cells}");
    }
}
