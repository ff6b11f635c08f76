//! The second stage of the command line: the meaning of the typed arguments.
//!
//! [`resolve`] turns [`crate::args`] into a [`Job`]: it fills in defaults, combines flags that depend on
//! each other, and refuses all that can be refused without reading the data. Commands see resolved values
//! only.

mod bootstrap;
mod compare;
mod completions;
mod convert;
mod demo;
mod device;
mod export;
mod fit;
mod info;
mod job;
mod man;
mod method;
mod model_content;
mod neighbors;
mod outputs;
mod page;
mod plot;
mod problem;
mod reading;
mod reference;
mod report;
mod run_cca;
mod sample;
mod score;
mod session;
mod transform;
mod views;

pub use bootstrap::BootstrapJob;
pub use compare::CompareJob;
pub use completions::CompletionsJob;
pub use convert::ConvertJob;
pub use demo::DemoJob;
pub use export::ExportJob;
pub use fit::{FigureFile, FigureFormat, FitJob, HoldOutRule, RidgeRule, RidgeSearch};
pub use info::InfoJob;
pub use job::{Job, resolve};
pub use man::ManJob;
pub use model_content::ModelContent;
pub use neighbors::NeighborsJob;
pub use page::PageJob;
pub use plot::{Plot, PlotFormat, PlotJob};
pub use reading::{TypedReading, ViewReading, check_normalization};
pub use reference::ReferenceJob;
pub use report::ReportJob;
pub use run_cca::RunCcaJob;
pub use sample::SampleJob;
pub use score::ScoreJob;
pub use session::Session;
pub use transform::TransformJob;
pub use views::{ColumnViewsJob, TextViewsJob, ViewsJob, WordViewsJob};
