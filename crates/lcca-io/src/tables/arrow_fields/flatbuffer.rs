//! FlatBuffers, the encoding of Arrow's metadata: tables whose fields are found through a table of offsets.
//!
//! No offset is trusted: anything outside the bytes is `None`, and so is a field that the writer left out.

/// A table somewhere in the bytes.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    bytes: &'a [u8],
    position: usize,
}

/// A list of tables, texts or numbers.
#[derive(Clone, Copy)]
pub(crate) struct List<'a> {
    bytes: &'a [u8],
    /// The position of the first element.
    start: usize,
    pub(crate) len: usize,
}

/// `N` bytes from `position` on.
fn array<const N: usize>(bytes: &[u8], position: usize) -> Option<[u8; N]> {
    bytes.get(position..position.checked_add(N)?)?.try_into().ok()
}

/// The position that the offset stored at `position` points to.
fn follow(bytes: &[u8], position: usize) -> Option<usize> {
    let offset = u32::from_le_bytes(array(bytes, position)?);
    position.checked_add(offset as usize).filter(|&target| target < bytes.len())
}

impl<'a> Table<'a> {
    /// The table that the bytes begin with.
    pub(crate) fn root(bytes: &'a [u8]) -> Option<Self> {
        Some(Table { bytes, position: follow(bytes, 0)? })
    }

    /// The position of a field, counted from 0 in the order of the schema.
    fn field(self, index: usize) -> Option<usize> {
        let to_offsets = i32::from_le_bytes(array(self.bytes, self.position)?);
        let offsets = usize::try_from(self.position as i64 - i64::from(to_offsets)).ok()?;
        let size = usize::from(u16::from_le_bytes(array(self.bytes, offsets)?));
        // The list of offsets begins with its own size and that of the table, two bytes each.
        let entry = 4 + 2 * index;
        if entry + 2 > size {
            return None;
        }
        match u16::from_le_bytes(array(self.bytes, offsets.checked_add(entry)?)?) {
            0 => None,
            offset => self.position.checked_add(usize::from(offset)),
        }
    }

    pub(crate) fn u8(self, index: usize) -> Option<u8> {
        array(self.bytes, self.field(index)?).map(u8::from_le_bytes)
    }

    pub(crate) fn i16(self, index: usize) -> Option<i16> {
        array(self.bytes, self.field(index)?).map(i16::from_le_bytes)
    }

    pub(crate) fn i32(self, index: usize) -> Option<i32> {
        array(self.bytes, self.field(index)?).map(i32::from_le_bytes)
    }

    pub(crate) fn i64(self, index: usize) -> Option<i64> {
        array(self.bytes, self.field(index)?).map(i64::from_le_bytes)
    }

    pub(crate) fn table(self, index: usize) -> Option<Table<'a>> {
        Some(Table { bytes: self.bytes, position: follow(self.bytes, self.field(index)?)? })
    }

    pub(crate) fn text(self, index: usize) -> Option<&'a str> {
        let List { bytes, start, len } = self.list(index)?;
        std::str::from_utf8(bytes.get(start..start.checked_add(len)?)?).ok()
    }

    pub(crate) fn list(self, index: usize) -> Option<List<'a>> {
        let position = follow(self.bytes, self.field(index)?)?;
        let (len, start) = (u32::from_le_bytes(array(self.bytes, position)?) as usize, position + 4);
        // Every element takes at least a byte, so a longer list is broken.
        (len <= self.bytes.len().saturating_sub(start)).then_some(List { bytes: self.bytes, start, len })
    }
}

impl<'a> List<'a> {
    /// The table that an element points to.
    pub(crate) fn table(self, index: usize) -> Option<Table<'a>> {
        let position = self.start.checked_add(index.checked_mul(4)?)?;
        Some(Table { bytes: self.bytes, position: follow(self.bytes, position)? })
    }

    /// The number that lies `offset` bytes into an element of `width` bytes, in 64 bits.
    pub(crate) fn i64(self, index: usize, width: usize, offset: usize) -> Option<i64> {
        if index >= self.len {
            return None;
        }
        let position = self.start.checked_add(index.checked_mul(width)?)?.checked_add(offset)?;
        array(self.bytes, position).map(i64::from_le_bytes)
    }

    /// The number that lies `offset` bytes into an element of `width` bytes, in 32 bits.
    pub(crate) fn i32(self, index: usize, width: usize, offset: usize) -> Option<i32> {
        if index >= self.len {
            return None;
        }
        let position = self.start.checked_add(index.checked_mul(width)?)?.checked_add(offset)?;
        array(self.bytes, position).map(i32::from_le_bytes)
    }
}
