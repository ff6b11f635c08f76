//! `lcca fit X Y -k 20 -o MODEL`

use super::ridge_search::{self, RidgeChoice};
use crate::failure::Failure;
use crate::progress::FitProgress;
use crate::provenance::provenance;
use crate::resolve::FitJob;
use crate::resume::StateFile;
use crate::text::{self, count, view_sizes};
use crate::{interrupt, load, machine, output};
use lcca::data::{InMemory, Pair};
use lcca::fit::{Certificate, Fit, Kind, Watch, fit};
use lcca::method::{Method, Settings};
use lcca_io::{ModelNames, wording};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Passes that a certificate usually takes, for the progress bar.
const CERTIFICATE_PASSES: f64 = 60.0;

/// What was measured around the fit.
struct Run {
    load_seconds: f64,
    fit_seconds: f64,
    threads: usize,
    /// The last iteration whose state was saved, or 0 if none was.
    saved_iteration: usize,
    /// How the ridge was chosen, if there was a choice.
    ridge: Option<RidgeChoice>,
}

pub fn run(job: &FitJob) -> Result<ExitCode, Failure> {
    check_outputs(job)?;
    let (fit, run) = machine::pool(job.session.threads)?.install(|| load_and_fit(job))?;
    if job.session.json {
        output::print_json(&object(&fit, &run))?;
    } else {
        output::print(&text(job, &fit, &run))?;
    }
    if !job.session.quiet {
        warn(&fit);
    }
    if let Some(state) = state_file(job) {
        state.settle(&fit, run.saved_iteration)?;
    }
    Ok(ExitCode::from(u8::from(job.strict && !fit.converged)))
}

/// Finds out whether everything can be written before hours of work, not after.
fn check_outputs(job: &FitJob) -> Result<(), Failure> {
    let inputs = [&job.x, &job.y].into_iter().chain(&job.row_weights);
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
    let (pair, names) = load_pair(job)?;
    let load_seconds = start.elapsed().as_secs_f64();
    let mut settings = job.settings(pair.shape());
    let name_view = |failure: Failure| failure.in_view(&job.x, &job.y);
    let quiet = job.session.quiet;
    let ridge = match &job.ridge_search {
        Some(search) => Some(ridge_search::choose(search, &pair, &mut settings, quiet).map_err(name_view)?),
        None => None,
    };
    let mut progress = FitProgress::new(settings.method.name(), settings.planned_passes(), quiet);
    let result = match state_file(job) {
        Some(state) => state.fit(&pair, &settings, &mut progress),
        None => fit(&pair, &settings, &progress).map(|fit| (fit, 0)).map_err(Failure::Data),
    };
    progress.finish();
    let (mut fit, saved_iteration) = result.map_err(name_view)?;
    let (fit_seconds, threads) = (progress.seconds(), rayon::current_num_threads());
    write_model(job, &fit, &names, threads)?;
    if job.certify {
        // Certifying may be interrupted, so the model is written before it, and again with its certificate.
        interrupt::set_results_are_written(job.output.is_some() || saved_iteration > 0);
        let progress = FitProgress::new("certify", CERTIFICATE_PASSES, quiet);
        fit.certify(&pair, &progress)?;
        progress.finish();
        write_model(job, &fit, &names, threads)?;
    }
    Ok((fit, Run { load_seconds, fit_seconds, threads, saved_iteration, ridge }))
}

/// Reads the views. Their names of columns are read only if a model will keep them.
fn load_pair(job: &FitJob) -> Result<(InMemory, ModelNames), Failure> {
    let paths: [&Path; 2] = [&job.x, &job.y];
    let views = load::views(paths, &job.reading, job.session.quiet)?;
    let names = if job.output.is_some() {
        ModelNames { x: views[0].names()?, y: views[1].names()? }
    } else {
        ModelNames::default()
    };
    let pair = load::pair(paths, views.map(|view| view.matrix))?;
    Ok((load::weighted(pair, job.row_weights.as_deref(), job.session.quiet)?, names))
}

fn write_model(job: &FitJob, fit: &Fit, names: &ModelNames, threads: usize) -> Result<(), Failure> {
    let Some(path) = &job.output else { return Ok(()) };
    let provenance = provenance([&job.x, &job.y], &job.flags, fit, threads);
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
        "passes": fit.cost.passes,
        "gram_passes": fit.cost.gram_passes,
        "work": fit.cost.work(settings.k),
        "seconds": { "load": run.load_seconds, "fit": run.fit_seconds },
        "peak_rss_bytes": machine::peak_rss_bytes(),
        "seed": settings.seed,
        "threads": run.threads,
        "version": env!("CARGO_PKG_VERSION"),
        "notes": fit.notes.iter().map(wording::note).collect::<Vec<_>>(),
        "ridge_path": run.ridge.as_ref().map(RidgeChoice::object),
        "trace": fit.trace,
    })
}

fn text(job: &FitJob, fit: &Fit, run: &Run) -> String {
    let model = &fit.model;
    let mut text = run.ridge.as_ref().map(RidgeChoice::text).unwrap_or_default();
    let sizes = view_sizes(model.rows, model.x.weights.rows() as u64, model.y.weights.rows() as u64);
    let _ = writeln!(text, "{}: {} from {sizes}", fit.chosen.name(), count(model.pairs() as u64, "pair"));
    if model.settings.method.name() != fit.chosen.name() {
        let _ = writeln!(text, "{} was chosen: {}", fit.chosen.name(), wording::why(&fit.decisions));
    }
    text.push('\n');
    text += &pair_table(fit);
    let _ = writeln!(text, "\ncaptured total {:.6} of {}", model.total, model.pairs());
    let verdict = if fit.converged { "converged" } else { "not converged" };
    let _ = writeln!(text, "{verdict}: {}, tolerance {:.1e}", missing_share(fit), model.settings.tol);
    text += &fit.certificate.as_ref().map(certificate_text).unwrap_or_default();
    let spent = format!("{}, work {:.1}", text::passes(&fit.cost), fit.cost.work(model.settings.k));
    let peak = machine::peak_rss_bytes().map(|bytes| format!("; peak memory {}", text::bytes(bytes)));
    let (load, seconds, peak) = (run.load_seconds, run.fit_seconds, peak.unwrap_or_default());
    let _ = writeln!(text, "read in {load:.2} s, fitted in {seconds:.2} s ({spent}){peak}");
    if let Some(path) = &job.output {
        let _ = writeln!(text, "model written to {}", path.display());
    }
    text
}

/// How much of the total may still be missing, in words.
fn missing_share(fit: &Fit) -> String {
    let share = fit.missing;
    if share.is_finite() {
        format!("about {share:.1e} of it may be missing")
    } else {
        "this method cannot tell what is missing".into()
    }
}

/// What the bounds prove, and what they do not.
fn certificate_text(certificate: &Certificate) -> String {
    let Certificate { bounds, together, kind, passes, .. } = certificate;
    let kind = match kind {
        Kind::Rigorous => "rigorous",
        Kind::Conditional => {
            "conditional: for data without directions of 0 < variance < 1e-12 of their columns'"
        }
    };
    let pairs = count(bounds.len() as u64, "pair");
    format!(
        "certified in {passes} passes ({kind}):\n  a true objective value lies within the bound of each, and within \
         {together:.1e} there is a different one for each of {pairs};\n  that no larger pair was missed is not proved\n"
    )
}

/// One line per pair. Without a ridge the objective equals the correlation and is left out.
fn pair_table(fit: &Fit) -> String {
    let model = &fit.model;
    let formatted = |values: &[f64], format: fn(f64) -> String| -> Vec<String> {
        values.iter().map(|&value| format(value)).collect()
    };
    let mut columns = vec![("correlation", formatted(&model.correlations, |c| format!("{c:.6}")))];
    if model.settings.ridge_x > 0.0 || model.settings.ridge_y > 0.0 {
        columns.push(("objective", formatted(&model.objective, |d| format!("{d:.6}"))));
    }
    if let Some(certificate) = &fit.certificate {
        columns.push(("± bound", formatted(&certificate.bounds, |b| format!("{b:.1e}"))));
    }
    columns.push(("residual", formatted(&model.residuals, |r| format!("{r:.1e}"))));
    let header: Vec<&str> = ["pair"].into_iter().chain(columns.iter().map(|(name, _)| *name)).collect();
    let row = |i: usize| {
        [(i + 1).to_string()].into_iter().chain(columns.iter().map(|(_, cells)| cells[i].clone())).collect()
    };
    text::table(&header, &(0..model.pairs()).map(row).collect::<Vec<_>>())
}

/// Prints each note once, and what helps if the fit did not converge.
fn warn(fit: &Fit) {
    fit.notes.iter().for_each(|note| eprintln!("lcca: {}", wording::note(note)));
    if !fit.converged {
        let advice = advice(&fit.model.settings);
        eprintln!("lcca: not converged: there is more correlation to be found; {advice}");
    }
}

/// What to change so that the next fit converges.
fn advice(settings: &Settings) -> &'static str {
    match (settings.method == Method::auto(), settings.max_passes.is_some()) {
        (true, true) => "a larger --max-passes or a looser --tol helps",
        (true, false) => "a looser --tol helps",
        (false, true) => "a larger --max-passes, or --method auto, finds it",
        (false, false) => "--method auto finds it",
    }
}
