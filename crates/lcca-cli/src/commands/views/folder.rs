//! What every `lcca views` command writes: two stores, their columns with counts, and a page of facts.

use super::super::count;
use crate::args::Common;
use crate::failure::Failure;
use crate::report;
use crate::save::save;
use lcca::matrix::Matrix;
use lcca_io::{Names, OutputFolder, escaped, views, write_matrix_named};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// One view to be written.
pub struct Written<'a> {
    pub matrix: &'a Matrix,
    pub names: Option<&'a Names>,
    /// How many rows hold each column.
    pub counts: &'a [u64],
}

/// Writes the store of the view called `x` or `y`, and its columns where they have names. Rows that are to be held out go
/// to a store of their own, called `x_test` or `y_test`.
pub fn write_view(
    folder: &OutputFolder,
    view: &str,
    made: &Written<'_>,
    hold_out: Option<u32>,
) -> Result<(), Failure> {
    let store = |name: String, matrix: &Matrix| -> Result<(), Failure> {
        Ok(write_matrix_named(&folder.path(&format!("{name}.safetensors")), matrix, made.names)?)
    };
    match hold_out {
        None => store(view.into(), made.matrix)?,
        Some(every) => {
            let [kept, held] = views::hold_out(made.matrix, every as usize)?;
            store(view.into(), &kept)?;
            store(format!("{view}_test"), &held)?;
        }
    }
    if let Some(names) = made.names {
        write_columns(folder, view, names, made.counts)?;
    }
    Ok(())
}

/// A line a column: its name, and how many rows hold it.
pub fn write_columns(
    folder: &OutputFolder,
    view: &str,
    names: &Names,
    counts: &[u64],
) -> Result<(), Failure> {
    let mut text = String::new();
    for (name, count) in names.iter().zip(counts) {
        let _ = writeln!(text, "{}\t{count}", escaped(name));
    }
    save(&folder.path(&format!("{view}_columns.tsv")), text.as_bytes())
}

/// Writes the facts, puts the folder in place, and says what it holds.
pub fn finish(folder: OutputFolder, output: &Path, facts: &Value, common: &Common) -> Result<(), Failure> {
    let page = serde_json::to_string_pretty(facts).unwrap_or_default() + "\n";
    save(&folder.path("views.json"), page.as_bytes())?;
    folder.commit()?;
    if common.json {
        report::print_json(facts)?;
    } else if !common.quiet {
        let size = |view: &str| facts[view]["cols"].as_u64().unwrap_or(0);
        let held = facts["held_out"]["rows"].as_u64();
        let held = held.map(|rows| format!(", {} of them held out", report::grouped(rows)));
        eprintln!(
            "lcca: {} × ({} + {} columns) written to {}{}",
            count(facts["rows"].as_u64().unwrap_or(0), "row"),
            report::grouped(size("x")),
            report::grouped(size("y")),
            output.display(),
            held.unwrap_or_default()
        );
    }
    Ok(())
}

/// One row would be held out, and none be left to fit.
pub fn check_hold_out(rows: u64, hold_out: Option<u32>, input: &Path) -> Result<(), Failure> {
    match hold_out {
        Some(_) if rows < 2 => {
            let input = input.display();
            Err(Failure::Usage(format!(
                "{input}: has {rows} row, expected two or more to hold some of them out"
            )))
        }
        _ => Ok(()),
    }
}

/// What views.json says of rows that are held out.
pub fn held_out(rows: u64, hold_out: Option<u32>) -> Value {
    let facts = |every: u32| json!({ "every": every, "rows": rows.div_ceil(every.into()) });
    hold_out.map_or(Value::Null, facts)
}

/// The facts about one view that all commands share.
pub fn sizes(matrix: &Matrix) -> Value {
    json!({ "cols": matrix.cols(), "entries": matrix.entries(), "storage": matrix.kind() })
}

/// The fields of both objects.
pub fn with(mut facts: Value, more: Value) -> Value {
    if let (Some(facts), Value::Object(more)) = (facts.as_object_mut(), more) {
        facts.extend(more);
    }
    facts
}
