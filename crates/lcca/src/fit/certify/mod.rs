//! Checks what a fit claims, after it has ended.
//!
//! A certificate bounds every objective value, and proves how much at least is missing from the total.
//!
//! | file | holds |
//! |---|---|
//! | `bounds` | how far each objective value can be from a true one |
//! | `larger` | larger pairs than those of a claim, by exact answer, proof or search |
//! | `search` | a block iteration beside the fitted pairs |
//! | `verdict` | the certificate of a fit |

pub(super) mod bounds;
pub(super) mod larger;
pub(super) mod search;
pub(super) mod verdict;
