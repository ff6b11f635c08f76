//! `lcca bootstrap MODEL X Y -n 200`

use super::fitting_rows;
use super::on_device;
use crate::failure::Failure;
use crate::load::RowFiles;
use crate::resolve::BootstrapJob;
use crate::text::{self, count};
use crate::{formulas, load, machine, output, progress};
use lcca::data::Side;
use lcca::fit::{Bootstrap, Interval, Model, Resampling, ViewErrors, bootstrap};
use lcca::matrix::Panel;
use lcca::outcome::Decision;
use lcca_cuda::Placement;
use lcca_io::{Cell, CellKind, Formulas, ModelFile, ModelNames, TableWriter, wording};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// The largest missing share that counts as rounding, and gets no line.
const ROUNDING: f64 = 1e-9;
/// The columns of the table of intervals.
const INTERVAL_COLUMNS: [(&str, CellKind); 9] = [
    ("view", CellKind::Text),
    ("column", CellKind::Text),
    ("pair", CellKind::Integer),
    ("weight", CellKind::Number),
    ("weight_low", CellKind::Number),
    ("weight_high", CellKind::Number),
    ("loading", CellKind::Number),
    ("loading_low", CellKind::Number),
    ("loading_high", CellKind::Number),
];

pub fn run(job: &BootstrapJob) -> Result<(), Failure> {
    let inputs = [&job.model, &job.x, &job.y].into_iter().chain(&job.row_weights);
    let inputs = inputs.chain(&job.covariates).chain(&job.groups);
    let inputs: Vec<_> = inputs.map(|path| path.as_path()).collect();
    if let Some(path) = &job.table {
        load::check_output(path, &inputs)?;
        // An output that cannot be written fails here, and not after the resamples.
        lcca_io::check_table(path)?;
        lcca_io::Output::create(path)?;
    }
    let mut placement = job.device.open()?;
    let file = ModelFile::open(&job.model)?;
    let (result, ran) =
        machine::pool(job.session.threads)?.install(|| resample(job, &file, &mut placement))?;
    if let Some(path) = &job.table {
        let left = write_intervals(path, &file.model, &file.names()?, &result.errors, job.formulas)?;
        formulas::warn(&path.display().to_string(), left, job.session.quiet);
    }
    if job.session.json {
        output::print_json(&object(&file.model, &result, ran.as_ref(), job))?;
    } else {
        output::print(&describe(&file.model, &result, ran.as_ref(), job))?;
    }
    Ok(())
}

fn resample(
    job: &BootstrapJob,
    file: &ModelFile,
    placement: &mut Placement,
) -> Result<(Bootstrap, Option<Decision>), Failure> {
    job.device.check(&file.model.settings)?;
    let files = RowFiles { covariates: job.covariates.as_deref(), weights: job.row_weights.as_deref() };
    let views = fitting_rows::read_pair(file, [&job.x, &job.y], files, &job.reading, job.session.quiet)?;
    let groups = views.groups(job.groups.as_deref(), job.session.quiet)?;
    let pair = views.pair;
    let resampling =
        Resampling { count: job.resamples, groups: groups.as_ref(), seed: job.seed, tol: job.tol };
    let bar = progress::counter("resamples", job.resamples, job.session.quiet);
    let done = |done: usize| bar.set_position(done as u64);
    let settings = &file.model.settings;
    let (result, _) = on_device::compute(placement, pair, settings, job.session.quiet, |pair| {
        Ok(bootstrap(&file.model, pair, &resampling, &done, &())?)
    })?;
    bar.finish_and_clear();
    Ok((result, placement.decision()))
}

fn object(model: &Model, result: &Bootstrap, ran: Option<&Decision>, job: &BootstrapJob) -> Value {
    let ends = |end: fn(&Interval) -> f64| result.correlations.iter().map(end).collect::<Vec<_>>();
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
        "decisions": ran.into_iter().collect::<Vec<_>>(),
        "seed": job.seed,
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn describe(model: &Model, result: &Bootstrap, ran: Option<&Decision>, job: &BootstrapJob) -> String {
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
        "{} of {}\n\n{}\ncorrected: what is left of the correlation without what fitting adds, with a 95% \
         interval\n\
         stability: mean squared correlation with the matched variables of resamples, 1 is perfect; alone: without turning pairs\n\
         into each other, so that less means that the pair is stable only together with others\n",
        count(result.resampled.len() as u64, "resample"),
        count(result.drawn_from as u64, unit),
        text::table(&["pair", "correlation", "corrected", "low", "high", "stability", "alone"], &rows),
    );
    if result.missing > ROUNDING {
        let _ = writeln!(text, "fits to resamples may miss up to {:.1e} of the total", result.missing);
    }
    if let Some(ran) = ran {
        let _ = writeln!(text, "{}", wording::decision(ran));
    }
    if let Some(path) = &job.table {
        let _ = writeln!(text, "intervals of weights and loadings written to {}", path.display());
    }
    text
}

/// Writes one line per column and pair. Returns how many names are formulas.
fn write_intervals(
    path: &Path,
    model: &Model,
    names: &ModelNames,
    errors: &[ViewErrors; 2],
    formulas: Formulas,
) -> Result<usize, Failure> {
    let mut table = TableWriter::create(path, &INTERVAL_COLUMNS, formulas)?;
    for (side, names) in Side::BOTH.into_iter().zip([&names.x, &names.y]) {
        let (view, errors, label) = (model.view(side), &errors[side as usize], side.to_string());
        for column in 0..view.weights.rows() {
            let number = column.to_string();
            let name = names.as_ref().map_or(number.as_str(), |names| names.get(column));
            for pair in 0..model.pairs() {
                let interval = |estimates: &Panel, errors: &Panel| {
                    Interval::normal(estimates.row(column)[pair], errors.row(column)[pair])
                };
                let weight = interval(&view.weights, &errors.weights);
                let loading = interval(&view.loadings, &errors.loadings);
                // A loading is a correlation, so it cannot leave −1 to 1.
                let (low, high) = (loading.low.max(-1.0), loading.high.min(1.0));
                let numbers = [weight.estimate, weight.low, weight.high, loading.estimate, low, high];
                let labels = [Cell::Text(&label), Cell::Text(name), Cell::Integer(pair as i64 + 1)];
                table.write(labels.into_iter().chain(numbers.map(Cell::Number)))?;
            }
        }
    }
    // The table counts a name once per pair, because the name is on one line per pair.
    Ok(table.finish()? / model.pairs().max(1))
}
