//! The paper's experiment: every method at equal CPU time, next to the best possible.
//!
//! [`plan`] says what to run, [`contest`] runs the plan, and [`result`] holds the results as plain data;
//! [`table`] and [`figure`] show them and compute nothing. The demo uses the same pieces on generated data.

mod best;
mod calibrate;
pub mod contest;
pub mod figure;
pub mod measure;
pub mod plan;
pub mod result;
pub mod table;
mod tunable;
