//! Fields between commas, quoted where they hold commas, quotes or line ends; every record has as many fields as the
//! first. A quoted field can span lines, so records are cut apart by one thread; the rest is done by all.

use super::{Batch, Batches, Row, picked, ragged, stream};
use crate::error::{Fault, Outcome, Result, one_line};
use csv::{ByteRecord, Reader, ReaderBuilder};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const BATCH_RECORDS: usize = 1024;

struct Layout {
    path: PathBuf,
    picked: [Option<usize>; 3],
}

struct CsvBatch {
    records: Vec<(u64, ByteRecord)>,
    layout: Arc<Layout>,
}

type Records = Reader<Box<dyn BufRead + Send>>;

pub(super) fn open(path: &Path, header: bool, columns: &[Option<String>; 3]) -> Result<Batches> {
    let (mut reader, first) = begin(path).map_err(|fault| fault.at(path))?;
    let names: Vec<String> = first.1.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let fields = names.len();
    let picked = picked(columns, header.then_some(&names[..]), fields).map_err(|fault| fault.at(path))?;
    let layout = Arc::new(Layout { path: path.into(), picked });
    let mut first = (!header).then_some(first);
    Ok(Box::new(move || {
        let mut records: Vec<(u64, ByteRecord)> = first.take().into_iter().collect();
        while records.len() < BATCH_RECORDS {
            match next(&mut reader, fields).map_err(|fault| fault.at(&layout.path))? {
                Some(record) => records.push(record),
                None => break,
            }
        }
        let any = !records.is_empty();
        Ok(any.then(|| Box::new(CsvBatch { records, layout: layout.clone() }) as Box<dyn Batch>))
    }))
}

fn begin(path: &Path) -> Outcome<(Records, (u64, ByteRecord))> {
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(stream(path)?);
    let mut first = ByteRecord::new();
    match reader.read_byte_record(&mut first).map_err(broken)? {
        true => Ok((reader, (1, first))),
        false => Err(Fault::new("is empty")),
    }
}

fn next(reader: &mut Records, fields: usize) -> Outcome<Option<(u64, ByteRecord)>> {
    let mut record = ByteRecord::new();
    if !reader.read_byte_record(&mut record).map_err(broken)? {
        return Ok(None);
    }
    let line = record.position().map_or(0, |at| at.line());
    match record.len() == fields {
        true => Ok(Some((line, record))),
        false => Err(ragged(line, record.len(), fields)),
    }
}

fn broken(error: csv::Error) -> Fault {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => Fault::Io(error),
        other => Fault::new(one_line(&format!("{other:?}"))),
    }
}

impl Batch for CsvBatch {
    fn path(&self, _: usize) -> &Path {
        &self.layout.path
    }

    fn for_each(&self, visit: &mut dyn FnMut(Row<'_>) -> Result<()>) -> Result<()> {
        for (line, record) in &self.records {
            let text = |pick: Option<usize>| pick.and_then(|at| record.get(at)).unwrap_or_default();
            visit(Row { line: *line, texts: self.layout.picked.map(text) })?;
        }
        Ok(())
    }
}
