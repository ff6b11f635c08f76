//! What is said: messages, notes and numbers as people read them.
//!
//! | file | holds |
//! |---|---|
//! | `legible` | Makes any text safe to print |
//! | `numbers` | Formats numbers for people, in the program, on its pages and in Python |
//! | `record` | The record of a fit in its model file |
//! | `remark` | Remarks for a person about how files were read and their rows paired |
//! | `wording` | Sentences for the decisions and notes of a fit |

pub(crate) mod legible;
pub mod numbers;
pub(crate) mod record;
pub(crate) mod remark;
pub mod wording;
