//! `lcca views text FILE --x COL --y COL -o DIR`

use super::view_folder::{self, NamedView};
use crate::failure::Failure;
use crate::resolve::TextViewsJob;
use crate::text::grouped;
use crate::write_file::write_file;
use crate::{machine, progress};
use lcca_io::OutputFolder;
use lcca_io::views::{Bagging, MadeView, TextInput, TextViews, hold_out_lines, text_views};
use serde_json::{Value, json};

pub fn run(job: &TextViewsJob) -> Result<(), Failure> {
    let folder = OutputFolder::create(&job.output)?;
    let spinner = progress::spinner(format!("reading {}", job.files[0].display()), job.session.quiet);
    let show_rows = |rows: u64| spinner.set_message(format!("{} rows read", grouped(rows)));
    let pool = machine::pool(job.session.threads)?;
    let result = pool.install(|| text_views(&job.settings, &show_rows))?;
    spinner.set_message(format!("writing {}", job.output.display()));
    view_folder::check_hold_out(result.rows, job.hold_out, &job.files[0])?;
    pool.install(|| write(&folder, &result, job))?;
    spinner.finish_and_clear();
    view_folder::finish(folder, &job.output, &facts(job, &result), &job.session)
}

fn write(folder: &OutputFolder, result: &TextViews, job: &TextViewsJob) -> Result<(), Failure> {
    for (name, view) in ["x", "y"].into_iter().zip(&result.views) {
        let view = NamedView { matrix: &view.matrix, names: view.names.as_ref(), counts: &view.counts };
        view_folder::write_view(folder, name, &view, job.hold_out)?;
    }
    let [_, _, label] = columns(&job.settings.input);
    if label.is_some() {
        write_labels(folder, &result.labels, job.hold_out)?;
    }
    Ok(())
}

/// Writes the labels. A label goes to the same part as its row.
fn write_labels(folder: &OutputFolder, labels: &[u8], hold_out: Option<usize>) -> Result<(), Failure> {
    let Some(every) = hold_out else { return write_file(&folder.path("labels.txt"), labels) };
    let [kept, held_out] = hold_out_lines(labels, every);
    write_file(&folder.path("labels.txt"), &kept)?;
    write_file(&folder.path("labels_test.txt"), &held_out)
}

/// The columns of x, of y and of the label; none if the input is two files of lines.
fn columns(input: &TextInput) -> [Option<&str>; 3] {
    match input {
        TextInput::Table { columns, .. } => columns.each_ref().map(|column| column.as_deref()),
        TextInput::Lines { .. } => [None; 3],
    }
}

/// The contents of views.json.
fn facts(job: &TextViewsJob, result: &TextViews) -> Value {
    let [x, y, label] = columns(&job.settings.input);
    json!({
        "command": "text",
        "files": view_folder::file_names(&job.files),
        "columns": { "x": x, "y": y, "label": label },
        "rows": result.rows,
        "held_out": view_folder::held_out(result.rows, job.hold_out),
        "x": view_facts(&result.views[0], &job.settings.views[0]),
        "y": view_facts(&result.views[1], &job.settings.views[1]),
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn view_facts(result: &MadeView, bagging: &Bagging) -> Value {
    let more = json!({
        "tokens": result.tokens,
        "distinct": result.distinct,
        "empty_rows": result.empty_rows,
        "settings": {
            "tokens": bagging.tokens.to_string(),
            "lowercase": bagging.lowercase,
            "values": bagging.amounts,
            "columns": bagging.columns,
        },
    });
    view_folder::merged(view_folder::sizes(&result.matrix), more)
}
