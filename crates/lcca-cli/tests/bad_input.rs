//! Bad input is refused in one line that names the file, the place and the expected content; nothing is
//! written.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::Folder;
use common::data::{X_COLS, Y_COLS, dense, sparse, topics};
use common::formats::{Csr, gzip, integers, npy, reals, store, with_flipped_byte, without_end, zstandard};
use lcca::method::Method;
use std::fs;

const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x10\x00\x00\x00\x10\x08\x06\x00\x00\x00";
const MTX: &str =
    "%%MatrixMarket matrix coordinate real general\n% a comment\n3 4 4\n1 1 1\n1 4 2.5\n2 2 1\n3 3 1\n";
const SVM: &str = "1 1:1 4:2.5\n-1 2:1\n1 3:1\n";

/// Good views, a model of them, and a file that must survive.
fn folder() -> Folder {
    let folder = Folder::with_views(60, 1);
    folder.run("fit x.npz y.npz -k 2 --method exact -o model").done();
    folder.write("kept", "precious");
    folder.write("kept.npy", "precious");
    folder.write("kept.npz", "precious");
    folder
}

/// Checks that every command that reads a matrix refuses this file, whether the output would be new or
/// replace a file.
fn no_command_reads(name: &str, bytes: impl AsRef<[u8]>, needles: &[&str]) {
    let folder = folder();
    folder.write(name, bytes);
    let needles = [&[name], needles].concat();
    for output in ["new", "kept"] {
        folder.refuses(&format!("fit {name} y.npz -k 1 -o {output}"), &needles);
        folder.refuses(&format!("fit x.npz {name} -k 1 -o {output}"), &needles);
        folder.refuses(&format!("transform model --x {name} -o {output}.npy"), &needles);
        folder.refuses(&format!("transform model --y {name} -o {output}.npy"), &needles);
        folder.refuses(&format!("convert {name} {output}.npz"), &needles);
    }
    folder.refuses(&format!("score model {name} y.npz"), &needles);
    folder.refuses(&format!("score model x.npz {name}"), &needles);
    folder.refuses(&format!("info {name}"), &needles);
}

/// Checks that a fit of the good views with these flags is refused.
fn no_fit_with(flags: &str, needles: &[&str]) {
    let folder = folder();
    for output in ["new", "kept"] {
        folder.refuses(&format!("fit x.npz y.npz -o {output} {flags}"), needles);
    }
}

#[test]
fn a_missing_file_is_named() {
    let folder = folder();
    for line in [
        "fit nowhere.npz y.npz -o new",
        "fit x.npz nowhere.npz -o kept",
        "fit x.npz y.npz --row-weights nowhere.npz -o kept",
        "transform nowhere.npz --x x.npz -o new.npy",
        "transform model --x nowhere.npz -o kept.npy",
        "score nowhere.npz x.npz y.npz",
        "score model x.npz nowhere.npz",
        "convert nowhere.npz new.npz",
        "info nowhere.npz",
    ] {
        folder.refuses(line, &["nowhere.npz: ", "No such file"]);
    }
}

#[test]
fn a_folder_or_an_empty_file_is_no_matrix() {
    let folder = folder();
    fs::create_dir(folder.path("folder.npz")).unwrap();
    folder.refuses("fit folder.npz y.npz -o new", &["folder.npz: is a folder, expected a file"]);
    for name in ["empty.npz", "empty.npy", "empty.mtx", "empty.svm", "empty.safetensors", "empty"] {
        no_command_reads(name, b"", &["is empty"]);
    }
}

#[test]
fn a_truncated_file_is_refused_in_every_format() {
    let values: Vec<f64> = (0..12).map(f64::from).collect();
    let array = reals("(3, 4)", &values);
    no_command_reads("cut.npz", without_end(Csr::good().bytes(), 30), &["truncated or corrupt zip archive"]);
    no_command_reads("cut.npy", without_end(array.clone(), 8), &["[3, 4]", "96 bytes", "88 bytes follow"]);
    no_command_reads("header.npy", &array[..30], &["the header is cut short"]);
    let store = store(&[0, 2, 3, 4], &[0, 3, 1, 2], &[1.0; 4]);
    no_command_reads("cut.safetensors", without_end(store, 4), &["truncated, corrupt or not a safetensors"]);
    no_command_reads("cut.mtx", without_end(MTX.into(), 6), &["line 3", "says 4 entries, found only 3"]);
    no_command_reads("line.mtx", without_end(MTX.into(), 3), &["line 7", "expected a value"]);
    no_command_reads("cut.svm", without_end(SVM.into(), 3), &["line 3", "expected index:value, found \"3\""]);
}

#[test]
fn a_truncated_stream_is_refused_in_every_packing() {
    let long = (0..2000).map(|i| format!("0 {}:{i}.125\n", 1 + i * 7919 % 97)).collect::<String>();
    let array = reals("(400, 2)", &(0..800).map(|i| f64::from(i).sqrt()).collect::<Vec<_>>());
    for (name, bytes) in [("cut.svm", long.as_bytes()), ("cut.npy", &array[..])] {
        let cut = without_end(gzip(bytes), 20);
        no_command_reads(&format!("{name}.gz"), cut, &["truncated or corrupt gzip stream"]);
        let cut = without_end(zstandard(bytes), 20);
        no_command_reads(&format!("{name}.zst"), cut, &["truncated or corrupt zstd stream"]);
    }
    no_command_reads("head.mtx.gz", &gzip(MTX.as_bytes())[..12], &["truncated or corrupt gzip stream"]);
}

#[test]
fn a_corrupt_file_is_refused_in_every_format() {
    let archive = Csr::good().bytes();
    let data = archive.windows(8).rposition(|bytes| bytes == 1f64.to_le_bytes()).unwrap();
    no_command_reads("bad.npz", with_flipped_byte(archive, data), &["data: ", "checksum does not match"]);
    no_command_reads("bad.npy", npy("<c16", "(3, 4)", &[0; 192]), &["<c16", "expected plain numbers"]);
    no_command_reads("bad.mtx", MTX.replace("2.5", "2,5"), &["line 5", "expected a value, found \"2,5\""]);
    no_command_reads(
        "bad.svm",
        SVM.replace("2:1", "2=1"),
        &["line 2", "expected index:value, found \"2=1\""],
    );
    let text = store(&[0, 2, 3, 4], &[0, 3, 1, 2], &[1.0; 4]);
    no_command_reads("bad.safetensors", with_flipped_byte(text, 20), &["not a safetensors file"]);
    let long = (0..2000).map(|i| format!("0 {}:{i}.125\n", 1 + i * 7919 % 97)).collect::<String>();
    let packed = gzip(long.as_bytes());
    let middle = packed.len() / 2;
    no_command_reads("bad.svm.gz", with_flipped_byte(packed, middle), &[]);
    let packed = zstandard(long.as_bytes());
    let middle = packed.len() / 2;
    no_command_reads("bad.svm.zst", with_flipped_byte(packed, middle), &[]);
}

#[test]
fn a_file_that_is_not_what_its_name_says_is_refused() {
    for (name, format) in [
        ("png.npz", "npz"),
        ("png.npy", "npy"),
        ("png.mtx", "MatrixMarket"),
        ("png.safetensors", "safetensors"),
    ] {
        no_command_reads(name, PNG, &[&format!("is named like {format} but does not begin like one")]);
    }
    no_command_reads("png.svm", PNG, &["line 1", "expected a label"]);
    no_command_reads("png", PNG, &["is in no known format; expected .npz"]);
    no_command_reads("x.mtx.gz", MTX, &["does not begin like a gzip stream"]);
    no_command_reads("x.mtx.zst", MTX, &["does not begin like a zstd stream"]);
    no_command_reads("array.npz", reals("(1, 1)", &[1.0]), &["is named like npz but begins like npy"]);
}

#[test]
fn values_that_are_not_finite_are_refused_with_their_place() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let said = format!("row 1, column 1: the value is {value}, expected a finite number");
        let data = vec![1.0, 1.0, value, 1.0];
        no_command_reads("x1.npz", Csr { data: data.clone(), ..Csr::good() }.bytes(), &[&said]);
        no_command_reads("x1.safetensors", store(&[0, 2, 3, 4], &[0, 3, 1, 2], &data), &[&said]);
        no_command_reads("x1.npy", reals("(2, 2)", &[1.0, 1.0, 1.0, value]), &[&said]);
        let word = value.to_string();
        let said = format!("{word:?} is not a finite number");
        no_command_reads("x1.mtx", MTX.replace("2.5", &word), &["line 5", &said]);
        no_command_reads("x1.svm", SVM.replace("2.5", &word), &["line 1", "is not a finite number"]);
    }
}

#[test]
fn negative_indices_are_refused_with_their_place() {
    let indices = vec![0, 3, -1, 2];
    let archive = Csr { indices, ..Csr::good() }.bytes();
    no_command_reads("x1.npz", archive, &["indices: element 2 is -1, expected a column from 0 to 3"]);
    no_command_reads("x1.mtx", MTX.replace("2 2 1", "2 -2 1"), &["line 6", "expected a column from 1 to 4"]);
    no_command_reads("y1.mtx", MTX.replace("2 2 1", "-2 2 1"), &["line 6", "expected a row from 1 to 3"]);
    no_command_reads(
        "x1.svm",
        SVM.replace("2:1", "-2:1"),
        &["line 2", "expected index:value, found \"-2:1\""],
    );
}

#[test]
fn zero_based_indices_are_refused_if_counting_starts_at_one() {
    no_command_reads(
        "x1.svm",
        SVM.replace("2:1", "0:1"),
        &["line 2", "index 0, but indices count from 1", "--zero-based"],
    );
    no_command_reads(
        "x1.mtx",
        MTX.replace("2 2 1", "2 0 1"),
        &["line 6", "column 0 is out of range, expected 1 to 4"],
    );
    no_command_reads(
        "y1.mtx",
        MTX.replace("2 2 1", "0 2 1"),
        &["line 6", "row 0 is out of range, expected 1 to 3"],
    );
}

#[test]
fn indices_out_of_range_are_refused_with_their_place() {
    let archive = Csr { indices: vec![0, 3, 4, 2], ..Csr::good() }.bytes();
    no_command_reads("x1.npz", archive, &["indices: element 2 is 4, expected a column from 0 to 3"]);
    no_command_reads(
        "x1.mtx",
        MTX.replace("2 2 1", "2 5 1"),
        &["line 6", "column 5 is out of range, expected 1 to 4"],
    );
    no_command_reads(
        "y1.mtx",
        MTX.replace("2 2 1", "4 2 1"),
        &["line 6", "row 4 is out of range, expected 1 to 3"],
    );
    let far = store(&[0, 2, 3, 4], &[0, 3, 4, 2], &[1.0; 4]);
    no_command_reads("x1.safetensors", far, &["row 1: column 4 is out of range", "4 columns"]);
    no_command_reads("x1.svm", SVM.replace("2:1", "5000000000:1"), &["line 2", "5000000000 is out of range"]);
    let folder = folder();
    folder.write("x1.svm", SVM);
    folder.refuses(
        "fit x1.svm y.npz --x-cols 3 -o new",
        &["x1.svm: line 1: index 4 is out of range, expected 1 to 3"],
    );
    folder.refuses(
        "convert x1.svm new.npz --cols 3",
        &["x1.svm: line 1: index 4 is out of range, expected 1 to 3"],
    );
}

#[test]
fn row_offsets_that_decrease_are_refused() {
    let archive = Csr { indptr: vec![0, 3, 2, 4], ..Csr::good() }.bytes();
    no_command_reads("x1.npz", archive, &["row 1: offsets decrease from 3 to 2"]);
    let offsets = store(&[0, 3, 2, 4], &[0, 1, 3, 2], &[1.0; 4]);
    no_command_reads("x1.safetensors", offsets, &["row 1: offsets decrease from 3 to 2"]);
}

#[test]
fn arrays_that_do_not_fit_each_other_are_refused() {
    let short = Csr { indptr: vec![0, 2, 4], ..Csr::good() }.bytes();
    no_command_reads("short.npz", short, &["indptr: holds 3 numbers, expected 4"]);
    let early = Csr { indptr: vec![0, 2, 3, 3], ..Csr::good() }.bytes();
    no_command_reads("early.npz", early, &["indptr: runs from 0 to 3, expected from 0 to the 4 entries"]);
    let few = Csr { data: vec![1.0; 3], ..Csr::good() }.bytes();
    no_command_reads("few.npz", few, &["indptr: ", "expected"]);
    no_command_reads("array.npz", without_members(), &["holds no array \"format\"", "scipy.sparse.save_npz"]);
    no_command_reads("cube.npy", reals("(1, 1, 1)", &[1.0]), &["3 dimensions, expected 2"]);
}

/// An empty zip archive.
fn without_members() -> Vec<u8> {
    let mut bytes = b"PK\x05\x06".to_vec();
    bytes.extend([0; 18]);
    bytes
}

#[test]
fn headers_that_claim_more_than_the_file_holds_are_refused() {
    let far = 1i64 << 50;
    let said = "(1125899906842624, 4)";
    no_command_reads("x1.npy", npy("<f8", said, &[0; 64]), &["1125899906842624", "64 bytes follow"]);
    no_command_reads("x2.npy", npy("<f8", "(4611686018427387904, 8)", &[0; 64]), &["more than can be"]);
    let archive = Csr { shape: [far, 4], ..Csr::good() }.bytes();
    no_command_reads("x1.npz", archive, &["indptr: holds 4 numbers, expected 1125899906842625"]);
    let archive = Csr { shape: [3, far], ..Csr::good() }.bytes();
    no_command_reads("x2.npz", archive, &["1,125,899,906,842,624 columns are more than"]);
    let rows = MTX.replace("3 4 4", "4000000000 4 4");
    no_command_reads("x1.mtx", rows, &["4,000,000,000 rows are claimed for 4 entries"]);
    let entries = MTX.replace("3 4 4", "3 4 1000000000000000000");
    no_command_reads("x2.mtx", entries, &["line 3", "1000000000000000000 entries, found only 4"]);
    let mut long = store(&[0, 2, 3, 4], &[0, 3, 1, 2], &[1.0; 4]);
    long[..8].copy_from_slice(&(1u64 << 39).to_le_bytes());
    no_command_reads("x1.safetensors", long, &["not a safetensors file"]);
}

#[test]
fn a_matrix_without_rows_or_columns_is_refused() {
    let archive = Csr { shape: [0, 4], indptr: vec![0], indices: vec![], data: vec![] }.bytes();
    no_command_reads("x1.npz", archive, &["the matrix has no rows"]);
    let archive = Csr { shape: [2, 0], indptr: vec![0, 0, 0], indices: vec![], data: vec![] }.bytes();
    no_command_reads("x2.npz", archive, &["the matrix has no columns"]);
    no_command_reads("x1.npy", reals("(0, 4)", &[]), &["the matrix has no rows"]);
    no_command_reads("x1.svm", "# nothing but a comment\n", &["the matrix has no"]);
    let none = "%%MatrixMarket matrix coordinate real general\n0 4 0\n";
    no_command_reads("x1.mtx", none, &["the matrix has no rows"]);
}

#[test]
fn views_of_different_heights_are_refused_with_both_counts() {
    let folder = folder();
    let [x, _] = topics(59, X_COLS, Y_COLS, 1);
    folder.write_matrix("short.npz", &sparse(X_COLS, &x));
    let needles = ["short.npz: has 59 rows", "y.npz has 60", "expected as many rows in both"];
    folder.refuses("fit short.npz y.npz -o new", &needles);
    folder.refuses("fit short.npz y.npz -o kept", &needles);
    folder.refuses("score model short.npz y.npz", &needles);
}

#[test]
fn a_number_of_pairs_out_of_range_is_refused_with_the_limit() {
    let limit = "expected between 1 and 30, the smallest of 60 rows, 40 columns of X and 30 of Y";
    no_fit_with("-k 0", &["k is 0", limit]);
    no_fit_with("-k 31", &["k is 31", limit]);
    no_fit_with("-k 99999999999", &["k is 99999999999", limit]);
}

#[test]
fn a_view_with_nothing_in_it_is_refused_by_file_name() {
    let folder = folder();
    let nothing = vec![vec![]; 60];
    let constant = vec![vec![(0, 1.0), (1, 2.0)]; 60];
    folder.write_matrix("zero.npz", &sparse(Y_COLS, &nothing));
    folder.write_matrix("constant.npz", &sparse(Y_COLS, &constant));
    folder.write_matrix("constant.npy", &dense(Y_COLS, &constant));
    for method in Method::names() {
        let fit = |views: &str| format!("fit {views} -k 1 --method {method} -o new");
        folder.refuses(&fit("x.npz zero.npz"), &["zero.npz", "Y is all zero"]);
        folder.refuses(&fit("zero.npz y.npz --no-center"), &["zero.npz", "X is all zero"]);
        folder.refuses(&fit("x.npz constant.npz"), &["constant.npz", "Y is all zero once centered"]);
        folder.refuses(&fit("constant.npy y.npz"), &["constant.npy", "X is all zero once centered"]);
    }
}

#[test]
fn an_output_that_cannot_be_written_is_known_before_the_work() {
    let folder = folder();
    fs::create_dir(folder.path("folder")).unwrap();
    folder.write("file", "");
    for (output, needle) in [
        ("nowhere/model", "the folder nowhere does not exist"),
        ("folder", "folder: is a folder, expected a file to write"),
        ("file/model", "file is not a folder"),
    ] {
        // The input does not exist either, so the output is checked first.
        folder.refuses(&format!("fit nowhere.npz y.npz -o {output}"), &[output, needle]);
    }
    for (output, needle) in [
        ("nowhere/z.npy", "the folder nowhere does not exist"),
        ("folder", "has no known extension, expected .npy, .csv, .tsv or .parquet"),
        ("file/z.npy", "file is not a folder"),
    ] {
        folder.refuses(&format!("transform model --x x.npz -o {output}"), &[output, needle]);
    }
    folder.refuses("convert x.npz nowhere/x.npz", &["nowhere/x.npz", "the folder nowhere does not exist"]);
}

#[test]
fn no_result_replaces_what_it_was_made_from() {
    let folder = folder();
    folder.write_matrix("x.npy", &dense(X_COLS, &topics(60, X_COLS, Y_COLS, 1)[0]));
    folder.write("w.npy", reals("(60,)", &[1.0; 60]));
    for view in ["x", "y"] {
        folder.run(&format!("convert {view}.npz {view}.safetensors"));
    }
    for (line, input) in [
        ("fit x.safetensors y.safetensors -o x.safetensors", "x.safetensors"),
        ("fit x.safetensors y.safetensors -o ./y.safetensors", "y.safetensors"),
        ("transform model --x x.npy -o x.npy", "x.npy"),
        ("transform model --x x.npy -o model", "model"),
    ] {
        folder.refuses(line, &[input, "is to be read and written, expected another file to write"]);
    }
    // Names of other formats are refused before the inputs are compared.
    for line in ["fit x.npz y.npz -o x.npz", "fit x.npz y.npz --row-weights w.npy -o w.npy"] {
        folder.refuses(line, &["a model is a safetensors file"]);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let closed = folder.path("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(closed.join("probe"), "").is_ok() {
        println!("skipped: this user may write everywhere");
        return;
    }
    folder.refuses("fit x.npz y.npz -o closed/model", &["closed/model", "no permission to create files"]);
    folder.refuses("convert x.npz closed/x.npz", &["closed/x.npz", "no permission to create files"]);
}

#[test]
fn formats_that_are_not_written_are_refused_by_name() {
    let folder = folder();
    for (output, needle) in [
        ("new.svm", "svmlight files are read, not written"),
        ("new.mtx.gz", "packed files are read, not written"),
        ("new.txt", "has no known extension; expected .safetensors"),
        ("new.npy", "npy files hold dense matrices and this one is sparse"),
    ] {
        folder.refuses(&format!("convert x.npz {output}"), &[output, needle]);
    }
}

#[test]
fn a_model_of_another_width_is_refused_with_both_files_and_widths() {
    let folder = folder();
    for (output, line) in [("new", "--x y.npz"), ("kept", "--x y.npz")] {
        let needles = ["y.npz: has 30 columns", "expected 40, the width of X in the model"];
        folder.refuses(&format!("transform model {line} -o {output}.npy"), &needles);
    }
    let needles = ["x.npz: has 40 columns", "expected 30, the width of Y in the model"];
    folder.refuses("transform model --y x.npz -o new.npy", &needles);
    folder.refuses("score model x.npz x.npz", &needles);
}

#[test]
fn an_index_beyond_a_models_width_is_refused_with_its_line() {
    let folder = folder();
    folder.write("wide.svm", "0 40:1\n0 41:1\n");
    folder.refuses(
        "transform model --x wide.svm -o new.npy",
        &["wide.svm: line 2: index 41", "expected 1 to 40"],
    );
}

#[test]
fn a_model_is_no_matrix_and_a_matrix_no_model() {
    let folder = folder();
    folder.run("convert x.npz x.safetensors").done();
    folder.refuses("fit model y.npz -o new", &["model: is a model, expected a matrix"]);
    folder.refuses("convert model new.npz", &["model: is a model, expected a matrix"]);
    folder.refuses("score model model y.npz", &["model: is a model, expected a matrix"]);
    for line in ["transform x.safetensors --x x.npz -o new.npy", "score x.safetensors x.npz y.npz"] {
        folder.refuses(line, &["x.safetensors: is a matrix, expected a model"]);
    }
    for line in ["transform x.npz --x x.npz -o new.npy", "score x.npz x.npz y.npz"] {
        folder.refuses(line, &["x.npz: ", "safetensors"]);
    }
}

#[test]
fn a_damaged_model_is_refused() {
    let folder = folder();
    let model = folder.read("model");
    folder.write("cut", &model[..model.len() - 8]);
    folder.write("half", &model[..model.len() / 2]);
    folder.write("header", &model[..100]);
    let text = String::from_utf8_lossy(&model).into_owned();
    let version = text.find(r#""version":"1""#).unwrap();
    folder.write("later", with_flipped_byte(model.clone(), version + 11));
    for name in ["cut", "half", "header", "later"] {
        folder.refuses(&format!("score {name} x.npz y.npz"), &[name]);
        folder.refuses(&format!("transform {name} --x x.npz -o kept.npy"), &[name]);
        folder.refuses(&format!("info {name}"), &[name]);
    }
}

#[test]
fn arguments_that_make_no_sense_are_refused_in_one_line() {
    no_fit_with("--method pca", &Method::names().chain(["pca"]).collect::<Vec<_>>());
    no_fit_with("--t3 5", &["--t3"]);
    no_fit_with("-k many", &["many", "-k"]);
    no_fit_with("--threads 0", &["--threads"]);
    no_fit_with("--seed -1", &["--seed", "-1"]);
    let folder = folder();
    folder.refuses("fit x.npz", &["<Y>"]);
    folder.refuses("fitt x.npz y.npz", &["fitt"]);
    folder.refuses("transform model -o new.npy", &["--x"]);
    folder.refuses("transform model --x x.npz --y y.npz -o new.npy", &["--x", "--y"]);
    folder.refuses("completions cobol", &["cobol", "bash"]);
}

#[test]
fn a_parameter_that_the_method_does_not_have_is_refused() {
    for (method, parameter) in [
        ("d-cca", "t2"),
        ("d-cca", "k-pc"),
        ("als", "t2"),
        ("g-cca", "k-pc"),
        ("l-cca", "k-rpcca"),
        ("rp-cca", "t1"),
        ("exact", "t1"),
    ] {
        let needle = format!("--{parameter} is no parameter of {method}");
        no_fit_with(&format!("--method {method} --{parameter} 5"), &[&needle]);
    }
}

#[test]
fn settings_out_of_range_are_refused_with_name_and_value() {
    no_fit_with("--ridge -1", &["ridge is -1", "expected a number from 0 to 1e100"]);
    no_fit_with("--ridge=-1", &["ridge is -1", "expected a number from 0 to 1e100"]);
    no_fit_with("--ridge nan", &["ridge is NaN", "expected"]);
    no_fit_with("--ridge-y -0.5", &["ridge-y is -0.5", "expected"]);
    no_fit_with("--max-passes -1", &["max-passes is -1", "expected a number that is not negative"]);
    no_fit_with("--max-passes nan", &["max-passes is NaN", "expected a number that is not negative"]);
    no_fit_with("--tol -1", &["tol is -1", "expected"]);
    no_fit_with("--method d-cca --t1 0", &["t1 is 0", "expected at least 1"]);
    no_fit_with("--method g-cca --t2 0", &["t2 is 0", "expected at least 1"]);
    no_fit_with("--method rp-cca --k-rpcca 3", &["k-rpcca is 3", "expected at least k"]);
    for size in ["lots", "-5", "5XB", "MB"] {
        no_fit_with(&format!("--memory {size}"), &["--memory", size, "expected a size such as 500MB"]);
    }
}

#[test]
fn too_little_memory_is_a_failure_of_the_machine() {
    let folder = folder();
    for method in ["als", "exact"] {
        for output in ["new", "kept"] {
            let line = format!("fit x.npz y.npz -k 2 --method {method} --memory 1kB -o {output}");
            folder.refuses_with(3, &line, &["needs about", "bytes and 1,000 are allowed"]);
        }
    }
}

#[test]
fn bad_row_weights_are_refused_by_file_name() {
    let folder = folder();
    let weights = |changed: f64| {
        let mut weights = vec![1.0; 60];
        weights[7] = changed;
        reals("(60,)", &weights)
    };
    folder.write("short.npy", reals("(59,)", &[1.0; 59]));
    folder.write("wide.npy", reals("(60, 2)", &[1.0; 120]));
    folder.write("negative.npy", weights(-1.0));
    folder.write("nan.npy", weights(f64::NAN));
    folder.write("zero.npy", reals("(60,)", &[0.0; 60]));
    folder.write("numbers.npy", integers(&[1; 61]));
    for (file, needles) in [
        ("short.npy", vec!["59 rows", "expected 60 rows and one column of weights"]),
        ("numbers.npy", vec!["61 rows", "expected 60 rows and one column of weights"]),
        ("wide.npy", vec!["2 columns", "expected 60 rows and one column of weights"]),
        ("negative.npy", vec!["row weight 7 is -1", "expected a finite number that is not negative"]),
        ("nan.npy", vec!["row 7, column 0", "expected a finite number"]),
        ("zero.npy", vec!["every row weight is 0", "expected one above"]),
    ] {
        let needles = [&[file], &needles[..]].concat();
        for output in ["new", "kept"] {
            folder.refuses(&format!("fit x.npz y.npz --row-weights {file} -o {output}"), &needles);
        }
    }
}
