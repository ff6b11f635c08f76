//! When to stop, and how far the answer still is.
//!
//! Two estimates of what is missing from Σθ, and the larger counts:
//! - from the residuals: θᵢ is off by about rᵢ²/(gap to what the block does not hold), or rᵢ if the gap is smaller. Their
//!   sum q falls as what is missing falls, but is ten to a hundred times larger. The last iterations tell how many times:
//!   if the total grew by G while q fell by Q, about q·G/Q is missing;
//! - from the last steps: if the total grew by δ, and by δ' two steps before, what follows is about δ·ρ/(1 − ρ) with
//!   ρ² = δ/δ'.
//!
//! Neither is a bound: residuals are measured in the norm of diag(C + λI)⁻¹, not of (C + λI)⁻¹.

/// Iterations over which growth of the total is compared with the fall of the residuals. Fewer make the ratio jump, more
/// make it old.
const WINDOW: usize = 6;
/// What is missing is taken as this many times what that comparison says, because convergence slows down towards the end
/// and the ratio of the past is then too small.
const SAFETY: f64 = 2.0;
/// After this many iterations without growth nothing but rounding is left to gain.
const STALL: usize = 10;

/// The history that tells when to stop.
pub(super) struct Stopping {
    k: usize,
    tol: f64,
    /// Σθ of every iteration.
    pub totals: Vec<f64>,
    /// q of every iteration.
    pub by_residuals: Vec<f64>,
}

impl Stopping {
    pub(super) fn new(k: usize, tol: f64) -> Self {
        Stopping { k, tol, totals: Vec::new(), by_residuals: Vec::new() }
    }

    /// Takes over the history of a checkpoint, without its last iteration, which is looked at again.
    pub(super) fn remember(&mut self, totals: Vec<f64>, by_residuals: Vec<f64>) {
        (self.totals, self.by_residuals) = (totals, by_residuals);
        self.totals.pop();
        self.by_residuals.pop();
    }

    /// Takes note of an iteration's objective values and residuals, of the whole block.
    pub(super) fn look(&mut self, theta: &[f64], residuals: &[f64]) {
        let k = self.k.min(theta.len());
        self.totals.push(theta[..k].iter().sum());
        let last = theta.last().copied().unwrap_or(0.0);
        self.by_residuals.push(by_residuals(&theta[..k], &residuals[..k], last));
    }

    /// Whether what is missing is within the tolerance, relative to the total.
    pub(super) fn enough(&self) -> bool {
        let total = self.totals.last().copied().unwrap_or(0.0);
        self.missing().is_some_and(|missing| missing <= self.tol * total)
    }

    /// An estimate of what is missing from the objective's total; `None` before there are enough steps to tell.
    pub(super) fn missing(&self) -> Option<f64> {
        let by_residuals = self.by_residuals.last().copied()?;
        Some(by_residuals.min(self.calibrated().unwrap_or(f64::INFINITY)).max(self.by_growth()?))
    }

    /// The same as a share of the total.
    pub(super) fn missing_share(&self) -> Option<f64> {
        let total = self.totals.last().copied().filter(|&total| total > 0.0)?;
        Some(self.missing()? / total)
    }

    /// q·G/Q over the last iterations, with a margin; `None` if q did not fall.
    fn calibrated(&self) -> Option<f64> {
        let before = self.totals.len().checked_sub(WINDOW + 1)?;
        let (growth, q) = (self.totals.last()? - self.totals[before], self.by_residuals.last()?);
        let fall = self.by_residuals[before] - q;
        (fall > 0.0).then(|| SAFETY * q * growth.max(0.0) / fall)
    }

    /// δ·ρ/(1 − ρ) from the last steps.
    fn by_growth(&self) -> Option<f64> {
        let [.., a, b, c, d] = self.totals[..] else { return None };
        let (first, last) = ((b - a).max(0.0), (d - c).max(0.0));
        if last == 0.0 {
            return Some(0.0);
        }
        let rate = (last / first).sqrt();
        Some(if rate < 1.0 { last * rate / (1.0 - rate) } else { f64::INFINITY })
    }

    /// About how many more iterations the tolerance takes at the rate of the last ones.
    pub(super) fn iterations_left(&self) -> Option<f64> {
        let before = self.totals.len().checked_sub(WINDOW + 1)?;
        let rate = (self.by_residuals.last()? / self.by_residuals[before]).powf(1.0 / WINDOW as f64);
        let allowed = self.tol * self.totals.last().copied().unwrap_or(0.0);
        Some(if rate < 1.0 { (self.missing()? / allowed).ln() / rate.recip().ln() } else { f64::INFINITY })
    }

    /// Whether the total has not grown for so long that rounding must be all that is left.
    pub(super) fn stalls(&self) -> bool {
        let recent = self.totals.len().saturating_sub(STALL);
        let best_before = self.totals[..recent].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let best = self.totals[recent..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        recent > 0 && best <= best_before * (1.0 + 4.0 * f64::EPSILON)
    }

    /// The pairs that still send residuals: those above a share of the tolerance.
    pub(super) fn active(&self, residuals: &[f64], share: f64) -> Vec<usize> {
        (0..residuals.len()).filter(|&i| residuals[i] > share * self.tol).collect()
    }
}

/// Σ min(rᵢ, rᵢ²/gap), the gap from θᵢ to the last value the block holds.
fn by_residuals(theta: &[f64], residuals: &[f64], last: f64) -> f64 {
    let missing = |(&t, &r): (&f64, &f64)| if t - last > r { r * r / (t - last) } else { r };
    theta.iter().zip(residuals).map(missing).sum()
}
