//! Two files whose lines belong together, one line of each per row.

use super::row::{Batch, Batches, Row};
use crate::error::{Error, Fault, Result};
use crate::input::lines::{LineBatch, LineReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const BATCH_LINES: usize = 1024;

struct PairedBatch {
    lines: [LineBatch; 2],
    paths: Arc<[PathBuf; 2]>,
}

pub(super) fn open(x: &Path, y: &Path) -> Result<Batches> {
    let paths = Arc::new([x.to_path_buf(), y.to_path_buf()]);
    let open = |path: &Path| LineReader::open(path).map_err(|fault| fault.at(path));
    let mut readers = [open(x)?, open(y)?];
    Ok(Box::new(move || next(&mut readers, &paths)))
}

fn next(readers: &mut [LineReader; 2], paths: &Arc<[PathBuf; 2]>) -> Result<Option<Box<dyn Batch>>> {
    let [x, y] = readers;
    let mut lines = [Vec::new(), Vec::new()];
    let first = x.line;
    for _ in 0..BATCH_LINES {
        let added = [(&mut *x, 0), (&mut *y, 1)]
            .map(|(reader, side)| reader.add(&mut lines[side]).map_err(|fault| fault.at(&paths[side])));
        match added {
            [Ok(true), Ok(true)] => {}
            [Ok(false), Ok(false)] => break,
            [Ok(false), Ok(true)] => return Err(longer(y.line - 1, &paths[1], &paths[0])),
            [Ok(true), Ok(false)] => return Err(longer(x.line - 1, &paths[0], &paths[1])),
            [Err(error), _] | [_, Err(error)] => return Err(error),
        }
    }
    if x.line == first {
        return Ok(None);
    }
    let lines = lines.map(|bytes| LineBatch::new(bytes, first));
    Ok(Some(Box::new(PairedBatch { lines, paths: paths.clone() })))
}

fn longer(line: u64, long: &Path, short: &Path) -> Error {
    let message = format!("{} ends before it, expected as many lines in both", short.display());
    Fault::line(line, message).at(long)
}

impl Batch for PairedBatch {
    fn path(&self, text: usize) -> &Path {
        &self.paths[text.min(1)]
    }

    fn for_each(&self, visit: &mut dyn FnMut(Row<'_>) -> Result<()>) -> Result<()> {
        let [x, y] = &self.lines;
        x.lines().zip(y.lines()).try_for_each(|((line, x), (_, y))| visit(Row { line, texts: [x, y, &[]] }))
    }
}
