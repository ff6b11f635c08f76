//! NumPy's array file: a magic string, a header that is a Python dictionary (type, order, shape), the
//! numbers.
//!
//! Two-dimensional single and double precision arrays in C order are mapped as they lie. Other types are
//! converted (integers to single precision if that is exact), and Fortran order is transposed. A vector is
//! one column.

mod array;
mod header;
mod literal;
mod numbers;
mod write;

pub(crate) use array::{dense, open, read, transposed, unpack};
pub(crate) use header::{Descr, Header, Kind};
pub(crate) use numbers::Numbers;
pub use write::NpyWriter;
pub(crate) use write::{dense_bytes, header_bytes, write_dense};
