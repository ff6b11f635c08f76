//! `lcca views columns`

use super::{column_names, rows, words};
use crate::common::Folder;
use crate::common::data::{X_COLS, sparse, topics};
use lcca_io::{Names, write_matrix_named};

/// Column 1 has a value of 2 in its second row, and column 4 is empty; columns have 4, 3, 2, 1, 0 and 2
/// entries.
const SVM: &str = "1 1:1 2:1 3:1 4:1\n1 1:1 2:2 6:1\n1 1:1 2:1 3:1\n1 1:1 6:1\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("m.svm", SVM);
    folder
}

#[test]
fn columns_go_to_their_view_and_keep_their_order() {
    let folder = folder();
    folder.run("views columns m.svm --x 0..2,5 --y 2..5 -o d").done();
    assert_eq!(column_names(&folder, "d/x.safetensors"), ["0", "1", "5"]);
    assert_eq!(column_names(&folder, "d/y.safetensors"), ["2", "3", "4"]);
    assert_eq!(
        rows(&folder, "d/x.safetensors")[1],
        [("0".into(), 1.0), ("1".into(), 2.0), ("5".into(), 1.0)]
    );
    assert_eq!(words(&folder, "d/y.safetensors"), ["2 3", "", "2", ""]);
    assert_eq!(folder.read("d/y_columns.tsv"), b"2\t2\n3\t1\n4\t0\n");
}

#[test]
fn columns_are_judged_on_the_rows_kept() {
    let folder = folder();
    let facts = folder.json("views columns m.svm --x first:100% --y last:50% --boolean-only -o boolean");
    assert_eq!(column_names(&folder, "boolean/x.safetensors"), ["0", "2", "3", "4", "5"]);
    assert_eq!((&facts["x"]["not_boolean"], &facts["shared"]), (&1.into(), &3.into()));
    folder.run("views columns m.svm --x 0..6 --y 0..6 --rows 1 --boolean-only --min-count 1 -o row").done();
    assert_eq!(column_names(&folder, "row/x.safetensors"), ["0", "1", "2", "3"]);
    folder.run("views columns m.svm --x 0..6 --y 0..6 --skip 1 --top 2 -o top").done();
    assert_eq!(column_names(&folder, "top/x.safetensors"), ["1", "2"]);
    folder.run("views columns m.svm --x 0..6 --y 0..6 --skip 9 --x-skip 0 --y-skip 1 --top 2 -o each").done();
    assert_eq!(column_names(&folder, "each/y.safetensors"), ["1", "2"]);
    assert_eq!(column_names(&folder, "each/x.safetensors"), ["0", "1"]);
}

#[test]
fn names_choose_columns_if_there_are_names() {
    let folder = Folder::new();
    let names =
        Names::new((0..X_COLS).map(|i| format!("{}_{i}", if i % 3 == 0 { "protein" } else { "gene" })));
    let [x, _] = topics(20, X_COLS, 1, 5);
    write_matrix_named(&folder.path("m.safetensors"), &sparse(X_COLS, &x), Some(&names)).unwrap();
    folder.run("views columns m.safetensors --x gene_* --y protein_?,protein_3? -o d").done();
    assert_eq!(column_names(&folder, "d/x.safetensors").len(), X_COLS - 14);
    assert_eq!(
        column_names(&folder, "d/y.safetensors"),
        ["0", "3", "6", "9", "30", "33", "36", "39"].map(|i| format!("protein_{i}"))
    );
    let entries = |store: &str| rows(&folder, store).concat().len();
    let all: usize = x.iter().map(Vec::len).sum();
    folder.run("views columns m.safetensors --x gene_* --y protein_* -o all").done();
    assert_eq!(entries("all/x.safetensors") + entries("all/y.safetensors"), all);
}

#[test]
fn dense_matrices_stay_dense() {
    let folder = Folder::new();
    folder.write("m.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n0\n0\n4\n5.5\n0\n");
    folder.run("views columns m.mtx --x 0,2 --y 1 -o d").done();
    assert_eq!(
        rows(&folder, "d/x.safetensors"),
        [[("0".to_string(), 1.0), ("2".to_string(), 5.5)], [("0".to_string(), 0.0), ("2".to_string(), 0.0)]]
    );
    assert_eq!(rows(&folder, "d/y.safetensors"), [[("1".to_string(), 0.0)], [("1".to_string(), 4.0)]]);
}
