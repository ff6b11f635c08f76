//! Thrift's compact protocol, in which Parquet writes its headers. Only enough of it is read to skip the
//! fields that are not needed.

use std::io::{self, Read};

/// How deep structures may lie in each other.
const DEEPEST: usize = 16;

/// Counts the bytes that are read.
pub(super) struct Counted<R> {
    inner: R,
    pub(super) count: u64,
}

impl<R: Read> Counted<R> {
    pub(super) fn new(inner: R) -> Self {
        Counted { inner, count: 0 }
    }

    pub(super) fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.inner.read_exact(&mut byte)?;
        self.count += 1;
        Ok(byte[0])
    }

    pub(super) fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.inner.by_ref().take(bytes), &mut io::sink())?;
        self.count += skipped;
        if skipped == bytes { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// A number in groups of seven bits, the least significant first.
    pub(super) fn varint(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(io::ErrorKind::InvalidData.into())
    }
}

pub(super) fn zigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Skips a value of this type.
pub(super) fn skip<R: Read>(from: &mut Counted<R>, kind: u8, depth: usize) -> io::Result<()> {
    if depth > DEEPEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    match kind {
        // A truth value of a field takes no bytes, because it is part of the field's head.
        1 | 2 => Ok(()),
        3 => from.skip(1),
        4..=6 => from.varint().map(drop),
        7 => from.skip(8),
        8 => {
            let len = from.varint()?;
            from.skip(len)
        }
        9 | 10 => {
            let head = from.byte()?;
            let len = if head >> 4 == 15 { from.varint()? } else { u64::from(head >> 4) };
            // A truth value in a list takes a byte.
            let kind = if head & 15 <= 2 { 3 } else { head & 15 };
            (0..len).try_for_each(|_| skip(from, kind, depth + 1))
        }
        12 => loop {
            let head = from.byte()?;
            if head == 0 {
                return Ok(());
            }
            if head >> 4 == 0 {
                from.varint()?;
            }
            skip(from, head & 15, depth + 1)?;
        },
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
