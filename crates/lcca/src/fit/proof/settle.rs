//! Finds the best pairs once a factorization says how many values exceed σ, for claims that a proof
//! refutes.
//!
//! A fit may be within its tolerance and still have pairs that are too far from the true ones for a proof.
//! The sparse factor of σ·B − A, which showed that, is also the best preconditioner there is. Rayleigh–Ritz
//! on [W D T], with D the directions that were overlooked and T = M⁻¹R, takes W to the pairs above σ in a
//! few rounds; the proof is then one of those pairs, and brackets the claim from both sides.
//!
//! The cost is one factorization, and in each round a pass and some solves.

use super::claim::{Claim, Found, SHARE_BELOW, sigma};
use super::sparse::{Factored, scale};
use super::{Overlooked, Proof, in_views, overlooked};
use crate::error::Result;
use crate::fit::pairs::best_pairs::BestPairs;
use crate::fit::pairs::eigenproblem::{Block, ViewPanels};
use crate::fit::pairs::problem::Problem;
use crate::fit::pairs::view_block::residuals;
use crate::matrix::Panel;
use crate::panels;
use crate::solve::Plan;
use crate::space::{Host, Space};

/// The most rounds. Few are needed, because each reduces the error of a pair to a hundredth.
const ROUNDS: usize = 12;

/// Pairs that were sharpened, and the proof about the claim.
pub(in crate::fit) struct Settled {
    pub weights: [Panel; 2],
    /// `None` if the last round left the claim open.
    pub proof: Option<Proof>,
}

/// Proves how much the total of claimed pairs lacks at most. `None` if rounding or columns that depend on
/// others hide it.
pub(in crate::fit) fn settle(
    problem: &Problem<'_>,
    plan: &Plan,
    mut weights: [Panel; 2],
    claimed: &[f64],
) -> Result<Option<Settled>> {
    let (total, k) = (claimed.iter().sum::<f64>(), problem.settings.k);
    let Some(sigma) = sigma(problem, claimed) else { return Ok(None) };
    let scale = scale(problem)?;
    let Some(factored) = Factored::new(problem, plan, sigma, &scale)? else {
        return Ok(None);
    };
    let mut columns = k;
    for round in 1..=ROUNDS {
        let BestPairs { x, y, objective } = BestPairs::of_weights(problem, weights, columns)?;
        let [rx, ry] = residuals(&x, &y, &objective);
        let w = block([&x.w, &y.w], [x.bw.clone(), y.bw.clone()])?;
        let r = block([&rx, &ry], [Panel::zeros(0, 0), Panel::zeros(0, 0)])?;
        let claim = Claim::at(problem, sigma, scale.clone(), &w, &r, &objective)?;
        let bordered = factored.bordered(problem, &claim);
        let mut more = in_views(problem, &bordered.solve(&claim.residuals), &claim.scale);
        match factored.judge(&bordered, &claim)? {
            Found::Definite { rise }
                if round == ROUNDS || rise <= SHARE_BELOW * problem.settings.tol * total =>
            {
                let best: f64 = objective.iter().take(k).sum();
                let missing = (best - total).max(0.0) + claim.missing(rise);
                let proof = Proof { exceeding: claim.above, value: sigma, missing };
                return Ok(Some(Settled { weights: [x.w, y.w], proof: Some(proof) }));
            }
            Found::Definite { .. } => {}
            Found::Negative { directions, .. } => match overlooked(problem, directions, sigma, &claim.scale)?
            {
                Overlooked::Directions(found) => {
                    columns += found[0].cols();
                    more = [0, 1].map(|view| panels::beside(&more[view], &found[view]));
                }
                Overlooked::NoVariance | Overlooked::Rounding => return Ok(None),
            },
            Found::Unclear => return Ok(None),
        }
        weights = [panels::beside(&x.w, &more[0]), panels::beside(&y.w, &more[1])];
    }
    Ok(Some(Settled { weights, proof: None }))
}

/// Weights or residuals of both views with their products in B.
fn block(weights: [&Panel; 2], products: [Panel; 2]) -> Result<Block> {
    let view = |(w, bw): (&Panel, Panel)| -> Result<ViewPanels> {
        Ok(ViewPanels { w: Host.upload(w.clone())?, bw: Host.upload(bw)?, image: Host.zeros(0, 0)? })
    };
    Ok(Block { views: weights.into_iter().zip(products).map(view).collect::<Result<_>>()? })
}
