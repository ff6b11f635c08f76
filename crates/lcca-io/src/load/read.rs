//! Reads a matrix in any format. This is the registry: the one place that knows a reader for every format.

use super::loaded::{Loaded, NameSource};
use crate::error::{Fault, Outcome, Result};
use crate::input::format::{self, Format};
use crate::input::lines::LineReader;
use crate::input::source::{Packing, Source};
use crate::input::text::Text;
use crate::matrix::assemble::Assembled;
use crate::matrix::missing::Filling;
use crate::matrix::options::{Missing, ReadOptions, TableOptions};
use crate::matrix::{matrix_market, mtx_folder, npy, npz, store, svmlight};
use crate::parts::names::Names;
use crate::parts::tensors::TensorFile;
#[cfg(feature = "arrow")]
use crate::tables::arrow::ArrowFile;
#[cfg(feature = "parquet")]
use crate::tables::columnar::ParquetFile;
use crate::tables::delimited::Table;
use crate::tables::table::{Finished, Target};
use crate::words::numbers::grouped;
use crate::words::remark::Remark;
use std::path::Path;

/// Reads a matrix. The extension names the format; without a known one, the first bytes do.
pub fn read_matrix(path: &Path) -> Result<Loaded> {
    read_matrix_with(path, &ReadOptions::default())
}

/// Reads a matrix as [`read_matrix`] does, with options that the caller gives.
pub fn read_matrix_with(path: &Path, options: &ReadOptions) -> Result<Loaded> {
    let opened = Opened::open_with(path, options);
    opened.and_then(|opened| opened.read(path, options, ForModel::default())).map_err(|fault| fault.at(path))
}

/// The names of a matrix's columns, if its file has them. The matrix itself is not read. [`Loaded::names`]
/// has the names of a matrix that was read, and those of categories, because only the rows tell these.
pub fn read_names(path: &Path) -> Result<Option<Names>> {
    Opened::open(path).and_then(|opened| opened.names(path)).map_err(|fault| fault.at(path))
}

/// Whether a file of this name says how many columns it has; svmlight files do not.
pub fn says_its_width(path: &Path) -> bool {
    !matches!(format::named(path), (Some(Format::Svmlight), _))
}

/// The columns and means of a model, for rows that are read for it.
#[derive(Clone, Copy, Default)]
pub(crate) struct ForModel<'a> {
    /// The columns of the model, if they have names.
    pub(crate) target: Option<&'a Target>,
    /// The means of the model, to be filled in.
    pub(crate) means: Option<&'a [f64]>,
}

/// A file that was opened, once, and whose format is known. Its numbers have not been read.
pub(crate) enum Opened {
    Folder,
    Tensors(TensorFile),
    File(Format, Source),
}

impl Opened {
    pub(crate) fn open(path: &Path) -> Outcome<Self> {
        Opened::open_with(path, &ReadOptions::default())
    }

    /// Opens a file. If the caller gives a delimiter, a file without a known name is a table.
    pub(crate) fn open_with(path: &Path, options: &ReadOptions) -> Outcome<Self> {
        if mtx_folder::is_one(path) {
            return Ok(Opened::Folder);
        }
        let source = Source::open(path)?;
        match format::detect(path, &source, options.table.delimiter)? {
            Format::Store => Ok(Opened::Tensors(TensorFile::open(source.map()?)?)),
            format => Ok(Opened::File(format, source)),
        }
    }

    pub(crate) fn read(self, path: &Path, options: &ReadOptions, model: ForModel<'_>) -> Outcome<Loaded> {
        let filling = Filling { missing: options.table.missing, means: model.means };
        let loaded = match self {
            Opened::Folder => {
                let (assembled, columns, rows) = mtx_folder::read(path)?;
                Loaded::new(path, Format::MtxFolder.name(), assembled, NameSource::Read { columns, rows })
            }
            Opened::Tensors(file) => {
                let matrix = store::read(&file)?;
                Loaded::new(path, Format::Store.name(), matrix.into(), NameSource::Stored(file))
            }
            Opened::File(format, source) if format.is_table() => {
                let Finished { assembled, names, row_names, counted, ids, index_name, remarks } =
                    read_table(format, source, options, filling, model.target)?;
                remarked(
                    path,
                    format,
                    assembled,
                    NameSource::Read { columns: names, rows: row_names },
                    filling,
                )
                .remarked_first(remarks)
                .indexed(counted, ids, index_name)
            }
            Opened::File(format, source) => {
                let assembled = read_file(format, source, options, filling)?;
                remarked(path, format, assembled, NameSource::Read { columns: None, rows: None }, filling)
            }
        };
        let cols = loaded.matrix.cols();
        match options.cols.filter(|&expected| expected != cols) {
            Some(expected) => {
                let (cols, expected) = (grouped(cols as u64), grouped(expected as u64));
                Err(Fault::new(format!("has {cols} columns, expected {expected}")))
            }
            None => Ok(loaded),
        }
    }

    fn names(self, path: &Path) -> Outcome<Option<Names>> {
        match self {
            Opened::Folder => mtx_folder::read_names(path),
            Opened::Tensors(file) => store::read_names(&file),
            Opened::File(format, source) => read_file_names(format, source),
        }
    }
}

/// Makes a matrix with remarks about its missing values.
fn remarked(
    path: &Path,
    format: Format,
    assembled: Assembled,
    names: NameSource,
    filling: Filling<'_>,
) -> Loaded {
    let (cells, rows) = (assembled.gaps.cells, assembled.gaps.rows);
    let settled = match filling.missing {
        _ if cells == 0 => None,
        Missing::Drop => Some(Remark::RowsWithMissing { cells, rows }),
        _ => Some(Remark::Filled { cells, rows, by_model: filling.means.is_some() }),
    };
    Loaded::new(path, format.name(), assembled, names).remarked(settled)
}

fn read_file(
    format: Format,
    source: Source,
    options: &ReadOptions,
    filling: Filling<'_>,
) -> Outcome<Assembled> {
    match format {
        Format::Npz => npz::read(source.map()?, filling),
        Format::Npy if source.packing == Packing::Plain => npy::read(&source.map()?, filling),
        Format::Npy => npy::read(&npy::unpack(source.stream()?)?, filling),
        Format::MatrixMarket => matrix_market::read(Text::new(source.stream()?), filling),
        Format::Svmlight => svmlight::read(Text::new(source.stream()?), options, filling),
        other => Err(not_in_this_build(other)),
    }
}

fn read_table(
    format: Format,
    source: Source,
    options: &ReadOptions,
    filling: Filling<'_>,
    target: Option<&Target>,
) -> Outcome<Finished> {
    match format {
        Format::Csv | Format::Tsv => table(format, source, &options.table, target)?.read(filling, target),
        #[cfg(feature = "parquet")]
        Format::Parquet => ParquetFile::open(source.into_file())?.read(&options.table, filling, target),
        #[cfg(feature = "arrow")]
        Format::Arrow => ArrowFile::open(source.map()?)?.read(&options.table, filling, target),
        other => Err(not_in_this_build(other)),
    }
}

fn read_file_names(format: Format, source: Source) -> Outcome<Option<Names>> {
    match format {
        Format::Csv | Format::Tsv => Ok(table(format, source, &TableOptions::default(), None)?.names()),
        #[cfg(feature = "parquet")]
        Format::Parquet => Ok(Some(Names::new(ParquetFile::open(source.into_file())?.names()))),
        #[cfg(feature = "arrow")]
        Format::Arrow => Ok(Some(ArrowFile::open(source.map()?)?.names()?)),
        #[allow(unreachable_patterns, reason = "without a feature, its format comes here")]
        Format::Parquet | Format::Arrow => Err(not_in_this_build(format)),
        _ => Ok(None),
    }
}

fn table(format: Format, source: Source, options: &TableOptions, target: Option<&Target>) -> Outcome<Table> {
    let separator = if format == Format::Csv { b',' } else { b'\t' };
    Table::open(LineReader::new(source)?, separator, options, target)
}

/// The error for a format whose reader is not compiled in.
fn not_in_this_build(format: Format) -> Fault {
    Fault::new(format!("is in the format {}, and this build reads no such files", format.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::source::{self, opens};
    use crate::parts::rows::bytes;
    use crate::write_matrix_named;
    use lcca::matrix::{DenseRows, DenseValues, Matrix, Owner, SparseRows, Values};
    use std::fs;

    fn sparse() -> Matrix {
        let values = Values::F64(vec![0.5, 2.0, 3.0].into());
        SparseRows::new(4, vec![0, 2, 3].into(), vec![1, 3, 0].into(), values).unwrap().into()
    }

    fn dense() -> Matrix {
        DenseRows::new(2, 2, DenseValues::F32(vec![1.0, 2.0, 3.0, 4.0].into())).unwrap().into()
    }

    fn mapped(name: &str, matrix: &Matrix) -> Owner {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        write_matrix_named(&path, matrix, None).unwrap();
        source::map(&path).ok().unwrap()
    }

    fn lies_in(owner: &Owner, part: &[u8]) -> bool {
        let whole = (**owner).as_ref().as_ptr_range();
        let part = part.as_ptr_range();
        whole.start <= part.start && part.end <= whole.end
    }

    #[test]
    fn sparse_files_are_used_where_they_lie() {
        let (archive, tensors) = (mapped("m.npz", &sparse()), mapped("m.lcca", &sparse()));
        let from_archive = npz::read(archive.clone(), Filling::REFUSED).ok().unwrap().matrix;
        let from_tensors = store::read(&TensorFile::open(tensors.clone()).ok().unwrap()).ok().unwrap();
        for (owner, matrix) in [(archive, from_archive), (tensors, from_tensors)] {
            let Matrix::Sparse(rows) = matrix else { panic!("not sparse") };
            let Values::F64(values) = rows.values() else { panic!("not f64") };
            let parts = [bytes(rows.offsets()), bytes(rows.columns()), bytes(values)];
            assert!(parts.iter().all(|part| lies_in(&owner, part)));
        }
    }

    #[test]
    fn dense_files_are_used_where_they_lie() {
        let owner = mapped("m.npy", &dense());
        let Matrix::Dense(rows) = npy::read(&owner, Filling::REFUSED).ok().unwrap().matrix else {
            panic!("not dense")
        };
        assert!(lies_in(&owner, npy::dense_bytes(rows.values()).1));
    }

    /// The number of files that reading the matrix and then its names opens.
    fn opens_of(path: &Path) -> (usize, Option<Names>) {
        let (opens, names) = opens::during(|| read_matrix(path).unwrap().names().unwrap());
        assert_eq!(read_names(path).unwrap(), names, "{}", path.display());
        (opens, names)
    }

    #[test]
    fn every_format_is_opened_once_names_included() {
        let folder = tempfile::tempdir().unwrap();
        let named = Names::new(["a", "b", "c", "d"]);
        for name in ["m.npz", "m.mtx", "m.lcca"] {
            write_matrix_named(&folder.path().join(name), &sparse(), Some(&named)).unwrap();
        }
        write_matrix_named(&folder.path().join("m.npy"), &dense(), None).unwrap();
        fs::write(folder.path().join("m.svm"), "1 1:2 2:3\n").unwrap();
        fs::write(folder.path().join("m.csv"), "a,b\n1,2\n").unwrap();
        fs::write(folder.path().join("m.tsv"), "a\tb\n1\t2\n").unwrap();
        for name in ["m.npz", "m.mtx", "m.lcca", "m.npy", "m.svm", "m.csv", "m.tsv"] {
            let (opens, names) = opens_of(&folder.path().join(name));
            assert_eq!(opens, 1, "{name}");
            assert_eq!(names.is_some(), ["m.lcca", "m.csv", "m.tsv"].contains(&name), "{name}");
        }
    }

    #[test]
    fn each_file_of_a_folder_is_opened_once() {
        let folder = tempfile::tempdir().unwrap();
        let market = "%%MatrixMarket matrix coordinate real general\n2 1 1\n1 1 3\n";
        fs::write(folder.path().join("matrix.mtx"), market).unwrap();
        fs::write(folder.path().join("features.tsv"), "id1\tA\nid2\tB\n").unwrap();
        fs::write(folder.path().join("barcodes.tsv"), "cell\n").unwrap();
        assert_eq!(opens_of(folder.path()), (3, Some(Names::new(["A", "B"]))));
    }

    #[cfg(not(feature = "parquet"))]
    #[test]
    fn without_the_feature_a_parquet_file_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.parquet");
        fs::write(&path, "PAR1").unwrap();
        let error = read_matrix(&path).unwrap_err().to_string();
        assert!(error.ends_with("is in the format parquet, and this build reads no such files"), "{error}");
        assert!(read_names(&path).is_err());
    }

    #[cfg(not(feature = "arrow"))]
    #[test]
    fn without_the_feature_an_arrow_file_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.arrow");
        fs::write(&path, "ARROW1").unwrap();
        let error = read_matrix(&path).unwrap_err().to_string();
        assert!(error.ends_with("is in the format arrow, and this build reads no such files"), "{error}");
        assert!(read_names(&path).is_err());
    }
}
