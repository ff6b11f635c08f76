//! `lcca completions SHELL`

use crate::args::{Arguments, CompletionsArgs};
use crate::failure::Failure;
use crate::report;
use clap::CommandFactory;
use std::process::ExitCode;

pub fn run(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "lcca", &mut script);
    report::print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
