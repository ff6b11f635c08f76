//! Sparse rows on a device, and their products.
//!
//! | file | holds |
//! |---|---|
//! | `entries` | The entries of sparse rows on a device, one row after another |
//! | `home` | The data that passes read on a device |
//! | `rows` | Rows of both views on a device, and their products with panels |
//! | `sort` | Sorts keys on a device, and finds runs of equal ones |
//! | `sparse` | Sparse rows on a device, and their products with panels |

pub(crate) mod entries;
pub(crate) mod home;
pub(crate) mod rows;
pub(crate) mod sort;
pub(crate) mod sparse;
