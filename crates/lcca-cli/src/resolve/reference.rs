//! `lcca reference`

use crate::args::{Arguments, ReferenceArgs};
use clap::CommandFactory;

pub struct ReferenceJob {
    /// The command line to describe.
    pub program: clap::Command,
}

impl ReferenceJob {
    pub fn new(_: ReferenceArgs) -> Self {
        ReferenceJob { program: Arguments::command() }
    }
}
