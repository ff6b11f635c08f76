//! `lcca export MODEL -o FILE`

use super::named_model::NamedModel;
use crate::failure::Failure;
use crate::output::remark;
use crate::resolve::ExportJob;
use crate::standard_output::Destination;
use crate::text::count;
use crate::{load, output, progress};
use lcca_io::{Exported, NamedRows, Names, check_export, export_rows, names_beside, spreadsheet_safe};
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
    let is_text = matches!(destination.path().extension().and_then(|end| end.to_str()), Some("csv" | "tsv"));
    let formulas = model.names(job.side).filter(|_| is_text).map_or(0, count_formulas);
    let safe = model.names(job.side).filter(|_| is_text && job.safe_csv).map(safe_names);
    let rows = NamedRows {
        names: safe.as_ref().or(model.names(job.side)),
        rows: job.top.unwrap_or(usize::MAX).min(numbers.rows()),
        components: numbers.cols(),
        numbers: &numbers,
    };
    let spinner = progress::spinner(format!("writing {}", job.output.display()), job.session.quiet);
    let exported = export_rows(destination.path(), &rows)?;
    spinner.finish_and_clear();
    let output = destination.deliver()?;
    if formulas > 0 && !job.safe_csv && !job.session.quiet {
        remark!("{output}: {} like a formula; --safe-csv puts ' before them", begin(formulas));
    }
    print_result(job, &rows, &exported, &output)
}

fn begin(names: usize) -> String {
    if names == 1 { "1 name begins".into() } else { format!("{} begin", count(names as u64, "name")) }
}

fn count_formulas(names: &Names) -> usize {
    names.iter().filter(|name| spreadsheet_safe(name) != *name).count()
}

fn safe_names(names: &Names) -> Names {
    Names::new(names.iter().map(spreadsheet_safe))
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
            "{output}: {changed} with white space, or empty, are written with _; {repeated} are now the same as an earlier one"
        );
    }
    Ok(())
}
