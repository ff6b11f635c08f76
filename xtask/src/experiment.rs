//! `cargo xtask experiment NAME`: one of the paper's experiments, from raw data to docs/experiments.

use crate::step::{self, cargo};
use crate::{data, python};
use std::fs;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "target/release/lcca";
const WORK: &str = "target/experiments";
const RESULTS: &str = "docs/experiments";

/// Settings of the paper's table 1. Its URL subsets have one each, of 4, 11 and 13 steps; here each subset has three.
const WORD_SETTINGS: &str = "7,38,115";
const PATH_SETTINGS: &str = "4,13,38";

/// The most frequent columns that each subset goes without, of X and of Y.
const SKIPS: [(usize, usize); 3] = [(0, 0), (100, 200), (200, 400)];

/// The path of every 18th line of a list of files, without the package that follows it.
const PATHS: &str = r#"for list in all amd64; do zstd -dc --long=27 "$0/Contents-$list.zst" | awk 'NR % 18 == 1 && sub(/[ \t]+[^ \t]+$/, "")'; done"#;

pub fn run(name: &str) -> Result<(), String> {
    let prepare = match name {
        "words" => words,
        "paths" => paths,
        _ => return Err(format!("`{name}` is not an experiment; there are: words, paths")),
    };
    step::run(&mut cargo("build --release --package lcca-cli"))?;
    let work = Path::new(WORK).join(name);
    empty(&work)?;
    prepare(&work)
}

/// This word and the next in the Brown corpus, in the shapes of the paper's first experiment.
fn words(work: &Path) -> Result<(), String> {
    let python = python::environment("target/python", "xtask/requirements.txt")?;
    let corpus = data::prepare(&python)?.ok_or("this experiment runs on real data")?.join("brown/words.txt");
    let views = work.join("views");
    step::run(lcca("views words --across-lines --ties first").arg(corpus).arg("-o").arg(&views))?;
    compare("words", work, &views, WORD_SETTINGS)
}

/// Folders and names of Debian's files, in the shapes of the paper's second experiment.
fn paths(work: &Path) -> Result<(), String> {
    let lists =
        data::file_lists().ok_or("this experiment runs on Debian's lists of files, and needs zstd")?;
    let list = work.join("paths.txt");
    let file = fs::File::create(&list).map_err(|e| failed(&list, e))?;
    step::run(Command::new("sh").env("LC_ALL", "C").args(["-c", PATHS]).arg(lists).stdout(file))?;
    for ((x, y), subset) in SKIPS.into_iter().zip(1..) {
        let views = work.join(format!("views-{subset}"));
        let flags = "--no-header --lossy --x 1 --y 1 --x-tokens folders --y-tokens basename --lowercase=y --ties first";
        let kept = format!("--min-count 1 --top 20000 --x-skip {x} --y-skip {y}");
        let make = format!("views text {flags} {kept}");
        step::run(lcca(&make).arg(&list).arg("-o").arg(&views))?;
        compare(&format!("paths-{subset}"), work, &views, PATH_SETTINGS)?;
    }
    Ok(())
}

/// Compares on two views and puts the result in the place of the last one.
fn compare(name: &str, work: &Path, views: &Path, settings: &str) -> Result<(), String> {
    let made = work.join(name);
    let [x, y] = ["x", "y"].map(|view| views.join(format!("{view}.safetensors")));
    let line = format!("compare -k 20 --no-center --l-cca-t2 {settings}");
    step::run(lcca(&line).args([x, y]).arg("-o").arg(&made))?;
    let place = Path::new(RESULTS).join(name);
    empty(&place)?;
    for entry in fs::read_dir(&made).map_err(|e| failed(&made, e))? {
        let from = entry.map_err(|e| failed(&made, e))?.path();
        // The page repeats the rest, with a chart library inside: it stays where it was made.
        if from.extension().is_some_and(|end| end == "html") {
            continue;
        }
        let to = place.join(from.file_name().unwrap_or_default());
        fs::copy(&from, &to).map_err(|e| failed(&to, e))?;
    }
    Ok(())
}

fn lcca(line: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(line.split(' '));
    command
}

/// The folder, with nothing in it.
fn empty(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| failed(folder, e))?;
    }
    fs::create_dir_all(folder).map_err(|e| failed(folder, e))
}

fn failed(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
