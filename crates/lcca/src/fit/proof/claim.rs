//! The claim that is to be proven, in columns of unit length.

use crate::error::Result;
use crate::fit::pairs::eigenproblem::{Block, ViewPanels};
use crate::fit::pairs::problem::Problem;
use crate::space::Tall;
use faer::Mat;
use std::f64::consts::FRAC_1_SQRT_2;

/// The share of the tolerance that pairs below σ may cost.
pub(super) const SHARE_BELOW: f64 = 0.1;
/// Rounding in the factorization of n columns changes its matrix by less than this many n·ε of its diagonal
/// (Rump 2006), and sums over rows in another order by much less than that.
const ROUNDING: f64 = 4.0;

/// The claim that no more values exceed σ than were found above it.
pub(super) struct Claim<'a> {
    pub sigma: f64,
    /// The wanted values that were found.
    wanted: &'a [f64],
    /// The number of pairs above σ.
    pub above: usize,
    /// The factors that give each column of both views unit length; 0 for columns that do not vary.
    pub scale: Vec<f64>,
    /// B·W·√(Θ − σ + 1) of the pairs above σ.
    pub lifting: Mat<f64>,
    /// The residuals of all pairs.
    pub residuals: Mat<f64>,
}

/// The verdict of a factorization on M.
pub(super) enum Found {
    /// M is positive definite, and tr(RᵀM⁻¹R) is at most this.
    Definite { rise: f64 },
    /// M is not positive along some directions. `but_for` is a bound on tr(RᵀM⁻¹R) without the columns
    /// behind them, if M is definite there.
    Negative { directions: Mat<f64>, but_for: Option<f64> },
    /// Rounding hides whether M is definite.
    Unclear,
}

impl<'a> Claim<'a> {
    /// The claim that the first k of the pairs in W are the best ones; R are their residuals. `None` if there
    /// are fewer.
    pub fn new(
        problem: &Problem<'_>,
        scale: Vec<f64>,
        w: &Block,
        r: &Block,
        theta: &'a [f64],
    ) -> Result<Option<Self>> {
        match sigma(problem, theta) {
            Some(sigma) => Ok(Some(Claim::at(problem, sigma, scale, w, r, theta)?)),
            None => Ok(None),
        }
    }

    /// The claim that the pairs in W above σ are all the pairs above it.
    pub fn at(
        problem: &Problem<'_>,
        sigma: f64,
        scale: Vec<f64>,
        w: &Block,
        r: &Block,
        theta: &'a [f64],
    ) -> Result<Self> {
        let above = theta.iter().take_while(|&&value| value > sigma).count();
        let root = |j: usize| (theta[j] - sigma + 1.0).sqrt();
        let lifting = stacked(problem, w, |view| &view.bw, &scale, above, root)?;
        let residuals = stacked(problem, r, |view| &view.w, &scale, theta.len(), |_| 1.0)?;
        let wanted = &theta[..problem.settings.k.min(theta.len())];
        Ok(Claim { sigma, wanted, above, scale, lifting, residuals })
    }

    /// The residuals of the pairs above σ.
    pub fn residuals_above(&self) -> Mat<f64> {
        self.residuals.subcols(0, self.above).to_owned()
    }

    /// The most that the total of the wanted values can lack if those above σ lack `rise` together.
    pub fn missing(&self, rise: f64) -> f64 {
        rise + self.wanted.iter().skip(self.above).map(|value| self.sigma - value).sum::<f64>()
    }
}

/// A value just above the last wanted one, so that wanted pairs below it cost little. `None` if fewer pairs
/// were found than are wanted.
pub(super) fn sigma(problem: &Problem<'_>, theta: &[f64]) -> Option<f64> {
    let wanted = theta.get(..problem.settings.k)?;
    let total: f64 = wanted.iter().sum();
    Some(wanted.last()? + SHARE_BELOW * problem.settings.tol * total / wanted.len() as f64)
}

/// The share of its diagonal by which rounding changes a matrix of `columns` columns.
pub(super) fn margin(columns: usize) -> f64 {
    ROUNDING * columns as f64 * f64::EPSILON
}

/// The first columns of a panel of both views, one below the other, times some factors. Each pair has length
/// 1 over both views.
fn stacked(
    problem: &Problem<'_>,
    block: &Block,
    panel: fn(&ViewPanels) -> &Tall,
    scale: &[f64],
    columns: usize,
    factor: impl Fn(usize) -> f64,
) -> Result<Mat<f64>> {
    let [x, y] = &block.views[..] else { unreachable!("a block of both views has two") };
    let (x, y) = (problem.space.download(panel(x))?, problem.space.download(panel(y))?);
    Ok(Mat::from_fn(scale.len(), columns, |i, j| {
        let row = if i < x.rows() { x.row(i) } else { y.row(i - x.rows()) };
        scale[i] * row[j] * factor(j) * FRAC_1_SQRT_2
    }))
}
