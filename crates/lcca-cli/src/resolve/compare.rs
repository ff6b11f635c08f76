//! `lcca compare`

use super::problem::{self, max_passes, most_pairs};
use super::reading::ViewReading;
use super::session::Session;
use crate::args::{CompareArgs, OPTIONAL_METHODS};
use crate::compare::plan::{OptionalMethods, Plan, Targets};
use crate::failure::Failure;
use lcca::data::Shape;
use lcca::matrix::Normalize;
use lcca::method::Method;
use std::path::{Path, PathBuf};

/// L-CCA's gradient steps in the paper's word experiment.
const PAPER_STEPS: [usize; 3] = [7, 38, 115];

pub struct CompareJob {
    pub x: PathBuf,
    pub y: PathBuf,
    /// The options for reading X and Y and for pairing their rows.
    pub reading: ViewReading,
    pub row_weights: Option<PathBuf>,
    pub output: PathBuf,
    pub session: Session,
    /// The requested number of pairs; `None` lets the data decide.
    pairs: Option<usize>,
    /// The plan, in which only the number of pairs is still missing.
    plan: Plan,
}

impl CompareJob {
    pub fn new(args: CompareArgs) -> Result<Self, Failure> {
        for (name, value) in [("t1", args.t1), ("d-cca-t1", args.d_cca_t1)] {
            if value == 0 {
                return Err(Failure::Usage(format!("--{name} is 0, expected at least 1 iteration")));
            }
        }
        let is_requested =
            |name: &str| args.methods.is_empty() || args.methods.iter().any(|typed| typed == name);
        let [g_cca, rp_cca, sketch, d_cca, auto] = OPTIONAL_METHODS.map(is_requested);
        let plan = Plan {
            files: [&args.x, &args.y].map(|path| file_name(path)),
            settings: problem::settings(&args.problem, Method::auto())?,
            targets: targets(&args)?,
            t1: args.t1,
            k_pc: args.k_pc,
            d_cca_t1: args.d_cca_t1,
            optional_methods: OptionalMethods { g_cca, rp_cca, sketch, d_cca, auto },
            best_tol: args.best_tol,
            best_passes: max_passes(args.max_passes)?,
            quiet: args.common.quiet,
        };
        Ok(CompareJob {
            reading: ViewReading::new(&args.reading),
            x: args.x,
            y: args.y,
            row_weights: args.problem.row_weights,
            output: args.output,
            session: Session::new(args.common),
            pairs: args.k,
            plan,
        })
    }

    /// How rows of X and of Y are normalized before the comparison.
    pub fn normalization(&self) -> [Normalize; 2] {
        self.plan.settings.normalization()
    }

    /// The plan for data of this shape. A number of pairs that the data cannot have is refused before any
    /// long work begins.
    pub fn plan(mut self, shape: Shape) -> Result<Plan, Failure> {
        let (k, limit) = (problem::pairs(self.pairs, shape), most_pairs(shape));
        if k == 0 || k > limit {
            let Shape { rows, x_cols, y_cols } = shape;
            return Err(lcca::Error::ComponentsOutOfRange { k, limit, rows, x_cols, y_cols }.into());
        }
        self.plan.settings.k = k;
        Ok(self.plan)
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
}

/// The settings to compare at: those of the command line, or those of the paper's word experiment.
fn targets(args: &CompareArgs) -> Result<Targets, Failure> {
    if let Some(seconds) = args.cpu_seconds.iter().find(|seconds| !(seconds.is_finite() && **seconds > 0.0)) {
        let expected = "expected seconds above 0 with commas between";
        return Err(Failure::Usage(format!("--cpu-seconds has {seconds}, {expected}")));
    }
    if args.l_cca_t2.contains(&0) {
        return Err(Failure::Usage("--l-cca-t2 has 0, expected at least 1 gradient step".into()));
    }
    Ok(if !args.cpu_seconds.is_empty() {
        Targets::CpuSeconds(args.cpu_seconds.clone())
    } else if !args.l_cca_t2.is_empty() {
        Targets::Steps(args.l_cca_t2.clone())
    } else {
        Targets::Steps(PAPER_STEPS.into())
    })
}
