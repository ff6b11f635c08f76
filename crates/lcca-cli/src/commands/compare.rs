//! `lcca compare X Y -k 20 -o DIR`

use crate::args::CompareArgs;
use crate::compare::contest::contest;
use crate::compare::result::Comparison;
use crate::compare::{figure, table};
use crate::failure::Failure;
use crate::save::save;
use crate::{html, load, machine, meaning, report};
use lcca::data::Pair;
use lcca_io::OutputFolder;
use serde_json::Value;
use std::process::ExitCode;

pub fn run(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let folder = OutputFolder::create(&args.output)?;
    let comparison = machine::pool(args.common.threads)?.install(|| load_and_compare(args))?;
    let object = serde_json::to_value(&comparison).unwrap_or_default();
    write(&folder, &comparison, &object)?;
    folder.commit()?;
    if args.common.json {
        report::print_json(&object)?;
    } else {
        let place = args.output.display();
        report::print(&format!(
            "{}\nTables and figures are in {place}; compare.html shows them in any browser.\n",
            table::text(&comparison)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn load_and_compare(args: &CompareArgs) -> Result<Comparison, Failure> {
    let pair =
        load::views(&args.x, &args.y, &args.reading, args.problem.row_weights.as_deref(), args.common.quiet)?;
    let plan = meaning::plan(args, pair.shape())?;
    contest(&pair, &plan).map_err(|failure| failure.in_view(&args.x, &args.y))
}

fn write(folder: &OutputFolder, comparison: &Comparison, object: &Value) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(object).unwrap_or_default() + "\n";
    let texts = [
        ("compare.json", json),
        ("compare.csv", table::csv(comparison)),
        ("correlations.csv", table::correlations_csv(comparison)),
        ("table.md", table::markdown(comparison)),
        ("compare.html", html::comparison::html(comparison)),
    ];
    for (name, text) in texts {
        save(&folder.path(name), text.as_bytes())?;
    }
    for (name, drawn) in
        [("figure", figure::correlations(comparison)), ("captured", figure::captured(comparison))]
    {
        for (name, bytes) in figure::files(name, &drawn)? {
            save(&folder.path(&name), &bytes)?;
        }
    }
    Ok(())
}
