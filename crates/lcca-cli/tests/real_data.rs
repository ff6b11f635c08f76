//! Known answers on generated data, and on real data if `LCCA_DATA` names a folder of prepared sets.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::page::Page;
use common::sets::{Sets, sets_with};
use common::{Folder, Ran, gap, lcca, number, numbers};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A lock that a test holds while it runs, because each fit takes all cores, and several at once would only
/// slow each other down.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The JSON object that a command prints when it runs in the folder of sets; `output` follows `-o`.
fn json(sets: &Path, line: &str, output: Option<&Path>) -> Value {
    let mut command = lcca(sets, &format!("{line} --json --quiet"));
    output.iter().for_each(|path| {
        command.arg("-o").arg(path);
    });
    Ran::output(&mut command).done().json()
}

fn fit_brown(sets: &Sets, method: &str) -> Value {
    json(&sets.folder, &format!("fit brown/x.npz brown/y.npz -k 20 --no-center --method {method}"), None)
}

#[test]
fn diagonal_iteration_on_one_hot_words_comes_close_from_below_whatever_the_seed() {
    let _alone = alone();
    for sets in sets_with("brown") {
        let truth = sets.truth("brown", "total");
        for seed in 0..3 {
            let total = number(&fit_brown(&sets, &format!("d-cca --t1 30 --seed {seed}")), "total");
            println!("brown, d-cca --t1 30, seed {seed}: {total:.6} of {truth:.6}");
            assert!((0.998 * truth..=truth + 1e-6).contains(&total), "seed {seed}: {total}");
        }
    }
}

#[test]
fn diagonal_iteration_on_one_hot_words_converges_to_the_truth() {
    let _alone = alone();
    for sets in sets_with("brown") {
        let total = number(&fit_brown(&sets, "d-cca --t1 300"), "total");
        println!("brown, d-cca --t1 300: {total:.6}");
        assert!((total - sets.truth("brown", "total")).abs() < 2e-4, "{total}");
    }
}

#[test]
fn with_diagonal_gram_matrices_the_diagonal_is_the_exact_solver() {
    let _alone = alone();
    for sets in sets_with("brown") {
        let [als, d_cca] = ["als --t1 30", "d-cca --t1 30"].map(|method| fit_brown(&sets, method));
        assert!((number(&als, "total") - number(&d_cca, "total")).abs() < 1e-8);
        assert!(gap(&numbers(&als, "correlations"), &numbers(&d_cca, "correlations")) < 1e-8);
    }
}

#[test]
fn ling_captures_more_than_gradients_or_principal_components_alone() {
    let _alone = alone();
    for sets in sets_with("brown") {
        // L-CCA makes fewer passes than gradients do.
        let components = if sets.is_real { "rp-cca --k-rpcca 200" } else { "rp-cca --k-rpcca 150" };
        let methods = ["l-cca --k-pc 50 --t1 5 --t2 12", "g-cca --t2 20", components];
        let [ling, gradients, components] = methods.map(|method| number(&fit_brown(&sets, method), "total"));
        println!("brown: l-cca {ling:.4}, g-cca {gradients:.4}, rp-cca {components:.4}");
        assert!(ling > gradients && ling > components);
    }
}

#[test]
fn halves_of_digits_correlate_as_dense_factorizations_say() {
    let _alone = alone();
    for sets in sets_with("mnist") {
        let folder = Folder::new();
        let model = folder.path("model");
        let line = "fit mnist/x.npy mnist/y.npy -k 20 --method exact --strict";
        let total = number(&json(&sets.folder, line, Some(&model)), "total");
        assert!((total - sets.truth("mnist", "total")).abs() < 1e-5, "{total}");
        let mut score = lcca(&sets.folder, "score");
        score.arg(&model).args(["mnist/x_test.npy", "mnist/y_test.npy", "--json"]);
        let score = Ran::output(&mut score).done().json();
        let held_out = number(&score, "total");
        println!("mnist: {total:.6} in training, {held_out:.6} held out");
        assert_eq!(number(&score, "rows"), if sets.is_real { 10_000.0 } else { 1_000.0 });
        assert!(held_out < total && held_out > 0.9 * total, "{held_out}");
    }
}

/// Memory holds a few panels of k columns besides the mapped file, and never a panel with as many rows as
/// the data.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_the_store_and_a_few_panels() {
    let _alone = alone();
    for set in ["brown", "debian400k"] {
        for sets in sets_with(set) {
            fits_stay_within_memory(&sets, set);
        }
    }
}

#[cfg(target_os = "linux")]
fn fits_stay_within_memory(sets: &Sets, set: &str) {
    let folder = Folder::new();
    let on_disk: u64 = ["x", "y"].map(|view| convert(&sets.folder, set, view, &folder)).iter().sum();
    // Later iterations need no more memory than the first.
    for method in ["l-cca --t1 2 --t2 2", "d-cca --t1 3"] {
        let fit = folder.json(&format!("fit x.safetensors y.safetensors -k 20 --quiet --method {method}"));
        let columns = number(&fit, "x_cols") + number(&fit, "y_cols");
        let panel = columns * (20.0 + 10.0) * 8.0;
        let allowed = on_disk as f64 + 12.0 * panel + 300e6;
        let peak = number(&fit, "peak_rss_bytes");
        let [peak_mb, allowed_mb] = [peak, allowed].map(|bytes| bytes / 1e6);
        println!("{set}, {method}: peak {peak_mb:.0} MB, allowed {allowed_mb:.0} MB");
        assert!(peak < allowed, "{set}, {method}: {peak} of {allowed}");
    }
}

/// Makes the store of one view and returns its size.
#[cfg(target_os = "linux")]
fn convert(sets: &Path, set: &str, view: &str, folder: &Folder) -> u64 {
    let store = folder.path(&format!("{view}.safetensors"));
    Ran::output(lcca(sets, &format!("convert {set}/{view}.npz")).arg(&store)).done();
    fs::metadata(store).unwrap().len()
}

/// Whether two words are among the first three of their views in some component of a page.
fn lead_together(page: &Page, english: &str, french: &str) -> bool {
    let leads =
        |component: &Value, side: &str, word: &str| (0..3).any(|i| component[side]["loading"][i][0] == word);
    let components = page.data["components"].as_array().unwrap();
    components.iter().any(|component| leads(component, "x", english) && leads(component, "y", french))
}

#[test]
fn words_that_translate_each_other_lead_the_same_components_of_a_report() {
    let _alone = alone();
    for sets in sets_with("tatoeba/pairs.tsv") {
        let folder = Folder::new();
        let mut views = folder.command("views text --no-header --x 1 --y 2 --lowercase -o views");
        Ran::output(views.arg(sets.path("tatoeba/pairs.tsv"))).done();
        folder.run("fit views/x.safetensors views/y.safetensors --ridge 0.01 --tol 1e-3 -o model").done();
        let page = Page::report(&folder, "model views/x.safetensors views/y.safetensors");
        for (english, french) in
            [("tom", "tom"), ("french", "français"), ("tomorrow", "demain"), ("brother", "frère")]
        {
            assert!(lead_together(&page, english, french), "{english} {french}: {}", page.data["components"]);
        }
        assert!(page.html.len() < 2_000_000);
    }
}
