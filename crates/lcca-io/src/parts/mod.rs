//! Parts that several formats share: tensors, names, kinds of file.
//!
//! | file | holds |
//! |---|---|
//! | `fingerprint` | A fingerprint of rows |
//! | `identity` | The identity of a fit |
//! | `kind` | The three kinds of safetensors files that this crate writes |
//! | `names` | Column names |
//! | `panels` | Panels as tensors of two dimensions, row after row |
//! | `pattern` | Patterns of names |
//! | `rows` | Writes the arrays of sparse and one-hot rows as streams of bytes |
//! | `tensors` | safetensors |

pub(crate) mod fingerprint;
pub(crate) mod identity;
pub(crate) mod kind;
pub(crate) mod names;
pub(crate) mod panels;
pub(crate) mod pattern;
pub(crate) mod rows;
pub(crate) mod tensors;
