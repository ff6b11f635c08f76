//! `lcca views`: the views that it makes from raw data, and the input that it refuses.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../common/mod.rs"]
mod common;

mod columnar;
mod columns;
mod hold_out;
mod real;
mod refused;
mod tables;
mod text;
mod words;

use common::Folder;
use lcca_io::{read_matrix, read_names};
use std::collections::BTreeMap;
use std::fs;

/// The rows of a store as (name, value), in the order of the columns.
fn rows(folder: &Folder, store: &str) -> Vec<Vec<(String, f64)>> {
    let matrix = read_matrix(&folder.path(store)).unwrap().matrix;
    let names = read_names(&folder.path(store)).unwrap().unwrap();
    let row = |row| {
        let mut entries = Vec::new();
        matrix.for_each(row, |column, value| entries.push((names.get(column).to_string(), value)));
        entries
    };
    (0..matrix.rows()).map(row).collect()
}

/// The names in each row of ones, as one text.
fn words(folder: &Folder, store: &str) -> Vec<String> {
    let text = |row: Vec<(String, f64)>| {
        assert!(row.iter().all(|(_, value)| *value == 1.0), "{row:?}");
        row.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ")
    };
    rows(folder, store).into_iter().map(text).collect()
}

fn column_names(folder: &Folder, store: &str) -> Vec<String> {
    read_names(&folder.path(store)).unwrap().unwrap().iter().map(str::to_string).collect()
}

/// The files of a folder in the test's folder, and their bytes. views.json is left out, because it names
/// its input.
fn bytes(folder: &Folder, name: &str) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder.path(name)).unwrap().map(|entry| entry.unwrap());
    let files = files.map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap()));
    files.filter(|(name, _)| name != "views.json").collect()
}
