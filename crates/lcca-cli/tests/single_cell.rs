//! Tests features for single-cell data: normalized rows, and two data sets with the same columns.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::data::{Rows, X_COLS, columns, sparse, topics};
use common::page::Page;
use common::{Folder, gap, numbers};

/// Rows whose entries are normalized by definition.
fn by_hand(rows: &Rows, how: &str) -> Rows {
    let one = |row: &Vec<(u32, f64)>| {
        let sum: f64 = row.iter().map(|(_, v)| v).sum();
        let length = row.iter().map(|(_, v)| v * v).sum::<f64>().sqrt();
        let value = |v: f64| match how {
            "length" => v / length,
            "sum" => v / sum,
            _ => (1.0 + 1e4 * v / sum).ln(),
        };
        row.iter().map(|&(column, v)| (column, value(v))).collect()
    };
    rows.iter().map(one).collect()
}

#[test]
fn a_fit_of_normalized_rows_is_that_of_rows_normalized_by_hand_and_so_are_its_scores() {
    let folder = Folder::new();
    let (views, test) = (topics(400, 40, 30, 1), topics(100, 40, 30, 2));
    folder.write_views(["x.npz", "y.npz"], &views);
    folder.write_views(["x_test.npz", "y_test.npz"], &test);
    for how in ["length", "sum", "log1p"] {
        folder.write_views(["a.npz", "b.npz"], &[by_hand(&views[0], how), views[1].clone()]);
        folder.write_views(["a_test.npz", "b_test.npz"], &[by_hand(&test[0], how), test[1].clone()]);
        let flags = "-k 3 --ridge 0.01 --hold-out no";
        let fit = folder
            .json(&format!("fit x.npz y.npz {flags} --normalize-rows {how} --normalize-rows-y no -o model"));
        let truth = folder.json(&format!("fit a.npz b.npz {flags} -o by_hand"));
        assert!(gap(&numbers(&fit, "correlations"), &numbers(&truth, "correlations")) < 1e-9);
        assert_eq!(fit["normalize_rows"], serde_json::json!([how, "no"]));
        let scores = folder.json("score model x_test.npz y_test.npz");
        let truth = folder.json("score by_hand a_test.npz b_test.npz");
        assert!(gap(&numbers(&scores, "correlations"), &numbers(&truth, "correlations")) < 1e-9);
        folder.run("transform model --x x_test.npz -o z.npy").done();
        folder.run("transform by_hand --x a_test.npz -o z_by_hand.npy").done();
        let [z, by_hand] = ["z.npy", "z_by_hand.npy"].map(|name| columns(&folder.path(name)).concat());
        let [z, by_hand] = [z, by_hand].map(|z| z.iter().map(|v| v.abs()).collect::<Vec<_>>());
        assert!(gap(&z, &by_hand) < 1e-9);
        assert!(folder.run("info model").done().stdout.contains(&format!("\"normalize_x\":\"{how}\"")));
        let command = Page::report(&folder, "model").text("This command repeats the fit", "</pre>");
        assert!(command.contains(&format!("--normalize-rows {how} --normalize-rows-y no")), "{command}");
    }
}

#[test]
fn rows_that_cannot_be_normalized_are_named() {
    let folder = Folder::with_views(50, 1);
    let mut views = topics(50, 40, 30, 1);
    views[1][7][0].1 = -3.0;
    folder.write_views(["x.npz", "y.npz"], &views);
    folder.refuses("fit x.npz y.npz -k 1 --normalize-rows log1p -o model", &["y.npz", "Y: row 7", "-3"]);
    folder.run("fit x.npz y.npz -k 1 --normalize-rows length -o model").done();
    folder.refuses("fit x.npz y.npz --normalize-rows length --missing mean", &["--missing drop"]);
    folder.refuses("fit x.npz y.npz --normalize-rows median", &["median"]);
}

/// The leading singular vectors of all standardized rows of one file times those of the other file, by
/// power iteration.
fn leading(x: &Rows, y: &Rows) -> (f64, Vec<f64>, Vec<f64>) {
    let standardized = |rows: &Rows| -> Vec<Vec<f64>> {
        let one = |row: &Vec<(u32, f64)>| {
            let mut dense = vec![0.0; X_COLS];
            row.iter().for_each(|&(column, value)| dense[column as usize] = value);
            let mean = dense.iter().sum::<f64>() / X_COLS as f64;
            let square: f64 = dense.iter().map(|v| (v - mean).powi(2)).sum();
            let deviation = (square / (X_COLS - 1) as f64).sqrt();
            dense.iter().map(|v| (v - mean) / deviation).collect()
        };
        rows.iter().map(one).collect()
    };
    let (x, y) = (standardized(x), standardized(y));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let times = |a: &[Vec<f64>], b: &[Vec<f64>], v: &[f64]| -> Vec<f64> {
        let mut sum = vec![0.0; X_COLS];
        b.iter().zip(v).for_each(|(row, v)| sum.iter_mut().zip(row).for_each(|(s, r)| *s += v * r));
        a.iter().map(|row| dot(row, &sum)).collect()
    };
    let unit = |v: Vec<f64>| -> Vec<f64> {
        let length = dot(&v, &v).sqrt();
        v.into_iter().map(|v| v / length).collect()
    };
    let mut v = unit((0..y.len()).map(|i| 1.0 + (i % 7) as f64).collect());
    for _ in 0..20_000 {
        v = unit(times(&y, &x, &times(&x, &y, &v)));
    }
    let u = times(&x, &y, &v);
    let value = dot(&u, &u).sqrt();
    let sign = u[0].signum();
    (value, unit(u).iter().map(|u| u * sign).collect(), v.iter().map(|v| v * sign).collect())
}

#[test]
fn two_data_sets_are_embedded_by_the_singular_vectors_of_their_product() {
    let folder = Folder::new();
    let ([a, _], [b, _]) = (topics(120, X_COLS, 30, 1), topics(90, X_COLS, 30, 2));
    folder.write_matrix("a.npz", &sparse(X_COLS, &a));
    folder.write_matrix("b.npz", &sparse(X_COLS, &b));
    let result = folder.json("run-cca a.npz b.npz -k 3 -o aligned");
    let (value, u, v) = leading(&a, &b);
    assert!((numbers(&result, "values")[0] / value - 1.0).abs() < 1e-10);
    assert!(gap(&columns(&folder.path("aligned/x.npy"))[0], &u) < 1e-8);
    assert!(gap(&columns(&folder.path("aligned/y.npy"))[0], &v) < 1e-8);
    assert!(numbers(&result, "departure_from_orthonormal").iter().all(|d| *d < 1e-10));
    let text =
        folder.run("run-cca a.npz b.npz --format csv --scale-columns --normalize-rows log1p -o tables");
    assert!(text.done().stdout.contains("120 rows and 90 rows × 40 columns"));
    assert!(std::fs::read_to_string(folder.path("tables/y.csv")).unwrap().starts_with("CC1,CC2"));
}

#[test]
fn scaled_columns_far_from_zero_are_embedded_as_near_it() {
    let folder = Folder::new();
    let ([a, _], [b, _]) = (topics(120, X_COLS, 30, 1), topics(90, X_COLS, 30, 2));
    // Sums are exact, because entries are quarters.
    let far = |rows: &Rows| -> Rows {
        let value = |row: &[(u32, f64)]| {
            2f64.powi(27) + row.iter().find(|entry| entry.0 == 0).map_or(0.0, |entry| entry.1)
        };
        let others = |row: &[(u32, f64)]| row.iter().filter(|entry| entry.0 > 0).copied().collect::<Vec<_>>();
        rows.iter().map(|row| [vec![(0, value(row))], others(row)].concat()).collect()
    };
    let values = |output: &str, [first, second]: [&Rows; 2]| {
        folder.write_matrix("a.npz", &sparse(X_COLS, first));
        folder.write_matrix("b.npz", &sparse(X_COLS, second));
        numbers(&folder.json(&format!("run-cca a.npz b.npz -k 3 --scale-columns -o {output}")), "values")
    };
    let (near, moved) = (values("near", [&a, &b]), values("far", [&far(&a), &far(&b)]));
    assert!(gap(&near, &moved) < 1e-9 * near[0], "{near:?} {moved:?}");
}

#[test]
fn data_sets_that_do_not_fit_together_are_refused() {
    let folder = Folder::with_named_views(50, 1);
    folder.write_matrix("x.npz", &sparse(40, &topics(20, 40, 30, 1)[0]));
    folder.refuses("run-cca x.npz y.safetensors -o new", &["y.safetensors: has 30 columns", "40 of x.npz"]);
    folder.refuses("run-cca x.npz nowhere.npz -o new", &["nowhere.npz"]);
    folder.refuses("run-cca x.npz x.npz -k 0 -o new", &["0"]);
    folder.refuses_with(3, "run-cca x.npz x.npz --memory 100 -o new", &["needs about"]);
    let names = lcca_io::Names::new((0..40).map(|i| format!("other{i}")));
    let matrix = sparse(40, &topics(20, 40, 30, 1)[0]);
    lcca_io::write_matrix_named(&folder.path("other.safetensors"), &matrix, Some(&names)).unwrap();
    folder.refuses("run-cca x.safetensors other.safetensors -o new", &["column 0 is called other0"]);
}

#[test]
fn files_of_single_cells_are_sent_to_python() {
    let folder = Folder::with_views(20, 1);
    folder.write("cells.h5ad", b"\x89HDF\r\n\x1a\nand more");
    folder.write("cut.h5mu", b"something else");
    for line in ["fit cells.h5ad y.npz", "info cells.h5ad", "run-cca cells.h5ad x.npz -o new"] {
        folder.refuses(line, &["cells.h5ad", "python -m lcca.sc convert FILE -o FOLDER"]);
    }
    folder.refuses("info cut.h5mu", &["is named like HDF5 but does not begin like one"]);
}
