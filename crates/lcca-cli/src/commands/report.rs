//! `lcca report MODEL [X Y] -o report.html`

use super::fitting_rows;
use crate::failure::Failure;
use crate::html::report::{self, Certainty, GivenRows, Subject};
use crate::output::remark;
use crate::resolve::ReportJob;
use crate::{load, machine, output, progress};
use lcca::data::{InMemory, Pair, Side};
use lcca::fit::Model;
use lcca_io::{ModelFile, Output};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// The most rows in a scatter plot: more are not told apart.
const MOST_ROWS: usize = 2_000;
/// The most canonical variables stored for scatter plots: about 400 kB of the page.
const MOST_VARIABLES: usize = 80_000;

pub fn run(job: &ReportJob) -> Result<(), Failure> {
    let inputs = [&job.model].into_iter().chain(job.rows.iter().flatten());
    let inputs = inputs.chain(&job.bootstrap).chain(&job.scores);
    load::check_output(&job.output, &inputs.map(|path| path.as_path()).collect::<Vec<_>>())?;
    let mut output = Output::create(&job.output)?;
    let html = machine::pool(job.session.threads)?.install(|| page(job))?;
    let path = &job.output;
    output.write_all(html.as_bytes()).map_err(|source| lcca_io::Error::Io { path: path.clone(), source })?;
    output.commit()?;
    if job.session.json {
        output::print_json(&json!({
            "output": path.display().to_string(),
            "bytes": html.len(),
            "version": env!("CARGO_PKG_VERSION"),
        }))?;
    } else if !job.session.quiet {
        let (path, kilobytes) = (path.display(), html.len() / 1000);
        remark!("report written to {path} ({kilobytes} kB); open it in any browser");
    }
    Ok(())
}

fn page(job: &ReportJob) -> Result<String, Failure> {
    let file = ModelFile::open(&job.model)?;
    let names = file.names()?;
    let certainty =
        Certainty::read(job.bootstrap.as_deref(), job.scores.as_deref(), &file.model.correlations)?;
    let given = match &job.rows {
        Some([x, y]) => Some(given_rows(job, &file, x, y)?),
        None => None,
    };
    let spinner = progress::spinner("writing the report".into(), job.session.quiet);
    let name = file_name(&job.model);
    let subject = Subject {
        name: &name,
        model: &file.model,
        names: &names,
        provenance: &file.provenance,
        given: given.as_ref(),
        certainty: &certainty,
    };
    let html = report::html(&subject);
    spinner.finish_and_clear();
    Ok(html)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The correlations of all given rows, as `lcca score` computes them, and the canonical variables of a sample.
fn given_rows(job: &ReportJob, file: &ModelFile, x_path: &Path, y_path: &Path) -> Result<GivenRows, Failure> {
    let model = &file.model;
    let covariates = job.covariates.as_deref();
    let pair =
        fitting_rows::read_pair(file, [x_path, y_path], covariates, &job.reading, job.session.quiet)?.pair;
    let spinner = progress::spinner("correlating the given rows".into(), job.session.quiet);
    let rows = pair.shape().rows;
    let sample = sample(rows, MOST_ROWS.min(MOST_VARIABLES / 2 / model.pairs().max(1)).max(1));
    let variables = |side| variables(model, side, &pair, &sample);
    let variables = [variables(Side::X)?, variables(Side::Y)?];
    let scores = model.score(&pair)?;
    spinner.finish_and_clear();
    Ok(GivenRows { files: [x_path, y_path].map(file_name), rows, scores, sample, variables })
}

/// One row at random from each of `most` equally long runs of rows, ascending. Always the same rows.
fn sample(rows: usize, most: usize) -> Vec<usize> {
    let runs = rows.min(most);
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let start = |run: usize| (run as u128 * rows as u128 / runs as u128) as usize;
    (0..runs).map(|run| random.random_range(start(run)..start(run + 1))).collect()
}

/// The canonical variables of the sampled rows, k per row. No other row is touched.
fn variables(model: &Model, side: Side, pair: &InMemory, sample: &[usize]) -> Result<Vec<f64>, Failure> {
    let sampled = lcca_io::views::take_rows(pair.view(side), sample)?;
    let covariates = match pair.covariates() {
        Some(covariates) => Some(lcca_io::views::take_rows(covariates, sample)?),
        None => None,
    };
    let mut variables = Vec::with_capacity(sample.len() * model.pairs());
    model.transform_with(side, &sampled, covariates.as_ref(), |block| -> Result<(), Failure> {
        variables.extend_from_slice(block);
        Ok(())
    })?;
    Ok(variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_over_all_rows_and_always_the_same() {
        for (rows, most) in [(10, 20), (0, 5), (1, 1), (20_000, 2_000), (2_001, 2_000)] {
            let chosen = sample(rows, most);
            assert_eq!((chosen.len(), &chosen), (rows.min(most), &sample(rows, most)));
            assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]) && chosen.iter().all(|&row| row < rows));
        }
        assert_eq!(sample(10, 20), (0..10).collect::<Vec<_>>());
        assert!(sample(20_000, 2_000).last().is_some_and(|&row| row >= 19_990));
    }
}
