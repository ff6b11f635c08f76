//! The formats of matrices: their names, and how a file's name and first bytes tell its format.

use super::source::{Packing, Source};
use super::standard_input;
use crate::error::{Fault, Outcome, Remedy};
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

/// The first bytes of HDF5, the container of AnnData, MuData and 10x Genomics.
const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";

const READ: &str = "expected .npz, .npy, .mtx, .svm (.svmlight, .libsvm), .csv, .tsv, .parquet, .arrow \
    (.feather), .safetensors (.lcca) or a folder with matrix.mtx; .npy, .mtx, .svm, .csv and .tsv also with \
    .gz or .zst";

/// The formats that begin with bytes of their own. The bytes of MatrixMarket may be in upper or lower case.
const MAGIC: [(&[u8], Format); 7] = [
    (b"PK\x03\x04", Format::Npz),
    (b"PK\x05\x06", Format::Npz),
    (b"PAR1", Format::Parquet),
    (b"PARE", Format::Parquet),
    (b"ARROW1", Format::Arrow),
    (b"\x93NUMPY", Format::Npy),
    (b"%%MatrixMarket", Format::MatrixMarket),
];

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

    /// The format that begins with these bytes; `None` for plain texts, which can begin with any.
    fn sniffed(head: &[u8]) -> Option<Self> {
        let begins_with =
            |magic: &[u8]| head.get(..magic.len()).is_some_and(|start| start.eq_ignore_ascii_case(magic));
        if let Some((_, format)) = MAGIC.iter().find(|(magic, _)| begins_with(magic)) {
            return Some(*format);
        }
        // A safetensors file begins with the length of its JSON header in eight bytes, of which the last
        // three are zero.
        let is_store = head.get(8) == Some(&b'{') && head[5..8] == [0, 0, 0];
        is_store.then_some(Format::Store)
    }

    /// Whether files of this format hold columns with names and kinds of their own.
    pub(crate) fn is_table(self) -> bool {
        matches!(self, Format::Csv | Format::Tsv | Format::Parquet | Format::Arrow)
    }

    /// Whether files of this format are plain texts, whose first bytes do not tell the format.
    fn is_plain_text(self) -> bool {
        matches!(self, Format::Svmlight | Format::Csv | Format::Tsv)
    }

    /// Whether a packed file of this format can be read. Archives and stores cannot, because they are read
    /// in any order, which a stream does not allow.
    fn can_stream(self) -> bool {
        !matches!(self, Format::Npz | Format::Store | Format::Parquet | Format::Arrow)
    }
}

/// The format and packing that a name announces.
pub(crate) fn named(path: &Path) -> (Option<Format>, Packing) {
    let (name, packing) = Packing::named(path);
    let format = name.rsplit_once('.').and_then(|(_, extension)| Format::from_extension(extension));
    (format, packing)
}

/// Refuses HDF5, which this program does not read, and files that are only named like it.
fn refuse_hdf5(path: &Path, head: &[u8]) -> Outcome<()> {
    let extension = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
    if head.starts_with(HDF5) {
        return Err(Fault::new(
            "is an HDF5 file (AnnData, MuData, 10x), which is read in Python: `python -m lcca.sc convert \
             FILE -o FOLDER` writes \
             stores that can be read here",
        ));
    }
    if matches!(extension.as_str(), "h5ad" | "h5mu" | "h5" | "hdf5") {
        return Err(Fault::new("is named like HDF5 but does not begin like one"));
    }
    Ok(())
}

/// Refuses the files of spreadsheet programs, under any name.
fn refuse_spreadsheet(path: &Path, head: &[u8]) -> Outcome<()> {
    const OLE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
    let extension = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
    if matches!(extension.as_str(), "xlsx" | "xlsm" | "xlsb" | "xls" | "ods" | "numbers")
        || head.starts_with(OLE)
    {
        return Err(Fault::new(
            "is a spreadsheet, expected a table in a text: save its sheet as CSV (UTF-8), or in Python write \
             pandas.read_excel(FILE).to_csv(\"table.csv\", index=False)",
        ));
    }
    Ok(())
}

/// The error for a file whose name and first bytes do not tell its format. Only the caller can tell,
/// because texts of all kinds are called `.txt`.
fn unknown(path: &Path) -> Fault {
    let (name, _) = Packing::named(path);
    match name.rsplit_once('.') {
        Some((_, "txt" | "dat" | "data" | "asc" | "prn" | "text")) => {
            let message =
                "may hold anything: rename a table to .csv or .tsv, or say what is between its fields";
            Fault::new(message).remedied_by(Remedy::SayDelimiter)
        }
        _ => Fault::new(format!("is in no known format; {READ}")),
    }
}

/// The format of an opened file. Its name decides, and its first bytes must confirm that. If a delimiter is
/// given, a file without a known name is a table.
pub(crate) fn detect(path: &Path, source: &Source, delimiter: Option<char>) -> Outcome<Format> {
    refuse_hdf5(path, &source.head()?)?;
    refuse_spreadsheet(path, &source.head()?)?;
    let format = match (named(path).0, Format::sniffed(&source.head()?)) {
        (Some(named), Some(sniffed)) if named != sniffed => {
            let message = format!("is named like {} but begins like {}", named.name(), sniffed.name());
            return Err(Fault::new(message));
        }
        (Some(Format::Arrow), None) if is_arrow_stream(&source.head()?) => {
            let message = "is an Arrow stream, expected an Arrow file: write it with pyarrow.ipc.new_file, \
                feather.write_feather or DataFrame.to_feather";
            return Err(Fault::new(message));
        }
        (Some(named), None) if !named.is_plain_text() => {
            return Err(Fault::new(format!("is named like {} but does not begin like one", named.name())));
        }
        (Some(format), _) | (None, Some(format)) => format,
        (None, None) if is_arrow_stream(&source.head()?) => {
            return Err(Fault::new("is an Arrow stream, expected an Arrow file (.arrow, .feather)"));
        }
        (None, None) if delimiter.is_some() => Format::Csv,
        (None, None) if standard_input::is_meant(path) => text_format(&source.head()?),
        (None, None) => return Err(unknown(path)),
    };
    if source.packing != Packing::Plain && !format.can_stream() {
        let message = format!("a packed {} file cannot be mapped: unpack it first", format.name());
        return Err(Fault::new(message));
    }
    Ok(format)
}

/// The format of a text without a name. svmlight has `index:value` after the first number of a line; tables
/// have names or numbers, between tabs or other separators.
fn text_format(head: &[u8]) -> Format {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(|byte| byte.is_ascii_whitespace());
    let is_number = |word: &[u8]| str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok());
    let (is_labeled, second) = (words.next().is_some_and(is_number), words.next().unwrap_or_default());
    let index = second.split(|&byte| byte == b':').next().unwrap_or_default();
    if is_labeled && index.len() < second.len() && !index.is_empty() && index.iter().all(u8::is_ascii_digit) {
        Format::Svmlight
    } else if line.contains(&b'\t') {
        Format::Tsv
    } else {
        Format::Csv
    }
}

/// Whether these bytes begin a stream of Arrow messages, of which the first describes the columns.
fn is_arrow_stream(head: &[u8]) -> bool {
    let length = head.get(4..8).and_then(|bytes| Some(u32::from_le_bytes(bytes.try_into().ok()?)));
    head.starts_with(&[0xff; 4]) && length.is_some_and(|length| length > 0 && length.is_multiple_of(8))
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
        for (name, expected) in [
            ("a/b.mtx", (Some(Format::MatrixMarket), Packing::Plain)),
            ("b.SVM.gz", (Some(Format::Svmlight), Packing::Gzip)),
            ("b.npy.zst", (Some(Format::Npy), Packing::Zstd)),
            ("b.feather", (Some(Format::Arrow), Packing::Plain)),
            ("b.txt", (None, Packing::Plain)),
            ("npz", (None, Packing::Plain)),
        ] {
            assert_eq!(named(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn first_bytes_announce_a_format_too() {
        assert_eq!(Format::sniffed(b"%%matrixmarket matrix"), Some(Format::MatrixMarket));
        assert_eq!(Format::sniffed(b"\x40\0\0\0\0\0\0\0{\"a\""), Some(Format::Store));
        assert_eq!(Format::sniffed(b"1 2:3"), None);
        assert_eq!(Format::sniffed(b""), None);
    }

    #[test]
    fn a_text_without_a_name_shows_its_format_in_its_first_line() {
        for (text, format) in [
            ("1 3:0.5 4:1\n", Format::Svmlight),
            ("-1.5 12:1", Format::Svmlight),
            ("a\tb c\n1,2\n", Format::Tsv),
            ("time,12:30\n", Format::Csv),
            ("at 12:30,x\n", Format::Csv),
            ("a;b\n", Format::Csv),
            ("", Format::Csv),
        ] {
            assert_eq!(text_format(text.as_bytes()), format, "{text:?}");
        }
    }
}
