//! `lcca info FILE`

use super::convert::entry_count;
use super::count;
use crate::args::InfoArgs;
use crate::failure::Failure;
use crate::{machine, progress, report};
use lcca_io::{Info, MatrixInfo, ModelInfo, ReadOptions, TopColumn, describe_with};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::process::ExitCode;

pub fn run(args: &InfoArgs) -> Result<ExitCode, Failure> {
    let spinner = progress::spinner(format!("reading {}", args.file.display()), args.common.quiet);
    let options = ReadOptions { cols: None, zero_based: args.zero_based.then_some(true) };
    let info = machine::pool(args.common.threads)?.install(|| describe_with(&args.file, &options))?;
    spinner.finish_and_clear();
    match args.common.json {
        true => report::print_json(&object(&info))?,
        false => report::print(&text(&info))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn object(info: &Info) -> Value {
    match info {
        Info::Matrix(m) => json!({
            "kind": "matrix", "format": m.format, "storage": m.storage,
            "rows": m.rows, "cols": m.cols, "entries": m.entries, "names": m.names, "notes": m.notes,
        }),
        Info::Model(m) => json!({
            "kind": "model", "format": m.format, "method": m.method, "k": m.k, "rows": m.rows,
            "x_cols": m.x_cols, "y_cols": m.y_cols, "total": m.total, "correlations": m.correlations,
            "x_names": m.x_names, "y_names": m.y_names, "top": m.top, "settings": m.settings, "provenance": m.provenance,
        }),
    }
}

fn text(info: &Info) -> String {
    match info {
        Info::Matrix(m) => matrix(m),
        Info::Model(m) => model(m),
    }
}

fn matrix(m: &MatrixInfo) -> String {
    let cells = m.rows as f64 * m.cols as f64;
    let share = 100.0 * m.entries as f64 / cells;
    let mut text = format!(
        "matrix ({}): {} × {}, {}, {} ({share:.4}% of all cells, {:.1} a row)\n",
        m.format,
        count(m.rows as u64, "row"),
        count(m.cols as u64, "column"),
        m.storage,
        entry_count(m.entries),
        m.entries as f64 / m.rows as f64,
    );
    text += &named("columns", m.names.as_deref(), m.cols);
    m.notes.iter().for_each(|note| text += &format!("{note}\n"));
    text
}

fn model(m: &ModelInfo) -> String {
    let mut text = format!("model ({}): {} by {}\n", m.format, count(m.k as u64, "pair"), m.method);
    let (x_cols, y_cols) = (report::grouped(m.x_cols as u64), report::grouped(m.y_cols as u64));
    let _ = writeln!(text, "trained on {} × ({x_cols} + {y_cols} columns)", count(m.rows, "row"));
    let _ = writeln!(text, "captured total {:.6}", m.total);
    let correlations: Vec<String> = m.correlations.iter().map(|c| format!("{c:.4}")).collect();
    let _ = writeln!(text, "correlations {}", correlations.join(" "));
    text += &named("columns of x", m.x_names.as_deref(), m.x_cols);
    text += &named("columns of y", m.y_names.as_deref(), m.y_cols);
    text += &m.top.as_deref().map(top).unwrap_or_default();
    text += &provenance(&m.provenance);
    let _ = writeln!(text, "settings: {}", json!(m.settings));
    text
}

/// A line for each of the first pairs: the columns that stand out, with their loadings.
fn top(pairs: &[[Vec<TopColumn>; 2]]) -> String {
    const SHOWN: usize = 10;
    let list = |columns: &[TopColumn]| {
        let one = |column: &TopColumn| format!("{} {:.2}", quoted(&column.name), column.loading);
        columns.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let mut text = String::from("columns with the largest loadings, x | y:\n");
    for (at, [x, y]) in pairs.iter().enumerate().take(SHOWN) {
        let _ = writeln!(text, "  pair {}: {} | {}", at + 1, list(x), list(y));
    }
    if pairs.len() > SHOWN {
        let _ = writeln!(text, "  and {} more pairs (--json has all)", pairs.len() - SHOWN);
    }
    text
}

/// A name can be a comma, and long.
fn quoted(name: &str) -> String {
    const LONGEST: usize = 30;
    match name.chars().nth(LONGEST) {
        Some(_) => format!("{:?}", name.chars().take(LONGEST).chain(['…']).collect::<String>()),
        None => format!("{name:?}"),
    }
}

/// Where a model came from and how its fit ended; lists, such as the trace, are for scripts.
fn provenance(told: &Map<String, Value>) -> String {
    let line = |(key, value): (&String, &Value)| match value {
        Value::Object(inner) => provenance(inner),
        Value::Array(_) | Value::Null => String::new(),
        Value::String(plain) => format!("{key}: {plain}\n"),
        other => format!("{key}: {other}\n"),
    };
    told.iter().map(line).collect()
}

/// The first few names, quoted: a name can be a comma.
fn named(what: &str, names: Option<&[String]>, cols: usize) -> String {
    let Some(names) = names else { return format!("{what} without names\n") };
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    let more = if names.len() < cols { ", …" } else { "" };
    format!("{what} named {}{more}\n", quoted.join(", "))
}
