//! Small Parquet files: every codec, numbers, Booleans, texts and missing values.

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::sync::Arc;

pub fn files() -> Vec<Vec<u8>> {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
    ];
    let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
    codecs
        .into_iter()
        .zip(versions.into_iter().cycle())
        .map(|(codec, version)| file(codec, version))
        .collect()
}

fn file(codec: Compression, version: WriterVersion) -> Vec<u8> {
    let field = |name: &str, physical, logical| {
        let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        Arc::new(field.with_logical_type(logical).build().unwrap())
    };
    let fields = vec![
        field("real", Physical::DOUBLE, None),
        field("whole", Physical::INT32, None),
        field("yes", Physical::BOOLEAN, None),
        field("text", Physical::BYTE_ARRAY, Some(LogicalType::String)),
    ];
    let schema = Arc::new(Type::group_type_builder("rows").with_fields(fields).build().unwrap());
    let properties = WriterProperties::builder().set_compression(codec).set_writer_version(version).build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    for group in 0..2 {
        let mut group_writer = writer.next_row_group().unwrap();
        while let Some(mut column) = group_writer.next_column().unwrap() {
            let levels: Vec<i16> = (0..20).map(|row| i16::from(group == 0 || row % 7 != 0)).collect();
            let present = levels.iter().filter(|&&level| level == 1).count();
            let numbers = 0..present;
            match column.untyped() {
                ColumnWriter::DoubleColumnWriter(writer) => {
                    let values: Vec<f64> = numbers.map(|number| number as f64 / 3.0).collect();
                    writer.write_batch(&values, Some(&levels), None).unwrap();
                }
                ColumnWriter::Int32ColumnWriter(writer) => {
                    let values: Vec<i32> = numbers.map(|number| number as i32 % 3).collect();
                    writer.write_batch(&values, Some(&levels), None).unwrap();
                }
                ColumnWriter::BoolColumnWriter(writer) => {
                    let values: Vec<bool> = numbers.map(|number| number % 2 == 0).collect();
                    writer.write_batch(&values, Some(&levels), None).unwrap();
                }
                ColumnWriter::ByteArrayColumnWriter(writer) => {
                    let values: Vec<ByteArray> =
                        numbers.map(|number| ByteArray::from(["a b", "c"][number % 2])).collect();
                    writer.write_batch(&values, Some(&levels), None).unwrap();
                }
                _ => {}
            }
            column.close().unwrap();
        }
        group_writer.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}
