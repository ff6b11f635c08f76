//! Writes array files: the header, then rows, a few at a time.

use super::header::MAGIC;
use crate::error::{Fault, Outcome, Result};
use crate::safe::atomic::Output;
use lcca::matrix::{DenseRows, DenseValues};
use std::io::Write;
use std::path::Path;

/// The header of an array in C order, padded so that the numbers begin at a multiple of 64 bytes.
pub(crate) fn header_bytes(descr: &str, shape: &[usize]) -> Vec<u8> {
    let sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
    let sides = if shape.len() > 1 { sides.trim_end_matches(", ") } else { sides.trim_end() };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sides}), }}");
    let unpadded = MAGIC.len() + 4 + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

/// NumPy's name for the type of dense values, and their bytes as they lie.
pub(crate) fn dense_bytes(values: &DenseValues) -> (&'static str, &[u8]) {
    match values {
        DenseValues::F32(values) => ("<f4", bytemuck::cast_slice(values.as_slice())),
        DenseValues::F64(values) => ("<f8", bytemuck::cast_slice(values.as_slice())),
    }
}

/// Writes a dense matrix as an array file.
pub(crate) fn write_dense(out: &mut impl Write, matrix: &DenseRows) -> Outcome<()> {
    let (descr, bytes) = dense_bytes(matrix.values());
    out.write_all(&header_bytes(descr, &[matrix.rows(), matrix.cols()]))?;
    Ok(out.write_all(bytes)?)
}

/// Writes a rows×cols array of doubles whose rows come a few at a time. Nothing is at the path before
/// [`NpyWriter::finish`].
#[derive(Debug)]
pub struct NpyWriter {
    output: Output,
    rows: usize,
    cols: usize,
    numbers: usize,
}

impl NpyWriter {
    /// Begins the file.
    pub fn create(path: &Path, rows: usize, cols: usize) -> Result<Self> {
        let mut output = Output::create(path)?;
        output.write_all(&header_bytes("<f8", &[rows, cols])).map_err(|error| output.failed(error))?;
        Ok(NpyWriter { output, rows, cols, numbers: 0 })
    }

    /// Adds rows, one after another.
    pub fn write_rows(&mut self, rows: &[f64]) -> Result<()> {
        self.numbers += rows.len();
        self.output.write_all(bytemuck::cast_slice(rows)).map_err(|error| self.output.failed(error))
    }

    /// Puts the file in place, or fails if another number of rows was announced.
    pub fn finish(self) -> Result<()> {
        let expected = self.rows.saturating_mul(self.cols);
        if self.numbers != expected {
            let message = format!("{} numbers were written, expected {expected}", self.numbers);
            return Err(Fault::new(message).at(self.output.target()));
        }
        self.output.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_row_count_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("z.npy");
        let mut writer = NpyWriter::create(&path, 2, 3).unwrap();
        writer.write_rows(&[1.0, 2.0, 3.0]).unwrap();
        let error = writer.finish().unwrap_err();
        assert!(error.to_string().contains("3 numbers were written, expected 6"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn headers_end_on_a_cache_line() {
        for shape in [&[3usize][..], &[3, 4], &[1_000_000_000_000, 20], &[]] {
            let bytes = header_bytes("<f8", shape);
            assert_eq!((bytes.len() % 64, bytes.last()), (0, Some(&b'\n')));
            assert_eq!(crate::matrix::npy::Header::parse(&bytes).unwrap().0.shape, shape);
        }
    }
}
