//! Where bytes come from, and what kind of file they are.
//!
//! | file | holds |
//! |---|---|
//! | `encoding` | Turns texts of any program into UTF-8 |
//! | `format` | The formats of matrices |
//! | `lines` | Texts line by line, one batch of whole lines at a time |
//! | `mapped` | Finds the mapped file that an address is in |
//! | `source` | The bytes of files |
//! | `standard_input` | Standard input in place of a file, named `-` |
//! | `text` | Texts of numbers |

pub(crate) mod encoding;
pub(crate) mod format;
pub(crate) mod lines;
pub(crate) mod mapped;
pub(crate) mod source;
pub(crate) mod standard_input;
pub(crate) mod text;
