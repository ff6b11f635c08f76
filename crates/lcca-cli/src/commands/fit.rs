//! `lcca fit X Y -k 20 -o MODEL`

use super::fit_text::{self, Run};
use super::held_out;
use super::on_device;
use super::ridge_search::{self, RidgeChoice};
use crate::failure::Failure;
use crate::progress::{FitProgress, Length};
use crate::provenance::provenance;
use crate::resolve::FitJob;
use crate::resume::StateFile;
use crate::{interrupt, load, machine, output};
use lcca::data::{InMemory, Pair};
use lcca::fit::{Fit, Groups, Watch, wilks};
use lcca::method::Settings;
use lcca::outcome::Note;
use lcca_io::{Loaded, ModelNames, ReadingRecord, Remark, wording};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

pub fn run(job: &FitJob) -> Result<ExitCode, Failure> {
    check_outputs(job)?;
    let (fit, run) = machine::pool(job.session.threads)?.install(|| load_and_fit(job))?;
    if job.session.json {
        output::print_json(&object(&fit, &run))?;
    } else {
        output::print(&fit_text::text(job.output.as_deref(), &fit, &run))?;
    }
    if !job.session.quiet {
        fit_text::warn(&fit, &run);
    }
    if let Some(state) = state_file(job) {
        state.settle(&fit, run.saved_iteration)?;
    }
    Ok(ExitCode::from(u8::from(job.strict && !fit.converged)))
}

/// Finds out before hours of work whether every output can be written.
fn check_outputs(job: &FitJob) -> Result<(), Failure> {
    let inputs =
        [&job.x, &job.y].into_iter().chain(&job.row_weights).chain(&job.covariates).chain(&job.fold_groups);
    let inputs: Vec<&Path> = inputs.map(|path| path.as_path()).collect();
    let state = job.resume.as_ref().map(|resume| &resume.path);
    let figure = job.ridge_search.as_ref().and_then(|search| search.figure.as_ref());
    for path in job.output.iter().chain(state).chain(figure.map(|figure| &figure.path)) {
        load::check_output(path, &inputs)?;
        lcca_io::Output::create(path)?;
    }
    match (&job.output, state) {
        (Some(model), Some(state)) if load::is_same_file(model, state) => {
            let state = state.display();
            Err(Failure::Usage(format!("{state}: is to hold the model, expected another file for --resume")))
        }
        _ => Ok(()),
    }
}

fn state_file(job: &FitJob) -> Option<StateFile<'_>> {
    let resume = job.resume.as_ref()?;
    Some(StateFile { path: &resume.path, every: resume.every, quiet: job.session.quiet })
}

fn load_and_fit(job: &FitJob) -> Result<(Fit, Run), Failure> {
    let start = Instant::now();
    let mut placement = job.device.open()?;
    let LoadedPair { pair, views, covariates, remarks, groups } = load_pair(job)?;
    // Only a model keeps names, so we read them only if one is written.
    let names =
        if job.output.is_some() { names_of(&views, covariates.as_ref())? } else { ModelNames::default() };
    let reading = job.reading.record(views.each_ref());
    let load_seconds = start.elapsed().as_secs_f64();
    let (settings, quiet) = (job.settings(pair.shape()), job.session.quiet);
    // The test takes seconds. It runs first, because a refusal should not wait for the fit.
    let wilks = if job.wilks { Some(wilks(&pair, &())?) } else { None };
    let rows = |pair: &InMemory| fit_rows(job, pair, groups.as_ref(), settings.clone());
    let (fitted, pair) = on_device::compute(&mut placement, pair, &settings, quiet, rows)
        .map_err(|failure| failure.in_view(&job.x, &job.y))?;
    let Fitted { mut fit, ridge, saved_iteration, seconds: fit_seconds } = fitted;
    placement.add_to(&mut fit);
    fit.look_for_shared_columns(&pair)?;
    let threads = rayon::current_num_threads();
    write_model(job, &fit, &reading, &names, threads)?;
    if job.certify {
        // The user may interrupt the certification, so we write the model before it, and again with the
        // certificate.
        interrupt::set_results_are_written(job.output.is_some() || saved_iteration > 0);
        let progress = FitProgress::new("certify", Length::Unknown, quiet);
        fit.certify(&pair, &progress)?;
        progress.finish();
        write_model(job, &fit, &reading, &names, threads)?;
    }
    let names_columns = fit.notes.iter().any(|note| {
        matches!(note, Note::SharedColumns { .. } | Note::HardlyAnyDigits { .. } | Note::DigitsLost { .. })
    });
    let names = if names_columns { names_of(&views, covariates.as_ref())? } else { names };
    Ok((fit, Run { load_seconds, fit_seconds, threads, saved_iteration, ridge, wilks, names, remarks }))
}

/// A fit, and the choices and measurements that belong to it.
struct Fitted {
    fit: Fit,
    ridge: Option<RidgeChoice>,
    saved_iteration: usize,
    seconds: f64,
}

/// Chooses the ridge and the number of pairs on held-out rows, if the job leaves them open, and then fits all
/// rows.
fn fit_rows(
    job: &FitJob,
    pair: &InMemory,
    groups: Option<&Groups>,
    mut settings: Settings,
) -> Result<Fitted, Failure> {
    let quiet = job.session.quiet;
    let ridge = match &job.ridge_search {
        Some(search) => Some(ridge_search::choose(search, pair, groups, &mut settings, quiet)?),
        None => None,
    };
    let components =
        if job.finds_pairs { Some(held_out::find_pairs(pair, &mut settings, groups, quiet)?) } else { None };
    let rule = if components.is_some() { job.hold_out.unless_auto() } else { job.hold_out };
    let held_out = held_out::measure(rule, pair, &settings, groups, quiet)?;
    let mut progress = FitProgress::new(settings.method.name(), Length::of_fit(&settings), quiet);
    let result = match state_file(job) {
        Some(state) => state.fit(pair, &settings, &mut progress),
        None => held_out::fit_all_rows(rule, held_out, pair, &settings, &progress).map(|fit| (fit, 0)),
    };
    progress.finish();
    let (mut fit, saved_iteration) = result?;
    components.iter().for_each(|components| components.add_to(&mut fit));
    ridge.iter().for_each(|ridge| ridge.add_to(&mut fit));
    Ok(Fitted { fit, ridge, saved_iteration, seconds: progress.seconds() })
}

/// The rows that were read. The files are kept because the names of their columns are read only when they
/// are needed.
struct LoadedPair {
    pair: InMemory,
    views: [Loaded; 2],
    covariates: Option<Loaded>,
    remarks: Vec<Remark>,
    /// The groups of rows that are held out together.
    groups: Option<Groups>,
}

/// Reads the views and pairs their rows.
fn load_pair(job: &FitJob) -> Result<LoadedPair, Failure> {
    let quiet = job.session.quiet;
    let files = load::RowFiles { covariates: job.covariates.as_deref(), weights: job.row_weights.as_deref() };
    let views = load::views([&job.x, &job.y], files, &job.reading, quiet)?;
    let views = views.normalized(job.normalization())?;
    let groups = views.groups(job.fold_groups.as_deref(), quiet)?;
    let load::Views { pair, loaded, covariates, remarks, .. } = views;
    Ok(LoadedPair { pair, views: loaded, covariates, remarks, groups })
}

/// The names of both views' columns and of the covariates.
fn names_of(views: &[Loaded; 2], covariates: Option<&Loaded>) -> Result<ModelNames, Failure> {
    let covariates = match covariates {
        Some(covariates) => covariates.names()?,
        None => None,
    };
    Ok(ModelNames { x: views[0].names()?, y: views[1].names()?, covariates })
}

fn write_model(
    job: &FitJob,
    fit: &Fit,
    reading: &ReadingRecord,
    names: &ModelNames,
    threads: usize,
) -> Result<(), Failure> {
    let Some(path) = &job.output else { return Ok(()) };
    let provenance = provenance([&job.x, &job.y], &job.flags, reading, fit, threads);
    Ok(lcca_io::write_model_whole(path, &fit.model, Some(&fit.regressions), names, &provenance)?)
}

fn object(fit: &Fit, run: &Run) -> Value {
    let (model, settings) = (&fit.model, &fit.model.settings);
    json!({
        "method": settings.method.name(),
        "chosen": fit.chosen,
        "why": wording::why(&fit.decisions),
        "decisions": fit.decisions,
        "rows": model.rows,
        "x_cols": model.x.weights.rows(),
        "y_cols": model.y.weights.rows(),
        "k": model.pairs(),
        "correlations": model.correlations,
        "objective": model.objective,
        "residuals": model.residuals,
        "total": model.total,
        "converged": fit.converged,
        "missing": fit.missing,
        "certified": fit.certificate,
        "held_out": fit.held_out,
        "scale": settings.scale,
        "normalize_rows": settings.normalization(),
        "metrics": [settings.metric_x, settings.metric_y],
        "covariates": model.covariate_columns(),
        "passes": fit.cost.passes,
        "gram_passes": fit.cost.gram_passes,
        "work": fit.cost.work(settings.k),
        "seconds": { "load": run.load_seconds, "fit": run.fit_seconds },
        "peak_rss_bytes": machine::peak_rss_bytes(),
        "seed": settings.seed,
        "threads": run.threads,
        "version": env!("CARGO_PKG_VERSION"),
        "notes": fit.notes.iter().map(|note| run.sentence(note)).collect::<Vec<_>>(),
        "reading": run.remarks,
        "wilks": run.wilks,
        "ridge_path": run.ridge.as_ref().map(RidgeChoice::object),
        "trace": fit.trace,
    })
}
