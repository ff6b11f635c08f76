//! Checks the sizes that the pages of a column claim, before the library makes room for them.
//!
//! A page begins with a header in Thrift's compact protocol, of which the first fields are its kind, its
//! size once unpacked, and its size in the file. A page is refused if its codec cannot make that many bytes
//! of those it has.

use super::broken::broken;
use super::thrift::{Counted, skip, zigzag};
use crate::error::{Fault, Outcome};
use crate::safe::memory;
use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use std::fs::File;
use std::io::{self, Read};

/// The most bytes that are read of a header, more than any header has. Headers can be long because
/// statistics hold values of the column.
const LONGEST_HEADER: u64 = 16 << 20;

/// Checks all pages of one column of a group.
pub(super) fn check(file: &File, column: &ColumnChunkMetaData) -> Outcome<()> {
    let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
    let (Ok(mut start), Ok(len)) = (u64::try_from(start), u64::try_from(column.compressed_size())) else {
        return Err(wrong("a column has no place"));
    };
    let end = start.saturating_add(len);
    while start < end {
        let mut from = Counted::new(file.get_read(start).map_err(broken)?.take(LONGEST_HEADER));
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

/// The most bytes that this many packed bytes can unpack to.
fn most(codec: Compression, packed: u64) -> u64 {
    // The allowance is needed because levels of missing values may be left unpacked, and very small pages
    // grow.
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

/// The sizes of a page, once unpacked and in the file, from its header, which is read to its end.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_found_between_other_fields() {
        // Kind 0, 300 bytes unpacked, 100 packed, a structure with a number and a text, a truth value.
        let bytes =
            [0x15, 0, 0x15, 0xd8, 0x04, 0x15, 0xc8, 0x01, 0x2c, 0x15, 2, 0x18, 1, b'x', 0, 0x11, 0, 99];
        let mut from = Counted::new(&bytes[..]);
        assert_eq!(sizes(&mut from).unwrap(), (300, 100));
        assert_eq!(from.count, bytes.len() as u64 - 1);
        assert!(sizes(&mut Counted::new(&bytes[..9])).is_err());
        assert!(sizes(&mut Counted::new(&[0x15, 0, 0x15, 1, 0x15, 2, 0][..])).is_err(), "below zero");
    }
}
