//! The command line in two stages: [`args`] holds the typed arguments, and [`resolve`] turns them into a
//! job; then [`commands`] runs the job.

mod args;
mod commands;
mod compare;
mod cpu_time;
mod demo;
mod escape;
mod failure;
mod figures;
mod formulas;
mod html;
mod interrupt;
mod last_words;
mod load;
mod lost_file;
mod machine;
mod out_of_memory;
mod output;
mod picture;
mod plot;
mod progress;
mod provenance;
mod resolve;
mod resume;
mod sample;
mod shown;
mod signals;
mod sizes;
mod spelling;
mod standard_output;
mod text;
mod time_left;
mod write_file;

use crate::output::remark;
use args::Arguments;
use clap::Parser;
use clap::error::ErrorKind;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: out_of_memory::Allocator = out_of_memory::Allocator;

fn main() -> ExitCode {
    out_of_memory::prepare();
    report_panics_in_one_line();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage_error(&error),
    };
    interrupt::install_handler();
    lost_file::install_handler();
    signals::let_large_files_fail();
    match std::panic::catch_unwind(|| resolve::resolve(arguments).and_then(commands::run)) {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => {
            remark!("{failure}");
            failure.code()
        }
        Err(_) => ExitCode::from(last_words::FAILED),
    }
}

/// Prints help and versions unchanged, and an error in one line like every other failure.
fn usage_error(error: &clap::Error) -> ExitCode {
    let is_requested = matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    if is_requested {
        // A failure is ignored, because there is no place left to report that printing help fails.
        let _ = error.print();
    } else {
        remark!("{}", one_line(&error.to_string()));
    }
    ExitCode::from(error.exit_code() as u8)
}

/// Drops the usage that clap appends to a message; `--help` shows it.
fn one_line(message: &str) -> String {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let paragraphs = message.split("\n\n").filter(|part| !part.starts_with("Usage:"));
    let lines = paragraphs.map(|part| range_in_words(&part.split_whitespace().collect::<Vec<_>>().join(" ")));
    lines.collect::<Vec<_>>().join("; ")
}

/// A message that ends in "expected 1 to 9" instead of "0 is not in 1..=9".
fn range_in_words(message: &str) -> String {
    let parts = message.rsplit_once(" is not in ").and_then(|(found, range)| {
        let (low, high) = range.split_once("..=")?;
        Some((found.rsplit_once(' ')?.0, low, high))
    });
    match parts {
        None => message.to_string(),
        Some((flag, low, "4294967295" | "9223372036854775807" | "18446744073709551615")) => {
            format!("{flag} expected {low} or more")
        }
        Some((flag, low, high)) => format!("{flag} expected {low} to {high}"),
    }
}

/// The messages of systems that refuse a thread or memory.
const REFUSALS: [&str; 2] = ["Resource temporarily unavailable", "Cannot allocate memory"];

/// Reports a defect of the program in one line, without a stack trace.
///
/// Libraries also panic if the system refuses a thread or its stack. That is not a defect, and it may
/// happen where a panic cannot be caught, so the program ends at once.
fn report_panics_in_one_line() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let message = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        if let Some(refusal) = REFUSALS.iter().find(|refusal| message.contains(**refusal)) {
            lcca_io::remove_unfinished_at_once();
            remark!(
                "a thread could not be started: {refusal}; use fewer (--threads), or raise ulimit -u or -v"
            );
            last_words::end();
        }
        if lcca_io::panics_are_guarded() {
            return;
        }
        lcca_io::remove_unfinished();
        let location =
            panic.location().map(|location| format!(" at {}:{}", location.file(), location.line()));
        let location = location.unwrap_or_default();
        remark!("this should not happen; please report it: {message}{location}");
    }));
}

#[cfg(test)]
mod tests {
    use super::range_in_words;

    #[test]
    fn ranges_are_said_in_words() {
        let flag = "invalid value '0' for '--axes <A,B>':";
        assert_eq!(
            range_in_words(&format!("{flag} 0 is not in 1..=4294967295")),
            format!("{flag} expected 1 or more")
        );
        assert_eq!(range_in_words(&format!("{flag} 0 is not in 1..=9")), format!("{flag} expected 1 to 9"));
        assert_eq!(range_in_words("the file is not in it"), "the file is not in it");
    }
}
