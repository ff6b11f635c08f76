//! The command line: what was typed ([`args`]), what it means ([`meaning`]), run, report.

mod args;
mod commands;
mod demo;
mod failure;
mod load;
mod machine;
mod meaning;
mod plot;
mod progress;
mod report;

use args::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

/// The exit code of an interrupted program, by custom.
const INTERRUPTED: i32 = 130;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    on_interrupt();
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

fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    match arguments.command {
        Command::Demo(args) => commands::demo::run(&args),
        Command::Fit(args) => commands::fit::run(&args),
        Command::Transform(args) => commands::transform::run(&args),
        Command::Score(args) => commands::score::run(&args),
        Command::Convert(args) => commands::convert::run(&args),
        Command::Info(args) => commands::info::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
    }
}

/// Ctrl-C: nothing half-written stays behind, and nobody waits for the current pass.
fn on_interrupt() {
    // Where no handler can be set, the system's own ends the program as quickly.
    let _ = ctrlc::set_handler(|| {
        lcca_io::remove_unfinished();
        eprintln!("lcca: interrupted, nothing was written");
        std::process::exit(INTERRUPTED);
    });
}

/// A defect of ours is told in one line, without a stack trace.
fn one_line_panics() {
    std::panic::set_hook(Box::new(|panic| {
        lcca_io::remove_unfinished();
        let place = panic.location().map(|at| format!(" at {}:{}", at.file(), at.line())).unwrap_or_default();
        let message = panic.payload_as_str().unwrap_or("no message");
        eprintln!("lcca: this should not happen; please report it: {message}{place}");
    }));
}
