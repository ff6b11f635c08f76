//! `lcca convert IN OUT`

use crate::failure::Failure;
use crate::output::remark;
use crate::resolve::ConvertJob;
use crate::text::{count, count_entries};
use crate::{load, machine, output, progress};
use lcca::matrix::Matrix;
use serde_json::json;

pub fn run(job: &ConvertJob) -> Result<(), Failure> {
    let matrix = machine::pool(job.session.threads)?.install(|| convert(job))?;
    let (rows, cols, entries) = (matrix.rows() as u64, matrix.cols() as u64, matrix.entries());
    if job.session.json {
        output::print_json(&json!({
            "output": job.output.display().to_string(),
            "rows": rows,
            "cols": cols,
            "entries": entries,
            "version": env!("CARGO_PKG_VERSION"),
        }))?;
    } else if !job.session.quiet {
        let shape = format!("{} × {}", count(rows, "row"), count(cols, "column"));
        remark!("{shape}, {}, written to {}", count_entries(entries), job.output.display());
    }
    Ok(())
}

fn convert(job: &ConvertJob) -> Result<Matrix, Failure> {
    let loaded = load::matrix(&job.input, &job.reading, job.session.quiet)?;
    let spinner = progress::spinner(format!("writing {}", job.output.display()), job.session.quiet);
    let (names, row_names) = (loaded.names()?, loaded.row_names()?);
    lcca_io::write_with_names(&job.output, &loaded.matrix, names.as_ref(), row_names.as_ref())?;
    spinner.finish_and_clear();
    let named = [(&names, "columns"), (&row_names, "rows")];
    if !lcca_io::keeps_names(&job.output) && !job.session.quiet {
        for (_, what) in named.iter().filter(|(names, _)| names.is_some()) {
            remark!("{}: names of {what} are kept by .safetensors only", job.output.display());
        }
    }
    load::print_remarks(&loaded, job.session.quiet);
    Ok(loaded.matrix)
}
