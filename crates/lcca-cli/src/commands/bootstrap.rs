//! `lcca bootstrap MODEL X Y -n 200`

use super::fitting_rows;
use crate::failure::Failure;
use crate::resolve::{BootstrapJob, IntervalTable};
use crate::text::{self, count};
use crate::write_file::write_file;
use crate::{load, machine, output, progress};
use lcca::data::Side;
use lcca::fit::{Bootstrap, Model, Resampling, bootstrap};
use lcca_io::{ModelFile, ModelNames};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What a fit misses by rounding alone is not worth a line.
const ROUNDING: f64 = 1e-9;
/// Standard errors on either side of a 95% interval.
const QUANTILE: f64 = 1.959964;

pub fn run(job: &BootstrapJob) -> Result<(), Failure> {
    let inputs = [&job.model, &job.x, &job.y].into_iter().chain(&job.row_weights);
    let inputs = inputs.chain(&job.covariates).chain(&job.groups);
    let inputs: Vec<_> = inputs.map(|path| path.as_path()).collect();
    if let Some(table) = &job.table {
        load::check_output(&table.path, &inputs)?;
        lcca_io::Output::create(&table.path)?;
    }
    let file = ModelFile::open(&job.model)?;
    let result = machine::pool(job.session.threads)?.install(|| resample(job, &file))?;
    if let Some(table) = &job.table {
        write_file(&table.path, interval_table(&file.model, &file.names()?, &result, table).as_bytes())?;
    }
    if job.session.json {
        output::print_json(&object(&file.model, &result, job))?;
    } else {
        output::print(&describe(&file.model, &result, job))?;
    }
    Ok(())
}

fn resample(job: &BootstrapJob, file: &ModelFile) -> Result<Bootstrap, Failure> {
    let covariates = job.covariates.as_deref();
    let views = fitting_rows::read_pair(file, [&job.x, &job.y], covariates, &job.reading, job.session.quiet)?;
    let groups = views.groups(job.groups.as_deref())?;
    let pair = views.weighted(job.row_weights.as_deref(), job.session.quiet)?.pair;
    let resampling =
        Resampling { count: job.resamples, groups: groups.as_ref(), seed: job.seed, tol: job.tol };
    let bar = progress::counter("resamples", job.resamples, job.session.quiet);
    let done = |done: usize| bar.set_position(done as u64);
    let result = bootstrap(&file.model, &pair, &resampling, &done, &())?;
    bar.finish_and_clear();
    Ok(result)
}

fn object(model: &Model, result: &Bootstrap, job: &BootstrapJob) -> Value {
    let ends = |end: fn(&lcca::fit::Interval) -> f64| result.correlations.iter().map(end).collect::<Vec<_>>();
    json!({
        "resamples": result.resampled.len(),
        "drawn_from": result.drawn_from,
        "grouped": job.groups.is_some(),
        "correlations": model.correlations,
        "corrected": ends(|interval| interval.estimate),
        "low": ends(|interval| interval.low),
        "high": ends(|interval| interval.high),
        "stability": result.stability,
        "stability_alone": result.alone,
        "resampled": result.resampled,
        "missing": result.missing,
        "seed": job.seed,
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn describe(model: &Model, result: &Bootstrap, job: &BootstrapJob) -> String {
    let row = |i: usize| {
        let interval = result.correlations[i];
        let numbers = [model.correlations[i], interval.estimate, interval.low, interval.high];
        let stability = [result.stability[i], result.alone[i]].map(|share| format!("{share:.3}"));
        let numbers = numbers.map(|number| format!("{number:.4}"));
        [(i + 1).to_string()].into_iter().chain(numbers).chain(stability).collect()
    };
    let rows: Vec<Vec<String>> = (0..model.pairs()).map(row).collect();
    let unit = if job.groups.is_some() { "group" } else { "row" };
    let mut text = format!(
        "{} of {}\n\n{}\ncorrected: what is left of the correlation without what fitting adds, with a 95% interval\n\
         stability: mean squared correlation with the matched variables of resamples, 1 is perfect; alone: without turning pairs\n\
         into each other, so that less means that the pair is stable only together with others\n",
        count(result.resampled.len() as u64, "resample"),
        count(result.drawn_from as u64, unit),
        text::table(&["pair", "correlation", "corrected", "low", "high", "stability", "alone"], &rows),
    );
    if result.missing > ROUNDING {
        let _ = writeln!(text, "fits to resamples may miss up to {:.1e} of the total", result.missing);
    }
    if let Some(table) = &job.table {
        let _ = writeln!(text, "intervals of weights and loadings written to {}", table.path.display());
    }
    text
}

/// One line per column and pair.
fn interval_table(model: &Model, names: &ModelNames, result: &Bootstrap, table: &IntervalTable) -> String {
    let header = [
        "view",
        "column",
        "pair",
        "weight",
        "weight_low",
        "weight_high",
        "loading",
        "loading_low",
        "loading_high",
    ];
    let separator = table.delimiter.to_string();
    let mut text = header.join(&separator) + "\n";
    for (side, names) in Side::BOTH.into_iter().zip([&names.x, &names.y]) {
        let (view, errors) = (model.view(side), &result.errors[side as usize]);
        for column in 0..view.weights.rows() {
            let name = names.as_ref().map_or(column.to_string(), |names| names.get(column).to_string());
            let name = quoted(&name, table.delimiter);
            for pair in 0..model.pairs() {
                let (weight, loading) = (view.weights.row(column)[pair], view.loadings.row(column)[pair]);
                let weight_error = QUANTILE * errors.weights.row(column)[pair];
                let loading_error = QUANTILE * errors.loadings.row(column)[pair];
                let numbers = [
                    weight,
                    weight - weight_error,
                    weight + weight_error,
                    loading,
                    (loading - loading_error).max(-1.0),
                    (loading + loading_error).min(1.0),
                ];
                let cells = [side.to_string(), name.clone(), (pair + 1).to_string()].into_iter();
                let cells: Vec<String> = cells.chain(numbers.map(|number| format!("{number:?}"))).collect();
                text += &cells.join(&separator);
                text.push('\n');
            }
        }
    }
    text
}

/// A name as a cell of a table.
fn quoted(name: &str, delimiter: char) -> String {
    if name.contains([delimiter, '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_separators_are_quoted() {
        assert_eq!(quoted("plain", ','), "plain");
        assert_eq!(quoted("a,b", ','), "\"a,b\"");
        assert_eq!(quoted("a,b", '\t'), "a,b");
        assert_eq!(quoted("5\"", ','), "\"5\"\"\"");
    }
}
