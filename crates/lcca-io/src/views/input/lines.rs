//! Whole lines, a batch at a time.

use super::stream;
use crate::error::{Fault, Outcome};
use std::io::{BufRead, Read};
use std::path::Path;

const BATCH_BYTES: usize = 128 << 10;
const LONGEST_LINE: u64 = 1 << 30;

/// A file read line by line.
pub(crate) struct LineReader {
    from: Box<dyn BufRead + Send>,
    /// The number of the line that comes next.
    pub(crate) line: u64,
}

/// Lines, each with its end.
pub(crate) struct LineBatch {
    bytes: Vec<u8>,
    first: u64,
}

impl LineReader {
    pub(crate) fn open(path: &Path) -> Outcome<Self> {
        Ok(LineReader { from: stream(path)?, line: 1 })
    }

    /// Adds the next line to `bytes`; whether there was one.
    pub(crate) fn add(&mut self, bytes: &mut Vec<u8>) -> Outcome<bool> {
        let read = (&mut self.from).take(LONGEST_LINE).read_until(b'\n', bytes)?;
        if read as u64 == LONGEST_LINE {
            return Err(Fault::line(self.line, format!("is longer than {LONGEST_LINE} bytes")));
        }
        self.line += u64::from(read > 0);
        Ok(read > 0)
    }

    /// One line without its end.
    pub(crate) fn one(&mut self) -> Outcome<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        Ok(self.add(&mut bytes)?.then(|| without_end(&bytes).to_vec()))
    }

    /// At most so many lines, about a batch of bytes; none at the end.
    pub(crate) fn batch(&mut self, most: usize) -> Outcome<Option<LineBatch>> {
        let mut batch = LineBatch { bytes: Vec::with_capacity(BATCH_BYTES + 4096), first: self.line };
        let mut lines = 0;
        while lines < most && batch.bytes.len() < BATCH_BYTES && self.add(&mut batch.bytes)? {
            lines += 1;
        }
        Ok((lines > 0).then_some(batch))
    }
}

impl LineBatch {
    /// Lines that stand before those of the file that follow: a first line that was read to count its fields.
    pub(crate) fn single(line: Vec<u8>, first: u64) -> Self {
        LineBatch { bytes: line, first }
    }

    /// The lines as they lie.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The number of the first line.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// The lines and their numbers, without their ends.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let pieces = self.bytes.split_inclusive(|&byte| byte == b'\n');
        // A lone line can be empty: it has no end to be split at.
        let empty = self.bytes.is_empty().then_some(&[][..]);
        (self.first..).zip(pieces.chain(empty).map(without_end))
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
