//! What single entries of Gram matrices tell before the first iteration: witnesses, and how nearly columns
//! depend on others.

use super::grow::{witnesses, witnesses_again};
use super::local_grams::{LocalGrams, sampled};
use super::problem::Problem;
use super::twins::{dependence, nearest, twins};
use super::witness::{Columns, Witness};
use crate::data::{Pair, Side};
use crate::error::Result;
use crate::space::GramView;

/// What entries of Gram matrices tell.
#[derive(Default)]
pub(super) struct Local {
    /// The strongest witnesses, strongest first.
    pub witnesses: Vec<Witness>,
    /// How nearly columns depend on another one of their view, 1/(1 − c). It is kept only if rows are
    /// iterated on: Gram matrices of all rows show more witnesses, and weighing by it on top costs iterations
    /// and has gained nothing.
    pub dependence: Option<[Vec<f64>; 2]>,
}

/// What the Gram matrices tell, or those of a sample of the rows. `inverse` is 1/diag(B) of each view.
/// `known` are the columns of witnesses that were found on the same rows at another ridge, if there was one.
pub(super) fn local(problem: &Problem<'_>, inverse: &[Vec<f64>; 2], known: &[Columns]) -> Result<Local> {
    let identities = problem.identities();
    if let Some(joint) = problem.joint {
        let (means, along, ridges) = (problem.means, problem.along, problem.ridges());
        // Only the host takes covariates into account.
        let scan = match along {
            None => problem.space.scan(&GramView { joint, means, ridges, identities, inverse })?,
            Some(_) => None,
        };
        let scan = scan.as_deref();
        let grams = LocalGrams { joint, means, along, ridges, identities, inverse, scan };
        let witnesses = if known.is_empty() {
            witnesses(&grams, &twins(&grams, None)?)?
        } else {
            witnesses_again(&grams, known)?
        };
        return Ok(Local { witnesses, dependence: None });
    }
    let Some(joint) = sampled(problem)? else { return Ok(Local::default()) };
    // The sample stands for all rows, so the ridge is that of its share of them.
    let share = joint.moments(Side::X).weight / problem.pair.moments(Side::X)?.weight;
    let ridges = problem.ridges().map(|ridge| share * ridge);
    let centered = problem.means.map(|_| Side::BOTH.map(|side| joint.moments(side).centered()));
    let means = problem.means.map(|_| Side::BOTH.map(|side| joint.moments(side).mean()));
    let inverse = Side::BOTH.map(|side| {
        let moments = centered.as_ref().map_or(joint.moments(side), |moments| &moments[side as usize]);
        let own = if identities[side as usize] { 0.0 } else { 1.0 };
        let invert =
            |&square: &f64| if square > 0.0 { (own * square + ridges[side as usize]).recip() } else { 0.0 };
        moments.square.iter().map(invert).collect::<Vec<f64>>()
    });
    let (means, inverse) = (means.as_ref(), &inverse);
    let grams = LocalGrams { joint: &joint, means, along: None, ridges, identities, inverse, scan: None };
    joint.bring()?;
    let nearest = nearest(&grams);
    let mut witnesses = witnesses(&grams, &twins(&grams, Some(&nearest))?)?;
    let root = share.sqrt();
    let weights = witnesses.iter_mut().flat_map(|witness| witness.weights.iter_mut().flatten());
    weights.for_each(|weight| *weight *= root);
    Ok(Local { witnesses, dependence: Some(dependence(&nearest)) })
}
