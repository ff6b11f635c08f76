//! The numbers of a model that a command exports or compares.

use crate::args::ContentChoice;

#[derive(Clone, Copy, PartialEq)]
pub enum ModelContent {
    Weights,
    Loadings,
    /// Weights times the square root of the number of rows.
    Vectors,
}

impl From<ContentChoice> for ModelContent {
    fn from(typed: ContentChoice) -> Self {
        match typed {
            ContentChoice::Weights => ModelContent::Weights,
            ContentChoice::Loadings => ModelContent::Loadings,
            ContentChoice::Vectors => ModelContent::Vectors,
        }
    }
}
