//! The sizes that the pages of a column claim, checked before the library makes room for them.
//!
//! A page begins with a header in Thrift's compact protocol, of which the first fields are its kind, its size once
//! unpacked, and its size in the file. A page cannot unpack to more than its codec can make of its bytes.

use super::broken::broken;
use crate::error::{Fault, Outcome};
use crate::memory;
use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use std::fs::File;
use std::io::{self, Read};

/// How deep structures may lie in each other in a header.
const DEEPEST: usize = 16;
/// More bytes than any header has; statistics hold values of the column.
const LONGEST_HEADER: u64 = 16 << 20;

/// Checks all pages of one column of a group.
pub(super) fn check(file: &File, column: &ColumnChunkMetaData) -> Outcome<()> {
    let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
    let (Ok(mut start), Ok(len)) = (u64::try_from(start), u64::try_from(column.compressed_size())) else {
        return Err(wrong("a column has no place"));
    };
    let end = start.saturating_add(len);
    while start < end {
        let mut from =
            Counted { inner: file.get_read(start).map_err(broken)?.take(LONGEST_HEADER), count: 0 };
        let (unpacked, packed) = sizes(&mut from).map_err(|_| wrong("a page has no header"))?;
        start = start.saturating_add(from.count).saturating_add(packed);
        if start > end {
            return Err(wrong("a page lies outside of its column"));
        }
        if unpacked > most(column.compression(), packed) {
            return Err(wrong("a page cannot hold as much as it says"));
        }
        memory::check(unpacked, "a page")?;
    }
    Ok(())
}

/// The most bytes that so many can unpack to.
fn most(codec: Compression, packed: u64) -> u64 {
    // Levels of missing values may be left unpacked, and very small pages grow.
    const EXTRA: u64 = 1 << 16;
    let factor = match codec {
        Compression::UNCOMPRESSED => 1,
        Compression::SNAPPY => 64,
        Compression::LZ4 | Compression::LZ4_RAW => 255,
        Compression::GZIP(_) => 1032,
        _ => return u64::MAX,
    };
    packed.saturating_mul(factor).saturating_add(EXTRA)
}

fn wrong(what: &str) -> Fault {
    Fault::new(format!("truncated, corrupt or not a Parquet file ({what})"))
}

/// Counts the bytes that are read.
struct Counted<R> {
    inner: R,
    count: u64,
}

impl<R: Read> Counted<R> {
    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.inner.read_exact(&mut byte)?;
        self.count += 1;
        Ok(byte[0])
    }

    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.inner.by_ref().take(bytes), &mut io::sink())?;
        self.count += skipped;
        if skipped == bytes { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// A number in groups of seven bits, the least significant first.
    fn varint(&mut self) -> io::Result<u64> {
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

/// The sizes of a page once unpacked and in the file, from its header, which is read to its end.
fn sizes<R: Read>(from: &mut Counted<R>) -> io::Result<(u64, u64)> {
    const INVALID: io::ErrorKind = io::ErrorKind::InvalidData;
    let (mut field, mut found) = (0, [None; 4]);
    loop {
        let head = from.byte()?;
        if head == 0 {
            let [_, _, Some(unpacked), Some(packed)] = found else { return Err(INVALID.into()) };
            return Ok((unpacked, packed));
        }
        field = match head >> 4 {
            0 => zigzag(from.varint()?),
            delta => i64::from(delta) + field,
        };
        match (head & 15, usize::try_from(field)) {
            (5, Ok(field @ 1..=3)) => {
                let size = zigzag(from.varint()?);
                found[field] = Some(u64::try_from(size).map_err(|_| INVALID)?);
            }
            (kind, _) => skip(from, kind, 0)?,
        }
    }
}

fn zigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Skips a value of this type.
fn skip<R: Read>(from: &mut Counted<R>, kind: u8, depth: usize) -> io::Result<()> {
    if depth > DEEPEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    match kind {
        // Truth values of fields are part of their head.
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
            // Truth values in lists take a byte each.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_found_between_other_fields() {
        // Kind 0, 300 bytes unpacked, 100 packed, a structure with a number and a text, a truth value.
        let bytes =
            [0x15, 0, 0x15, 0xd8, 0x04, 0x15, 0xc8, 0x01, 0x2c, 0x15, 2, 0x18, 1, b'x', 0, 0x11, 0, 99];
        let mut from = Counted { inner: &bytes[..], count: 0 };
        assert_eq!(sizes(&mut from).unwrap(), (300, 100));
        assert_eq!(from.count, bytes.len() as u64 - 1);
        assert!(sizes(&mut Counted { inner: &bytes[..9], count: 0 }).is_err());
        assert!(
            sizes(&mut Counted { inner: &[0x15, 0, 0x15, 1, 0x15, 2, 0][..], count: 0 }).is_err(),
            "below zero"
        );
    }
}
