//! Files that are replaced whole or not at all, and memory that is asked for before it is used.
//!
//! | file | holds |
//! |---|---|
//! | `abandoned` | Temporary files and folders that a killed process has left behind |
//! | `access` | Permissions of a file that replaces another |
//! | `atomic` | Files that appear whole or not at all |
//! | `checksums` | Checksums of safetensors files, so that a damaged number is an error and not an answer |
//! | `folder` | Folders that appear whole or not at all |
//! | `guard` | Catches panics of libraries that panic over broken files, and reports them as a broken file |
//! | `memory` | Memory for the sizes that files claim or unpack to |
//! | `parallel` | Batches that are read one after another, processed by all threads |
//! | `place` | The folder that a file is in |
//! | `temporary` | Files that are gone with the process, in the folder that the system keeps for them |

pub(crate) mod abandoned;
pub(crate) mod access;
pub(crate) mod atomic;
pub(crate) mod checksums;
pub(crate) mod folder;
pub(crate) mod guard;
pub(crate) mod memory;
pub(crate) mod parallel;
pub(crate) mod place;
pub(crate) mod temporary;
