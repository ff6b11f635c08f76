//! Rows of both views in memory, and what makes them fewer.
//!
//! | file | holds |
//! |---|---|
//! | `merge` | Equal rows merged into one row whose weight is the sum of their weights |
//! | `paired_rows` | The rows of two views that can be read directly, and their weights |
//! | `parts` | A pass over rows that can be read directly, in one piece or several |
//! | `reduce` | An equivalent, smaller problem |
//! | `sample` | A sample of the rows, spread evenly, in memory |
//! | `touched` | The columns of a wide view that some rows hold |

pub(crate) mod merge;
pub(crate) mod paired_rows;
pub(crate) mod parts;
pub(crate) mod reduce;
pub(crate) mod sample;
pub(crate) mod touched;
