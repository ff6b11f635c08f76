//! `lcca demo`: the paper's comparison on generated data.

use crate::args::DemoArgs;
use crate::demo::{boolean, corpus};
use crate::failure::Failure;
use crate::plot::{Chart, Curve, Figure};
use crate::progress::FitProgress;
use crate::{machine, report};
use cpu_time::ProcessTime;
use lcca::data::{InMemory, Pair};
use lcca::fit::{Fit, fit, planned_passes};
use lcca::method::{Method, Settings};
use lcca_io::Output;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// Pairs, as in the paper.
const K: usize = 20;
/// Of the generated data.
const SEED: u64 = 1;
const TOKENS: usize = 300_000;
const BOOLEAN_ROWS: usize = 60_000;

/// One data set and the methods run on it.
struct Experiment {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    pair: InMemory,
    methods: Vec<(&'static str, Method)>,
}

/// One line of the table.
struct Entry {
    name: &'static str,
    fit: Fit,
    cpu_seconds: f64,
}

pub fn run(args: &DemoArgs) -> Result<ExitCode, Failure> {
    fs::create_dir_all(&args.output)
        .map_err(|error| Failure::Usage(format!("{}: {error}", args.output.display())))?;
    let pool = machine::pool(args.common.threads)?;
    let mut results = Vec::new();
    for make in [words, features] {
        let experiment = make()?;
        let entries = pool.install(|| run_all(&experiment, args.common.quiet))?;
        draw(&args.output, &experiment, &entries)?;
        if !args.common.json {
            report::print(&text(&experiment, &entries))?;
        }
        results.push(object(&experiment, &entries));
    }
    if args.common.json {
        report::print_json(&json!({ "experiments": results, "version": env!("CARGO_PKG_VERSION") }))?;
    } else {
        report::print(&format!(
            "Figures are in {}: words and features, as .svg and .png.\n",
            args.output.display()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The analogue of the paper's word experiment, at its first setting.
fn words() -> Result<Experiment, Failure> {
    let (x, y) = corpus(TOKENS, SEED);
    Ok(Experiment {
        name: "words",
        title: "Words: this word and the next",
        about: "Every row is one word and the word after it. Both Gram matrices are diagonal, so D-CCA is exact here;\n\
                the others are not told.",
        pair: InMemory::new(x, y)?,
        methods: vec![
            ("D-CCA", Method::DCca { t1: 30 }),
            ("L-CCA", Method::LCca { t1: 5, t2: 7, k_pc: 100 }),
            ("G-CCA", Method::GCca { t1: 5, t2: 17 }),
            ("RPCCA", Method::RpCca { k_rpcca: 300 }),
        ],
    })
}

/// The analogue of the paper's URL experiment, at its second setting.
fn features() -> Result<Experiment, Failure> {
    let (x, y) = boolean(BOOLEAN_ROWS, SEED);
    Ok(Experiment {
        name: "features",
        title: "Features: two sets of Boolean columns",
        about: "Every row is a page with two sets of yes-or-no features, from very frequent to very rare and strongly\n\
                correlated within each set: the Gram matrices are far from diagonal.",
        pair: InMemory::new(x, y)?,
        methods: vec![
            ("D-CCA", Method::DCca { t1: 30 }),
            ("L-CCA", Method::LCca { t1: 5, t2: 11, k_pc: 100 }),
            ("G-CCA", Method::GCca { t1: 5, t2: 16 }),
            ("RPCCA", Method::RpCca { k_rpcca: 300 }),
        ],
    })
}

/// Every method, and last the truth.
fn run_all(experiment: &Experiment, quiet: bool) -> Result<Vec<Entry>, Failure> {
    let truth = ("best possible", Method::Auto);
    let mut entries = Vec::new();
    for (name, method) in experiment.methods.iter().copied().chain([truth]) {
        let settings = Settings { center: false, tol: 1e-6, ..Settings::new(method, K) };
        let progress =
            FitProgress::new(&format!("{} {name}", experiment.name), planned_passes(&settings), quiet);
        let start = ProcessTime::now();
        let fit = fit(&experiment.pair, &settings, &progress)?;
        progress.finish();
        entries.push(Entry { name, fit, cpu_seconds: start.elapsed().as_secs_f64() });
    }
    Ok(entries)
}

fn parameters(method: &Method) -> String {
    match method {
        Method::Als { t1, .. } | Method::DCca { t1 } => format!("t1 {t1}"),
        Method::GCca { t1, t2 } => format!("t1 {t1}, t2 {t2}"),
        Method::LCca { t1, t2, k_pc } => format!("k_pc {k_pc}, t1 {t1}, t2 {t2}"),
        Method::RpCca { k_rpcca } => format!("k_rpcca {k_rpcca}"),
        Method::Auto | Method::Exact | Method::Gram | Method::Lobpcg | Method::ShiftInvert => String::new(),
    }
}

fn text(experiment: &Experiment, entries: &[Entry]) -> String {
    let shape = experiment.pair.shape();
    let size = format!(
        "{} rows × ({} + {} columns)",
        report::grouped(shape.rows as u64),
        report::grouped(shape.x_cols as u64),
        report::grouped(shape.y_cols as u64)
    );
    let best = entries.last().map_or(f64::NAN, |truth| truth.fit.model.total);
    let row = |entry: &Entry| {
        vec![
            entry.name.to_string(),
            parameters(&entry.fit.model.settings.method),
            format!("{:.3}", entry.fit.model.total),
            format!("{:.1}%", 100.0 * entry.fit.model.total / best),
            format!("{:.1}", entry.fit.cost.work(K)),
            format!("{:.2}", entry.cpu_seconds),
        ]
    };
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    let header = ["method", "parameters", "captured", "of best", "work", "CPU s"];
    format!("{}, {size}\n{}\n\n{}\n", experiment.title, experiment.about, report::table(&header, &rows))
}

fn object(experiment: &Experiment, entries: &[Entry]) -> Value {
    let entry = |entry: &Entry| {
        json!({
            "name": entry.name,
            "method": entry.fit.model.settings.method,
            "total": entry.fit.model.total,
            "correlations": entry.fit.model.correlations,
            "passes": entry.fit.cost.passes,
            "work": entry.fit.cost.work(K),
            "cpu_seconds": entry.cpu_seconds,
        })
    };
    json!({ "name": experiment.name, "methods": entries.iter().map(entry).collect::<Vec<_>>() })
}

/// Correlation against index, one curve a method.
fn draw(folder: &Path, experiment: &Experiment, entries: &[Entry]) -> Result<(), Failure> {
    let curve = |entry: &Entry| Curve {
        name: entry.name.into(),
        points: entry.fit.model.correlations.iter().enumerate().map(|(i, &c)| ((i + 1) as f64, c)).collect(),
        dashed: entry.name == "best possible",
    };
    let chart = Chart {
        title: experiment.title.into(),
        x_label: "index".into(),
        y_label: "canonical correlation".into(),
        curves: entries.iter().map(curve).collect(),
    };
    let figure = Figure { panels: vec![chart] };
    let png = figure.png().map_err(Failure::Machine)?;
    save(&folder.join(format!("{}.svg", experiment.name)), figure.svg().as_bytes())?;
    save(&folder.join(format!("{}.png", experiment.name)), &png)
}

fn save(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let mut output = Output::create(path)?;
    output.write_all(content).map_err(|error| Failure::Machine(format!("{}: {error}", path.display())))?;
    Ok(output.commit()?)
}
