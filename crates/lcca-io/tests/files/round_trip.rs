//! Files that are written and read back.

use crate::support::*;
use lcca::matrix::Matrix;
use lcca_io::{NpyWriter, ReadOptions, read_matrix, read_matrix_with, write_matrix};
use proptest::prelude::*;
use std::fs;

fn returns(name: &str, matrix: &Matrix) -> Matrix {
    let file = scratch(name);
    write_matrix(&file.path, matrix).unwrap();
    assert_eq!(fs::read_dir(file.folder.path()).unwrap().count(), 1);
    let back = read_matrix(&file.path).unwrap();
    assert!(back.notes.is_empty(), "{:?}", back.notes);
    assert_eq!((back.matrix.rows(), back.matrix.cols()), (matrix.rows(), matrix.cols()));
    assert_eq!(dense(&back.matrix), dense(matrix));
    back.matrix
}

proptest! {
    #[test]
    fn the_store_gives_back_the_same_storage(matrix in any_matrix()) {
        prop_assert_eq!(returns("m.safetensors", &matrix).kind(), matrix.kind());
        prop_assert_eq!(returns("m.lcca", &matrix).entries(), matrix.entries());
    }

    #[test]
    fn matrix_market_gives_back_every_number(matrix in any_matrix()) {
        returns("m.mtx", &matrix);
    }

    #[test]
    fn numpy_and_scipy_files_give_back_every_number(matrix in any_matrix()) {
        let name = if matches!(*matrix, Matrix::Dense(_)) { "m.npy" } else { "m.npz" };
        returns(name, &matrix);
    }

    #[test]
    fn a_slice_of_rows_is_written_alone(matrix in any_matrix(), cut in 0usize..8) {
        let part = matrix.slice(cut.min(matrix.rows() - 1)..matrix.rows());
        returns("m.safetensors", &part);
        returns("m.mtx", &part);
        returns(if matches!(part, Matrix::Dense(_)) { "m.npy" } else { "m.npz" }, &part);
    }

    #[test]
    fn packing_changes_nothing(matrix in any_matrix()) {
        let plain = scratch("m.mtx");
        write_matrix(&plain.path, &matrix).unwrap();
        let bytes = fs::read(&plain.path).unwrap();
        for (name, packed) in [("m.mtx.gz", gzip(&bytes)), ("m.mtx.zst", zstd(&bytes)), ("m.MTX", bytes)] {
            prop_assert_eq!(dense(&load(name, packed).matrix), dense(&matrix));
        }
    }

    #[test]
    fn svmlight_lines_are_rows(matrix in any_matrix(), zero_based: bool) {
        let first = usize::from(!zero_based);
        let mut text = String::new();
        for row in 0..matrix.rows() {
            text += "-1 qid:7";
            matrix.for_each(row, |column, value| text += &format!(" {}:{value:?}", column + first));
            text += if row % 2 == 0 { " # 3:4\r\n" } else { "\n\n# nothing\n" };
        }
        let options = ReadOptions::default().cols(matrix.cols()).zero_based(zero_based);
        for (name, bytes) in [("m.svm", text.clone().into_bytes()), ("m.libsvm.zst", zstd(text.as_bytes()))] {
            let file = file(name, bytes);
            prop_assert_eq!(dense(&read_matrix_with(&file.path, &options).unwrap().matrix), dense(&matrix));
        }
    }
}

#[test]
fn unknown_names_are_read_by_their_first_bytes() {
    let matrix = sparse(&[vec![0.0, 2.0], vec![1.0, 0.0]], false);
    for (name, format) in [("m.npz", "npz"), ("m.mtx", "MatrixMarket"), ("m.lcca", "safetensors")] {
        let file = scratch(name);
        write_matrix(&file.path, &matrix).unwrap();
        let loaded = load("m.data", fs::read(&file.path).unwrap());
        assert_eq!((loaded.format, dense(&loaded.matrix)), (format, dense(&matrix)));
    }
}

#[test]
fn rows_with_a_single_one_become_one_hot() {
    let full = archive(&csr([2, 3], &[0, 1, 2], &[2, 0], &[1.0, 1.0]), false);
    let part = archive(&csr([3, 3], &[0, 1, 1, 2], &[2, 0], &[1.0, 1.0]), true);
    for (bytes, rows) in [(full, 2), (part, 3)] {
        let loaded = load("m.npz", bytes);
        assert_eq!((loaded.matrix.kind(), loaded.matrix.rows()), ("one-hot", rows));
    }
}

#[test]
fn duplicates_are_summed_and_noted() {
    let loaded = load("m.npz", archive(&csr([1, 3], &[0, 3], &[2, 0, 2], &[1.0, 5.0, 2.0]), false));
    assert_eq!(
        (dense(&loaded.matrix), &*loaded.notes[0]),
        (vec![vec![5.0, 0.0, 3.0]], "1 duplicate entry was summed")
    );
    let loaded = load("m.svm", "1 3:1 1:5 3:2\n");
    assert_eq!((dense(&loaded.matrix), loaded.notes.len()), (vec![vec![5.0, 0.0, 3.0]], 2));
}

#[test]
fn symmetric_files_list_one_triangle() {
    let banner = "%%MatrixMarket matrix";
    let symmetric =
        load("m.mtx", format!("{banner} coordinate integer symmetric\n%c\n\n2 2 2\n1 1 3\n2 1 4\n"));
    assert_eq!(dense(&symmetric.matrix), [[3.0, 4.0], [4.0, 0.0]]);
    let skew = load("m.mtx", format!("{banner} coordinate real skew-symmetric\r\n2 2 1\r\n2 1 4\r\n"));
    assert_eq!(dense(&skew.matrix), [[0.0, -4.0], [4.0, 0.0]]);
    let array = load("m.mtx", format!("{banner} array real symmetric\n2 2\n1\n2\n3\n"));
    assert_eq!(dense(&array.matrix), [[1.0, 2.0], [2.0, 3.0]]);
    let skew = load("m.mtx", format!("{banner} array real skew-symmetric\n2 2\n5\n"));
    assert_eq!(dense(&skew.matrix), [[0.0, -5.0], [5.0, 0.0]]);
    let pattern = load("m.mtx", format!("{banner} coordinate pattern general\n2 3 2\n2 1\n1 3\n"));
    assert_eq!(
        (pattern.matrix.kind(), dense(&pattern.matrix)),
        ("one-hot", vec![vec![0., 0., 1.], vec![1., 0., 0.]])
    );
}

#[test]
fn array_types_and_orders_are_converted() {
    let expected = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let fortran = npy("<f8", true, "2, 3", bytemuck::cast_slice(&[1.0f64, 4.0, 2.0, 5.0, 3.0, 6.0]));
    assert_eq!(dense(&load("m.npy", fortran).matrix), expected);
    let big: Vec<u8> = [1i16, 2, 3, 4, 5, 6].iter().flat_map(|v| v.to_be_bytes()).collect();
    let loaded = load("m.npy.gz", gzip(&npy(">i2", false, "2, 3", &big)));
    assert_eq!(
        (loaded.matrix.kind(), dense(&loaded.matrix)),
        ("dense f32", expected.map(|r| r.to_vec()).to_vec())
    );
    let wide = load("m.npy", npy("<i8", false, "2,", bytemuck::cast_slice(&[1i64, (1 << 24) + 1])));
    assert_eq!((wide.matrix.kind(), dense(&wide.matrix)), ("dense f64", vec![vec![1.0], vec![16_777_217.0]]));
}

#[test]
fn rows_can_be_written_as_they_come() {
    let file = scratch("z.npy");
    let mut writer = NpyWriter::create(&file.path, 3, 2).unwrap();
    writer.write_rows(&[1.0, 2.0]).unwrap();
    writer.write_rows(&[3.0, 4.0, 5.0, 6.0]).unwrap();
    writer.finish().unwrap();
    assert_eq!(dense(&read_matrix(&file.path).unwrap().matrix), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
}

#[test]
fn the_same_matrix_gives_the_same_bytes() {
    let matrix = sparse(&[vec![0.0, 2.0], vec![1.0, 0.0]], false);
    for name in ["m.npz", "m.lcca", "m.mtx"] {
        let bytes = || {
            let file = scratch(name);
            write_matrix(&file.path, &matrix).unwrap();
            fs::read(&file.path).unwrap()
        };
        assert_eq!(bytes(), bytes());
    }
}
