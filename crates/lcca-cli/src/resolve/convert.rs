//! `lcca convert`

use super::reading::read_options;
use super::session::Session;
use crate::args::ConvertArgs;
use lcca_io::ReadOptions;
use std::path::PathBuf;

pub struct ConvertJob {
    pub input: PathBuf,
    pub reading: ReadOptions,
    pub output: PathBuf,
    pub session: Session,
}

impl ConvertJob {
    pub fn new(args: ConvertArgs) -> Self {
        ConvertJob {
            input: args.input,
            reading: read_options(args.cols, &args.tables),
            output: args.output,
            session: Session::new(args.common),
        }
    }
}
