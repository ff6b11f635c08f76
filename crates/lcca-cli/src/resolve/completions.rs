//! `lcca completions`

use crate::args::{Arguments, CompletionsArgs};
use clap::CommandFactory;

pub struct CompletionsJob {
    pub shell: clap_complete::Shell,
    /// The command line to complete.
    pub program: clap::Command,
}

impl CompletionsJob {
    pub fn new(args: CompletionsArgs) -> Self {
        CompletionsJob { shell: args.shell, program: Arguments::command() }
    }
}
