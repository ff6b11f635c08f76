//! What a process keeps of a GPU: contexts, memory, copies, launches.
//!
//! | file | holds |
//! |---|---|
//! | `context` | Finds GPUs through the driver, and keeps the state of each for this process |
//! | `copies` | Copies between the host and a GPU |
//! | `device` | One GPU and its memory, as one fit uses it |
//! | `foreign` | Memory on a GPU that belongs to other libraries of this process |
//! | `known_answer` | Computes a small sum with a known answer when a GPU is first opened |
//! | `launch` | The threads that run a kernel, and its arguments |
//! | `room` | Numbers in the memory of a device |
//! | `staging` | Pinned memory of the host, through which large copies go |

pub(crate) mod context;
pub(crate) mod copies;
pub(crate) mod device;
pub(crate) mod foreign;
pub(crate) mod known_answer;
pub(crate) mod launch;
pub(crate) mod room;
pub(crate) mod staging;
