//! Reads Parquet files as matrices and as texts.

use super::{bytes, column_names, rows};
use crate::common::Folder;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::sync::Arc;

/// One column of a group of rows. If rows can be missing, levels tell which rows exist.
enum Column<'a> {
    Text(&'a [&'a str], Option<&'a [i16]>),
    Double(&'a [f64], Option<&'a [i16]>),
    Int(&'a [i32]),
    Long(&'a [i64]),
    Bool(&'a [bool]),
}

fn write(folder: &Folder, name: &str, schema: &str, groups: &[&[Column<'_>]]) {
    let schema = Arc::new(parse_message_type(&format!("message m {{ {schema} }}")).unwrap());
    let compressed = WriterProperties::builder().set_compression(parquet::basic::Compression::SNAPPY).build();
    let file = File::create(folder.path(name)).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(compressed)).unwrap();
    for group in groups {
        let mut group_writer = writer.next_row_group().unwrap();
        for column in *group {
            let mut column_writer = group_writer.next_column().unwrap().unwrap();
            match column {
                Column::Text(texts, levels) => {
                    let texts: Vec<ByteArray> = texts.iter().map(|&text| text.into()).collect();
                    column_writer.typed::<ByteArrayType>().write_batch(&texts, *levels, None).unwrap()
                }
                Column::Double(values, levels) => {
                    column_writer.typed::<DoubleType>().write_batch(values, *levels, None).unwrap()
                }
                Column::Int(values) => {
                    column_writer.typed::<Int32Type>().write_batch(values, None, None).unwrap()
                }
                Column::Long(values) => {
                    column_writer.typed::<Int64Type>().write_batch(values, None, None).unwrap()
                }
                Column::Bool(values) => {
                    column_writer.typed::<BoolType>().write_batch(values, None, None).unwrap()
                }
            };
            column_writer.close().unwrap();
        }
        group_writer.close().unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn columns_of_numbers_are_a_matrix_with_names() {
    let folder = Folder::new();
    let schema = "REQUIRED DOUBLE d; OPTIONAL DOUBLE o; REQUIRED INT32 i; REQUIRED INT64 u \
        (INTEGER(64,false)); REQUIRED BOOLEAN b;";
    let first = [
        Column::Double(&[0.1, 2.0], None),
        Column::Double(&[1.0, 5.0], Some(&[1, 1])),
        Column::Int(&[-3, 4]),
        Column::Long(&[1, 2]),
        Column::Bool(&[true, false]),
    ];
    let second = [
        Column::Double(&[7.0], None),
        Column::Double(&[6.0], Some(&[1])),
        Column::Int(&[9]),
        Column::Long(&[-1]),
        Column::Bool(&[true]),
    ];
    write(&folder, "m.parquet", schema, &[&first, &second]);
    folder.run("convert m.parquet m.safetensors").done();
    assert_eq!(column_names(&folder, "m.safetensors"), ["d", "o", "i", "u", "b"]);
    let numbers: Vec<Vec<f64>> = rows(&folder, "m.safetensors")
        .into_iter()
        .map(|row| row.into_iter().map(|(_, value)| value).collect())
        .collect();
    assert_eq!(
        numbers,
        [[0.1, 1.0, -3.0, 1.0, 1.0], [2.0, 5.0, 4.0, 2.0, 0.0], [7.0, 6.0, 9.0, 18446744073709551615.0, 1.0]]
    );
}

#[test]
fn columns_of_texts_give_the_views_of_the_same_table() {
    let folder = Folder::new();
    let schema = "REQUIRED BYTE_ARRAY x (UTF8); OPTIONAL BYTE_ARRAY y (UTF8); REQUIRED INT32 label;";
    let xs: Vec<String> = (0..3000).map(|row| format!("w{} w{}", row % 7, row % 11)).collect();
    let x: Vec<&str> = xs.iter().map(String::as_str).collect();
    let levels: Vec<i16> = (0..3000).map(|row| i16::from(row % 5 != 0)).collect();
    let y: Vec<&str> = (0..3000).filter(|row| row % 5 != 0).map(|row| x[(row * 31) % 3000]).collect();
    let labels: Vec<i32> = (0..3000).collect();
    write(
        &folder,
        "t.parquet",
        schema,
        &[&[Column::Text(&x, None), Column::Text(&y, Some(&levels)), Column::Int(&labels)]],
    );
    let line = |row: usize| {
        format!("{}\t{}\t{row}\n", x[row], if row.is_multiple_of(5) { "" } else { x[(row * 31) % 3000] })
    };
    folder.write("t.tsv", format!("x\ty\tlabel\n{}", (0..3000).map(line).collect::<String>()));
    for file in ["t.parquet", "t.tsv"] {
        folder.run(&format!("views text {file} --x x --y y --label label -o {}", &file[2..])).done();
    }
    assert!(bytes(&folder, "parquet") == bytes(&folder, "tsv"));
}

#[test]
fn a_value_that_is_missing_or_no_number_is_named() {
    let folder = Folder::with_views(2, 1);
    let missing = [Column::Double(&[0.1, 2.0], None), Column::Double(&[1.0], Some(&[1, 0]))];
    write(&folder, "m.parquet", "REQUIRED DOUBLE d; OPTIONAL DOUBLE o;", &[&missing]);
    folder.refuses("fit m.parquet y.npz -o new", &["m.parquet: column \"o\": row 2: the value is missing"]);
    write(&folder, "t.parquet", "REQUIRED BYTE_ARRAY t (UTF8);", &[&[Column::Text(&["a", "b"], None)]]);
    folder.refuses("info t.parquet", &["t.parquet: column \"t\": holds texts (\"a\"), 2 different ones"]);
    write(&folder, "d.parquet", "REQUIRED INT32 day (DATE);", &[&[Column::Int(&[1, 2])]]);
    folder
        .refuses("info d.parquet", &["column \"day\": holds dates or times, expected numbers or categories"]);
    folder.refuses(
        "views text t.parquet --x t --y u -o new",
        &["there is no column \"u\", expected one of \"t\""],
    );
    let whole = folder.read("m.parquet");
    folder.write("cut.parquet", &whole[..whole.len() - 20]);
    folder.refuses("info cut.parquet", &["cut.parquet: truncated, corrupt or not a Parquet file"]);
    folder.refuses("convert x.npz new.parquet", &["parquet files are read, not written"]);
}
