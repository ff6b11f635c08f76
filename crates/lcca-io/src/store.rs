//! The mapped store: a matrix as a safetensors file, opened without reading or copying its numbers.
//!
//! | kind | tensors |
//! |---|---|
//! | `sparse` | `indptr` u64, `indices` u32, and `data` f32 or f64 unless every value is one |
//! | `one-hot` | `columns` u32, one per row; 4294967295 marks an empty row |
//! | `dense` | `values` f32 or f64, rows × columns |
//!
//! Columns may have names, in any kind: `names` u8 (UTF-8, one after another) and `name_ends` u64, one per column.
//!
//! The metadata says `format` (`lcca-matrix`), `version`, `kind`, `rows` and `cols`.

use crate::assemble::check_shape;
use crate::error::{Fault, Outcome};
use crate::kind::{Kind, VERSION};
use crate::names::{NameTensors, Names};
use crate::rows::{self, Part, bytes};
use crate::tensors::{Announced, TensorFile, write_header};
use lcca::matrix::{DenseRows, DenseValues, Matrix, OneHotRows, SparseRows, Values};
use safetensors::tensor::Dtype;
use std::collections::BTreeMap;
use std::io::Write;

const NAMES: NameTensors = NameTensors { bytes: "names", ends: "name_ends" };

/// The names of the columns, if the store has them.
pub(crate) fn read_names(file: &TensorFile) -> Outcome<Option<Names>> {
    Kind::Matrix.check(file)?;
    Names::read(file, &NAMES, file.parsed("cols")?)
}

pub(crate) fn read(file: &TensorFile) -> Outcome<Matrix> {
    Kind::Matrix.check(file)?;
    let (rows, cols) = (file.parsed("rows")?, file.parsed("cols")?);
    check_shape(rows, cols)?;
    let matrix: Matrix = match file.text("kind")? {
        "sparse" => read_sparse(file, cols)?.into(),
        "one-hot" => OneHotRows::new(cols, file.vector("columns", Dtype::U32)?)?.into(),
        "dense" => read_dense(file, rows, cols)?.into(),
        other => return Err(Fault::new(format!("is of kind {other:?}, expected sparse, one-hot or dense"))),
    };
    if matrix.rows() != rows {
        return Err(Fault::new(format!("the header says {rows} rows, the tensors hold {}", matrix.rows())));
    }
    Ok(matrix)
}

fn read_sparse(file: &TensorFile, cols: usize) -> Outcome<SparseRows> {
    let values = match file.dtype("data") {
        None => Values::Ones,
        Some(Dtype::F32) => Values::F32(file.vector("data", Dtype::F32)?),
        Some(_) => Values::F64(file.vector("data", Dtype::F64)?),
    };
    let (offsets, columns) = (file.vector("indptr", Dtype::U64)?, file.vector("indices", Dtype::U32)?);
    Ok(SparseRows::new(cols, offsets, columns, values)?)
}

fn read_dense(file: &TensorFile, rows: usize, cols: usize) -> Outcome<DenseRows> {
    let (values, shape) = match file.dtype("values") {
        Some(Dtype::F32) => {
            let (values, shape) = file.tensor("values", Dtype::F32)?;
            (DenseValues::F32(values), shape)
        }
        _ => {
            let (values, shape) = file.tensor("values", Dtype::F64)?;
            (DenseValues::F64(values), shape)
        }
    };
    if shape != [rows, cols] {
        return Err(Fault::new(format!("has shape {shape:?}, expected [{rows}, {cols}]")).within("values"));
    }
    Ok(DenseRows::new(rows, cols, values)?)
}

pub(crate) fn write(out: &mut impl Write, matrix: &Matrix, names: Option<&Names>) -> Outcome<()> {
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
    let ends = names.iter().map(|names| names.announce_ends(&NAMES));
    let text = names.iter().map(|names| names.announce_bytes(&NAMES));
    let tensors: Vec<Announced> = ends.chain(announced(matrix)).chain(text).collect();
    write_header(out, &texts, &tensors)?;
    names.map_or(Ok(()), |names| names.write_ends(out))?;
    match matrix {
        Matrix::Sparse(_) => write_sparse(out, matrix)?,
        Matrix::OneHot(rows) => out.write_all(bytes(rows.columns()))?,
        Matrix::Dense(dense) => out.write_all(crate::npy::dense_bytes(dense.values()).1)?,
    }
    Ok(names.map_or(Ok(()), |names| names.write_bytes(out))?)
}

/// The tensors of a matrix, wide numbers first, so that all of them are aligned.
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
