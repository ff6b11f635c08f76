//! The plan of a comparison, as plain data.

use lcca::method::Settings;

pub struct Plan {
    /// The file names of the views.
    pub files: [String; 2],
    /// All settings except the method.
    pub settings: Settings,
    pub targets: Targets,
    /// The iterations of L-CCA and G-CCA.
    pub t1: usize,
    /// The number of singular vectors of L-CCA.
    pub k_pc: usize,
    /// The iterations of D-CCA.
    pub d_cca_t1: usize,
    pub optional_methods: OptionalMethods,
    /// The share of the total that may be missing from the best possible.
    pub best_tol: f64,
    /// The number of passes after which the search for the best possible stops.
    pub best_passes: Option<f64>,
    pub quiet: bool,
}

/// One setting per number: L-CCA's gradient steps, or the CPU time that every method should take.
pub enum Targets {
    Steps(Vec<usize>),
    CpuSeconds(Vec<f64>),
}

impl Targets {
    pub fn len(&self) -> usize {
        match self {
            Targets::Steps(steps) => steps.len(),
            Targets::CpuSeconds(seconds) => seconds.len(),
        }
    }
}

/// The methods that run besides L-CCA, if their flag is set.
pub struct OptionalMethods {
    pub g_cca: bool,
    pub rp_cca: bool,
    pub sketch: bool,
    pub d_cca: bool,
    pub auto: bool,
}
