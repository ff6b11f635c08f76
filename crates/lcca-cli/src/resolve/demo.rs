//! `lcca demo`

use super::session::Session;
use crate::args::DemoArgs;
use std::path::PathBuf;

pub struct DemoJob {
    pub output: PathBuf,
    pub session: Session,
}

impl DemoJob {
    pub fn new(args: DemoArgs) -> Self {
        DemoJob { output: args.output, session: Session::new(args.common) }
    }
}
