//! `lcca fit X Y -k 20 -o MODEL`

use super::count;
use super::ridge_path::{self, Chosen};
use crate::args::FitArgs;
use crate::failure::Failure;
use crate::progress::FitProgress;
use crate::saving::Saving;
use crate::{interrupt, load, machine, meaning, provenance, report};
use lcca::data::{InMemory, Pair};
use lcca::fit::{Certificate, Fit, Kind, Watch, fit, planned_passes};
use lcca_io::ModelNames;
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
    /// The last iteration whose state was saved, 0 for none.
    saved: usize,
    /// How the ridge was chosen, where it was.
    ridge_path: Option<Chosen>,
}

pub fn run(args: &FitArgs) -> Result<ExitCode, Failure> {
    let saving = saving(args)?;
    check_outputs(args)?;
    let pool = machine::pool(args.common.threads)?;
    let names = column_names(args)?;
    let (fit, run) = pool.install(|| load_and_fit(args, saving, &names))?;
    if args.common.json {
        report::print_json(&object(args, &fit, &run))?;
    } else {
        report::print(&text(args, &fit, &run))?;
    }
    if !args.common.quiet {
        warnings(&fit);
    }
    saving.map_or(Ok(()), |saving| saving.settle(&fit, run.saved))?;
    Ok(ExitCode::from(u8::from(args.strict && !fit.converged)))
}

/// Whether everything can be written is known before hours of work, not after.
fn check_outputs(args: &FitArgs) -> Result<(), Failure> {
    let inputs = [&args.x, &args.y].into_iter().chain(&args.problem.row_weights);
    let inputs: Vec<&Path> = inputs.map(|path| path.as_path()).collect();
    args.path_figure.as_deref().map_or(Ok(()), ridge_path::check_figure)?;
    for path in args.output.iter().chain(&args.resume).chain(&args.path_figure) {
        load::check_output(path, &inputs)?;
        lcca_io::Output::create(path)?;
    }
    match (&args.output, &args.resume) {
        (Some(model), Some(state)) if load::is_same(model, state) => {
            let state = state.display();
            Err(Failure::Usage(format!("{state}: is to hold the model, expected another file for --resume")))
        }
        _ => Ok(()),
    }
}

fn saving(args: &FitArgs) -> Result<Option<Saving<'_>>, Failure> {
    let every = meaning::save_every(args.save_every)?;
    Ok(args.resume.as_deref().map(|path| Saving { path, every, quiet: args.common.quiet }))
}

fn load_and_fit(
    args: &FitArgs,
    saving: Option<Saving<'_>>,
    names: &ModelNames,
) -> Result<(Fit, Run), Failure> {
    let start = Instant::now();
    let pair = load_pair(args)?;
    let load_seconds = start.elapsed().as_secs_f64();
    let mut settings = meaning::settings(args, pair.shape())?;
    let ridge_path = ridge_path::choose(args, &pair, &mut settings)
        .map_err(|failure| failure.in_view(&args.x, &args.y))?;
    let mut progress = FitProgress::new(settings.method.name(), planned_passes(&settings), args.common.quiet);
    let outcome = match saving {
        Some(saving) => saving.fit(&pair, &settings, &mut progress),
        None => fit(&pair, &settings, &progress).map(|fit| (fit, 0)).map_err(Failure::Data),
    };
    progress.finish();
    let (mut fit, saved) = outcome.map_err(|failure| failure.in_view(&args.x, &args.y))?;
    let (fit_seconds, threads) = (progress.seconds(), rayon::current_num_threads());
    write_model(args, &fit, names, threads)?;
    if args.certify {
        interrupt::something_was_written(args.output.is_some() || saved > 0);
        let progress = FitProgress::new("certify", CERTIFICATE_PASSES, args.common.quiet);
        fit.certify(&pair, &progress)?;
        progress.finish();
        write_model(args, &fit, names, threads)?;
    }
    Ok((fit, Run { load_seconds, fit_seconds, threads, saved, ridge_path }))
}

/// A model is written before it is certified, which may be stopped, and again with its certificate.
fn write_model(args: &FitArgs, fit: &Fit, names: &ModelNames, threads: usize) -> Result<(), Failure> {
    let Some(path) = &args.output else { return Ok(()) };
    Ok(lcca_io::write_model_named(path, &fit.model, names, &provenance::of_fit(args, fit, threads))?)
}

fn load_pair(args: &FitArgs) -> Result<InMemory, Failure> {
    load::views(&args.x, &args.y, &args.reading, args.problem.row_weights.as_deref(), args.common.quiet)
}

/// Names go from the views into the model; without a model nobody asks for them.
fn column_names(args: &FitArgs) -> Result<ModelNames, Failure> {
    match args.output {
        None => Ok(ModelNames::default()),
        Some(_) => Ok(ModelNames { x: lcca_io::read_names(&args.x)?, y: lcca_io::read_names(&args.y)? }),
    }
}

fn object(args: &FitArgs, fit: &Fit, run: &Run) -> Value {
    let (model, settings) = (&fit.model, &fit.model.settings);
    json!({
        "method": args.method.method,
        "chosen": fit.chosen,
        "why": fit.why,
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
        "notes": fit.notes,
        "ridge_path": run.ridge_path.as_ref().map(Chosen::object),
        "trace": fit.trace,
    })
}

fn text(args: &FitArgs, fit: &Fit, run: &Run) -> String {
    let model = &fit.model;
    let mut text = run.ridge_path.as_ref().map(Chosen::text).unwrap_or_default();
    let (x_cols, y_cols) = (model.x.weights.rows() as u64, model.y.weights.rows() as u64);
    let views = format!(
        "{} × ({} + {} columns)",
        count(model.rows, "row"),
        report::grouped(x_cols),
        report::grouped(y_cols)
    );
    let _ = writeln!(text, "{}: {} from {views}", fit.chosen.name(), count(model.pairs() as u64, "pair"));
    if args.method.method != fit.chosen.name() {
        let _ = writeln!(text, "{} was chosen: {}", fit.chosen.name(), fit.why);
    }
    text.push('\n');
    text += &pairs(fit);
    let _ = writeln!(text, "\ncaptured total {:.6} of {}", model.total, model.pairs());
    let verdict = if fit.converged { "converged" } else { "not converged" };
    let _ = writeln!(text, "{verdict}: {}, tolerance {:.1e}", missing(fit), model.settings.tol);
    text += &fit.certificate.as_ref().map(certified).unwrap_or_default();
    let spent = format!("{}, work {:.1}", report::passes(&fit.cost), fit.cost.work(model.settings.k));
    let peak =
        machine::peak_rss_bytes().map(|b| format!("; peak memory {}", report::bytes(b))).unwrap_or_default();
    let (load, seconds) = (run.load_seconds, run.fit_seconds);
    let _ = writeln!(text, "read in {load:.2} s, fitted in {seconds:.2} s ({spent}){peak}");
    if let Some(path) = &args.output {
        let _ = writeln!(text, "model written to {}", path.display());
    }
    text
}

/// How much of the total may still be missing, in words.
fn missing(fit: &Fit) -> String {
    let share = fit.missing / fit.model.objective.iter().sum::<f64>();
    match share.is_finite() {
        true => format!("about {share:.1e} of it may be missing"),
        false => "this method cannot tell what is missing".into(),
    }
}

/// What the bounds say, and what they do not.
fn certified(certificate: &Certificate) -> String {
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

/// A line for each pair. Without ridge the objective is the correlation, and is left out.
fn pairs(fit: &Fit) -> String {
    let model = &fit.model;
    let ridge = model.settings.ridge_x > 0.0 || model.settings.ridge_y > 0.0;
    let mut columns = vec![("correlation", numbers(&model.correlations, |c| format!("{c:.6}")))];
    if ridge {
        columns.push(("objective", numbers(&model.objective, |d| format!("{d:.6}"))));
    }
    if let Some(certificate) = &fit.certificate {
        columns.push(("± bound", numbers(&certificate.bounds, |b| format!("{b:.1e}"))));
    }
    columns.push(("residual", numbers(&model.residuals, |r| format!("{r:.1e}"))));
    let header: Vec<&str> = ["pair"].into_iter().chain(columns.iter().map(|(name, _)| *name)).collect();
    let row = |i: usize| {
        [(i + 1).to_string()].into_iter().chain(columns.iter().map(|(_, c)| c[i].clone())).collect()
    };
    report::table(&header, &(0..model.pairs()).map(row).collect::<Vec<_>>())
}

fn numbers(values: &[f64], format: impl Fn(f64) -> String) -> Vec<String> {
    values.iter().map(|&value| format(value)).collect()
}

/// Honest, and once.
fn warnings(fit: &Fit) {
    fit.notes.iter().for_each(|note| eprintln!("lcca: {note}"));
    if !fit.converged {
        eprintln!("lcca: not converged: there is more correlation to be found; --method auto finds it");
    }
}
