//! Models remember how the files of their fit were read: no later command asks for a flag again.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{Folder, gap, numbers};

const ROWS: usize = 60;

/// A number that looks random, the same on every machine.
fn noise(seed: usize) -> f64 {
    let mut state = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
    (0..3).for_each(|_| state = (state ^ state >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9));
    (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

/// One table with an id, a code of groups, gaps that are written as -9, and both views.
fn table() -> String {
    let line = |row: usize| {
        let shared = noise(row);
        let cell = |column: usize| format!("{:.4}", shared + noise(row * 7 + column * 1000));
        let gap = |column: usize| if row % 17 == column { "-9".into() } else { cell(column) };
        let (group, id) = (1 + row % 3, (row * 37) % 60 + 500);
        format!("{id},{group},{},{},{},{}\n", gap(1), cell(2), cell(3), gap(4))
    };
    format!("id,group,gene_a,gene_b,fat,protein\n{}", (0..ROWS).map(line).collect::<String>())
}

const FLAGS: &str =
    "--x-columns gene_*,group --y-columns fat,protein --index id --na=-9 --missing mean --categorical group";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", table());
    folder.run(&format!("fit t.csv t.csv -k 2 --ridge 0.01 {FLAGS} -o model")).done();
    folder
}

fn correlations(folder: &Folder, line: &str) -> Vec<f64> {
    numbers(&folder.json(line), "correlations")
}

#[test]
fn no_flag_is_asked_twice() {
    let folder = folder();
    let again = "--index id --na=-9 --missing mean";
    let expected = correlations(&folder, &format!("score model t.csv t.csv {again}"));
    assert!(gap(&correlations(&folder, "score model t.csv t.csv"), &expected) < 1e-12);
    let ran = folder.json("bootstrap model t.csv t.csv -n 5");
    assert_eq!(ran["drawn_from"], ROWS);
    folder.run("report model t.csv t.csv -o r.html").done();
    folder.run("plot scores model t.csv t.csv -o s.svg").done();
    for side in ["x", "y"] {
        folder.run(&format!("transform model --{side} t.csv -o {side}.csv")).done();
        folder.run(&format!("transform model --{side} t.csv {again} -o {side}_again.csv")).done();
        assert_eq!(folder.read(&format!("{side}.csv")), folder.read(&format!("{side}_again.csv")));
    }
    let first = String::from_utf8(folder.read("x.csv")).unwrap();
    assert!(first.lines().nth(1).unwrap().starts_with("500,"), "rows have their names: {first}");
}

#[test]
fn a_flag_that_is_given_again_counts() {
    let folder = folder();
    folder.refuses("score model t.csv t.csv --missing error", &["the value is missing", "--missing drop"]);
    let dropped = folder.json("score model t.csv t.csv --missing drop");
    assert!(dropped["rows"].as_u64().unwrap() < ROWS as u64, "{dropped}");
    folder.refuses("score model t.csv t.csv --index none --x-columns gene_a", &["lacks"]);
}

#[test]
fn columns_without_names_are_remembered_by_number() {
    let folder = Folder::new();
    let text = table();
    folder.write("t.csv", text.split_once('\n').unwrap().1);
    let flags = "--header no --index 1 --x-columns 3,4 --y-columns 5,6 --na=-9 --missing mean";
    folder.run(&format!("fit t.csv t.csv -k 2 {flags} -o model")).done();
    let expected = correlations(&folder, &format!("score model t.csv t.csv {flags}"));
    assert!(gap(&correlations(&folder, "score model t.csv t.csv"), &expected) < 1e-12);
}

#[test]
fn rows_that_come_later_need_not_have_names_again() {
    let folder = folder();
    let without: String =
        table().lines().map(|line| format!("{}\n", line.split_once(',').unwrap().1)).collect();
    folder.write("nameless.csv", without);
    folder.run("transform model --x nameless.csv -o z.csv").done();
    folder.run("score model nameless.csv nameless.csv").done();
    folder.refuses("score model nameless.csv nameless.csv --index id", &["there is no column \"id\""]);
}

#[test]
fn how_rows_find_each_other_is_remembered() {
    let folder = Folder::new();
    let lines: Vec<String> = table().lines().map(String::from).collect();
    let part = |columns: &[usize], rows: std::ops::Range<usize>| {
        let cells = |line: &String| {
            let cells: Vec<&str> = line.split(',').collect();
            columns.iter().map(|&column| cells[column]).collect::<Vec<_>>().join(",") + "\n"
        };
        cells(&lines[0]) + &lines[1..][rows].iter().map(cells).collect::<String>()
    };
    folder.write("x.csv", part(&[0, 3], 0..50));
    folder.write("y.csv", part(&[0, 4], 10..60));
    folder.refuses(
        "fit x.csv y.csv --index id -o model",
        &["10 of its 50 rows are not in y.csv", "--align common"],
    );
    folder.run("fit x.csv y.csv --index id --align common -o model").done();
    assert_eq!(folder.json("score model x.csv y.csv")["rows"], 40);
    folder.refuses("score model x.csv y.csv --align auto", &["10 of its 50 rows are not in y.csv"]);
}
