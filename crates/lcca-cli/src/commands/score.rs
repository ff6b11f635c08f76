//! `lcca score MODEL X Y`

use super::count;
use super::same_names::check_names;
use crate::args::ScoreArgs;
use crate::failure::Failure;
use crate::{load, machine, report};
use lcca::data::Side;
use lcca::fit::{Model, Scores};
use lcca::matrix::Matrix;
use lcca_io::read_model;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

pub fn run(args: &ScoreArgs) -> Result<ExitCode, Failure> {
    let (model, _) = read_model(&args.model)?;
    let (rows, scores) = machine::pool(args.common.threads)?.install(|| score(args, &model))?;
    if args.common.json {
        report::print_json(&json!({
            "rows": rows,
            "k": model.pairs(),
            "correlations": scores.correlations,
            "total": scores.total,
            "captured": scores.captured,
            "training_correlations": model.correlations,
            "version": env!("CARGO_PKG_VERSION"),
        }))?;
    } else {
        report::print(&text(&model, &scores, rows))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn score(args: &ScoreArgs, model: &Model) -> Result<(usize, Scores), Failure> {
    let view = |path: &Path, side: Side| {
        fitting_view(&args.model, model, path, side, args.zero_based, args.common.quiet)
    };
    let (x, y) = (view(&args.x, Side::X)?, view(&args.y, Side::Y)?);
    let rows = x.rows();
    let pair = load::pair((&args.x, x), (&args.y, y))?;
    Ok((rows, model.score(&pair)?))
}

/// Reads rows for a model; where their width is not the model's, says which file has which.
pub fn fitting_view(
    model_path: &Path,
    model: &Model,
    path: &Path,
    side: Side,
    zero_based: bool,
    quiet: bool,
) -> Result<Matrix, Failure> {
    let expected = model.view(side).weights.rows();
    let cols = (!lcca_io::says_its_width(path)).then_some(expected);
    let matrix = load::view(path, cols, zero_based, quiet)?;
    if matrix.cols() != expected {
        return Err(Failure::Usage(format!(
            "{} has {} columns, expected {expected}, the width of {side} in {}",
            path.display(),
            matrix.cols(),
            model_path.display()
        )));
    }
    check_names(model_path, path, side)?;
    Ok(matrix)
}

fn text(model: &Model, scores: &Scores, rows: usize) -> String {
    let row = |i: usize| {
        let [here, training] = [scores.correlations[i], model.correlations[i]].map(|c| format!("{c:.6}"));
        vec![(i + 1).to_string(), here, training]
    };
    let table: Vec<Vec<String>> = (0..model.pairs()).map(row).collect();
    let training: f64 = model.correlations.iter().sum();
    format!(
        "{}\n\n{}\nsum of correlations {:.6} (in training {training:.6}); captured between the subspaces {:.6}\n",
        count(rows as u64, "row"),
        report::table(&["pair", "correlation", "in training"], &table),
        scores.total,
        scores.captured
    )
}
