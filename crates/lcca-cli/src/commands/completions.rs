//! `lcca completions SHELL`

use crate::failure::Failure;
use crate::output;
use crate::resolve::CompletionsJob;

pub fn run(mut job: CompletionsJob) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(job.shell, &mut job.program, "lcca", &mut script);
    Ok(output::print(&String::from_utf8_lossy(&script))?)
}
