//! Checks that the files of `lcca compare` agree, that every number belongs to its run, and that known
//! answers come out.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::data::{Dice, Rows, X_COLS, Y_COLS, sparse};
use common::{Folder, gap, number, numbers};
use lcca::data::{Centered, InMemory, Side};
use lcca::method::Method;
use lcca::metric;
use serde_json::Value;
use std::fs;

const SMALL: &str = "compare x.npz y.npz -k 3 --k-pc 4 --quiet";

fn list<'a>(object: &'a Value, key: &str) -> &'a Vec<Value> {
    object[key].as_array().unwrap_or_else(|| panic!("no list {key:?} in {object}"))
}

/// A CSV file as one list of named cells per line.
fn csv(folder: &Folder, name: &str) -> Vec<Vec<(String, String)>> {
    let text = String::from_utf8(folder.read(name)).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(String::from).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let named = |line: Vec<String>| {
        assert_eq!(line.len(), header.len(), "{line:?}");
        header.iter().cloned().zip(line).collect()
    };
    lines.map(named).collect()
}

fn cell<'a>(line: &'a [(String, String)], name: &str) -> &'a str {
    &line.iter().find(|(column, _)| column == name).unwrap().1
}

/// The runs that the tables show, each with its setting and its entry there.
fn shown(comparison: &Value) -> Vec<(Option<(&Value, &Value)>, &Value)> {
    let run = |index: &Value| &list(comparison, "runs")[index.as_u64().unwrap() as usize];
    let mut shown = Vec::new();
    for setting in list(comparison, "settings") {
        list(setting, "entries").iter().for_each(|e| shown.push((Some((setting, e)), run(&e["run"]))));
    }
    list(comparison, "once").iter().for_each(|index| shown.push((None, run(index))));
    shown
}

/// The one shown run of a method.
fn run_of<'a>(comparison: &'a Value, name: &str) -> &'a Value {
    shown(comparison).into_iter().find(|(_, run)| run["name"] == name).unwrap().1
}

#[test]
fn table_csv_and_json_show_the_same_runs() {
    let folder = Folder::with_views(400, 3);
    let comparison = folder.json(&format!("{SMALL} --l-cca-t2 2,6 -o d"));
    let written: Value = serde_json::from_slice(&folder.read("d/compare.json")).unwrap();
    assert_eq!(written, comparison);
    let (lines, shown) = (csv(&folder, "d/compare.csv"), shown(&comparison));
    assert_eq!((lines.len(), shown.len()), (10, 10));
    let table = String::from_utf8(folder.read("d/table.md")).unwrap();
    for (line, (entry, run)) in lines.iter().zip(&shown) {
        let setting = entry.map_or(String::new(), |(setting, _)| setting["id"].to_string());
        assert_eq!(cell(line, "setting"), setting);
        assert_eq!(cell(line, "method"), run["name"].as_str().unwrap());
        for (column, key) in [("cpu_seconds", "cpu_seconds"), ("captured", "total"), ("passes", "passes")] {
            assert_eq!(cell(line, column).parse::<f64>().unwrap(), number(run, key), "{line:?}");
        }
        assert!(table.contains(&format!("{:.4} |", number(run, "total"))), "{table}");
    }
    let all = csv(&folder, "d/correlations.csv");
    assert_eq!(all.len(), 3 * (shown.len() + 1));
    let sum: f64 = all[..3].iter().map(|line| cell(line, "correlation").parse::<f64>().unwrap()).sum();
    assert!((sum - number(shown[0].1, "total")).abs() < 1e-12);
    let page = String::from_utf8(folder.read("d/compare.html")).unwrap();
    for (_, run) in &shown {
        assert!(page.contains(&format!(">{:.4}</td>", number(run, "total"))), "{}", run["name"]);
    }
    for figure in ["figure", "captured"] {
        let svg = String::from_utf8(folder.read(&format!("d/{figure}.svg"))).unwrap();
        for name in ["L-CCA", "G-CCA", "RPCCA", "Sketch", "D-CCA", "auto", "best possible"] {
            assert!(svg.contains(name), "{figure}: {name}");
        }
        assert_eq!(&folder.read(&format!("d/{figure}.png"))[1..4], b"PNG");
    }
}

#[test]
fn times_agree_or_are_marked() {
    let folder = Folder::with_views(400, 3);
    let comparison = folder.json(&format!("{SMALL} --l-cca-t2 2,6 -o d"));
    let table = String::from_utf8(folder.read("d/table.md")).unwrap();
    let mut marked = 0;
    for (entry, run) in shown(&comparison) {
        let Some((setting, entry)) = entry else { continue };
        let ratio = number(run, "cpu_seconds") / number(setting, "cpu_seconds");
        assert!((number(entry, "ratio") - ratio).abs() < 1e-12);
        assert_eq!(entry["outcome"] == "agrees", (ratio - 1.0).abs() <= 0.1, "{entry}");
        marked += usize::from(entry["outcome"] != "agrees");
    }
    assert_eq!(table.matches("- † setting").count(), marked, "{table}");
    let first = &list(&comparison, "settings")[0];
    assert_eq!(number(first, "cpu_seconds"), number(shown(&comparison)[0].1, "cpu_seconds"));
}

/// The results equal those of `lcca fit` with the same parameters, and the best possible is the exact
/// answer.
#[test]
fn every_method_captures_what_a_fit_of_its_own_captures() {
    let folder = Folder::with_views(400, 4);
    let comparison = folder.json(&format!("{SMALL} --l-cca-t2 3 --seed 7 --threads 2 -o d"));
    for (_, run) in shown(&comparison) {
        let method = &run["method"];
        let flag = |name: &str| {
            let value = &method[name.replace('-', "_")];
            if value.is_null() { String::new() } else { format!(" --{name} {value}") }
        };
        let flags: String = Method::parameters().iter().map(|(parameter, _)| flag(parameter.name)).collect();
        let name = method["name"].as_str().unwrap();
        let fit =
            folder.json(&format!("fit x.npz y.npz -k 3 --seed 7 --threads 2 --method {name}{flags} --quiet"));
        assert!((number(&fit, "total") - number(run, "total")).abs() < 1e-9, "{run}");
        assert!(gap(&numbers(&fit, "correlations"), &numbers(run, "correlations")) < 1e-9, "{run}");
        assert_eq!(number(&fit, "passes"), number(run, "passes"));
    }
    let exact = folder.json("fit x.npz y.npz -k 4 --method exact --quiet");
    let (best, exact) = (&comparison["best"], numbers(&exact, "correlations"));
    assert!(gap(&numbers(best, "correlations"), &exact[..3]) < 1e-9);
    assert!((number(best, "next") - exact[3]).abs() < 1e-9);
    assert_eq!((&best["converged"], &best["label"]), (&true.into(), &"best possible".into()));
}

#[test]
fn distances_are_those_of_each_views_own_subspaces() {
    let folder = Folder::with_views(400, 4);
    let comparison = folder.json(&format!("{SMALL} --l-cca-t2 3 --methods g-cca,auto -o d"));
    let auto = &run_of(&comparison, "auto")["distance"];
    assert!(number(&auto["x"], "largest") < 1e-6 && number(&auto["y"], "largest") < 1e-6, "{auto}");
    let model = |name: &str, flags: &str| {
        folder.run(&format!("fit x.npz y.npz -k 3 --quiet --method {flags} -o {name}")).done();
        lcca_io::read_model(&folder.path(name)).unwrap().0
    };
    let (truth, fitted) = (model("truth", "exact"), model("fitted", "l-cca --t1 5 --t2 3 --k-pc 4"));
    let read = |name: &str| lcca_io::read_matrix(&folder.path(name)).unwrap().matrix;
    let pair = InMemory::new(read("x.npz"), read("y.npz")).unwrap();
    let pair = Centered::new(&pair).unwrap();
    let shown = &run_of(&comparison, "L-CCA")["distance"];
    for (side, key) in [(Side::X, "x"), (Side::Y, "y")] {
        let (w, t) = (&fitted.view(side).weights, &truth.view(side).weights);
        let angles = metric::principal_angles(&pair, side, w, t).unwrap();
        let squares: f64 = angles.iter().map(|angle| angle.sin().powi(2)).sum();
        assert!((number(&shown[key], "largest") - angles[2].sin()).abs() < 1e-6, "{shown}");
        assert!((number(&shown[key], "root_mean_square") - (squares / 3.0).sqrt()).abs() < 1e-6, "{shown}");
    }
    assert!(number(&shown["x"], "largest") > 1e-4, "nothing was told apart: {shown}");
}

/// Two views of a text, with one entry per row: this word and the next.
fn one_hot_views(folder: &Folder, rows: usize) {
    let mut dice = Dice(5);
    let mut views = [Rows::new(), Rows::new()];
    for _ in 0..rows {
        let x = dice.below(X_COLS);
        let y = if dice.below(10) < 7 { (x / 6) % 5 } else { dice.below(Y_COLS) };
        views[0].push(vec![(x as u32, 1.0)]);
        views[1].push(vec![(y as u32, 1.0)]);
    }
    folder.write_matrix("x.npz", &sparse(X_COLS, &views[0]));
    folder.write_matrix("y.npz", &sparse(Y_COLS, &views[1]));
}

#[test]
fn diagonal_iteration_is_exact_on_one_hot_rows() {
    let folder = Folder::new();
    one_hot_views(&folder, 3000);
    let comparison =
        folder.json(&format!("{SMALL} --no-center --l-cca-t2 1 --d-cca-t1 2000 --methods d-cca -o d"));
    let d_cca = run_of(&comparison, "D-CCA");
    assert!((number(d_cca, "total") - number(&comparison["best"], "total")).abs() < 1e-9, "{comparison}");
    assert!(number(&d_cca["distance"]["x"], "largest") < 1e-6, "{d_cca}");
    assert_eq!(shown(&comparison).len(), 2);
}

#[test]
fn a_sketch_is_left_out_with_a_note_if_the_views_are_too_wide() {
    let folder = Folder::new();
    let mut dice = Dice(7);
    let mut row = |_| (0..3).map(|part| ((500 * part + dice.below(500)) as u32, 1.0)).collect();
    let [x, y]: [Rows; 2] = [(0..300).map(&mut row).collect(), (0..300).map(&mut row).collect()];
    folder.write_matrix("x.npz", &sparse(1500, &x));
    folder.write_matrix("y.npz", &sparse(1500, &y));
    let flags = "--l-cca-t2 1 --best-tol 0.1 --ridge 1 --methods sketch";
    let ran = folder.run(&format!("compare x.npz y.npz -k 2 --k-pc 4 --quiet {flags} -o d")).done();
    assert!(ran.stdout.contains("Sketch was left out: the views have 3,000 columns"), "{}", ran.stdout);
}

#[test]
fn seconds_can_be_requested_and_methods_chosen() {
    let folder = Folder::with_views(3000, 6);
    let comparison = folder.json(&format!("{SMALL} --cpu-seconds 0.05 --methods g-cca -o d"));
    let setting = &list(&comparison, "settings")[0];
    assert_eq!(number(setting, "cpu_seconds_asked"), 0.05);
    let names: Vec<&str> = shown(&comparison).iter().map(|(_, run)| run["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["L-CCA", "G-CCA"]);
    let l_cca = &list(setting, "entries")[0];
    assert!((number(l_cca, "ratio") - number(setting, "cpu_seconds") / 0.05).abs() < 1e-12);
}

#[test]
fn a_ridge_and_an_unfinished_search_are_called_what_they_are() {
    let folder = Folder::with_views(3000, 6);
    let label = |flags: &str, output: &str| {
        let line = format!("{SMALL} --l-cca-t2 1 --methods d-cca {flags} -o {output}");
        folder.json(&line)["best"]["label"].as_str().unwrap().to_string()
    };
    assert_eq!(label("--ridge 0.1", "ridge"), "exact with ridge");
    assert_eq!(label("--ridge-y 0.1", "ridge_y"), "exact with ridge");
    assert_eq!(label("--best-tol 0", "never"), "best found");
}

#[test]
fn the_printed_text_has_the_table_and_says_where_the_files_are() {
    let folder = Folder::with_views(300, 3);
    let ran = folder.run(&format!("{SMALL} --l-cca-t2 2 -o d")).done();
    for text in ["L-CCA", "best possible", "t1 5, t2 2, k_pc 4", "distance X", "Tables and figures are in d;"]
    {
        assert!(ran.stdout.contains(text), "{text}: {ran:?}");
    }
    assert!(ran.stderr.is_empty(), "{ran:?}");
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path(".")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn arguments_that_make_no_sense_are_refused_and_nothing_is_written() {
    let folder = Folder::with_views(100, 3);
    folder.write("short.csv", "1,2\n3,4\n");
    fs::create_dir(folder.path("full")).unwrap();
    folder.write("full/kept", "precious");
    for (line, needles) in [
        ("x.npz missing.npz -o d", ["missing.npz", ""]),
        ("x.npz short.csv -o d", ["short.csv has 2", "100"]),
        ("x.npz y.npz -k 31 -o d", ["31", "30"]),
        ("x.npz y.npz -k 0 -o d", ["0", "30"]),
        ("x.npz y.npz --l-cca-t2 3,0 -o d", ["--l-cca-t2 has 0", "at least 1"]),
        ("x.npz y.npz --l-cca-t2 3,many -o d", ["many", "l-cca-t2"]),
        ("x.npz y.npz --cpu-seconds 1,-2 -o d", ["--cpu-seconds has -2", "above 0"]),
        ("x.npz y.npz --cpu-seconds nan -o d", ["--cpu-seconds has NaN", "above 0"]),
        ("x.npz y.npz --cpu-seconds 1 --l-cca-t2 3 -o d", ["cannot be used with", ""]),
        ("x.npz y.npz --methods pca -o d", ["pca", "g-cca"]),
        ("x.npz y.npz --t1 0 -o d", ["--t1 is 0", "at least 1"]),
        ("x.npz y.npz --ridge -1 -o d", ["ridge", "-1"]),
        ("x.npz y.npz --best-tol -1 -o d", ["tol", "-1"]),
        ("x.npz y.npz -o full", ["full", "not empty"]),
        ("x.npz y.npz -o x.npz", ["x.npz", "expected a new folder"]),
        ("x.npz y.npz -o no/where", ["does not exist", ""]),
        ("x.npz y.npz", ["--output", ""]),
    ] {
        let before = names(&folder);
        folder.refuses(&format!("compare {line}"), &needles);
        assert_eq!(names(&folder), before, "{line}");
    }
    assert_eq!(folder.read("full/kept"), b"precious");
}

#[cfg(unix)]
#[test]
fn interrupted_it_leaves_nothing() {
    use common::Ran;
    use common::process::{signal, start};

    let folder = Folder::with_views(50_000, 1);
    let child = start(&folder, "compare x.npz y.npz -k 3 --k-pc 4 --l-cca-t2 100000000 -o d");
    std::thread::sleep(std::time::Duration::from_secs(1));
    signal(&child, "INT");
    Ran::from(child.wait_with_output().unwrap()).refused(130, &["interrupted, nothing was written"]);
    assert_eq!(names(&folder), ["x.npz", "y.npz"]);
}
