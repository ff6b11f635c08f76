//! Panels and dense matrices on a device.
//!
//! | file | holds |
//! |---|---|
//! | `array` | Arrays that already lie in the memory of a GPU, such as those of CuPy and PyTorch |
//! | `column_sums` | Sums of the columns of dense rows on a device, from which moments are made |
//! | `columns` | Facts about the columns of the data, one number per row of a panel |
//! | `crosses` | Sums over the rows of tall panels on a device |
//! | `factor` | The Cholesky factor of a dense matrix on a device, and solutions with it |
//! | `panel` | Panels in the memory of a device |
//! | `product` | Dense products on a device |
//! | `tall` | Tall panels multiplied with small matrices on a device |

pub(crate) mod array;
pub(crate) mod column_sums;
pub(crate) mod columns;
pub(crate) mod crosses;
pub(crate) mod factor;
pub(crate) mod panel;
pub(crate) mod product;
pub(crate) mod tall;
