//! Parquet files, whole and damaged.

use crate::damage::survives;
use crate::support::*;
use ::parquet::data_type::{BoolType, DoubleType, Int32Type};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use lcca_io::{Names, read_matrix, read_names};
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
