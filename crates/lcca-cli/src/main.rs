//! The command line: what was typed ([`args`]), what it means ([`meaning`]), run, report.

mod args;
mod commands;
mod compare;
mod demo;
mod failure;
mod html;
mod interrupt;
mod load;
mod machine;
mod meaning;
mod plot;
mod progress;
mod provenance;
mod report;
mod save;
mod saving;
mod spelling;

use args::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return not_understood(&error),
    };
    interrupt::handle();
    one_line_panics();
    match std::panic::catch_unwind(|| run(arguments)) {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => {
            eprintln!("lcca: {failure}");
            failure.code()
        }
        Err(_) => ExitCode::from(3),
    }
}

/// Help and versions as they are; what was mistyped in one line, as every other failure.
fn not_understood(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::*;
    let asked_for =
        matches!(error.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand);
    if asked_for {
        // Nobody is left to hear about a failure here.
        let _ = error.print();
    } else {
        eprintln!("lcca: {}", one_line(&error.to_string()));
    }
    ExitCode::from(error.exit_code() as u8)
}

/// The message without the usage that follows it; help has that.
fn one_line(message: &str) -> String {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let paragraphs = message.split("\n\n").filter(|part| !part.starts_with("Usage:"));
    let lines = paragraphs.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("; ")
}

fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    match arguments.command {
        Command::Demo(args) => commands::demo::run(&args),
        Command::Fit(args) => commands::fit::run(&args),
        Command::Transform(args) => commands::transform::run(&args),
        Command::Score(args) => commands::score::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Neighbors(args) => commands::neighbors::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Views(args) => commands::views::run(&args),
        Command::Convert(args) => commands::convert::run(&args),
        Command::Info(args) => commands::info::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
    }
}

/// A defect of ours is told in one line, without a stack trace.
fn one_line_panics() {
    std::panic::set_hook(Box::new(|panic| {
        if lcca_io::panics_are_guarded() {
            return;
        }
        lcca_io::remove_unfinished();
        let place = panic.location().map(|at| format!(" at {}:{}", at.file(), at.line())).unwrap_or_default();
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let message = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        eprintln!("lcca: this should not happen; please report it: {message}{place}");
    }));
}
