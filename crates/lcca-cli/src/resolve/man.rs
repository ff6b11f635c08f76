//! `lcca man`

use crate::args::{Arguments, ManArgs};
use crate::failure::Failure;
use clap::CommandFactory;
use std::path::PathBuf;

pub struct ManJob {
    /// The command that the page is about, or the program if all pages are written.
    pub command: clap::Command,
    /// The folder for all pages.
    pub folder: Option<PathBuf>,
}

impl ManJob {
    pub fn new(args: ManArgs) -> Result<Self, Failure> {
        let mut command = Arguments::command();
        // This fills in usages and full names, which subcommands do not have yet.
        command.build();
        for name in &args.command {
            command = find(&command, name.strip_prefix("lcca-").unwrap_or(name)).ok_or_else(|| {
                let all = args.command.join(" ");
                Failure::Usage(format!("there is no command {all:?}, expected one that `lcca --help` lists"))
            })?;
        }
        Ok(ManJob { command, folder: args.output })
    }
}

/// A command by its name, or by the name of its page: `views-text` is `text` of `views`.
fn find(command: &clap::Command, name: &str) -> Option<clap::Command> {
    let known = |name: &str| command.find_subcommand(name).filter(|command| !command.is_hide_set()).cloned();
    known(name).or_else(|| {
        let (first, rest) = name.split_once('-')?;
        find(&known(first)?, rest)
    })
}
