//! Turns the typed command into the job that runs.

use super::outputs;
use super::{
    BootstrapJob, CompareJob, CompletionsJob, ConvertJob, DemoJob, ExportJob, FitJob, InfoJob, ManJob,
    NeighborsJob, PlotJob, ReferenceJob, ReportJob, RunCcaJob, SampleJob, ScoreJob, TransformJob, ViewsJob,
};
use crate::args::{Arguments, Command};
use crate::failure::Failure;

/// A command with all of its arguments resolved.
pub enum Job {
    Demo(DemoJob),
    Fit(Box<FitJob>),
    Transform(TransformJob),
    Score(ScoreJob),
    Bootstrap(BootstrapJob),
    Export(ExportJob),
    Neighbors(NeighborsJob),
    Plot(Box<PlotJob>),
    Report(ReportJob),
    RunCca(RunCcaJob),
    Compare(Box<CompareJob>),
    Views(Box<ViewsJob>),
    Convert(ConvertJob),
    Info(InfoJob),
    Sample(SampleJob),
    Completions(Box<CompletionsJob>),
    Man(Box<ManJob>),
    Reference(Box<ReferenceJob>),
}

/// Resolves the typed arguments, or names the one that does not make sense.
pub fn resolve(arguments: Arguments) -> Result<Job, Failure> {
    outputs::check(&arguments)?;
    Ok(match arguments.command {
        Command::Demo(args) => Job::Demo(DemoJob::new(args)),
        Command::Fit(args) => Job::Fit(Box::new(FitJob::new(*args)?)),
        Command::Transform(args) => Job::Transform(TransformJob::new(args)?),
        Command::Score(args) => Job::Score(ScoreJob::new(args)?),
        Command::Bootstrap(args) => Job::Bootstrap(BootstrapJob::new(args)?),
        Command::Export(args) => Job::Export(ExportJob::new(args)?),
        Command::Neighbors(args) => Job::Neighbors(NeighborsJob::new(args)),
        Command::Plot(args) => Job::Plot(Box::new(PlotJob::new(args)?)),
        Command::Report(args) => Job::Report(ReportJob::new(args)?),
        Command::RunCca(args) => Job::RunCca(RunCcaJob::new(args)?),
        Command::Compare(args) => Job::Compare(Box::new(CompareJob::new(*args)?)),
        Command::Views(args) => Job::Views(Box::new(ViewsJob::new(args)?)),
        Command::Convert(args) => Job::Convert(ConvertJob::new(args)),
        Command::Info(args) => Job::Info(InfoJob::new(args)),
        Command::Sample(args) => Job::Sample(SampleJob::new(args)),
        Command::Completions(args) => Job::Completions(Box::new(CompletionsJob::new(args))),
        Command::Man(args) => Job::Man(Box::new(ManJob::new(args)?)),
        Command::Reference(args) => Job::Reference(Box::new(ReferenceJob::new(args))),
    })
}
