//! Fields between tabs, as they are: quotes mean nothing, and every line has as many fields as the first.

use super::fields::{picked, ragged};
use super::row::{Batch, Batches, Row};
use crate::error::{Fault, Outcome, Result};
use crate::input::lines::{LineBatch, LineReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Layout {
    path: PathBuf,
    picked: [Option<usize>; 3],
    fields: usize,
}

struct TsvBatch {
    lines: LineBatch,
    layout: Arc<Layout>,
}

pub(super) fn open(path: &Path, header: bool, columns: &[Option<String>; 3]) -> Result<Batches> {
    let (mut reader, layout, mut first) = begin(path, header, columns).map_err(|fault| fault.at(path))?;
    let layout = Arc::new(layout);
    Ok(Box::new(move || {
        let next = match first.take() {
            Some(line) => Ok(Some(line)),
            None => reader.batch(usize::MAX),
        };
        let lines = next.map_err(|fault| fault.at(&layout.path))?;
        Ok(lines.map(|lines| Box::new(TsvBatch { lines, layout: layout.clone() }) as Box<dyn Batch>))
    }))
}

/// Reads the first line, which determines the number of fields. Without a header it is a row as well.
fn begin(
    path: &Path,
    header: bool,
    columns: &[Option<String>; 3],
) -> Outcome<(LineReader, Layout, Option<LineBatch>)> {
    let mut reader = LineReader::open(path)?;
    let first = reader.one()?.ok_or_else(|| Fault::new("is empty"))?;
    let fields: Vec<&[u8]> = first.split(|&byte| byte == b'\t').collect();
    let names = fields.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect::<Vec<_>>();
    let picked = picked(columns, header.then_some(&names[..]), fields.len())?;
    let layout = Layout { path: path.into(), picked, fields: fields.len() };
    Ok((reader, layout, (!header).then(|| LineBatch::new(first, 1))))
}

impl Batch for TsvBatch {
    fn path(&self, _: usize) -> &Path {
        &self.layout.path
    }

    fn for_each(&self, visit: &mut dyn FnMut(Row<'_>) -> Result<()>) -> Result<()> {
        for (line, bytes) in self.lines.lines() {
            let mut texts = [&[][..]; 3];
            let mut fields = 0;
            for (index, field) in bytes.split(|&byte| byte == b'\t').enumerate() {
                fields = index + 1;
                for (pick, text) in self.layout.picked.iter().zip(&mut texts) {
                    if *pick == Some(index) {
                        *text = field;
                    }
                }
            }
            if fields != self.layout.fields {
                return Err(ragged(line, fields, self.layout.fields).at(&self.layout.path));
            }
            visit(Row { line, texts })?;
        }
        Ok(())
    }
}
