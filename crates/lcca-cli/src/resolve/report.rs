//! `lcca report`

use super::session::Session;
use crate::args::ReportArgs;
use std::path::PathBuf;

pub struct ReportJob {
    pub model: PathBuf,
    /// Rows of X and of Y to show beside the model.
    pub rows: Option<[PathBuf; 2]>,
    pub output: PathBuf,
    pub zero_based: bool,
    pub session: Session,
}

impl ReportJob {
    pub fn new(args: ReportArgs) -> Self {
        ReportJob {
            model: args.model,
            rows: args.x.zip(args.y).map(|(x, y)| [x, y]),
            output: args.output,
            zero_based: args.zero_based,
            session: Session::new(args.common),
        }
    }
}
