//! Files of models and of unfinished fits, and what is exported from them.
//!
//! | file | holds |
//! |---|---|
//! | `checkpoint` | The state of a fit as a safetensors file, from which the same fit can continue |
//! | `covariates` | Covariates |
//! | `describe` | Describes a file, for a person or a script |
//! | `effects` | The effects of covariates, in a model's file |
//! | `export` | Rows of numbers with names, such as the weights of a model or word vectors |
//! | `for_model` | Reads rows that a model can be applied to |
//! | `model` | A fitted model as a safetensors file |
//! | `regressions` | The regressions of a fit in its model file, which `predict` needs besides the weights |
//! | `saver` | Saves the state of a fit while it runs, so that the same fit can continue from the file |

pub(crate) mod checkpoint;
pub(crate) mod covariates;
pub(crate) mod describe;
pub(crate) mod effects;
pub(crate) mod export;
pub(crate) mod for_model;
pub(crate) mod model;
pub(crate) mod regressions;
pub(crate) mod saver;
