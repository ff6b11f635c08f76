//! Paired rows.

use std::fmt;

/// Which of the two views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first view.
    X,
    /// The second view.
    Y,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::X => "X",
            Side::Y => "Y",
        })
    }
}
