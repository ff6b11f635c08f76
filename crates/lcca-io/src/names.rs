//! Column names: all of them as one run of bytes, and where each ends.
//!
//! In safetensors files these are two tensors, `names` (u8, UTF-8) and `name_ends` (u64, one a column). They are
//! mapped, and looked at only where somebody asks for them: then once, as a whole.

use crate::error::{Fault, Outcome};
use crate::tensors::{Announced, TensorFile};
use lcca::matrix::Buffer;
use safetensors::tensor::Dtype;
use std::fmt;
use std::io::{self, Write};

/// The names of a matrix's columns, in their order.
#[derive(Clone)]
pub struct Names {
    bytes: Buffer<u8>,
    ends: Buffer<u64>,
}

/// What the two tensors are called.
pub(crate) struct NameTensors {
    pub(crate) bytes: &'static str,
    pub(crate) ends: &'static str,
}

impl Names {
    /// These names.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Self {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for name in names {
            bytes.extend_from_slice(name.as_ref().as_bytes());
            ends.push(bytes.len() as u64);
        }
        Names { bytes: bytes.into(), ends: ends.into() }
    }

    /// How many columns are named.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name of this column; panics where there is no such column.
    pub fn get(&self, column: usize) -> &str {
        let ends = self.ends.as_slice();
        let start = if column == 0 { 0 } else { ends[column - 1].get() as usize };
        let bytes: &[u8] = bytemuck::cast_slice(&self.bytes.as_slice()[start..ends[column].get() as usize]);
        // Checked when the names were read or made; another program may have changed a mapped file since.
        std::str::from_utf8(bytes).unwrap_or("\u{fffd}")
    }

    /// All names, in the order of the columns.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|column| self.get(column))
    }

    /// The first column of which the other names have another, or none, where there is one.
    pub fn first_difference(&self, other: &Names) -> Option<usize> {
        let same = self.iter().zip(other.iter()).take_while(|(a, b)| a == b).count();
        (same < self.len().max(other.len())).then_some(same)
    }

    /// The column of this name, the first of several.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.iter().position(|found| found == name)
    }

    /// The two tensors of a file, where it has them.
    pub(crate) fn read(file: &TensorFile, called: &NameTensors, cols: usize) -> Outcome<Option<Names>> {
        if file.dtype(called.bytes).is_none() && file.dtype(called.ends).is_none() {
            return Ok(None);
        }
        let ends = file.vector(called.ends, Dtype::U64)?;
        let names = Names { bytes: file.vector(called.bytes, Dtype::U8)?, ends };
        names.check(cols, called)?;
        Ok(Some(names))
    }

    fn check(&self, cols: usize, called: &NameTensors) -> Outcome<()> {
        if self.len() != cols {
            let message = format!("holds {} names, expected {cols}, one a column", self.len());
            return Err(Fault::new(message).within(called.ends));
        }
        let bytes: &[u8] = bytemuck::cast_slice(self.bytes.as_slice());
        let mut start = 0;
        for (column, end) in self.ends.iter().enumerate() {
            let name = usize::try_from(end).ok().and_then(|end| bytes.get(start..end));
            let name = name.ok_or_else(|| {
                let message = format!("the name of column {column} ends at {end}, expected {start} or more and at most {} bytes", bytes.len());
                Fault::new(message).within(called.ends)
            })?;
            if std::str::from_utf8(name).is_err() {
                let message = format!("the name of column {column} is not UTF-8");
                return Err(Fault::new(message).within(called.bytes));
            }
            start += name.len();
        }
        match start == bytes.len() {
            true => Ok(()),
            false => Err(Fault::new(format!("the names end at byte {start}, expected {}", bytes.len()))
                .within(called.ends)),
        }
    }

    /// Where the names end, announced; wide numbers come first in a file.
    pub(crate) fn announce_ends(&self, called: &NameTensors) -> Announced {
        (called.ends, Dtype::U64, vec![self.len()])
    }

    /// The bytes of all names, announced.
    pub(crate) fn announce_bytes(&self, called: &NameTensors) -> Announced {
        (called.bytes, Dtype::U8, vec![self.bytes.len()])
    }

    pub(crate) fn write_ends(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(crate::rows::bytes(&self.ends))
    }

    pub(crate) fn write_bytes(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(crate::rows::bytes(&self.bytes))
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Names {
    /// The first few.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().take(20)).finish()
    }
}
