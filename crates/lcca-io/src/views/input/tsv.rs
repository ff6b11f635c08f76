//! Fields between tabs, as they are: quotes mean nothing, and every line has as many fields as the first.

use super::lines::{LineBatch, LineReader};
use super::{Batch, Batches, Row, picked, ragged};
use crate::error::{Fault, Outcome, Result};
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

/// The first line tells how many fields there are. Without a header it is a row as well.
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
    Ok((reader, layout, (!header).then(|| LineBatch::single(first, 1))))
}

impl Batch for TsvBatch {
    fn path(&self, _: usize) -> &Path {
        &self.layout.path
    }

    fn for_each(&self, visit: &mut dyn FnMut(Row<'_>) -> Result<()>) -> Result<()> {
        for (line, bytes) in self.lines.lines() {
            let mut texts = [&[][..]; 3];
            let mut found = 0;
            for (at, field) in bytes.split(|&byte| byte == b'\t').enumerate() {
                found = at + 1;
                let wanted = self.layout.picked.iter().zip(&mut texts).filter(|(pick, _)| **pick == Some(at));
                wanted.for_each(|(_, text)| *text = field);
            }
            if found != self.layout.fields {
                return Err(ragged(line, found, self.layout.fields).at(&self.layout.path));
            }
            visit(Row { line, texts })?;
        }
        Ok(())
    }
}
