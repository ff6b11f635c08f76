//! Compares views of generated data with independently prepared ones, and views of real data if `LCCA_DATA`
//! names a folder of prepared sets.

use super::{column_names, rows};
use crate::common::sets::{Sets, sets_with};
use crate::common::{Folder, Ran, number, workspace};
use lcca::matrix::Matrix;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Runs `lcca views KIND FILE FLAGS -o d`.
fn views(folder: &Folder, kind: &str, file: &Path, flags: &str) {
    let mut command = folder.command(&format!("views {kind}"));
    Ran::output(command.arg(file).args(flags.split_whitespace()).args(["-o", "d"])).done();
}

fn same(a: &Matrix, b: &Matrix) -> bool {
    let row = |matrix: &Matrix, row: usize| {
        let mut entries = Vec::new();
        matrix.for_each(row, |column, value| entries.push((column, value)));
        entries
    };
    (a.rows(), a.cols()) == (b.rows(), b.cols()) && (0..a.rows()).all(|i| row(a, i) == row(b, i))
}

/// Checks that both stores hold the views that were prepared next to `file`, column by column.
fn as_prepared(folder: &Folder, file: &Path) {
    for view in ["x", "y"] {
        let made = lcca_io::read_matrix(&folder.path(&format!("d/{view}.safetensors"))).unwrap().matrix;
        let expected = lcca_io::read_matrix(&file.with_file_name(format!("{view}.npz"))).unwrap().matrix;
        assert!(same(&made, &expected), "{view}: {}×{}", made.rows(), made.cols());
    }
}

fn objective(folder: &Folder, flags: &str) -> f64 {
    let fit = folder.json(&format!("fit d/x.safetensors d/y.safetensors -k 20 --quiet {flags}"));
    fit["objective"].as_array().unwrap().iter().map(|d| d.as_f64().unwrap()).sum()
}

#[test]
fn sentence_pairs_come_out_as_prepared_and_correlate_as_known() {
    for sets in sets_with("tatoeba/pairs.tsv") {
        let (folder, file) = (Folder::new(), sets.path("tatoeba/pairs.tsv"));
        views(&folder, "text", &file, "--no-header --x 1 --y 2 --lowercase --ties first");
        as_prepared(&folder, &file);
        let objective = objective(&folder, "--ridge 0.01");
        // The default tolerance is relative.
        let truth = sets.truth("tatoeba", "objective");
        assert!((objective - truth).abs() < 1e-4 * objective, "{objective} of {truth}");
    }
}

/// English words and the French words that mean the same. Names are equal in both.
const TRANSLATIONS: [(&str, &str); 24] = [
    ("tom", "tom"),
    ("boston", "boston"),
    ("mary", "mary"),
    ("french", "français"),
    ("brother", "frère"),
    ("sister", "sœur"),
    ("tomorrow", "demain"),
    ("japan", "japon"),
    ("japanese", "japonais"),
    ("hospital", "hôpital"),
    ("father", "père"),
    ("uncle", "oncle"),
    ("umbrella", "parapluie"),
    ("tennis", "tennis"),
    ("english", "anglais"),
    ("beach", "plage"),
    ("dictionary", "dictionnaire"),
    ("week", "semaine"),
    ("monday", "lundi"),
    ("friends", "amis"),
    ("australia", "australie"),
    ("coffee", "café"),
    ("school", "école"),
    ("music", "musique"),
];

/// Follows raw texts to correlations on rows that the model has not seen, and to words that mean the same.
#[test]
fn a_newcomer_gets_from_sentences_to_held_out_correlations_and_translations() {
    sets_with("tatoeba/pairs.tsv").iter().for_each(from_sentences_to_translations);
}

fn from_sentences_to_translations(sets: &Sets) {
    let (folder, file) = (Folder::new(), sets.path("tatoeba/pairs.tsv"));
    views(&folder, "text", &file, "--no-header --x 1 --y 2 --lowercase --hold-out 10");
    // The 20th pair and the next one differ by less than the default tolerance on these rows, but not on
    // held-out rows.
    folder
        .run("fit d/x.safetensors d/y.safetensors --ridge 0.01 --tol 1e-5 -o model --strict --quiet")
        .done();
    let score = folder.json("score model d/x_test.safetensors d/y_test.safetensors --quiet");
    assert_eq!(number(&score, "rows"), if sets.is_real { 16_713.0 } else { 3_000.0 });
    let held_out = number(&score, "total");
    let truth = sets.truth("tatoeba", "held_out");
    assert!((held_out - truth).abs() < 0.01, "{held_out} of {truth}");

    let info = folder.json("info model");
    let name = |pair: &Value, side: usize| pair[side][0]["name"].as_str().unwrap().to_string();
    let pairs: Vec<_> =
        info["top"].as_array().unwrap().iter().map(|pair| (name(pair, 0), name(pair, 1))).collect();
    let translated = pairs.iter().filter(|(x, y)| TRANSLATIONS.contains(&(x, y))).count();
    println!(
        "held out {held_out:.4}; {translated} of {} pairs are led by translations: {pairs:?}",
        pairs.len()
    );
    assert!(translated >= 15, "{translated}: {pairs:?}");

    let words = TRANSLATIONS.map(|(english, _)| english);
    let near = folder.json(&format!("neighbors model {} --in y -n 5", words.join(" ")));
    let is_translated = |i: usize| {
        let neighbors = near["words"][i]["neighbors"]["y"].as_array().unwrap();
        neighbors.iter().any(|one| one["name"] == TRANSLATIONS[i].1)
    };
    let translated = (0..words.len()).filter(|&i| is_translated(i)).count();
    println!("{translated} of {} words have their translation among the five nearest", words.len());
    assert!(translated >= 20, "{translated}");
}

#[test]
fn words_and_next_words_come_out_as_prepared_and_correlate_as_known() {
    for sets in sets_with("brown/words.txt") {
        let (folder, file) = (Folder::new(), sets.path("brown/words.txt"));
        views(&folder, "words", &file, "--tokens whitespace --min-count 1 --across-lines --ties first");
        as_prepared(&folder, &file);
        let objective = objective(&folder, "--no-center");
        assert!((objective - sets.truth("brown", "total")).abs() < 1e-4, "{objective}");
    }
}

/// The three subsets of the paper's URL experiment, on a sample of its rows.
#[test]
fn urls_are_cut_as_in_the_paper() {
    sets_with("url/url_sample.svm").iter().for_each(urls_are_cut);
}

fn urls_are_cut(sets: &Sets) {
    let file = sets.path("url/url_sample.svm");
    let start = "--x first:35% --y last:35% --boolean-only --top 20000 --rows 400000";
    let skips = [(0, 0), (100, 200), (200, 400)];
    let made = skips.map(|(x, y)| {
        let folder = Folder::new();
        views(&folder, "columns", &file, &format!("{start} --x-skip {x} --y-skip {y}"));
        folder
    });
    let full = lcca_io::read_matrix(&file).unwrap().matrix;
    let (mut counts, mut boolean) = (vec![0usize; full.cols()], vec![true; full.cols()]);
    (0..full.rows()).for_each(|row| {
        full.for_each(row, |column, value| {
            counts[column] += 1;
            boolean[column] &= value == 1.0;
        });
    });
    let share = full.cols() * 35 / 100;
    for (view, range) in [("x", 0..share), ("y", full.cols() - share..full.cols())] {
        let mut ranked: Vec<usize> = range.filter(|&column| boolean[column] && counts[column] > 0).collect();
        ranked.sort_by_key(|&column| (std::cmp::Reverse(counts[column]), column));
        for ((x, y), folder) in skips.into_iter().zip(&made) {
            let skip = if view == "x" { x } else { y };
            let mut expected: Vec<usize> = ranked.iter().copied().skip(skip).take(20_000).collect();
            expected.sort_unstable();
            let names = expected.iter().map(usize::to_string).collect::<Vec<_>>();
            let store = format!("d/{view}.safetensors");
            assert_eq!(column_names(folder, &store), names);
            let entries: usize = rows(folder, &store).iter().map(Vec::len).sum();
            assert_eq!(entries, expected.iter().map(|&column| counts[column]).sum::<usize>());
        }
    }
    made.iter().for_each(|folder| compares(folder, sets.truth("url", "rows")));
}

/// Runs the paper's comparison on the views, at settings that take a second.
fn compares(folder: &Folder, rows: f64) {
    let line = "compare d/x.safetensors d/y.safetensors -k 5 --no-center --k-pc 20 --t1 2 --l-cca-t2 2 \
        --methods g-cca,d-cca --max-passes 10 --quiet";
    let comparison = folder.json(&format!("{line} -o compared"));
    assert_eq!(number(&comparison, "rows"), rows);
    for run in comparison["runs"].as_array().unwrap() {
        let total = run["total"].as_f64().unwrap();
        assert!(total > 0.0 && total <= 5.0 + 1e-9, "{run}");
    }
    assert!(folder.path("compared/figure.png").exists());
}

/// Adds the path on every 18th line of a list of files, without the package, which follows the last white
/// space.
fn every_18th_path(list: &Path, paths: &mut String) {
    let lines = BufReader::new(zstd::Decoder::new(File::open(list).unwrap()).unwrap()).split(b'\n');
    for line in lines.step_by(18) {
        let line = String::from_utf8_lossy(&line.unwrap()).into_owned();
        if let Some((path, _)) = line.trim_end().rsplit_once(char::is_whitespace) {
            paths.push_str(path.trim_end());
            paths.push('\n');
        }
    }
}

#[test]
fn paths_come_out_as_prepared() {
    for sets in sets_with("debian400k/x.npz") {
        let folder = Folder::new();
        let paths = if sets.is_real {
            raw_paths()
        } else {
            fs::read_to_string(sets.path("debian400k/paths.txt")).ok()
        };
        let Some(paths) = paths else {
            println!("skipped: no lists of files");
            continue;
        };
        folder.write("paths.txt", paths);
        let flags = "--no-header --x 1 --y 1 --x-tokens folders --y-tokens basename --lowercase=y \
            --min-count 1 --top 20000 --ties first";
        views(&folder, "text", &folder.path("paths.txt"), flags);
        as_prepared(&folder, &sets.path("debian400k/x.npz"));
    }
}

/// Every 18th path of Debian's lists, if they are there.
fn raw_paths() -> Option<String> {
    let raw = workspace().join("../shared/data/debian-contents");
    let lists = ["Contents-all.zst", "Contents-amd64.zst"].map(|list| raw.join(list));
    lists.iter().all(|list| list.exists()).then(|| {
        let mut paths = String::new();
        lists.iter().for_each(|list| every_18th_path(list, &mut paths));
        paths
    })
}
