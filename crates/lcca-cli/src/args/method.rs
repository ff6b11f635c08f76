//! The method and its parameters.

use clap::Args;
use clap::builder::PossibleValuesParser;
use lcca::method::{Inner, Method};

#[derive(Args)]
pub struct MethodArgs {
    /// The method that computes the fit; see below
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = PossibleValuesParser::new(Method::NAMES))]
    pub method: String,
    /// Iterations of the alternating loop [default: 5 for l-cca and g-cca, 30 for d-cca and als]
    #[arg(long, value_name = "N")]
    pub t1: Option<usize>,
    /// Gradient steps for each least-squares problem [default: 38 for l-cca, 51 for g-cca, at most 500 for als --inner cg]
    #[arg(long, value_name = "N")]
    pub t2: Option<usize>,
    /// How als solves its least-squares problems: cg forms no matrix of columns by columns [default: cholesky]
    #[arg(long, value_name = "SOLVER", value_parser = PossibleValuesParser::new(Inner::NAMES))]
    pub inner: Option<String>,
    /// Singular vectors of l-cca [default: 100]
    #[arg(long, value_name = "N")]
    pub k_pc: Option<usize>,
    /// Principal components of rp-cca [default: 500]
    #[arg(long, value_name = "N")]
    pub k_rpcca: Option<usize>,
    /// Extra columns carried along [default: half of k for lobpcg, 10 for the randomized SVD]
    #[arg(long, value_name = "N")]
    pub oversample: Option<usize>,
    /// Power iterations of the randomized SVD
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub power: usize,
}
