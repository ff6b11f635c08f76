//! Columns of a Parquet file.

use super::fields::picked;
use super::row::{Batch, Batches, Row};
use crate::error::Result;
use crate::input::source::Source;
use crate::tables::columnar::{ParquetFile, Texts, texts};
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct ParquetBatch {
    texts: Texts,
    path: Arc<PathBuf>,
}

pub(super) fn open(path: &Path, columns: &[Option<String>; 3]) -> Result<Batches> {
    let source = Source::open(path);
    let opened =
        source.and_then(|source| ParquetFile::open(source.into_file())).map_err(|fault| fault.at(path))?;
    let names = opened.names();
    let picked = picked(columns, Some(&names), names.len()).map_err(|fault| fault.at(path))?;
    let path = Arc::new(path.to_path_buf());
    let mut next = texts(opened, picked);
    Ok(Box::new(move || {
        let texts = next().map_err(|fault| fault.at(&path))?;
        Ok(texts.map(|texts| Box::new(ParquetBatch { texts, path: path.clone() }) as Box<dyn Batch>))
    }))
}

impl Batch for ParquetBatch {
    fn path(&self, _: usize) -> &Path {
        &self.path
    }

    fn for_each(&self, visit: &mut dyn FnMut(Row<'_>) -> Result<()>) -> Result<()> {
        let [x, y, label] = &self.texts.columns;
        let rows = x.iter().zip(y).zip(label).zip(self.texts.first..);
        rows.into_iter().try_for_each(|(((x, y), label), line)| visit(Row { line, texts: [x, y, label] }))
    }
}
