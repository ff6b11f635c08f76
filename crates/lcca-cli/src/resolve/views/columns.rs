//! `lcca views columns`

use crate::args::views::ColumnsArgs;
use crate::resolve::reading::read_options;
use crate::resolve::session::Session;
use lcca_io::ReadOptions;
use lcca_io::views::ColumnSettings;
use std::path::PathBuf;

pub struct ColumnViewsJob {
    pub matrix: PathBuf,
    pub reading: ReadOptions,
    pub settings: ColumnSettings,
    /// The number of rows of which one is held out; `None` holds out none.
    pub hold_out: Option<usize>,
    pub output: PathBuf,
    pub session: Session,
}

impl ColumnViewsJob {
    pub fn new(args: ColumnsArgs) -> Self {
        ColumnViewsJob {
            matrix: args.matrix,
            reading: read_options(args.cols, &args.tables),
            settings: ColumnSettings {
                selections: [args.x, args.y],
                rows: args.rows,
                boolean_only: args.boolean_only,
                min_count: args.min_count,
                skips: [args.x_skip, args.y_skip].map(|skip| skip.unwrap_or(args.skip)),
                top: args.top,
            },
            hold_out: args.hold_out.map(|every| every as usize),
            output: args.output,
            session: Session::new(args.common),
        }
    }
}
