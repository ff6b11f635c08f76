//! Results that mean nothing say so, and units do not decide a fit.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{Folder, gap, number, numbers};
use serde_json::Value;

/// Random numbers that are equal on every machine.
struct Noise(u64);

impl Noise {
    /// A roughly normal number: the sum of twelve uniform ones.
    fn draw(&mut self) -> f64 {
        let uniform = |state: &mut u64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..12).map(|_| uniform(&mut self.0)).sum::<f64>() - 6.0
    }
}

/// Two tables with names. The first column of each follows a common signal; `unit` multiplies the last
/// column of X.
fn tables(folder: &Folder, rows: usize, p: usize, q: usize, signal: f64, unit: f64) {
    let mut noise = Noise(7);
    let header =
        |view: &str, cols: usize| (0..cols).map(|j| format!("{view}{j}")).collect::<Vec<_>>().join(",");
    let (mut x, mut y) = (header("gene", p) + "\n", header("fat", q) + "\n");
    for _ in 0..rows {
        let common = noise.draw();
        let mut line = |cols: usize, unit: f64| {
            let mut cell = |j: usize| match j {
                0 => signal * common + noise.draw(),
                _ if j + 1 == cols => unit * noise.draw(),
                _ => noise.draw(),
            };
            (0..cols).map(|j| format!("{:.6}", cell(j))).collect::<Vec<_>>().join(",") + "\n"
        };
        x += &line(p, unit);
        y += &line(q, 1.0);
    }
    folder.write("x.csv", x);
    folder.write("y.csv", y);
}

#[test]
fn noise_with_more_columns_than_rows_is_called_noise() {
    let folder = Folder::new();
    tables(&folder, 100, 60, 60, 0.0, 1.0);
    let ran = folder.run("fit x.csv y.csv -k 3 -o model").done();
    assert!(ran.stdout.contains("held out") && ran.stdout.contains("in training"), "{ran:?}");
    let said = "correlations of 1 are guaranteed here and mean nothing: 60 + 60 columns against 100 rows";
    assert!(ran.stderr.contains(said) && ran.stderr.contains("--ridge-path"), "{ran:?}");
    let json = folder.json("fit x.csv y.csv -k 3");
    let held_out = &json["held_out"];
    assert_eq!((number(held_out, "rows"), number(held_out, "training_rows")), (20.0, 80.0));
    assert!(numbers(held_out, "training").iter().all(|&c| c > 0.999), "{held_out}");
    let mean = numbers(held_out, "held_out").iter().sum::<f64>() / 3.0;
    assert!(mean.abs() < 0.4, "{held_out}");
    // A measurement that the user did not ask for changes nothing else in the model, and the model
    // remembers it.
    let without = folder.json("fit x.csv y.csv -k 3 --hold-out no");
    assert_eq!(without["held_out"], Value::Null);
    assert_eq!(json["correlations"], without["correlations"]);
    let info = folder.run("info model").done().stdout;
    assert!(info.contains("held out 20 rows of 100"), "{info}");
}

#[test]
fn rows_are_held_out_on_request_and_the_model_is_that_of_all_rows() {
    let folder = Folder::new();
    tables(&folder, 2000, 4, 3, 2.0, 1.0);
    let plain = folder.run("fit x.csv y.csv -k 2").done();
    assert!(!plain.stdout.contains("held out") && !plain.stderr.contains("inflated"), "{plain:?}");
    assert!(plain.stdout.contains("residual: 0 is an exact solution"), "{plain:?}");
    for flags in ["", "--method lobpcg --tol 1e-10", "--ridge-path 0.01,0.1", "--ridge 0.1 --scale yes"] {
        let held = folder.json(&format!("fit x.csv y.csv -k 2 --hold-out 0.25 {flags}"));
        let whole = folder.json(&format!("fit x.csv y.csv -k 2 {flags}"));
        assert!(gap(&numbers(&held, "correlations"), &numbers(&whole, "correlations")) < 1e-8, "{flags}");
        assert_eq!((number(&held, "rows"), number(&held["held_out"], "rows")), (2000.0, 500.0));
        assert!((numbers(&held["held_out"], "held_out")[0] - 0.8).abs() < 0.1, "{held}");
    }
    let ridged = folder.run("fit x.csv y.csv -k 2 --ridge 0.1").done().stdout;
    assert!(ridged.contains("pairs are in its order"), "{ridged}");
    for share in ["0", "1", "-0.5", "abc", "1e-9"] {
        folder.refuses(&format!("fit x.csv y.csv -k 2 -q --hold-out {share}"), &["hold-out is", "share"]);
    }
    folder.refuses("fit x.csv y.csv -k 2 --hold-out 0.2 --resume state", &["--hold-out", "--resume"]);
}

#[test]
fn one_column_in_other_units_does_not_ruin_a_fit_with_a_ridge() {
    let folder = Folder::new();
    let first = |flags: &str| {
        let json = folder.json(&format!("fit x.csv y.csv -k 1 --ridge 0.01 {flags}"));
        (numbers(&json, "correlations")[0], json)
    };
    tables(&folder, 400, 8, 8, 1.7, 1.0);
    let (before, _) = first("");
    tables(&folder, 400, 8, 8, 1.7, 1000.0);
    let (after, json) = first("");
    assert!(before > 0.7 && (before - after).abs() < 1e-3, "{before} {after}");
    assert_eq!(json["scale"], "auto");
    assert!(json["why"].as_str().unwrap().contains("all 8 columns of X were divided by their standard"));
    let (unscaled, json) = first("--scale no");
    assert!(unscaled < before - 0.1, "{unscaled}");
    assert!(json["notes"].to_string().contains("the ridge of X is set by a few columns"), "{json}");
    let ran = folder.run("fit x.csv y.csv -k 1 --ridge 0.01 --scale no").done();
    assert!(ran.stderr.contains("--scale yes"), "{ran:?}");
    let ran = folder.run("fit x.csv y.csv -k 1 --ridge 0.01").done();
    assert!(ran.stdout.contains("divided by their standard deviations"), "{ran:?}");
}

#[test]
fn a_column_that_both_views_have_is_named() {
    let folder = Folder::new();
    let mut noise = Noise(3);
    let (mut x, mut y) = (String::from("age,label,height\n"), String::from("weight,outcome\n"));
    for i in 0..200 {
        let label = i % 7 % 2;
        x += &format!("{:.4},{label},{:.4}\n", noise.draw(), noise.draw());
        y += &format!("{:.4},{}\n", noise.draw(), 10 * label);
    }
    folder.write("x.csv", x);
    folder.write("y.csv", y);
    let said = r#"1 column of X is also in Y: "label" of X and "outcome" of Y are multiples but for a constant; if one was copied by mistake"#;
    for flags in ["", "-o model", "--ridge 0.001"] {
        let ran = folder.run(&format!("fit x.csv y.csv -k 1 {flags}")).done();
        assert!(ran.stderr.contains(said), "{ran:?}");
    }
}

/// A table of sixty rows.
fn table(names: &str, cells: impl Fn(usize) -> String) -> String {
    (0..60).map(cells).fold(format!("{names}\n"), |text, line| text + &line + "\n")
}

/// Equal columns are no error, because their equality may be the finding.
#[test]
fn a_word_and_its_translation_are_called_equal() {
    let folder = Folder::new();
    let word = |row: usize| usize::from(row * row % 11 == 3);
    folder.write("en.csv", table("umbrella,rain", |row| format!("{},{}", word(row), row * 5 % 7)));
    folder.write("fr.csv", table("parapluie,train", |row| format!("{},{}", word(row), row * 3 % 8)));
    let ran = folder.run("fit en.csv fr.csv -k 1").done();
    let said = r#""umbrella" of X and "parapluie" of Y are equal in every row; if one was copied by mistake"#;
    assert!(ran.stderr.contains(said) && !ran.stderr.contains("says nothing"), "{ran:?}");
}

/// The ids are equal, but in another order, so they have no perfect correlation.
#[test]
fn ids_in_another_order_are_not_said_to_correlate() {
    let folder = Folder::new();
    for (name, step) in [("x.csv", 7), ("y.csv", 13)] {
        let cells = |row: usize| format!("{},{}", row * step % 60 + 100, row * step % 17);
        folder.write(name, table("patient_id,a", cells));
    }
    let ran = folder.run("fit x.csv y.csv -k 1 --align none").done();
    assert!(ran.stderr.contains("\"patient_id\"") && !ran.stderr.contains("perfectly"), "{ran:?}");
}

#[test]
fn leaving_out_one_row_at_a_time_is_scored() {
    let folder = Folder::new();
    tables(&folder, 40, 3, 3, 3.0, 1.0);
    let json = folder.json("fit x.csv y.csv -k 1 --ridge-path 0.01,0.1,10 --folds 40");
    let path = &json["ridge_path"];
    assert_eq!(path["pooled"], true);
    assert!(numbers(path, "mean").iter().all(|&mean| mean > 0.6 && mean < 1.0), "{path}");
    assert!(numbers(path, "standard_error").iter().all(|&error| error > 0.001), "{path}");
    let text = folder.run("fit x.csv y.csv -k 1 --ridge-path 0.01,0.1 --folds 40").done().stdout;
    assert!(text.contains("40 folds of a few rows each, put together"), "{text}");
}

#[test]
fn views_in_which_nothing_correlates_are_an_answer() {
    let folder = Folder::new();
    // Every token of a occurs once with every token of b.
    let lines: String = (0..4).map(|i| format!("w{},v{}\n", i / 2, i % 2)).collect();
    folder.write("small.csv", format!("a,b\n{lines}"));
    folder.run("views text small.csv --x a --y b --tokens whole --min-count 1 -o views").done();
    for method in lcca::method::Method::names() {
        for flags in ["", "--no-center", "--ridge 0.1", "--no-structure"] {
            let fit = format!("fit views/x.safetensors views/y.safetensors -k 1 --method {method} {flags}");
            let ran = folder.run(&fit);
            assert_eq!(ran.code, Some(0), "{method} {flags}: {ran:?}");
            assert!(!ran.stdout.contains("-0.000000"), "{method} {flags}: {ran:?}");
            let has_pairs = ran.stdout.contains("captured total");
            assert!(has_pairs || ran.stdout.contains("no pair was found"), "{method} {flags}: {ran:?}");
        }
    }
}

#[test]
fn what_is_missing_is_the_same_number_everywhere() {
    let folder = Folder::with_views(400, 1);
    let ran = folder.run("fit x.npz y.npz -k 3 --method lobpcg --hold-out no -o model").done();
    let json = folder.json("fit x.npz y.npz -k 3 --method lobpcg --hold-out no");
    let share = number(&json, "missing");
    assert!(ran.stdout.contains(&format!("at most {share:.1e} of it may be missing")), "{share} {ran:?}");
    let trace = json["trace"].as_array().unwrap();
    assert!((number(trace.last().unwrap(), "missing") / share - 1.0).abs() < 1e-3, "{share} {json}");
    let record = folder.json("info model")["provenance"]["outcome"].clone();
    assert!((number(&record, "missing_share") / share - 1.0).abs() < 1e-9, "{record}");
}

#[test]
fn dates_within_a_day_are_no_constant() {
    let folder = Folder::new();
    let (mut noise, mut x, mut y) = (Noise(3), String::from("date,a\n"), String::from("dose,b\n"));
    for _ in 0..200 {
        // Six hours in days, as Julian dates count them.
        let day = 0.06 * noise.draw();
        x += &format!("{:.12},{:.6}\n", 2_460_600.5 + day, noise.draw());
        y += &format!("{:.9},{:.6}\n", day + 0.006 * noise.draw(), noise.draw());
    }
    folder.write("x.csv", &x);
    folder.write("y.csv", &y);
    for method in ["auto", "lobpcg", "gram", "exact", "als"] {
        let json = folder.json(&format!("fit x.csv y.csv -k 1 --method {method}"));
        assert!(numbers(&json, "correlations")[0] > 0.99, "{method}: {json}");
    }
}

/// The subspaces of a model can always be turned so that they correlate more on given rows, which is not a
/// property of the model.
#[test]
fn noise_has_no_correlation_on_other_rows() {
    let folder = Folder::new();
    tables(&folder, 60, 12, 12, 0.0, 1.0);
    for name in ["x.csv", "y.csv"] {
        let text = String::from_utf8(folder.read(name)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (part, rows) in [("train", &lines[1..41]), ("test", &lines[41..])] {
            folder.write(&format!("{part}_{name}"), [&lines[..1], rows].concat().join("\n") + "\n");
        }
    }
    folder.run("fit train_x.csv train_y.csv -k 8 --ridge 3 -o model -q").done();
    let score = folder.json("score model test_x.csv test_y.csv");
    let own: f64 = numbers(&score, "correlations").iter().sum();
    let text = folder.run("score model test_x.csv test_y.csv").done().stdout;
    assert!(text.contains(&format!("sum of correlations {own:.6}")) && !text.contains("captured"), "{text}");
    assert!((number(&score, "total") - own).abs() < 1e-12 && own < 2.0, "{score}");
    assert!(number(&score, "subspace_total") > 3.0 && score.get("captured").is_none(), "{score}");
}
