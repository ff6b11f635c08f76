//! Looks for larger pairs than those of a claim: by comparison with the exact answer, a proof, or a search.

use super::certificate::{Proven, Search};
use super::eigenproblem::{Block, ViewPanels};
use super::problem::Problem;
use super::proof::{self, Finding, Proof, Route, Settled};
use super::scale;
use super::search::{Ground, search};
use super::significant::best_total;
use super::view_block::ViewBlock;
use crate::data::{Counting, JointGram, Pair};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::method::Settings;
use crate::solve::Plan;
use crate::space::{Host, Space};

/// Fitted pairs with their products and residuals.
pub(super) struct Claim<'a> {
    pub problem: Problem<'a>,
    pub objective: &'a [f64],
    pub w: [&'a ViewBlock; 2],
    pub residuals: [Panel; 2],
}

/// The largest total that is proved to be possible, and how larger pairs were looked for.
pub(super) struct Larger {
    pub total: f64,
    pub search: Search,
    pub proven: Option<Proven>,
    pub unaffordable: Option<f64>,
}

impl Larger {
    fn new(total: f64, search: Search) -> Self {
        Larger { total, search, proven: None, unaffordable: None }
    }
}

impl From<Proof> for Proven {
    fn from(Proof { exceeding, value, missing }: Proof) -> Self {
        Proven { exceeding, value, missing }
    }
}

/// Compares the claim with the exact answer if that is known; otherwise proves the claim if that can be
/// afforded, and searches if not.
pub(super) fn larger(
    claim: &Claim<'_>,
    ground: &Ground<'_>,
    step: [&ViewBlock; 2],
    exact: Option<[Panel; 2]>,
    affordable: f64,
) -> Result<Larger> {
    let (k, w, settings) = (claim.objective.len(), claim.w, claim.problem.settings);
    if k == 0 {
        return Ok(Larger::new(0.0, Search::Nearby));
    }
    let nearby = best_total([&[w[0], step[0]], &[w[1], step[1]]], ground.squares, k)?;
    if let Some(weights) = exact {
        let [x, y] = ViewBlock::measure_both(ground.normals, weights)?;
        let exact = best_total([&[&x], &[&y]], ground.squares, k)?;
        return Ok(Larger::new(nearby.max(exact), Search::Exact));
    }
    if let Some(proof) = proof::by_the_largest(&claim.problem, claim.objective) {
        return Ok(Larger { proven: Some(proof.into()), ..Larger::new(nearby, Search::Proven) });
    }
    let unaffordable = match Route::asked(&claim.problem, affordable)? {
        Route::TooCostly { operations } => Some(operations),
        route => match proven(claim, &route, ground, nearby)? {
            Some(larger) => return Ok(larger),
            None => None,
        },
    };
    // A total above the claim by twice the share that may be missing is proof enough.
    let target = (1.0 + 2.0 * settings.tol) * claim.objective.iter().sum::<f64>();
    if nearby > target {
        return Ok(Larger { unaffordable, ..Larger::new(nearby, Search::Nearby) });
    }
    let found = nearby.max(search(ground, w, settings.seed, target)?);
    Ok(Larger { unaffordable, ..Larger::new(found, Search::Probed) })
}

/// Proves or refutes the claim by a factorization of all columns. `None` if the factorization does neither.
fn proven(claim: &Claim<'_>, route: &Route, ground: &Ground<'_>, nearby: f64) -> Result<Option<Larger>> {
    if let Route::Sparse(plan) = route {
        return settled(claim, plan, ground, nearby);
    }
    let (w, k, space) = (claim.w, claim.objective.len(), claim.problem.space);
    let panels = |w: Panel, bw: Panel, image: Panel| -> Result<ViewPanels> {
        Ok(ViewPanels { w: space.upload(w)?, bw: space.upload(bw)?, image: space.upload(image)? })
    };
    let (mut pairs, mut residuals) = (Vec::new(), Vec::new());
    for (view, residual) in w.iter().zip(&claim.residuals) {
        pairs.push(panels(view.w.clone(), view.bw.clone(), view.across.clone())?);
        residuals.push(panels(residual.clone(), Panel::zeros(0, 0), Panel::zeros(0, 0))?);
    }
    let (pairs, residuals) = (Block { views: pairs }, Block { views: residuals });
    match proof::prove(&claim.problem, route, &pairs, &residuals, claim.objective)? {
        Finding::Proven(proof) => {
            Ok(Some(Larger { proven: Some(proof.into()), ..Larger::new(nearby, Search::Proven) }))
        }
        Finding::Refuted(directions) => {
            let placed = directions.iter().map(|few| Host.take(few.place(&Host)?));
            let Ok(weights) = <[Panel; 2]>::try_from(placed.collect::<Result<Vec<_>>>()?) else {
                unreachable!("one panel for each view")
            };
            let [x, y] = ViewBlock::measure_both(ground.normals, weights)?;
            let total = best_total([&[w[0], &x], &[w[1], &y]], ground.squares, k)?;
            Ok(Some(Larger::new(nearby.max(total), Search::Proven)))
        }
        Finding::Open => Ok(None),
    }
}

/// Proves by a sparse factorization how much the claim lacks at most, and finds the missing part. `None` if
/// the factorization tells nothing.
fn settled(claim: &Claim<'_>, plan: &Plan, ground: &Ground<'_>, nearby: f64) -> Result<Option<Larger>> {
    let (w, k) = (claim.w, claim.objective.len());
    let weights = w.map(|view| view.w.clone());
    let Some(Settled { weights, proof }) = proof::settle(&claim.problem, plan, weights, claim.objective)?
    else {
        return Ok(None);
    };
    let [x, y] = ViewBlock::measure_both(ground.normals, weights)?;
    let total = nearby.max(best_total([&[w[0], &x], &[w[1], &y]], ground.squares, k)?);
    let proven = proof.map(Proven::from);
    let allowed = (1.0 + claim.problem.settings.tol) * claim.objective.iter().sum::<f64>();
    let tells = proven.is_some() || total > allowed;
    Ok(tells.then(|| Larger { proven, ..Larger::new(total, Search::Proven) }))
}

/// The joint Gram matrix of rows in scaled columns, if factorizing it may prove a claim.
pub(super) fn joint_gram(
    pair: &Counting<'_>,
    factors: &scale::Factors,
    settings: &Settings,
) -> Result<Option<JointGram>> {
    let capabilities = pair.capabilities();
    let Some(grams) = capabilities.joint_grams.filter(|_| capabilities.covariates.is_none()) else {
        return Ok(None);
    };
    let Some(estimate) = grams.estimate()? else { return Ok(None) };
    let operations = proof::analysis_of(estimate.entries) + estimate.work;
    if operations > proof::ASKED || estimate.bytes() > settings.memory as f64 {
        return Ok(None);
    }
    match grams.joint_gram(settings.memory) {
        Ok(joint) => Ok(Some(joint.scaled(factors.each_ref().map(|factors| factors.as_deref()))?)),
        Err(Error::Memory { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
