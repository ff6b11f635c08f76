//! What to compare, as plain data.

use lcca::method::Settings;

pub struct Plan {
    /// File names of the views.
    pub files: [String; 2],
    /// Everything but the method.
    pub settings: Settings,
    pub targets: Targets,
    /// Iterations of L-CCA and G-CCA.
    pub t1: usize,
    /// Singular vectors of L-CCA.
    pub k_pc: usize,
    /// Iterations of D-CCA.
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

/// Which methods run besides L-CCA.
pub struct OptionalMethods {
    pub g_cca: bool,
    pub rp_cca: bool,
    pub sketch: bool,
    pub d_cca: bool,
    pub auto: bool,
}
