//! `lcca score MODEL X Y`

use super::count;
use super::same_names::check_names;
use crate::args::ScoreArgs;
use crate::failure::Failure;
use crate::{load, machine, progress, report};
use lcca::data::Side;
use lcca::fit::{Model, Scores, Significance};
use lcca::matrix::Matrix;
use lcca_io::read_model;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

pub fn run(args: &ScoreArgs) -> Result<ExitCode, Failure> {
    let (model, _) = read_model(&args.model)?;
    let Scored { rows, scores, chance } =
        machine::pool(args.common.threads)?.install(|| score(args, &model))?;
    if chance.is_some() && !args.common.quiet && are_training_rows(&model, &scores, rows) {
        eprintln!("lcca: these look like the rows the model was trained on; p-values mean nothing there");
    }
    if args.common.json {
        report::print_json(&json!({
            "rows": rows,
            "k": model.pairs(),
            "correlations": scores.correlations,
            "total": scores.total,
            "captured": scores.captured,
            "training_correlations": model.correlations,
            "p": chance.as_ref().map(|chance| &chance.p),
            "p_adjusted": chance.as_ref().map(|chance| &chance.adjusted),
            "permutations": args.permutations,
            "version": env!("CARGO_PKG_VERSION"),
        }))?;
    } else {
        report::print(&text(&model, &scores, rows, chance.as_ref()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What was found on the given rows.
struct Scored {
    rows: usize,
    scores: Scores,
    chance: Option<Significance>,
}

fn score(args: &ScoreArgs, model: &Model) -> Result<Scored, Failure> {
    let view = |path: &Path, side: Side| {
        fitting_view(&args.model, model, path, side, args.zero_based, args.common.quiet)
    };
    let (x, y) = (view(&args.x, Side::X)?, view(&args.y, Side::Y)?);
    let rows = x.rows();
    let pair = load::pair((&args.x, x), (&args.y, y))?;
    let scores = model.score(&pair)?;
    let spinner = progress::spinner("permuting".into(), args.common.quiet);
    let [x, y] = Side::BOTH.map(|side| pair.view(side));
    let test = |permutations: u32| model.permutation_test(x, y, permutations as usize, args.seed, &());
    let chance = args.permutations.map(test).transpose()?;
    spinner.finish_and_clear();
    Ok(Scored { rows, scores, chance })
}

/// Only training rows have the very correlations of training.
fn are_training_rows(model: &Model, scores: &Scores, rows: usize) -> bool {
    let same = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
    rows as u64 == model.rows && scores.correlations.iter().zip(&model.correlations).all(same)
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

fn text(model: &Model, scores: &Scores, rows: usize, chance: Option<&Significance>) -> String {
    let row = |i: usize| {
        let numbers = [scores.correlations[i], model.correlations[i]].map(|c| format!("{c:.6}"));
        let shares = chance.map(|chance| [chance.p[i], chance.adjusted[i]].map(|p| format!("{p:.4}")));
        [(i + 1).to_string()].into_iter().chain(numbers).chain(shares.into_iter().flatten()).collect()
    };
    let table: Vec<Vec<String>> = (0..model.pairs()).map(row).collect();
    let header = ["pair", "correlation", "in training", "p", "p adjusted"];
    let training: f64 = model.correlations.iter().sum();
    let mut text = format!(
        "{}\n\n{}\nsum of correlations {:.6} (in training {training:.6}); captured between the subspaces {:.6}\n",
        count(rows as u64, "row"),
        report::table(&header[..if chance.is_some() { 5 } else { 3 }], &table),
        scores.total,
        scores.captured
    );
    if let Some(chance) = chance {
        let orders = count(chance.permutations as u64, "random order");
        text += &format!(
            "p: how often chance does as well, from {orders} of the rows; adjusted: with the chance of any false\n\
             finding among all pairs controlled (Westfall and Young, step down)\n"
        );
    }
    text
}
