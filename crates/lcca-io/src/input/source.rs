//! The bytes of files: a mapped file, or a stream that is unpacked on the way. Every file is opened here,
//! once.

use super::{mapped, standard_input};
use crate::error::{Fault, Outcome};
use lcca::matrix::Owner;
use memmap2::Mmap;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How a whole file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

impl Packing {
    /// The packing that a file's name announces, and the name without it, in lower case.
    pub(crate) fn named(path: &Path) -> (String, Packing) {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        match name.rsplit_once('.') {
            Some((rest, "gz")) => (rest.into(), Packing::Gzip),
            Some((rest, "zst")) => (rest.into(), Packing::Zstd),
            _ => (name, Packing::Plain),
        }
    }

    /// The packing that the first bytes announce.
    fn sniffed(head: &[u8]) -> Packing {
        match head {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
            _ => Packing::Plain,
        }
    }
}

/// An opened file that has not been read, and how it is packed.
pub(crate) struct Source {
    path: PathBuf,
    file: File,
    pub(crate) packing: Packing,
}

impl Source {
    /// Opens a file. If its name announces a packing, its bytes must confirm that. `-` is standard input.
    pub(crate) fn open(path: &Path) -> Outcome<Self> {
        let file = if standard_input::is_meant(path) { standard_input::spooled()? } else { open(path)? };
        let packing = Packing::sniffed(&first_bytes(&file, Packing::Plain)?);
        match Packing::named(path).1 {
            Packing::Gzip if packing != Packing::Gzip => Err(Fault::new("does not begin like a gzip stream")),
            Packing::Zstd if packing != Packing::Zstd => Err(Fault::new("does not begin like a zstd stream")),
            _ => Ok(Source { path: path.into(), file, packing }),
        }
    }

    /// The first bytes, unpacked. The file is left as if it had not been read.
    pub(crate) fn head(&self) -> Outcome<Vec<u8>> {
        first_bytes(&self.file, self.packing)
    }

    /// The file itself, for readers that jump about in it.
    #[cfg(feature = "parquet")]
    pub(crate) fn into_file(self) -> File {
        self.file
    }

    /// Maps all bytes of the file, without reading them.
    pub(crate) fn map(self) -> Outcome<Owner> {
        map_file(&self.path, &self.file)
    }

    /// A stream of the unpacked bytes.
    pub(crate) fn stream(self) -> Outcome<Box<dyn Read + Send>> {
        unpacked(self.file, self.packing, 1 << 20)
    }
}

/// Maps all bytes of a file of any name, without reading them.
pub(crate) fn map(path: &Path) -> Outcome<Owner> {
    map_file(path, &open(path)?)
}

/// Opens a regular file that is not empty. Pipes and devices are not even opened, because opening a pipe
/// waits for its writer.
fn open(path: &Path) -> Outcome<File> {
    #[cfg(test)]
    opens::count();
    let facts = path.metadata()?;
    if facts.is_dir() {
        return Err(Fault::new("is a folder, expected a file"));
    }
    if !facts.is_file() {
        return Err(Fault::new("is a pipe or a device, expected a file; - reads standard input"));
    }
    if facts.len() == 0 {
        return Err(Fault::new("is empty"));
    }
    Ok(File::open(path)?)
}

fn map_file(path: &Path, file: &File) -> Outcome<Owner> {
    // SAFETY: the map is only ever read. As with every mapped file, another program that cuts the file
    // short while it is in use ends this process (the program says in a line which file it was). Writers of
    // this crate never do, because they rename a new file into place.
    let mapped = unsafe { Mmap::map(file)? };
    mapped::note(path, &mapped);
    Ok(Arc::new(mapped))
}

/// The first bytes, unpacked. It is possible to go back to the beginning, because only regular files are
/// opened.
fn first_bytes(mut file: &File, packing: Packing) -> Outcome<Vec<u8>> {
    const ENOUGH: u64 = 64;
    let mut head = Vec::new();
    unpacked(file.try_clone()?, packing, 1 << 10)?.take(ENOUGH).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(head)
}

fn unpacked(file: File, packing: Packing, buffer_bytes: usize) -> Outcome<Box<dyn Read + Send>> {
    let file = BufReader::with_capacity(buffer_bytes, file);
    Ok(match packing {
        Packing::Plain => Box::new(file),
        Packing::Gzip => {
            Box::new(Unpacked { inner: flate2::bufread::MultiGzDecoder::new(file), kind: "gzip" })
        }
        Packing::Zstd => Box::new(Unpacked { inner: zstd::Decoder::with_buffer(file)?, kind: "zstd" }),
    })
}

/// Adds to a decoder's error that the packed stream is broken.
struct Unpacked<R> {
    inner: R,
    kind: &'static str,
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        self.inner.read(into).map_err(|error| match error.raw_os_error() {
            Some(_) => error,
            None => {
                let message = format!("truncated or corrupt {} stream ({error})", self.kind);
                std::io::Error::new(error.kind(), message)
            }
        })
    }
}

/// Counts how often this thread has opened a file, for the tests that demand one open per file.
#[cfg(test)]
pub(crate) mod opens {
    use std::cell::Cell;

    thread_local! {
        static OPENS: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn count() {
        OPENS.set(OPENS.get() + 1);
    }

    /// The number of files that `work` opens on this thread, and its result.
    pub(crate) fn during<T>(work: impl FnOnce() -> T) -> (usize, T) {
        let before = OPENS.get();
        let result = work();
        (OPENS.get() - before, result)
    }
}
