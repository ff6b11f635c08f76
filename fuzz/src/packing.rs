//! Packed streams and archives around damaged contents.

use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// An archive of these members.
pub fn zip(members: &[(String, Vec<u8>)], packed: bool) -> Vec<u8> {
    let method = if packed { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(name.as_str(), SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The members of an archive that is whole.
pub fn members(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let names: Vec<String> =
        (0..zip.len()).map(|index| zip.by_index(index).unwrap().name().unwrap().into_owned()).collect();
    let mut contents = Vec::new();
    for (index, name) in names.into_iter().enumerate() {
        let mut bytes = Vec::new();
        zip.by_index(index).unwrap().read_to_end(&mut bytes).unwrap();
        contents.push((name, bytes));
    }
    contents
}
