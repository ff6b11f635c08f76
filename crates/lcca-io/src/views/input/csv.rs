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

/// Records and what is needed to tell on which line each begins.
struct Records {
    reader: Reader<Box<dyn BufRead + Send>>,
    /// Whether the line end after a record is counted with it; the second byte of CR LF is counted with the next.
    ends_counted: bool,
}

fn begin(path: &Path) -> Outcome<(Records, (u64, ByteRecord))> {
    let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(stream(path)?);
    let mut records = Records { reader, ends_counted: false };
    let mut first = ByteRecord::new();
    match records.reader.read_byte_record(&mut first).map_err(broken)? {
        true => {
            let inside = lines_inside(&first);
            records.ends_counted = records.reader.position().line() > 1 + inside;
            Ok((records, (1, first)))
        }
        false => Err(Fault::new("is empty")),
    }
}

fn next(records: &mut Records, fields: usize) -> Outcome<Option<(u64, ByteRecord)>> {
    let mut record = ByteRecord::new();
    if !records.reader.read_byte_record(&mut record).map_err(broken)? {
        return Ok(None);
    }
    let line = line_of(&record, records);
    match record.len() == fields {
        true => Ok(Some((line, record))),
        false => Err(ragged(line, record.len(), fields)),
    }
}

/// A record's own position is before blank lines, so it is counted back from where its reader is now.
fn line_of(record: &ByteRecord, records: &Records) -> u64 {
    let start = record.position().map_or(0, |at| at.line());
    let behind = lines_inside(record) + u64::from(records.ends_counted);
    start.max(records.reader.position().line().saturating_sub(behind))
}

fn lines_inside(record: &ByteRecord) -> u64 {
    record.iter().flatten().filter(|&&byte| byte == b'\n').count() as u64
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
