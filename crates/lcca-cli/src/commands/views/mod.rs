//! `lcca views …`: makes two views from raw data, one kind of data per file.

mod columns;
mod text;
mod view_folder;
mod words;

use crate::failure::Failure;
use crate::resolve::ViewsJob;

pub fn run(job: &ViewsJob) -> Result<(), Failure> {
    match job {
        ViewsJob::Columns(job) => columns::run(job),
        ViewsJob::Text(job) => text::run(job),
        ViewsJob::Words(job) => words::run(job),
    }
}
