//! `lcca info`

use super::reading::read_options;
use super::session::Session;
use crate::args::InfoArgs;
use lcca_io::ReadOptions;
use std::path::PathBuf;

pub struct InfoJob {
    pub file: PathBuf,
    pub reading: ReadOptions,
    pub verify: bool,
    pub session: Session,
}

impl InfoJob {
    pub fn new(args: InfoArgs) -> Self {
        InfoJob {
            file: args.file,
            reading: read_options(None, &args.tables),
            verify: args.verify,
            session: Session::new(args.common),
        }
    }
}
