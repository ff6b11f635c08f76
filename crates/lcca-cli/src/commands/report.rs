//! `lcca report MODEL [X Y] -o report.html`

use super::given_rows::{self, RowSource, file_name};
use crate::failure::Failure;
use crate::figures::Certainty;
use crate::html::report::{self, Subject};
use crate::output::remark;
use crate::resolve::ReportJob;
use crate::{load, machine, output, progress};
use lcca_io::{ModelFile, Output};
use serde_json::json;
use std::io::Write;

pub fn run(job: &ReportJob) -> Result<(), Failure> {
    let inputs = [&job.model].into_iter().chain(job.rows.iter().flatten());
    let inputs = inputs.chain(&job.bootstrap).chain(&job.scores).chain(&job.label);
    load::check_output(&job.output, &inputs.map(|path| path.as_path()).collect::<Vec<_>>())?;
    let mut output = Output::create(&job.output)?;
    let html = machine::pool(job.session.threads)?.install(|| page(job))?;
    let path = &job.output;
    output.write_all(html.as_bytes()).map_err(|source| lcca_io::Error::Io { path: path.clone(), source })?;
    output.commit()?;
    if job.session.json {
        output::print_json(&json!({
            "output": path.display().to_string(),
            "bytes": html.len(),
            "version": env!("CARGO_PKG_VERSION"),
        }))?;
    } else if !job.session.quiet {
        let (path, kilobytes) = (path.display(), html.len() / 1000);
        remark!("report written to {path} ({kilobytes} kB); open it in any browser");
    }
    Ok(())
}

fn page(job: &ReportJob) -> Result<String, Failure> {
    let file = ModelFile::open(&job.model)?;
    let names = file.names()?;
    let certainty =
        Certainty::read(job.bootstrap.as_deref(), job.scores.as_deref(), &file.model.correlations)?;
    let given = match &job.rows {
        Some([x, y]) => Some(given_rows::read(
            &file,
            &RowSource {
                paths: [x, y],
                covariates: job.covariates.as_deref(),
                label: job.label.as_deref(),
                reading: &job.reading,
                quiet: job.session.quiet,
            },
        )?),
        None => None,
    };
    let spinner = progress::spinner("writing the report".into(), job.session.quiet);
    let name = file_name(&job.model);
    let subject = Subject {
        name: &name,
        path: &job.model.display().to_string(),
        model: &file.model,
        names: &names,
        provenance: &file.provenance,
        given: given.as_ref(),
        certainty: &certainty,
    };
    let html = report::html(&subject);
    spinner.finish_and_clear();
    Ok(html)
}
