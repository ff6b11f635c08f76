//! Chooses the method that `auto` stands for on given data, and says why.

use super::dense::sketch;
use super::pairs::cost::entries;
use crate::data::{GramEstimate, InMemory, Pair, Shape, Side};
use crate::error::Result;
use crate::matrix::Matrix;
use crate::method::{Algorithm, Method, Settings};
use crate::outcome::Decision;
use crate::watch::Loop;

/// The number of passes that LOBPCG usually needs, for comparing costs.
const USUAL_PASSES: f64 = 40.0;
/// Views are narrow if solving with their dense Gram matrices takes at most this many operations: 2,200 +
/// 2,200 columns, or 5,300 + 50. That takes some seconds on two cores, and can miss nothing.
const NARROW: f64 = 2e11;
/// The number of dense matrices, as wide as both views, that are held while a narrow pair is solved: the
/// Gram matrix, its copy or another thread's, the views' factors, an inverse and a whitened cross product.
const MATRICES: u64 = 6;
/// Operations that take no time worth saving: below this, rows that can form a triangle are given to QR.
const TRIVIAL: f64 = 1e9;
/// A scattered multiplication takes as long as this many of a matrix product.
const SCATTERED: f64 = 12.0;
/// Forming an entry's share of a Gram matrix costs about this share of multiplying it with a row of a panel.
const FORMING: f64 = 0.25;

/// How a fit will be computed.
#[derive(Clone)]
pub(super) struct Plan {
    pub method: Method,
    /// A one-hot view that is eliminated.
    pub eliminate: Option<Side>,
    /// The expected size of the joint Gram matrix, if iterations are to run over it.
    pub gram: Option<GramEstimate>,
    /// The decisions so far.
    pub decisions: Vec<Decision>,
}

impl Plan {
    /// The loop that runs, if the method iterates.
    pub fn algorithm(&self) -> Option<Loop> {
        match self.method.algorithm() {
            _ if self.eliminate.is_some() => Some(Loop::Eliminate),
            Algorithm::Lobpcg | Algorithm::ShiftInvert | Algorithm::Auto => Some(Loop::Lobpcg),
            Algorithm::Alternating => Some(Loop::Alternate),
            Algorithm::PrincipalComponents | Algorithm::Gram | Algorithm::Exact | Algorithm::Sketch => None,
        }
    }
}

/// Chooses a method, and whether to iterate over Gram matrices.
pub(super) fn plan(pair: &dyn Pair, settings: &Settings) -> Result<Plan> {
    let (method, eliminate, decision) = choose_method(pair, settings)?;
    let factorizes = method.algorithm() == Algorithm::ShiftInvert;
    let iterates = method.algorithm() == Algorithm::Lobpcg || factorizes;
    let gram = if iterates && settings.structure || factorizes {
        gram_mode(pair, factorizes, settings)?
    } else {
        None
    };
    Ok(Plan { method, eliminate, gram, decisions: vec![decision] })
}

/// The cost of each way to fit, in operations.
struct Operations {
    /// QR of n rows and an SVD.
    exact: f64,
    /// Forming the Gram matrix and solving with it.
    gram: f64,
    /// Passes that meet every entry three times with a block of about 1.5 k columns.
    iterative: f64,
}

impl Operations {
    fn estimate(pair: &dyn Pair, k: usize) -> Result<Self> {
        let shape = pair.shape();
        let (rows, width) = (shape.rows as f64, (1 + shape.x_cols + shape.y_cols) as f64);
        let entries = entries(pair)?;
        // A dense product, or the outer products of sparse rows, whose lengths differ.
        let forming = (rows * width * width).min(SCATTERED * 2.0 * entries * entries / rows);
        Ok(Operations {
            exact: 2.0 * rows * width * width + 20.0 * width.powi(3),
            gram: forming + solving(shape),
            iterative: USUAL_PASSES * 6.0 * entries * (1.5 * k as f64),
        })
    }
}

/// Operations of CCA with dense Gram matrices that were formed: factors of both and an inverse of each, at
/// half the speed of products because of pivots; the whitened cross product, its square, and the
/// eigenvectors of that.
fn solving(shape: Shape) -> f64 {
    let (p, q) = (shape.x_cols as f64, shape.y_cols as f64);
    let (narrow, wide) = (p.min(q), p.max(q));
    let factors = 4.0 / 3.0 * (p.powi(3) + q.powi(3));
    factors + p * q * (p + q) + 2.0 * narrow * narrow * wide + 10.0 * narrow.powi(3)
}

/// Whether `auto` solves these views with dense Gram matrices, for any number of rows and of requested
/// pairs.
pub(super) fn is_narrow(pair: &dyn Pair, settings: &Settings) -> bool {
    let shape = pair.shape();
    let width = (shape.x_cols + shape.y_cols) as u64;
    settings.method.algorithm() == Algorithm::Auto
        && solving(shape) <= NARROW
        && (8 * MATRICES).saturating_mul(width.saturating_mul(width)) <= settings.memory
        && pair.capabilities().grams.is_some()
}

/// Roughly how many operations a fit takes: enough to tell seconds from minutes, on any machine alike.
/// Costs no pass.
pub fn estimated_operations(pair: &dyn Pair, settings: &Settings) -> Result<f64> {
    let Operations { exact, gram, iterative } = Operations::estimate(pair, settings.k)?;
    Ok(match settings.method.algorithm() {
        Algorithm::Auto if is_narrow(pair, settings) => gram,
        Algorithm::Auto => exact.min(gram).min(iterative),
        Algorithm::Exact => exact,
        Algorithm::Gram => gram,
        Algorithm::Sketch => {
            let Shape { rows, .. } = pair.shape();
            // The operations of QR of the rows, reduced by the share of the sums in them.
            exact * (sketch::size(settings.method, pair.shape()) as f64 / rows as f64).min(1.0)
        }
        Algorithm::Lobpcg | Algorithm::ShiftInvert => iterative,
        Algorithm::PrincipalComponents | Algorithm::Alternating => {
            let width = settings.method.get("k-rpcca").unwrap_or(settings.k) as f64;
            settings.planned_passes() * 6.0 * entries(pair)? * width
        }
    })
}

/// About how many operations of a fit another [`Space`](crate::space::Space) than ordinary memory can take
/// over: iterations of LOBPCG, or the Gram matrix of dense rows. `None` if the answer is found in another
/// way. Costs no pass.
pub fn operations_elsewhere(pair: &dyn Pair, settings: &Settings) -> Result<Option<f64>> {
    let (method, ..) = choose_method(pair, settings)?;
    let Shape { rows, x_cols, y_cols } = pair.shape();
    Ok(match method.algorithm() {
        Algorithm::Auto | Algorithm::Lobpcg | Algorithm::ShiftInvert => {
            Some(Operations::estimate(pair, settings.k)?.iterative)
        }
        Algorithm::Gram if has_dense_rows(pair) => Some(rows as f64 * ((x_cols + y_cols) as f64).powi(2)),
        _ => None,
    })
}

fn has_dense_rows(pair: &dyn Pair) -> bool {
    let composition = pair.composition();
    let rows = composition.and_then(|composition| composition.home.downcast_ref::<InMemory>());
    let is_dense = |rows: &InMemory, side: Side| matches!(rows.view(side), Matrix::Dense(_));
    rows.is_some_and(|rows| Side::BOTH.into_iter().all(|side| is_dense(rows, side)))
}

/// Classical CCA if views are narrow, or if that is cheaper and fits the memory; otherwise LOBPCG.
fn choose_method(pair: &dyn Pair, settings: &Settings) -> Result<(Method, Option<Side>, Decision)> {
    if is_narrow(pair, settings) {
        let Shape { x_cols, y_cols, .. } = pair.shape();
        let columns = [x_cols as u64, y_cols as u64];
        return Ok((Method::gram(), None, Decision::NarrowViews { columns }));
    }
    if let Some(side) = one_hot_view(pair, settings) {
        return Ok((Method::lobpcg(), Some(side), Decision::ViewEliminated { side }));
    }
    if settings.method.algorithm() != Algorithm::Auto {
        return Ok((settings.method, None, Decision::MethodRequested));
    }
    let Shape { x_cols, y_cols, .. } = pair.shape();
    let width = (1 + x_cols + y_cols) as f64;
    // The factors of both views, their stacks while QR runs, and its copies.
    let needed = (8.0 * 16.0 * width * width) as u64;
    if needed > settings.memory {
        let (columns, allowed) = ((x_cols + y_cols) as u64, settings.memory);
        return Ok((Method::lobpcg(), None, Decision::TooWideForClassical { columns, needed, allowed }));
    }
    let Operations { exact, gram, iterative } = Operations::estimate(pair, settings.k)?;
    let capabilities = pair.capabilities();
    if exact <= TRIVIAL && capabilities.triangles.is_some() {
        return Ok((Method::exact(), None, Decision::QuickEnoughForExact { operations: exact }));
    }
    let method =
        if gram < iterative && capabilities.grams.is_some() { Method::gram() } else { Method::lobpcg() };
    Ok((method, None, Decision::CheapestTaken { exact, gram, iterative }))
}

/// The estimated size of the joint Gram matrix, if passes over it touch less than passes over rows by
/// enough to pay for forming it, or if the method was requested and needs it.
fn gram_mode(pair: &dyn Pair, required: bool, settings: &Settings) -> Result<Option<GramEstimate>> {
    let Some(joint_grams) = pair.capabilities().joint_grams else { return Ok(None) };
    let Some(estimate) = joint_grams.estimate()? else { return Ok(None) };
    let columns = 1.5 * settings.k as f64;
    let by_rows = USUAL_PASSES * estimate.touched * columns;
    let by_grams = USUAL_PASSES * estimate.entries * columns + FORMING * estimate.work;
    let pays = by_grams < by_rows && estimate.bytes() < settings.memory as f64;
    Ok((required || pays || joint_grams.is_formed()).then_some(estimate))
}

/// The one-hot view, the wider of two, if structure may be used and no other method was requested.
fn one_hot_view(pair: &dyn Pair, settings: &Settings) -> Option<Side> {
    // Eliminating a view solves with its Gram matrix.
    if !settings.structure
        || !settings.is_cca()
        || !matches!(settings.method.algorithm(), Algorithm::Auto | Algorithm::Lobpcg)
    {
        return None;
    }
    let capabilities = pair.capabilities();
    let structure = capabilities.structure.filter(|_| capabilities.grams.is_some())?;
    let one_hot = Side::BOTH.into_iter().filter(|&side| structure.is_one_hot(side));
    one_hot.max_by_key(|&side| pair.shape().cols(side))
}
