//! The rows that a page shows next to a model: their correlations as `lcca score` computes them, the
//! canonical variables of a sample, and their labels.

use super::fitting_rows;
use crate::failure::Failure;
use crate::figures::{GivenRows, RowLabels, are_training_rows};
use crate::load::{RowFiles, Views};
use crate::output::remark;
use crate::progress;
use crate::resolve::PageJob;
use crate::shown::shortened;
use lcca::data::{InMemory, Pair, Side};
use lcca::fit::Model;
use lcca_io::{ModelFile, Names};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};

/// The most rows in a scatter plot, because more points cannot be told apart.
const MOST_ROWS: usize = 2_000;
/// The most canonical variables to keep: they take about 400 kB of a page.
const MOST_VARIABLES: usize = 80_000;

/// The most characters of a row's name that are shown.
const LONGEST_NAME: usize = 60;

/// The rows that the user gave with a model, if any.
pub fn read(file: &ModelFile, job: &PageJob) -> Result<Option<GivenRows>, Failure> {
    let Some([x, y]) = &job.rows else { return Ok(None) };
    let (model, quiet) = (&file.model, job.session.quiet);
    let files = RowFiles { covariates: job.covariates.as_deref(), weights: None };
    let views = fitting_rows::read_pair(file, [x, y], files, &job.reading, quiet)?;
    let labels = labels(&views, x, job)?;
    let spinner = progress::spinner("correlating the given rows".into(), quiet);
    let pair = &views.pair;
    let rows = pair.shape().rows;
    let sample = sample(rows, MOST_ROWS.min(MOST_VARIABLES / 2 / model.pairs().max(1)).max(1));
    let variables = |side| variables(model, side, pair, &sample);
    let variables = [variables(Side::X)?, variables(Side::Y)?];
    let scores = model.score(pair)?;
    spinner.finish_and_clear();
    let labels = labels.map(|(source, labels)| RowLabels::new(source, &labels, &sample));
    let name = |names: &Names, row: usize| shortened(names.get(row), LONGEST_NAME);
    let names = views.row_names.as_ref().map(|names| sample.iter().map(|&row| name(names, row)).collect());
    let numbers = sample.iter().map(|&row| views.row_in_file(row)).collect();
    let are_training = are_training_rows(model, &scores, rows);
    let files = [x, y].map(|path| file_name(path));
    Ok(Some(GivenRows { files, rows, scores, are_training, sample, numbers, variables, names, labels }))
}

pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The labels of all rows and the name of their file, if there is one.
fn labels(views: &Views, x: &Path, job: &PageJob) -> Result<Option<(String, Vec<String>)>, Failure> {
    if let Some(path) = &job.label {
        return Ok(Some((file_name(path), views.labels(path, job.session.quiet)?)));
    }
    let Some(path) = labels_beside(x) else { return Ok(None) };
    let labels = views.labels(&path, job.session.quiet)?;
    if !job.session.quiet {
        remark!("rows are colored by {}", path.display());
    }
    Ok(Some((file_name(&path), labels)))
}

/// The labels that `lcca views text --label` wrote into the folder of a view.
fn labels_beside(x: &Path) -> Option<PathBuf> {
    let name = match x.file_name()?.to_str()? {
        "x.safetensors" => "labels.txt",
        "x_test.safetensors" => "labels_test.txt",
        _ => return None,
    };
    let beside = |name: &str| x.with_file_name(name);
    (beside("views.json").exists() && beside(name).exists()).then(|| beside(name))
}

/// One row at random from each of `most` equally long runs of rows, ascending. The seed is fixed, so the
/// sample is always the same.
fn sample(rows: usize, most: usize) -> Vec<usize> {
    let runs = rows.min(most);
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let start = |run: usize| (run as u128 * rows as u128 / runs as u128) as usize;
    (0..runs).map(|run| random.random_range(start(run)..start(run + 1))).collect()
}

/// The canonical variables of the sampled rows, k per row. No other row is read.
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
