//! Checksums of safetensors files, so that a damaged number is an error and not an answer.
//!
//! The last tensor of a file, `checksums` (u32), holds CRC-32 sums: first one of everything before the
//! tensors, the eight bytes of its length included, then those of the tensors in the order of the file,
//! each tensor cut into blocks of 256 KiB of which the last may be shorter. The metadata says so under
//! `checksums` (`crc32/262144`): a file that says so and has no such tensor is damaged, and a file with
//! neither is an old one and is read without a check.
//!
//! The header is checked when a file is opened, and a tensor when it is read. Nothing else is read, so that
//! the rest of a mapped file stays on its disk until it is used. Blocks are checked in parallel. Sums are
//! formed while a file is written, so that no byte is written or read twice.

use crate::error::{Fault, Outcome};
use lcca::matrix::Buffer;
use rayon::prelude::*;
use std::io::{self, Write};
use std::ops::Range;

/// The name of the tensor, and of the entry of the metadata that announces it.
pub(crate) const NAME: &str = "checksums";

/// The value of the metadata entry, which says how sums are formed.
pub(crate) const SCHEME: &str = "crc32/262144";

/// The bytes of a tensor that share one sum: a block of [`lcca::matrix::search::BLOCK`] numbers of 4 bytes,
/// which is checked while it is in the cache of a core.
const BLOCK: usize = 1 << 18;

/// The number of blocks in a tensor of this many bytes.
fn blocks(bytes: usize) -> usize {
    bytes.div_ceil(BLOCK)
}

/// The range of bytes in the file that one block of a tensor takes.
fn block_span(tensor: &Range<usize>, block: usize) -> Range<usize> {
    let start = tensor.start + block * BLOCK;
    start..tensor.end.min(start + BLOCK)
}

/// The number of sums in a file with tensors of these sizes.
pub(crate) fn count(tensors: impl Iterator<Item = usize>) -> usize {
    1 + tensors.map(blocks).sum::<usize>()
}

/// The sums of an opened file, and the tensors that they belong to.
pub(crate) struct Checksums {
    sums: Buffer<u32>,
    /// The tensors in the order of the file: their names and their bytes in the file.
    tensors: Vec<(String, Range<usize>)>,
}

impl Checksums {
    /// Takes the sums of a file with these tensors. The list leaves out the tensor of the sums itself.
    pub(crate) fn new(sums: Buffer<u32>, tensors: Vec<(String, Range<usize>)>) -> Outcome<Self> {
        let expected = count(tensors.iter().map(|(_, span)| span.len()));
        if sums.len() != expected {
            let message = format!("holds {} sums, expected {expected}", sums.len());
            return Err(Fault::new(message).within(NAME));
        }
        Ok(Checksums { sums, tensors })
    }

    fn sum(&self, index: usize) -> Option<u32> {
        self.sums.as_slice().get(index).map(|sum| sum.get())
    }

    /// Checks everything before the tensors.
    pub(crate) fn check_header(&self, header: &[u8]) -> Outcome<()> {
        if self.sum(0) == Some(crc32fast::hash(header)) {
            Ok(())
        } else {
            Err(damaged(0..header.len()).within("header"))
        }
    }

    /// The range of a tensor in the file, and the index of its first sum.
    fn place(&self, name: &str) -> Option<(&Range<usize>, usize)> {
        let mut first = 1;
        for (tensor, span) in &self.tensors {
            if tensor == name {
                return Some((span, first));
            }
            first += blocks(span.len());
        }
        None
    }

    /// Checks one tensor of the file, blocks in parallel.
    pub(crate) fn check_tensor(&self, file: &[u8], name: &str) -> Outcome<()> {
        let Some((span, first)) = self.place(name) else { return Ok(()) };
        let blocks = (0..blocks(span.len())).into_par_iter();
        let wrong = blocks.find_first(|&block| !self.matches(file, span, first, block));
        wrong.map_or(Ok(()), |block| Err(damaged(block_span(span, block)).within(name)))
    }

    /// Checks the blocks that these bytes of a tensor lie in.
    pub(crate) fn check_part(&self, file: &[u8], name: &str, bytes: Range<usize>) -> Outcome<()> {
        let Some((span, first)) = self.place(name) else { return Ok(()) };
        let wrong =
            (bytes.start / BLOCK..blocks(bytes.end)).find(|&block| !self.matches(file, span, first, block));
        wrong.map_or(Ok(()), |block| Err(damaged(block_span(span, block)).within(name)))
    }

    fn matches(&self, file: &[u8], span: &Range<usize>, first: usize, block: usize) -> bool {
        file.get(block_span(span, block))
            .is_some_and(|bytes| self.sum(first + block) == Some(crc32fast::hash(bytes)))
    }

    /// Checks all tensors, and returns their size in bytes.
    pub(crate) fn check_all(&self, file: &[u8]) -> Outcome<u64> {
        self.tensors.iter().try_for_each(|(name, _)| self.check_tensor(file, name))?;
        Ok(self.tensors.iter().map(|(_, span)| span.len() as u64).sum())
    }
}

fn damaged(bytes: Range<usize>) -> Fault {
    Fault::new(format!(
        "bytes {} to {} of the file are damaged, their checksum does not match",
        bytes.start,
        bytes.end - usize::from(!bytes.is_empty())
    ))
}

/// A writer of tensors that forms the sums of the bytes that pass through it.
pub(crate) struct Summing<W> {
    out: W,
    sums: Vec<u32>,
    /// The sum of the block up to here, and the number of bytes that are left in the block.
    hasher: crc32fast::Hasher,
    left_in_block: usize,
    /// The sizes of the tensors that have not begun, the next one last.
    tensors: Vec<usize>,
    /// The number of bytes that are left in the current tensor after this block.
    left_in_tensor: usize,
}

impl<W: Write> Summing<W> {
    /// Writes the header. Tensors of these sizes must follow.
    pub(crate) fn begin(mut out: W, header: &[u8], mut tensors: Vec<usize>) -> io::Result<Self> {
        out.write_all(header)?;
        let mut sums = Vec::with_capacity(count(tensors.iter().copied()));
        sums.push(crc32fast::hash(header));
        tensors.reverse();
        let hasher = crc32fast::Hasher::new();
        let mut summing = Summing { out, sums, hasher, left_in_block: 0, tensors, left_in_tensor: 0 };
        summing.next_block();
        Ok(summing)
    }

    /// Goes on to the next block. If the current tensor is complete, that is the first block of the next
    /// tensor that has bytes.
    fn next_block(&mut self) {
        while self.left_in_tensor == 0 {
            let Some(bytes) = self.tensors.pop() else { return };
            self.left_in_tensor = bytes;
        }
        self.left_in_block = self.left_in_tensor.min(BLOCK);
        self.left_in_tensor -= self.left_in_block;
    }

    fn sum(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.left_in_block == 0 {
                return Err(io::Error::other("more bytes than the header of the file announces"));
            }
            let (now, later) = bytes.split_at(bytes.len().min(self.left_in_block));
            self.hasher.update(now);
            self.left_in_block -= now.len();
            if self.left_in_block == 0 {
                self.sums.push(std::mem::take(&mut self.hasher).finalize());
                self.next_block();
            }
            bytes = later;
        }
        Ok(())
    }

    /// Writes the sums, which are the last tensor.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if self.left_in_block > 0 {
            return Err(io::Error::other("fewer bytes than the header of the file announces"));
        }
        let sums: Vec<u8> = self.sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
        self.out.write_all(&sums)
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Only bytes that were written may be summed, because the inner writer may take fewer than it is
        // given.
        let written = self.out.write(bytes)?;
        self.sum(&bytes[..written])?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a file in pieces of this many bytes, and returns its bytes with the sums.
    fn written(tensors: &[&[u8]], piece: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let sizes = tensors.iter().map(|tensor| tensor.len()).collect();
        let mut summing = Summing::begin(&mut out, b"header", sizes).unwrap();
        for bytes in tensors.concat().chunks(piece) {
            summing.write_all(bytes).unwrap();
        }
        summing.finish().unwrap();
        out
    }

    #[test]
    fn sums_do_not_depend_on_how_the_bytes_arrive() {
        let long: Vec<u8> = (0..2 * BLOCK + 5).map(|index| (index % 251) as u8).collect();
        let tensors: [&[u8]; 5] = [&[], b"ab", &long, &[], b"c"];
        let file = written(&tensors, 7);
        assert!([1000, BLOCK, BLOCK + 1, usize::MAX].iter().all(|&piece| written(&tensors, piece) == file));
        let expected: Vec<u8> =
            [&b"header"[..], b"ab", &long[..BLOCK], &long[BLOCK..2 * BLOCK], &long[2 * BLOCK..], b"c"]
                .iter()
                .flat_map(|block| crc32fast::hash(block).to_le_bytes())
                .collect();
        assert!(file.ends_with(&expected));
        assert_eq!(count(tensors.iter().map(|tensor| tensor.len())) * 4, expected.len());
    }

    #[test]
    fn a_tensor_that_is_not_as_long_as_announced_is_an_error() {
        let mut short = Summing::begin(Vec::new(), b"", vec![3]).unwrap();
        short.write_all(b"ab").unwrap();
        assert!(short.write_all(b"cd").is_err());
        assert!(Summing::begin(Vec::new(), b"", vec![3]).unwrap().finish().is_err());
    }
}
