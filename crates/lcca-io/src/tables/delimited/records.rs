//! Puts lines together to whole records, because a quoted field may hold line ends.

use super::split::{Cut, Splitter, closing_quote, cut, lines_in};
use crate::error::{Fault, Outcome};
use crate::input::lines::{LineBatch, LineReader};
use csv::ByteRecord;

/// The longest quoted field, in bytes. If it does not end within them, the quote is taken for a stray one.
const LONGEST_FIELD: usize = 1 << 20;

/// A file read record by record.
pub(super) struct Records {
    lines: LineReader,
    pub(super) delimiter: u8,
}

impl Records {
    pub(super) fn new(lines: LineReader, delimiter: u8) -> Self {
        Records { lines, delimiter }
    }

    /// Reads the next record that is not blank: its bytes, its line and its fields.
    pub(super) fn one(&mut self) -> Outcome<Option<(Vec<u8>, u64, ByteRecord)>> {
        loop {
            let (mut bytes, line) = (Vec::new(), self.lines.line);
            if !self.lines.add(&mut bytes)? {
                return Ok(None);
            }
            self.complete(&mut bytes, line)?;
            let mut record = ByteRecord::new();
            let mut splitter = Splitter::new(&bytes, self.delimiter, line);
            splitter.next(&mut record);
            if !splitter.was_blank() {
                return Ok(Some((bytes, line, record)));
            }
        }
    }

    /// Reads whole records of about one batch, or returns `None` at the end of the file.
    pub(super) fn batch(&mut self) -> Outcome<Option<LineBatch>> {
        let Some(batch) = self.lines.batch(usize::MAX)? else { return Ok(None) };
        let first = batch.first();
        let mut bytes = batch.into_bytes();
        self.complete(&mut bytes, first)?;
        Ok(Some(LineBatch::new(bytes, first)))
    }

    /// Adds lines until no quoted field is open. Looks at each byte once, even if a field spans many lines.
    fn complete(&mut self, bytes: &mut Vec<u8>, first: u64) -> Outcome<()> {
        if !bytes.contains(&b'"') {
            return Ok(());
        }
        let mut at = 0;
        while at < bytes.len() {
            let wrong = |bytes: &[u8], message| Fault::line(first + lines_in(&bytes[..at]), message);
            match cut(bytes, at, self.delimiter) {
                Cut::Field(field) => at = field.next,
                Cut::Open if self.close(bytes, at)? => {}
                Cut::Open => return Err(wrong(bytes, "a quote opens a field here that does not end")),
                Cut::Stray => {
                    let message = "a quote opens a field here, and text follows the quote that ends it";
                    return Err(wrong(bytes, message));
                }
            }
        }
        Ok(())
    }

    /// Adds lines until the field whose quote is at `start` is closed; false if it never is.
    fn close(&mut self, bytes: &mut Vec<u8>, start: usize) -> Outcome<bool> {
        loop {
            // The bytes end with a whole line, so that the next line begins inside of the quotes.
            let from = bytes.len();
            if from - start > LONGEST_FIELD || !self.lines.add(bytes)? {
                return Ok(false);
            }
            if closing_quote(bytes, from).is_some() {
                return Ok(true);
            }
        }
    }
}
