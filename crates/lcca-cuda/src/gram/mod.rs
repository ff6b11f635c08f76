//! Gram matrices that are formed on a device.
//!
//! | file | holds |
//! |---|---|
//! | `counted` | Rows whose columns were counted on a device, and that stay there for their Gram matrix |
//! | `dense_gram` | The dense Gram matrix of dense rows on a device, with which narrow views are solved |
//! | `gram_plan` | The cost of the joint Gram matrix of sparse rows on a device |
//! | `sparse_gram` | The joint Gram matrix of sparse rows, formed on a device |
//! | `summed` | Forms moments and the Gram matrix of dense rows of the host from a single copy of them |

pub(crate) mod counted;
pub(crate) mod dense_gram;
pub(crate) mod gram_plan;
pub(crate) mod sparse_gram;
pub(crate) mod summed;
