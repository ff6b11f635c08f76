//! Writes numbers to a file one by one and maps them at the end, so that a view may be larger than memory.

use crate::error::{Fault, Result};
use crate::input::source;
use bytemuck::Pod;
use lcca::matrix::Buffer;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

pub(crate) struct Spool<T> {
    path: PathBuf,
    file: BufWriter<File>,
    len: usize,
    kind: PhantomData<T>,
}

impl<T: Pod + Send + Sync> Spool<T> {
    /// Begins the file, which is removed with the folder that it is in.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let file = File::create_new(path).map_err(|error| Fault::Io(error).at(path))?;
        Ok(Spool {
            path: path.into(),
            file: BufWriter::with_capacity(1 << 20, file),
            len: 0,
            kind: PhantomData,
        })
    }

    pub(crate) fn push(&mut self, number: T) -> Result<()> {
        self.len += 1;
        self.file.write_all(bytemuck::bytes_of(&number)).map_err(|error| Fault::Io(error).at(&self.path))
    }

    /// Maps all numbers. If the system allows it, the file can be removed while they are in use.
    pub(crate) fn finish(mut self) -> Result<Buffer<T>> {
        self.file.flush().map_err(|error| Fault::Io(error).at(&self.path))?;
        if self.len == 0 {
            return Ok(Vec::new().into());
        }
        let mapped = source::map(&self.path).and_then(|owner| Ok(Buffer::shared(owner, 0, self.len)?));
        mapped.map_err(|fault| fault.at(&self.path))
    }
}
