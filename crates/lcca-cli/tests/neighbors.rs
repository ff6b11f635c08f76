//! Compares the neighbors of a column with an independent computation, and tests the message about columns
//! that do not exist.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::Folder;
use lcca::matrix::Panel;
use lcca_io::{ModelNames, Names, read_model, write_model_named};
use serde_json::{Map, Value};

/// A folder with a model. If `named`, the model's columns are called x0, x1, … and y0, y1, … .
fn folder(named: bool) -> Folder {
    let folder = Folder::with_views(300, 5);
    folder.run("fit x.npz y.npz -k 4 --ridge 0.1 -o model").done();
    if named {
        let (model, _) = read_model(&folder.path("model")).unwrap();
        let numbered =
            |view: &str, panel: &Panel| Names::new((0..panel.rows()).map(|i| format!("{view}{i}")));
        let names = ModelNames {
            x: Some(numbered("x", &model.x.weights)),
            y: Some(numbered("y", &model.y.weights)),
            covariates: None,
        };
        write_model_named(&folder.path("model"), &model, &names, &Map::new()).unwrap();
    }
    folder
}

/// Every row except `without`, with its cosine with `vector`, largest first.
fn by_hand(panel: &Panel, vector: &[f64], without: Option<usize>, components: usize) -> Vec<(usize, f64)> {
    let dot = |a: &[f64], b: &[f64]| (0..components).map(|i| a[i] * b[i]).sum::<f64>();
    let cosine = |row: &[f64]| dot(row, vector) / (dot(row, row) * dot(vector, vector)).sqrt();
    let rows = (0..panel.rows()).filter(|&row| Some(row) != without);
    let mut all: Vec<(usize, f64)> = rows.map(|row| (row, cosine(panel.row(row)))).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

fn listed(word: &Value, view: &str) -> Vec<(usize, f64)> {
    let list = word["neighbors"][view].as_array().unwrap();
    list.iter()
        .map(|one| (one["column"].as_u64().unwrap() as usize, one["cosine"].as_f64().unwrap()))
        .collect()
}

fn same(listed: &[(usize, f64)], expected: &[(usize, f64)]) {
    assert!(!expected.is_empty() && listed.len() == expected.len(), "{listed:?} {expected:?}");
    for (listed, expected) in listed.iter().zip(expected) {
        assert!(listed.0 == expected.0 && (listed.1 - expected.1).abs() < 1e-12, "{listed:?} {expected:?}");
    }
}

#[test]
fn the_nearest_columns_are_those_with_the_largest_cosines() {
    let folder = folder(true);
    let (model, _) = read_model(&folder.path("model")).unwrap();
    for (flags, [x, y], components) in [
        ("", [&model.x.weights, &model.y.weights], 4),
        ("--what vectors", [&model.x.weights, &model.y.weights], 4),
        ("--what loadings", [&model.x.loadings, &model.y.loadings], 4),
        ("--components 2", [&model.x.weights, &model.y.weights], 2),
    ] {
        let answer = folder.json(&format!("neighbors model x3 y5 -n 6 {flags}"));
        let words = answer["words"].as_array().unwrap();
        assert_eq!((&words[0]["view"], &words[1]["view"]), (&"x".into(), &"y".into()));
        same(&listed(&words[0], "x"), &by_hand(x, x.row(3), Some(3), components)[..6]);
        same(&listed(&words[0], "y"), &by_hand(y, x.row(3), None, components)[..6]);
        same(&listed(&words[1], "x"), &by_hand(x, y.row(5), None, components)[..6]);
        same(&listed(&words[1], "y"), &by_hand(y, y.row(5), Some(5), components)[..6]);
    }
}

#[test]
fn the_requested_views_are_searched() {
    let folder = folder(true);
    let only = |view: &str| {
        let answer = folder.json(&format!("neighbors model x3 --in {view}"));
        let near = answer["words"][0]["neighbors"].as_object().unwrap().clone();
        (
            near.keys().cloned().collect::<Vec<_>>(),
            near.values().map(|list| list.as_array().unwrap().len()).sum::<usize>(),
        )
    };
    assert_eq!(only("x"), (vec!["x".into()], 10));
    assert_eq!(only("y"), (vec!["y".into()], 10));
    assert_eq!(only("both").1, 20);
    let text = folder.run("neighbors model x3 y4 --in y -n 2").done();
    let lines: Vec<&str> = text.stdout.lines().collect();
    assert!(lines.len() == 7 && lines[0].starts_with("x3 (x)") && lines[0].contains("in y"), "{text:?}");
    let nearest = folder.json("neighbors model x3 --in y")["words"][0]["neighbors"]["y"][0]["name"].clone();
    assert!(lines[1].contains(nearest.as_str().unwrap()), "{text:?}");
}

#[test]
fn a_name_in_both_views_is_taken_from_x_unless_y_is_requested() {
    let folder = folder(false);
    for (flags, view) in [("", "x"), ("--view x", "x"), ("--view y", "y")] {
        let word = &folder.json(&format!("neighbors model 17 {flags}"))["words"][0];
        assert_eq!((&word["view"], &word["column"]), (&view.into(), &17.into()));
    }
    // X has 40 columns, and Y has 30.
    assert_eq!(folder.json("neighbors model 35")["words"][0]["view"], "x");
    folder.refuses(
        "neighbors model 35 --view y",
        &["no column of y is named \"35\"", "expected a number from 0, below 30"],
    );
    folder.refuses("neighbors model word", &["no column of x or y is named \"word\"", "below 40"]);
}

#[test]
fn an_unknown_word_is_refused_with_words_spelled_like_it() {
    let folder = folder(true);
    folder.refuses(
        "neighbors model x3 X7",
        &["model: no column of x or y is named \"X7\"; spelled like it: \"x7\""],
    );
    folder.refuses("neighbors model nothing-like-it", &["named \"nothing-like-it\"\n"]);
    folder
        .refuses("neighbors model x3 --view y", &["no column of y is named \"x3\"; spelled like it: \"y3\""]);
    folder.refuses("neighbors nowhere x3", &["nowhere: "]);
    folder.refuses("neighbors model x3 -n 0", &["-n"]);
    folder.refuses("neighbors model x3 --components 9", &["--components is 9, expected 1 to 4"]);
}

#[test]
fn a_column_without_weight_has_no_direction() {
    let folder = folder(true);
    let (mut model, provenance) = read_model(&folder.path("model")).unwrap();
    model.x.weights.row_mut(3).fill(0.0);
    let names = lcca_io::read_model_names(&folder.path("model")).unwrap();
    write_model_named(&folder.path("model"), &model, &names, &provenance).unwrap();
    let text = folder.run("neighbors model x3").done().stdout;
    assert_eq!(text, "x3 (x): its numbers are all 0, so nothing is near it\n");
    let others = folder.json("neighbors model x4 -n 99");
    assert!(
        listed(&others["words"][0], "x").len() == 38
            && !listed(&others["words"][0], "x").iter().any(|one| one.0 == 3)
    );
}
