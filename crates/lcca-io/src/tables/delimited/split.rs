//! Finds where fields and records end. This is the one place that knows the meaning of quotes.
//!
//! A quote opens a field only as its first byte. Inside, a quote is written twice, and delimiters and line
//! ends are text. Only space may follow the quote that closes a field, up to the next delimiter, because
//! any other byte shows that a quote is missing or one too many, and rows would be merged. Fields between
//! spaces may have any number of them between, before and after.

use csv::ByteRecord;

/// The next field of a table, or the reason why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// A whole field.
    Field(Field),
    /// A quote that nothing closes before the bytes end.
    Open,
    /// A quote that closes a field in the middle of a text.
    Stray,
}

/// Where a field lies, and where the next one begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    start: usize,
    end: usize,
    quoted: bool,
    pub(super) next: usize,
    pub(super) ends_record: bool,
}

/// Cuts out the field that begins at a place. Takes time in proportion to its length.
pub(super) fn cut(bytes: &[u8], at: usize, delimiter: u8) -> Cut {
    let at = if delimiter == b' ' { after_spaces(bytes, at) } else { at };
    match cut_one(bytes, at, delimiter) {
        Cut::Field(field) if delimiter == b' ' => Cut::Field(followed_by_spaces(field, bytes)),
        other => other,
    }
}

fn cut_one(bytes: &[u8], at: usize, delimiter: u8) -> Cut {
    if bytes.get(at) != Some(&b'"') {
        return Cut::Field(plain(bytes, at, delimiter));
    }
    match closing_quote(bytes, at + 1) {
        Some(close) => after_quotes(bytes, at, close, delimiter),
        None => Cut::Open,
    }
}

fn after_spaces(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|&&byte| byte == b' ').count()
}

/// Takes the spaces after a field. If the line ends after them, the field is the last of its record.
fn followed_by_spaces(mut field: Field, bytes: &[u8]) -> Field {
    if field.ends_record {
        return field;
    }
    field.next = after_spaces(bytes, field.next);
    let rest = &bytes[field.next..];
    let line_end = if rest.starts_with(b"\r\n") { 2 } else { usize::from(rest.starts_with(b"\n")) };
    field.ends_record = line_end > 0 || rest.is_empty();
    field.next += line_end;
    field
}

fn plain(bytes: &[u8], start: usize, delimiter: u8) -> Field {
    let length = bytes[start..].iter().position(|&byte| byte == delimiter || byte == b'\n');
    let end = length.map_or(bytes.len(), |length| start + length);
    let ends_record = bytes.get(end) != Some(&delimiter);
    let has_return = ends_record && end > start && bytes[end - 1] == b'\r';
    let next = (end + 1).min(bytes.len());
    Field { start, end: end - usize::from(has_return), quoted: false, next, ends_record }
}

/// The quote that closes a field. `from` must lie inside the quotes, but not between two quotes that mean
/// one.
pub(super) fn closing_quote(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let quote = from + bytes.get(from..)?.iter().position(|&byte| byte == b'"')?;
        if bytes.get(quote + 1) != Some(&b'"') {
            return Some(quote);
        }
        from = quote + 2;
    }
}

fn after_quotes(bytes: &[u8], start: usize, close: usize, delimiter: u8) -> Cut {
    let is_space = |byte: &u8| *byte != delimiter && matches!(byte, b' ' | b'\t' | b'\r');
    let next = close + 1 + bytes[close + 1..].iter().take_while(|byte| is_space(byte)).count();
    let ends_record = match bytes.get(next) {
        Some(byte) if *byte == delimiter => false,
        Some(b'\n') | None => true,
        Some(_) => return Cut::Stray,
    };
    let next = (next + 1).min(bytes.len());
    Cut::Field(Field { start: start + 1, end: close, quoted: true, next, ends_record })
}

/// Reads whole records from bytes.
pub(super) struct Splitter<'a> {
    bytes: &'a [u8],
    delimiter: u8,
    at: usize,
    /// Where the record that was read last begins.
    began: usize,
    line: u64,
}

impl<'a> Splitter<'a> {
    /// Reads records from bytes in which no quoted field is left open. `line` is the line of the first one.
    pub(super) fn new(bytes: &'a [u8], delimiter: u8, line: u64) -> Self {
        Splitter { bytes, delimiter, at: 0, began: 0, line }
    }

    /// Reads the next record; returns the line that it begins on, or `None` at the end.
    pub(super) fn next(&mut self, record: &mut ByteRecord) -> Option<u64> {
        record.clear();
        if self.at == self.bytes.len() {
            return None;
        }
        let line = self.line;
        self.began = self.at;
        loop {
            // Records are whole, so every quote is closed, and any other cut means the end.
            let Cut::Field(field) = cut(self.bytes, self.at, self.delimiter) else { return None };
            self.at = field.next;
            self.take(&field, record);
            if field.ends_record {
                self.line += 1;
                return Some(line);
            }
            // A delimiter at the very end is followed by an empty field.
            if self.at == self.bytes.len() {
                record.push_field(b"");
                return Some(line);
            }
        }
    }

    /// Whether the record that was read last is a blank line. An empty field in quotes is not blank.
    pub(super) fn was_blank(&self) -> bool {
        let record = &self.bytes[self.began..self.at];
        record.trim_ascii().is_empty() && (self.delimiter == b' ' || !record.contains(&self.delimiter))
    }

    fn take(&mut self, field: &Field, record: &mut ByteRecord) {
        let content = &self.bytes[field.start..field.end];
        if !field.quoted {
            return record.push_field(content);
        }
        self.line += lines_in(content);
        if content.contains(&b'"') {
            // All quotes inside are doubled, and one of each pair is kept.
            let mut is_second = false;
            let kept = content.iter().filter(|&&byte| {
                is_second = byte == b'"' && !is_second;
                !is_second
            });
            return record.push_field(&kept.copied().collect::<Vec<u8>>());
        }
        record.push_field(content);
    }
}

/// The number of lines that end in these bytes.
pub(super) fn lines_in(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str) -> Vec<(u64, Vec<String>)> {
        records_between(text, b',')
    }

    fn records_between(text: &str, delimiter: u8) -> Vec<(u64, Vec<String>)> {
        let mut splitter = Splitter::new(text.as_bytes(), delimiter, 1);
        let mut record = ByteRecord::new();
        let mut all = Vec::new();
        while let Some(line) = splitter.next(&mut record) {
            all.push((line, record.iter().map(|field| String::from_utf8_lossy(field).into()).collect()));
        }
        all
    }

    #[test]
    fn records_are_cut_into_fields() {
        for (text, expected) in [
            ("a,b\n1,2", vec![(1, vec!["a", "b"]), (2, vec!["1", "2"])]),
            ("a,b\r\n1,\r\n", vec![(1, vec!["a", "b"]), (2, vec!["1", ""])]),
            ("a,", vec![(1, vec!["a", ""])]),
            ("\n,\n", vec![(1, vec![""]), (2, vec!["", ""])]),
            (
                "\"a,\n\"\"q\"\"\" ,b\n5\" pipe,\"\"\n",
                vec![(1, vec!["a,\n\"q\"", "b"]), (3, vec!["5\" pipe", ""])],
            ),
            ("\"\"\"\"\n", vec![(1, vec!["\""])]),
        ] {
            let expected: Vec<(u64, Vec<String>)> = expected
                .into_iter()
                .map(|(line, fields)| (line, fields.into_iter().map(String::from).collect()))
                .collect();
            assert_eq!(records(text), expected, "{text:?}");
        }
    }

    #[test]
    fn any_number_of_spaces_stands_between_two_fields() {
        let fields = |fields: [&str; 2]| fields.map(String::from).to_vec();
        assert_eq!(
            records_between("  a  \"b c\" \r\n1 2\n 3   4  ", b' '),
            [(1, fields(["a", "b c"])), (2, fields(["1", "2"])), (3, fields(["3", "4"]))]
        );
    }

    #[test]
    fn quotes_that_do_not_end_and_quotes_inside_a_text_are_told_apart() {
        for text in ["\"a,1\n", "\"a\"\"", "\""] {
            assert_eq!(cut(text.as_bytes(), 0, b','), Cut::Open, "{text:?}");
        }
        for text in ["\"a\"b,1\n", "\"a\n\"b\",1\n", "\"a\" \"b\"\n"] {
            assert_eq!(cut(text.as_bytes(), 0, b','), Cut::Stray, "{text:?}");
        }
    }
}
