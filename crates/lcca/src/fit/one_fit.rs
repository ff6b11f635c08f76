//! One fit to data that are prepared: the planned method, and the measurement of its result.

use super::dense::{exact, gram, sketch};
use super::finish;
use super::lobpcg::both_views::BothViews;
use super::lobpcg::iteration::{ROUGH, lobpcg};
use super::lobpcg::one_view::OneView;
use super::lobpcg::refine;
use super::models::fitted::Fit;
use super::pairs::problem::{Problem, RawFit, Start, rough_space};
use super::pairs::products::Products;
use super::pairs::units;
use super::paper::{alternate, rpcca};
use super::plan::Plan;
use super::precondition::inverse::Shared;
use crate::data::{COLUMNS, Counting, JointGram, Pair, Side, Tally};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::method::{Algorithm, Settings};
use crate::outcome::Decision;
use crate::space::{Host, Space};
use crate::watch::{Loop, Watch};
use rayon::prelude::*;
use std::sync::OnceLock;

/// Centering costs three of sixteen digits if this share of a column's sum of squares is left.
const WELL_CENTERED: f64 = 1e-3;

/// A preconditioner: the first fit leaves it here, and fits to similar rows take a few steps with it.
pub(super) type SharedInverse = OnceLock<Shared>;

/// The data as methods see them.
pub(super) struct Data<'a> {
    /// The rows, centered and scaled if the settings say so.
    pub rows: &'a dyn Pair,
    /// Whether the rows are known only by their Gram matrix, so that passes over them are passes over it.
    pub is_formed: bool,
    /// The data known by their Gram matrices, if iterations run over those.
    pub grams: Option<&'a dyn Pair>,
    /// The Gram matrices that iterations run over, scaled but not centered.
    pub joint: Option<&'a JointGram>,
    /// A preconditioner that fits to similar rows share.
    pub shared: Option<&'a SharedInverse>,
    /// The means of the scaled columns.
    pub means: Option<&'a [Vec<f64>; 2]>,
    /// The products of the scaled columns with an orthonormal basis of the covariates, if there are any.
    pub along: Option<&'a [Panel; 2]>,
    /// Where the panels of the default method live.
    pub space: &'a dyn Space,
}

impl Data<'_> {
    fn grams_are_exact(&self) -> Result<bool> {
        let (Some(joint), Some(grams)) = (self.joint, self.grams) else { return Ok(false) };
        are_exact(joint, grams)
    }
}

/// Whether Gram matrices tell a product nearly as exactly as the rows do; `grams` are those that a fit sees.
/// Centering them afterwards loses digits of a column whose mean is far above its deviation.
pub(super) fn are_exact(joint: &JointGram, grams: &dyn Pair) -> Result<bool> {
    for side in Side::BOTH {
        let (raw, seen) = (&joint.moments(side).square, &grams.moments(side)?.square);
        // The products of a constant column are zero, even if rounding leaves some of it.
        let both = raw.par_iter().zip(seen).with_min_len(COLUMNS);
        if both.any(|(raw, seen)| *seen > 0.0 && *seen < WELL_CENTERED * raw) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// One fit, and its whole block of weights if another fit starts from it.
pub(super) fn fit_one(
    data: &Data<'_>,
    plan: &Plan,
    settings: &Settings,
    start: Start,
    keeps_weights: bool,
    tally: &Tally,
    watch: &dyn Watch,
) -> Result<(Fit, Option<[Panel; 2]>)> {
    for side in Side::BOTH {
        if !data.rows.moments(side)?.square.iter().any(|&square| square > 0.0) {
            return Err(match data.along {
                Some(_) => Error::NothingLeft { side },
                None => Error::NothingToCorrelate { side, centered: settings.center },
            });
        }
    }
    let rows = if data.is_formed {
        Counting::grams(data.rows, tally, watch)
    } else {
        Counting::rows(data.rows, tally, watch)
    };
    let grams = data.grams.map(|grams| Counting::grams(grams, tally, watch));
    let iterates = matches!(plan.algorithm(), Some(Loop::Lobpcg));
    let mut units = units::units(grams.as_ref().unwrap_or(&rows), settings, iterates)?;
    let mut start = start;
    loop {
        let counted = Counted { rows: &rows, grams: grams.as_ref(), units };
        let attempt = fit_in_units(data, plan, settings, start, keeps_weights, &counted, watch)?;
        // The largest variance is found from below. If it was found far too low, everything is measured
        // again.
        let largest = attempt.0.model.objective.first().copied().unwrap_or(0.0);
        let unit = units.iter().product::<f64>().sqrt();
        if settings.is_cca() || !iterates || largest <= unit {
            return Ok(attempt);
        }
        (units, start) = (units.map(|unit| if unit == 1.0 { 1.0 } else { 4.0 * unit }), Start::Random);
    }
}

/// The data that a fit runs on, counted, and its units of objective values.
struct Counted<'a> {
    rows: &'a Counting<'a>,
    grams: Option<&'a Counting<'a>>,
    units: [f64; 2],
}

/// One fit with given units of objective values.
fn fit_in_units(
    data: &Data<'_>,
    plan: &Plan,
    settings: &Settings,
    start: Start,
    keeps_weights: bool,
    &Counted { rows, grams, units }: &Counted<'_>,
    watch: &dyn Watch,
) -> Result<(Fit, Option<[Panel; 2]>)> {
    let on_rows = Problem {
        pair: rows,
        normals: Problem::normals(rows, settings, units)?,
        units,
        joint: data.joint,
        means: data.means,
        along: data.along,
        space: data.space,
        settings,
        watch,
        keeps_weights,
    };
    let on_grams = match grams {
        Some(grams) => {
            Some(Problem { pair: grams, normals: Problem::normals(grams, settings, units)?, ..on_rows })
        }
        None => None,
    };
    let is_lobpcg = matches!(plan.method.algorithm(), Algorithm::Auto | Algorithm::Lobpcg);
    let iterates_on_both = is_lobpcg && plan.eliminate.is_none() && data.shared.is_none();
    let may_be_rough = iterates_on_both && !is_nearly_done(&start);
    let rough =
        data.grams.filter(|_| may_be_rough).and_then(|grams| rough_space(grams, data.space, settings));
    let grams_are_exact = data.grams_are_exact()?;
    let on_grams =
        on_grams.map(|problem| Problem { keeps_weights: keeps_weights || !grams_are_exact, ..problem });
    let iterated_on = match (&on_grams, &rough) {
        (Some(on_grams), Some(rough)) => Problem { space: rough, ..*on_grams },
        (Some(on_grams), None) => *on_grams,
        (None, _) => on_rows,
    };
    let mut raw = run(&iterated_on, plan, start, data.shared)?;
    let weights = keeps_weights.then(|| raw.weights.clone());
    if on_grams.is_some()
        && !grams_are_exact
        && let Some(products) = raw.products.take()
    {
        raw.weights = match products {
            Products::Views(views) => views.map(|view| view.w),
            Products::Figures(figures) => figures.weights,
        };
    }
    // The result is measured on the rows, or on their Gram matrices if those are nearly as exact, no matter
    // on which of the two the method iterated. Rows that iterations did not read are not moved to another
    // space for a single pass.
    let measured_on = match on_grams {
        Some(on_grams) if grams_are_exact => on_grams,
        Some(_) => Problem { space: &Host, ..on_rows },
        None => on_rows,
    };
    Ok((finish::finish(&measured_on, raw, plan)?, weights))
}

/// Whether a fit that is resumed was in double precision already.
fn is_nearly_done(start: &Start) -> bool {
    let Start::Resume(state) = start else { return false };
    state.trace.last().and_then(|row| row.missing).is_some_and(|missing| missing <= ROUGH)
}

/// Runs the planned method.
fn run(problem: &Problem<'_>, plan: &Plan, start: Start, shared: Option<&SharedInverse>) -> Result<RawFit> {
    if let Some(side) = plan.eliminate {
        return lobpcg(problem, &mut OneView::new(problem, side)?, start);
    }
    match plan.method.algorithm() {
        Algorithm::Auto | Algorithm::Lobpcg | Algorithm::ShiftInvert => {
            let start = match (shared.and_then(|shared| shared.get()), start) {
                (Some(shared), Start::Warm(weights)) => return refine::refine(problem, shared, weights),
                (_, start) => start,
            };
            let is_informed = !matches!(start, Start::Random);
            let mut equations = BothViews::new(problem, is_informed)?;
            let raw = lobpcg(problem, &mut equations, start)?;
            if let (Some(shared), Some(inverse)) = (shared, equations.into_shared()) {
                // If another fit left its own first, that one is as good.
                let _ = shared.set(inverse);
            }
            Ok(raw)
        }
        Algorithm::Alternating => alternate::alternate(problem, plan.method, start),
        Algorithm::PrincipalComponents => rpcca::rpcca(problem, plan.method),
        Algorithm::Exact => exact::exact(problem),
        Algorithm::Sketch => sketch::sketch(problem, plan.method),
        Algorithm::Gram => match gram::gram(problem)? {
            Some(raw) => Ok(raw),
            None => Ok(RawFit { decisions: vec![Decision::QrInsteadOfGram], ..exact::exact(problem)? }),
        },
    }
}
