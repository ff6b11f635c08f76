//! Results can be used again in every format, and a repeated command gives the same bits.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::data::{Dice, Rows, X_COLS, Y_COLS, columns, dense, svmlight, topics};
use common::formats::{gzip, reals, zstandard};
use common::{Folder, gap, number, numbers};
use lcca::matrix::OneHotRows;
use lcca::method::Method;
use serde_json::Value;

/// Every method of the engine, with parameters that the small views allow.
fn methods() -> Vec<String> {
    let parameters = |name: &str| match name {
        "l-cca" => " --k-pc 10 --t2 10",
        "rp-cca" => " --k-rpcca 25",
        _ => "",
    };
    Method::names().map(|name| format!("{name}{}", parameters(name))).collect()
}

/// The results of a fit that depend on the data alone.
fn findings(fit: &Value) -> Vec<Vec<f64>> {
    let mut lists: Vec<_> = ["correlations", "objective", "residuals"].map(|key| numbers(fit, key)).into();
    lists.push(vec![number(fit, "total"), number(fit, "passes")]);
    lists
}

/// The correlation of two columns, about their means or about zero.
fn correlation(x: &[f64], y: &[f64], centered: bool) -> f64 {
    let less_mean = |v: &[f64]| -> Vec<f64> {
        let mean = if centered { v.iter().sum::<f64>() / v.len() as f64 } else { 0.0 };
        v.iter().map(|number| number - mean).collect()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (x, y) = (less_mean(x), less_mean(y));
    dot(&x, &y) / (dot(&x, &x) * dot(&y, &y)).sqrt()
}

/// The correlations of the canonical variables of these files, from `lcca transform`.
fn transformed(folder: &Folder, x: &str, y: &str, centered: bool) -> Vec<f64> {
    folder.run(&format!("transform model --x {x} -o zx.npy")).done();
    folder.run(&format!("transform model --y {y} -o zy.npy")).done();
    let (zx, zy) = (columns(&folder.path("zx.npy")), columns(&folder.path("zy.npy")));
    assert_eq!(zx.len(), zy.len());
    zx.iter().zip(&zy).map(|(x, y)| correlation(x, y, centered)).collect()
}

#[test]
fn a_model_scores_and_transforms_its_training_rows_as_the_fit_fitted() {
    let folder = Folder::with_views(500, 1);
    for method in methods() {
        for (flags, centered) in [("", true), ("--no-center", false), ("--ridge 0.1 --ridge-y 0.2", true)] {
            let fit = folder.json(&format!("fit x.npz y.npz -k 4 -o model --method {method} {flags}"));
            let score = folder.json("score model x.npz y.npz");
            let fitted = numbers(&fit, "correlations");
            let scored = gap(&fitted, &numbers(&score, "correlations"));
            assert!(scored < 1e-10, "{method} {flags}: {scored:e}");
            assert_eq!(fitted, numbers(&score, "training_correlations"), "{method} {flags}");
            assert!(
                (number(&fit, "total") - number(&score, "subspace_total")).abs() < 1e-9,
                "{method} {flags}"
            );
            let gap = gap(&fitted, &transformed(&folder, "x.npz", "y.npz", centered));
            assert!(gap < 1e-10, "{method} {flags}: {gap:e}");
        }
    }
}

#[test]
fn scores_of_other_rows_are_the_correlations_of_their_canonical_variables() {
    let folder = Folder::new();
    let whole = topics(900, X_COLS, Y_COLS, 2);
    let part = |range: std::ops::Range<usize>| whole.clone().map(|view| view[range.clone()].to_vec());
    folder.write_views(["x.npz", "y.npz"], &part(0..600));
    folder.write_views(["x_test.npz", "y_test.npz"], &part(600..900));
    for flags in ["", "--no-center"] {
        folder.run(&format!("fit x.npz y.npz -k 4 --method exact -o model {flags}")).done();
        let score = folder.json("score model x_test.npz y_test.npz");
        let (fitted, training) = (numbers(&score, "correlations"), numbers(&score, "training_correlations"));
        assert_eq!(number(&score, "rows"), 300.0);
        let gap = gap(&fitted, &transformed(&folder, "x_test.npz", "y_test.npz", flags.is_empty()));
        assert!(gap < 1e-10, "{gap:e}");
        assert!((number(&score, "total") - fitted.iter().sum::<f64>()).abs() < 1e-12);
        assert!(number(&score, "total") < training.iter().sum::<f64>(), "{score}");
        let by_chance = 4.0 / 300f64.sqrt();
        assert!(fitted[0] > by_chance, "the planted correlation is not found again: {score}");
    }
}

#[test]
fn every_format_of_the_same_data_gives_the_same_bits() {
    let folder = Folder::with_views(400, 3);
    let views = topics(400, X_COLS, Y_COLS, 3);
    for (name, rows) in ["x", "y"].iter().zip(&views) {
        for to in ["safetensors", "lcca", "mtx"] {
            folder.run(&format!("convert {name}.npz {name}.{to}")).done();
        }
        let text = svmlight(rows);
        folder.write(&format!("{name}.svm"), &text);
        folder.write(&format!("{name}.svm.gz"), gzip(text.as_bytes()));
        folder.write(&format!("{name}.mtx.zst"), zstandard(&folder.read(&format!("{name}.mtx"))));
    }
    for method in methods() {
        let fit = |x: &str, y: &str| {
            let widths = if x.contains(".svm") { "--x-cols 40 --y-cols 30" } else { "" };
            findings(&folder.json(&format!("fit {x} {y} -k 4 --method {method} {widths}")))
        };
        let from_npz = fit("x.npz", "y.npz");
        for format in ["safetensors", "lcca", "mtx", "svm", "svm.gz", "mtx.zst"] {
            let converted = fit(&format!("x.{format}"), &format!("y.{format}"));
            assert_eq!(from_npz, converted, "{method} from {format}");
        }
        assert_eq!(from_npz, fit("x.mtx", "y.safetensors"), "{method} from two formats");
    }
}

#[test]
fn converting_around_changes_nothing() {
    let folder = Folder::with_views(200, 4);
    let steps = ["x.npz", "a.safetensors", "b.mtx", "c.npz", "d.lcca"];
    let fit = |x: &str| findings(&folder.json(&format!("fit {x} y.npz -k 4 --method als")));
    for pair in steps.windows(2) {
        let fitted = folder.json(&format!("convert {} {}", pair[0], pair[1]));
        assert_eq!((number(&fitted, "rows"), number(&fitted, "cols")), (200.0, X_COLS as f64));
        assert_eq!(fit(pair[0]), fit(pair[1]), "{pair:?}");
    }
    folder.run("convert a.safetensors there.npz").done();
    folder.run("convert there.npz back.safetensors").done();
    assert!(folder.read("a.safetensors") == folder.read("back.safetensors"));
}

#[test]
fn dense_rows_keep_their_bits_through_every_format_that_holds_them() {
    let folder = Folder::with_views(200, 5);
    folder.write_matrix("x.npy", &dense(X_COLS, &topics(200, X_COLS, Y_COLS, 5)[0]));
    let steps = ["x.npy", "a.safetensors", "b.npy", "c.mtx", "d.npy"];
    steps.windows(2).for_each(|pair| {
        folder.run(&format!("convert {} {}", pair[0], pair[1])).done();
    });
    folder.write("packed.npy.gz", gzip(&folder.read("x.npy")));
    let fit = |x: &str| findings(&folder.json(&format!("fit {x} y.npz -k 4 --method als")));
    let first = fit("x.npy");
    for name in ["a.safetensors", "b.npy", "c.mtx", "d.npy", "packed.npy.gz"] {
        assert_eq!(first, fit(name), "{name}");
    }
    let sparse = numbers(&folder.json("fit x.npz y.npz -k 4 --method als"), "correlations");
    assert!(gap(&first[0], &sparse) < 1e-10, "dense and sparse rows of the same numbers");
}

#[test]
fn the_same_command_twice_writes_the_same_bytes() {
    let folder = Folder::with_views(600, 6);
    for method in methods() {
        let line = format!("fit x.npz y.npz -k 4 --seed 3 --threads 2 --method {method}");
        folder.run(&format!("{line} -o first")).done();
        folder.run(&format!("{line} -o second")).done();
        assert!(folder.read("first") == folder.read("second"), "{method}");
        folder.run(&format!("{line} -o second")).done();
        assert!(folder.read("first") == folder.read("second"), "{method}: replacing itself");
    }
}

#[test]
fn the_thread_count_changes_nothing_beyond_rounding() {
    let folder = Folder::with_views(2000, 7);
    for method in methods() {
        let fit = |threads: u32| {
            let line = format!("fit x.npz y.npz -k 4 --method {method} --threads {threads} -o m{threads}");
            let fit = folder.json(&line);
            assert_eq!(number(&fit, "threads"), f64::from(threads));
            [numbers(&fit, "correlations"), numbers(&fit, "objective"), vec![number(&fit, "total")]]
        };
        let one = fit(1);
        for threads in [2, 5] {
            for (alone, shared) in one.iter().zip(&fit(threads)) {
                let gap = gap(alone, shared);
                assert!(gap < 1e-9, "{method}, {threads} threads: {gap:e}");
            }
        }
    }
}

/// One-hot views are solved in another way: on their Gram matrices, with one view eliminated.
#[test]
fn one_hot_views_give_the_same_bytes_twice_and_the_same_totals_on_any_threads() {
    let folder = Folder::new();
    let mut dice = Dice(9);
    let x: Vec<u32> = (0..70_000).map(|_| dice.below(X_COLS) as u32).collect();
    let y: Vec<u32> = x.iter().map(|x| (x * 7 + dice.below(9) as u32) % Y_COLS as u32).collect();
    for (name, cols, columns) in [("x.safetensors", X_COLS, x), ("y.safetensors", Y_COLS, y)] {
        folder.write_matrix(name, &OneHotRows::new(cols, columns.into()).unwrap().into());
    }
    let line = "fit x.safetensors y.safetensors -k 4 --method lobpcg";
    let fit = |flags: &str| folder.json(&format!("{line} {flags}"));
    let first = fit("--threads 2 -o first");
    let decisions = first["decisions"].as_array().unwrap();
    assert!(decisions.iter().any(|decision| decision["decision"] == "view-eliminated"), "{first}");
    fit("--threads 2 -o second");
    assert!(folder.read("first") == folder.read("second"));
    let alone = fit("--threads 1");
    assert!((number(&first, "total") - number(&alone, "total")).abs() < 1e-9);
}

#[test]
fn the_seed_is_what_makes_the_random_methods_differ() {
    let folder = Folder::with_views(600, 6);
    let fit = |seed: u32| folder.json(&format!("fit x.npz y.npz -k 4 --method d-cca --t1 1 --seed {seed}"));
    assert_ne!(findings(&fit(0)), findings(&fit(1)));
}

#[test]
fn a_row_of_weight_two_counts_as_two_rows() {
    let folder = Folder::new();
    let views = topics(150, X_COLS, Y_COLS, 8);
    let weight = |row: usize| row % 4;
    let repeat = |view: &Rows| -> Rows {
        view.iter().enumerate().flat_map(|(i, row)| vec![row.clone(); weight(i)]).collect()
    };
    folder.write_views(["x.npz", "y.npz"], &views);
    folder.write_views(["xx.npz", "yy.npz"], &views.each_ref().map(repeat));
    let weights: Vec<f64> = (0..150).map(|row| weight(row) as f64).collect();
    folder.write("w.npy", reals("(150,)", &weights));
    folder.write("column.npy", reals("(150, 1)", &weights));
    for method in methods() {
        for flags in ["", "--no-center", "--ridge 0.1"] {
            // Iterations on different rows end at different digits beyond the tolerance. A correlation
            // under a ridge is not a maximum, so it shows the error of the weights.
            let tolerance = if method == "lobpcg" { "--tol 1e-8" } else { "" };
            let flags = format!("-k 3 --method {method} {flags} {tolerance}");
            let repeated = folder.json(&format!("fit xx.npz yy.npz {flags}"));
            for file in ["w.npy", "column.npy"] {
                let weighted = folder.json(&format!("fit x.npz y.npz --row-weights {file} {flags}"));
                for key in ["correlations", "objective"] {
                    let gap = gap(&numbers(&weighted, key), &numbers(&repeated, key));
                    let allowed = if method == "lobpcg" { 1e-5 } else { 1e-9 };
                    assert!(gap < allowed, "{flags} {key}: {gap:e}");
                }
            }
        }
    }
}

#[test]
fn info_describes_a_matrix() {
    let folder = Folder::with_views(400, 3);
    let entries: usize = topics(400, X_COLS, Y_COLS, 3)[0].iter().map(Vec::len).sum();
    for (name, format) in [
        ("x.npz", "npz"),
        ("x.mtx", "MatrixMarket"),
        ("x.safetensors", "safetensors"),
        ("x.lcca", "safetensors"),
    ] {
        if name != "x.npz" {
            folder.run(&format!("convert x.npz {name}")).done();
        }
        let info = folder.json(&format!("info {name}"));
        assert_eq!((info["kind"].as_str(), info["format"].as_str()), (Some("matrix"), Some(format)));
        let sizes = ["rows", "cols", "entries"].map(|key| number(&info, key) as usize);
        assert_eq!(sizes, [400, X_COLS, entries], "{name}");
        let text = folder.run(&format!("info {name}")).done().stdout;
        assert!(text.contains("400 rows × 40 columns") && text.contains(format), "{text}");
    }
}

#[test]
fn info_describes_a_model() {
    let folder = Folder::with_views(400, 3);
    let fit = folder.json("fit x.npz y.npz -k 3 --method g-cca --t1 7 --ridge 0.25 --seed 9 -o model");
    let info = folder.json("info model");
    assert_eq!((info["kind"].as_str(), info["method"].as_str()), (Some("model"), Some("g-cca")));
    for key in ["k", "rows", "x_cols", "y_cols", "total"] {
        assert_eq!(number(&info, key), number(&fit, key), "{key}");
    }
    assert_eq!(numbers(&info, "correlations"), numbers(&fit, "correlations"));
    let settings = &info["settings"];
    assert_eq!(number(&settings["method"], "t1"), 7.0);
    assert_eq!(["ridge_x", "ridge_y", "seed"].map(|key| number(settings, key)), [0.25, 0.25, 9.0]);
    assert_eq!(
        (info["provenance"]["x"].as_str(), info["provenance"]["y"].as_str()),
        (Some("x.npz"), Some("y.npz"))
    );
    let text = folder.run("info model").done().stdout;
    assert!(text.contains("3 pairs by g-cca") && text.contains("400 rows × (40 + 30 columns)"), "{text}");
}

#[test]
fn info_says_whether_a_file_has_checksums_and_verifies_them() {
    let folder = Folder::with_views(60, 2);
    folder.run("convert x.npz x.safetensors --quiet").done();
    assert!(folder.run("info x.npz").done().stdout.contains("checksums: none in this file"));
    assert!(
        folder.run("info x.npz --verify").done().stdout.contains("not verified: the file has no checksums")
    );
    assert!(folder.run("info x.safetensors").done().stdout.contains("checksums: yes"));
    let verified = folder.run("info x.safetensors --verify").done().stdout;
    assert!(
        verified.contains("verified: all ") && verified.contains(" bytes match their checksums"),
        "{verified}"
    );
    assert!(
        folder.json("info x.safetensors --verify")["verified_bytes"]
            .as_u64()
            .is_some_and(|bytes| bytes > 500)
    );
    let mut bytes = folder.read("x.safetensors");
    let middle = bytes.len() * 2 / 3;
    bytes[middle] ^= 4;
    folder.write("damaged.safetensors", bytes);
    let needles =
        ["damaged.safetensors: ", ": bytes ", " of the file are damaged, their checksum does not match"];
    folder.refuses("info damaged.safetensors --verify", &needles);
    folder.refuses("convert damaged.safetensors back.npz", &needles);
}
