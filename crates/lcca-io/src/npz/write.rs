//! Writing SciPy's file: compressed rows, not packed, each array on a cache line of its own.

use crate::atomic::Output;
use crate::error::{Fault, Outcome};
use crate::npy::header_bytes;
use crate::rows::{self, Part};
use lcca::matrix::Matrix;
use std::io::{self, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

pub(crate) fn write(output: &mut Output, matrix: &Matrix) -> Outcome<()> {
    if matches!(matrix, Matrix::Dense(_)) {
        return Err(Fault::new("npz files hold sparse matrices and this one is dense: write it as .npy"));
    }
    if matrix.cols() > i32::MAX as usize {
        return Err(Fault::new("npz files number columns up to 2147483647: write it as .safetensors"));
    }
    let mut zip = ZipWriter::new(output);
    member(&mut zip, "indices", "<i4", &[rows::entries(matrix)], |out| {
        rows::write(out, matrix, Part::Columns)
    })?;
    member(&mut zip, "indptr", "<i8", &[matrix.rows() + 1], |out| rows::write(out, matrix, Part::Offsets))?;
    member(&mut zip, "format", "|S3", &[], |out| out.write_all(b"csr"))?;
    let shape = [matrix.rows() as u64, matrix.cols() as u64];
    member(&mut zip, "shape", "<i8", &[2], |out| out.write_all(bytemuck::cast_slice(&shape)))?;
    let descr = rows::value_type(matrix);
    member(&mut zip, "data", descr, &[rows::entries(matrix)], |out| rows::write(out, matrix, Part::Values))?;
    zip.finish().map_err(io::Error::from)?;
    Ok(())
}

fn member(
    zip: &mut ZipWriter<&mut Output>,
    name: &str,
    descr: &str,
    shape: &[usize],
    numbers: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Outcome<()> {
    // A fixed time: the same matrix gives the same bytes.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .large_file(true)
        .with_alignment(64);
    zip.start_file(format!("{name}.npy"), options).map_err(io::Error::from)?;
    zip.write_all(&header_bytes(descr, shape))?;
    Ok(numbers(zip)?)
}
