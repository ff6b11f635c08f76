//! Opens pages in a real browser, if `LCCA_BROWSER` names a Chromium and `LCCA_PYTHON` a Python with
//! playwright.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{Folder, on_ci};
use std::path::Path;
use std::process::Command;

/// Pictures with long names in many scripts, markup in names, one column, and equal correlations.
fn odd_pictures(folder: &Folder) {
    let long = "</script><b>\"&' Ωμέγα 漢字漢字漢字漢字漢字漢字 עברית 🐭🐭🐭🐭🐭🐭🐭🐭🐭🐭 wwwwwwwwwwwwwwwwwwwwwwwwww MMMMMMMMMMMM";
    let number = |i: usize| format!("{}", ((i * i * 7 + i * 13) % 97) as f64 / 10.0);
    let table = |cols: usize| {
        let names = (0..cols).map(|j| format!("\"{}{}\"", &j.to_string(), long.replace('"', "\"\"")));
        let row = |i: usize| (0..cols).map(|j| number(i * (j + 3) + j)).collect::<Vec<_>>().join(",");
        let rows: Vec<String> = (0..60).map(row).collect();
        format!("{}\n{}\n", names.collect::<Vec<_>>().join(","), rows.join("\n"))
    };
    folder.write("wide.csv", table(25));
    folder.write("one.csv", table(1));
    // The correlations of a view with itself are all 1.
    for (model, x, y, k) in [("same", "wide.csv", "wide.csv", 12), ("one", "wide.csv", "one.csv", 1)] {
        folder.run(&format!("fit {x} {y} -k {k} --header yes --hold-out no -o {model}")).done();
        for picture in ["scree", "circle", "loadings", "heatmap", "cim", "scores", "biplot"] {
            if model == "one" && ["circle", "biplot"].contains(&picture) {
                continue;
            }
            let rows = if ["scores", "biplot"].contains(&picture) {
                format!("{x} {y} --header yes")
            } else {
                String::new()
            };
            folder.run(&format!("plot {picture} {model} {rows} -o picture-{model}-{picture}.html")).done();
        }
    }
}

/// A report of few rows with names and labels, with everything that a table of components can hold.
fn report_of_few_rows(folder: &Folder) {
    let number = |i: usize, j: usize| (i * (j + 3) * 7 + i * i * (j + 1)) % 23 + i;
    let table = |rows: std::ops::Range<usize>, names: &str, first: usize| {
        let row = |i: usize| {
            format!("place {i},{},{},{}\n", number(i, first), number(i, first + 1), number(i, first + 2))
        };
        format!("name,{names}\n{}", rows.map(row).collect::<String>())
    };
    for (part, rows) in [("few", 0..40), ("other", 40..60)] {
        folder.write(&format!("{part}_x.csv"), table(rows.clone(), "a rather long name,bee,sea", 0));
        folder.write(&format!("{part}_y.csv"), table(rows, "dee,a longer name,eff", 3));
    }
    folder.run("fit few_x.csv few_y.csv --ridge 0.01 --hold-out 0.2 -o few").done();
    folder.write("few_bootstrap.json", folder.json("bootstrap few few_x.csv few_y.csv -n 20").to_string());
    let line = "score few few_x.csv few_y.csv --permutations 19";
    folder.write("few_scores.json", folder.json(line).to_string());
    folder.write("few_labels.txt", (0..20).map(|row| format!("label {}\n", row % 3)).collect::<String>());
    folder
        .run(
            "report few other_x.csv other_y.csv --label few_labels.txt --bootstrap few_bootstrap.json \
            --scores few_scores.json -o few.html",
        )
        .done();
    folder.write("few_score.json", folder.json("score few other_x.csv other_y.csv").to_string());
    folder.write("few_info.json", folder.json("info few").to_string());
}

#[test]
fn pages_work_in_a_browser() {
    let (Some(python), Some(browser)) = (std::env::var_os("LCCA_PYTHON"), std::env::var_os("LCCA_BROWSER"))
    else {
        assert!(!on_ci(), "LCCA_PYTHON or LCCA_BROWSER is not set");
        println!("skipped: LCCA_PYTHON or LCCA_BROWSER is not set");
        return;
    };
    let folder = Folder::with_named_views(3000, 1);
    folder
        .run(
            "fit x.safetensors y.safetensors -k 5 --ridge 0.01 --method lobpcg --oversample 1 --tol 1e-9 -o \
            model",
        )
        .done();
    folder.write("labels.txt", (0..3000).map(|row| format!("label {}\n", row % 3)).collect::<String>());
    folder.run("report model x.safetensors y.safetensors --label labels.txt -o report.html").done();
    odd_pictures(&folder);
    report_of_few_rows(&folder);
    folder.write("info.json", folder.json("info model").to_string());
    folder.write("score.json", folder.json("score model x.safetensors y.safetensors").to_string());
    folder.run("compare x.safetensors y.safetensors -k 3 --k-pc 4 --l-cca-t2 2,6 --quiet -o compared").done();
    for name in ["compare.html", "compare.json"] {
        folder.write(name, folder.read(&format!("compared/{name}")));
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser.py");
    let output = Command::new(python).arg(script).arg(browser).arg(folder.path(".")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    println!("{said}");
}
