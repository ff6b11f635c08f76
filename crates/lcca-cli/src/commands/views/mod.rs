//! `lcca views …`: from raw data to two views, one kind of data a file.

mod folder;
mod text;

use crate::args::views::{ViewsArgs, ViewsCommand};
use crate::failure::Failure;
use std::process::ExitCode;

pub fn run(args: &ViewsArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        ViewsCommand::Text(args) => text::run(args),
    }
}
