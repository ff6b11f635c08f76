//! The methods of Lu & Foster (2014) that iterate by least squares, and the baseline that they compare with.
//!
//! | file | holds |
//! |---|---|
//! | `alternate` | alternating least squares: D-CCA, L-CCA, G-CCA and others |
//! | `rpcca` | CCA of leading principal components |

pub(super) mod alternate;
pub(super) mod rpcca;
