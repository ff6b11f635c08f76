//! `lcca demo`: the paper's comparison on generated data.

use crate::compare::figure;
use crate::compare::measure::{Measured, measure_once};
use crate::compare::table::parameters;
use crate::demo::{boolean, corpus};
use crate::failure::Failure;
use crate::plot::Figure;
use crate::resolve::DemoJob;
use crate::write_file::write_file;
use crate::{machine, output, text};
use lcca::data::{InMemory, Pair};
use lcca::method::{Method, Settings};
use lcca_io::OutputFolder;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The number of pairs, as in the paper.
const PAIRS: usize = 20;
/// The seed of the generated data.
const SEED: u64 = 1;
/// The length of the generated text.
const TOKENS: usize = 300_000;
const BOOLEAN_ROWS: usize = 60_000;
/// The name of the last line of the table.
const BEST: &str = "best possible";

/// One data set and the methods that run on it.
struct Experiment {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    pair: InMemory,
    methods: Vec<(&'static str, Method)>,
}

/// One line of the printed table.
struct Entry {
    name: &'static str,
    measured: Measured,
}

/// The folder for figures: an existing one, or a new one, which appears at the end, and not at all if
/// anything fails.
enum FigureFolder<'p> {
    There(&'p Path),
    New(OutputFolder),
}

impl<'p> FigureFolder<'p> {
    fn begin(path: &'p Path) -> Result<Self, Failure> {
        if path.is_dir() {
            return Ok(Self::There(path));
        }
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent)
                .map_err(|source| lcca_io::Error::Io { path: parent.into(), source })?;
        }
        Ok(Self::New(OutputFolder::create(path)?))
    }

    fn path(&self, name: &str) -> PathBuf {
        match self {
            Self::There(folder) => folder.join(name),
            Self::New(folder) => folder.path(name),
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::There(_) => Ok(()),
            Self::New(folder) => Ok(folder.commit()?),
        }
    }
}

pub fn run(job: &DemoJob) -> Result<(), Failure> {
    let figures = FigureFolder::begin(&job.output)?;
    let pool = machine::pool(job.session.threads)?;
    let mut results = Vec::new();
    for make in [words, features] {
        let experiment = make()?;
        let entries = pool.install(|| run_all(&experiment, job.session.quiet))?;
        draw(&figures, &experiment, &entries)?;
        if !job.session.json {
            output::print(&text(&experiment, &entries))?;
        }
        results.push(object(&experiment, &entries));
    }
    figures.finish()?;
    if job.session.json {
        output::print_json(&json!({ "experiments": results, "version": env!("CARGO_PKG_VERSION") }))?;
    } else {
        output::print(&format!(
            "Figures are in {}: words and features, as .svg and .png.\n",
            job.output.display()
        ))?;
    }
    Ok(())
}

/// The analogue of the paper's word experiment, at its first setting.
fn words() -> Result<Experiment, Failure> {
    let (x, y) = corpus(TOKENS, SEED);
    Ok(Experiment {
        name: "words",
        title: "Words: this word and the next",
        about: "Every row is one word and the word after it. Both Gram matrices are diagonal, so D-CCA is \
            exact here;\n\
                the other methods do not make use of that.",
        pair: InMemory::new(x, y)?,
        methods: vec![
            ("D-CCA", Method::d_cca(30)),
            ("L-CCA", Method::l_cca(5, 7, 100)),
            ("G-CCA", Method::g_cca(5, 17)),
            ("RPCCA", Method::rp_cca(300)),
        ],
    })
}

/// The analogue of the paper's URL experiment, at its second setting.
fn features() -> Result<Experiment, Failure> {
    let (x, y) = boolean(BOOLEAN_ROWS, SEED);
    Ok(Experiment {
        name: "features",
        title: "Features: two sets of Boolean columns",
        about: "Every row is a page with two sets of yes-or-no features, from very frequent to very rare and \
            strongly\n\
                correlated within each set: the Gram matrices are far from diagonal.",
        pair: InMemory::new(x, y)?,
        methods: vec![
            ("D-CCA", Method::d_cca(30)),
            ("L-CCA", Method::l_cca(5, 11, 100)),
            ("G-CCA", Method::g_cca(5, 16)),
            ("RPCCA", Method::rp_cca(300)),
        ],
    })
}

/// Runs every method, and finally the best possible.
fn run_all(experiment: &Experiment, quiet: bool) -> Result<Vec<Entry>, Failure> {
    let mut entries = Vec::new();
    for (name, method) in experiment.methods.iter().copied().chain([(BEST, Method::auto())]) {
        let mut settings = Settings::new(method, PAIRS);
        settings.center = false;
        settings.tol = 1e-6;
        let label = format!("{} {name}", experiment.name);
        entries.push(Entry { name, measured: measure_once(&experiment.pair, &settings, &label, quiet)? });
    }
    Ok(entries)
}

fn text(experiment: &Experiment, entries: &[Entry]) -> String {
    let shape = experiment.pair.shape();
    let size = format!(
        "{} rows × ({} + {} columns)",
        text::grouped(shape.rows as u64),
        text::grouped(shape.x_cols as u64),
        text::grouped(shape.y_cols as u64)
    );
    let best = entries.last().map_or(f64::NAN, |truth| truth.measured.fit.model.total);
    let row = |entry: &Entry| {
        vec![
            entry.name.to_string(),
            parameters(&entry.measured.fit.model.settings.method),
            format!("{:.3}", entry.measured.fit.model.total),
            format!("{:.1}%", 100.0 * entry.measured.fit.model.total / best),
            format!("{:.1}", entry.measured.fit.cost.work(PAIRS)),
            format!("{:.2}", entry.measured.cpu_seconds),
        ]
    };
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    let header = ["method", "parameters", "captured", "of best", "work", "CPU s"];
    format!("{}, {size}\n{}\n\n{}\n", experiment.title, experiment.about, text::table(&header, &rows))
}

fn object(experiment: &Experiment, entries: &[Entry]) -> Value {
    let entry = |entry: &Entry| {
        json!({
            "name": entry.name,
            "method": entry.measured.fit.model.settings.method,
            "total": entry.measured.fit.model.total,
            "correlations": entry.measured.fit.model.correlations,
            "passes": entry.measured.fit.cost.passes,
            "work": entry.measured.fit.cost.work(PAIRS),
            "cpu_seconds": entry.measured.cpu_seconds,
        })
    };
    json!({ "name": experiment.name, "methods": entries.iter().map(entry).collect::<Vec<_>>() })
}

/// Draws correlation against index, one curve per method.
fn draw(folder: &FigureFolder<'_>, experiment: &Experiment, entries: &[Entry]) -> Result<(), Failure> {
    let curve =
        |entry: &Entry| figure::curve(entry.name, &entry.measured.fit.model.correlations, entry.name == BEST);
    let chart = figure::by_index(experiment.title.into(), entries.iter().map(curve).collect());
    for (name, bytes) in figure::files(experiment.name, &Figure { panels: vec![chart] })? {
        write_file(&folder.path(&name), &bytes)?;
    }
    Ok(())
}
