//! A fit that was stopped, in any way, continues from its last saved state when its command is repeated.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![cfg(unix)]

mod common;

use common::data::{sparse, topics};
use common::process::{signal, start};
use common::{Folder, Ran, gap, number, numbers};
use serde_json::Value;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

/// A fit of about a hundred passes: long enough to be interrupted, short enough to wait for.
const SLOW: &str =
    "fit x.npz y.npz -k 12 --method lobpcg --tol 1e-9 --threads 1 --no-structure --hold-out no";

/// A fit of about a hundred passes on Gram matrices, which is too quick to be interrupted at a chosen
/// moment.
const ON_GRAMS: &str = "fit x.npz y.npz -k 12 --method lobpcg --tol 1e-9 --threads 1 --hold-out no";

fn slow_views() -> Folder {
    let folder = Folder::new();
    let [x, y] = topics(20_000, 900, 700, 3);
    folder.write_matrix("x.npz", &sparse(900, &x));
    folder.write_matrix("y.npz", &sparse(700, &y));
    folder
}

/// Waits until the state is saved again, which means that an iteration has ended.
fn wait_for_change(folder: &Folder, before: Option<&[u8]>) {
    let start = Instant::now();
    while std::fs::read(folder.path("state")).ok().as_deref() == before {
        assert!(start.elapsed() < Duration::from_secs(120), "no state is being saved");
        thread::sleep(Duration::from_millis(1));
    }
}

fn interrupt(child: Child) -> Ran {
    signal(&child, "INT");
    Ran::from(child.wait_with_output().unwrap())
}

/// The iteration that an interrupted program saved, according to its message.
fn saved_iteration(ran: &Ran) -> usize {
    ran.refused(130, &["interrupted; state holds iteration ", ": the same command continues from there"]);
    let words: Vec<&str> = ran.stderr.split([' ', ':']).collect();
    words[words.iter().position(|&word| word == "iteration").unwrap() + 1].parse().unwrap()
}

/// Checks that a continued fit has the answer of a whole one, and counts that went on.
fn agree(end: &Value, whole: &Value) {
    let gap = gap(&numbers(end, "objective"), &numbers(whole, "objective"));
    assert!(gap < 1e-9, "{gap:e}");
    assert!((number(end, "total") - number(whole, "total")).abs() < 1e-9);
    assert_eq!(end["converged"], whole["converged"]);
    assert!(number(end, "passes") >= number(whole, "passes"), "{} {}", end["passes"], whole["passes"]);
    let iterations = |fit: &Value| fit["trace"].as_array().unwrap().len();
    assert!(iterations(end).abs_diff(iterations(whole)) <= 2, "{} {}", iterations(end), iterations(whole));
    let passes = |row: &Value| number(row, "passes") + number(row, "gram_passes");
    for count in [|row: &Value| number(row, "iteration"), passes, |row: &Value| number(row, "seconds")] {
        let column: Vec<f64> = end["trace"].as_array().unwrap().iter().map(count).collect();
        assert!(column.windows(2).all(|pair| pair[0] < pair[1]), "{column:?}");
    }
}

#[test]
fn an_interrupted_fit_continues_where_it_was() {
    let folder = slow_views();
    let whole = folder.json(SLOW);
    let line = format!("{SLOW} -o model --resume state --save-every 0");
    let (mut last, mut state) = (0, None);
    for _ in 0..3 {
        let child = start(&folder, &line);
        wait_for_change(&folder, state.as_deref());
        let ran = interrupt(child);
        let last_line = ran.stderr.lines().last().unwrap_or_default().to_string() + "\n";
        let iteration = saved_iteration(&Ran { stderr: last_line, ..ran });
        assert!(iteration > last, "{iteration} after {last}");
        (last, state) = (iteration, Some(folder.read("state")));
    }
    assert!(!folder.path("model").exists());
    let end = folder.run(&format!("{line} --json")).done();
    assert!(end.stderr.contains(&format!("continuing after iteration {last}, ")), "{end:?}");
    agree(&end.json(), &whole);
    let names: Vec<_> = folder.contents().into_keys().collect();
    assert_eq!(names, ["model", "x.npz", "y.npz"], "the state of a converged fit is removed");
}

#[test]
fn an_interruption_saves_the_state_even_if_no_save_is_due() {
    let folder = slow_views();
    let line =
        "fit x.npz y.npz -k 5 --hold-out no --method d-cca --t1 1000000000 --save-every 1e9 --resume state";
    // On a slow machine the first iteration may take longer. Then there is nothing to save, and the test
    // tries again.
    let stopped = [1, 2, 4, 8, 16, 32].into_iter().find_map(|seconds| {
        let child = start(&folder, line);
        thread::sleep(Duration::from_secs(seconds));
        let ran = interrupt(child);
        folder.path("state").exists().then_some(ran)
    });
    let t1 = saved_iteration(&stopped.unwrap()) + 3;
    let line = format!("fit x.npz y.npz -k 5 --hold-out no --method d-cca --t1 {t1}");
    let end = folder.json(&format!("{line} --resume state"));
    agree(&end, &folder.json(&line));
}

#[test]
fn a_killed_fit_continues_from_the_last_saved_state() {
    let folder = slow_views();
    let line = format!("{SLOW} --resume state --save-every 0");
    let mut child = start(&folder, &line);
    wait_for_change(&folder, None);
    wait_for_change(&folder, Some(&folder.read("state")));
    child.kill().unwrap();
    child.wait().unwrap();
    let end = folder.run(&format!("{line} --json")).done();
    assert!(end.stderr.contains("continuing after iteration "), "{end:?}");
    agree(&end.json(), &folder.json(SLOW));
    assert!(!folder.path("state").exists());
}

/// The first iteration of this fit would take days.
#[test]
fn before_the_first_iteration_there_is_nothing_to_wait_for() {
    let folder = slow_views();
    let child = start(&folder, "fit x.npz y.npz -k 5 --method g-cca --t2 100000000 --resume state");
    thread::sleep(Duration::from_secs(1));
    interrupt(child).refused(130, &["interrupted, nothing was written"]);
    assert!(!folder.path("state").exists());
}

#[test]
fn a_fit_cut_short_keeps_its_state_for_a_run_with_more_passes() {
    let folder = slow_views();
    for line in [SLOW, ON_GRAMS] {
        cut_short_and_continue(&folder, line);
    }
    let fit = folder.json(ON_GRAMS);
    assert!(number(&fit, "gram_passes") > number(&fit, "passes"), "{fit}");
}

fn cut_short_and_continue(folder: &Folder, line: &str) {
    let short = folder.run(&format!("{line} --max-passes 9 --resume state --json")).done();
    assert!(short.stderr.contains("more --max-passes continues from there"), "{short:?}");
    let kept = folder.read("state");
    let again = folder.run(&format!("{line} --max-passes 9 --resume state --json")).done();
    assert!(gap(&numbers(&again.json(), "objective"), &numbers(&short.json(), "objective")) < 1e-10);
    assert!(kept == folder.read("state"), "no passes were left, so nothing has changed");
    let end = folder.run(&format!("{line} --resume state --json --quiet")).done();
    assert_eq!(end.stderr, "");
    agree(&end.json(), &folder.json(line));
    assert!(!folder.path("state").exists());
}

#[test]
fn info_says_what_a_state_holds() {
    let folder = slow_views();
    folder.run(&format!("{ON_GRAMS} --max-passes 4 --resume state -o model")).done();
    let state = folder.json("info state");
    assert_eq!(state["kind"], "state");
    assert!(number(&state, "iterations") > 0.0 && number(&state, "total") > 0.0, "{state}");
    assert!(state["belongs_to"].is_object(), "{state}");
    let text = folder.run("info state").done().stdout;
    assert!(text.starts_with("state of an unfinished fit: "), "{text}");
}

#[test]
fn methods_that_do_not_iterate_say_that_there_is_nothing_to_continue_from() {
    let folder = Folder::with_views(300, 2);
    for method in ["exact", "rp-cca --k-rpcca 20"] {
        let line = format!("fit x.npz y.npz -k 3 --method {method} --resume state");
        let ran = folder.run(&line).done();
        assert!(ran.stderr.contains("has no state to continue from: --resume changes nothing"), "{ran:?}");
        assert!(!folder.path("state").exists());
        assert_eq!(folder.run(&format!("{line} --quiet")).done().stderr, "");
    }
}

#[test]
fn a_state_of_another_fit_is_refused_with_what_differs() {
    let folder = Folder::with_views(300, 2);
    let other = topics(300, 40, 30, 3);
    folder.write_views(["x2.npz", "y2.npz"], &other);
    folder
        .run("fit x.npz y.npz -k 3 --method lobpcg --tol 1e-12 --max-passes 5 --resume state -o model")
        .done();
    let line = |flags: &str| format!("fit x.npz y.npz -k 3 --method lobpcg --resume state {flags}");
    for (line, needle) in [
        (line("").replace("-k 3", "-k 4"), "state: belongs to another fit: k is 3 there and 4 here"),
        (line("--ridge 0.1"), "ridge_x is 0.0 there and 0.1 here"),
        (line("--no-center"), "center is true there and false here"),
        (line("--seed 7"), "seed is 0 there and 7 here"),
        (line("").replace("lobpcg", "auto"), "method is lobpcg there and auto here"),
        (line("").replace("x.npz", "x2.npz"), "X held other numbers then"),
        (line("").replace("y.npz", "y2.npz"), "Y held other numbers then"),
        (line("").replace("state", "model"), "model: is a model, expected a checkpoint"),
    ] {
        folder.refuses(&line, &[needle]);
    }
    folder.run(&line("--tol 1e-3 --threads 1 --memory 1GB")).done();
}

#[test]
fn a_damaged_state_is_refused_and_stays_as_it_is() {
    let folder = Folder::with_views(300, 2);
    let line = "fit x.npz y.npz -k 3 --method lobpcg --tol 1e-12 --max-passes 5 --resume state";
    folder.run(line).done();
    let good = folder.read("state");
    let mut flipped = good.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let damaged = [
        (flipped, "are damaged, their checksum does not match"),
        (good[..good.len() - 9].to_vec(), "truncated, corrupt"),
        (Vec::new(), "is empty"),
        (b"what somebody wrote down".to_vec(), "not a safetensors file"),
    ];
    for (bytes, needle) in damaged {
        folder.write("state", bytes);
        folder.refuses(line, &["state: ", needle]);
    }
}

#[test]
fn the_state_takes_no_other_files_place() {
    let folder = Folder::with_views(300, 2);
    folder.write("w.npy", common::formats::reals("(300,)", &[1.0; 300]));
    for (flags, needle) in [
        ("--resume x.npz", "x.npz: is to be read and written"),
        ("--resume ./y.npz", "y.npz: is to be read and written"),
        ("--row-weights w.npy --resume w.npy", "w.npy: is to be read and written"),
        ("-o model --resume ./model", "./model: is to hold the model, expected another file for --resume"),
        ("--resume nowhere/state", "the folder nowhere does not exist"),
        ("--resume state --save-every -1", "--save-every is -1, expected a number of seconds"),
        ("--save-every 5", "--resume"),
    ] {
        folder.refuses(&format!("fit x.npz y.npz -k 3 {flags}"), &[needle]);
    }
}

#[test]
fn other_data_of_the_same_shape_is_refused() {
    let folder = Folder::new();
    let [x, mut y] = topics(2000, 60, 50, 3);
    folder.write_matrix("x.npz", &sparse(60, &x));
    folder.write_matrix("y.npz", &sparse(50, &y));
    let line = "fit x.npz y.npz -k 5 --hold-out no --method lobpcg --tol 1e-12 --max-passes 4 --resume state";
    folder.run(line).done();
    assert!(folder.path("state").exists(), "the fit is not over");
    // The rows of y are in another order, so every column keeps its sums.
    y.rotate_left(1);
    folder.write_matrix("y.npz", &sparse(50, &y));
    let needle =
        "state: belongs to another fit: other data: rows held other numbers or were paired otherwise then";
    folder.refuses(line, &[needle]);
}
