//! Parses lines of text in parallel. Whole lines are read one block at a time and cut into chunks for the
//! threads, so that memory beyond the result does not grow with the file.

use crate::error::{Fault, Outcome};
use rayon::prelude::*;
use std::io::Read;

const BLOCK_BYTES: usize = 8 << 20;
const CHUNK_BYTES: usize = 128 << 10;
const LONGEST_LINE: usize = 1 << 30;
const LONGEST_HEADER_LINE: usize = 1 << 16;

/// A text read forwards once.
pub(crate) struct Text {
    from: Box<dyn Read + Send>,
    /// Bytes that were read and not yet parsed.
    bytes: Vec<u8>,
    /// The number of lines that have been read one by one, as those of a header are.
    lines: u64,
    ended: bool,
}

impl Text {
    pub(crate) fn new(from: Box<dyn Read + Send>) -> Self {
        Text { from, bytes: Vec::new(), lines: 0, ended: false }
    }

    /// The number of the next line.
    pub(crate) fn line(&self) -> u64 {
        self.lines + 1
    }

    fn fill(&mut self, bytes: usize) -> Outcome<()> {
        let read = (&mut self.from).take(bytes as u64).read_to_end(&mut self.bytes)?;
        self.ended = read < bytes;
        Ok(())
    }

    /// Reads one line of a header.
    pub(crate) fn next_line(&mut self) -> Outcome<Option<String>> {
        loop {
            let end = self.bytes.iter().take(LONGEST_HEADER_LINE).position(|&byte| byte == b'\n');
            match end {
                Some(end) => return self.take_line(end + 1).map(Some),
                None if self.bytes.len() > LONGEST_HEADER_LINE => {
                    return Err(Fault::line(self.line(), "is too long for a line of a header"));
                }
                None if self.ended && self.bytes.is_empty() => return Ok(None),
                None if self.ended => return self.take_line(self.bytes.len()).map(Some),
                None => self.fill(LONGEST_HEADER_LINE)?,
            }
        }
    }

    fn take_line(&mut self, end: usize) -> Outcome<String> {
        let line = String::from_utf8(self.bytes.drain(..end).collect());
        let line = line.map_err(|_| Fault::line(self.line(), "is not text"))?;
        self.lines += 1;
        Ok(line.trim().to_string())
    }

    /// Reads whole lines of about a block; empty at the end of the text.
    fn next_block(&mut self) -> Outcome<Vec<u8>> {
        let mut searched = 0;
        while !self.ended {
            self.fill(BLOCK_BYTES)?;
            if let Some(end) = self.bytes[searched..].iter().rposition(|&byte| byte == b'\n') {
                let rest = self.bytes.split_off(searched + end + 1);
                return Ok(std::mem::replace(&mut self.bytes, rest));
            }
            searched = self.bytes.len();
            if searched > LONGEST_LINE {
                return Err(Fault::line(self.line(), format!("is longer than {LONGEST_LINE} bytes")));
            }
        }
        Ok(std::mem::take(&mut self.bytes))
    }

    /// Parses all remaining lines, chunks in parallel, and hands over the results in the order of the text.
    /// Meanwhile the next block is read and unpacked.
    pub(crate) fn parse<T: Send>(
        mut self,
        parse: impl Fn(Lines<'_>) -> Outcome<T> + Sync,
        mut take: impl FnMut(T) -> Outcome<()>,
    ) -> Outcome<()> {
        let parse_block = |block: &[u8]| -> Vec<(Outcome<T>, u64)> {
            let chunks = chunks(block).into_par_iter();
            chunks.map(|chunk| (parse(Lines { bytes: chunk, line: 0 }), newlines(chunk))).collect()
        };
        let mut lines = self.lines;
        let mut block = self.next_block()?;
        while !block.is_empty() {
            let (next, parsed) = rayon::join(|| self.next_block(), || parse_block(&block));
            for (result, more) in parsed {
                // The lines before the chunk are added, because chunks count their lines from 1.
                take(result.map_err(|fault| fault.after_lines(lines))?)?;
                lines += more;
            }
            block = next?;
        }
        Ok(())
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// Cuts a block into chunks of whole lines.
fn chunks(mut block: &[u8]) -> Vec<&[u8]> {
    let mut chunks = Vec::new();
    while !block.is_empty() {
        let from = CHUNK_BYTES.min(block.len());
        let end = block[from..].iter().position(|&byte| byte == b'\n');
        let end = end.map_or(block.len(), |end| from + end + 1);
        let (chunk, rest) = block.split_at(end);
        chunks.push(chunk);
        block = rest;
    }
    chunks
}

/// The lines of a chunk with their numbers, from 1.
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    line: u64,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (u64, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() {
            return None;
        }
        let end = self.bytes.iter().position(|&byte| byte == b'\n');
        let (line, rest) = match end {
            Some(end) => (&self.bytes[..end], &self.bytes[end + 1..]),
            None => (self.bytes, &[][..]),
        };
        self.bytes = rest;
        self.line += 1;
        Some((self.line, line.trim_ascii()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::text::{index, tokens};

    #[test]
    fn lines_keep_their_order_and_numbers_however_long_the_text() {
        let text: String =
            (1..=300_000).map(|line| format!("{line} some padding to make it long\n")).collect();
        let reader = Text::new(Box::new(std::io::Cursor::new(text.into_bytes())));
        let mut seen = 0u64;
        let number = |line: &[u8]| tokens(line).next().and_then(index).unwrap();
        reader
            .parse(
                |lines| Ok(lines.map(|(_, line)| number(line)).collect::<Vec<_>>()),
                |numbers| {
                    numbers.into_iter().for_each(|number| {
                        seen += 1;
                        assert_eq!(number, seen);
                    });
                    Ok(())
                },
            )
            .ok()
            .unwrap();
        assert_eq!(seen, 300_000);
    }

    #[test]
    fn a_fault_far_into_the_text_names_its_line() {
        let text: String = (1..=1_000_000).map(|line| format!("{line}\n")).collect();
        let reader = Text::new(Box::new(std::io::Cursor::new(text.into_bytes())));
        let find = |mut lines: Lines<'_>| match lines.find(|(_, line)| *line == b"777777") {
            Some((line, _)) => Err(Fault::line(line, "found")),
            None => Ok(()),
        };
        let fault = reader.parse(find, |()| Ok(())).err().unwrap();
        assert_eq!(fault.at("f".as_ref()).to_string(), "f: line 777777: found");
    }
}
