//! Claims, certificates, and fits that are interrupted.
//!
//! | file | holds |
//! |---|---|
//! | `certificates` | Certificates against dense computations that share no code with them |
//! | `claims` | Claims of convergence must be true |
//! | `meaning` | Results that mean nothing say so |
//! | `resume` | A fit that was stopped can be resumed |

pub(super) mod certificates;
pub(super) mod claims;
pub(super) mod meaning;
pub(super) mod resume;
