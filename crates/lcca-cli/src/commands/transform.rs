//! `lcca transform MODEL --x X | --y Y -o scores.npy`

use super::count;
use super::score::fitting_view;
use crate::args::TransformArgs;
use crate::failure::Failure;
use crate::{load, machine, progress, report};
use lcca::data::Side;
use lcca_io::{NpyWriter, read_model};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

pub fn run(args: &TransformArgs) -> Result<ExitCode, Failure> {
    let (side, path) = typed_side(args)?;
    load::check_output(&args.output, &[&args.model, path])?;
    let rows = machine::pool(args.common.threads)?.install(|| transform(args, side, path))?;
    if args.common.json {
        let output = args.output.display().to_string();
        let version = env!("CARGO_PKG_VERSION");
        report::print_json(
            &json!({ "rows": rows, "side": side.to_string(), "output": output, "version": version }),
        )?;
    } else if !args.common.quiet {
        eprintln!(
            "lcca: canonical variables of {} written to {}",
            count(rows as u64, "row"),
            args.output.display()
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn typed_side(args: &TransformArgs) -> Result<(Side, &Path), Failure> {
    match (&args.x, &args.y) {
        (Some(x), None) => Ok((Side::X, x)),
        (None, Some(y)) => Ok((Side::Y, y)),
        _ => Err(Failure::Usage("expected one of --x and --y".into())),
    }
}

fn transform(args: &TransformArgs, side: Side, path: &Path) -> Result<usize, Failure> {
    let (model, _) = read_model(&args.model)?;
    let rows = fitting_view(&args.model, &model, path, side, args.zero_based, args.common.quiet)?;
    let spinner = progress::spinner(format!("transforming {}", path.display()), args.common.quiet);
    let mut writer = NpyWriter::create(&args.output, rows.rows(), model.pairs())?;
    model.transform(side, &rows, |block| -> Result<(), Failure> { Ok(writer.write_rows(block)?) })?;
    writer.finish()?;
    spinner.finish_and_clear();
    Ok(rows.rows())
}
