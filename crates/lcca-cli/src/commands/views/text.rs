//! `lcca views text FILE --x COL --y COL -o DIR`

use super::folder::{self, Written};
use crate::args::views::{TextArgs, ValuesArg, Which};
use crate::failure::Failure;
use crate::save::save;
use crate::{machine, progress, report};
use lcca_io::OutputFolder;
use lcca_io::views::{
    Amounts, Bagging, Columns, Keep, MadeView, TextInput, TextSettings, TextViews, hold_out_lines, text_views,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub fn run(args: &TextArgs) -> Result<ExitCode, Failure> {
    let settings = settings(args)?;
    let folder = OutputFolder::create(&args.output)?;
    let spinner = progress::spinner(format!("reading {}", args.files[0].display()), args.common.quiet);
    let told = |rows: u64| spinner.set_message(format!("{} rows read", report::grouped(rows)));
    let pool = machine::pool(args.common.threads)?;
    let made = pool.install(|| text_views(&settings, &told))?;
    spinner.set_message(format!("writing {}", args.output.display()));
    folder::check_hold_out(made.rows, args.hold_out, &args.files[0])?;
    pool.install(|| write(&folder, &made, args))?;
    spinner.finish_and_clear();
    folder::finish(folder, &args.output, &facts(args, &settings, &made), &args.common)?;
    Ok(ExitCode::SUCCESS)
}

fn write(folder: &OutputFolder, made: &TextViews, args: &TextArgs) -> Result<(), Failure> {
    for (name, view) in ["x", "y"].into_iter().zip(&made.views) {
        let written = Written { matrix: &view.matrix, names: view.names.as_ref(), counts: &view.counts };
        folder::write_view(folder, name, &written, args.hold_out)?;
    }
    if args.label.is_some() {
        write_labels(folder, &made.labels, args.hold_out)?;
    }
    Ok(())
}

/// Labels go where their rows go.
fn write_labels(folder: &OutputFolder, labels: &[u8], hold_out: Option<u32>) -> Result<(), Failure> {
    let Some(every) = hold_out else { return save(&folder.path("labels.txt"), labels) };
    let [kept, held] = hold_out_lines(labels, every as usize);
    save(&folder.path("labels.txt"), &kept)?;
    save(&folder.path("labels_test.txt"), &held)
}

fn settings(args: &TextArgs) -> Result<TextSettings, Failure> {
    if let Some(share) = args.keep.max_share.filter(|share| !(*share > 0.0 && *share <= 1.0)) {
        return Err(Failure::Usage(format!(
            "--max-share is {share}, expected a number above 0 and at most 1"
        )));
    }
    let views = [Which::X, Which::Y].map(|view| bagging(args, view));
    Ok(TextSettings { input: input(args)?, views, lossy: args.lossy })
}

fn input(args: &TextArgs) -> Result<TextInput, Failure> {
    if let [x, y] = &args.files[..] {
        let typed = [("--x", args.x.is_some()), ("--y", args.y.is_some()), ("--label", args.label.is_some())];
        return match typed.iter().find(|(_, typed)| *typed) {
            Some((flag, _)) => {
                Err(Failure::Usage(format!("{flag} names a column, expected one file with columns, not two")))
            }
            None => Ok(TextInput::Lines { x: x.clone(), y: y.clone() }),
        };
    }
    let (Some(x), Some(y)) = (&args.x, &args.y) else {
        return Err(Failure::Usage(
            "expected --x and --y, the columns of one file, or two files of lines".into(),
        ));
    };
    Ok(TextInput::Table {
        path: args.files[0].clone(),
        format: args.format.map(Into::into),
        header: !args.no_header,
        columns: [Some(x.clone()), Some(y.clone()), args.label.clone()],
    })
}

fn bagging(args: &TextArgs, view: Which) -> Bagging {
    let (tokens, top, skip) = match view {
        Which::Y => (args.y_tokens, args.keep.y_top, args.keep.y_skip),
        Which::X | Which::Both => (args.x_tokens, args.keep.x_top, args.keep.x_skip),
    };
    let keep = Keep {
        min_count: args.keep.min_count.unwrap_or(2),
        max_share: args.keep.max_share,
        skip: skip.unwrap_or(args.keep.skip),
        top: top.or(args.keep.top),
        ties: args.keep.ties.into(),
    };
    Bagging {
        tokens: tokens.unwrap_or(args.tokens),
        lowercase: args.lowercase.is_some_and(|which| which == view || which == Which::Both),
        amounts: match args.values {
            ValuesArg::Binary => Amounts::Binary,
            ValuesArg::Count => Amounts::Count,
            ValuesArg::TfIdf => Amounts::TfIdf,
        },
        columns: args.hash_bits.map_or(Columns::Tokens(keep), Columns::Hashed),
    }
}

/// What views.json says.
fn facts(args: &TextArgs, settings: &TextSettings, made: &TextViews) -> Value {
    let name = |path: &PathBuf| path.file_name().map(|name| Path::new(name).display().to_string());
    let view = |at: usize| view_facts(&made.views[at], &settings.views[at]);
    json!({
        "command": "text",
        "files": args.files.iter().map(name).collect::<Vec<_>>(),
        "columns": { "x": args.x, "y": args.y, "label": args.label },
        "rows": made.rows,
        "held_out": folder::held_out(made.rows, args.hold_out),
        "x": view(0),
        "y": view(1),
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn view_facts(made: &MadeView, how: &Bagging) -> Value {
    let seen = json!({
        "tokens": made.tokens,
        "distinct": made.distinct,
        "empty_rows": made.empty_rows,
        "settings": {
            "tokens": how.tokens.to_string(),
            "lowercase": how.lowercase,
            "values": how.amounts,
            "columns": how.columns,
        },
    });
    folder::with(folder::sizes(&made.matrix), seen)
}
