//! `lcca export MODEL -o FILE`

use super::count;
use super::model::{named_model, numbers};
use crate::args::export::ExportArgs;
use crate::failure::Failure;
use crate::{load, progress, report};
use lcca_io::{Exported, NamedRows, check_export, export_rows, names_beside};
use serde_json::json;
use std::process::ExitCode;

pub fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    check_export(&args.output)?;
    for output in [args.output.clone(), names_beside(&args.output)] {
        load::check_output(&output, &[&args.model])?;
    }
    let named = named_model(&args.model)?;
    let side = args.view.into();
    let mut numbers = numbers(&named.model, side, args.what, args.components)?;
    if args.normalize {
        lcca::nearest::normalize_rows(&mut numbers);
    }
    let rows = NamedRows {
        names: named.names(side),
        rows: at_most(args.top, numbers.rows())?,
        components: numbers.cols(),
        numbers: &numbers,
    };
    let spinner = progress::spinner(format!("writing {}", args.output.display()), args.common.quiet);
    let exported = export_rows(&args.output, &rows)?;
    spinner.finish_and_clear();
    tell(args, &rows, &exported)?;
    Ok(ExitCode::SUCCESS)
}

fn at_most(top: Option<usize>, columns: usize) -> Result<usize, Failure> {
    match top {
        Some(0) => Err(Failure::Usage("--top is 0, expected 1 or more".into())),
        top => Ok(top.unwrap_or(columns).min(columns)),
    }
}

fn tell(args: &ExportArgs, rows: &NamedRows<'_>, exported: &Exported) -> Result<(), Failure> {
    let output = args.output.display().to_string();
    if args.common.json {
        let names = exported.names.as_ref().map(|path| path.display().to_string());
        report::print_json(&json!({
            "output": output, "names": names, "rows": rows.rows, "components": rows.components,
            "changed_names": exported.changed, "repeated_names": exported.repeated,
            "version": env!("CARGO_PKG_VERSION"),
        }))?;
    } else if !args.common.quiet {
        let columns = count(rows.rows as u64, "column");
        eprintln!("lcca: {} of {columns} written to {output}", count(rows.components as u64, "component"));
    }
    if exported.changed > 0 && !args.common.quiet {
        let (changed, repeated) = (count(exported.changed as u64, "name"), exported.repeated);
        eprintln!(
            "lcca: {output}: {changed} with white space, or empty, are written with _; {repeated} are now the same as an earlier one"
        );
    }
    Ok(())
}
