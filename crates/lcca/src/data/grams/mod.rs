//! Gram matrices of rows: dense, sparse, and of chosen columns.
//!
//! | file | holds |
//! |---|---|
//! | `block_gram` | The Gram matrix of chosen columns of both views, dense, in one pass over the rows |
//! | `dense_gram` | The dense Gram matrix ZᵀZ of narrow views, with Z = [X Y] or one view alone |
//! | `gram` | The Gram matrix of one view |
//! | `joint` | All four blocks of [X Y]ᵀ[X Y], formed sparsely |
//! | `joint_single` | Passes over Gram matrices with panels in single precision |
//! | `laned` | AᵀB of several sets of rows at once, on one pattern of entries |
//! | `product` | AᵀB of two views with the same rows, formed as sparse rows |
//! | `row_sums` | ZᵀZ of standardized rows, in one pass and in memory for columns² |
//! | `scatter_gram` | The dense Gram matrix of sparse rows |
//! | `sketch` | CountSketch |
//! | `transposed` | A view by columns |

pub(crate) mod block_gram;
pub(crate) mod dense_gram;
pub(crate) mod gram;
pub(crate) mod joint;
pub(crate) mod joint_single;
pub(crate) mod laned;
pub(crate) mod product;
pub(crate) mod row_sums;
pub(crate) mod scatter_gram;
pub(crate) mod sketch;
pub(crate) mod transposed;
