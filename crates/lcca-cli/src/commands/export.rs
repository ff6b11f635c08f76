//! `lcca export MODEL -o FILE`

use super::named_model::NamedModel;
use crate::failure::Failure;
use crate::resolve::ExportJob;
use crate::text::count;
use crate::{load, output, progress};
use lcca_io::{Exported, NamedRows, check_export, export_rows, names_beside};
use serde_json::json;

pub fn run(job: &ExportJob) -> Result<(), Failure> {
    check_export(&job.output)?;
    for output in [job.output.clone(), names_beside(&job.output)] {
        load::check_output(&output, &[&job.model])?;
    }
    let model = NamedModel::open(&job.model)?;
    let mut numbers = model.numbers(job.side, job.content, job.components)?;
    if job.normalize {
        lcca::nearest::normalize_rows(&mut numbers);
    }
    let rows = NamedRows {
        names: model.names(job.side),
        rows: job.top.unwrap_or(usize::MAX).min(numbers.rows()),
        components: numbers.cols(),
        numbers: &numbers,
    };
    let spinner = progress::spinner(format!("writing {}", job.output.display()), job.session.quiet);
    let exported = export_rows(&job.output, &rows)?;
    spinner.finish_and_clear();
    print_result(job, &rows, &exported)
}

fn print_result(job: &ExportJob, rows: &NamedRows<'_>, exported: &Exported) -> Result<(), Failure> {
    let output = job.output.display().to_string();
    if job.session.json {
        let names = exported.names.as_ref().map(|path| path.display().to_string());
        output::print_json(&json!({
            "output": output, "names": names, "rows": rows.rows, "components": rows.components,
            "changed_names": exported.changed, "repeated_names": exported.repeated,
            "version": env!("CARGO_PKG_VERSION"),
        }))?;
    } else if !job.session.quiet {
        let columns = count(rows.rows as u64, "column");
        eprintln!("lcca: {} of {columns} written to {output}", count(rows.components as u64, "component"));
    }
    if exported.changed > 0 && !job.session.quiet {
        let (changed, repeated) = (count(exported.changed as u64, "name"), exported.repeated);
        eprintln!(
            "lcca: {output}: {changed} with white space, or empty, are written with _; {repeated} are now the same as an earlier one"
        );
    }
    Ok(())
}
