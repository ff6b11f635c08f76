//! `lcca report`

use super::page::{PageJob, ending};
use crate::args::ReportArgs;
use crate::failure::Failure;

pub struct ReportJob {
    pub page: PageJob,
}

impl ReportJob {
    pub fn new(args: ReportArgs) -> Result<Self, Failure> {
        if !matches!(ending(&args.output).as_str(), "html" | "htm") {
            let output = args.output.display();
            return Err(Failure::Usage(format!(
                "{output}: a report is an HTML page, expected .html or .htm"
            )));
        }
        let rows = args.x.zip(args.y).map(|(x, y)| [x, y]);
        let page = PageJob::new([args.model, args.output], rows, args.rows, args.common)?;
        Ok(ReportJob {
            page: PageJob { label: args.label, bootstrap: args.bootstrap, scores: args.scores, ..page },
        })
    }
}
