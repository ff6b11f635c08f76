//! Files that SciPy, NumPy and pyarrow wrote, and SciPy's reading of the files written here.
//!
//! Runs the interpreter that `LCCA_PYTHON` names, which needs numpy, scipy and pyarrow. If it is not set,
//! the tests are skipped, except on a build server (`CI=true`), because skipping would hide a failure
//! there.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lcca::matrix::Matrix;
use lcca_io::{read_matrix, write_matrix};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn interpreter() -> Option<String> {
    let python = std::env::var("LCCA_PYTHON").ok();
    if python.is_none() {
        assert_ne!(
            std::env::var("CI").as_deref(),
            Ok("true"),
            "LCCA_PYTHON must name a Python with numpy and scipy"
        );
        println!("skipped: LCCA_PYTHON is not set");
    }
    python
}

fn script(python: &str, verb: &str, folder: &Path) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scipy_files.py");
    let output = Command::new(python).arg(script).arg(verb).arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The files that have a text of their numbers beside them.
fn described(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .map(|path| path.with_extension(""))
        .filter(|path| cfg!(feature = "arrow") || path.extension().is_none_or(|end| end != "feather"))
        .collect()
}

fn expected(path: &Path) -> String {
    fs::read_to_string(format!("{}.txt", path.display())).unwrap()
}

fn as_text(matrix: &Matrix) -> String {
    let mut text = format!("{} {}\n", matrix.rows(), matrix.cols());
    for row in 0..matrix.rows() {
        let mut numbers = vec![0.0; matrix.cols()];
        matrix.for_each(row, |column, value| numbers[column] = value);
        text += &numbers.iter().map(|number| format!("{number:?}")).collect::<Vec<_>>().join(" ");
        text += "\n";
    }
    text
}

/// Parses the numbers of a text, so that they compare equal however their digits are written.
fn parsed(text: &str) -> Vec<Vec<f64>> {
    text.lines().map(|line| line.split(' ').map(|number| number.parse().unwrap()).collect()).collect()
}

#[test]
fn scipy_and_this_crate_read_the_same_numbers() {
    let Some(python) = interpreter() else { return };
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    script(&python, "make", theirs.path());
    let files = described(theirs.path());
    assert!(files.len() > 90, "{} files", files.len());
    for path in &files {
        let matrix = read_matrix(path).unwrap_or_else(|error| panic!("{error}")).matrix;
        assert_eq!(parsed(&as_text(&matrix)), parsed(&expected(path)), "{}", path.display());
        write_again(&matrix, path, ours.path());
    }
    let checked = script(&python, "check", ours.path());
    assert_eq!(checked.lines().count(), 2 * files.len(), "{checked}");
}

fn write_again(matrix: &Matrix, path: &Path, folder: &Path) {
    let name = path.file_name().unwrap().to_string_lossy();
    let binary = if matches!(matrix, Matrix::Dense(_)) { "npy" } else { "npz" };
    for end in [binary, "mtx"] {
        let path = folder.join(format!("{name}.{end}"));
        write_matrix(&path, matrix).unwrap();
        fs::write(format!("{}.txt", path.display()), as_text(matrix)).unwrap();
    }
}

#[cfg(feature = "arrow")]
#[test]
fn arrow_files_have_names_and_columns_without_numbers_are_refused() {
    let Some(python) = interpreter() else { return };
    let folder = tempfile::tempdir().unwrap();
    script(&python, "make", folder.path());
    let names = lcca_io::read_names(&folder.path().join("zstd.feather")).unwrap().unwrap();
    assert_eq!((names.len(), names.get(3)), (8, "c 3"));
    let refused = |name: &str| read_matrix(&folder.path().join(name)).unwrap_err().to_string();
    for (name, words) in [
        ("missing.arrow", ["column \"a\"", "row 3: the value is missing"]),
        ("dates.arrow", ["column \"b\"", "dates"]),
        ("cut.arrow", ["cut.arrow", "truncated, corrupt or not an Arrow file"]),
    ] {
        let error = refused(name);
        assert!(words.iter().all(|word| error.contains(word)) && error.lines().count() == 1, "{error}");
    }
}

#[test]
fn files_of_scipy_are_stored_as_small_as_possible() {
    let Some(python) = interpreter() else { return };
    let folder = tempfile::tempdir().unwrap();
    script(&python, "make", folder.path());
    let kind = |name: &str| read_matrix(&folder.path().join(name)).unwrap().matrix.kind();
    assert_eq!(kind("csr-bool-False.npz"), "sparse, all ones");
    assert_eq!(kind("csc-int32-True.npz"), "sparse f32");
    assert_eq!(kind("csr-float64-False.npz"), "sparse f64");
    assert_eq!(kind("one-hot.npz"), "one-hot");
    assert_eq!(kind("pattern.mtx.gz"), "sparse, all ones");
    let repeated = read_matrix(&folder.path().join("repeated.npz")).unwrap();
    assert_eq!(repeated.notes, ["1 duplicate entry was summed"]);
}
