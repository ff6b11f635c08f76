//! `lcca report MODEL [X Y] -o report.html`

use super::given_rows::{self, file_name};
use super::page_file;
use crate::failure::Failure;
use crate::figures::Certainty;
use crate::html::report::{self, Subject};
use crate::progress;
use crate::resolve::{PageJob, ReportJob};
use lcca_io::ModelFile;

pub fn run(job: &ReportJob) -> Result<(), Failure> {
    page_file::write(&job.page, ["report", "; open it in any browser"], || page(&job.page))
}

fn page(job: &PageJob) -> Result<String, Failure> {
    let file = ModelFile::open(&job.model)?;
    let names = file.names()?;
    let certainty =
        Certainty::read(job.bootstrap.as_deref(), job.scores.as_deref(), &file.model.correlations)?;
    let given = given_rows::read(&file, job)?;
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
