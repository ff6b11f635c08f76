//! Turns texts of any program into UTF-8: marks at the beginning are left out, UTF-16 is decoded, and the
//! line ends of old Macs become line feeds.

use crate::error::{Fault, Outcome};
use std::io::{self, BufRead, BufReader, Read};

const BUFFER: usize = 1 << 18;

/// Reads a text as UTF-8 with `\n` at the end of its lines, perhaps after `\r`.
pub(crate) fn utf8(bytes: Box<dyn Read + Send>) -> Outcome<Box<dyn BufRead + Send>> {
    let mut bytes = BufReader::with_capacity(BUFFER, bytes);
    let head = bytes.fill_buf()?;
    let (mark, big_endian) = match head {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => {
            return Err(Fault::new("is UTF-32, expected UTF-8: convert it with iconv -f utf-32 -t utf-8"));
        }
        [0xef, 0xbb, 0xbf, ..] => (3, None),
        [0xff, 0xfe, ..] => (2, Some(false)),
        [0xfe, 0xff, ..] => (2, Some(true)),
        _ => (0, None),
    };
    bytes.consume(mark);
    let Some(big_endian) = big_endian else { return with_line_ends(bytes) };
    with_line_ends(BufReader::with_capacity(BUFFER, Utf16 { bytes, big_endian, text: Vec::new(), given: 0 }))
}

/// Passes the text on as it is, unless its beginning has carriage returns and no other line ends.
fn with_line_ends<R: Read + Send + 'static>(mut text: BufReader<R>) -> Outcome<Box<dyn BufRead + Send>> {
    let head = text.fill_buf()?;
    if head.contains(&b'\n') || !head[..head.len().saturating_sub(1)].contains(&b'\r') {
        return Ok(Box::new(text));
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER, Returns(text))))
}

/// A text in which carriage returns become line ends.
struct Returns<R>(R);

impl<R: Read> Read for Returns<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(into)?;
        into[..read].iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
        Ok(read)
    }
}

/// UTF-16 decoded as it is read.
struct Utf16<R> {
    bytes: R,
    big_endian: bool,
    /// Decoded text, of which `given` bytes have been handed out.
    text: Vec<u8>,
    given: usize,
}

impl<R: BufRead> Utf16<R> {
    /// The next unit of two bytes, or `None` at the end.
    fn unit(&mut self) -> io::Result<Option<u16>> {
        let mut two = [0; 2];
        let mut read = 0;
        while read < 2 {
            match self.bytes.read(&mut two[read..])? {
                0 if read == 0 => return Ok(None),
                0 => return Err(broken("ends in the middle of a character")),
                more => read += more,
            }
        }
        Ok(Some(if self.big_endian { u16::from_be_bytes(two) } else { u16::from_le_bytes(two) }))
    }

    /// Decodes about as many characters as fit into a buffer.
    fn decode(&mut self) -> io::Result<()> {
        self.text.clear();
        self.given = 0;
        while self.text.len() < BUFFER {
            let Some(first) = self.unit()? else { return Ok(()) };
            let is_half = (0xd800..0xdc00).contains(&first);
            let second = if is_half { self.unit()? } else { None };
            match char::decode_utf16([first].into_iter().chain(second)).next() {
                Some(Ok(character)) => self.text.extend(character.encode_utf8(&mut [0; 4]).bytes()),
                _ => return Err(broken("holds half of a character")),
            }
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Utf16<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.given == self.text.len() {
            self.decode()?;
        }
        let rest = &self.text[self.given..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("begins like UTF-16 but {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: Vec<u8>) -> Outcome<String> {
        let mut text = String::new();
        utf8(Box::new(io::Cursor::new(bytes)))?.read_to_string(&mut text)?;
        Ok(text)
    }

    fn utf16(text: &str, big_endian: bool) -> Vec<u8> {
        let bytes = |unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
    }

    #[test]
    fn marks_say_how_a_text_is_encoded() {
        let text = "größe,𝒳\n1,2\n".repeat(50_000);
        for bytes in [
            text.clone().into_bytes(),
            [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            utf16(&text, false),
            utf16(&text, true),
        ] {
            assert!(decoded(bytes).ok().as_ref() == Some(&text));
        }
    }

    #[test]
    fn broken_texts_are_refused() {
        let mut cut = utf16("ab", false);
        cut.pop();
        for bytes in [cut, vec![0xff, 0xfe, 0, 0xd8, b'a', 0], vec![0xff, 0xfe, 0, 0, b'a', 0, 0, 0]] {
            assert!(decoded(bytes.clone()).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn carriage_returns_end_lines_if_nothing_else_does() {
        for (text, expected) in
            [("a\rb\r", "a\nb\n"), ("a\r\nb\r\n", "a\r\nb\r\n"), ("a\rb\n", "a\rb\n"), ("a\r", "a\r")]
        {
            assert_eq!(decoded(text.as_bytes().to_vec()).ok().as_deref(), Some(expected));
        }
    }
}
