//! `lcca export MODEL -o FILE`

use super::named_model::NamedModel;
use crate::failure::Failure;
use crate::output::remark;
use crate::resolve::ExportJob;
use crate::standard_output::Destination;
use crate::text::count;
use crate::{formulas, load, output, progress};
use lcca_io::{Exported, NamedRows, check_export, export_rows, names_beside};
use serde_json::json;

pub fn run(job: &ExportJob) -> Result<(), Failure> {
    let destination = Destination::new(&job.output)?;
    check_export(destination.path())?;
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
        formulas: job.formulas,
    };
    let spinner = progress::spinner(format!("writing {}", job.output.display()), job.session.quiet);
    let exported = export_rows(destination.path(), &rows)?;
    spinner.finish_and_clear();
    let output = destination.deliver()?;
    formulas::warn(&output, exported.formulas, job.session.quiet);
    print_result(job, &rows, &exported, &output)
}

fn print_result(
    job: &ExportJob,
    rows: &NamedRows<'_>,
    exported: &Exported,
    output: &str,
) -> Result<(), Failure> {
    if job.session.json {
        let names = exported.names.as_ref().map(|path| path.display().to_string());
        output::print_json(&json!({
            "output": output, "names": names, "rows": rows.rows, "components": rows.components,
            "changed_names": exported.changed, "repeated_names": exported.repeated,
            "version": env!("CARGO_PKG_VERSION"),
        }))?;
    } else if !job.session.quiet {
        let columns = count(rows.rows as u64, "column");
        remark!("{} of {columns} written to {output}", count(rows.components as u64, "component"));
    }
    if exported.changed > 0 && !job.session.quiet {
        let (changed, repeated) = (count(exported.changed as u64, "name"), exported.repeated);
        remark!(
            "{output}: {changed} with white space, or empty, are written with _; {repeated} are now the same \
             as an earlier one"
        );
    }
    Ok(())
}
