//! Which format a file is in: its name says, its first bytes confirm.

use crate::error::{Fault, Outcome};
use crate::source::{Packing, stream};
use crate::{arrow, columnar, matrix_market, mtx_folder, npy};
use std::io::Read;
use std::path::Path;

/// A format of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Npz,
    Npy,
    MatrixMarket,
    Svmlight,
    Store,
    Csv,
    Tsv,
    Parquet,
    Arrow,
    MtxFolder,
}

const READ: &str = "expected .npz, .npy, .mtx, .svm (.svmlight, .libsvm), .csv, .tsv, .parquet, .arrow (.feather), .safetensors (.lcca) or a folder with matrix.mtx; .npy, .mtx, .svm, .csv and .tsv also with .gz or .zst";

impl Format {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Npz => "npz",
            Format::Npy => "npy",
            Format::MatrixMarket => "MatrixMarket",
            Format::Svmlight => "svmlight",
            Format::Store => "safetensors",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::MtxFolder => "mtx folder",
        }
    }

    fn from_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "npz" => Format::Npz,
            "npy" => Format::Npy,
            "mtx" => Format::MatrixMarket,
            "svm" | "svmlight" | "libsvm" => Format::Svmlight,
            "safetensors" | "lcca" => Format::Store,
            "csv" => Format::Csv,
            "tsv" | "tab" => Format::Tsv,
            "parquet" => Format::Parquet,
            "arrow" | "feather" => Format::Arrow,
            _ => return None,
        })
    }

    /// Files that begin like nothing in particular.
    fn is_plain_text(self) -> bool {
        matches!(self, Format::Svmlight | Format::Csv | Format::Tsv)
    }

    /// Archives and stores are mapped and read in any order, which a packed stream does not allow.
    fn can_stream(self) -> bool {
        !matches!(self, Format::Npz | Format::Store | Format::Parquet | Format::Arrow)
    }
}

/// The format and packing that a name announces.
pub(crate) fn named(path: &Path) -> (Option<Format>, Packing) {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let (rest, packing) = match name.rsplit_once('.') {
        Some((rest, "gz")) => (rest, Packing::Gzip),
        Some((rest, "zst")) => (rest, Packing::Zstd),
        _ => (&name[..], Packing::Plain),
    };
    let format = rest.rsplit_once('.').and_then(|(_, extension)| Format::from_extension(extension));
    (format, packing)
}

/// The format and packing of an existing file.
pub(crate) fn of_file(path: &Path) -> Outcome<(Format, Packing)> {
    if mtx_folder::is_one(path) {
        return Ok((Format::MtxFolder, Packing::Plain));
    }
    let (announced, packing) = (named(path).0, packing(path)?);
    let found = sniff(&head(path, packing)?);
    let format = match (announced, found) {
        (Some(format), Some(found)) if format != found => return Err(mismatch(format, Some(found))),
        (Some(format), None) if !format.is_plain_text() => return Err(mismatch(format, None)),
        (Some(format), _) | (None, Some(format)) => format,
        (None, None) => return Err(Fault::new(format!("is in no known format; {READ}"))),
    };
    match format.can_stream() || packing == Packing::Plain {
        true => Ok((format, packing)),
        false => {
            Err(Fault::new(format!("a packed {} file cannot be mapped: unpack it first", format.name())))
        }
    }
}

/// How an existing file of any kind is packed.
pub(crate) fn packing(path: &Path) -> Outcome<Packing> {
    check_packing(named(path).1, packing_of(&head(path, Packing::Plain)?))
}

/// What the first bytes say about the packing.
fn packing_of(head: &[u8]) -> Packing {
    match head {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
        _ => Packing::Plain,
    }
}

fn check_packing(named: Packing, found: Packing) -> Outcome<Packing> {
    match named {
        Packing::Gzip if found != named => Err(Fault::new("does not begin like a gzip stream")),
        Packing::Zstd if found != named => Err(Fault::new("does not begin like a zstd stream")),
        _ => Ok(found),
    }
}

fn mismatch(named: Format, found: Option<Format>) -> Fault {
    let found =
        found.map_or("does not begin like one".into(), |found| format!("begins like {}", found.name()));
    Fault::new(format!("is named like {} but {found}", named.name()))
}

/// The first bytes once unpacked.
fn head(path: &Path, packing: Packing) -> Outcome<Vec<u8>> {
    let mut head = Vec::new();
    stream(path, packing)?.take(64).read_to_end(&mut head)?;
    Ok(head)
}

/// The format that begins like this; svmlight begins like nothing in particular.
fn sniff(head: &[u8]) -> Option<Format> {
    let market = head.get(..matrix_market::MAGIC.len());
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        Some(Format::Npz)
    } else if head.starts_with(columnar::MAGIC) {
        Some(Format::Parquet)
    } else if head.starts_with(arrow::MAGIC) {
        Some(Format::Arrow)
    } else if head.starts_with(npy::MAGIC) {
        Some(Format::Npy)
    } else if market.is_some_and(|market| market.eq_ignore_ascii_case(matrix_market::MAGIC)) {
        Some(Format::MatrixMarket)
    } else if head.get(8) == Some(&b'{') && head[5..8] == [0, 0, 0] {
        Some(Format::Store)
    } else {
        None
    }
}

/// The format to write, by name alone.
pub(crate) fn to_write(path: &Path) -> Outcome<Format> {
    match named(path) {
        (Some(format), Packing::Plain)
            if format.is_plain_text() || matches!(format, Format::Parquet | Format::Arrow) =>
        {
            let name = format.name();
            let message = format!(
                "{name} files are read, not written; expected .safetensors, .lcca, .npz, .npy or .mtx"
            );
            Err(Fault::new(message))
        }
        (Some(format), Packing::Plain) => Ok(format),
        (_, Packing::Gzip | Packing::Zstd) => Err(Fault::new("packed files are read, not written")),
        (None, _) => {
            Err(Fault::new("has no known extension; expected .safetensors, .lcca, .npz, .npy or .mtx"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_announce_format_and_packing() {
        let of = |name: &str| named(Path::new(name));
        assert_eq!(of("a/b.mtx"), (Some(Format::MatrixMarket), Packing::Plain));
        assert_eq!(of("b.SVM.gz"), (Some(Format::Svmlight), Packing::Gzip));
        assert_eq!(of("b.npy.zst"), (Some(Format::Npy), Packing::Zstd));
        assert_eq!(of("b.txt"), (None, Packing::Plain));
        assert_eq!(of("npz"), (None, Packing::Plain));
    }
}
