//! `lcca info FILE`

use crate::failure::Failure;
use crate::resolve::InfoJob;
use crate::text::{count, count_entries, grouped, view_sizes};
use crate::{machine, output, progress};
use lcca::fit::HeldOut;
use lcca_io::{FitRecord, Info, MatrixInfo, ModelInfo, StateInfo, TopColumn, describe_with, legible, verify};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The number of pairs whose leading columns are printed; `--json` has all pairs.
const PAIRS_SHOWN: usize = 10;
/// The most characters of a name that are printed.
const LONGEST_NAME: usize = 30;
/// The most characters of a fact about a model's origin that are printed. A command line is such a fact,
/// for example.
const LONGEST_FACT: usize = 1000;

pub fn run(job: &InfoJob) -> Result<(), Failure> {
    let spinner = progress::spinner(format!("reading {}", job.file.display()), job.session.quiet);
    let (verified, info) = machine::pool(job.session.threads)?.install(|| {
        let verified = if job.verify { Some(verify(&job.file)?) } else { None };
        Ok::<_, Failure>((verified, describe_with(&job.file, &job.reading)?))
    })?;
    spinner.finish_and_clear();
    if job.session.json {
        let mut object = object(&info);
        if let Some(bytes) = verified {
            object["verified_bytes"] = json!(bytes);
        }
        output::print_json(&object)?;
    } else {
        let (mut text, checksums) = match &info {
            Info::Matrix(info) => (matrix_text(info), info.checksums),
            Info::Model(info) => (model_text(info), info.checksums),
            Info::State(info) => (state_text(info), info.checksums),
        };
        text += &checksum_line(checksums, verified);
        output::print(&text)?;
    }
    Ok(())
}

/// Whether the file has checksums, and the result of `--verify`. A mismatch is an error and does not get
/// this far.
fn checksum_line(checksums: bool, verified: Option<Option<u64>>) -> String {
    match (verified, checksums) {
        (Some(Some(bytes)), _) => format!("verified: all {} bytes match their checksums\n", grouped(bytes)),
        (Some(None), _) => "not verified: the file has no checksums; it was read without an error\n".into(),
        (None, true) => "checksums: yes, and what was read matches them\n".into(),
        (None, false) => "checksums: none in this file\n".into(),
    }
}

fn object(info: &Info) -> Value {
    match info {
        Info::Matrix(m) => json!({
            "kind": "matrix", "format": m.format, "storage": m.storage,
            "rows": m.rows, "cols": m.cols, "entries": m.entries, "names": m.names,
            "row_names": m.row_names, "checksums": m.checksums, "notes": m.notes,
        }),
        Info::Model(m) => json!({
            "kind": "model", "format": m.format, "method": m.method, "k": m.k, "rows": m.rows,
            "x_cols": m.x_cols, "y_cols": m.y_cols, "total": m.total, "correlations": m.correlations,
            "x_names": m.x_names, "y_names": m.y_names, "top": m.top, "settings": m.settings,
            "checksums": m.checksums, "provenance": m.provenance,
        }),
        Info::State(s) => json!({
            "kind": "state", "iterations": s.iterations, "passes": s.passes, "total": s.total,
            "missing": s.missing, "belongs_to": s.belongs_to, "checksums": s.checksums,
        }),
    }
}

fn matrix_text(info: &MatrixInfo) -> String {
    let cells = info.rows as f64 * info.cols as f64;
    let share = 100.0 * info.entries as f64 / cells;
    let mut text = format!(
        "matrix ({}): {} × {}, {}, {} ({share:.4}% of all cells, {:.1} per row)\n",
        info.format,
        count(info.rows as u64, "row"),
        count(info.cols as u64, "column"),
        info.storage,
        count_entries(info.entries),
        info.entries as f64 / info.rows as f64,
    );
    text += &column_names("columns", info.names.as_deref(), info.cols);
    if let Some(names) = &info.row_names {
        text += &column_names("rows", Some(names), info.rows);
    }
    info.notes.iter().for_each(|note| text += &format!("{note}\n"));
    text
}

fn state_text(info: &StateInfo) -> String {
    let iterations = count(info.iterations as u64, "iteration");
    let mut text = format!("state of an unfinished fit: {iterations}, {:.0} passes\n", info.passes);
    if let Some(total) = info.total {
        let _ = writeln!(text, "captured total so far {total:.6}");
    }
    if let Some(missing) = info.missing {
        let _ = writeln!(text, "about {missing:.1e} of it may be missing");
    }
    let _ = writeln!(text, "continue it with the same `lcca fit … --resume FILE`");
    let _ = writeln!(text, "fit: {}", info.belongs_to);
    text
}

fn model_text(info: &ModelInfo) -> String {
    let mut text = format!("model ({}): {} by {}\n", info.format, count(info.k as u64, "pair"), info.method);
    let sizes = view_sizes(info.rows, info.x_cols as u64, info.y_cols as u64);
    let _ = writeln!(text, "trained on {sizes}");
    let _ = writeln!(text, "captured total {:.6}", info.total);
    let correlations: Vec<String> = info.correlations.iter().map(|c| format!("{c:.4}")).collect();
    let _ = writeln!(text, "correlations {}", correlations.join(" "));
    text += &column_names("columns of x", info.x_names.as_deref(), info.x_cols);
    text += &column_names("columns of y", info.y_names.as_deref(), info.y_cols);
    text += &info.top.as_deref().map(top_columns).unwrap_or_default();
    text += &provenance(&info.provenance);
    if let Some(record) = FitRecord::from_provenance(&info.provenance) {
        let _ = writeln!(text, "why: {}", record.why());
        text += &record.held_out.as_ref().map(held_out).unwrap_or_default();
        record.note_sentences().iter().for_each(|note| text += &format!("note: {note}\n"));
    }
    let _ = writeln!(text, "settings: {}", json!(info.settings));
    text
}

/// The correlations on held-out rows of a fit to the other rows, in two lines.
fn held_out(held_out: &HeldOut) -> String {
    let list =
        |correlations: &[f64]| correlations.iter().map(|c| format!("{c:.4}")).collect::<Vec<_>>().join(" ");
    format!(
        "held out {} of {}: correlations {}\n  in training {}\n",
        count(held_out.rows, "row"),
        held_out.rows + held_out.training_rows,
        list(&held_out.held_out),
        list(&held_out.training)
    )
}

/// One line for each of the first pairs: the columns that stand out, with their loadings.
fn top_columns(pairs: &[[Vec<TopColumn>; 2]]) -> String {
    let list = |columns: &[TopColumn]| {
        let one = |column: &TopColumn| format!("{} {:.2}", quoted(&column.name), column.loading);
        columns.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let mut text = String::from("columns with the largest loadings, x | y:\n");
    for (i, [x, y]) in pairs.iter().enumerate().take(PAIRS_SHOWN) {
        let _ = writeln!(text, "  pair {}: {} | {}", i + 1, list(x), list(y));
    }
    if pairs.len() > PAIRS_SHOWN {
        let _ = writeln!(text, "  and {} more pairs (--json has all)", pairs.len() - PAIRS_SHOWN);
    }
    text
}

/// A name in quotes, because a name can be a comma, on one line and not too long.
fn quoted(name: &str) -> String {
    format!("\"{}\"", legible(name, LONGEST_NAME).replace('"', "\\\""))
}

/// The origin of a model, and how its fit ended. Lists, such as the trace, are left to `--json`, and
/// reasons to the record of the fit.
fn provenance(facts: &Map<String, Value>) -> String {
    let line = |(key, value): (&String, &Value)| match value {
        // Other sentences of the output tell these facts.
        _ if key == "why" || key == "held_out" || key == "reading" => String::new(),
        Value::Object(inner) => provenance(inner),
        Value::Array(_) | Value::Null => String::new(),
        Value::String(plain) => format!("{}: {}\n", legible(key, LONGEST_NAME), legible(plain, LONGEST_FACT)),
        other => format!("{}: {other}\n", legible(key, LONGEST_NAME)),
    };
    facts.iter().map(line).collect()
}

/// The first few names, in quotes because a name can be a comma.
fn column_names(columns: &str, names: Option<&[String]>, cols: usize) -> String {
    let Some(names) = names else { return format!("{columns} without names\n") };
    let quoted: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    let more = if names.len() < cols { ", …" } else { "" };
    format!("{columns} named {}{more}\n", quoted.join(", "))
}
