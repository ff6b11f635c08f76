//! The cost of views with many empty columns is that of the columns that occur.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::data::Dice;
use common::{Folder, gap, number, numbers};

/// Rows of 39 frequent columns, with one entry in the column `last`, counted from 1.
fn svmlight(seed: u64, last: u64) -> String {
    let mut dice = Dice(seed);
    let row = |row: u64| {
        let values = (1..40).map(|column| (column, dice.below(27)));
        let entries =
            values.filter(|(_, value)| *value < 9).map(|(column, value)| format!(" {column}:{}", 1 + value));
        let entries: String = entries.collect();
        if row == 7 { format!("1{entries} {last}:2\n") } else { format!("1{entries}\n") }
    };
    (0..150).map(row).collect()
}

#[test]
fn the_largest_index_does_not_decide_the_cost_or_the_answer() {
    let folder = Folder::new();
    for (name, last) in [("narrow", 40), ("wide", 2_000_000_000)] {
        folder.write(&format!("{name}_x.svm"), svmlight(1, last));
        folder.write(&format!("{name}_y.svm"), svmlight(2, last));
    }
    let narrow = folder.json("fit narrow_x.svm narrow_y.svm -k 3 --ridge 0.1 -o narrow");
    let run = folder.run("fit wide_x.svm wide_y.svm -k 3 --ridge 0.1 -o wide --json").done();
    assert!(run.stderr.contains("wide_x.svm: 40 of 2,000,000,000 columns occur"), "{run:?}");
    let wide = run.json();
    assert!(gap(&numbers(&narrow, "correlations"), &numbers(&wide, "correlations")) < 1e-9);
    assert_eq!(number(&wide, "x_cols"), 40.0);
    assert!(number(&wide, "peak_rss_bytes") < 500e6, "{wide}");
    // The model's columns are picked by number, even if the file is wider.
    let narrow = folder.json("score narrow narrow_x.svm narrow_y.svm");
    let scores = folder.json("score wide wide_x.svm wide_y.svm");
    assert!(gap(&numbers(&narrow, "correlations"), &numbers(&scores, "correlations")) < 1e-9);
    folder.run("transform wide --x wide_x.svm -o z.npy").done();
}
