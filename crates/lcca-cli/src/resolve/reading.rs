//! How files that do not say everything are read.

use crate::args::ReadingArgs;
use lcca_io::ReadOptions;

/// Options for one matrix.
pub fn read_options(cols: Option<usize>, zero_based: bool) -> ReadOptions {
    ReadOptions::default().cols(cols).zero_based(zero_based)
}

/// Options for both views, X first.
pub fn view_options(args: &ReadingArgs) -> [ReadOptions; 2] {
    [args.x_cols, args.y_cols].map(|cols| read_options(cols, args.zero_based))
}
