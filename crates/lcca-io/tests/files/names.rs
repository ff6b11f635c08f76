//! Names of columns travel with stores and models, and are checked when they are read.

use crate::support::*;
use lcca_io::*;
use proptest::prelude::*;

fn named(cols: usize) -> Names {
    Names::new(
        (0..cols).map(|column| ["", "le", "été", "a,b\n", "\u{1f600}"][column % 5].repeat(1 + column / 5)),
    )
}

proptest! {
    #[test]
    fn names_and_numbers_come_back_whatever_the_storage(matrix in any_matrix()) {
        let (file, names) = (scratch("m.safetensors"), named(matrix.cols()));
        write_matrix_named(&file.path, &matrix, Some(&names)).unwrap();
        prop_assert_eq!(read_names(&file.path).unwrap(), Some(names));
        let back = read_matrix(&file.path).unwrap().matrix;
        prop_assert_eq!((dense(&back), back.kind()), (dense(&matrix), matrix.kind()));
    }
}

#[test]
fn a_store_without_names_is_what_it_was_before_there_were_names() {
    let (file, matrix) = (scratch("m.safetensors"), sparse(&[vec![0.0, 1.0]], true));
    write_matrix(&file.path, &matrix).unwrap();
    assert_eq!(read_names(&file.path).unwrap(), None);
    assert!(!String::from_utf8_lossy(&std::fs::read(&file.path).unwrap()).contains("name"));
}

/// A store of three columns named aa, bb and cc, with one part of its bytes replaced.
fn damaged(from: &[u8], to: &[u8]) -> Scratch {
    let file = scratch("m.safetensors");
    let matrix = sparse(&[vec![0.0, 1.0, 0.0]], true);
    write_matrix_named(&file.path, &matrix, Some(&Names::new(["aa", "bb", "cc"]))).unwrap();
    let mut bytes = without_checksums(&std::fs::read(&file.path).unwrap());
    let start = bytes.windows(from.len()).rposition(|part| part == from).unwrap();
    bytes[start..start + from.len()].copy_from_slice(to);
    std::fs::write(&file.path, bytes).unwrap();
    file
}

#[test]
fn broken_names_are_refused_when_they_are_read_and_not_before() {
    let cases: [(&[u8], &[u8], &str); 4] = [
        (b"aabbcc", b"aab\xffcc", "names: the name of column 1 is not UTF-8"),
        (&4u64.to_le_bytes(), &1u64.to_le_bytes(), "name_ends: the name of column 1 ends at 1, expected 2"),
        (&6u64.to_le_bytes(), &5u64.to_le_bytes(), "name_ends: the names end at byte 5, expected 6"),
        (&6u64.to_le_bytes(), &99u64.to_le_bytes(), "name_ends: the name of column 2 ends at 99"),
    ];
    for (from, to, expected) in cases {
        let file = damaged(from, to);
        let error = read_names(&file.path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        let loaded = read_matrix(&file.path).unwrap();
        assert_eq!(loaded.matrix.cols(), 3);
        assert_eq!(loaded.names().unwrap_err().to_string(), error);
    }
}

#[test]
fn as_many_names_as_columns_or_none() {
    let (file, matrix) = (scratch("m.safetensors"), sparse(&[vec![0.0, 1.0]], true));
    let error = write_matrix_named(&file.path, &matrix, Some(&Names::new(["a"]))).unwrap_err().to_string();
    assert!(error.contains("1 names for 2 columns") && !file.path.exists(), "{error}");
    write_matrix_named(&file.path, &matrix, Some(&Names::new(["a", "b"]))).unwrap();
    let mut bytes = without_checksums(&std::fs::read(&file.path).unwrap());
    let start = bytes.windows(10).position(|part| part == b"\"cols\":\"2\"").unwrap();
    bytes[start + 8] = b'3';
    std::fs::write(&file.path, bytes).unwrap();
    let error = read_names(&file.path).unwrap_err().to_string();
    assert!(error.contains("name_ends: holds 2 names, expected 3"), "{error}");
}
