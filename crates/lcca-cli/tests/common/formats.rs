//! Builds files byte by byte, because they should be wrong in one place only.

use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A NumPy array file with this header, even if the bytes do not match it.
pub fn npy(descr: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(bytes);
    file
}

fn little<T: Copy, const N: usize>(numbers: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(|&number| bytes(number)).collect()
}

/// A one-dimensional array of i64.
pub fn integers(numbers: &[i64]) -> Vec<u8> {
    npy("<i8", &format!("({},)", numbers.len()), &little(numbers, i64::to_le_bytes))
}

/// An array of f64 of this shape.
pub fn reals(shape: &str, numbers: &[f64]) -> Vec<u8> {
    npy("<f8", shape, &little(numbers, f64::to_le_bytes))
}

/// A SciPy archive of compressed rows, right or wrong.
pub struct Csr {
    pub shape: [i64; 2],
    pub indptr: Vec<i64>,
    pub indices: Vec<i64>,
    pub data: Vec<f64>,
}

impl Csr {
    /// A correct archive of three rows, four columns and four entries.
    pub fn good() -> Self {
        Csr { shape: [3, 4], indptr: vec![0, 2, 3, 4], indices: vec![0, 3, 1, 2], data: vec![1.0; 4] }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let members = [
            ("format", npy("|S3", "()", b"csr")),
            ("shape", integers(&self.shape)),
            ("indptr", integers(&self.indptr)),
            ("indices", integers(&self.indices)),
            ("data", reals(&format!("({},)", self.data.len()), &self.data)),
        ];
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        for (name, bytes) in members {
            zip.start_file(format!("{name}.npy"), stored).unwrap();
            zip.write_all(&bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }
}

/// A store of three sparse rows and four columns with these arrays.
pub fn store(indptr: &[u64], indices: &[u32], data: &[f64]) -> Vec<u8> {
    let (ends, values, columns) = (8 * indptr.len(), 8 * data.len(), 4 * indices.len());
    let header = format!(
        concat!(
            r#"{{"__metadata__":{{"format":"lcca-matrix","version":"1","kind":"sparse","rows":"3","cols":"4"}},"#,
            r#""indptr":{{"dtype":"U64","shape":[{}],"data_offsets":[0,{}]}},"#,
            r#""data":{{"dtype":"F64","shape":[{}],"data_offsets":[{},{}]}},"#,
            r#""indices":{{"dtype":"U32","shape":[{}],"data_offsets":[{},{}]}}}}"#
        ),
        indptr.len(),
        ends,
        data.len(),
        ends,
        ends + values,
        indices.len(),
        ends + values,
        ends + values + columns
    );
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(little(indptr, u64::to_le_bytes));
    file.extend(little(data, f64::to_le_bytes));
    file.extend(little(indices, u32::to_le_bytes));
    file
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zstandard(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

/// The bytes without the last `count`.
pub fn without_end(mut bytes: Vec<u8>, count: usize) -> Vec<u8> {
    bytes.truncate(bytes.len() - count);
    bytes
}

/// The bytes with one of them flipped.
pub fn with_flipped_byte(mut bytes: Vec<u8>, index: usize) -> Vec<u8> {
    bytes[index] ^= 0xff;
    bytes
}
