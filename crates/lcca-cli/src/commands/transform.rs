//! `lcca transform MODEL --x X | --y Y -o scores.npy|csv|tsv|parquet`

use super::fitting_rows;
use crate::failure::Failure;
use crate::output::remark;
use crate::resolve::TransformJob;
use crate::standard_output::Destination;
use crate::text::count;
use crate::{formulas, load, machine, output, progress};
use lcca::matrix::Matrix;
use lcca_io::views::take_rows;
use lcca_io::{Attached, Loaded, ModelFile, Names, RowWriter};
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
    let of_covariates = job.reading.over_covariates(&remembered.covariates);
    let covariates = job.covariates.as_deref();
    let covariates = fitting_rows::read_covariates(&file, covariates, &of_covariates, job.session.quiet)?;
    let attach = |read| Attached::new(&loaded, read, "the covariates", remembered.align);
    let attached = covariates.map(attach).transpose()?;
    let Known { rows, row_names, covariates } = known(&loaded, attached.as_ref())?;
    let rows = &rows;
    let spinner = progress::spinner(format!("transforming {}", job.rows.display()), job.session.quiet);
    let prefix = job.side.to_string().to_lowercase();
    let columns = (1..=file.model.pairs()).map(|pair| format!("{prefix}{pair}")).collect();
    let mut writer = RowWriter::create(output, rows.rows(), columns, row_names, job.formulas)?;
    let write = |block: &[f64]| -> Result<(), Failure> { Ok(writer.write_rows(block)?) };
    file.model.transform_with(job.side, rows, covariates.as_ref(), write)?;
    let left = writer.finish()?;
    spinner.finish_and_clear();
    load::print_remarks(&loaded, job.session.quiet);
    attached.iter().for_each(|attached| load::print_pairing(&attached.remarks, job.session.quiet));
    attached.iter().for_each(|attached| load::print_remarks(&attached.loaded, job.session.quiet));
    Ok((rows.rows(), left))
}

/// The rows that have all their values, including those of the covariates.
struct Known {
    rows: Matrix,
    row_names: Option<Names>,
    covariates: Option<Matrix>,
}

/// Leaves out the rows that have no covariates.
fn known(loaded: &Loaded, attached: Option<&Attached>) -> Result<Known, Failure> {
    let (rows, row_names) = (loaded.matrix.clone(), loaded.row_names()?);
    let Some(attached) = attached else { return Ok(Known { rows, row_names, covariates: None }) };
    let in_file = loaded.rows_in_file();
    let covariates = Some(attached.matrix(Some(&in_file))?);
    let kept: Vec<usize> = (0..in_file.len()).filter(|&row| attached.place(in_file[row]).is_some()).collect();
    if kept.len() == in_file.len() {
        return Ok(Known { rows, row_names, covariates });
    }
    let row_names = row_names.map(|names| Names::new(kept.iter().map(|&row| names.get(row))));
    Ok(Known { rows: take_rows(&rows, &kept)?, row_names, covariates })
}
