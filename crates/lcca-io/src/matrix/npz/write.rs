//! Writes SciPy's file: compressed rows in an archive that is not packed, with every array on a cache line
//! of its own.

use crate::error::{Fault, Outcome};
use crate::matrix::npy::header_bytes;
use crate::parts::rows::{self, Part};
use crate::safe::atomic::Output;
use lcca::matrix::Matrix;
use std::io::{self, Write};
use zip::result::ZipError;
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
    match write_members(&mut zip, matrix) {
        Ok(()) => zip.finish().map(|_| ()).map_err(failed),
        Err(fault) => {
            // Dropping the writer would try to end the archive and print that it could not. The output is
            // discarded anyway.
            std::mem::forget(zip);
            Err(fault)
        }
    }
}

fn write_members(zip: &mut ZipWriter<&mut Output>, matrix: &Matrix) -> Outcome<()> {
    let entries = [rows::entries(matrix)];
    let shape = [matrix.rows() as u64, matrix.cols() as u64];
    member(zip, "format", "|S3", &[], |out| out.write_all(b"csr"))?;
    member(zip, "shape", "<i8", &[2], |out| out.write_all(bytemuck::cast_slice(&shape)))?;
    member(zip, "indptr", "<i8", &[matrix.rows() + 1], |out| rows::write(out, matrix, Part::Offsets))?;
    member(zip, "indices", "<i4", &entries, |out| rows::write(out, matrix, Part::Columns))?;
    member(zip, "data", rows::value_type(matrix), &entries, |out| rows::write(out, matrix, Part::Values))
}

fn member(
    zip: &mut ZipWriter<&mut Output>,
    name: &str,
    descr: &str,
    shape: &[usize],
    numbers: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Outcome<()> {
    // The time is fixed, so that the same matrix gives the same bytes.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .large_file(true)
        .with_alignment(64);
    zip.start_file(format!("{name}.npy"), options).map_err(failed)?;
    zip.write_all(&header_bytes(descr, shape))?;
    Ok(numbers(zip)?)
}

/// Keeps the operating system's error, because it decides whether the disk or the input is to blame.
fn failed(error: ZipError) -> Fault {
    match error {
        ZipError::Io(error) => Fault::Io(error),
        other => Fault::Io(io::Error::other(other)),
    }
}
