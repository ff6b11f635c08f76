//! The paper's experiment: every method at equal CPU time, beside the best possible.
//!
//! [`contest`] runs it and [`result`] is what comes out, as plain data; [`table`] and [`figure`] show that and compute
//! nothing. The demo uses the same pieces on generated data.

mod best;
pub mod calibrate;
pub mod contest;
pub mod figure;
pub mod knob;
pub mod measure;
pub mod result;
pub mod table;
