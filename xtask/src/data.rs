//! Data for the tests: generated sets, and real ones that are prepared once from the raw files beside the
//! repository if there are any.

use crate::{step, zstd};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const RAW: &str = "../shared/data";
const PREPARED: &str = "target/data";
/// Data sets are made here and moved into place whole, so that an interrupted run leaves no partial set
/// behind.
const PARTIAL: &str = "target/data/partial";

const GENERATED: &str = "target/generated";
const GENERATOR: [&str; 2] = ["tools/data/generate.py", "tools/data/truth.py"];

/// Generates data sets with known answers, unless these programs already did, and returns their folder.
pub fn generate(python: &Path) -> Result<PathBuf, String> {
    let read = |file: &str| fs::read_to_string(file).map_err(|e| step::failed(Path::new(file), e));
    let programs = GENERATOR.map(read).into_iter().collect::<Result<String, String>>()?;
    let stamp = Path::new(GENERATED).join("programs.txt");
    if fs::read_to_string(&stamp).is_ok_and(|made_by| made_by == programs) {
        return Ok(GENERATED.into());
    }
    step::run(Command::new(python).args([GENERATOR[0], GENERATED]))?;
    fs::write(&stamp, programs).map_err(|e| step::failed(&stamp, e))?;
    Ok(GENERATED.into())
}

/// Prepares the data sets and returns their folder, or none if there are no raw files.
pub fn prepare(python: &Path) -> Result<Option<PathBuf>, String> {
    if !Path::new(RAW).join("prepare.py").exists() {
        step::note(&format!("no {RAW}/prepare.py: tests run on generated data only"));
        return Ok(None);
    }
    for name in ["brown", "mnist", "tatoeba", "url", "debian400k"] {
        make(name, || script(python, name))?;
    }
    make("nutrimouse", || nutrimouse(python))?;
    Ok(Some(PREPARED.into()))
}

/// Prepares all Debian paths beside the other sets. They take one to two gigabytes, so only benchmarks call
/// this.
pub fn prepare_full(python: &Path) -> Result<(), String> {
    if is_prepared("debian_full") || !Path::new(RAW).join("prepare.py").exists() {
        return Ok(());
    }
    make("debian", || script(python, "debian"))?;
    let paths = Path::new(PREPARED).join("debian/paths.tsv");
    let full = Path::new(PARTIAL).join("debian_full");
    make("debian_full", || step::run(Command::new(python).arg("bench/full_paths.py").args([paths, full])))
}

/// The rows of Debian's packages and the folder of MNIST's files, which have labels; none if there are no raw
/// files.
pub fn labeled(python: &Path) -> Result<Option<(PathBuf, PathBuf)>, String> {
    if !Path::new(RAW).join("prepare.py").exists() {
        return Ok(None);
    }
    make("packages", || script(python, "packages"))?;
    Ok(Some((Path::new(PREPARED).join("packages/rows.tsv"), Path::new(RAW).join("mnist"))))
}

/// Prepares the descriptions in nine languages beside the other sets, for the benchmark that needs them.
pub fn languages(python: &Path) -> Result<(), String> {
    if !Path::new(RAW).join("prepare.py").exists() {
        return Ok(());
    }
    make("languages", || script(python, "languages"))
}

/// The folder of Debian's file lists, if it exists.
pub fn file_lists() -> Option<PathBuf> {
    let lists = Path::new(RAW).join("debian-contents");
    lists.exists().then_some(lists)
}

fn make(name: &str, fill: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    if is_prepared(name) {
        return Ok(());
    }
    let partial = Path::new(PARTIAL).join(name);
    fs::create_dir_all(&partial).map_err(|e| step::failed(&partial, e))?;
    fill()?;
    fs::rename(&partial, Path::new(PREPARED).join(name)).map_err(|e| step::failed(&partial, e))
}

fn is_prepared(name: &str) -> bool {
    Path::new(PREPARED).join(name).exists()
}

fn script(python: &Path, name: &str) -> Result<(), String> {
    let mut prepare = Command::new(python);
    prepare.arg(Path::new(RAW).join("prepare.py")).args([PARTIAL, name]);
    step::run(zstd::on_path(&mut prepare, python)?)
}

/// Nutrimouse comes as compressed tables that only need to be decompressed.
fn nutrimouse(python: &Path) -> Result<(), String> {
    let mut packed = Vec::new();
    for table in ["gene", "lipid", "diet", "genotype"] {
        let file = format!("nutrimouse/{table}.csv.gz");
        let (from, to) = (Path::new(RAW).join(&file), Path::new(PARTIAL).join(&file));
        // The bytes are read and written because `fs::copy` would keep the permissions, and the raw files
        // may be read-only.
        fs::read(&from).and_then(|bytes| fs::write(&to, bytes)).map_err(|e| step::failed(&from, e))?;
        packed.push(to);
    }
    step::run(Command::new(python).args(["-m", "gzip", "-d"]).args(&packed))?;
    packed.iter().try_for_each(|file| fs::remove_file(file).map_err(|e| step::failed(file, e)))
}
