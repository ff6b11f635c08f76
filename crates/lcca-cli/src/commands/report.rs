//! `lcca report MODEL [X Y] -o report.html`

use super::score::fitting_view;
use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::html::report::{Given, Subject};
use crate::{load, machine, progress, report};
use lcca::data::Side;
use lcca::fit::Model;
use lcca::matrix::Matrix;
use lcca_io::{Output, read_model, read_model_names};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Rows drawn in a scatter, and canonical variables stored for it, at most.
const SAMPLE: usize = 2_000;
const VARIABLES: usize = 80_000;

pub fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let inputs = [&args.model].into_iter().chain(&args.x).chain(&args.y);
    load::check_output(&args.output, &inputs.map(|path| path.as_path()).collect::<Vec<_>>())?;
    let mut output = Output::create(&args.output)?;
    let html = machine::pool(args.common.threads)?.install(|| page(args))?;
    let path = &args.output;
    let failed = |source| Failure::File(lcca_io::Error::Io { path: path.clone(), source });
    output.write_all(html.as_bytes()).map_err(failed)?;
    output.commit()?;
    said(args, html.len())?;
    Ok(ExitCode::SUCCESS)
}

fn said(args: &ReportArgs, bytes: usize) -> Result<(), Failure> {
    let output = args.output.display();
    if args.common.json {
        let version = env!("CARGO_PKG_VERSION");
        report::print_json(&json!({ "output": output.to_string(), "bytes": bytes, "version": version }))?;
    } else if !args.common.quiet {
        eprintln!("lcca: report written to {output} ({} kB); open it in any browser", bytes / 1000);
    }
    Ok(())
}

fn page(args: &ReportArgs) -> Result<String, Failure> {
    let (model, provenance) = read_model(&args.model)?;
    let names = read_model_names(&args.model)?;
    let given = match (&args.x, &args.y) {
        (Some(x), Some(y)) => Some(given(args, &model, x, y)?),
        _ => None,
    };
    let spinner = progress::spinner("writing the report".into(), args.common.quiet);
    let name = file_name(&args.model);
    let subject =
        Subject { name: &name, model: &model, names: &names, provenance: &provenance, given: given.as_ref() };
    let html = subject.html();
    spinner.finish_and_clear();
    Ok(html)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Correlations by the code of `lcca score`, and the canonical variables of a sample.
fn given(args: &ReportArgs, model: &Model, x_path: &Path, y_path: &Path) -> Result<Given, Failure> {
    let view = |path: &Path, side: Side| {
        fitting_view(&args.model, model, path, side, args.zero_based, args.common.quiet)
    };
    let (x, y) = (view(x_path, Side::X)?, view(y_path, Side::Y)?);
    let pair = load::pair((x_path, x.clone()), (y_path, y.clone()))?;
    let spinner = progress::spinner("correlating the given rows".into(), args.common.quiet);
    let scores = model.score(&pair)?;
    let most = SAMPLE.min(VARIABLES / 2 / model.pairs().max(1)).max(1);
    let sample = sample(x.rows(), most);
    let variables = [variables(model, Side::X, &x, &sample)?, variables(model, Side::Y, &y, &sample)?];
    spinner.finish_and_clear();
    Ok(Given { files: [x_path, y_path].map(file_name), rows: x.rows(), scores, sample, variables })
}

/// A row at random from each of equally long runs of rows; always the same ones.
fn sample(rows: usize, most: usize) -> Vec<usize> {
    let runs = rows.min(most);
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let start = |run: usize| (run as u128 * rows as u128 / runs as u128) as usize;
    (0..runs).map(|run| random.random_range(start(run)..start(run + 1))).collect()
}

/// The canonical variables of some rows, in their order. All rows stream by, and nothing of the others is kept.
fn variables(model: &Model, side: Side, rows: &Matrix, sample: &[usize]) -> Result<Vec<f64>, Failure> {
    let (k, mut wanted, mut first, mut kept) = (model.pairs(), sample.iter().peekable(), 0, Vec::new());
    model.transform(side, rows, |block| -> Result<(), Failure> {
        let end = first + block.len() / k;
        while let Some(row) = wanted.next_if(|&&row| row < end) {
            kept.extend_from_slice(&block[(row - first) * k..][..k]);
        }
        first = end;
        Ok(())
    })?;
    Ok(kept)
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
