//! Wrong files are refused with one line that says where and why.

use crate::support::*;
use lcca_io::{ReadOptions, read_matrix, read_matrix_with, write_matrix};
use std::fs;
use std::path::Path;

fn says(message: &str, parts: &[&str]) {
    assert!(parts.iter().all(|part| message.contains(part)), "{message:?} should say {parts:?}");
}

const COORDINATE: &str = "%%MatrixMarket matrix coordinate real general\n";
const ARRAY: &str = "%%MatrixMarket matrix array real general\n";

#[test]
fn missing_files_and_folders_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = read_matrix(&folder.path().join("no.npz")).err().unwrap();
    assert!(!error.is_machine_failure());
    says(&error.to_string(), &["no.npz: ", "No such file"]);
    let error = read_matrix(folder.path()).err().unwrap();
    assert!(!error.is_machine_failure());
    says(&error.to_string(), &["is a folder, expected a file"]);
    says(&complaint("m.npz", ""), &["is empty"]);
}

#[test]
fn unreadable_names_list_what_is_read() {
    says(&complaint("m.xyz", "hello"), &["is in no known format; expected .npz, .npy, .mtx"]);
    says(&complaint("m.npz.gz", gzip(b"PK\x03\x04")), &["a packed npz file cannot be mapped"]);
}

#[test]
fn a_name_that_does_not_fit_the_content_is_refused() {
    says(&complaint("m.npy", "PK\x03\x04"), &["is named like npy but begins like npz"]);
    says(&complaint("m.mtx", "1 2 3\n"), &["is named like MatrixMarket but does not begin like one"]);
    says(&complaint("m.svm", format!("{COORDINATE}1 1 0\n")), &["begins like MatrixMarket"]);
    says(&complaint("m.mtx.gz", COORDINATE), &["does not begin like a gzip stream"]);
    says(&complaint("m.mtx.zst", COORDINATE), &["does not begin like a zstd stream"]);
    says(&complaint("m.lcca", "not a store"), &["is named like safetensors"]);
}

#[test]
fn packed_streams_that_are_cut_short_are_refused() {
    let text = format!("{COORDINATE}3 3 3\n1 1 1\n2 2 2\n3 3 3\n");
    let (gz, zst) = (gzip(text.as_bytes()), zstd(text.as_bytes()));
    says(&complaint("m.mtx.gz", &gz[..gz.len() - 5]), &["truncated or corrupt gzip stream"]);
    says(&complaint("m.mtx.zst", &zst[..zst.len() - 5]), &["truncated or corrupt zstd stream"]);
    let mut flipped = gz.clone();
    let checksum = gz.len() - 6;
    flipped[checksum] ^= 1;
    says(&complaint("m.mtx.gz", flipped), &["corrupt gzip stream"]);
}

#[test]
fn matrix_market_complaints_name_the_line() {
    let message = |rest: &str| complaint("m.mtx", format!("{COORDINATE}{rest}"));
    says(
        &message("% c\n3 4 2\n1 1 1\n2 5 1\n"),
        &["/m.mtx: line 5: column 5 is out of range, expected 1 to 4"],
    );
    says(&message("3 4 1\n0 1 1\n"), &["line 3: row 0 is out of range, expected 1 to 3"]);
    says(&message("3 4 1\n-1 1 1\n"), &["line 3: expected a row from 1 to 3, found \"-1\""]);
    says(&message("3 4 1\n1 1 nan\n"), &["line 3: the value \"nan\" is not a finite number"]);
    says(&message("3 4 1\n1 1 1e999\n"), &["line 3: the value \"1e999\" is not a finite number"]);
    says(&message("3 4 1\n1 1 one\n"), &["line 3: expected a value, found \"one\""]);
    says(&message("3 4 1\n1 1\n"), &["line 3: expected a value at the end"]);
    says(&message("3 4 1\n1 1 1 1\n"), &["line 3: expected the line to end"]);
    says(&message("3 4 2\n1 1 1\n"), &["line 2: the header says 2 entries, found only 1"]);
    says(&message("3 4 1\n1 1 1\n2 1 1\n"), &["line 2: the header says 1 entries, found more"]);
    says(&message("0 4 0\n"), &["the matrix has no rows"]);
    says(&message("4 0 0\n"), &["the matrix has no columns"]);
    says(&message("3 4\n"), &["line 2: expected rows, columns and entries, found \"3 4\""]);
    says(&message(""), &["line 2: the line of sizes is missing"]);
    says(
        &complaint("m.mtx", format!("{ARRAY}2 2\n1\n2\n3\n")),
        &["line 2: the header says 4 values, found 3"],
    );
    let complex = "%%MatrixMarket matrix coordinate complex general\n1 1 0\n";
    says(&complaint("m.mtx", complex), &["line 1: \"complex\" is not read"]);
    let square = "%%MatrixMarket matrix coordinate real symmetric\n1 2 0\n";
    says(&complaint("m.mtx", square), &["line 2: a symmetric matrix is square"]);
}

#[test]
fn svmlight_complaints_name_the_line() {
    says(&complaint("m.svm", "1 1:1\n1 0:1\n"), &["line 2: index 0, but indices count from 1"]);
    says(&complaint("m.svm", "1 1:1\n\n# c\n1 x\n"), &["line 4: expected index:value, found \"x\""]);
    says(&complaint("m.svm", "1 -3:1\n"), &["line 1: expected index:value, found \"-3:1\""]);
    says(&complaint("m.svm", "1 2:inf\n"), &["line 1: the value in \"2:inf\" is not a finite number"]);
    says(&complaint("m.svm", "cat 2:1\n"), &["line 1: expected a label, found \"cat\""]);
    says(&complaint("m.svm", "1 4294967296:1\n"), &["line 1: index 4294967296 is out of range"]);
    says(&complaint("m.svm", "1\n-1\n"), &["the matrix has no columns"]);
    says(&complaint("m.svm", "# nothing\n"), &["the matrix has no rows"]);
    let narrow = ReadOptions::default().cols(2);
    says(&complaint_with("m.svm", "1 3:1\n", &narrow), &["line 1: index 3 is out of range, expected 1 to 2"]);
}

#[test]
fn a_width_that_differs_from_the_callers_is_refused() {
    let file = file("m.mtx", format!("{COORDINATE}1 3 0\n"));
    let error = read_matrix_with(&file.path, &ReadOptions::default().cols(4)).err().unwrap();
    says(&error.to_string(), &["has 3 columns, expected 4"]);
}

#[test]
fn scipy_complaints_name_the_array() {
    let message = |members: &[(&str, Vec<u8>)]| {
        let stored = complaint("m.npz", archive(members, false));
        assert_eq!(stored, complaint("m.npz", archive(members, true)));
        stored
    };
    says(
        &message(&csr([2, 3], &[0, 1, 2], &[0, -3], &[1.0, 1.0])),
        &["indices: element 1 is -3, expected a column from 0 to 2"],
    );
    says(
        &message(&csr([2, 3], &[0, 1, 2], &[0, 3], &[1.0, 1.0])),
        &["indices: element 1 is 3, expected a column from 0 to 2"],
    );
    says(
        &message(&csr([3, 3], &[0, 2, 1, 2], &[0, 2], &[1.0, 1.0])),
        &["row 1: offsets decrease from 2 to 1"],
    );
    says(&message(&csr([2, 3], &[0, -1, 2], &[0, 2], &[1.0, 1.0])), &["indptr: element 1 is -1"]);
    says(&message(&csr([2, 3], &[0, 1, 1], &[0, 2], &[1.0, 1.0])), &["indptr: runs from 0 to 1"]);
    says(&message(&csr([2, 3], &[0, 2], &[0, 2], &[1.0, 1.0])), &["indptr: holds 2 numbers, expected 3"]);
    says(&message(&csr([1, 3], &[0, 2], &[0], &[1.0, 1.0])), &["indices: holds 1 numbers, expected 2"]);
    says(&message(&csr([1, 3], &[0, 2], &[0, 1], &[1.0, f64::NAN])), &["row 0, column 1: the value is NaN"]);
    says(&message(&csr([0, 3], &[0], &[], &[])), &["the matrix has no rows"]);
    says(&message(&csr([1, 0], &[0, 0], &[], &[])), &["the matrix has no columns"]);
    says(&message(&csr([-1, 3], &[0, 0], &[], &[])), &["shape: element 0 is -1"]);
    says(
        &message(&csr([1 << 40, 3], &[0, 0], &[], &[])),
        &["indptr: holds 2 numbers, expected 1099511627777"],
    );
    says(&message(&csr([1, 1 << 40], &[0, 0], &[], &[])), &["1,099,511,627,776 columns are more than"]);
    says(
        &message(&csr([1, 3], &[0, 0], &[], &[])[..3]),
        &["holds no array \"data\"", "it holds: format.npy"],
    );
    let mut other = csr([1, 3], &[0, 0], &[], &[]);
    other[0].1 = npy("|S3", false, "", b"bsr");
    says(&message(&other), &["format: is in SciPy's layout \"bsr\""]);
    other[0].1 = npy("|S3", false, "", b"csc");
    says(&message(&other), &["indptr: holds 2 numbers, expected 4"]);
    let mut flattened = csr([2, 3], &[0, 2, 4], &[0, 1, 0, 1], &[]);
    flattened[4].1 = npy("<f8", false, "2, 2", bytemuck::cast_slice(&[1.0, 2.0, 3.0, 4.0]));
    says(&message(&flattened), &["data: has 2 dimensions, expected 1"]);
}

#[test]
fn archives_that_are_cut_short_are_refused() {
    let bytes = archive(&csr([1, 3], &[0, 2], &[0, 2], &[1.0, 0.5]), false);
    says(&complaint("m.npz", &bytes[..bytes.len() - 30]), &["truncated or corrupt zip archive"]);
    says(&complaint("m.npz", &bytes[..bytes.len() / 2]), &["truncated or corrupt zip archive"]);
    let mut other = csr([1, 3], &[0, 2], &[0, 2], &[1.0, 0.5]);
    let cut = other[4].1.len() - 3;
    other[4].1.truncate(cut);
    says(
        &complaint("m.npz", archive(&other, true)),
        &["data: the header says shape [2], that is 16 bytes, but 13"],
    );
}

#[test]
fn array_complaints_name_shape_and_type() {
    let message = |descr: &str, shape: &str, data: &[f64]| {
        complaint("m.npy", npy(descr, false, shape, bytemuck::cast_slice(data)))
    };
    says(&message("<f8", "2, 2", &[1.0; 3]), &["shape [2, 2], that is 32 bytes, but 24 bytes follow"]);
    says(&message("<f8", "2, 2", &[1.0, 2.0, f64::INFINITY, 3.0]), &["row 1, column 0: the value is inf"]);
    says(&message("<c16", "2, 1", &[1.0; 4]), &["holds <c16, expected plain numbers"]);
    says(&message("<f8", "1, 2, 2", &[1.0; 4]), &["3 dimensions"]);
    says(&message("<f8", "", &[1.0]), &["0 dimensions"]);
    says(&message("<f8", "0, 2", &[]), &["the matrix has no rows"]);
    says(&message("<f8", "2, 0", &[]), &["the matrix has no columns"]);
    says(&complaint("m.npy", b"\x93NUMPY\x01\x00\xff\xff{"), &["the header is cut short"]);
    let twice = npy("<f8", false, "1, 1), 'shape': (1, ", &[0; 8]);
    says(&complaint("m.npy", twice), &["the header has the field \"shape\" twice, expected it once"]);
    let inside = npy("<f8', 'note': ' \"shape\": (2, 2)", false, "1, 1", &[0; 8]);
    says(&complaint("m.npy", inside), &["the header has a field \"note\", expected descr"]);
    says(&complaint("m.npy", b"\x93NUMPY\x09\x00\xff\xff{"), &["format 9, expected 1, 2 or 3"]);
}

/// Each of these would need terabytes if a reader believed its header.
#[test]
fn a_header_that_claims_the_world_costs_nothing() {
    let huge = 1u64 << 40;
    says(
        &complaint("m.npy", npy("<f8", false, &format!("{huge}, 2"), &[0; 16])),
        &["but 16 bytes follow it"],
    );
    says(
        &complaint("m.npy", npy("<f8", false, &format!("{}, 99", u64::MAX), &[0; 16])),
        &["more than can be"],
    );
    says(
        &complaint("m.npy.gz", gzip(&npy("<f8", false, &format!("{huge},"), &[]))),
        &["but 0 bytes follow it"],
    );
    let rows = u32::MAX;
    says(
        &complaint("m.mtx", format!("{COORDINATE}{rows} 2 1\n1 1 1\n")),
        &["rows are claimed for 1 entries"],
    );
    says(&complaint("m.mtx", format!("{COORDINATE}5 2 {huge}\n1 1 1\n")), &["found only 1"]);
    says(&complaint("m.mtx", format!("{ARRAY}{rows} {}\n1\n", rows - 1)), &["values, found 1"]);
    says(
        &complaint("m.mtx", format!("{COORDINATE}{huge} 2 1\n1 1 1\n")),
        &["more than this reader can number"],
    );
    let mut store = (1u64 << 39).to_le_bytes().to_vec();
    store.extend(b"{\"a\":1}");
    says(&complaint("m.lcca", store), &["header too large"]);
}

#[test]
fn stores_that_do_not_hold_together_are_refused() {
    let store = |texts: &str, tensors: &str, data: &[u8]| {
        let json =
            format!("{{\"__metadata__\":{{\"format\":\"lcca-matrix\",\"version\":\"1\",{texts}}}{tensors}}}");
        let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
        bytes.extend(json.as_bytes());
        bytes.extend(data);
        complaint("m.lcca", bytes)
    };
    let one_hot = r#""kind":"one-hot","rows":"2","cols":"3""#;
    let columns = r#","columns":{"dtype":"U32","shape":[2],"data_offsets":[0,8]}"#;
    says(&store(one_hot, columns, &[1, 0, 0, 0, 7, 0, 0, 0]), &["row 1: column 7 is out of range"]);
    says(&store(one_hot, columns, &[1, 0, 0, 0]), &["truncated, corrupt or not a safetensors file"]);
    says(&store(one_hot, "", &[]), &["the tensor \"columns\" is missing"]);
    says(
        &store(&one_hot.replace('2', "3"), columns, &[0; 8]),
        &["the header says 3 rows, the tensors hold 2"],
    );
    says(&store(&one_hot.replace("\"2\"", "\"two\""), columns, &[0; 8]), &["has \"two\" for \"rows\""]);
    says(&store(r#""kind":"dense""#, "", &[]), &["the header's metadata has no \"rows\""]);
    let dense = r#""kind":"dense","rows":"1","cols":"1""#;
    let values = r#","values":{"dtype":"I64","shape":[1,1],"data_offsets":[0,8]}"#;
    says(&store(dense, values, &[0; 8]), &["values: is of type I64, expected F64"]);
    let newer = store(one_hot, columns, &[0; 9]);
    says(&newer, &["truncated, corrupt"]);
}

#[test]
fn a_matrix_that_cannot_be_written_leaves_the_target_alone() {
    let sparse = sparse(&[vec![0.0, 2.0]], false);
    let refused = |path: &Path| {
        let error = write_matrix(path, &sparse).unwrap_err();
        assert!(!error.is_machine_failure(), "{error}");
        error.to_string()
    };
    for (name, reason) in [
        ("m.npy", "npy files hold dense matrices"),
        ("m.svm", "svmlight files are read, not written"),
        ("m.mtx.gz", "packed files are read, not written"),
        ("m.txt", "has no known extension"),
    ] {
        let file = file(name, "before");
        says(&refused(&file.path), &[name, reason]);
        assert_eq!(fs::read(&file.path).unwrap(), b"before");
        assert_eq!(fs::read_dir(file.folder.path()).unwrap().count(), 1);
    }
    let nowhere = scratch("nowhere/m.mtx");
    says(&refused(&nowhere.path), &["the folder", "does not exist"]);
}

#[test]
fn a_packed_array_is_not_unpacked_further_than_it_says() {
    // 960 bytes are announced and 64 MB follow, packed to some thousand.
    let long = npy("<f8", false, "10, 12", &vec![0; 64_000_000]);
    for (name, bytes) in [("m.npy.gz", gzip(&long)), ("m.npy.zst", zstd(&long))] {
        says(
            &complaint(name, bytes),
            &["the header says shape [10, 12], that is 960 bytes, but more bytes follow it"],
        );
    }
    let mut members = csr([1, 3], &[0, 2], &[0, 2], &[0.5, 0.25]);
    members[4].1.extend(vec![0; 64_000_000]);
    says(&complaint("m.npz", archive(&members, true)), &["data: ", "but more bytes follow it"]);
}
