//! The parameter of a method that decides how long the method takes, and the values that it may have.

use super::calibrate::{Outcome, Search};
use lcca::Result;
use lcca::data::Shape;
use lcca::method::{Method, Settings};

/// The most measurements for one method at one setting.
const TRIES: usize = 6;
/// The most gradient steps that a search tries.
const MOST_STEPS: usize = 1_000_000;
/// The parameters that decide how long a method takes.
const TIME_PARAMETERS: [&str; 3] = ["t2", "k-rpcca", "sketch-rows"];
/// The most columns of both views together for sketched rows, because the dense solve of 2000 columns takes
/// about ten seconds.
pub const WIDEST_SKETCH: usize = 2000;

/// The parameter that decides how long a method takes, if the method has one.
pub fn time_parameter(method: &Method) -> Option<&'static str> {
    TIME_PARAMETERS.into_iter().find(|parameter| method.get(parameter).is_some())
}

/// The value of the parameter that decides how long a method takes, or 0 if the method has none.
pub fn time_value(method: &Method) -> usize {
    time_parameter(method).and_then(|parameter| method.get(parameter)).unwrap_or(0)
}

/// A method whose CPU time can be chosen.
#[derive(Clone, Copy, Debug)]
pub struct TunableMethod {
    /// The method's name in the paper.
    pub name: &'static str,
    method: Method,
    /// The parameter that is calibrated.
    parameter: &'static str,
    /// The smallest value.
    least: usize,
    /// The largest value.
    most: usize,
    /// The value to try first.
    first: usize,
    /// How many times larger than any measured value a try may be.
    growth: usize,
}

impl TunableMethod {
    pub fn l_cca(t1: usize, k_pc: usize) -> Self {
        TunableMethod::steps("L-CCA", Method::l_cca(t1, 1, k_pc), 7)
    }

    pub fn g_cca(t1: usize) -> Self {
        TunableMethod::steps("G-CCA", Method::g_cca(t1, 1), 17)
    }

    fn steps(name: &'static str, method: Method, first: usize) -> Self {
        TunableMethod { name, method, parameter: "t2", least: 1, most: MOST_STEPS, first, growth: 10 }
    }

    /// RPCCA for `k` pairs with at most `most` components. The search extrapolates carefully, because
    /// whitening takes time with the square of the components and the decomposition with their cube.
    pub fn rp_cca(k: usize, most: usize) -> Self {
        let (method, parameter) = (Method::rp_cca(k), "k-rpcca");
        TunableMethod {
            name: "RPCCA",
            method,
            parameter,
            least: k,
            most: most.max(k),
            first: 3 * k,
            growth: 3,
        }
    }

    /// Row-sketched CCA with at least twice as many sums as columns; `None` if the views are too wide for
    /// its dense solve. With as many sums as rows, its answer is exact.
    pub fn sketch(shape: Shape) -> Option<Self> {
        let columns = shape.x_cols + shape.y_cols;
        let (least, first) = (2 * columns, 10 * columns);
        let most = shape.rows.max(least);
        (columns <= WIDEST_SKETCH).then(|| TunableMethod {
            name: "Sketch",
            method: Method::sketch(least),
            parameter: "sketch-rows",
            least,
            most,
            first: first.min(most),
            growth: 10,
        })
    }

    /// The method at a value of its parameter.
    pub fn with(self, value: usize) -> Result<Method> {
        self.method.with(self.parameter, value)
    }

    /// The search for the value that takes `target` seconds.
    pub fn search(self, target: f64, agreement: f64) -> Search {
        let TunableMethod { least, most, first, growth, .. } = self;
        Search { target, agreement, least, most, first, growth, tries: TRIES }
    }
}

/// The most principal components that make a difference and fit in memory: no view has more than its
/// columns or rows, and a randomized SVD holds about seven panels of each view, and two more for each
/// further thread.
pub fn most_components(shape: Shape, settings: &Settings, threads: usize) -> usize {
    let panels = 7 + 2 * threads.saturating_sub(1);
    let bytes = 8 * panels * (shape.x_cols + shape.y_cols);
    let fitting = usize::try_from(settings.memory).unwrap_or(usize::MAX) / bytes.max(1);
    shape.rows.min(shape.x_cols.max(shape.y_cols)).min(fitting).max(settings.k)
}

/// The reason, in words, why times do not agree; `None` if they do.
pub fn reason(parameter: &str, outcome: Outcome) -> Option<String> {
    Some(match outcome {
        Outcome::Agrees => return None,
        Outcome::TooQuick => format!("{parameter} can be no larger (columns, rows or memory)"),
        Outcome::TooSlow => format!("{parameter} can be no smaller"),
        Outcome::BetweenNumbers => format!("no whole number as {parameter} comes nearer"),
        Outcome::Uneven => {
            format!("a larger {parameter} was quicker than a smaller one: CPU times are too uneven")
        }
        Outcome::OutOfTries => format!("not met in {TRIES} tries"),
    })
}
