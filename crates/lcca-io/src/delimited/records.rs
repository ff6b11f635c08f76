//! Lines put together to whole records: a quoted field may hold line ends.

use crate::error::{Fault, Outcome};
use crate::lines::{LineBatch, LineReader};
use csv::{ByteRecord, Reader, ReaderBuilder};

/// Quoted fields that do not end within so many bytes are taken for a stray quote.
const LONGEST_RECORD: usize = 1 << 20;

/// A file read record by record.
pub(super) struct Records {
    lines: LineReader,
    pub(super) delimiter: u8,
}

impl Records {
    pub(super) fn new(lines: LineReader, delimiter: u8) -> Self {
        Records { lines, delimiter }
    }

    /// The next record that is not blank: its bytes, its line and its fields.
    pub(super) fn one(&mut self) -> Outcome<Option<(Vec<u8>, u64, ByteRecord)>> {
        loop {
            let (mut bytes, line) = (Vec::new(), self.lines.line);
            if !self.lines.add(&mut bytes)? {
                return Ok(None);
            }
            if bytes.trim_ascii().is_empty() && !bytes.contains(&self.delimiter) {
                continue;
            }
            self.complete(&mut bytes, line)?;
            let mut record = ByteRecord::new();
            let read = parser(&bytes, self.delimiter).read_byte_record(&mut record);
            read.map_err(|error| Fault::line(line, error.to_string()))?;
            return Ok(Some((bytes, line, record)));
        }
    }

    /// Whole records of about one batch, or `None` at the end of the file.
    pub(super) fn batch(&mut self) -> Outcome<Option<LineBatch>> {
        let Some(batch) = self.lines.batch(usize::MAX)? else { return Ok(None) };
        let first = batch.first();
        let mut bytes = batch.into_bytes();
        self.complete(&mut bytes, first)?;
        Ok(Some(LineBatch::new(bytes, first)))
    }

    /// Adds lines until no quoted field is open.
    fn complete(&mut self, bytes: &mut Vec<u8>, first: u64) -> Outcome<()> {
        let Some(start) = open_quote(bytes, self.delimiter) else { return Ok(()) };
        let line = first + bytes[..start].iter().filter(|&&byte| byte == b'\n').count() as u64;
        while open_quote(&bytes[start..], self.delimiter).is_some() {
            if bytes.len() - start > LONGEST_RECORD || !self.lines.add(bytes)? {
                return Err(Fault::line(line, "a quoted field does not end"));
            }
        }
        Ok(())
    }
}

/// Where the record begins whose quoted field is still open at the end of the bytes.
fn open_quote(bytes: &[u8], delimiter: u8) -> Option<usize> {
    if !bytes.contains(&b'"') {
        return None;
    }
    let (mut record, mut field_begins, mut quoted) = (0, true, false);
    for (place, &byte) in bytes.iter().enumerate() {
        if quoted {
            // A quote inside is written twice, and opens the field again.
            quoted = byte != b'"';
            field_begins = !quoted;
            continue;
        }
        match byte {
            b'"' if field_begins => quoted = true,
            b'\n' => {
                record = place + 1;
                field_begins = true;
            }
            byte => field_begins = byte == delimiter,
        }
    }
    quoted.then_some(record)
}

/// Reads the fields of these bytes.
pub(super) fn parser(bytes: &[u8], delimiter: u8) -> Reader<&[u8]> {
    ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(bytes)
}

/// The line of the batch that a record is on, from 0. The position that the library tells is the end of the record
/// before it, so blank lines and the rest of a line end come first.
pub(super) fn line_of(record: &ByteRecord, bytes: &[u8]) -> u64 {
    let Some(position) = record.position() else { return 0 };
    let rest = bytes.get(position.byte() as usize..).unwrap_or_default();
    let blank =
        rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).filter(|&&byte| byte == b'\n').count();
    position.line() - 1 + blank as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_quote_at_the_beginning_of_a_field_opens_one() {
        for (bytes, open) in [
            ("a,b\n", None),
            ("a,\"b\nc", Some(0)),
            ("x\na,\"b\nc", Some(2)),
            ("a,\"b\nc\"\n", None),
            ("a,\"b \"\"q\"\" c\"\n", None),
            ("a,\"b \"\"q", Some(0)),
            ("5\" pipe,1\n", None),
        ] {
            assert_eq!(open_quote(bytes.as_bytes(), b','), open, "{bytes:?}");
        }
    }
}
