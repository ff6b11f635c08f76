//! Covariates and metrics from the command line.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{Folder, gap, numbers};

const ROWS: usize = 80;

/// A number that looks random, but is equal on every machine.
fn noise(seed: usize) -> f64 {
    let mut state = seed as u64 * 0x9e37_79b9_7f4a_7c15 + 1;
    (0..3).for_each(|_| state = (state ^ state >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9));
    (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

fn site(row: usize) -> usize {
    (row * row) % 7 % 3
}

const SITES: [&str; 3] = ["north", "south", "west"];

/// A cell of column `column` of X or Y: a shared signal, an effect of age and site, and noise.
fn cell(row: usize, column: usize) -> f64 {
    let effect = noise(column + 500) * age(row) + noise(10 * column + site(row) + 700);
    0.5 * noise(row) + noise(row * 7 + column * 1000) + 2.0 * effect
}

fn age(row: usize) -> f64 {
    noise(row + 5000)
}

/// A table of the rows `rows`, with row names if `named`.
fn table(header: &str, rows: &[usize], named: bool, line: impl Fn(usize) -> String) -> String {
    let body = rows.iter().map(|&row| {
        let name = if named { format!("s{row:03},") } else { String::new() };
        format!("{name}{}\n", line(row))
    });
    format!("{header}\n{}", body.collect::<String>())
}

fn cells(columns: std::ops::Range<usize>) -> impl Fn(usize) -> String {
    move |row| columns.clone().map(|column| cell(row, column).to_string()).collect::<Vec<_>>().join(",")
}

fn folder() -> Folder {
    let folder = Folder::new();
    let (all, train, test): (Vec<usize>, Vec<usize>, Vec<usize>) =
        ((0..ROWS).collect(), (0..60).collect(), (60..ROWS).collect());
    let mixed = |row: usize| format!("{},{}", age(row), SITES[site(row)]);
    for (name, rows) in [("all", &all), ("train", &train), ("test", &test)] {
        folder.write(&format!("x_{name}.csv"), table("a,b,c", rows, false, cells(0..3)));
        folder.write(&format!("y_{name}.csv"), table("d,e", rows, false, cells(3..5)));
        folder.write(&format!("z_{name}.csv"), table("age,site", rows, false, mixed));
        folder.write(
            &format!("zr_{name}.csv"),
            table("site,age", rows, false, |row| format!("{},{}", SITES[site(row)], age(row))),
        );
    }
    // The covariates as numbers: one indicator per site.
    let indicators = |row: usize| {
        let of = |s: usize| u8::from(site(row) == s);
        format!("{},{},{},{}", age(row), of(0), of(1), of(2))
    };
    folder.write("numbers.csv", table("age,n,s,w", &all, false, indicators));
    let shuffled: Vec<usize> = (0..ROWS).map(|row| row * 37 % ROWS).collect();
    folder.write("xi.csv", table("id,a,b,c", &all, true, cells(0..3)));
    folder.write("yi.csv", table("id,d,e", &all, true, cells(3..5)));
    folder.write("zi.csv", table("id,age,site", &shuffled, true, mixed));
    folder
}

/// The text that a successful command prints.
fn printed(folder: &Folder, line: &str) -> String {
    folder.run(line).done().stdout
}

fn correlations(folder: &Folder, line: &str) -> Vec<f64> {
    numbers(&folder.json(line), "correlations")
}

#[test]
fn categories_are_indicators_and_rows_are_aligned_by_name() {
    let folder = folder();
    let by_name = correlations(&folder, "fit x_all.csv y_all.csv -k 2 --covariates z_all.csv");
    let by_number = correlations(&folder, "fit x_all.csv y_all.csv -k 2 --covariates numbers.csv");
    let shuffled = correlations(&folder, "fit xi.csv yi.csv -k 2 --covariates zi.csv");
    let without = correlations(&folder, "fit x_all.csv y_all.csv -k 2");
    assert!(gap(&by_name, &by_number) < 1e-9 && gap(&by_name, &shuffled) < 1e-9);
    assert!(without[0] > by_name[0] + 0.05, "{without:?} {by_name:?}");
}

#[test]
fn a_model_scores_and_transforms_rows_with_their_covariates_and_no_others() {
    let folder = folder();
    let text = printed(&folder, "fit x_train.csv y_train.csv -k 2 --covariates z_train.csv -o model");
    assert!(
        text.contains("what 4 covariates, of which 3 are independent, explain was taken out of both views"),
        "{text}"
    );
    let scores = correlations(&folder, "score model x_test.csv y_test.csv --covariates z_test.csv");
    let reordered = correlations(&folder, "score model x_test.csv y_test.csv --covariates zr_test.csv");
    assert!(scores.len() == 2 && gap(&scores, &reordered) < 1e-12);
    let trained = correlations(&folder, "score model x_train.csv y_train.csv --covariates z_train.csv");
    let fitted = correlations(&folder, "fit x_train.csv y_train.csv -k 2 --covariates z_train.csv");
    assert!(gap(&trained, &fitted) < 1e-9);
    printed(&folder, "transform model --x x_test.csv --covariates z_test.csv -o zx.npy -q");
    printed(&folder, "report model x_test.csv y_test.csv --covariates z_test.csv -o page.html -q");
    for line in ["score model x_test.csv y_test.csv", "transform model --x x_test.csv -o other.npy"] {
        folder.refuses(line, &["fitted with 4 columns of covariates", "--covariates"]);
    }
    folder.write("moon.csv", "age,site\n0.5,moon\n");
    folder.write("one.csv", table("a,b,c", &[61], false, cells(0..3)));
    folder.refuses(
        "transform model --x one.csv --covariates moon.csv -o other.npy",
        &["the covariate \"site\" has the category \"moon\""],
    );
    folder.refuses("fit x_all.csv y_all.csv --covariates z_test.csv", &["rows"]);
    folder.refuses("fit x_all.csv y_all.csv --covariates z_all.csv --resume state", &["--resume"]);
    printed(&folder, "fit x_train.csv y_train.csv -k 2 -o plain -q");
    folder
        .refuses("score plain x_test.csv y_test.csv --covariates z_test.csv", &["fitted without covariates"]);
}

#[test]
fn metrics_are_said_and_kept() {
    let folder = folder();
    let text = printed(&folder, "fit x_all.csv y_all.csv -k 2 --metric pls --scale no -o model");
    assert!(
        text.contains("covariance: what the fit maximizes") && text.contains("sum of covariances"),
        "{text}"
    );
    let json = folder.json("fit x_all.csv y_all.csv -k 2 --metric pls --metric-y cca");
    assert_eq!(json["metrics"], serde_json::json!(["pls", "cca"]));
    let diagonal = folder.json("fit x_all.csv y_all.csv -k 2 --metric diagonal");
    let scaled = folder.json("fit x_all.csv y_all.csv -k 2 --metric pls --scale yes");
    assert!(gap(&numbers(&diagonal, "objective"), &numbers(&scaled, "objective")) < 1e-9);
    for (line, needle) in [
        ("fit x_all.csv y_all.csv --metric pls --ridge 0.1 -q", "ridge is 0.1, expected 0"),
        ("fit x_all.csv y_all.csv --metric pls --method l-cca -q", "not available with the method l-cca"),
    ] {
        folder.refuses(line, &[needle]);
    }
}

/// Views whose rows a column of numbers names, and covariates of these rows and of others, in another order.
fn numbered(rows_of_z: &[usize]) -> Folder {
    let folder = Folder::new();
    let id = |row: usize| 1000 + row * 7;
    let with_id = |header: &str, rows: &[usize], line: &dyn Fn(usize) -> String| {
        let body: String = rows.iter().map(|&row| format!("{},{}\n", id(row), line(row))).collect();
        format!("{header}\n{body}")
    };
    let (train, shuffled): (Vec<usize>, Vec<usize>) =
        ((0..60).collect(), (0..60).map(|row| row * 37 % 60).collect());
    folder.write("x.csv", with_id("id,a,b,c", &train, &cells(0..3)));
    folder.write("y.csv", with_id("id,d,e", &shuffled, &cells(3..5)));
    folder.write("y_other.csv", with_id("patient_id,d,e", &shuffled, &cells(3..5)));
    folder.write("z.csv", with_id("id,age", rows_of_z, &|row| age(row).to_string()));
    folder.write("families.csv", with_id("id,family", rows_of_z, &|row| format!("f{}", row % 9)));
    folder.write("families.txt", train.iter().map(|row| format!("f{}\n", row % 9)).collect::<String>());
    folder.write("xp.csv", table("a,b,c", &train, false, cells(0..3)));
    folder.write("yp.csv", table("d,e", &train, false, cells(3..5)));
    folder.write("zp.csv", table("age", &train, false, |row| age(row).to_string()));
    folder
}

#[test]
fn covariates_of_more_rows_are_found_by_their_ids() {
    let rows: Vec<usize> = (0..ROWS).map(|row| row * 37 % ROWS).collect();
    let folder = numbered(&rows);
    let expected = correlations(&folder, "fit xp.csv yp.csv -k 2 --covariates zp.csv");
    let by_id = correlations(&folder, "fit x.csv y.csv -k 2 --covariates z.csv");
    assert!(gap(&by_id, &expected) < 1e-12, "{by_id:?} {expected:?}");
    let run = folder.run("fit x.csv y.csv -k 2 --covariates z.csv -o model").done();
    assert!(run.stderr.contains("20 rows of the covariates that X does not have left out"), "{run:?}");
    let scored = correlations(&folder, "score model x.csv y.csv --covariates z.csv");
    assert!(gap(&scored, &expected) < 1e-9, "{scored:?} {expected:?}");
}

#[test]
fn covariates_that_lack_rows_are_refused_with_some_of_them() {
    let rows: Vec<usize> = (2..ROWS).map(|row| row * 37 % ROWS).filter(|row| *row != 3).collect();
    let folder = numbered(&rows);
    let needles = ["z.csv: ", " of the 60 are not in it (", "\"1021\"", "--index"];
    folder.refuses("fit x.csv y.csv -k 2 --covariates z.csv", &needles);
    let needles = ["z.csv: ", "of the 60 rows of X are not in it (", "expected one for each"];
    folder.refuses("fit x.csv y.csv -k 2 --covariates z.csv --index id", &needles);
    folder.refuses("fit x.csv y.csv -k 2 --covariates z.csv --index id --align common", &needles);
}

#[test]
fn equal_ids_pair_rows_whatever_their_columns_are_called() {
    let folder = numbered(&[0]);
    let expected = correlations(&folder, "fit xp.csv yp.csv -k 2");
    let paired = correlations(&folder, "fit x.csv y_other.csv -k 2");
    assert!(gap(&paired, &expected) < 1e-12, "{paired:?} {expected:?}");
    let run = folder.run("fit x.csv y_other.csv -k 2").done();
    assert!(run.stderr.contains("column \"patient_id\" names the rows of Y"), "{run:?}");
}

#[test]
fn labels_with_ids_are_put_in_the_order_of_x() {
    let rows: Vec<usize> = (0..ROWS).map(|row| row * 37 % ROWS).collect();
    let folder = numbered(&rows);
    folder.run("fit x.csv y.csv -k 1 -o model").done();
    let test =
        |blocks: &str| folder.json(&format!("score model x.csv y.csv --permutations 200 --blocks {blocks}"));
    assert_eq!(test("families.csv"), test("families.txt"));
    let plain = "fit xp.csv yp.csv -k 1 --hold-out 0.3 -q --fold-groups families.csv";
    folder.refuses(plain, &["families.csv: has two columns, expected one label per line"]);
}
