//! `cargo xtask experiment NAME`: one of the paper's experiments or one that it names as future work, from
//! raw data to docs/experiments.

use crate::step::{self, cargo};
use crate::{data, package, python, zstd};
use std::fs;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "target/release/lcca";
const WORK: &str = "target/experiments";
const RESULTS: &str = "docs/experiments";
/// Extensions of the committed files of a comparison: tables, numbers, and one image format.
const COMMITTED: [&str; 3] = ["md", "csv", "svg"];

/// Values of t2 from the paper's table 1. The paper gives each URL subset one of 4, 11 and 13; here each
/// subset runs three values.
const WORD_SETTINGS: &str = "7,38,115";
const PATH_SETTINGS: &str = "4,13,38";

/// How many of the most frequent columns of X and of Y each subset leaves out, as the paper's URL subsets do.
const SKIPS: [(usize, usize); 3] = [(0, 0), (100, 200), (200, 400)];

/// A shell script that prints the path on every 18th line of the file lists, without the package that follows
/// the path.
const PATHS: &str = r#"for list in all amd64; do zstd -dc --long=27 "$0/Contents-$list.zst" | awk 'NR % 18 == 1 && sub(/[ \t]+[^ \t]+$/, "")'; done"#;

pub fn run(name: &str) -> Result<(), String> {
    let prepare = match name {
        "words" => words,
        "paths" => paths,
        "features" => return features(),
        _ => return Err(format!("`{name}` is not an experiment; there are: words, paths, features")),
    };
    step::run(&mut cargo("build --release --package lcca-cli"))?;
    let work = Path::new(WORK).join(name);
    empty(&work)?;
    prepare(&work)
}

/// This word and the next in the Brown corpus, in the shapes of the paper's first experiment.
fn words(work: &Path) -> Result<(), String> {
    let python = python::environment("target/python", "xtask/requirements.txt")?;
    let corpus =
        data::prepare(&python)?.ok_or("this experiment needs the real data sets")?.join("brown/words.txt");
    let views = work.join("views");
    step::run(
        lcca("views words --tokens whitespace --min-count 1 --across-lines --ties first")
            .arg(corpus)
            .arg("-o")
            .arg(&views),
    )?;
    compare("words", work, &views, WORD_SETTINGS)
}

/// Folders and names of Debian's files, in the shapes of the paper's second experiment.
fn paths(work: &Path) -> Result<(), String> {
    let python = python::environment("target/python", "xtask/requirements.txt")?;
    let lists = data::file_lists().ok_or("this experiment needs Debian's file lists")?;
    let list = work.join("paths.txt");
    let file = fs::File::create(&list).map_err(|e| step::failed(&list, e))?;
    let mut unpack = Command::new("sh");
    unpack.env("LC_ALL", "C").args(["-c", PATHS]).arg(lists).stdout(file);
    step::run(zstd::on_path(&mut unpack, &python)?)?;
    for ((x, y), subset) in SKIPS.into_iter().zip(1..) {
        let views = work.join(format!("views-{subset}"));
        let flags = "--no-header --lossy --x 1 --y 1 --x-tokens folders --y-tokens basename --lowercase=y \
            --ties first";
        let kept = format!("--min-count 1 --top 20000 --x-skip {x} --y-skip {y}");
        let make = format!("views text {flags} {kept}");
        step::run(lcca(&make).arg(&list).arg("-o").arg(&views))?;
        compare(&format!("paths-{subset}"), work, &views, PATH_SETTINGS)?;
    }
    Ok(())
}

/// Canonical variables as features for a classifier: packages from their descriptions, digits from half of
/// their images.
fn features() -> Result<(), String> {
    let python = package::build()?;
    let (packages, digits) = data::labeled(&python)?.ok_or("this experiment needs the real data sets")?;
    let results = Path::new(RESULTS).join("features");
    empty(&results)?;
    let mut script = Command::new(python);
    script.arg("bench/features.py").arg("--packages").arg(packages).arg("--digits").arg(digits);
    step::run(script.arg("--output").arg(results))
}

/// Runs the comparison on two views and replaces the committed result of the same name.
fn compare(name: &str, work: &Path, views: &Path, settings: &str) -> Result<(), String> {
    let output = work.join(name);
    let [x, y] = ["x", "y"].map(|view| views.join(format!("{view}.safetensors")));
    let line = format!("compare -k 20 --no-center --l-cca-t2 {settings}");
    step::run(lcca(&line).args([x, y]).arg("-o").arg(&output))?;
    let results = Path::new(RESULTS).join(name);
    empty(&results)?;
    for entry in fs::read_dir(&output).map_err(|e| step::failed(&output, e))? {
        let from = entry.map_err(|e| step::failed(&output, e))?.path();
        // The page, the JSON and the PNG images are not committed, because they repeat the other files in
        // many more bytes.
        if !from.extension().and_then(|end| end.to_str()).is_some_and(|end| COMMITTED.contains(&end)) {
            continue;
        }
        let to = results.join(from.file_name().unwrap_or_default());
        fs::copy(&from, &to).map_err(|e| step::failed(&to, e))?;
    }
    Ok(())
}

fn lcca(line: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(line.split(' '));
    command
}

/// Creates the folder, or removes everything in it.
fn empty(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| step::failed(folder, e))?;
    }
    fs::create_dir_all(folder).map_err(|e| step::failed(folder, e))
}
