//! SciPy's sparse matrix file (`scipy.sparse.save_npz`): a zip archive of NumPy arrays.
//!
//! `format` names the layout (`csr`, `csc` or `coo`), `shape` has the size, then come the layout's arrays.
//! Rows of an archive that is not compressed are mapped as they lie; columns and coordinates are brought
//! into rows.

mod archive;
mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;
