//! `lcca views columns MATRIX --x COLUMNS --y COLUMNS -o DIR`

use super::folder::{self, Written};
use crate::args::views::ColumnsArgs;
use crate::failure::Failure;
use crate::{load, machine, progress};
use lcca_io::OutputFolder;
use lcca_io::views::{ColumnSettings, ColumnView, ColumnViews, column_views};
use serde_json::{Value, json};
use std::process::ExitCode;

pub fn run(args: &ColumnsArgs) -> Result<ExitCode, Failure> {
    let folder = OutputFolder::create(&args.output)?;
    let made = machine::pool(args.common.threads)?.install(|| -> Result<ColumnViews, Failure> {
        let names = lcca_io::read_names(&args.matrix)?;
        let matrix = load::view(&args.matrix, args.cols, args.zero_based, args.common.quiet)?;
        let spinner = progress::spinner(format!("cutting {}", args.matrix.display()), args.common.quiet);
        let made = column_views(&args.matrix, &matrix, names.as_ref(), &settings(args))?;
        folder::check_hold_out(made.views[0].matrix.rows() as u64, args.hold_out, &args.matrix)?;
        write(&folder, &made, args.hold_out)?;
        spinner.finish_and_clear();
        Ok(made)
    })?;
    if made.shared > 0 && !args.common.quiet {
        eprintln!("lcca: {} columns are in both views, and correlate perfectly with themselves", made.shared);
    }
    folder::finish(folder, &args.output, &facts(args, &made), &args.common)?;
    Ok(ExitCode::SUCCESS)
}

fn settings(args: &ColumnsArgs) -> ColumnSettings {
    ColumnSettings {
        selections: [args.x.clone(), args.y.clone()],
        rows: args.rows,
        boolean_only: args.boolean_only,
        min_count: args.min_count,
        skips: [args.x_skip, args.y_skip].map(|skip| skip.unwrap_or(args.skip)),
        top: args.top,
    }
}

fn write(folder: &OutputFolder, made: &ColumnViews, hold_out: Option<u32>) -> Result<(), Failure> {
    for (name, view) in ["x", "y"].into_iter().zip(&made.views) {
        let written = Written { matrix: &view.matrix, names: Some(&view.names), counts: &view.counts };
        folder::write_view(folder, name, &written, hold_out)?;
    }
    Ok(())
}

/// What views.json says.
fn facts(args: &ColumnsArgs, made: &ColumnViews) -> Value {
    let view = |view: &ColumnView| {
        let more = json!({ "selected": view.selected, "not_boolean": view.not_boolean });
        folder::with(folder::sizes(&view.matrix), more)
    };
    json!({
        "command": "columns",
        "file": args.matrix.file_name().map(|name| name.to_string_lossy()),
        "rows": made.views[0].matrix.rows(),
        "x": view(&made.views[0]),
        "y": view(&made.views[1]),
        "held_out": folder::held_out(made.views[0].matrix.rows() as u64, args.hold_out),
        "shared": made.shared,
        "settings": {
            "x": args.x.to_string(),
            "y": args.y.to_string(),
            "rows": args.rows,
            "boolean_only": args.boolean_only,
            "min_count": args.min_count,
            "skip": { "x": args.x_skip.unwrap_or(args.skip), "y": args.y_skip.unwrap_or(args.skip) },
            "top": args.top,
        },
        "version": env!("CARGO_PKG_VERSION"),
    })
}
