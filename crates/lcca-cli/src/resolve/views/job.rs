//! The kinds of raw data that views are made from.

use super::{ColumnViewsJob, TextViewsJob, WordViewsJob};
use crate::args::views::{ViewsArgs, ViewsCommand};
use crate::failure::Failure;

pub enum ViewsJob {
    Text(TextViewsJob),
    Words(WordViewsJob),
    Columns(ColumnViewsJob),
}

impl ViewsJob {
    pub fn new(args: ViewsArgs) -> Result<Self, Failure> {
        Ok(match args.command {
            ViewsCommand::Text(args) => ViewsJob::Text(TextViewsJob::new(*args)?),
            ViewsCommand::Words(args) => ViewsJob::Words(WordViewsJob::new(*args)?),
            ViewsCommand::Columns(args) => ViewsJob::Columns(ColumnViewsJob::new(*args)),
        })
    }
}
