//! `lcca views words CORPUS… -o DIR`

use super::folder::{self, Written};
use crate::args::views::WordsArgs;
use crate::failure::Failure;
use crate::{machine, progress, report};
use lcca_io::views::{Corpus, Keep, WordSettings, WordView, WordViews, word_views};
use lcca_io::{NpyWriter, OutputFolder};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Files that only exist while the views are made.
const SPOOLS: [&str; 5] = ["ends.spool", "x_rows.spool", "y_rows.spool", "x.spool", "y.spool"];

pub fn run(args: &WordsArgs) -> Result<ExitCode, Failure> {
    if args.files.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::Usage("the corpus is read twice, expected a file, not standard input".into()));
    }
    let settings = settings(args);
    let folder = OutputFolder::create(&args.output)?;
    let spinner = progress::spinner(format!("reading {}", args.files[0].display()), args.common.quiet);
    let told = |tokens: u64| spinner.set_message(format!("{} words counted", report::grouped(tokens)));
    let pool = machine::pool(args.common.threads)?;
    let made = pool.install(|| word_views(&settings, &folder, &told))?;
    spinner.set_message(format!("writing {}", args.output.display()));
    pool.install(|| write(&folder, &made))?;
    spinner.finish_and_clear();
    let facts = facts(args, &made);
    drop(made);
    SPOOLS.iter().for_each(|name| {
        // Not every run makes every one.
        let _ = std::fs::remove_file(folder.path(name));
    });
    folder::finish(folder, &args.output, &facts, &args.common)?;
    Ok(ExitCode::SUCCESS)
}

fn settings(args: &WordsArgs) -> WordSettings {
    let keep = |top: Option<usize>| Keep {
        min_count: args.min_count,
        max_share: None,
        skip: 0,
        top,
        ties: args.ties.into(),
    };
    WordSettings {
        corpus: Corpus {
            files: args.files.clone(),
            tokens: args.tokens,
            lowercase: args.lowercase,
            lossy: args.lossy,
        },
        window: args.window,
        positions: args.positions,
        across_lines: args.across_lines,
        x: keep(args.x_top),
        y: keep(Some(args.y_top)),
        merge: args.merge,
    }
}

fn write(folder: &OutputFolder, made: &WordViews) -> Result<(), Failure> {
    for (name, view) in ["x", "y"].into_iter().zip(&made.views) {
        let written = Written { matrix: &view.matrix, names: Some(&view.names), counts: &view.counts };
        folder::write_view(folder, name, &written, None)?;
    }
    if let Some(weights) = &made.weights {
        let mut writer = NpyWriter::create(&folder.path("weights.npy"), weights.len(), 1)?;
        writer.write_rows(weights)?;
        writer.finish()?;
    }
    Ok(())
}

/// What views.json says.
fn facts(args: &WordsArgs, made: &WordViews) -> Value {
    let name = |path: &PathBuf| path.file_name().map(|name| Path::new(name).display().to_string());
    let view = |view: &WordView| folder::sizes(&view.matrix);
    json!({
        "command": "words",
        "files": args.files.iter().map(name).collect::<Vec<_>>(),
        "rows": made.views[0].matrix.rows(),
        "weight": made.weights.as_ref().map(|weights| weights.iter().sum::<f64>()),
        "tokens": made.tokens,
        "distinct": made.distinct,
        "x": view(&made.views[0]),
        "y": view(&made.views[1]),
        "settings": {
            "window": [args.window.left, args.window.right],
            "positions": args.positions,
            "across_lines": args.across_lines,
            "tokens": args.tokens.to_string(),
            "lowercase": args.lowercase,
            "x_top": args.x_top,
            "y_top": args.y_top,
            "min_count": args.min_count,
            "merge": args.merge,
        },
        "version": env!("CARGO_PKG_VERSION"),
    })
}
