//! The arguments and flags of `lcca man`.

use clap::Args;
use std::path::PathBuf;

/// Print a manual page, or write those of all commands.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lcca man fit | man -l -                       read the page of a command
  lcca man --output ~/.local/share/man/man1     install all pages, so that `man lcca-fit` shows one")]
pub struct ManArgs {
    /// The command that the page is about, such as fit or views text [default: lcca itself]
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Write the pages of all commands into this folder
    #[arg(long, short, value_name = "FOLDER", conflicts_with = "command")]
    pub output: Option<PathBuf>,
}
