//! Exports weights, loadings and vectors for other programs: every format has the model's numbers to the
//! bit, under the model's names.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{Folder, on_ci};
use lcca::fit::Model;
use lcca::matrix::Panel;
use lcca_io::{ModelNames, Names, read_model, write_model_named};
use serde_json::{Map, Value};
use std::path::Path;
use std::process::Command;

const K: usize = 4;

/// Names that break formats: spaces of many kinds, quotes, delimiters, an empty name, and names that become
/// equal.
const AWKWARD: [&str; 19] = [
    "",
    "a b",
    "a\tb",
    "a\nb",
    "a\r\nb",
    "a\\nb",
    "\"",
    "say \"hi\"",
    "it's",
    "a,b",
    "a;b",
    "été",
    "日本",
    "\u{1f600}",
    "a\u{a0}b",
    "a\u{2028}b",
    "a\u{1c}b",
    " ",
    "a_b",
];

/// A folder with a model whose columns of x are named awkwardly; columns of y have no names.
fn folder() -> (Folder, Model) {
    let folder = Folder::with_views(300, 5);
    folder.run(&format!("fit x.npz y.npz -k {K} --ridge 0.1 -o model")).done();
    let (model, _) = read_model(&folder.path("model")).unwrap();
    let names = ModelNames { x: Some(Names::new(names())), y: None, ..ModelNames::default() };
    write_model_named(&folder.path("model"), &model, &names, &Map::new()).unwrap();
    (folder, model)
}

fn names() -> Vec<String> {
    let plain = (AWKWARD.len()..common::data::X_COLS).map(|column| format!("word{column}"));
    AWKWARD.iter().map(|name| name.to_string()).chain(plain).collect()
}

fn rows(panel: &Panel) -> Vec<Vec<f64>> {
    (0..panel.rows()).map(|row| panel.row(row).to_vec()).collect()
}

fn bits(rows: &[Vec<f64>]) -> Vec<Vec<u64>> {
    rows.iter().map(|row| row.iter().map(|number| number.to_bits()).collect()).collect()
}

/// Reads word2vec's text as gensim does: sizes, then lines cut at spaces.
fn word2vec(folder: &Folder, file: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = String::from_utf8(folder.read(file)).unwrap();
    let mut lines = text.strip_suffix('\n').unwrap().split('\n');
    let sizes: Vec<usize> = lines.next().unwrap().split(' ').map(|size| size.parse().unwrap()).collect();
    let (mut names, mut rows) = (Vec::new(), Vec::new());
    for line in lines {
        let mut parts = line.split(' ');
        names.push(parts.next().unwrap().to_string());
        rows.push(parts.map(|number| number.parse().unwrap()).collect::<Vec<f64>>());
        assert_eq!(line.split_whitespace().count(), sizes[1] + 1, "{line:?}");
    }
    assert_eq!((sizes[0], vec![sizes[1]; rows.len()]), (rows.len(), rows.iter().map(Vec::len).collect()));
    (names, rows)
}

#[test]
fn word2vec_text_holds_every_bit_and_names_of_one_word() {
    let (folder, model) = folder();
    let said = folder.run("export model -o x.vec").done();
    let (words, numbers) = word2vec(&folder, "x.vec");
    assert_eq!(bits(&numbers), bits(&rows(&model.x.weights)));
    let expected: Vec<String> = AWKWARD
        .iter()
        .map(|name| {
            let spaces = [" ", "\t", "\n", "\r", "\u{a0}", "\u{2028}", "\u{1c}"];
            let word = spaces.iter().fold(name.to_string(), |word, space| word.replace(space, "_"));
            if word.is_empty() { "_".into() } else { word }
        })
        .collect();
    assert_eq!(words[..AWKWARD.len()], expected);
    assert_eq!(words[AWKWARD.len()..], names()[AWKWARD.len()..]);
    // Ten names hold white space or are empty; a_b comes out seven times and _ twice.
    assert!(
        said.stderr.contains("10 names with white space, or empty, are written with _; 7 are now the same"),
        "{said:?}"
    );
    let json = folder.json("export model -o x.txt --quiet");
    assert_eq!((json["changed_names"].as_u64(), json["repeated_names"].as_u64()), (Some(10), Some(7)));
    assert_eq!(folder.read("x.txt"), folder.read("x.vec"));
}

#[test]
fn the_requested_numbers_are_written() {
    let (folder, model) = folder();
    let scale = (model.rows as f64).sqrt();
    let scaled: Vec<Vec<f64>> =
        rows(&model.y.weights).into_iter().map(|row| row.iter().map(|w| scale * w).collect()).collect();
    let cases = [
        ("--view y", rows(&model.y.weights)),
        ("--view x --what loadings", rows(&model.x.loadings)),
        ("--view y --what vectors", scaled),
        ("--top 7", rows(&model.x.weights)[..7].to_vec()),
        ("--top 99 --components 2", rows(&model.x.weights).iter().map(|row| row[..2].to_vec()).collect()),
    ];
    for (flags, expected) in cases {
        folder.run(&format!("export model -o out.vec {flags}")).done();
        assert_eq!(bits(&word2vec(&folder, "out.vec").1), bits(&expected), "{flags}");
    }
    folder.run("export model --view y -o out.vec").done();
    let numbered: Vec<String> = (0..common::data::Y_COLS).map(|column| column.to_string()).collect();
    assert_eq!(word2vec(&folder, "out.vec").0, numbered);
}

#[test]
fn normalized_rows_keep_their_direction_and_have_length_one() {
    let (folder, model) = folder();
    for what in ["weights", "vectors", "loadings"] {
        folder.run(&format!("export model --normalize --what {what} -o out.vec")).done();
        let panel = if what == "loadings" { &model.x.loadings } else { &model.x.weights };
        for (exported, row) in word2vec(&folder, "out.vec").1.iter().zip(rows(panel)) {
            let length = row.iter().map(|number| number * number).sum::<f64>().sqrt();
            assert!(
                exported
                    .iter()
                    .zip(row)
                    .all(|(scaled, number)| (scaled * length - number).abs() < 1e-12 * length),
                "{what}"
            );
        }
    }
}

/// The names, and the numbers to the bit, that Python reads from a file.
fn python(folder: &Folder, file: &str) -> Option<Value> {
    let Some(python) = std::env::var_os("LCCA_PYTHON") else {
        assert!(!on_ci(), "LCCA_PYTHON is not set");
        println!("skipped: LCCA_PYTHON is not set");
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export_files.py");
    let output = Command::new(python).arg(script).arg(folder.path(file)).output().unwrap();
    assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn python_reads_the_same_names_and_bits_from_every_format() {
    let (folder, model) = folder();
    for file in ["x.vec", "x.npy", "x.parquet", "x.csv", "x.tsv"] {
        folder.run(&format!("export model -o {file} --what loadings --quiet")).done();
        let Some(read) = python(&folder, file) else { return };
        let numbers: Vec<Vec<f64>> = serde_json::from_value(read["numbers"].clone()).unwrap();
        assert_eq!(bits(&numbers), bits(&rows(&model.x.loadings)), "{file}");
        let read_names: Vec<String> = serde_json::from_value(read["names"].clone()).unwrap();
        let expected = if file == "x.vec" { word2vec(&folder, file).0 } else { names() };
        assert_eq!(read_names, expected, "{file}");
    }
}

#[test]
fn parquet_holds_more_rows_than_a_group() {
    let folder = Folder::new();
    let (rows, numbers) =
        (150_000, |row: usize, column: usize| (row as f64 + 0.1) * (1.0 - 2.0 * column as f64));
    let panel = Panel::from_fn(rows, 2, numbers);
    let whole = lcca_io::NamedRows {
        numbers: &panel,
        names: None,
        rows,
        components: 2,
        formulas: lcca_io::Formulas::Kept,
    };
    lcca_io::export_rows(&folder.path("m.parquet"), &whole).unwrap();
    let Some(read) = python(&folder, "m.parquet") else { return };
    let numbers: Vec<Vec<f64>> = serde_json::from_value(read["numbers"].clone()).unwrap();
    assert_eq!(bits(&numbers), bits(&self::rows(&panel)));
    assert_eq!(read["names"][149_999], "149999");
}

#[test]
fn the_same_model_gives_the_same_bytes_and_replaces_files_whole() {
    let (folder, _) = folder();
    for file in ["x.vec", "x.npy", "x.parquet", "x.csv", "x.tsv"] {
        folder.write(file, "old");
        folder.run(&format!("export model -o {file} --quiet")).done();
        let first = folder.read(file);
        assert_ne!(first, b"old");
        folder.run(&format!("export model -o {file} --quiet")).done();
        assert_eq!(folder.read(file), first, "{file}");
    }
    let files: Vec<String> = folder.contents().into_keys().collect();
    let expected =
        ["model", "x.csv", "x.npy", "x.npy.names.txt", "x.npz", "x.parquet", "x.tsv", "x.vec", "y.npz"];
    assert_eq!(files, expected);
}

#[test]
fn what_cannot_be_written_is_refused_and_nothing_changes() {
    let (folder, _) = folder();
    folder.write("kept.vec", "precious");
    std::fs::create_dir(folder.path("d.npy.names.txt")).unwrap();
    let cases = [
        ("export model -o out", "out: has no known extension; expected .txt or .vec"),
        ("export model -o out.xlsx", "expected .txt or .vec (word2vec), .npy, .parquet, .csv or .tsv"),
        ("export model -o no/where.vec", "no/where.vec: cannot be written"),
        ("export model -o d.npy", "d.npy.names.txt: is a folder"),
        ("export nowhere -o kept.vec", "nowhere: "),
        ("export x.npz -o kept.vec", "x.npz: "),
        ("export model -o kept.vec --components 5", "--components is 5, expected 1 to 4"),
        ("export model -o kept.vec --components 0", "--components is 0, expected 1 to 4"),
        ("export model -o kept.vec --top 0", "--top is 0, expected 1 or more"),
        ("export model -o kept.vec --what means", "means"),
    ];
    cases.iter().for_each(|(line, needle)| folder.refuses(line, &[needle]));
    folder.write("model.csv", folder.read("model"));
    folder.refuses("export model.csv -o model.csv", &["model.csv: is to be read and written"]);
}
