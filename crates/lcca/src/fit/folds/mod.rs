//! Rows that are trained on and rows that are held out, and what is chosen with them.
//!
//! Folds are row weights, so nothing is copied.
//!
//! | file | holds |
//! |---|---|
//! | `division` | ways to cut the rows |
//! | `fold_data` | what folds are read from: rows, or Gram matrices formed once |
//! | `fold_path` | a path of ridges on Gram matrices, of which only weights are wanted |
//! | `groups` | rows that belong together |
//! | `hold_out` | one cut, with correlations on both sides |
//! | `path` | a path of ridges |
//! | `select` | the ridge that does best on held-out rows |
//! | `selection` | the scores of ridges |

pub(super) mod division;
pub(super) mod fold_data;
pub(super) mod fold_path;
pub(super) mod groups;
pub(super) mod hold_out;
pub(super) mod path;
pub(super) mod select;
pub(super) mod selection;
