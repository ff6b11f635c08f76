//! Reading a matrix, whatever it is stored in.

use crate::assemble::Assembled;
use crate::error::{Fault, Outcome, Result};
use crate::format::{self, Format};
use crate::names::Names;
use crate::source::{self, Packing};
use crate::tensors::TensorFile;
use crate::text::Text;
use crate::{arrow, columnar, delimited, matrix_market, mtx_folder, npy, npz, store, svmlight};
use lcca::matrix::Matrix;
use std::fmt;
use std::path::Path;

/// What the caller knows that a file may not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// How many columns. svmlight files do not say; for any other file it must be what the file says.
    pub cols: Option<usize>,
    /// Whether the indices of an svmlight file count from 0; from 1 otherwise.
    pub zero_based: Option<bool>,
}

/// A matrix and how it came in.
pub struct Loaded {
    /// The rows.
    pub matrix: Matrix,
    /// The name of the file's format.
    pub format: &'static str,
    /// What a person should know about the reading, such as duplicates that were summed.
    pub notes: Vec<String>,
}

impl fmt::Debug for Loaded {
    /// The shape, not the numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, cols) = (self.matrix.rows(), self.matrix.cols());
        let what = format_args!("{rows}×{cols} {}", self.matrix.kind()).to_string();
        f.debug_struct("Loaded")
            .field("matrix", &what)
            .field("format", &self.format)
            .field("notes", &self.notes)
            .finish()
    }
}

/// Reads a matrix. The extension names the format; without a known one, the first bytes do.
pub fn read_matrix(path: &Path) -> Result<Loaded> {
    read_matrix_with(path, &ReadOptions::default())
}

/// As [`read_matrix`], with what the caller knows.
pub fn read_matrix_with(path: &Path, options: &ReadOptions) -> Result<Loaded> {
    let (format, packing) = format::of_file(path).map_err(|fault| fault.at(path))?;
    let Assembled { matrix, notes } = match format {
        Format::Csv => delimited::read(path, b',')?,
        Format::Tsv => delimited::read(path, b'\t')?,
        _ => read(path, format, packing, options).map_err(|fault| fault.at(path))?,
    };
    match options.cols.filter(|&cols| cols != matrix.cols()) {
        Some(expected) => {
            Err(Fault::new(format!("has {} columns, expected {expected}", matrix.cols())).at(path))
        }
        None => Ok(Loaded { matrix, format: format.name(), notes }),
    }
}

fn read(path: &Path, format: Format, packing: Packing, options: &ReadOptions) -> Outcome<Assembled> {
    let text = || source::stream(path, packing).map(Text::new);
    Ok(match format {
        Format::Npz => npz::read(source::map(path)?)?,
        Format::Npy => npy::read(&source::load(path, packing)?)?.into(),
        Format::MatrixMarket => matrix_market::read(text()?)?,
        Format::Svmlight => svmlight::read(text()?, options)?,
        Format::Store => store::read(&TensorFile::open(source::map(path)?)?)?.into(),
        Format::Parquet => columnar::read(path)?,
        Format::Arrow => arrow::read(path)?,
        Format::MtxFolder => mtx_folder::read(path)?,
        Format::Csv | Format::Tsv => return Err(Fault::new("is a table")),
    })
}

/// The names of a matrix's columns, where its file has them. The matrix itself is not read.
pub fn read_names(path: &Path) -> Result<Option<Names>> {
    names(path).map_err(|fault| fault.at(path))
}

fn names(path: &Path) -> Outcome<Option<Names>> {
    match format::of_file(path)?.0 {
        Format::Store => store::read_names(&TensorFile::open(source::map(path)?)?),
        Format::Csv => delimited::read_names(path, b','),
        Format::Tsv => delimited::read_names(path, b'\t'),
        Format::Parquet => columnar::read_names(path),
        Format::Arrow => arrow::read_names(path),
        Format::MtxFolder => mtx_folder::read_names(path),
        _ => Ok(None),
    }
}

/// Whether a file of this name says how many columns it has; svmlight files do not.
pub fn says_its_width(path: &Path) -> bool {
    !matches!(format::named(path), (Some(Format::Svmlight), _))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::bytes;
    use crate::write_matrix;
    use lcca::matrix::{DenseRows, DenseValues, Owner, SparseRows, Values};

    fn mapped(name: &str, matrix: &Matrix) -> Owner {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        write_matrix(&path, matrix).unwrap();
        source::map(&path).ok().unwrap()
    }

    fn lies_in(owner: &Owner, part: &[u8]) -> bool {
        let whole = (**owner).as_ref().as_ptr_range();
        let part = part.as_ptr_range();
        whole.start <= part.start && part.end <= whole.end
    }

    #[test]
    fn sparse_files_are_used_where_they_lie() {
        let values = Values::F64(vec![0.5, 2.0, 3.0].into());
        let rows = SparseRows::new(4, vec![0, 2, 3].into(), vec![1, 3, 0].into(), values).unwrap().into();
        let (archive, tensors) = (mapped("m.npz", &rows), mapped("m.lcca", &rows));
        let from_archive = npz::read(archive.clone()).ok().unwrap().matrix;
        let from_tensors = store::read(&TensorFile::open(tensors.clone()).ok().unwrap()).ok().unwrap();
        for (owner, matrix) in [(archive, from_archive), (tensors, from_tensors)] {
            let Matrix::Sparse(rows) = matrix else { panic!("not sparse") };
            let Values::F64(values) = rows.values() else { panic!("not f64") };
            let parts = [bytes(rows.offsets()), bytes(rows.columns()), bytes(values)];
            assert!(parts.iter().all(|part| lies_in(&owner, part)));
        }
    }

    #[test]
    fn dense_files_are_used_where_they_lie() {
        let dense = DenseRows::new(2, 2, DenseValues::F32(vec![1.0, 2.0, 3.0, 4.0].into())).unwrap().into();
        let owner = mapped("m.npy", &dense);
        let Matrix::Dense(rows) = npy::read(&owner).ok().unwrap() else { panic!("not dense") };
        assert!(lies_in(&owner, npy::dense_bytes(rows.values()).1));
    }
}
