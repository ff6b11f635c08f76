//! The mapped store: a matrix as a safetensors file, opened without reading or copying its numbers.
//!
//! | kind | tensors |
//! |---|---|
//! | `sparse` | `indptr` u64, `indices` u32, and `data` f32 or f64 unless every value is one |
//! | `one-hot` | `columns` u32, one per row; 4294967295 marks an empty row |
//! | `dense` | `values` f32 or f64, rows × columns |
//!
//! Columns may have names, in any kind: `names` u8 (UTF-8, one after another) and `name_ends` u64, one per
//! column. Rows may have names too: `row_names` and `row_name_ends`.
//!
//! The metadata says `format` (`lcca-matrix`), `version`, `kind`, `rows` and `cols`. The last tensor,
//! `checksums` u32, has one sum for every 256 KiB of each other tensor, see [`crate::safe::checksums`]. All
//! numbers are read and checked when a store is opened, because invalid ones must not reach a fit. Names
//! are checked only when they are asked for.

use super::assemble::check_shape;
use crate::error::{Fault, Outcome};
use crate::parts::kind::{Kind, VERSION};
use crate::parts::names::{NameTensors, Names};
use crate::parts::rows::{self, Part, bytes};
use crate::parts::tensors::{Announced, TensorFile, begin_tensors};
use lcca::matrix::{DenseRows, DenseValues, Matrix, OneHotRows, SparseRows, Values};
use safetensors::tensor::Dtype;
use std::collections::BTreeMap;
use std::io::Write;

const NAMES: NameTensors = NameTensors { bytes: "names", ends: "name_ends", each: "column" };
const ROW_NAMES: NameTensors = NameTensors { bytes: "row_names", ends: "row_name_ends", each: "row" };

/// The names that a store keeps beside the numbers.
#[derive(Clone, Copy, Default)]
pub(crate) struct StoredNames<'a> {
    pub(crate) columns: Option<&'a Names>,
    pub(crate) rows: Option<&'a Names>,
}

impl<'a> StoredNames<'a> {
    fn each(self) -> impl Iterator<Item = (&'a Names, &'static NameTensors)> {
        let columns = self.columns.map(|names| (names, &NAMES));
        columns.into_iter().chain(self.rows.map(|names| (names, &ROW_NAMES)))
    }
}

/// The names of the columns, if the store has them.
pub(crate) fn read_names(file: &TensorFile) -> Outcome<Option<Names>> {
    Kind::Matrix.check(file)?;
    Names::read(file, &NAMES, file.parsed("cols")?)
}

/// The names of the rows, if the store has them.
pub(crate) fn read_row_names(file: &TensorFile) -> Outcome<Option<Names>> {
    Kind::Matrix.check(file)?;
    Names::read(file, &ROW_NAMES, file.parsed("rows")?)
}

pub(crate) fn read(file: &TensorFile) -> Outcome<Matrix> {
    Kind::Matrix.check(file)?;
    let (rows, cols) = (file.parsed("rows")?, file.parsed("cols")?);
    check_shape(rows, cols)?;
    let matrix: Matrix = match file.text("kind")? {
        "sparse" => read_sparse(file, cols)?.into(),
        "one-hot" => read_one_hot(file, cols)?.into(),
        "dense" => read_dense(file, rows, cols)?.into(),
        other => return Err(Fault::new(format!("is of kind {other:?}, expected sparse, one-hot or dense"))),
    };
    if matrix.rows() != rows {
        return Err(Fault::new(format!("the header says {rows} rows, the tensors hold {}", matrix.rows())));
    }
    Ok(matrix)
}

/// Reads sparse rows. Numbers are checked against their checksums block by block, just before the matrix
/// checks them by its own rules.
fn read_sparse(file: &TensorFile, cols: usize) -> Outcome<SparseRows> {
    let values = match file.dtype("data") {
        None => Values::Ones,
        Some(Dtype::F32) => Values::F32(file.unchecked_vector("data", Dtype::F32)?),
        Some(_) => Values::F64(file.unchecked_vector("data", Dtype::F64)?),
    };
    let [is_single, is_double] = [matches!(values, Values::F32(_)), matches!(values, Values::F64(_))];
    let offsets = file.vector("indptr", Dtype::U64)?;
    let columns = file.unchecked_vector("indices", Dtype::U32)?;
    SparseRows::new_in_blocks(cols, offsets, columns, values, |entries| {
        file.check::<u32>("indices", entries.clone())?;
        match (is_single, is_double) {
            (true, _) => file.check::<f32>("data", entries),
            (_, true) => file.check::<f64>("data", entries),
            _ => Ok(()),
        }
    })
}

fn read_one_hot(file: &TensorFile, cols: usize) -> Outcome<OneHotRows> {
    let columns = file.unchecked_vector("columns", Dtype::U32)?;
    OneHotRows::new_in_blocks(cols, columns, |rows| file.check::<u32>("columns", rows))
}

fn read_dense(file: &TensorFile, rows: usize, cols: usize) -> Outcome<DenseRows> {
    let is_single = file.dtype("values") == Some(Dtype::F32);
    let (values, shape) = if is_single {
        let (values, shape) = file.unchecked("values", Dtype::F32)?;
        (DenseValues::F32(values), shape)
    } else {
        let (values, shape) = file.unchecked("values", Dtype::F64)?;
        (DenseValues::F64(values), shape)
    };
    if shape != [rows, cols] {
        return Err(Fault::new(format!("has shape {shape:?}, expected [{rows}, {cols}]")).within("values"));
    }
    DenseRows::new_in_blocks(rows, cols, values, |span| {
        if is_single { file.check::<f32>("values", span) } else { file.check::<f64>("values", span) }
    })
}

pub(crate) fn write(out: &mut impl Write, matrix: &Matrix, names: StoredNames<'_>) -> Outcome<()> {
    let kind = match matrix {
        Matrix::Sparse(_) => "sparse",
        Matrix::OneHot(_) => "one-hot",
        Matrix::Dense(_) => "dense",
    };
    let texts = BTreeMap::from([
        ("format", Kind::Matrix.format().to_string()),
        ("version", VERSION.to_string()),
        ("kind", kind.to_string()),
        ("rows", matrix.rows().to_string()),
        ("cols", matrix.cols().to_string()),
    ]);
    let ends = names.each().map(|(names, tensors)| names.announce_ends(tensors));
    let text = names.each().map(|(names, tensors)| names.announce_bytes(tensors));
    let tensors: Vec<Announced> = ends.chain(announced(matrix)).chain(text).collect();
    let mut out = begin_tensors(out, &texts, &tensors)?;
    names.each().try_for_each(|(names, _)| names.write_ends(&mut out))?;
    match matrix {
        Matrix::Sparse(_) => write_sparse(&mut out, matrix)?,
        Matrix::OneHot(rows) => out.write_all(bytes(rows.columns()))?,
        Matrix::Dense(dense) => out.write_all(super::npy::dense_bytes(dense.values()).1)?,
    }
    names.each().try_for_each(|(names, _)| names.write_bytes(&mut out))?;
    Ok(out.finish()?)
}

/// Announces the tensors of a matrix, wide numbers first, so that all of them are aligned.
fn announced(matrix: &Matrix) -> Vec<Announced> {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    match matrix {
        Matrix::OneHot(_) => vec![("columns", Dtype::U32, vec![rows])],
        Matrix::Dense(dense) => {
            let dtype = match dense.values() {
                DenseValues::F32(_) => Dtype::F32,
                DenseValues::F64(_) => Dtype::F64,
            };
            vec![("values", dtype, vec![rows, cols])]
        }
        Matrix::Sparse(sparse) => {
            let entries = rows::entries(matrix);
            let mut tensors = vec![("indptr", Dtype::U64, vec![rows + 1])];
            match sparse.values() {
                Values::Ones => {}
                Values::F32(_) => tensors.push(("data", Dtype::F32, vec![entries])),
                Values::F64(_) => tensors.push(("data", Dtype::F64, vec![entries])),
            }
            tensors.push(("indices", Dtype::U32, vec![entries]));
            tensors
        }
    }
}

fn write_sparse(out: &mut impl Write, matrix: &Matrix) -> Outcome<()> {
    rows::write(out, matrix, Part::Offsets)?;
    if !rows::is_all_ones(matrix) {
        rows::write(out, matrix, Part::Values)?;
    }
    Ok(rows::write(out, matrix, Part::Columns)?)
}
