//! Checks held-out rows: every row is in one of two parts, and both parts have the columns of all rows.

use super::{bytes, column_names, rows, words};
use crate::common::Folder;

const TABLE: &str = "a b\tx\tone\nb c\ty z\ttwo\na c\tx\tthree\n\tz y\tfour\nb a\tx y\tfive\n";

#[test]
fn every_nth_row_goes_to_the_test_stores_with_its_label() {
    let folder = Folder::new();
    folder.write("t.tsv", TABLE);
    let line = "views text t.tsv --no-header --x 1 --y 2 --label 3 --min-count 1";
    folder.run(&format!("{line} -o all")).done();
    folder.run(&format!("{line} --hold-out 2 -o d")).done();
    let parts = [("x", words(&folder, "all/x.safetensors")), ("y", words(&folder, "all/y.safetensors"))];
    for (view, all) in parts {
        let [held_out, kept] =
            [0, 1].map(|part| all.iter().skip(part).step_by(2).cloned().collect::<Vec<_>>());
        assert_eq!(words(&folder, &format!("d/{view}.safetensors")), kept);
        assert_eq!(words(&folder, &format!("d/{view}_test.safetensors")), held_out);
        let names = column_names(&folder, &format!("all/{view}.safetensors"));
        assert_eq!(column_names(&folder, &format!("d/{view}.safetensors")), names);
        assert_eq!(column_names(&folder, &format!("d/{view}_test.safetensors")), names);
    }
    assert_eq!(folder.read("d/labels.txt"), b"two\nfour\n");
    assert_eq!(folder.read("d/labels_test.txt"), b"one\nthree\nfive\n");
    let facts: serde_json::Value = serde_json::from_slice(&folder.read("d/views.json")).unwrap();
    assert_eq!((&facts["rows"], &facts["held_out"]["rows"]), (&5.into(), &3.into()));
    assert_eq!(facts["held_out"]["every"], 2);
}

#[test]
fn the_bytes_do_not_depend_on_the_threads() {
    let folder = Folder::new();
    let line = |row: usize| format!("w{} w{} w{}\tv{}\n", row % 7, row % 50, row % 311, row % 13);
    folder.write("t.tsv", (0..20_000).map(line).collect::<String>());
    for (threads, to) in [("1", "one"), ("2", "two"), ("5", "five")] {
        let flags = "--no-header --x 1 --y 2 --values tf-idf --hold-out 10";
        folder.run(&format!("views text t.tsv {flags} --threads {threads} -o {to}")).done();
    }
    assert!(
        bytes(&folder, "one") == bytes(&folder, "two") && bytes(&folder, "one") == bytes(&folder, "five")
    );
    assert_eq!(rows(&folder, "one/x_test.safetensors").len(), 2000);
}

#[test]
fn rows_of_a_matrix_are_held_out_alike() {
    let folder = Folder::with_views(100, 2);
    let line = "views columns x.npz --x 0..20 --y 20..40";
    folder.run(&format!("{line} -o all")).done();
    folder.run(&format!("{line} --hold-out 3 -o d")).done();
    for view in ["x", "y"] {
        let all = rows(&folder, &format!("all/{view}.safetensors"));
        let (held_out, kept): (Vec<_>, Vec<_>) =
            all.into_iter().enumerate().partition(|(row, _)| row % 3 == 0);
        let part =
            |rows: Vec<(usize, Vec<(String, f64)>)>| rows.into_iter().map(|(_, row)| row).collect::<Vec<_>>();
        assert_eq!(rows(&folder, &format!("d/{view}.safetensors")), part(kept));
        assert_eq!(rows(&folder, &format!("d/{view}_test.safetensors")), part(held_out));
    }
}

#[test]
fn one_row_cannot_be_split() {
    let folder = Folder::new();
    folder.write("t.tsv", "a\tb\n");
    folder.write("m.csv", "1,2\n");
    let text = "views text t.tsv --no-header --x 1 --y 2 --min-count 1 --hold-out";
    folder.refuses(&format!("{text} 2 -o d"), &["t.tsv: has 1 row, expected two or more"]);
    folder.refuses("views columns m.csv --x 0 --y 1 --hold-out 2 -o d", &["m.csv: has 1 row, expected two"]);
    folder.refuses(&format!("{text} 1 -o d"), &["--hold-out"]);
    assert!(!folder.path("d").exists());
}
