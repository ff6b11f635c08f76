//! `lcca run-cca X Y -o FOLDER`

use crate::failure::Failure;
use crate::output::remark;
use crate::resolve::RunCcaJob;
use crate::text::{self, count};
use crate::write_file::write_file;
use crate::{formulas, load, machine, output, progress};
use lcca::data::{ColumnScale, InMemory, Pair, RowSums, Side};
use lcca::fit::{TwoSamples, embed};
use lcca::matrix::{Matrix, Panel};
use lcca_io::{Formulas, Loaded, OutputFolder, ReadOptions, RowWriter, legible};
use serde_json::{Value, json};
use std::path::Path;

/// The number of rows whose embeddings are in memory at a time.
const BLOCK: usize = 1 << 14;

pub fn run(job: &RunCcaJob) -> Result<(), Failure> {
    let folder = OutputFolder::create(&job.output)?;
    let result = machine::pool(job.session.threads)?.install(|| compute(job, &folder))?;
    let page = serde_json::to_string_pretty(&result.object()).unwrap_or_default() + "\n";
    write_file(&folder.path("run-cca.json"), page.as_bytes())?;
    folder.commit()?;
    if job.session.json {
        return Ok(output::print_json(&result.object())?);
    }
    output::print(&result.text(&job.output))?;
    if !job.session.quiet {
        result.warn([&job.x, &job.y]);
    }
    Ok(())
}

/// The result of the command, for people and programs.
struct Outcome {
    rows: [u64; 2],
    cols: usize,
    constant: [u64; 2],
    found: TwoSamples,
}

fn compute(job: &RunCcaJob, folder: &OutputFolder) -> Result<Outcome, Failure> {
    let quiet = job.session.quiet;
    let paths = [&job.x, &job.y];
    let mut loaded = [read(job, 0)?, read(job, 1)?];
    check_columns(&loaded)?;
    for (view, path) in loaded.iter_mut().zip(paths) {
        let rows = job.normalize.apply(Side::X, &view.matrix);
        view.matrix = rows.map_err(|error| Failure::in_file(path, error))?;
        if job.scale_columns {
            view.matrix = near_origin(&view.matrix)?;
        }
    }
    let spinner = progress::spinner("adding up products of columns".into(), quiet);
    let sums = [sums(job, &loaded[0].matrix)?, sums(job, &loaded[1].matrix)?];
    spinner.finish_and_clear();
    let spinner = progress::spinner("embedding rows".into(), quiet);
    let mut found = TwoSamples::new(&sums[0], &sums[1], job.components)?;
    let first = embed(&loaded[0].matrix.slice(0..1), sums[0].columns(), &found.weights[0])?;
    found.turn(&first);
    for (side, name) in ["x", "y"].into_iter().enumerate() {
        let file = format!("{name}.{}", job.extension);
        let path = folder.path(&file);
        let left = write(&path, &loaded[side], sums[side].columns(), &found.weights[side], job.formulas)?;
        formulas::warn(&job.output.join(file).display().to_string(), left, quiet);
    }
    spinner.finish_and_clear();
    let [x, y] = &sums;
    let (rows, constant) = ([x.rows(), y.rows()], [x.constant(), y.constant()]);
    Ok(Outcome { rows, cols: x.columns().cols(), constant, found })
}

fn read(job: &RunCcaJob, side: usize) -> Result<Loaded, Failure> {
    let path = [&job.x, &job.y][side];
    let loaded = load::matrix(path, &ReadOptions::default(), job.session.quiet)?;
    if loaded.matrix.rows() == 0 {
        return Err(Failure::in_file(path, lcca::Error::NoRows));
    }
    load::print_remarks(&loaded, job.session.quiet);
    Ok(loaded)
}

/// Refuses files with different columns. Names are compared if both files have names.
fn check_columns([x, y]: &[Loaded; 2]) -> Result<(), Failure> {
    let (expected, found) = (x.matrix.cols(), y.matrix.cols());
    let path = y.path().display();
    if expected != found {
        return Err(Failure::Usage(format!(
            "{path}: has {found} columns, expected the {expected} of {}: give both files the same columns in \
             the same order",
            x.path().display()
        )));
    }
    let (Some(x_names), Some(y_names)) = (x.names()?, y.names()?) else { return Ok(()) };
    match x_names.iter().zip(y_names.iter()).enumerate().find(|(_, (a, b))| a != b) {
        None => Ok(()),
        Some((column, (a, b))) => Err(Failure::Usage(format!(
            "{path}: column {column} is called {}, expected {} as in {}: give both files the same columns in \
             the same order",
            legible(b, 60),
            legible(a, 60),
            x.path().display()
        ))),
    }
}

/// Moves columns that are far from zero near it, because they keep more digits there. Scaled columns are
/// centered in any case.
fn near_origin(rows: &Matrix) -> Result<Matrix, Failure> {
    let pair = InMemory::new(rows.clone(), rows.clone())?;
    Ok(pair.near_origin()?.view(Side::X).clone())
}

/// The products of one file's columns over its standardized rows.
fn sums(job: &RunCcaJob, rows: &Matrix) -> Result<RowSums, Failure> {
    let columns = if job.scale_columns {
        let pair = InMemory::new(rows.clone(), rows.clone())?;
        ColumnScale::standard(pair.moments(Side::X)?)
    } else {
        ColumnScale::none(rows.cols())
    };
    let mut sums = RowSums::new(columns);
    sums.add(rows, job.memory)?;
    Ok(sums)
}

/// Writes one line per row of a file. Returns how many of the rows' names are formulas.
fn write(
    path: &Path,
    loaded: &Loaded,
    columns: &ColumnScale,
    weights: &Panel,
    formulas: Formulas,
) -> Result<usize, Failure> {
    let rows = &loaded.matrix;
    let names = (1..=weights.cols()).map(|component| format!("CC{component}")).collect();
    let mut writer = RowWriter::create(path, rows.rows(), names, loaded.row_names()?, formulas)?;
    for start in (0..rows.rows()).step_by(BLOCK) {
        let block = rows.slice(start..(start + BLOCK).min(rows.rows()));
        writer.write_rows(&embed(&block, columns, weights)?)?;
    }
    Ok(writer.finish()?)
}

impl Outcome {
    fn object(&self) -> Value {
        json!({
            "rows": self.rows,
            "cols": self.cols,
            "k": self.found.values.len(),
            "values": self.found.values,
            "constant_rows": self.constant,
            "departure_from_orthonormal": self.found.departure,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    fn text(&self, folder: &Path) -> String {
        let row = |(i, value): (usize, &f64)| vec![(i + 1).to_string(), format!("{value:.6}")];
        let table: Vec<Vec<String>> = self.found.values.iter().enumerate().map(row).collect();
        format!(
            "{} and {} × {}\n\n{}\nsingular value: of the product of all standardized rows of both \
             files\n\nembeddings written to {}\n",
            count(self.rows[0], "row"),
            count(self.rows[1], "row"),
            count(self.cols as u64, "column"),
            text::table(&["component", "singular value"], &table),
            folder.display()
        )
    }

    fn warn(&self, paths: [&Path; 2]) {
        for (constant, path) in self.constant.into_iter().zip(paths).filter(|(constant, _)| *constant > 0) {
            let rows = count(constant, "row");
            remark!(
                "{}: {rows} without any variation cannot be standardized; the embedding is zero",
                path.display()
            );
        }
    }
}
