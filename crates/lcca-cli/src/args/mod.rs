//! The first stage of the command line: the commands and flags that a user can type. Help, documentation
//! and completions come from here.
//!
//! Nothing is interpreted in this module; [`crate::resolve`] does that.

mod bootstrap;
mod choices;
mod command;
mod common;
mod compare;
mod completions;
mod convert;
mod demo;
mod device;
mod export;
mod fit;
mod info;
mod man;
mod method;
mod model_rows;
mod neighbors;
mod plot;
mod problem;
mod reference;
mod report;
mod run_cca;
mod sample;
mod score;
mod tables;
mod transform;
pub mod views;

pub use bootstrap::BootstrapArgs;
pub use choices::{
    ContentChoice, MetricChoice, NormalizeChoice, RidgeRule, ScaleChoice, SideChoice, ViewChoice,
};
pub use command::{Arguments, Command};
pub use common::{CommonArgs, ReadingArgs, TableOutputArgs};
pub use compare::{CompareArgs, OPTIONAL_METHODS};
pub use completions::CompletionsArgs;
pub use convert::ConvertArgs;
pub use demo::DemoArgs;
pub use device::DeviceArgs;
pub use export::ExportArgs;
pub use fit::{FitArgs, PairCount};
pub use info::InfoArgs;
pub use man::ManArgs;
pub use method::MethodArgs;
pub use model_rows::ModelRowsArgs;
pub use neighbors::NeighborsArgs;
pub use plot::{PictureChoice, PlotArgs};
pub use problem::ProblemArgs;
pub use reference::ReferenceArgs;
pub use report::ReportArgs;
pub use run_cca::{RunCcaArgs, TableFormat};
pub use sample::{SampleArgs, SampleChoice};
pub use score::ScoreArgs;
pub use tables::{AlignChoice, FileArgs, MissingChoice, TableArgs, ViewTableArgs, YesNo};
pub use transform::TransformArgs;
