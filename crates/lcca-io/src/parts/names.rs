//! Column names: all of them as one run of bytes, and the end of each.
//!
//! In safetensors files these are two tensors, `names` (u8, UTF-8) and `name_ends` (u64, one per column).
//! They are mapped, and checked as a whole only when a caller asks for them, because most fits never do.

use super::tensors::{Announced, TensorFile};
use crate::error::{Fault, Outcome};
use lcca::matrix::Buffer;
use safetensors::tensor::Dtype;
use std::fmt;
use std::io::{self, Write};

/// The names of a matrix's columns or rows, in their order.
#[derive(Clone)]
pub struct Names {
    bytes: Buffer<u8>,
    ends: Buffer<u64>,
}

/// The names of the two tensors that hold a list of names.
pub(crate) struct NameTensors {
    pub(crate) bytes: &'static str,
    pub(crate) ends: &'static str,
    /// The kind of thing that is named, for messages.
    pub(crate) each: &'static str,
}

impl Names {
    /// A list of names.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Self {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for name in names {
            bytes.extend_from_slice(name.as_ref().as_bytes());
            ends.push(bytes.len() as u64);
        }
        Names { bytes: bytes.into(), ends: ends.into() }
    }

    /// The number of columns that are named.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name of a column. Panics if there is no such column.
    pub fn get(&self, column: usize) -> &str {
        let ends = self.ends.as_slice();
        let start = if column == 0 { 0 } else { ends[column - 1].get() as usize };
        let bytes: &[u8] = bytemuck::cast_slice(&self.bytes.as_slice()[start..ends[column].get() as usize]);
        // The names were checked when they were read, but another program may have changed a mapped file
        // since.
        std::str::from_utf8(bytes).unwrap_or("\u{fffd}")
    }

    /// All names, in the order of the columns.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|column| self.get(column))
    }

    /// The first column whose name differs from that of the other names, or that only one of them names.
    pub fn first_difference(&self, other: &Names) -> Option<usize> {
        let same = self.iter().zip(other.iter()).take_while(|(a, b)| a == b).count();
        (same < self.len().max(other.len())).then_some(same)
    }

    /// The first column of this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.iter().position(|candidate| candidate == name)
    }

    /// Reads the names in a file, if it has the two tensors.
    pub(crate) fn read(file: &TensorFile, tensors: &NameTensors, count: usize) -> Outcome<Option<Names>> {
        if file.dtype(tensors.bytes).is_none() && file.dtype(tensors.ends).is_none() {
            return Ok(None);
        }
        let ends = file.vector(tensors.ends, Dtype::U64)?;
        let names = Names { bytes: file.vector(tensors.bytes, Dtype::U8)?, ends };
        names.check(count, tensors)?;
        Ok(Some(names))
    }

    fn check(&self, count: usize, tensors: &NameTensors) -> Outcome<()> {
        let each = tensors.each;
        if self.len() != count {
            let message = format!("holds {} names, expected {count}, one per {each}", self.len());
            return Err(Fault::new(message).within(tensors.ends));
        }
        let bytes: &[u8] = bytemuck::cast_slice(self.bytes.as_slice());
        let mut start = 0;
        for (column, end) in self.ends.iter().enumerate() {
            let name = usize::try_from(end).ok().and_then(|end| bytes.get(start..end));
            let name = name.ok_or_else(|| {
                let message = format!(
                    "the name of {each} {column} ends at {end}, expected {start} or more \
                    and at most {} bytes",
                    bytes.len()
                );
                Fault::new(message).within(tensors.ends)
            })?;
            if std::str::from_utf8(name).is_err() {
                let message = format!("the name of {each} {column} is not UTF-8");
                return Err(Fault::new(message).within(tensors.bytes));
            }
            start += name.len();
        }
        if start != bytes.len() {
            let message = format!("the names end at byte {start}, expected {}", bytes.len());
            return Err(Fault::new(message).within(tensors.ends));
        }
        Ok(())
    }

    /// Announces the tensor of the ends. It must come before the bytes, because wide numbers come first in
    /// a file.
    pub(crate) fn announce_ends(&self, tensors: &NameTensors) -> Announced {
        (tensors.ends, Dtype::U64, vec![self.len()])
    }

    /// Announces the tensor of the bytes of all names.
    pub(crate) fn announce_bytes(&self, tensors: &NameTensors) -> Announced {
        (tensors.bytes, Dtype::U8, vec![self.bytes.len()])
    }

    pub(crate) fn write_ends(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(super::rows::bytes(&self.ends))
    }

    pub(crate) fn write_bytes(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(super::rows::bytes(&self.bytes))
    }
}

/// Names that arrive one by one.
#[derive(Default)]
pub(crate) struct NameList {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl NameList {
    pub(crate) fn push(&mut self, name: &str) {
        self.bytes.extend_from_slice(name.as_bytes());
        self.ends.push(self.bytes.len() as u64);
    }

    pub(crate) fn append(&mut self, more: NameList) {
        let before = self.bytes.len() as u64;
        self.bytes.extend(more.bytes);
        self.ends.extend(more.ends.iter().map(|end| before + end));
    }

    pub(crate) fn into_names(self) -> Names {
        Names { bytes: self.bytes.into(), ends: self.ends.into() }
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Names {
    /// Shows the first few names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().take(20)).finish()
    }
}
