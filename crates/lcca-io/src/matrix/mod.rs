//! Formats of matrices, and how their entries become one.
//!
//! | file | holds |
//! |---|---|
//! | `assemble` | Turns parsed parts into the storage that fits |
//! | `half` | Half precision, which Rust has no stable type for |
//! | `layouts` | Turns SciPy's sparse layouts into rows |
//! | `matrix_market` | MatrixMarket |
//! | `missing` | Settles missing values, which NaN marks until a matrix is made |
//! | `mtx_folder` | A folder of single-cell counts |
//! | `npy` | NumPy's array file |
//! | `npz` | SciPy's sparse matrix file (`scipy.sparse.save_npz`) |
//! | `options` | Options for reading a file |
//! | `pick` | Some columns of a matrix, in ascending order |
//! | `store` | The mapped store |
//! | `svmlight` | svmlight, also called libsvm |
//! | `triplets` | Sorts entries in any order into rows |
//! | `values` | Values that arrive one by one and take no more memory than they need |

pub(crate) mod assemble;
pub(crate) mod half;
pub(crate) mod layouts;
pub(crate) mod matrix_market;
pub(crate) mod missing;
pub(crate) mod mtx_folder;
pub(crate) mod npy;
pub(crate) mod npz;
pub(crate) mod options;
pub(crate) mod pick;
pub(crate) mod store;
pub(crate) mod svmlight;
pub(crate) mod triplets;
pub(crate) mod values;
