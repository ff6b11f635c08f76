//! Pages in a real browser, if `LCCA_BROWSER` names a Chromium and `LCCA_PYTHON` a Python with playwright.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{Folder, on_ci};
use std::path::Path;
use std::process::Command;

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
        .run("fit x.safetensors y.safetensors -k 5 --ridge 0.01 --method lobpcg --oversample 1 --tol 1e-9 -o model")
        .done();
    folder.run("report model x.safetensors y.safetensors -o report.html").done();
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
