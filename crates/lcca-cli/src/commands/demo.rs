//! `lcca demo`: the paper's comparison on generated data.

use crate::args::DemoArgs;
use crate::compare::figure;
use crate::compare::measure::{Measured, once};
use crate::compare::table::parameters;
use crate::demo::{boolean, corpus};
use crate::failure::Failure;
use crate::plot::Figure;
use crate::save::save;
use crate::{machine, report};
use lcca::data::{InMemory, Pair};
use lcca::method::{Method, Settings};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Pairs, as in the paper.
const K: usize = 20;
/// Of the generated data.
const SEED: u64 = 1;
const TOKENS: usize = 300_000;
const BOOLEAN_ROWS: usize = 60_000;
/// What the last line is called.
const BEST: &str = "best possible";

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
    measured: Measured,
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
    let mut entries = Vec::new();
    for (name, method) in experiment.methods.iter().copied().chain([(BEST, Method::Auto)]) {
        let settings = Settings { center: false, tol: 1e-6, ..Settings::new(method, K) };
        let label = format!("{} {name}", experiment.name);
        entries.push(Entry { name, measured: once(&experiment.pair, &settings, &label, quiet)? });
    }
    Ok(entries)
}

fn text(experiment: &Experiment, entries: &[Entry]) -> String {
    let shape = experiment.pair.shape();
    let size = format!(
        "{} rows × ({} + {} columns)",
        report::grouped(shape.rows as u64),
        report::grouped(shape.x_cols as u64),
        report::grouped(shape.y_cols as u64)
    );
    let best = entries.last().map_or(f64::NAN, |truth| truth.measured.fit.model.total);
    let row = |entry: &Entry| {
        vec![
            entry.name.to_string(),
            parameters(&entry.measured.fit.model.settings.method),
            format!("{:.3}", entry.measured.fit.model.total),
            format!("{:.1}%", 100.0 * entry.measured.fit.model.total / best),
            format!("{:.1}", entry.measured.fit.cost.work(K)),
            format!("{:.2}", entry.measured.cpu_seconds),
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
            "method": entry.measured.fit.model.settings.method,
            "total": entry.measured.fit.model.total,
            "correlations": entry.measured.fit.model.correlations,
            "passes": entry.measured.fit.cost.passes,
            "work": entry.measured.fit.cost.work(K),
            "cpu_seconds": entry.measured.cpu_seconds,
        })
    };
    json!({ "name": experiment.name, "methods": entries.iter().map(entry).collect::<Vec<_>>() })
}

/// Correlation against index, one curve a method.
fn draw(folder: &Path, experiment: &Experiment, entries: &[Entry]) -> Result<(), Failure> {
    let curve =
        |entry: &Entry| figure::curve(entry.name, &entry.measured.fit.model.correlations, entry.name == BEST);
    let chart = figure::by_index(experiment.title.into(), entries.iter().map(curve).collect());
    for (name, bytes) in figure::files(experiment.name, &Figure { panels: vec![chart] })? {
        save(&folder.join(name), &bytes)?;
    }
    Ok(())
}
