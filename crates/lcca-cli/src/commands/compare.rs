//! `lcca compare X Y -k 20 -o DIR`

use crate::compare::contest::contest;
use crate::compare::result::Comparison;
use crate::compare::{figure, table};
use crate::failure::Failure;
use crate::resolve::CompareJob;
use crate::write_file::write_file;
use crate::{html, load, machine, output};
use lcca::data::Pair;
use lcca_io::OutputFolder;
use serde_json::Value;

pub fn run(job: CompareJob) -> Result<(), Failure> {
    let (output, json) = (job.output.clone(), job.session.json);
    let folder = OutputFolder::create(&output)?;
    let comparison = machine::pool(job.session.threads)?.install(|| load_and_compare(job))?;
    let object = serde_json::to_value(&comparison).unwrap_or_default();
    write(&folder, &comparison, &object)?;
    folder.commit()?;
    if json {
        output::print_json(&object)?;
    } else {
        output::print(&format!(
            "{}\nTables and figures are in {}; compare.html shows them in any browser.\n",
            table::text(&comparison),
            output.display()
        ))?;
    }
    Ok(())
}

fn load_and_compare(job: CompareJob) -> Result<Comparison, Failure> {
    let (x, y, quiet) = (job.x.clone(), job.y.clone(), job.session.quiet);
    let files = load::RowFiles { covariates: None, weights: job.row_weights.as_deref() };
    let views = load::views([&x, &y], files, &job.reading, quiet)?;
    let pair = views.normalized(job.normalization())?.pair;
    let plan = job.plan(pair.shape())?;
    contest(&pair, &plan).map_err(|failure| failure.in_view(&x, &y))
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
        write_file(&folder.path(name), text.as_bytes())?;
    }
    let figures = [("figure", figure::correlations(comparison)), ("captured", figure::captured(comparison))];
    for (name, figure) in figures {
        for (name, bytes) in figure::files(name, &figure)? {
            write_file(&folder.path(&name), &bytes)?;
        }
    }
    Ok(())
}
