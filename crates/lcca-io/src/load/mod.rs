//! From a path to a matrix with its names, and back.
//!
//! | file | holds |
//! |---|---|
//! | `arrays` | Matrices from arrays that another program holds in memory, such as NumPy's and SciPy's |
//! | `labels` | Reads one label per row, such as families, subjects or documents, from a text file |
//! | `loaded` | A matrix that was read, with the names of its columns and rows and remarks about the reading |
//! | `occurring` | Drops columns that do not occur from views with far more columns than occur in them |
//! | `pairing` | Pairs the rows of two files by the matching rule, without rows that miss values in either |
//! | `read` | Reads a matrix in any format |
//! | `reading_record` | A record of how the files of a fit were read |
//! | `verify` | Checking a whole file against its checksums |
//! | `write` | Writes a matrix in the format that its name announces |

pub(crate) mod arrays;
pub(crate) mod labels;
pub(crate) mod loaded;
pub(crate) mod occurring;
pub(crate) mod pairing;
pub(crate) mod read;
pub(crate) mod reading_record;
pub(crate) mod verify;
pub(crate) mod write;
