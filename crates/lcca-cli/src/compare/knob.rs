//! Which parameter of a method decides how long it takes, and what it may be.

use super::calibrate::{Outcome, Search};
use lcca::data::Shape;
use lcca::method::{Method, Settings};

/// Measurements for one method at one setting, at most.
const TRIES: usize = 6;
/// Gradient steps beyond which nobody waits.
const MOST_STEPS: usize = 1_000_000;

/// A method whose CPU time can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knob {
    /// L-CCA, by t2.
    Ling { t1: usize, k_pc: usize },
    /// G-CCA, by t2.
    Gradient { t1: usize },
    /// RPCCA, by k_rpcca.
    Components { most: usize },
}

impl Knob {
    pub fn name(self) -> &'static str {
        match self {
            Knob::Ling { .. } => "L-CCA",
            Knob::Gradient { .. } => "G-CCA",
            Knob::Components { .. } => "RPCCA",
        }
    }

    /// What the parameter is called.
    pub fn parameter_name(name: &str) -> &'static str {
        if name == "RPCCA" { "k_rpcca" } else { "t2" }
    }

    pub fn method(self, parameter: usize) -> Method {
        match self {
            Knob::Ling { t1, k_pc } => Method::LCca { t1, t2: parameter, k_pc },
            Knob::Gradient { t1 } => Method::GCca { t1, t2: parameter },
            Knob::Components { .. } => Method::RpCca { k_rpcca: parameter },
        }
    }

    /// The parameter of such a method.
    pub fn parameter(method: &Method) -> usize {
        match *method {
            Method::LCca { t2, .. } | Method::GCca { t2, .. } => t2,
            Method::RpCca { k_rpcca } => k_rpcca,
            _ => 0,
        }
    }

    /// The search for the parameter that takes `target` seconds.
    pub fn search(self, target: f64, agreement: f64, k: usize) -> Search {
        let steps =
            |first| Search { target, agreement, least: 1, most: MOST_STEPS, first, growth: 10, tries: TRIES };
        match self {
            Knob::Ling { .. } => steps(7),
            Knob::Gradient { .. } => steps(17),
            // The square of the components is whitened, their cube decomposed: careful steps.
            Knob::Components { most } => Search { least: k, most: most.max(k), growth: 3, ..steps(3 * k) },
        }
    }
}

/// The most principal components that make a difference and fit the memory: no view has more than its columns or rows, and
/// a randomized SVD holds about seven panels of each view, and two more for each further thread.
pub fn most_components(shape: Shape, settings: &Settings, threads: usize) -> usize {
    let panels = 7 + 2 * threads.saturating_sub(1);
    let bytes = 8 * panels * (shape.x_cols + shape.y_cols);
    let fit = usize::try_from(settings.memory).unwrap_or(usize::MAX) / bytes.max(1);
    shape.rows.min(shape.x_cols.max(shape.y_cols)).min(fit).max(settings.k)
}

/// Why times do not agree, in words.
pub fn reason(name: &str, outcome: Outcome) -> Option<String> {
    let parameter = Knob::parameter_name(name);
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
