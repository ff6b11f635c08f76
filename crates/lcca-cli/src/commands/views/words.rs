//! `lcca views words CORPUS… -o DIR`

use super::view_folder::{self, NamedView};
use crate::failure::Failure;
use crate::output::remark;
use crate::resolve::WordViewsJob;
use crate::text::grouped;
use crate::{machine, progress};
use lcca_io::views::{WordViews, word_views};
use lcca_io::{NpyWriter, OutputFolder};
use serde_json::{Value, json};

/// Files that exist only while the views are made.
const SPOOLS: [&str; 5] = ["ends.spool", "x_rows.spool", "y_rows.spool", "x.spool", "y.spool"];

pub fn run(job: &WordViewsJob) -> Result<(), Failure> {
    let folder = OutputFolder::create(&job.output)?;
    let first = job.settings.corpus.files[0].display();
    let spinner = progress::spinner(format!("reading {first}"), job.session.quiet);
    let show_tokens = |tokens: u64| spinner.set_message(format!("{} words counted", grouped(tokens)));
    let pool = machine::pool(job.session.threads)?;
    let result = pool.install(|| word_views(&job.settings, &folder, &show_tokens))?;
    spinner.set_message(format!("writing {}", job.output.display()));
    pool.install(|| write(&folder, &result))?;
    spinner.finish_and_clear();
    let facts = facts(job, &result);
    let least = job.settings.x.min_count;
    if least > 1 && !job.session.quiet {
        let distinct = grouped(result.distinct);
        remark!(
            "of {distinct} distinct words those that occur at least {least} times are kept (--min-count)"
        );
    }
    // The views map the spools, so they must be dropped first.
    drop(result);
    for name in SPOOLS {
        // Not every run makes all the spools, so a missing one is fine.
        let _ = std::fs::remove_file(folder.path(name));
    }
    view_folder::finish(folder, &job.output, &facts, &job.session)
}

fn write(folder: &OutputFolder, result: &WordViews) -> Result<(), Failure> {
    for (name, view) in ["x", "y"].into_iter().zip(&result.views) {
        let view = NamedView { matrix: &view.matrix, names: Some(&view.names), counts: &view.counts };
        view_folder::write_view(folder, name, &view, None)?;
    }
    if let Some(weights) = &result.weights {
        let mut writer = NpyWriter::create(&folder.path("weights.npy"), weights.len(), 1)?;
        writer.write_rows(weights)?;
        writer.finish()?;
    }
    Ok(())
}

/// The contents of views.json.
fn facts(job: &WordViewsJob, result: &WordViews) -> Value {
    let settings = &job.settings;
    json!({
        "command": "words",
        "files": view_folder::file_names(&settings.corpus.files),
        "rows": result.views[0].matrix.rows(),
        "weight": result.weights.as_ref().map(|weights| weights.iter().sum::<f64>()),
        "tokens": result.tokens,
        "distinct": result.distinct,
        "x": view_folder::sizes(&result.views[0].matrix),
        "y": view_folder::sizes(&result.views[1].matrix),
        "settings": {
            "window": [settings.window.left, settings.window.right],
            "positions": settings.positions,
            "across_lines": settings.across_lines,
            "tokens": settings.corpus.tokens.to_string(),
            "lowercase": settings.corpus.lowercase,
            "x_top": settings.x.top,
            "y_top": settings.y.top,
            "min_count": settings.x.min_count,
            "merge": settings.merge,
        },
        "version": env!("CARGO_PKG_VERSION"),
    })
}
