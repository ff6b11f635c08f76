//! Where bytes come from: a mapped file, or a stream that is unpacked on the way.

use crate::error::{Fault, Outcome};
use lcca::matrix::Owner;
use memmap2::Mmap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

/// How the whole file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

/// Opens a regular file that is not empty.
pub(crate) fn open(path: &Path) -> Outcome<File> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(Fault::new("is a folder, expected a file"));
    }
    if !found.is_file() {
        return Err(Fault::new("is not a regular file, expected one"));
    }
    if found.len() == 0 {
        return Err(Fault::new("is empty"));
    }
    Ok(file)
}

/// All bytes of a file, without reading them.
pub(crate) fn map(path: &Path) -> Outcome<Owner> {
    let file = open(path)?;
    // SAFETY: the map is only ever read. As with every mapped file, another program that cuts the file short while
    // it is in use ends this process; writers of this crate never do, they rename a new file into place.
    let mapped = unsafe { Mmap::map(&file)? };
    Ok(Arc::new(mapped))
}

/// All bytes of a file, mapped where they are not packed.
pub(crate) fn load(path: &Path, packing: Packing) -> Outcome<Owner> {
    match packing {
        Packing::Plain => map(path),
        _ => Ok(Arc::new(read_all(stream(path, packing)?)?)),
    }
}

/// The unpacked bytes of a file, one after another.
pub(crate) fn stream(path: &Path, packing: Packing) -> Outcome<Box<dyn Read + Send>> {
    let file = BufReader::with_capacity(1 << 20, open(path)?);
    Ok(match packing {
        Packing::Plain => Box::new(file),
        Packing::Gzip => {
            Box::new(Unpacked { inner: flate2::bufread::MultiGzDecoder::new(file), kind: "gzip" })
        }
        Packing::Zstd => Box::new(Unpacked { inner: zstd::Decoder::with_buffer(file)?, kind: "zstd" }),
    })
}

/// Memory grows with the bytes that arrive, never with a size that a header claims.
pub(crate) fn read_all(mut from: impl Read) -> Outcome<Vec<u8>> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes)?;
    bytes.shrink_to_fit();
    Ok(bytes)
}

/// Says of a decoder's error that it is the packed stream that is broken.
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
