//! Tests intervals, blocks and the number of pairs from the shell.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{Folder, numbers};
use std::fmt::Write as _;

/// Roughly normal numbers: sums of uniform numbers of a linear congruential generator.
fn normal_numbers() -> impl FnMut() -> f64 {
    let mut state = 1u64;
    move || {
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    }
}

/// Two views of five and four columns that share `pairs` directions, as tables, and a family for each row.
fn folder(rows: usize, pairs: usize) -> Folder {
    let folder = Folder::new();
    let mut normal = normal_numbers();
    let header = |cols: usize, name: &str| {
        (0..cols).map(|j| format!("{name}{j}")).collect::<Vec<_>>().join(",") + "\n"
    };
    let (mut x, mut y, mut families) = (header(5, "a"), header(4, "b"), String::new());
    for row in 0..rows {
        let shared: Vec<f64> = (0..pairs).map(|_| normal()).collect();
        let mut line = |cols: usize| {
            let cell = |j: usize, noise: f64| format!("{:.6}", noise + shared.get(j).copied().unwrap_or(0.0));
            (0..cols).map(|j| cell(j, normal())).collect::<Vec<_>>().join(",") + "\n"
        };
        x += &line(5);
        y += &line(4);
        let _ = writeln!(families, "family {}", row / 4);
    }
    std::fs::write(folder.path("x.csv"), x).unwrap();
    std::fs::write(folder.path("y.csv"), y).unwrap();
    std::fs::write(folder.path("families.txt"), families).unwrap();
    folder
}

#[test]
fn a_bootstrap_prints_intervals_and_the_report_shows_them() {
    let folder = folder(200, 1);
    folder.run("fit x.csv y.csv -k 2 -o model").done();
    let result = folder.json("bootstrap model x.csv y.csv -n 40 --seed 3");
    let (low, high, corrected) =
        (numbers(&result, "low"), numbers(&result, "high"), numbers(&result, "corrected"));
    assert!((0..2).all(|i| low[i] <= corrected[i] && corrected[i] <= high[i]), "{result}");
    assert!(numbers(&result, "stability")[0] > 0.5, "{result}");
    assert_eq!(result["resampled"].as_array().unwrap().len(), 40);
    assert_eq!(result, folder.json("bootstrap model x.csv y.csv -n 40 --seed 3 --threads 1"));
    assert_ne!(
        result["low"],
        folder.json("bootstrap model x.csv y.csv -n 40 --groups families.txt --seed 3")["low"]
    );
    let text = folder.run("bootstrap model x.csv y.csv -n 40 -o intervals.csv").done().stdout;
    assert!(text.contains("stability") && text.contains("40 resamples of 200 rows"), "{text}");
    let table = String::from_utf8(folder.read("intervals.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + 2 * (5 + 4), "{table}");
    assert!(table.lines().nth(1).unwrap().starts_with("X,a0,1,"), "{table}");
    folder.run("bootstrap model x.csv y.csv -n 40 -o intervals.parquet --quiet").done();
    assert!(folder.read("intervals.parquet").starts_with(b"PAR1"));
    std::fs::write(folder.path("bootstrap.json"), result.to_string()).unwrap();
    std::fs::write(
        folder.path("scores.json"),
        folder.json("score model x.csv y.csv --permutations 9").to_string(),
    )
    .unwrap();
    folder.run("report model --bootstrap bootstrap.json --scores scores.json -o report.html").done();
    let page = String::from_utf8(folder.read("report.html")).unwrap();
    assert!(
        page.contains("95% interval") && page.contains("From 40 resamples") && page.contains("p adjusted")
    );
}

#[test]
fn bootstraps_of_other_rows_and_bad_files_are_refused() {
    let folder = folder(60, 1);
    folder.run("fit x.csv y.csv -k 1 -o model").done();
    let other = self::folder(50, 1);
    std::fs::copy(other.path("x.csv"), folder.path("x50.csv")).unwrap();
    std::fs::copy(other.path("y.csv"), folder.path("y50.csv")).unwrap();
    folder.refuses("bootstrap -q model x50.csv y50.csv -n 9", &["expected 60, found 50"]);
    folder.refuses("bootstrap -q model x.csv y.csv -n 1", &["-n"]);
    folder.refuses(
        "bootstrap -q model x.csv y.csv -o intervals.txt",
        &["intervals.txt", ".csv, .tsv or .parquet"],
    );
    folder.refuses("bootstrap -q model x.csv y.csv --tol 0", &["--tol is 0"]);
    let quoted = std::fs::read_to_string(folder.path("x.csv")).unwrap().replacen("a0", "\"a, \"\"0\"\"\"", 1);
    std::fs::write(folder.path("quoted.csv"), quoted).unwrap();
    folder.run("fit quoted.csv y.csv -k 1 -o quoted --quiet").done();
    folder.run("bootstrap quoted quoted.csv y.csv -n 2 -o intervals.tsv --quiet").done();
    let table = String::from_utf8(folder.read("intervals.tsv")).unwrap();
    assert!(table.lines().nth(1).unwrap().starts_with("X\t\"a, \"\"0\"\"\"\t1\t"), "{table}");
    std::fs::write(
        folder.path("bootstrap.json"),
        folder.json("bootstrap quoted quoted.csv y.csv -n 2").to_string(),
    )
    .unwrap();
    folder.run("fit x.csv y.csv -k 1 --ridge 1 -o other --quiet").done();
    folder.refuses(
        "report other --bootstrap bootstrap.json -o report.html",
        &["bootstrap.json", "another model"],
    );
    std::fs::write(folder.path("short.txt"), "a\nb\n").unwrap();
    folder.refuses("bootstrap -q model x.csv y.csv --groups short.txt", &["2 labels", "60"]);
    folder.refuses(
        "report model --bootstrap short.txt -o report.html",
        &["short.txt", "lcca bootstrap --json"],
    );
}

#[test]
fn blocks_say_which_rows_change_places() {
    let folder = folder(200, 1);
    folder.run("fit x.csv y.csv -k 1 -o model").done();
    let score = |flags: &str| folder.json(&format!("score model x.csv y.csv -q --permutations 99 {flags}"));
    let (free, within) = (score(""), score("--blocks families.txt"));
    assert_eq!(free["correlations"], within["correlations"]);
    assert!(numbers(&score("--blocks families.txt --blocks-whole"), "p")[0] < 0.05);
    std::fs::write(folder.path("alone.txt"), (0..200).map(|row| format!("{row}\n")).collect::<String>())
        .unwrap();
    let refused = |flags: &str, needles: &[&str]| {
        folder.refuses(&format!("score -q model x.csv y.csv --permutations 9 {flags}"), needles);
    };
    refused("--blocks alone.txt", &["at least one group with two rows"]);
    refused("--blocks-whole", &["--blocks"]);
    folder.refuses("score model x.csv y.csv --blocks families.txt", &["--permutations"]);
}

#[test]
fn the_number_of_pairs_is_left_to_held_out_rows() {
    let folder = folder(600, 2);
    let fit = folder.json("fit x.csv y.csv -k auto");
    assert_eq!(fit["k"], 2);
    assert!(fit["why"].as_str().unwrap().contains("2 pairs of 4 tried were kept"), "{fit}");
    let text = folder.run("fit x.csv y.csv -k auto --fold-groups families.txt --wilks").done().stdout;
    assert!(
        text.contains("held-out rows") && text.contains("chi-square") && text.contains("assumes"),
        "{text}"
    );
    assert!(text.contains("counts 600 rows and 5 + 4 independent columns"), "{text}");
    assert!(text.contains("< 0.0001") && !text.contains("e0\n"), "{text}");
    let grouped = folder.json("fit x.csv y.csv -k 1 --ridge-path 0.01,1 --fold-groups families.txt");
    let apart = folder.json("fit x.csv y.csv -k 1 --ridge-path 0.01,1");
    assert_ne!(grouped["ridge_path"]["mean"], apart["ridge_path"]["mean"]);
    folder.refuses("fit x.csv y.csv -k many", &["many", "number of pairs or auto"]);
    folder.refuses("fit x.csv y.csv -k auto --resume state", &["--resume"]);
}

/// One row that is far off makes a pair that other rows do not have, between a pair that all have and a
/// weak one. Pairs after a pair that fails are not kept, even if they pass.
#[test]
fn no_pair_is_kept_beyond_the_first_that_fails() {
    let folder = Folder::new();
    let mut normal = normal_numbers();
    let noise: Vec<[f64; 6]> = (0..400).map(|_| std::array::from_fn(|_| normal())).collect();
    let table = |names: &str, row: &dyn Fn(&[f64]) -> [f64; 3]| {
        let line = |(i, noise): (usize, &[f64; 6])| {
            let [a, b, c] = if i == 0 { [0.0, 100.0, 0.0] } else { row(noise) };
            format!("{a:.6},{b:.6},{c:.6}\n")
        };
        names.to_string() + "\n" + &noise.iter().enumerate().map(line).collect::<String>()
    };
    folder.write("x.csv", table("a,b,c", &|n| [n[0], n[1], n[2]]));
    folder.write("y.csv", table("d,e,f", &|n| [n[0] + 0.01 * n[3], n[4], n[2] + 1.2 * n[5]]));
    let held_out = numbers(&folder.json("fit x.csv y.csv -k 3 --hold-out 0.3")["held_out"], "held_out");
    assert!(held_out[0] > 0.99 && held_out[1] < 0.2 && held_out[2] > 0.5, "{held_out:?}");
    let fit = folder.json("fit x.csv y.csv -k auto");
    assert_eq!(fit["k"], 1, "{fit}");
    assert!(fit["why"].as_str().unwrap().contains("1 pair of 3 tried was kept"), "{fit}");
}

#[test]
fn categories_and_covariates_have_their_classical_test() {
    let folder = folder(120, 1);
    let with_category = |name: &str| {
        let text = String::from_utf8(folder.read(name)).unwrap();
        let mut lines = text.lines();
        let header = format!("{},kind\n", lines.next().unwrap());
        lines
            .enumerate()
            .fold(header, |all, (i, line)| all + line + "," + ["a", "b", "c"][i * i % 7 % 3] + "\n")
    };
    folder.write("kinds.csv", with_category("x.csv"));
    let kinds =
        "kind\n".to_string() + &(0..120).map(|i| ["u", "v"][i % 2].to_string() + "\n").collect::<String>();
    folder.write("only.csv", kinds);
    // Three indicators have two directions, and two have one.
    let fit = folder.json("fit kinds.csv y.csv -k 2 --wilks");
    assert_eq!(fit["wilks"]["ranks"], serde_json::json!([7, 4]));
    assert_eq!(numbers(&fit["wilks"], "degrees"), [28.0, 18.0, 10.0, 4.0]);
    let fit = folder.json("fit only.csv y.csv -k 1 --wilks --covariates x.csv");
    assert_eq!(numbers(&fit["wilks"], "degrees"), [4.0]);
    assert_eq!(fit["wilks"]["covariates"], 5);
    // Data that break the assumptions of the test are refused before any fit or output.
    let few = self::folder(10, 1);
    few.refuses("fit x.csv y.csv -k 1 --wilks -o model -q", &["10 rows and 5 + 4 independent columns"]);
    assert!(!few.path("model").exists());
}
