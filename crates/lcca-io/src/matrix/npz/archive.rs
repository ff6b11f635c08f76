//! The zip archive around the arrays.

use crate::error::{Fault, Outcome, one_line};
use crate::matrix::npy::{self, Descr, Header, Numbers};
use lcca::matrix::Owner;
use rayon::prelude::*;
use std::io::Cursor;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

pub(crate) struct Archive {
    owner: Owner,
    zip: ZipArchive<Cursor<SharedBytes>>,
}

/// The bytes of a member: a part of the mapped archive, or unpacked bytes.
struct Member {
    owner: Owner,
    start: usize,
    end: usize,
}

impl Archive {
    pub(crate) fn open(owner: Owner) -> Outcome<Self> {
        let zip = ZipArchive::new(Cursor::new(SharedBytes(owner.clone()))).map_err(zip_fault)?;
        Ok(Archive { owner, zip })
    }

    /// The array called `name`, which must have one dimension.
    pub(crate) fn numbers(&mut self, name: &str) -> Outcome<Numbers> {
        let member = self.member(name)?;
        let array = npy::open(&member.owner, member.start, member.end).map_err(|fault| fault.within(name))?;
        if array.shape.len() != 1 {
            let sides = array.shape.len();
            return Err(Fault::new(format!("has {sides} dimensions, expected 1")).within(name));
        }
        Ok(array.numbers)
    }

    /// The string called `name`.
    pub(crate) fn text(&mut self, name: &str) -> Outcome<String> {
        let member = self.member(name)?;
        let bytes = &(*member.owner).as_ref()[member.start..member.end];
        let (header, data) = Header::parse(bytes).map_err(|fault| fault.within(name))?;
        let bytes = match header.descr {
            Descr::Bytes(_) => bytes[data..].to_vec(),
            // Every fourth byte is enough, because characters take four bytes and the names of layouts are
            // plain letters.
            Descr::Unicode(_) => bytes[data..].iter().step_by(4).copied().collect(),
            Descr::Number(_) => return Err(Fault::new("holds numbers, expected text").within(name)),
        };
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').into())
    }

    fn member(&mut self, name: &str) -> Outcome<Member> {
        let index = self.index_of(name)?;
        self.content(index).map_err(|fault| fault.within(name))
    }

    /// The index of a member. NumPy appends `.npy` to every name; other writers do not.
    fn index_of(&self, name: &str) -> Outcome<usize> {
        let index = self.zip.index_for_name(&format!("{name}.npy")).or_else(|| self.zip.index_for_name(name));
        index.ok_or_else(|| {
            let members = self.zip.file_names().flatten().collect::<Vec<_>>().join(", ");
            Fault::new(format!(
                "holds no array {name:?}, expected a matrix of scipy.sparse.save_npz; it holds: {members}"
            ))
        })
    }

    fn content(&mut self, index: usize) -> Outcome<Member> {
        let file = self.zip.by_index(index).map_err(zip_fault)?;
        if file.compression() != CompressionMethod::Stored || file.encrypted() {
            let owner = npy::unpack(file)?;
            let end = (*owner).as_ref().len();
            return Ok(Member { owner, start: 0, end });
        }
        let start = file.data_start().and_then(|start| usize::try_from(start).ok());
        let size = usize::try_from(file.size()).ok();
        let bytes = (*self.owner).as_ref();
        let span = start.zip(size).and_then(|(start, size)| Some(start..start.checked_add(size)?));
        let span = span.filter(|span| span.end <= bytes.len());
        let span = span.ok_or_else(|| Fault::new("reaches beyond the end of the file"))?;
        check_sum(&bytes[span.clone()], file.crc32())?;
        drop(file);
        Ok(Member { owner: self.owner.clone(), start: span.start, end: span.end })
    }
}

fn check_sum(bytes: &[u8], expected: u32) -> Outcome<()> {
    // Parts of 16 MiB are summed in parallel; joining two sums costs less than a microsecond.
    let sums = bytes.par_chunks(1 << 24).map(|part| {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(part);
        hasher
    });
    let sums: Vec<_> = sums.collect();
    let whole = sums.iter().fold(crc32fast::Hasher::new(), |mut whole, part| {
        whole.combine(part);
        whole
    });
    if whole.finalize() != expected {
        return Err(Fault::new("the checksum does not match: the file is corrupt"));
    }
    Ok(())
}

fn zip_fault(error: ZipError) -> Fault {
    match error {
        ZipError::Io(error) if error.raw_os_error().is_some() => Fault::Io(error),
        other => Fault::new(format!("truncated or corrupt zip archive ({})", one_line(&other))),
    }
}

/// The mapped archive in the type that the zip reader takes.
struct SharedBytes(Owner);

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}
