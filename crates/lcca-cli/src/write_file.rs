//! Writes small files, whole or not at all.

use crate::failure::Failure;
use lcca_io::Output;
use std::io::Write as _;
use std::path::Path;

pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut output = Output::create(path)?;
    output.write_all(bytes).map_err(|source| lcca_io::Error::Io { path: path.into(), source })?;
    Ok(output.commit()?)
}
