//! Parquet files, whole and damaged.

use crate::damage::survives;
use crate::support::*;
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use lcca_io::{Names, ReadOptions, TableOptions, read_matrix, read_matrix_with, read_names};
use std::sync::Arc;

/// Three columns, two groups of rows.
fn parquet_file() -> Vec<u8> {
    let schema = "message m { REQUIRED DOUBLE d; OPTIONAL INT32 i; REQUIRED BOOLEAN b; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
    for _ in 0..2 {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&[0.5, 2.0, 0.5], None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&[1, 2, 3], Some(&[1, 1, 1]), None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<BoolType>().write_batch(&[true, false, true], None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

#[test]
fn a_parquet_file_survives_every_flipped_bit_and_every_cut() {
    let whole = parquet_file();
    assert_eq!(load("m.parquet", &whole).matrix.rows(), 6);
    for index in 0..whole.len() {
        survives("m.parquet", &whole[..index]);
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[index] ^= 1 << bit;
            survives("m.parquet", &bytes);
        }
    }
}

#[test]
fn numbers_and_names_come_from_the_same_file() {
    let file = file("m.parquet", parquet_file());
    let loaded = read_matrix(&file.path).unwrap();
    let group = [[0.5, 1.0, 1.0], [2.0, 2.0, 0.0], [0.5, 3.0, 1.0]];
    assert_eq!(
        (loaded.format, dense(&loaded.matrix)),
        ("parquet", [group, group].concat().iter().map(|row| row.to_vec()).collect())
    );
    assert_eq!(loaded.names().unwrap(), Some(Names::new(["d", "i", "b"])));
    assert_eq!(read_names(&file.path).unwrap(), loaded.names().unwrap());
}

/// A file that another program wrote.
fn foreign(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name);
    std::fs::read(path).unwrap()
}

fn columns(names: &[&str]) -> ReadOptions {
    let names = names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    ReadOptions::default().table(TableOptions::default().columns(names))
}

#[test]
fn unsigned_columns_of_old_types_stay_positive() {
    let matrix = dense(&load("m.parquet", foreign("parquet/unsigned.parquet")).matrix);
    assert_eq!(matrix[2], [4_294_967_295.0, 18_446_744_073_709_551_615.0, 255.0, -1.0, 65_535.0]);
    assert_eq!(matrix[3], [2_147_483_648.0, 9_223_372_036_854_775_808.0, 128.0, 3.0, 4.0]);
}

#[test]
fn columns_that_are_no_numbers_or_texts_are_refused_in_the_same_words_as_in_arrow_files() {
    let others = [
        ("emb", "lists"),
        ("st", "structures"),
        ("m", "maps"),
        ("b", "bytes"),
        ("d", "durations"),
        ("t", "dates or times"),
        ("n", "nothing"),
        ("p", "periods"),
        ("iv", "intervals"),
    ];
    for (name, bytes) in
        [("m.parquet", foreign("parquet/others.parquet")), ("m.arrow", foreign("arrow/others.feather"))]
    {
        for (column, what) in others {
            let message = complaint_with(name, &bytes, &columns(&[column]));
            let expected = format!("column {column:?}: holds {what}, expected numbers or categories");
            assert!(message.ends_with(&expected), "{name}: {message}");
        }
        let file = file(name, &bytes);
        let loaded = read_matrix_with(&file.path, &columns(&["x"])).unwrap();
        assert_eq!(dense(&loaded.matrix), [[1.0], [2.0]], "{name}");
        assert_eq!(read_names(&file.path).unwrap().unwrap().len(), others.len() + 1, "{name}");
    }
    let message = complaint("m.parquet", foreign("parquet/nested.parquet"));
    assert!(message.contains("column \"emb\": holds lists"), "{message}");
    let message = complaint("m.parquet", foreign("parquet/bytes.parquet"));
    assert!(message.contains("column \"b\": holds bytes"), "{message}");
    let message = complaint("m.parquet", foreign("parquet/durations.parquet"));
    assert!(message.contains("column \"d\": holds durations"), "{message}");
}

#[test]
fn decimals_and_half_precision_are_numbers() {
    let rows = [[1.5, 12_345_678_901_234_567_890.125, 0.5], [-0.25, -1.0, 65504.0]];
    let options = ReadOptions::default().table(TableOptions::default().missing(lcca_io::Missing::Drop));
    for (name, path) in [("m.parquet", "parquet/decimals.parquet"), ("m.arrow", "arrow/decimals.feather")] {
        let file = file(name, foreign(path));
        assert_eq!(dense(&read_matrix_with(&file.path, &options).unwrap().matrix), rows, "{name}");
    }
}

#[test]
fn files_that_are_packed_or_encrypted_otherwise_are_called_what_they_are() {
    let brotli = foreign("parquet/brotli.parquet");
    let message = complaint("m.parquet", &brotli);
    assert!(message.contains("column \"a\": is packed with Brotli, expected Snappy"), "{message}");
    let file = file("m.parquet", &brotli);
    assert_eq!(
        dense(&read_matrix_with(&file.path, &columns(&["b"])).unwrap().matrix),
        [[3.0], [4.0]],
        "columns that are not asked for do not matter"
    );
    for name in ["parquet/encrypted.parquet", "parquet/encrypted_columns.parquet"] {
        let message = complaint("m.parquet", foreign(name));
        assert!(message.contains("is an encrypted Parquet file, expected a plain one"), "{message}");
    }
}

#[test]
fn a_text_that_is_not_utf8_is_refused_instead_of_merged_with_others() {
    let schema = "message m { REQUIRED DOUBLE d; REQUIRED BYTE_ARRAY t (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<DoubleType>().write_batch(&[0.5; 4], None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let texts = [&b"\xff"[..], b"\xfe", b"\xff", b"\xfe"].map(ByteArray::from);
    column.typed::<ByteArrayType>().write_batch(&texts, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    let message = complaint("m.parquet", writer.into_inner().unwrap());
    assert!(message.contains("column \"t\": holds a text that is not UTF-8"), "{message}");
}
