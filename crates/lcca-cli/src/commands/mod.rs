//! The commands, one per file. Each runs a resolved job and prints its result.

mod bootstrap;
mod compare;
mod completions;
mod convert;
mod demo;
mod export;
mod fit;
mod fit_text;
mod fitting_rows;
mod flag_text;
mod given_rows;
mod held_out;
mod info;
mod man;
mod named_model;
mod neighbors;
mod on_device;
mod page_file;
mod plot;
mod reference;
mod report;
mod ridge_search;
mod run_cca;
mod sample;
mod score;
mod transform;
mod views;

use crate::failure::Failure;
use crate::resolve::Job;
use std::process::ExitCode;

pub fn run(job: Job) -> Result<ExitCode, Failure> {
    match job {
        Job::Demo(job) => demo::run(&job),
        Job::Fit(job) => return fit::run(&job),
        Job::Transform(job) => transform::run(&job),
        Job::Score(job) => score::run(&job),
        Job::Bootstrap(job) => bootstrap::run(&job),
        Job::Export(job) => export::run(&job),
        Job::Neighbors(job) => neighbors::run(&job),
        Job::Plot(job) => plot::run(&job),
        Job::Report(job) => report::run(&job),
        Job::RunCca(job) => run_cca::run(&job),
        Job::Compare(job) => compare::run(*job),
        Job::Views(job) => views::run(&job),
        Job::Convert(job) => convert::run(&job),
        Job::Info(job) => info::run(&job),
        Job::Sample(job) => sample::run(&job),
        Job::Completions(job) => completions::run(*job),
        Job::Man(job) => man::run(&job),
        Job::Reference(job) => reference::run(*job),
    }?;
    Ok(ExitCode::SUCCESS)
}
