//! The file: a magic string, batches of rows, a footer that says where they are, its length, the magic string again.

use super::batch::{Batch, Cursor, broken};
use super::column::{Kind, kind, layout};
use super::flatbuffer::{List, Table};
use crate::assemble::{Assembled, check_shape, dense_or_sparse};
use crate::error::{Fault, Outcome};
use crate::names::Names;
use crate::values::Growing;
use lcca::matrix::Owner;

/// The bytes every such file begins and ends with.
const MAGIC: &[u8] = b"ARROW1";

/// A mapped file of which nothing but the last bytes has been looked at.
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
        let fields = self.fields()?;
        let names = (0..fields.len).map(|index| Ok(name(field(fields, index)?)));
        let names = names.collect::<Outcome<Vec<&str>>>()?;
        Ok(Names::new(names.into_iter().filter(|name| !is_index(name))))
    }

    pub(crate) fn read(&self) -> Outcome<Assembled> {
        let fields = self.fields()?;
        let fields = (0..fields.len).map(|index| field(fields, index)).collect::<Outcome<Vec<_>>>()?;
        let cols = fields.iter().filter(|&&field| !is_index(name(field))).count();
        check_shape(1, cols)?;
        let mut kinds: Vec<Option<Kind>> = Vec::with_capacity(fields.len());
        for &field in &fields {
            let is_read = !is_index(name(field));
            kinds.push(is_read.then(|| kind(field)).transpose().map_err(|fault| in_column(fault, field))?);
        }
        let blocks = self.footer()?.list(3).ok_or_else(|| broken("it has no list of batches"))?;
        let (mut values, mut rows) = (Growing::new(), 0);
        for index in 0..blocks.len {
            let batch = self.batch(blocks, index)?;
            let mut cursor = Cursor::default();
            let mut columns = Vec::with_capacity(cols);
            for (&field, kind) in fields.iter().zip(&kinds) {
                if let Some(kind) = *kind {
                    let numbers = batch.numbers(&cursor, kind, rows);
                    columns.push(numbers.map_err(|fault| in_column(fault, field))?);
                }
                let layout = layout(field).ok_or_else(|| broken("a column is of an unknown type"))?;
                batch.skip(&mut cursor, &layout)?;
            }
            (0..batch.rows).for_each(|row| columns.iter().for_each(|column| values.push(column[row])));
            rows += batch.rows;
        }
        check_shape(rows, cols)?;
        dense_or_sparse(values, rows, cols)
    }

    /// A batch of the list in the footer: its place in the file, the bytes of its metadata, those of its body.
    fn batch(&self, blocks: List<'_>, index: usize) -> Outcome<Batch<'_>> {
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
        Batch::new(message, self.bytes().get(start..end).ok_or_else(outside)?)
    }
}

fn field(fields: List<'_>, index: usize) -> Outcome<Table<'_>> {
    fields.table(index).ok_or_else(|| broken("a column is described outside of it"))
}

fn name(field: Table<'_>) -> &str {
    field.text(0).unwrap_or_default()
}

/// Whether pandas keeps the names of rows in this column: they are left out.
fn is_index(name: &str) -> bool {
    name.starts_with("__index_level_")
}

fn in_column(fault: Fault, field: Table<'_>) -> Fault {
    fault.within(&format!("column {:?}", name(field)))
}
