//! One batch of rows: where each column's buffers lie, and their bytes, unpacked if need be.

use super::column::{self, Layout, bit};
use crate::error::{Fault, Outcome};
use crate::safe::guard::guarded;
use crate::safe::memory::{self, read_at_most};
use crate::tables::arrow_fields::flatbuffer::{List, Table};
use crate::tables::arrow_fields::{Kind, TextLayout, utf8};
use std::borrow::Cow;
use std::io::ErrorKind;

/// How the buffers of a batch are packed, each by itself.
#[derive(Clone, Copy)]
enum Codec {
    Plain,
    Lz4,
    Zstd,
}

impl Codec {
    /// The most rows that a batch of this many bytes can have: a row takes at least a bit, and each codec
    /// has a largest factor by which it can pack.
    fn most_rows(self, bytes: usize) -> usize {
        let largest = match self {
            Codec::Plain => 1,
            Codec::Lz4 => 255,
            // A block of 128 KiB that repeats one byte takes four bytes.
            Codec::Zstd => 1 << 15,
        };
        bytes.saturating_mul(8 * largest)
    }
}

/// A batch whose columns have not been read.
pub(super) struct Batch<'a> {
    pub(super) rows: usize,
    nodes: List<'a>,
    buffers: List<'a>,
    views: Option<List<'a>>,
    codec: Codec,
    body: &'a [u8],
}

/// Where the parts of the next column lie in a batch.
#[derive(Clone, Default)]
pub(super) struct Cursor {
    node: usize,
    buffer: usize,
    view: usize,
}

impl<'a> Batch<'a> {
    /// Opens the batch that the metadata of a message describes.
    pub(super) fn new(message: Table<'a>, body: &'a [u8]) -> Outcome<Self> {
        const RECORD_BATCH: u8 = 3;
        if message.u8(1) != Some(RECORD_BATCH) {
            return Err(broken("a batch of rows is none"));
        }
        Batch::described(message.table(2).ok_or_else(|| broken("a batch has no header"))?, body)
    }

    /// Opens the values of a dictionary that the metadata of a message describes, and returns them with the
    /// number of the dictionary.
    pub(super) fn dictionary(message: Table<'a>, body: &'a [u8]) -> Outcome<(i64, Self)> {
        const DICTIONARY_BATCH: u8 = 2;
        const IS_DELTA: usize = 2;
        let header = message.table(2).filter(|_| message.u8(1) == Some(DICTIONARY_BATCH));
        let header = header.ok_or_else(|| broken("a dictionary is none"))?;
        if header.u8(IS_DELTA).unwrap_or(0) != 0 {
            return Err(Fault::new("has a dictionary in several parts, expected it in one"));
        }
        let data = header.table(1).ok_or_else(|| broken("a dictionary has no texts"))?;
        Ok((header.i64(0).unwrap_or(0), Batch::described(data, body)?))
    }

    fn described(header: Table<'a>, body: &'a [u8]) -> Outcome<Self> {
        let codec = match header.table(3).map(|packing| packing.u8(0).unwrap_or(0)) {
            None => Codec::Plain,
            Some(0) => Codec::Lz4,
            Some(1) => Codec::Zstd,
            Some(other) => {
                return Err(Fault::new(format!("is packed by codec {other}, expected LZ4 or zstd")));
            }
        };
        let rows =
            usize::try_from(header.i64(0).unwrap_or(0)).map_err(|_| broken("a batch has no length"))?;
        if rows > codec.most_rows(body.len()) {
            return Err(broken("a batch has more rows than its bytes can hold"));
        }
        Ok(Batch {
            rows,
            nodes: header.list(1).ok_or_else(|| broken("a batch has no columns"))?,
            buffers: header.list(2).ok_or_else(|| broken("a batch has no buffers"))?,
            views: header.list(4),
            codec,
            body,
        })
    }

    /// Moves the cursor past a column of this layout, to the next one.
    pub(super) fn skip(&self, cursor: &mut Cursor, layout: &Layout) -> Outcome<()> {
        let beyond = || broken("a batch has more buffers than can be");
        cursor.node += layout.nodes;
        cursor.buffer += layout.buffers;
        for _ in 0..layout.views {
            let further = self.views.and_then(|views| views.i64(cursor.view, 8, 0)).ok_or_else(beyond)?;
            cursor.view += 1;
            let further = usize::try_from(further).map_err(|_| beyond())?;
            cursor.buffer = cursor.buffer.checked_add(further).ok_or_else(beyond)?;
        }
        Ok(())
    }

    /// Whether each row of the column at the cursor has a value; `None` if all have.
    fn present(&self, cursor: &Cursor) -> Outcome<Option<Cow<'a, [u8]>>> {
        const NODE_BYTES: usize = 16;
        let node = |offset| self.nodes.i64(cursor.node, NODE_BYTES, offset);
        if node(0) != i64::try_from(self.rows).ok() {
            return Err(broken("a column is not as long as its batch"));
        }
        memory::check_cells(self.rows, 1)?;
        if node(8) == Some(0) {
            return Ok(None);
        }
        // A column without this buffer misses no values, even if it counts some.
        Ok(Some(self.buffer(cursor.buffer, self.rows.div_ceil(8))?).filter(|bits| !bits.is_empty()))
    }

    /// The bytes of the numbers of the column at the cursor.
    fn number_bytes(&self, cursor: &Cursor, kind: Kind) -> Outcome<Cow<'a, [u8]>> {
        let expected =
            column::bytes(kind, self.rows).ok_or_else(|| broken("a column is longer than can be"))?;
        self.exactly(cursor.buffer + 1, expected)
    }

    /// The numbers of the column at the cursor; NaN is missing.
    pub(super) fn numbers(&self, cursor: &Cursor, kind: Kind) -> Outcome<Vec<f64>> {
        let present = self.present(cursor)?;
        let mut numbers = column::numbers(kind, &self.number_bytes(cursor, kind)?, self.rows);
        clear(&mut numbers, present, f64::NAN);
        Ok(numbers)
    }

    /// The numbers of the column at the cursor, written out as texts; `None` is missing.
    pub(super) fn written(&self, cursor: &Cursor, kind: Kind) -> Outcome<Vec<Option<String>>> {
        let present = self.present(cursor)?;
        let mut texts = column::written(kind, &self.number_bytes(cursor, kind)?, self.rows);
        clear(&mut texts, present, None);
        Ok(texts)
    }

    /// The texts of the column at the cursor; `None` is missing.
    pub(super) fn texts(&self, cursor: &Cursor, layout: TextLayout) -> Outcome<Vec<Option<String>>> {
        let present = self.present(cursor)?;
        let places = match layout {
            TextLayout::Offsets(width) => self.offsets(cursor, width)?,
            TextLayout::Views => self.views(cursor)?,
        };
        let is_present = |row: usize| present.as_ref().is_none_or(|bits| bit(bits, row));
        let mut texts = Vec::with_capacity(places.len());
        for (row, place) in places.into_iter().enumerate() {
            let bytes = place?;
            texts.push(if is_present(row) { Some(utf8(bytes)?) } else { None });
        }
        Ok(texts)
    }

    /// The bytes of each text between the ends that are listed.
    fn offsets(&self, cursor: &Cursor, width: usize) -> Outcome<Vec<Outcome<Vec<u8>>>> {
        let expected = self.rows.checked_add(1).and_then(|ends| ends.checked_mul(width));
        let expected = expected.ok_or_else(|| broken("a column is longer than can be"))?;
        // A column without rows may have no ends either.
        if self.rows == 0 {
            return Ok(Vec::new());
        }
        let kind = if width == 4 { Kind::Signed(4) } else { Kind::Signed(8) };
        let ends = column::numbers(kind, &self.exactly(cursor.buffer + 1, expected)?, self.rows + 1);
        let outside = || broken("a text lies outside of its column");
        let last = ends.last().copied().unwrap_or(0.0);
        if last < 0.0 || ends[0] < 0.0 {
            return Err(outside());
        }
        let bytes = self.buffer(cursor.buffer + 2, last as usize)?;
        let text = |pair: &[f64]| match bytes.get(pair[0] as usize..pair[1].max(0.0) as usize) {
            Some(text) => Ok(text.to_vec()),
            None => Err(outside()),
        };
        Ok(ends.windows(2).map(text).collect())
    }

    /// The bytes of each text, which lie in the view itself or, if they are more than 12, in a further
    /// buffer.
    fn views(&self, cursor: &Cursor) -> Outcome<Vec<Outcome<Vec<u8>>>> {
        const VIEW_BYTES: usize = 16;
        const IN_PLACE: usize = 12;
        let expected =
            self.rows.checked_mul(VIEW_BYTES).ok_or_else(|| broken("a column is longer than can be"))?;
        let views = self.exactly(cursor.buffer + 1, expected)?;
        let further = self.views.and_then(|views| views.i64(cursor.view, 8, 0)).unwrap_or(0);
        let further = usize::try_from(further).unwrap_or(0).min(self.buffers.len);
        let buffers: Vec<Cow<'a, [u8]>> = (0..further)
            .map(|index| self.buffer(cursor.buffer + 2 + index, usize::MAX))
            .collect::<Outcome<_>>()?;
        let outside = || broken("a text lies outside of its column");
        let number = |view: &[u8], start: usize| {
            view.get(start..start + 4)
                .and_then(|bytes| Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize))
        };
        let text = |view: &[u8]| -> Outcome<Vec<u8>> {
            let len = number(view, 0).ok_or_else(outside)?;
            if len <= IN_PLACE {
                return Ok(view[4..4 + len].to_vec());
            }
            let (buffer, start) = number(view, 8).zip(number(view, 12)).ok_or_else(outside)?;
            let bytes = buffers.get(buffer).and_then(|buffer| buffer.get(start..start.checked_add(len)?));
            bytes.map(<[u8]>::to_vec).ok_or_else(outside)
        };
        // The total length is checked because many texts may lie in the same bytes.
        let lengths = views.chunks_exact(VIEW_BYTES).take(self.rows).filter_map(|view| number(view, 0));
        memory::check(lengths.fold(0, |sum, len| sum + len as u64), "the texts of a column")?;
        Ok(views.chunks_exact(VIEW_BYTES).take(self.rows).map(text).collect())
    }

    /// A buffer of which exactly `expected` bytes are needed.
    fn exactly(&self, index: usize, expected: usize) -> Outcome<Cow<'a, [u8]>> {
        let bytes = self.buffer(index, expected)?;
        if bytes.len() < expected {
            return Err(broken("a column is shorter than its batch"));
        }
        Ok(bytes)
    }

    /// A buffer, of which at most the first `most` bytes are needed.
    fn buffer(&self, index: usize, most: usize) -> Outcome<Cow<'a, [u8]>> {
        const BUFFER_BYTES: usize = 16;
        let place = |offset| usize::try_from(self.buffers.i64(index, BUFFER_BYTES, offset)?).ok();
        let span = place(0).zip(place(8)).and_then(|(start, len)| Some(start..start.checked_add(len)?));
        let bytes =
            span.and_then(|span| self.body.get(span)).ok_or_else(|| broken("a buffer lies outside of it"))?;
        if bytes.is_empty() || matches!(self.codec, Codec::Plain) {
            return Ok(bytes.into());
        }
        // A packed buffer begins with its unpacked length; -1 says that it was left unpacked, because
        // packing did not pay.
        let (len, packed) = bytes.split_first_chunk::<8>().ok_or_else(|| broken("a buffer is cut short"))?;
        let len = i64::from_le_bytes(*len);
        if len == -1 {
            return Ok(packed.into());
        }
        let len = u64::try_from(len).map_err(|_| broken("a packed buffer has no length"))?;
        Ok(unpacked(self.codec, packed, len.min(most as u64))?.into())
    }
}

/// Puts `missing` into the rows that have no value.
fn clear<T: Clone>(cells: &mut [T], present: Option<Cow<'_, [u8]>>, missing: T) {
    if let Some(present) = present {
        let cells = cells.iter_mut().enumerate();
        cells.filter(|(row, _)| !bit(&present, *row)).for_each(|(_, cell)| *cell = missing.clone());
    }
}

/// The first `most` bytes of a packed buffer. Runs guarded, because the library may panic over broken
/// buffers.
fn unpacked(codec: Codec, packed: &[u8], most: u64) -> Outcome<Vec<u8>> {
    // One byte of packed LZ4 stands for at most 255 bytes.
    const MOST_BY_LZ4: u64 = 255;
    if matches!(codec, Codec::Lz4) && most > (packed.len() as u64).saturating_mul(MOST_BY_LZ4) {
        return Err(broken("a packed buffer cannot hold as much as it says"));
    }
    let unpacked = guarded("Arrow", || match codec {
        Codec::Zstd => read_at_most(zstd::Decoder::with_buffer(packed)?, most),
        _ => read_at_most(lz4_flex::frame::FrameDecoder::new(packed), most),
    });
    unpacked.map_err(|fault| match fault {
        Fault::Io(error) if error.kind() != ErrorKind::OutOfMemory => {
            broken("a packed buffer cannot be unpacked")
        }
        other => other,
    })
}

pub(super) fn broken(what: &str) -> Fault {
    Fault::new(format!("truncated, corrupt or not an Arrow file ({what})"))
}
