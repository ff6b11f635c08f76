//! Models remember how the files of their fit were read, so no later command asks for a flag again.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{Folder, gap, numbers};

const ROWS: usize = 60;

/// A number that looks random, but is equal on every machine.
fn noise(seed: usize) -> f64 {
    let mut state = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
    (0..3).for_each(|_| state = (state ^ state >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9));
    (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

/// One table with an id, a code of groups, gaps written as -9, and both views.
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

/// A folder with X, Y and covariates as an office program writes them: semicolons, decimal commas, gaps
/// written as -9.
fn office() -> Folder {
    let folder = Folder::new();
    let comma = |number: f64| format!("{number:.4}").replace('.', ",");
    let table = |header: &str, seed: usize| {
        let line = |row: usize| {
            let cell = |column: usize| comma(noise(row) + noise(row * 7 + column * 1000 + seed));
            let first = if seed == 300 && row == 5 { "-9".into() } else { cell(0) };
            format!("{first};{}\n", cell(1))
        };
        format!("{header}\n{}", (0..ROWS).map(line).collect::<String>())
    };
    folder.write("x.txt", table("a;b", 100));
    folder.write("y.txt", table("c;d", 200));
    folder.write("z.txt", table("age;dose", 300));
    folder
}

#[test]
fn what_is_said_about_files_goes_for_covariates_and_is_remembered() {
    let folder = office();
    let flags = "--delimiter ; --decimal , --na=-9 --missing drop";
    folder.run(&format!("fit x.txt y.txt --covariates z.txt -k 1 {flags} -o model")).done();
    let files = "x.txt y.txt --covariates z.txt";
    let expected = folder.json(&format!("score model {files} {flags}"));
    assert_eq!(expected["rows"], ROWS as u64 - 1, "the row without an age is left out");
    let remembered = folder.json(&format!("score model {files}"));
    assert!(gap(&numbers(&remembered, "correlations"), &numbers(&expected, "correlations")) < 1e-12);
    folder.run("transform model --x x.txt --covariates z.txt -o t.csv").done();
    assert_eq!(String::from_utf8(folder.read("t.csv")).unwrap().lines().count(), ROWS);
    let mean = flags.replace("drop", "mean");
    folder.run(&format!("fit x.txt y.txt --covariates z.txt -k 1 {mean} -o filled")).done();
    let filled = folder.json("score filled x.txt y.txt --covariates z.txt");
    assert_eq!(filled["rows"], ROWS as u64, "{filled}");
}

#[test]
fn what_is_said_about_files_goes_for_row_weights() {
    let folder = office();
    let weights = (0..ROWS).map(|row| format!("{},5\n", row % 3)).collect::<String>();
    folder.write("w.txt", format!("weight\n{weights}"));
    let flags = "--delimiter ; --decimal , --na=-9";
    folder.run(&format!("fit x.txt y.txt --row-weights w.txt -k 1 {flags} -o model")).done();
    assert_eq!(folder.json("bootstrap model x.txt y.txt --row-weights w.txt -n 3")["drawn_from"], ROWS);
}

#[test]
fn a_remembered_delimiter_that_does_not_fit_is_named() {
    let folder = office();
    folder.run("fit x.txt y.txt -k 1 --delimiter ; --decimal , -o model").done();
    folder.write("later.csv", "a,b\n1.5,2.5\n2.5,1.5\n0.5,1.25\n");
    let needles = [
        "commas between its fields",
        "semicolons as in the files that the model was fitted to",
        "--delimiter",
    ];
    folder.refuses("transform model --x later.csv -o t.csv", &needles);
    folder.run("transform model --x later.csv --delimiter , --decimal . -o t.csv").done();
}

#[test]
fn one_column_with_a_comma_in_its_name_is_read_again() {
    let folder = office();
    let cell = |row: usize| (10.0 + noise(row)).to_string().replace('.', ",");
    folder
        .write("w.txt", format!("weight, kg\n{}", (0..ROWS).map(|row| cell(row) + "\n").collect::<String>()));
    folder.run("fit w.txt y.txt -k 1 --delimiter ; --decimal , -o model").done();
    assert_eq!(folder.json("score model w.txt y.txt")["rows"], ROWS);
    folder.write("later.txt", "weight,kg\n71,5\n80,2\n");
    folder.refuses("transform model --x later.txt -o t.csv", &["commas between its fields", "--delimiter"]);
}

#[test]
fn a_remembered_number_takes_no_column_of_the_model() {
    let folder = Folder::new();
    let part = |columns: &[usize]| {
        let cells = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            columns.iter().map(|&column| cells[column]).collect::<Vec<_>>().join(",") + "\n"
        };
        table().lines().map(cells).collect::<String>()
    };
    folder.write("x.csv", part(&[0, 2, 3]));
    folder.write("y.csv", part(&[0, 4, 5]));
    folder.run("fit x.csv y.csv --index 1 --na=-9 --missing mean -o model").done();
    // These rows have no ids.
    folder.write("x0.csv", part(&[2, 3]));
    folder.write("y0.csv", part(&[4, 5]));
    let expected = correlations(&folder, "score model x.csv y.csv");
    assert!(gap(&correlations(&folder, "score model x0.csv y0.csv"), &expected) < 1e-12);
    // Without names of columns only their number tells, and the message names the remedy.
    let bare = |name: &str, columns: &[usize]| {
        folder.write(name, part(columns).split_once('\n').unwrap().1);
    };
    bare("xb.csv", &[0, 2, 3]);
    bare("yb.csv", &[0, 4, 5]);
    bare("xb0.csv", &[2, 3]);
    folder.run("fit xb.csv yb.csv --header no --index 1 --na=-9 --missing mean -o bare").done();
    folder.refuses("transform bare --x xb0.csv -o t.csv", &["has 1 column, expected 2", "--index none"]);
    folder.run("transform bare --x xb0.csv --index none -o t.csv").done();
}

#[test]
fn columns_that_count_from_0_can_count_from_1_again() {
    let folder = Folder::new();
    let lines = |start: usize| {
        let entry = |row: usize, column: usize| format!(" {}:{:.4}", column + start, noise(row * 3 + column));
        let line = |row: usize| format!("0{}\n", (0..3).map(|column| entry(row, column)).collect::<String>());
        (0..ROWS).map(line).collect::<String>()
    };
    folder.write("zero.svm", lines(0));
    folder.write("one.svm", lines(1));
    folder.run("fit zero.svm zero.svm -k 1 --zero-based -o model").done();
    folder.run("transform model --x zero.svm -o zero.csv").done();
    folder.run("transform model --x one.svm --zero-based=no -o one.csv").done();
    assert_eq!(folder.read("zero.csv"), folder.read("one.csv"));
}
