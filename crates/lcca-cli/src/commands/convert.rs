//! `lcca convert IN OUT`

use super::count;
use crate::args::ConvertArgs;
use crate::failure::Failure;
use crate::{load, machine, progress, report};
use serde_json::json;
use std::process::ExitCode;

pub fn run(args: &ConvertArgs) -> Result<ExitCode, Failure> {
    let matrix = machine::pool(args.common.threads)?.install(|| -> Result<_, Failure> {
        let matrix = load::view(&args.input, args.cols, args.zero_based, args.common.quiet)?;
        let spinner = progress::spinner(format!("writing {}", args.output.display()), args.common.quiet);
        let names = lcca_io::read_names(&args.input)?;
        if names.is_some() && !lcca_io::keeps_names(&args.output) && !args.common.quiet {
            eprintln!("lcca: {}: names of columns are kept by .safetensors only", args.output.display());
        }
        lcca_io::write_matrix_named(&args.output, &matrix, names.as_ref())?;
        spinner.finish_and_clear();
        Ok(matrix)
    })?;
    let (rows, cols, entries) = (matrix.rows() as u64, matrix.cols() as u64, matrix.entries());
    if args.common.json {
        let output = args.output.display().to_string();
        let version = env!("CARGO_PKG_VERSION");
        report::print_json(
            &json!({ "output": output, "rows": rows, "cols": cols, "entries": entries, "version": version }),
        )?;
    } else if !args.common.quiet {
        let shape = format!("{} × {}", count(rows, "row"), count(cols, "column"));
        eprintln!("lcca: {shape}, {}, written to {}", entry_count(entries), args.output.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// "1 entry", "2 entries".
pub fn entry_count(entries: u64) -> String {
    if entries == 1 { "1 entry".into() } else { format!("{} entries", report::grouped(entries)) }
}
