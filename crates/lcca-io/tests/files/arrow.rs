//! Arrow files that pyarrow wrote, in every packing and type that is read.

use crate::support::*;
use lcca_io::{Index, Names, ReadOptions, TableOptions, read_matrix, read_matrix_with, read_names};
use proptest::prelude::*;

fn bytes(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/arrow").join(name);
    std::fs::read(path).unwrap()
}

#[test]
fn every_type_and_packing_gives_the_same_numbers() {
    for name in ["uncompressed.feather", "lz4.feather", "zstd.feather"] {
        let file = file(name, bytes(name));
        let loaded = read_matrix(&file.path).unwrap();
        let expected: Vec<Vec<f64>> = [1.0, 0.0, 1.0, 0.0, 1.0].map(|value| vec![value; 12]).to_vec();
        assert_eq!((loaded.format, dense(&loaded.matrix)), ("arrow", expected), "{name}");
        let names = Names::new([
            "bool",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "halffloat",
            "float",
            "double",
        ]);
        assert_eq!(loaded.names().unwrap(), Some(names.clone()), "{name}");
        assert_eq!(read_names(&file.path).unwrap(), Some(names), "{name}");
    }
}

#[test]
fn columns_of_row_names_are_left_out_whatever_they_hold() {
    let loaded = load("index.feather", bytes("index.feather"));
    assert_eq!(dense(&loaded.matrix), [[1.5, 1.0], [-2.0, 2.0], [3.0, 3.0]]);
    assert_eq!(loaded.names().unwrap(), Some(Names::new(["a", "b"])));
}

#[test]
fn missing_values_are_refused_by_column_and_texts_are_categories() {
    let message = complaint("missing.feather", bytes("missing.feather"));
    let part = "column \"a\": row 3: the value is missing; 1 value is missing in 1 row";
    assert!(message.contains(part), "{message}");
    for name in ["texts.feather", "dictionary.feather"] {
        let loaded = load(name, bytes(name));
        let names: Vec<String> = loaded.names().unwrap().unwrap().iter().map(String::from).collect();
        assert!(names[0] == "a" && names[1..].iter().all(|name| name.starts_with("b=")), "{names:?}");
        assert_eq!(loaded.notes, ["column \"b\" taken as 1 category"], "{name}");
    }
}

#[test]
fn numbers_in_a_dictionary_are_numbers_and_names_keep_all_digits() {
    let file = file("m.feather", bytes("numbers_in_dictionary.feather"));
    let table = TableOptions::default().index(Index::Column("big".into()));
    let loaded = read_matrix_with(&file.path, &ReadOptions::default().table(table)).unwrap();
    assert_eq!(dense(&loaded.matrix), [[10.0], [20.0], [10.0]]);
    let names = Names::new(["9007199254740993", "9007199254740992", "1"]);
    assert_eq!(loaded.row_names().unwrap(), Some(names));
}

#[test]
fn files_that_are_cut_short_are_refused() {
    let whole = bytes("lz4.feather");
    for len in (8..whole.len()).step_by(13) {
        let message = complaint("cut.arrow", &whole[..len]);
        assert!(message.contains("truncated, corrupt or not an Arrow file"), "{message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn flipped_bytes_never_panic(
        packing in 0usize..4,
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = bytes(["uncompressed.feather", "lz4.feather", "zstd.feather", "index.feather"][packing]);
        flips.iter().for_each(|(index, byte)| *index.get_mut(&mut bytes) = *byte);
        let file = file("flipped.feather", &bytes);
        if let Err(error) = read_matrix(&file.path) {
            prop_assert_eq!(error.to_string().lines().count(), 1);
            prop_assert!(!error.is_machine_failure(), "{}", error);
        }
    }
}

/// The places of the packed buffers of a file, each behind the length that it claims.
fn frames(bytes: &[u8]) -> Vec<usize> {
    const LZ4: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];
    (8..bytes.len() - 4).filter(|&start| bytes[start..start + 4] == LZ4).collect()
}

#[test]
fn a_forged_length_of_a_packed_buffer_is_refused() {
    let whole =
        std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/arrow/lz4.feather"))
            .unwrap();
    assert!(!frames(&whole).is_empty());
    for frame in frames(&whole) {
        for len in [0, 1, i64::MAX, 1 << 40, -2, i64::MIN] {
            let mut forged = whole.clone();
            forged[frame - 8..frame].copy_from_slice(&len.to_le_bytes());
            crate::damage::survives("m.arrow", &forged);
        }
        // Flags of the frame that announce fields which are not there, block sizes that do not exist,
        // endless lengths.
        for offset in 4..(whole.len() - frame).min(24) {
            for byte in [0x00, 0x0c, 0x4c, 0x7f, 0xff] {
                let mut forged = whole.clone();
                forged[frame + offset] = byte;
                crate::damage::survives("m.arrow", &forged);
            }
        }
    }
}
