//! Columns are matched by position. If both model and file have names, these must therefore be equal.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::Folder;
use common::data::{X_COLS, Y_COLS};
use lcca_io::{Names, read_matrix, write_matrix_named};

/// Stores of both views and a model of them, all with names.
fn folder() -> Folder {
    let folder = Folder::with_views(200, 3);
    write(&folder, "x", "x", &names("x", X_COLS));
    write(&folder, "y", "y", &names("y", Y_COLS));
    folder.run("fit x.safetensors y.safetensors -k 3 -o model").done();
    folder
}

fn names(view: &str, cols: usize) -> Vec<String> {
    (0..cols).map(|column| format!("{view}{column}")).collect()
}

/// The rows of x.npz or y.npz as a store with these names.
fn write(folder: &Folder, view: &str, store: &str, names: &[String]) {
    let matrix = read_matrix(&folder.path(&format!("{view}.npz"))).unwrap().matrix;
    let path = folder.path(&format!("{store}.safetensors"));
    write_matrix_named(&path, &matrix, Some(&Names::new(names))).unwrap();
}

#[test]
fn the_same_names_or_none_are_accepted() {
    let folder = folder();
    let scored = folder.json("score model x.safetensors y.safetensors")["total"].clone();
    assert_eq!(folder.json("score model x.npz y.npz")["total"], scored);
    assert_eq!(folder.json("score model x.safetensors y.npz")["total"], scored);
    folder.run("transform model --x x.safetensors -o z.npy").done();
    folder.run("fit x.npz y.npz -k 3 -o nameless").done();
    assert_eq!(folder.json("score nameless x.safetensors y.safetensors")["total"], scored);
}

#[test]
fn other_names_are_refused_and_the_first_is_named() {
    let folder = folder();
    let mut other = names("y", Y_COLS);
    other[7] = "a\nlong".to_string() + &"x".repeat(500);
    other[9] = "later".into();
    write(&folder, "y", "other", &other);
    let needles = [
        "other.safetensors: column 7 (from 0) is \"a\\nlongxxx",
        "expected \"y7\" as in Y of the model",
        "are not the same",
    ];
    folder.refuses("score model x.safetensors other.safetensors", &needles);
    folder.write("kept.npy", "precious");
    folder.refuses("transform model --y other.safetensors -o kept.npy", &needles);
    folder.refuses("transform model --y other.safetensors -o new.npy", &needles);
}

#[test]
fn the_same_names_in_another_order_are_told_apart_from_others() {
    let folder = folder();
    let mut turned = names("x", X_COLS);
    turned.swap(2, 39);
    write(&folder, "x", "turned", &turned);
    let needles =
        ["turned.safetensors: column 2 (from 0) is \"x39\", expected \"x2\"", "the same in another order"];
    folder.refuses("score model turned.safetensors y.safetensors", &needles);
    folder.refuses("transform model --x turned.safetensors -o new.npy", &needles);
}

#[test]
fn info_names_the_columns_that_stand_out() {
    let folder = folder();
    let (model, _) = lcca_io::read_model(&folder.path("model")).unwrap();
    let info = folder.json("info model");
    assert_eq!(info["top"].as_array().unwrap().len(), 3);
    for pair in 0..3 {
        for (side, view, loadings) in [(0, "x", &model.x.loadings), (1, "y", &model.y.loadings)] {
            let mut sizes: Vec<(f64, usize)> =
                (0..loadings.rows()).map(|row| (loadings.row(row)[pair], row)).collect();
            sizes.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
            let top = info["top"][pair][side].as_array().unwrap();
            assert_eq!(top.len(), 3);
            for (listed, (loading, column)) in top.iter().zip(sizes) {
                assert_eq!(
                    (&listed["name"], &listed["loading"]),
                    (&format!("{view}{column}").into(), &loading.into())
                );
            }
        }
    }
    let text = folder.run("info model").done().stdout;
    let first = info["top"][0][0][0]["name"].as_str().unwrap();
    assert!(text.contains(&format!("\n  pair 1: \"{first}\" ")) && text.contains(" | \"y"), "{text}");
    folder.run("fit x.npz y.npz -k 3 -o nameless").done();
    assert!(folder.json("info nameless")["top"].is_null());
    assert!(!folder.run("info nameless").done().stdout.contains("loadings"));
}
