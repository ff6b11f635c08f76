//! The header of an array file.

use super::literal::Literal;
use crate::error::{Fault, Outcome};
use std::io::Read;

/// The bytes every array file begins with.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// The contents of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Descr {
    /// Numbers.
    Number(Kind),
    /// Byte strings of this length.
    Bytes(usize),
    /// Unicode strings of this length, four bytes per character.
    Unicode(usize),
}

/// A type of number and its byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) letter: u8,
    pub(crate) bytes: usize,
    pub(crate) big: bool,
}

impl Kind {
    /// The type of numbers that NumPy calls by this letter and width, if it can be read.
    pub(crate) fn new(letter: u8, bytes: usize, big: bool) -> Option<Kind> {
        let known = matches!((letter, bytes), (b'f', 2 | 4 | 8) | (b'i' | b'u', 1 | 2 | 4 | 8) | (b'b', 1));
        known.then_some(Kind { letter, bytes, big })
    }

    pub(crate) fn width(self) -> usize {
        self.bytes
    }

    /// Whether the numbers are of the type `letter` with `bytes` bytes, in the byte order of this machine.
    pub(crate) fn is(self, letter: u8, bytes: usize) -> bool {
        self.letter == letter && self.bytes == bytes && (!self.big || bytes == 1)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) descr: Descr,
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<usize>,
}

impl Header {
    /// Reads a header from a stream, and returns its bytes, the magic ones included.
    pub(super) fn read(from: &mut impl Read) -> Outcome<Vec<u8>> {
        const LONGEST: usize = 1 << 20;
        let short = |_| Fault::new("the header is cut short");
        let mut bytes = vec![0; MAGIC.len() + 4];
        from.read_exact(&mut bytes).map_err(short)?;
        let len = match bytes[MAGIC.len()..] {
            [1, _, a, b] => u16::from_le_bytes([a, b]) as usize,
            // Two more bytes of the length follow.
            [_, _, a, b] => {
                let mut more = [0; 2];
                from.read_exact(&mut more).map_err(short)?;
                bytes.extend(more);
                u32::from_le_bytes([a, b, more[0], more[1]]) as usize
            }
            _ => 0,
        };
        if len > LONGEST {
            return Err(Fault::new(format!(
                "the header says that it has {len} bytes, expected {LONGEST} at most"
            )));
        }
        from.take(len as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The number of bytes that the numbers or texts take; `None` if it overflows.
    pub(super) fn data_bytes(&self) -> Outcome<Option<usize>> {
        let width = match self.descr {
            Descr::Number(kind) => kind.width(),
            Descr::Bytes(len) => len,
            Descr::Unicode(len) => len.saturating_mul(4),
        };
        Ok(self.len()?.checked_mul(width))
    }

    /// Parses the header at the front of `bytes`, and returns it with the position of the first number.
    pub(crate) fn parse(bytes: &[u8]) -> Outcome<(Header, usize)> {
        let rest =
            bytes.strip_prefix(MAGIC).ok_or_else(|| Fault::new("does not begin like a NumPy array"))?;
        let (skip, len) = match rest {
            [1, _, a, b, ..] => (4, u16::from_le_bytes([*a, *b]) as usize),
            [2 | 3, _, a, b, c, d, ..] => (6, u32::from_le_bytes([*a, *b, *c, *d]) as usize),
            [version, ..] if *version > 3 => {
                return Err(Fault::new(format!("is NumPy array format {version}, expected 1, 2 or 3")));
            }
            _ => return Err(Fault::new("the header is cut short")),
        };
        let text = rest.get(skip..skip + len).ok_or_else(|| Fault::new("the header is cut short"))?;
        let text = std::str::from_utf8(text).map_err(|_| Fault::new("the header is not text"))?;
        Ok((Header::described(Literal::parse(text)?)?, MAGIC.len() + skip + len))
    }

    /// Makes a header of a dictionary, which must have three fields and no others.
    fn described(dictionary: Literal) -> Outcome<Header> {
        let Literal::Dictionary(fields) = dictionary else {
            return Err(Fault::new("the header is no Python dictionary"));
        };
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        for (name, value) in fields {
            match name.as_str() {
                "descr" => descr = Some(descr_of(value)?),
                "fortran_order" => fortran = Some(boolean(value)?),
                "shape" => shape = Some(sizes(value)?),
                _ => {
                    let expected = "expected descr, fortran_order and shape";
                    return Err(Fault::new(format!("the header has a field {name:?}, {expected}")));
                }
            }
        }
        let missing = |name: &str| Fault::new(format!("the header has no field {name}"));
        Ok(Header {
            descr: descr.ok_or_else(|| missing("descr"))?,
            fortran: fortran.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }

    /// The number of elements.
    pub(crate) fn len(&self) -> Outcome<usize> {
        let product = self.shape.iter().try_fold(1usize, |product, &side| product.checked_mul(side));
        product.ok_or_else(|| Fault::new(format!("the header says shape {:?}, more than can be", self.shape)))
    }
}

fn boolean(value: Literal) -> Outcome<bool> {
    match value {
        Literal::Boolean(value) => Ok(value),
        _ => Err(Fault::new("the header's fortran_order is neither True nor False")),
    }
}

fn sizes(value: Literal) -> Outcome<Vec<usize>> {
    let bad = || Fault::new("the header's shape is not a tuple of sizes");
    let Literal::Tuple(sides) = value else { return Err(bad()) };
    let side = |side| match side {
        Literal::Number(side) => usize::try_from(side).map_err(|_| bad()),
        _ => Err(bad()),
    };
    sides.into_iter().map(side).collect()
}

fn descr_of(value: Literal) -> Outcome<Descr> {
    let bad = |what: &str| Fault::new(format!("holds {what}, expected plain numbers"));
    let Literal::Text(name) = value else { return Err(bad("a structured type")) };
    let name = name.as_str();
    let (big, letter_and_width) = match name.as_bytes() {
        [b'>', rest @ ..] => (true, rest),
        [b'<' | b'|' | b'=', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let digits = letter_and_width.get(1..).and_then(|digits| std::str::from_utf8(digits).ok());
    let bytes = digits.and_then(|digits| digits.parse::<usize>().ok()).ok_or_else(|| bad(name))?;
    if let Some(kind) = Kind::new(letter_and_width[0], bytes, big) {
        return Ok(Descr::Number(kind));
    }
    match (letter_and_width[0], bytes) {
        (b'S', _) => Ok(Descr::Bytes(bytes)),
        (b'U', _) if !big => Ok(Descr::Unicode(bytes)),
        _ => Err(bad(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u8, text: &str) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([version, 0]);
        match version {
            1 => bytes.extend((text.len() as u16).to_le_bytes()),
            _ => bytes.extend((text.len() as u32).to_le_bytes()),
        }
        bytes.extend(text.as_bytes());
        bytes
    }

    #[test]
    fn every_version_says_the_same() {
        for (version, before) in [(1, 10), (2, 12), (3, 12)] {
            let text = "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }";
            let (header, start) = Header::parse(&file(version, text)).unwrap();
            let kind = Kind { letter: b'f', bytes: 4, big: false };
            assert_eq!(header, Header { descr: Descr::Number(kind), fortran: true, shape: vec![3, 4] });
            assert_eq!(start, before + text.len());
        }
    }

    #[test]
    fn other_types_than_plain_numbers_are_named() {
        let message = |descr: &str| {
            let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (3,), }}");
            Header::parse(&file(1, &text)).err().map(|f| f.at("f".as_ref()).to_string()).unwrap_or_default()
        };
        assert!(message("'<c16'").contains("holds <c16"));
        assert!(message("'|O'").contains("holds |O"));
        assert!(message("[('a', '<f8')]").contains("structured"));
        assert!(message("'<f16'").contains("holds <f16"));
        assert_eq!([message("'>i2'"), message("'<f2'")], ["", ""]);
    }

    #[test]
    fn fields_are_told_from_texts_that_look_like_them_and_none_comes_twice() {
        let message = |text: &str| {
            Header::parse(&file(1, text)).err().map(|f| f.at("f".as_ref()).to_string()).unwrap_or_default()
        };
        let twice = "{'descr': '<i2', 'fortran_order': False, 'shape': (9, 2), 'fortran_order': True, }";
        assert!(message(twice).contains("has the field \"fortran_order\" twice"), "{}", message(twice));
        let inside = "{'descr': [(\"'shape': (1,)\", '<f4')], 'fortran_order': False, 'shape': (3,), }";
        assert!(message(inside).contains("structured"), "{}", message(inside));
        let more = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'note': \"'shape': (1,)\"}";
        assert!(message(more).contains("has a field \"note\""), "{}", message(more));
        let number = "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}";
        assert!(message(number).contains("shape is not a tuple"), "{}", message(number));
        let less = "{'descr': '<f4', 'fortran_order': False}";
        assert!(message(less).contains("no field shape"), "{}", message(less));
    }
}
