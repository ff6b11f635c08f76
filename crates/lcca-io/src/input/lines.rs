//! Texts line by line, one batch of whole lines at a time.

use super::encoding::utf8;
use super::source::Source;
use super::standard_input;
use crate::error::{Fault, Outcome};
use std::collections::VecDeque;
use std::io::{BufRead, Read};
use std::path::Path;

const BATCH_BYTES: usize = 128 << 10;
const LONGEST_LINE: u64 = 1 << 30;

/// A file read line by line.
pub(crate) struct LineReader {
    from: Box<dyn BufRead + Send>,
    /// The number of the next line.
    pub(crate) line: u64,
    /// Lines that [`LineReader::peek`] has read and that are still to be handed out, with their line ends.
    peeked: VecDeque<Vec<u8>>,
}

/// Lines with their line ends.
pub(crate) struct LineBatch {
    bytes: Vec<u8>,
    first: u64,
}

/// The bytes of a file, unpacked; `-` is standard input.
pub(crate) fn open_text(path: &Path) -> Outcome<Box<dyn BufRead + Send>> {
    if standard_input::is_meant(path) {
        utf8(Box::new(standard_input::stream()?))
    } else {
        utf8(Source::open(path)?.stream()?)
    }
}

impl LineReader {
    pub(crate) fn open(path: &Path) -> Outcome<Self> {
        Ok(LineReader { from: open_text(path)?, line: 1, peeked: VecDeque::new() })
    }

    /// Reads the lines of a file that is already open.
    pub(crate) fn new(source: Source) -> Outcome<Self> {
        Ok(LineReader { from: utf8(source.stream()?)?, line: 1, peeked: VecDeque::new() })
    }

    /// Adds the next line to `bytes`, and returns whether there was one.
    pub(crate) fn add(&mut self, bytes: &mut Vec<u8>) -> Outcome<bool> {
        if let Some(line) = self.peeked.pop_front() {
            bytes.extend(line);
            self.line += 1;
            return Ok(true);
        }
        let read = (&mut self.from).take(LONGEST_LINE).read_until(b'\n', bytes)?;
        if read as u64 == LONGEST_LINE {
            return Err(Fault::line(self.line, format!("is longer than {LONGEST_LINE} bytes")));
        }
        self.line += u64::from(read > 0);
        Ok(read > 0)
    }

    /// The next lines without their line ends, blank ones left out. They are kept and will be read again.
    pub(crate) fn peek(&mut self, most: usize) -> Outcome<Vec<Vec<u8>>> {
        while self.peeked.len() < most {
            let mut bytes = Vec::new();
            let read = (&mut self.from).take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
            if read as u64 == LONGEST_LINE {
                let line = self.line + self.peeked.len() as u64;
                return Err(Fault::line(line, format!("is longer than {LONGEST_LINE} bytes")));
            }
            if read == 0 {
                break;
            }
            self.peeked.push_back(bytes);
        }
        let lines = self.peeked.iter().map(|line| without_end(line).to_vec());
        Ok(lines.filter(|line| !line.trim_ascii().is_empty()).collect())
    }

    /// The next line without its line end, or `None` at the end of the file.
    pub(crate) fn one(&mut self) -> Outcome<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        Ok(self.add(&mut bytes)?.then(|| without_end(&bytes).to_vec()))
    }

    /// At most `most` lines that fill about one batch, or `None` at the end of the file.
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
    /// A batch of lines that were read one by one, such as a first line that was needed to count its
    /// fields.
    pub(crate) fn new(lines: Vec<u8>, first: u64) -> Self {
        LineBatch { bytes: lines, first }
    }

    /// The lines as they lie, with their line ends.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes the bytes of the lines, with their line ends.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Puts this batch and the one after it together.
    pub(crate) fn followed_by(mut self, next: LineBatch) -> Self {
        // Blank lines between the two are kept as such, so that lines are counted right.
        let lines = self.bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
        let blank = next.first.saturating_sub(self.first + lines);
        self.bytes.extend(std::iter::repeat_n(b'\n', blank as usize));
        self.bytes.extend(next.bytes);
        self
    }

    /// The number of the first line.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// The lines without their line ends, each with its number.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let pieces = self.bytes.split_inclusive(|&byte| byte == b'\n');
        // A lone line can be empty, and then there is no line end to split at.
        let empty = self.bytes.is_empty().then_some(&[][..]);
        (self.first..).zip(pieces.chain(empty).map(without_end))
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
