//! `lcca transform MODEL --x X | --y Y -o scores.npy|csv|tsv|parquet`

use super::fitting_rows;
use crate::failure::Failure;
use crate::output::remark;
use crate::resolve::TransformJob;
use crate::standard_output::Destination;
use crate::text::count;
use crate::{formulas, load, machine, output, progress};
use lcca_io::{ModelFile, RowWriter, wording};
use serde_json::json;
use std::path::Path;

pub fn run(job: &TransformJob) -> Result<(), Failure> {
    let inputs = [&job.model, &job.rows].into_iter().chain(&job.covariates);
    load::check_output(&job.output, &inputs.map(|path| path.as_path()).collect::<Vec<_>>())?;
    let destination = Destination::new(&job.output)?;
    lcca_io::check_rows(destination.path())?;
    let pool = machine::pool(job.session.threads)?;
    let (rows, left) = pool.install(|| transform(job, destination.path()))?;
    let output = destination.deliver()?;
    formulas::warn(&output, left, job.session.quiet);
    if job.session.json {
        output::print_json(&json!({
            "rows": rows,
            "side": job.side.to_string(),
            "output": output,
            "version": env!("CARGO_PKG_VERSION"),
        }))?;
    } else if !job.session.quiet {
        remark!("canonical variables of {} written to {output}", count(rows as u64, "row"));
    }
    Ok(())
}

/// Writes the canonical variables block by block. Returns the number of rows, and of names that are formulas.
fn transform(job: &TransformJob, output: &Path) -> Result<(usize, usize), Failure> {
    let file = ModelFile::open(&job.model)?;
    let remembered = file.reading()?;
    let options = job.reading.over(remembered.view(job.side));
    let loaded = fitting_rows::read_rows(&file, &job.rows, job.side, &options, job.session.quiet)?;
    let covariates = fitting_rows::read_covariates(&file, job.covariates.as_deref(), job.session.quiet)?;
    let (covariates, remarks) = match &covariates {
        Some(covariates) => {
            let (matrix, remarks) = load::covariates_of(&loaded, covariates, remembered.align)?;
            (Some(matrix), remarks)
        }
        None => (None, Vec::new()),
    };
    let (rows, row_names) = (&loaded.matrix, loaded.row_names()?);
    let spinner = progress::spinner(format!("transforming {}", job.rows.display()), job.session.quiet);
    let prefix = job.side.to_string().to_lowercase();
    let columns = (1..=file.model.pairs()).map(|pair| format!("{prefix}{pair}")).collect();
    let mut writer = RowWriter::create(output, rows.rows(), columns, row_names, job.formulas)?;
    let write = |block: &[f64]| -> Result<(), Failure> { Ok(writer.write_rows(block)?) };
    file.model.transform_with(job.side, rows, covariates.as_ref(), write)?;
    let left = writer.finish()?;
    spinner.finish_and_clear();
    load::print_remarks(&loaded, job.session.quiet);
    if !job.session.quiet {
        remarks.iter().for_each(|remark| remark!("{}", wording::remark(remark)));
    }
    Ok((rows.rows(), left))
}
