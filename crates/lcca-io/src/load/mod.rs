//! From a path to a matrix with its names, and back.
//!
//! | file | holds |
//! |---|---|
//! | `arrays` | Matrices from arrays that another program holds in memory, such as NumPy's and SciPy's, without a file between |
//! | `labels` | Reads one label per row, such as families, subjects or documents, from a text file with one label per line, a `.npy` file of one column, or a `.csv` or `.tsv` table of two columns, the names of rows and their labels |
//! | `loaded` | A matrix that was read, with the names of its columns and rows and remarks about the reading |
//! | `occurring` | Drops columns that do not occur from views with far more columns than occur in them, such as hashed features, so that the cost of a fit follows the columns that occur and not the largest column number |
//! | `pairing` | Pairs the rows of two files by the matching rule, without rows that miss values in either |
//! | `read` | Reads a matrix in any format |
//! | `reading_record` | A record of how the files of a fit were read, so that later rows are read in the same way and the caller is not asked twice |
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
