//! `lcca report`

use super::reading::ViewReading;
use super::session::Session;
use crate::args::ReportArgs;
use crate::failure::Failure;
use std::path::PathBuf;

pub struct ReportJob {
    pub model: PathBuf,
    /// Rows of X and of Y to show beside the model.
    pub rows: Option<[PathBuf; 2]>,
    /// What `lcca bootstrap` and `lcca score` printed.
    pub bootstrap: Option<PathBuf>,
    pub scores: Option<PathBuf>,
    /// One label per row of X.
    pub label: Option<PathBuf>,
    pub output: PathBuf,
    /// How X and Y are read and their rows paired.
    pub reading: ViewReading,
    pub covariates: Option<PathBuf>,
    pub session: Session,
}

impl ReportJob {
    pub fn new(args: ReportArgs) -> Result<Self, Failure> {
        let extension = args.output.extension().and_then(|end| end.to_str()).map(str::to_lowercase);
        if extension.is_some_and(|end| end != "html" && end != "htm") {
            let output = args.output.display();
            return Err(Failure::Usage(format!(
                "{output}: a report is an HTML page, expected .html or .htm"
            )));
        }
        Ok(ReportJob {
            model: args.model,
            rows: args.x.zip(args.y).map(|(x, y)| [x, y]),
            bootstrap: args.bootstrap,
            scores: args.scores,
            label: args.label,
            output: args.output,
            reading: ViewReading::of_model(&args.tables, args.zero_based),
            covariates: args.covariates,
            session: Session::new(args.common),
        })
    }
}
