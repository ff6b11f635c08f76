//! `lcca views …`: from raw data to two views, one kind of data a file.

mod columns;
mod folder;
mod text;
mod words;

use crate::args::views::{ViewsArgs, ViewsCommand};
use crate::failure::Failure;
use std::process::ExitCode;

pub fn run(args: &ViewsArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        ViewsCommand::Columns(args) => columns::run(args),
        ViewsCommand::Text(args) => text::run(args),
        ViewsCommand::Words(args) => words::run(args),
    }
}
