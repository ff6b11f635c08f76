//! Choosing a ridge on held-out rows, and p-values of held-out correlations.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{Folder, gap, number, numbers};
use serde_json::Value;

#[test]
fn the_chosen_ridge_is_the_one_fitted() {
    let folder = Folder::with_views(400, 1);
    let path = "fit x.npz y.npz -k 3 --ridge-path 0.01,1,100 --folds 4 --seed 5";
    let chosen = folder.json(&format!("{path} --select best -o model --path-figure path.svg"));
    let ridge_path = &chosen["ridge_path"];
    assert_eq!(numbers(ridge_path, "ridges"), [0.01, 1.0, 100.0]);
    assert_eq!(ridge_path["scores"].as_array().map(Vec::len), Some(4));
    let mean = numbers(ridge_path, "mean");
    let best = mean.iter().copied().fold(f64::MIN, f64::max);
    let index = mean.iter().position(|&m| m == best).unwrap();
    assert_eq!(number(ridge_path, "chosen"), numbers(ridge_path, "ridges")[index]);
    let alone =
        folder.json(&format!("fit x.npz y.npz -k 3 --seed 5 --ridge {}", number(ridge_path, "chosen")));
    assert_eq!(numbers(&chosen, "correlations"), numbers(&alone, "correlations"));
    assert_eq!(alone["ridge_path"], Value::Null);

    let simplest = folder.json(path);
    assert!(number(&simplest["ridge_path"], "chosen") >= number(ridge_path, "chosen"));
    let svg = String::from_utf8(folder.read("path.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("one standard error") && svg.contains("chosen"));
    let text = folder.run(path).done().stdout;
    assert!(text.contains("held out") && text.contains("4 folds") && text.contains("best"), "{text}");
    let ends = folder.run("fit x.npz y.npz -k 3 --ridge-path 1e-9,1e-8 --folds 4").done().stdout;
    assert!(ends.contains("est tried: a ") && ends.contains("may do better"), "{ends}");
    let one = folder.run("fit x.npz y.npz -k 3 --ridge-path 0.1 --folds 4").done().stdout;
    assert!(!one.contains("may do better"), "{one}");
}

#[test]
fn a_search_that_was_done_is_not_recommended() {
    let folder = Folder::with_views(120, 1);
    let remarks = |flags: &str| {
        let done = folder.run(&format!("fit x.npz y.npz -k 3 --hold-out 0.25 {flags}")).done();
        assert!(done.stderr.contains("far worse on the 30 held-out rows"), "{}", done.stderr);
        done.stderr
    };
    assert!(remarks("").contains("--ridge-path finds a ridge that does better"));
    let after = remarks("--ridge-path 1e-9 --folds 4");
    assert!(after.contains("a smaller -k leaves them out") && !after.contains("--ridge-path"), "{after}");
}

#[test]
fn bad_paths_are_refused_and_nothing_is_written() {
    let folder = Folder::with_views(60, 1);
    let fit = |flags: &str| format!("fit x.npz y.npz -k 2 -o model {flags}");
    folder.refuses(&fit("--ridge-path 0.1,-1"), &["ridge is -1"]);
    folder.refuses(&fit("--ridge-path 0.1,abc"), &["abc", "--ridge-path"]);
    folder.refuses(&fit("--ridge-path 0.1 --folds 1"), &["folds is 1"]);
    folder.refuses(&fit("--ridge-path 0.1 --folds 61"), &["folds is 61"]);
    folder.refuses(&fit("--ridge-path 0.1 --ridge 0.2"), &["--ridge"]);
    folder.refuses(&fit("--ridge-path 0.1 --resume state"), &["--resume"]);
    folder.refuses(&fit("--folds 3"), &["--ridge-path"]);
    folder.refuses(&fit("--ridge-path 0.1 --path-figure path.jpg"), &["path.jpg", ".svg or .png"]);
}

#[test]
fn planted_correlations_are_significant_on_held_out_rows() {
    let folder = Folder::with_views(600, 1);
    folder.write_views(
        ["x_test.npz", "y_test.npz"],
        &common::data::topics(300, common::data::X_COLS, common::data::Y_COLS, 2),
    );
    folder.run("fit x.npz y.npz -k 3 --ridge 0.1 -o model").done();
    let score = "score model x_test.npz y_test.npz --permutations 199";
    let tested = folder.json(score);
    let (p, adjusted) = (numbers(&tested, "p"), numbers(&tested, "p_adjusted"));
    assert_eq!((p[0], adjusted[0]), (0.005, 0.005));
    assert!(p.iter().zip(&adjusted).all(|(p, adjusted)| p <= adjusted));
    assert_eq!(numbers(&folder.json(score), "p"), p);
    assert!(gap(&numbers(&folder.json(&format!("{score} --seed 1 --threads 1")), "p"), &p) < 0.1);
    let plain = folder.json("score model x_test.npz y_test.npz");
    assert_eq!((&plain["p"], &plain["correlations"]), (&Value::Null, &tested["correlations"]));
    let text = folder.run(score).done().stdout;
    assert!(text.contains("p adjusted") && text.contains("199 random orders"), "{text}");
    folder.refuses("score model x_test.npz y_test.npz --permutations 0", &["--permutations"]);
}

#[test]
fn p_values_of_training_rows_come_with_a_warning() {
    let folder = Folder::with_views(300, 1);
    folder.run("fit x.npz y.npz -k 2 -o model").done();
    let warned = folder.run("score model x.npz y.npz --permutations 19").done();
    assert!(warned.stderr.contains("trained on"), "{}", warned.stderr);
    let plain = folder.run("score model x.npz y.npz").done();
    assert!(plain.stderr.is_empty(), "{}", plain.stderr);
}
