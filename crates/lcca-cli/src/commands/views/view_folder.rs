//! The folder that every `lcca views` command writes: two stores, their columns with counts, and views.json.

use crate::failure::Failure;
use crate::output;
use crate::output::remark;
use crate::resolve::Session;
use crate::text::{count, grouped};
use crate::write_file::write_file;
use lcca::matrix::Matrix;
use lcca_io::{Names, OutputFolder, escaped, views, write_matrix_named};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A view to write.
pub struct NamedView<'a> {
    pub matrix: &'a Matrix,
    pub names: Option<&'a Names>,
    /// The number of rows that have each column.
    pub counts: &'a [u64],
}

/// Writes the store of the view called `x` or `y`, and the list of its columns if they have names. Held-out
/// rows go to a separate store, called `x_test` or `y_test`.
pub fn write_view(
    folder: &OutputFolder,
    name: &str,
    view: &NamedView<'_>,
    hold_out: Option<usize>,
) -> Result<(), Failure> {
    let write_store = |store: &str, matrix: &Matrix| {
        write_matrix_named(&folder.path(&format!("{store}.safetensors")), matrix, view.names)
    };
    match hold_out {
        None => write_store(name, view.matrix)?,
        Some(every) => {
            let [kept, held_out] = views::hold_out(view.matrix, every)?;
            write_store(name, &kept)?;
            write_store(&format!("{name}_test"), &held_out)?;
        }
    }
    let Some(names) = view.names else { return Ok(()) };
    let mut text = String::new();
    for (name, count) in names.iter().zip(view.counts) {
        let _ = writeln!(text, "{}\t{count}", escaped(name));
    }
    write_file(&folder.path(&format!("{name}_columns.tsv")), text.as_bytes())
}

/// Writes views.json, puts the folder in place, and prints its contents.
pub fn finish(folder: OutputFolder, output: &Path, facts: &Value, session: &Session) -> Result<(), Failure> {
    let page = serde_json::to_string_pretty(facts).unwrap_or_default() + "\n";
    write_file(&folder.path("views.json"), page.as_bytes())?;
    folder.commit()?;
    if session.json {
        output::print_json(facts)?;
    } else if !session.quiet {
        let columns = |view: &str| grouped(facts[view]["cols"].as_u64().unwrap_or(0));
        let rows = count(facts["rows"].as_u64().unwrap_or(0), "row");
        let held_out = facts["held_out"]["rows"].as_u64();
        let held_out = held_out.map(|rows| format!(", {} of them held out", grouped(rows)));
        remark!(
            "{rows} × ({} + {} columns) written to {}{}",
            columns("x"),
            columns("y"),
            output.display(),
            held_out.unwrap_or_default()
        );
    }
    Ok(())
}

/// Refuses to hold out rows if none would be left to fit.
pub fn check_hold_out(rows: u64, hold_out: Option<usize>, input: &Path) -> Result<(), Failure> {
    if hold_out.is_some() && rows < 2 {
        let input = input.display();
        return Err(Failure::Usage(format!(
            "{input}: has {rows} row, expected two or more to hold some of them out"
        )));
    }
    Ok(())
}

/// The facts about held-out rows in views.json.
pub fn held_out(rows: u64, hold_out: Option<usize>) -> Value {
    let facts = |every: usize| json!({ "every": every, "rows": rows.div_ceil(every as u64) });
    hold_out.map_or(Value::Null, facts)
}

/// The facts about each view in views.json.
pub fn sizes(matrix: &Matrix) -> Value {
    json!({ "cols": matrix.cols(), "entries": matrix.entries(), "storage": matrix.kind() })
}

/// The names of the input files, without their folders.
pub fn file_names(paths: &[PathBuf]) -> Vec<Option<String>> {
    paths.iter().map(|path| path.file_name().map(|name| Path::new(name).display().to_string())).collect()
}

/// The fields of both objects.
pub fn merged(mut facts: Value, more: Value) -> Value {
    if let (Some(facts), Value::Object(more)) = (facts.as_object_mut(), more) {
        facts.extend(more);
    }
    facts
}
