//! JSON lines: one object per line, with texts under the names of the columns. Numbers and Booleans are taken
//! as they are written, null as an empty text, a list of texts with spaces between them. Blank lines are
//! skipped.

use super::row::{Batch, Batches, Row};
use crate::error::{Fault, Outcome, Result, one_line};
use crate::input::lines::{LineBatch, LineReader};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Layout {
    path: PathBuf,
    columns: [Option<String>; 3],
}

struct JsonBatch {
    lines: LineBatch,
    layout: Arc<Layout>,
}

pub(super) fn open(path: &Path, columns: &[Option<String>; 3]) -> Result<Batches> {
    let layout = Arc::new(Layout { path: path.into(), columns: columns.clone() });
    let mut reader = LineReader::open(path).map_err(|fault| fault.at(path))?;
    Ok(Box::new(move || {
        let lines = reader.batch(usize::MAX).map_err(|fault| fault.at(&layout.path))?;
        Ok(lines.map(|lines| Box::new(JsonBatch { lines, layout: layout.clone() }) as Box<dyn Batch>))
    }))
}

impl Batch for JsonBatch {
    fn path(&self, _: usize) -> &Path {
        &self.layout.path
    }

    fn for_each(&self, visit: &mut dyn FnMut(Row<'_>) -> Result<()>) -> Result<()> {
        for (line, bytes) in self.lines.lines().filter(|(_, bytes)| !bytes.trim_ascii().is_empty()) {
            let texts =
                texts(bytes, &self.layout.columns, line).map_err(|fault| fault.at(&self.layout.path))?;
            visit(Row { line, texts: texts.each_ref().map(|text| text.as_bytes()) })?;
        }
        Ok(())
    }
}

fn texts(bytes: &[u8], columns: &[Option<String>; 3], line: u64) -> Outcome<[String; 3]> {
    let object: Map<String, Value> = serde_json::from_slice(bytes)
        .map_err(|error| Fault::line(line, format!("expected a JSON object ({})", one_line(&error))))?;
    let mut texts = [const { String::new() }; 3];
    for (text, column) in texts.iter_mut().zip(columns) {
        if let Some(column) = column {
            let value =
                object.get(column).ok_or_else(|| Fault::line(line, format!("there is no {column:?}")))?;
            *text = plain(value)
                .ok_or_else(|| Fault::line(line, format!("{column:?} is an object, expected a text")))?;
        }
    }
    Ok(texts)
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(parts.iter().map(plain).collect::<Option<Vec<_>>>()?.join(" ")),
        Value::Object(_) => None,
        number_or_boolean => Some(number_or_boolean.to_string()),
    }
}
