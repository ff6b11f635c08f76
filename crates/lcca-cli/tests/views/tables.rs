//! Reads tables and folders where a matrix is expected.

use super::{column_names, rows};
use crate::common::formats::{gzip, zstandard};
use crate::common::sets::sets_with;
use crate::common::{Folder, gap, number, numbers, workspace};
use flate2::read::GzDecoder;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The columns, names and storage that `lcca convert` makes of a file.
fn converted(folder: &Folder, name: &str) -> (Vec<Vec<f64>>, Vec<String>) {
    folder.run(&format!("convert {name} out.safetensors --quiet")).done();
    (crate::common::data::columns(&folder.path("out.safetensors")), column_names(folder, "out.safetensors"))
}

#[test]
fn tables_are_read_with_the_names_of_their_columns() {
    let folder = Folder::new();
    let expected = (vec![vec![1.0, -3.5], vec![2e3, 0.25]], vec!["a, b".to_string(), "c".to_string()]);
    for (name, text) in [
        ("plain.csv", "\"a, b\",c\n1,2e3\n-3.5,.25\n"),
        ("marked.csv", "\u{feff}\"a, b\",c\r\n1, 2e3\r\n\r\n-3.5,.25"),
        ("pandas.csv", ",\"a, b\",c\n0,1,2e3\n1,-3.5,.25\n"),
        ("named.csv", "id,\"a, b\",c\nrow 1,1,2e3\n\"row, 2\",-3.5,.25\n"),
        ("r.tsv", "a, b\tc\nfirst\t1\t2e3\nsecond\t-3.5\t.25\n"),
        ("empty.tsv", "\ta, b\tc\n1\t1\t2e3\n2\t-3.5\t.25\n"),
    ] {
        folder.write(name, text);
        assert_eq!(converted(&folder, name), expected, "{name}");
    }
    folder.write("packed.csv.gz", gzip(b"\"a, b\",c\n1,2e3\n-3.5,.25\n"));
    folder.write("packed.tsv.zst", zstandard(b"a, b\tc\n1\t2e3\n-3.5\t.25\n"));
    assert_eq!(converted(&folder, "packed.csv.gz"), expected);
    assert_eq!(converted(&folder, "packed.tsv.zst"), expected);
}

#[test]
fn a_table_without_names_has_none_and_one_of_zeros_is_sparse() {
    let folder = Folder::new();
    folder.write("n.csv", "1,2\n3,4\n");
    let info = folder.json("info n.csv");
    assert_eq!(
        (&info["names"], &info["rows"], &info["storage"]),
        (&serde_json::Value::Null, &2.into(), &"dense f32".into())
    );
    folder.write("z.csv", "a,b,c,d\n0,0,0.1,0\n0,2,0,0\n0,0,0,0\n");
    let info = folder.json("info z.csv");
    assert_eq!(
        (&info["entries"], &info["storage"], &info["names"][3]),
        (&2.into(), &"sparse f64".into(), &"d".into())
    );
    let text: String = (0..40_000).map(|row| format!("{row},{},7\n", row * 2)).collect();
    folder.write("long.csv", format!("a,b,c\n{text}"));
    let (columns, _) = converted(&folder, "long.csv");
    assert!((0..40_000).all(|row| columns[0][row] == row as f64 && columns[1][row] == 2.0 * row as f64));
}

#[test]
fn a_table_that_is_not_one_of_numbers_is_refused_where_it_is_wrong() {
    let folder = Folder::with_views(3, 1);
    for (name, text, needle) in [
        (
            "na.csv",
            "a,b\n1,2\n3,NA\n",
            "line 3: column \"b\": the value is missing (\"NA\"); 1 value is missing in 1 row",
        ),
        ("gap.csv", "a,b\n1,2\n\n,4\n", "line 4: column \"a\": the value is missing"),
        ("inf.csv", "1,2\n3,inf\n", "line 2: column 2: \"inf\" is not a finite number"),
        ("ragged.tsv", "a\tb\n1\t2\n3\t4\n5\n", "line 4: has 1 fields, expected 2"),
        ("short.csv", "a,b,c\n1,2\n", "line 1: names 3 columns, the first row has 2"),
        ("long.csv", "a,b\n1,2,3,4\n", "line 1: names 2 columns, the first row has 4"),
        ("names.csv", "a,b\n", "has names of columns and no rows"),
        ("only.csv", "id\nx\ny\n", "either the names of the columns or the first row"),
        ("empty.csv", "", "is empty"),
    ] {
        folder.write(name, text);
        for line in
            [format!("fit {name} y.npz -o new"), format!("convert {name} new.npz"), format!("info {name}")]
        {
            folder.refuses(&line, &[name, needle]);
        }
    }
    folder.write("late.csv", format!("{}1,x\n", "1,2\n".repeat(100_000)));
    folder.refuses("info late.csv", &["line 100001: column 2: expected a number"]);
    folder.refuses("convert x.npz new.csv", &["csv files are read, not written"]);
}

/// A count matrix of three genes and four cells, with a count of 7 for the second gene in the last cell.
const MTX: &str = "%%MatrixMarket matrix coordinate integer general\n3 4 4\n1 1 5\n3 1 1\n2 4 7\n3 2 2\n";
const FEATURES: &str =
    "ENSG1\tCD4\tGene Expression\nENSG2\tCD8A\tGene Expression\nENSG3\tMS4A1\tGene Expression\n";

#[test]
fn a_folder_of_single_cells_has_cells_for_rows_and_genes_for_columns() {
    let folder = Folder::new();
    fs::create_dir(folder.path("cells")).unwrap();
    folder.write("cells/matrix.mtx.gz", gzip(MTX.as_bytes()));
    folder.write("cells/features.tsv.gz", gzip(FEATURES.as_bytes()));
    folder.write("cells/barcodes.tsv.gz", gzip(b"AA\nAC\nAG\nAT\n"));
    let info = folder.json("info cells");
    assert_eq!((&info["rows"], &info["cols"], &info["format"]), (&4.into(), &3.into(), &"mtx folder".into()));
    folder.run("convert cells cells.safetensors").done();
    let entry = |name: &str, value: f64| (name.to_string(), value);
    let expected = [
        vec![entry("CD4", 5.0), entry("MS4A1", 1.0)],
        vec![entry("MS4A1", 2.0)],
        vec![],
        vec![entry("CD8A", 7.0)],
    ];
    assert_eq!(rows(&folder, "cells.safetensors"), expected);
    folder.run("views columns cells --x CD* --y MS4A1 -o d").done();
    assert_eq!(column_names(&folder, "d/x.safetensors"), ["CD4", "CD8A"]);
}

#[test]
fn a_folder_whose_files_do_not_fit_is_refused() {
    let folder = Folder::new();
    fs::create_dir(folder.path("cells")).unwrap();
    folder.refuses("info cells", &["cells: is a folder, expected a file"]);
    folder.write("cells/matrix.mtx", MTX);
    folder.write("cells/genes.tsv", "ENSG1\tCD4\n");
    folder.refuses("info cells", &["cells: genes.tsv: has 1 lines, expected 3, the rows of matrix.mtx"]);
    folder.write("cells/genes.tsv", FEATURES);
    folder.write("cells/barcodes.tsv", "AA\n");
    folder
        .refuses("info cells", &["cells: barcodes.tsv: has 1 lines, expected 4, the columns of matrix.mtx"]);
    folder.write("cells/barcodes.tsv", "AA\nAC\nAG\nAT\n");
    folder.write("cells/matrix.mtx", MTX.replace("7", "seven"));
    folder.refuses("info cells", &["cells: matrix.mtx: line 5: expected a value, found \"seven\""]);
}

/// Genes and lipids of forty mice, as R writes them.
#[test]
fn tables_fit_as_the_arrays_of_their_numbers() {
    for sets in sets_with("nutrimouse") {
        // The prepared set is unpacked, so the test takes the originals as they came.
        let raw = if sets.is_real {
            workspace().join("../shared/data/nutrimouse")
        } else {
            sets.path("nutrimouse")
        };
        if raw.exists() {
            a_packed_table_fits_as_its_array(&raw);
        }
    }
}

fn a_packed_table_fits_as_its_array(raw: &Path) {
    let folder = Folder::new();
    for name in ["gene", "lipid"] {
        fs::copy(raw.join(format!("{name}.csv.gz")), folder.path(&format!("{name}.csv.gz"))).unwrap();
        let mut text = String::new();
        GzDecoder::new(File::open(raw.join(format!("{name}.csv.gz"))).unwrap())
            .read_to_string(&mut text)
            .unwrap();
        let rows: Vec<Vec<f64>> = text
            .lines()
            .skip(1)
            .map(|line| line.split(',').map(|field| field.parse().unwrap()).collect())
            .collect();
        let values: Vec<f64> = rows.concat();
        let shape = format!("({}, {})", rows.len(), rows[0].len());
        folder.write(&format!("{name}.npy"), crate::common::formats::reals(&shape, &values));
    }
    let table = folder.json("fit gene.csv.gz lipid.csv.gz -k 5 --ridge 0.1 -o model");
    let array = folder.json("fit gene.npy lipid.npy -k 5 --ridge 0.1");
    assert_eq!(
        (number(&table, "rows"), number(&table, "x_cols"), number(&table, "y_cols")),
        (40.0, 120.0, 21.0)
    );
    assert!(gap(&numbers(&table, "objective"), &numbers(&array, "objective")) < 1e-9);
    assert_eq!(folder.json("info model")["y_names"][0], "C14.0");
}
