//! The layout of an Arrow file: a magic string, batches of rows, a footer that says where they are, the
//! length of the footer, and the magic string again.

use super::batch::{Batch, broken};
use crate::error::{Fault, Outcome};
use crate::parts::names::Names;
use crate::tables::arrow_fields::flatbuffer::{List, Table};
use crate::tables::table::PandasIndex;
use lcca::matrix::Owner;

/// The bytes that every such file begins and ends with.
const MAGIC: &[u8] = b"ARROW1";

/// A mapped file of which only the last bytes have been read.
pub(crate) struct ArrowFile {
    owner: Owner,
    /// Where the footer begins and ends.
    footer: std::ops::Range<usize>,
}

impl ArrowFile {
    pub(crate) fn open(owner: Owner) -> Outcome<Self> {
        let bytes = (*owner).as_ref();
        let rest = bytes.strip_suffix(MAGIC).ok_or_else(|| broken("it does not end like one"))?;
        let (rest, len) = rest.split_last_chunk::<4>().ok_or_else(|| broken("it is too short"))?;
        let start =
            usize::try_from(i32::from_le_bytes(*len)).ok().and_then(|len| rest.len().checked_sub(len));
        let footer = start.ok_or_else(|| broken("the footer does not fit into it"))?..rest.len();
        Ok(ArrowFile { owner, footer })
    }

    fn bytes(&self) -> &[u8] {
        (*self.owner).as_ref()
    }

    fn footer(&self) -> Outcome<Table<'_>> {
        Table::root(&self.bytes()[self.footer.clone()]).ok_or_else(|| broken("it has no footer"))
    }

    /// The descriptions of all columns.
    fn fields(&self) -> Outcome<List<'_>> {
        const LITTLE_ENDIAN: i16 = 0;
        let schema = self.footer()?.table(1).ok_or_else(|| broken("it has no schema"))?;
        if schema.i16(0).unwrap_or(LITTLE_ENDIAN) != LITTLE_ENDIAN {
            return Err(Fault::new("has its most significant bytes first, expected them last"));
        }
        schema.list(1).ok_or_else(|| broken("its schema has no columns"))
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> Outcome<Names> {
        let names = self.all_names()?;
        Ok(Names::new(names.into_iter().filter(|name| !is_index(name))))
    }

    /// The names of all columns, with those in which pandas keeps row names.
    pub(super) fn all_names(&self) -> Outcome<Vec<String>> {
        Ok(self.all_fields()?.into_iter().map(|field| name(field).to_string()).collect())
    }

    pub(super) fn all_fields(&self) -> Outcome<Vec<Table<'_>>> {
        let fields = self.fields()?;
        (0..fields.len).map(|index| field(fields, index)).collect()
    }

    /// Where pandas keeps the names of rows.
    pub(super) fn pandas_index(&self) -> Outcome<PandasIndex> {
        let schema = self.footer()?.table(1).ok_or_else(|| broken("it has no schema"))?;
        if let Some(entries) = schema.list(2) {
            for entry in (0..entries.len).map_while(|index| entries.table(index)) {
                if entry.text(0) == Some("pandas") {
                    return Ok(PandasIndex::described(entry.text(1).unwrap_or_default()));
                }
            }
        }
        Ok(PandasIndex::stored(self.all_names()?.into_iter().filter(|name| is_index(name)).collect()))
    }

    /// The batches of rows.
    pub(super) fn batches(&self) -> Outcome<List<'_>> {
        self.footer()?.list(3).ok_or_else(|| broken("it has no list of batches"))
    }

    /// The batches of dictionaries.
    pub(super) fn dictionaries(&self) -> Outcome<Option<List<'_>>> {
        Ok(self.footer()?.list(2))
    }

    /// Opens a batch of dictionary values, given its place in the footer's list.
    pub(super) fn dictionary(&self, blocks: List<'_>, index: usize) -> Outcome<(i64, Batch<'_>)> {
        let (message, body) = self.message(blocks, index)?;
        Batch::dictionary(message, body)
    }

    /// Opens a batch of rows, given its place in the footer's list.
    pub(super) fn batch(&self, blocks: List<'_>, index: usize) -> Outcome<Batch<'_>> {
        let (message, body) = self.message(blocks, index)?;
        Batch::new(message, body)
    }

    /// The message at a place of a list in the footer, which holds its offset in the file, the length of
    /// its metadata, and that of its body.
    fn message(&self, blocks: List<'_>, index: usize) -> Outcome<(Table<'_>, &[u8])> {
        const BLOCK_BYTES: usize = 24;
        let outside = || broken("a batch lies outside of it");
        let offset = blocks.i64(index, BLOCK_BYTES, 0).and_then(|offset| usize::try_from(offset).ok());
        let metadata = blocks.i32(index, BLOCK_BYTES, 8).and_then(|len| usize::try_from(len).ok());
        let body = blocks.i64(index, BLOCK_BYTES, 16).and_then(|len| usize::try_from(len).ok());
        let start = offset.zip(metadata).and_then(|(offset, metadata)| offset.checked_add(metadata));
        let end = start.zip(body).and_then(|(start, body)| start.checked_add(body));
        let (Some(offset), Some(start), Some(end)) = (offset, start, end) else { return Err(outside()) };
        let message = self.bytes().get(offset..start).ok_or_else(outside)?;
        // Since version 0.15 four bytes of ones stand before the length of the message.
        let message = message.strip_prefix(&[0xff; 4]).unwrap_or(message);
        let message =
            message.get(4..).and_then(Table::root).ok_or_else(|| broken("a batch has no metadata"))?;
        Ok((message, self.bytes().get(start..end).ok_or_else(outside)?))
    }
}

fn field(fields: List<'_>, index: usize) -> Outcome<Table<'_>> {
    fields.table(index).ok_or_else(|| broken("a column is described outside of it"))
}

fn name(field: Table<'_>) -> &str {
    field.text(0).unwrap_or_default()
}

/// Whether pandas keeps the names of rows in this column, which is then left out.
fn is_index(name: &str) -> bool {
    name.starts_with("__index_level_")
}
