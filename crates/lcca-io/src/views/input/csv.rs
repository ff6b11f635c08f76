//! Fields between commas, quoted if they hold commas, quotes or line ends; every record has as many fields
//! as the first. One thread cuts records apart, because a quoted field can span lines; all threads do the
//! rest.

use super::fields::{picked, ragged};
use super::row::{Batch, Batches, Row};
use crate::error::{Fault, Outcome, Result, one_line};
use crate::input::lines::open_text;
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

/// Reads records, and counts lines to tell where each record begins.
struct Records {
    reader: Reader<Box<dyn BufRead + Send>>,
    /// Whether the line end after a record is counted with it. With CR LF it is not, because its second
    /// byte is counted with the next record.
    ends_counted: bool,
}

fn begin(path: &Path) -> Outcome<(Records, (u64, ByteRecord))> {
    let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(open_text(path)?);
    let mut records = Records { reader, ends_counted: false };
    let mut first = ByteRecord::new();
    if !records.reader.read_byte_record(&mut first).map_err(broken)? {
        return Err(Fault::new("is empty"));
    }
    records.ends_counted = records.reader.position().line() > 1 + lines_inside(&first);
    Ok((records, (1, first)))
}

fn next(records: &mut Records, fields: usize) -> Outcome<Option<(u64, ByteRecord)>> {
    let mut record = ByteRecord::new();
    if !records.reader.read_byte_record(&mut record).map_err(broken)? {
        return Ok(None);
    }
    let line = line_of(&record, records);
    if record.len() != fields {
        return Err(ragged(line, record.len(), fields));
    }
    Ok(Some((line, record)))
}

/// The line that a record begins on. Lines are counted back from the position of the reader, because the
/// record's own position is before any blank lines.
fn line_of(record: &ByteRecord, records: &Records) -> u64 {
    let start = record.position().map_or(0, |position| position.line());
    let lines_of_record = lines_inside(record) + u64::from(records.ends_counted);
    start.max(records.reader.position().line().saturating_sub(lines_of_record))
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
            let text = |pick: Option<usize>| pick.and_then(|field| record.get(field)).unwrap_or_default();
            visit(Row { line: *line, texts: self.layout.picked.map(text) })?;
        }
        Ok(())
    }
}
