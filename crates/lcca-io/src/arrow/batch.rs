//! One batch of rows: where each column's buffers lie, unpacked if need be.

use super::column::{Kind, Layout, bit};
use super::flatbuffer::{List, Table};
use crate::error::{Fault, Outcome};
use std::borrow::Cow;
use std::io::Read;

/// How the buffers of a batch are packed, each by itself.
#[derive(Clone, Copy)]
enum Codec {
    Plain,
    Lz4,
    Zstd,
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
#[derive(Default)]
pub(super) struct Cursor {
    node: usize,
    buffer: usize,
    view: usize,
}

impl<'a> Batch<'a> {
    /// The batch that the metadata of a message describes.
    pub(super) fn new(message: Table<'a>, body: &'a [u8]) -> Outcome<Self> {
        const RECORD_BATCH: u8 = 3;
        if message.u8(1) != Some(RECORD_BATCH) {
            return Err(broken("a batch of rows is none"));
        }
        let header = message.table(2).ok_or_else(|| broken("a batch has no header"))?;
        let codec = match header.table(3).map(|packing| packing.u8(0).unwrap_or(0)) {
            None => Codec::Plain,
            Some(0) => Codec::Lz4,
            Some(1) => Codec::Zstd,
            Some(other) => {
                return Err(Fault::new(format!("is packed by codec {other}, expected LZ4 or zstd")));
            }
        };
        Ok(Batch {
            rows: usize::try_from(header.i64(0).unwrap_or(0)).map_err(|_| broken("a batch has no length"))?,
            nodes: header.list(1).ok_or_else(|| broken("a batch has no columns"))?,
            buffers: header.list(2).ok_or_else(|| broken("a batch has no buffers"))?,
            views: header.list(4),
            codec,
            body,
        })
    }

    /// Goes on to the column behind one of this layout.
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

    /// The numbers of the column at the cursor; `rows_before` rows come before this batch.
    pub(super) fn numbers(&self, cursor: &Cursor, kind: Kind, rows_before: usize) -> Outcome<Vec<f64>> {
        const NODE_BYTES: usize = 16;
        let node = |offset| self.nodes.i64(cursor.node, NODE_BYTES, offset);
        if node(0) != i64::try_from(self.rows).ok() {
            return Err(broken("a column is not as long as its batch"));
        }
        if node(8) != Some(0) {
            // A column without this buffer misses nothing, whatever it counts.
            let present = self.buffer(cursor.buffer, self.rows.div_ceil(8))?;
            let missing = (0..self.rows).find(|&row| !present.is_empty() && !bit(&present, row));
            if let Some(row) = missing {
                let message = format!("row {} is missing, expected a number", rows_before + row + 1);
                return Err(Fault::new(message));
            }
        }
        let expected = kind.bytes(self.rows).ok_or_else(|| broken("a column is longer than can be"))?;
        let bytes = self.buffer(cursor.buffer + 1, expected)?;
        if bytes.len() < expected {
            return Err(broken("a column is shorter than its batch"));
        }
        Ok(kind.numbers(&bytes, self.rows))
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
        // A packed buffer begins with its length once unpacked; -1 says that packing did not pay.
        let (len, packed) = bytes.split_first_chunk::<8>().ok_or_else(|| broken("a buffer is cut short"))?;
        if i64::from_le_bytes(*len) == -1 {
            return Ok(packed.into());
        }
        let mut unpacked = Vec::new();
        let read = match self.codec {
            Codec::Zstd => zstd::Decoder::with_buffer(packed)
                .and_then(|decoder| decoder.take(most as u64).read_to_end(&mut unpacked)),
            _ => lz4_flex::frame::FrameDecoder::new(packed).take(most as u64).read_to_end(&mut unpacked),
        };
        read.map_err(|_| broken("a packed buffer cannot be unpacked"))?;
        Ok(unpacked.into())
    }
}

pub(super) fn broken(what: &str) -> Fault {
    Fault::new(format!("truncated, corrupt or not an Arrow file ({what})"))
}
