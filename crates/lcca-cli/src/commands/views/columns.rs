//! `lcca views columns MATRIX --x COLUMNS --y COLUMNS -o DIR`

use super::view_folder::{self, NamedView};
use crate::failure::Failure;
use crate::output::remark;
use crate::resolve::ColumnViewsJob;
use crate::{load, machine, progress};
use lcca_io::OutputFolder;
use lcca_io::views::{ColumnView, ColumnViews, column_views};
use serde_json::{Value, json};

pub fn run(job: &ColumnViewsJob) -> Result<(), Failure> {
    let folder = OutputFolder::create(&job.output)?;
    let result = machine::pool(job.session.threads)?.install(|| make(job, &folder))?;
    if result.shared > 0 && !job.session.quiet {
        remark!("{} columns are in both views, and correlate perfectly with themselves", result.shared);
    }
    view_folder::finish(folder, &job.output, &facts(job, &result), &job.session)
}

fn make(job: &ColumnViewsJob, folder: &OutputFolder) -> Result<ColumnViews, Failure> {
    let loaded = load::matrix(&job.matrix, &job.reading, job.session.quiet)?;
    let names = loaded.names()?;
    let spinner = progress::spinner(format!("cutting {}", job.matrix.display()), job.session.quiet);
    let result = column_views(&job.matrix, &loaded.matrix, names.as_ref(), &job.settings)?;
    view_folder::check_hold_out(result.views[0].matrix.rows() as u64, job.hold_out, &job.matrix)?;
    for (name, view) in ["x", "y"].into_iter().zip(&result.views) {
        let view = NamedView { matrix: &view.matrix, names: Some(&view.names), counts: &view.counts };
        view_folder::write_view(folder, name, &view, job.hold_out)?;
    }
    spinner.finish_and_clear();
    load::print_remarks(&loaded, job.session.quiet);
    Ok(result)
}

/// The contents of views.json.
fn facts(job: &ColumnViewsJob, result: &ColumnViews) -> Value {
    let view_facts = |view: &ColumnView| {
        let more = json!({ "selected": view.selected, "not_boolean": view.not_boolean });
        view_folder::merged(view_folder::sizes(&view.matrix), more)
    };
    let (settings, rows) = (&job.settings, result.views[0].matrix.rows());
    json!({
        "command": "columns",
        "file": job.matrix.file_name().map(|name| name.to_string_lossy()),
        "rows": rows,
        "x": view_facts(&result.views[0]),
        "y": view_facts(&result.views[1]),
        "held_out": view_folder::held_out(rows as u64, job.hold_out),
        "shared": result.shared,
        "settings": {
            "x": settings.selections[0].to_string(),
            "y": settings.selections[1].to_string(),
            "rows": settings.rows,
            "boolean_only": settings.boolean_only,
            "min_count": settings.min_count,
            "skip": { "x": settings.skips[0], "y": settings.skips[1] },
            "top": settings.top,
        },
        "version": env!("CARGO_PKG_VERSION"),
    })
}
