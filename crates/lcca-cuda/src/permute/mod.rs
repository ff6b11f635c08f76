//! Permutation tests on a device.
//!
//! | file | holds |
//! |---|---|
//! | `deal` | Deals the rows of two panels to each other in many orders on a device |
//! | `shuffle` | Draws random orders on a device |

pub(crate) mod deal;
pub(crate) mod shuffle;
