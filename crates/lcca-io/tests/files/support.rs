//! Small matrices of every storage, and files to put them in.

use lcca::matrix::{DenseRows, DenseValues, Matrix, OneHotRows, SparseRows, Values};
use lcca_io::{Loaded, ReadOptions, read_matrix, read_matrix_with};
use proptest::prelude::*;
use std::path::PathBuf;
use tempfile::TempDir;

/// Every number of the matrix, row after row.
pub fn dense(matrix: &Matrix) -> Vec<Vec<f64>> {
    let row = |row| {
        let mut numbers = vec![0.0; matrix.cols()];
        matrix.for_each(row, |column, value| numbers[column] = value);
        numbers
    };
    (0..matrix.rows()).map(row).collect()
}

pub fn sparse(rows: &[Vec<f64>], single: bool) -> Matrix {
    let (mut offsets, mut columns, mut values) = (vec![0u64], vec![], vec![]);
    for row in rows {
        let entries = row.iter().enumerate().filter(|(_, value)| **value != 0.0);
        entries.for_each(|(column, &value)| {
            columns.push(column as u32);
            values.push(value);
        });
        offsets.push(columns.len() as u64);
    }
    let values = match (values.iter().all(|&value| value == 1.0), single) {
        (true, _) => Values::Ones,
        (false, true) => Values::F32(values.iter().map(|&value| value as f32).collect::<Vec<_>>().into()),
        (false, false) => Values::F64(values.into()),
    };
    SparseRows::new(rows[0].len(), offsets.into(), columns.into(), values).unwrap().into()
}

fn one_hot(rows: &[Vec<f64>]) -> Matrix {
    let column = |row: &Vec<f64>| match row.iter().position(|&value| value != 0.0) {
        Some(column) => column as u32,
        None => OneHotRows::EMPTY,
    };
    OneHotRows::new(rows[0].len(), rows.iter().map(column).collect::<Vec<_>>().into()).unwrap().into()
}

fn dense_rows(rows: &[Vec<f64>], single: bool) -> Matrix {
    let values = rows.concat();
    let values = if single {
        DenseValues::F32(values.iter().map(|&value| value as f32).collect::<Vec<_>>().into())
    } else {
        DenseValues::F64(values.into())
    };
    DenseRows::new(rows.len(), rows[0].len(), values).unwrap().into()
}

/// A matrix that can be shown when a test fails.
pub struct Sample(Matrix);

impl std::fmt::Debug for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.0.kind(), dense(&self.0))
    }
}

impl std::ops::Deref for Sample {
    type Target = Matrix;

    fn deref(&self) -> &Matrix {
        &self.0
    }
}

/// A matrix of a few rows and columns, in any storage.
pub fn any_matrix() -> impl Strategy<Value = Sample> {
    let number =
        prop_oneof![6 => Just(0.0), 3 => Just(1.0), 1 => Just(-0.5), 1 => Just(0.1), 1 => -1e300..1e300];
    let rows = move |cols| proptest::collection::vec(proptest::collection::vec(number.clone(), cols), 1..9);
    ((1usize..9).prop_flat_map(rows), 0..7).prop_map(|(mut rows, storage)| {
        if storage % 2 == 0 {
            rows.iter_mut().flatten().for_each(|value| *value = f64::from(*value as f32).clamp(-9.0, 9.0));
        }
        Sample(match storage {
            0 | 1 => sparse(&rows, storage == 0),
            2 | 3 => dense_rows(&rows, storage == 2),
            4 => one_hot(&rows),
            _ => {
                rows.iter_mut().flatten().for_each(|value| *value = f64::from(*value != 0.0));
                sparse(&rows, false)
            }
        })
    })
}

/// A temporary folder, with one file in it.
pub struct Scratch {
    pub folder: TempDir,
    pub path: PathBuf,
}

pub fn scratch(name: &str) -> Scratch {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    Scratch { folder, path }
}

pub fn file(name: &str, bytes: impl AsRef<[u8]>) -> Scratch {
    let scratch = scratch(name);
    std::fs::write(&scratch.path, bytes).unwrap();
    scratch
}

/// The message that refuses a file: one line that begins with its path.
pub fn complaint(name: &str, bytes: impl AsRef<[u8]>) -> String {
    complaint_with(name, bytes, &ReadOptions::default())
}

pub fn complaint_with(name: &str, bytes: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    let file = file(name, bytes);
    let error = read_matrix_with(&file.path, options).expect_err("the file should be refused");
    assert!(!error.is_machine_failure(), "{error}");
    let message = error.to_string();
    assert!(message.starts_with(&*file.path.to_string_lossy()), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    message.replace(&*file.folder.path().to_string_lossy(), "")
}

pub fn load(name: &str, bytes: impl AsRef<[u8]>) -> Loaded {
    let file = file(name, bytes);
    read_matrix(&file.path).unwrap()
}

/// An uncompressed or compressed zip archive of these members.
pub fn archive(members: &[(&str, Vec<u8>)], compressed: bool) -> Vec<u8> {
    use std::io::Write;
    let method = if compressed { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored };
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A NumPy array file.
pub fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({shape}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

pub fn numbers<T: bytemuck::Pod>(descr: &str, numbers: &[T]) -> Vec<u8> {
    npy(descr, false, &format!("{},", numbers.len()), bytemuck::cast_slice(numbers))
}

/// The members of a SciPy archive of compressed rows.
pub fn csr(shape: [i64; 2], indptr: &[i32], indices: &[i32], data: &[f64]) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("format.npy", npy("|S3", false, "", b"csr")),
        ("shape.npy", numbers("<i8", &shape)),
        ("indptr.npy", numbers("<i4", indptr)),
        ("indices.npy", numbers("<i4", indices)),
        ("data.npy", numbers("<f8", data)),
    ]
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

/// A store, model or checkpoint as it was written before files had checksums.
pub fn without_checksums(bytes: &[u8]) -> Vec<u8> {
    let data = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut header: serde_json::Value = serde_json::from_slice(&bytes[8..data]).unwrap();
    let end = header["checksums"]["data_offsets"][0].as_u64().unwrap() as usize;
    header.as_object_mut().unwrap().remove("checksums");
    header["__metadata__"].as_object_mut().unwrap().remove("checksums");
    let header = header.to_string();
    let len = (header.len() as u64).to_le_bytes();
    [&len[..], header.as_bytes(), &bytes[data..data + end]].concat()
}
