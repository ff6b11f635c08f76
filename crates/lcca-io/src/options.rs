//! What a caller knows about a file that the file itself may not say.

/// What the caller knows. Built from [`ReadOptions::default`], because it will grow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// How many columns there are. svmlight files do not say; any other file must say the same.
    pub cols: Option<usize>,
    /// Whether the indices of an svmlight file count from 0; `None` and `Some(false)` mean that they count from 1.
    pub zero_based: Option<bool>,
}

impl ReadOptions {
    /// With a known number of columns.
    pub fn cols(mut self, cols: impl Into<Option<usize>>) -> Self {
        self.cols = cols.into();
        self
    }

    /// With indices that count from 0, or not.
    pub fn zero_based(mut self, zero_based: bool) -> Self {
        self.zero_based = Some(zero_based);
        self
    }
}
