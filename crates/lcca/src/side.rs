//! The two views of a pair and their sizes.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One of the two views.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// The first view.
    X,
    /// The second view.
    Y,
}

impl Side {
    /// X, then Y.
    pub const BOTH: [Side; 2] = [Side::X, Side::Y];

    /// The other view.
    pub fn other(self) -> Side {
        match self {
            Side::X => Side::Y,
            Side::Y => Side::X,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::X => "X",
            Side::Y => "Y",
        })
    }
}

/// The numbers of rows and columns of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of both views.
    pub rows: usize,
    /// Columns of X.
    pub x_cols: usize,
    /// Columns of Y.
    pub y_cols: usize,
}

impl Shape {
    /// Columns of one view.
    pub fn cols(&self, side: Side) -> usize {
        match side {
            Side::X => self.x_cols,
            Side::Y => self.y_cols,
        }
    }
}
