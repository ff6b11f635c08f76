//! Looks for larger pairs than those of a claim: by comparison with the exact answer, a proof, or a search.

use super::search::{Ground, search};
use crate::data::{Counting, JointGram, Pair, Side};
use crate::error::{Error, Result};
use crate::fit::lobpcg::both_views::BothViews;
use crate::fit::lobpcg::iteration::lobpcg;
use crate::fit::models::certificate::{Proven, Search};
use crate::fit::pairs::best_pairs::BestPairs;
use crate::fit::pairs::eigenproblem::{Block, ViewPanels};
use crate::fit::pairs::problem::{Problem, Start};
use crate::fit::pairs::significant::best_total;
use crate::fit::pairs::view_block::{ViewBlock, residuals};
use crate::fit::proof::{self, Finding, Proof, Route, Settled};
use crate::fit::scale;
use crate::matrix::Panel;
use crate::method::Settings;
use crate::panels;
use crate::random::Purpose;
use crate::solve::Plan;

/// The tolerance to which pairs are sharpened for a proof on a device, as a share of the fit's. Each must be
/// nearer to the true one than the proof's bound is to the last pair, a tenth of the tolerance.
const SHARPER: f64 = 1e-3;
/// The most factorizations on a device. A second one is needed if the first finds that pairs were overlooked.
const FACTORIZATIONS: usize = 3;

/// Fitted pairs with their products and residuals.
pub(in crate::fit) struct Claim<'a> {
    pub problem: Problem<'a>,
    pub objective: &'a [f64],
    pub w: [&'a ViewBlock; 2],
    pub residuals: [Panel; 2],
}

/// The largest total that is proved to be possible, and how larger pairs were looked for.
pub(in crate::fit) struct Larger {
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
pub(in crate::fit) fn larger(
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
    match route {
        Route::Sparse(plan) => return settled(claim, plan, ground, nearby),
        Route::InSpace => return proven_in_space(claim, ground, nearby),
        Route::Dense | Route::TooCostly { .. } => {}
    }
    let (w, k) = (claim.w, claim.objective.len());
    let (pairs, residuals) = placed(&claim.problem, w, &claim.residuals)?;
    match proof::prove(&claim.problem, route, &pairs, &residuals, claim.objective)? {
        Finding::Proven(proof) => {
            Ok(Some(Larger { proven: Some(proof.into()), ..Larger::new(nearby, Search::Proven) }))
        }
        Finding::Refuted(directions) => {
            let [x, y] = ViewBlock::measure_both(ground.normals, directions)?;
            let total = best_total([&[w[0], &x], &[w[1], &y]], ground.squares, k)?;
            Ok(Some(Larger::new(nearby.max(total), Search::Proven)))
        }
        Finding::Open => Ok(None),
    }
}

/// Pairs with their products, and their residuals, where the problem has its panels.
fn placed(problem: &Problem<'_>, w: [&ViewBlock; 2], residuals: &[Panel; 2]) -> Result<(Block, Block)> {
    let panels = |w: &Panel, bw: &Panel, image: &Panel| -> Result<ViewPanels> {
        let upload = |panel: &Panel| problem.space.upload(panel.clone());
        Ok(ViewPanels { w: upload(w)?, bw: upload(bw)?, image: upload(image)? })
    };
    let (mut pairs, mut of_pairs, none) = (Vec::new(), Vec::new(), Panel::zeros(0, 0));
    for (view, residual) in w.iter().zip(residuals) {
        pairs.push(panels(&view.w, &view.bw, &view.across)?);
        of_pairs.push(panels(residual, &none, &none)?);
    }
    Ok((Block { views: pairs }, Block { views: of_pairs }))
}

/// Proves on a device how much the claim lacks at most, and finds the missing part. Pairs within the
/// tolerance of a fit are too far from the true ones for a proof, so they are sharpened first: there a
/// factorization costs as much as dozens of iterations. `None` if it tells nothing.
fn proven_in_space(claim: &Claim<'_>, ground: &Ground<'_>, nearby: f64) -> Result<Option<Larger>> {
    let (problem, k, mut total) = (&claim.problem, claim.objective.len(), nearby);
    let claimed: f64 = claim.objective.iter().sum();
    let mut weights = claim.w.map(|view| view.w.clone());
    for _ in 0..FACTORIZATIONS {
        let BestPairs { x, y, objective } = sharpened(problem, weights)?;
        total = total.max(best_total([&[&x], &[&y]], ground.squares, k)?);
        let (pairs, of_pairs) = placed(problem, [&x, &y], &residuals(&x, &y, &objective))?;
        match proof::prove(problem, &Route::InSpace, &pairs, &of_pairs, &objective)? {
            Finding::Proven(proof) => {
                let found: f64 = objective.iter().take(k).sum();
                let proof = Proof { missing: (found - claimed).max(0.0) + proof.missing, ..proof };
                return Ok(Some(Larger { proven: Some(proof.into()), ..Larger::new(total, Search::Proven) }));
            }
            Finding::Refuted(directions) => {
                weights =
                    [(&x.w, &directions[0]), (&y.w, &directions[1])].map(|(w, more)| panels::beside(w, more));
            }
            Finding::Open => return Ok(None),
        }
    }
    let allowed = (1.0 + problem.settings.tol) * claimed;
    Ok((total > allowed).then(|| Larger::new(total, Search::Proven)))
}

/// Iterates from some weights until next to nothing is missing, and returns all pairs of the iteration.
fn sharpened(problem: &Problem<'_>, weights: [Panel; 2]) -> Result<BestPairs> {
    let settings =
        Settings { tol: SHARPER * problem.settings.tol, max_passes: None, ..problem.settings.clone() };
    let sharper = Problem { settings: &settings, watch: &(), keeps_weights: true, ..*problem };
    let fill = |side: Side, purpose: Purpose| {
        let known = &weights[side as usize];
        let random = problem.random_weights(side, problem.block(), purpose)?;
        Ok(panels::beside(known, &panels::columns(&random, known.cols().min(random.cols()), random.cols())))
    };
    let wide = [fill(Side::X, Purpose::Start)?, fill(Side::Y, Purpose::StartY)?];
    let BestPairs { x, y, .. } = BestPairs::of_weights(&sharper, wide, problem.block())?;
    let mut equations = BothViews::rough(&sharper, true)?;
    let raw = lobpcg(&sharper, &mut equations, Start::Warm([x.w, y.w]))?;
    let count = raw.weights[0].cols();
    BestPairs::of_weights(problem, raw.weights, count)
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
pub(in crate::fit) fn joint_gram(
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
