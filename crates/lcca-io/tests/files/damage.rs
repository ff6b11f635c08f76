//! Damaged files are refused, or read as another valid file, but never cause a panic or an error of several
//! lines.

use crate::support::*;
use lcca::matrix::Matrix;
use lcca_io::{read_matrix, read_model, write_matrix};
use proptest::prelude::*;
use std::fs;

fn valid(matrix: &Matrix, format: usize) -> (&'static str, Vec<u8>) {
    let dense = matches!(matrix, Matrix::Dense(_));
    let name = ["m.mtx", "m.lcca", if dense { "m.npy" } else { "m.npz" }][format % 3];
    let file = scratch(name);
    write_matrix(&file.path, matrix).unwrap();
    let bytes = fs::read(&file.path).unwrap();
    match (name, format) {
        ("m.mtx", 3) => ("m.mtx.gz", gzip(&bytes)),
        ("m.npy", 5) => ("m.npy.zst", zstd(&bytes)),
        ("m.npz", 5) => ("m.npz", archive(&csr([2, 3], &[0, 1, 2], &[2, 0], &[1.0, 0.5]), true)),
        ("m.lcca", 4) => ("m.svm", b"1 1:0.5 3:2\n-1 2:1\n".to_vec()),
        _ => (name, bytes),
    }
}

pub fn survives(name: &str, bytes: &[u8]) {
    let file = file(name, bytes);
    for error in [read_matrix(&file.path).err(), read_model(&file.path).err()].into_iter().flatten() {
        let message = error.to_string();
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(!error.is_machine_failure(), "{message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn flipped_bytes_never_panic(
        matrix in any_matrix(),
        format in 0usize..6,
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let (name, mut bytes) = valid(&matrix, format);
        flips.iter().for_each(|(index, byte)| *index.get_mut(&mut bytes) = *byte);
        survives(name, &bytes);
    }

    #[test]
    fn cut_files_never_panic(matrix in any_matrix(), format in 0usize..6, cut: proptest::sample::Index) {
        let (name, bytes) = valid(&matrix, format);
        survives(name, &bytes[..cut.index(bytes.len())]);
    }

    #[test]
    fn noise_never_panics(name in prop_oneof![
        Just("m.npz"), Just("m.npy"), Just("m.mtx"), Just("m.svm"), Just("m.lcca"), Just("m.mtx.gz"), Just("m.zst"),
        Just("m.csv"), Just("m.tsv"), Just("m.parquet"), Just("m.arrow")
    ], bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        survives(name, &bytes);
    }

    #[test]
    fn a_flipped_byte_in_an_archive_member_is_noticed(index in 0usize..16, byte in 1u8..) {
        let mut bytes = archive(&csr([1, 3], &[0, 2], &[0, 2], &[0.5, 0.25]), false);
        let data: Vec<u8> = [0.5f64, 0.25].iter().flat_map(|v| v.to_le_bytes()).collect();
        let start = bytes.windows(16).position(|window| window == data).unwrap();
        bytes[start + index] ^= byte;
        let message = complaint("m.npz", bytes);
        prop_assert!(message.contains("data: the checksum does not match"), "{}", message);
    }
}
