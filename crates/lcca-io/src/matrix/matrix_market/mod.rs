//! MatrixMarket: a banner `%%MatrixMarket matrix coordinate|array real|integer|pattern
//! general|symmetric|skew-symmetric`, comments, a line of sizes, then one entry per line, with rows and
//! columns counted from 1.
//!
//! An `array` lists every value, column after column. Symmetric files list one triangle.

mod array;
mod coordinate;
mod header;
mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;
