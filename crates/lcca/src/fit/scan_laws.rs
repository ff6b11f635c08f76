//! What a space that scans Gram matrices must find: what the host finds, bit for bit.

use super::grow::witnesses;
use super::hubs::hubs;
use super::local_grams::LocalGrams;
use super::twins::twins;
use super::witness::Witness;
use crate::data::{JointGram, Side};
use crate::space::{GramView, Space};

/// The problem in which Gram matrices are scanned.
#[derive(Clone, Copy, Debug)]
pub struct ScannedProblem {
    /// Whether columns are centered.
    pub is_centered: bool,
    /// Added to the diagonals.
    pub ridge: f64,
    /// Whether B of a view is its ridge times I.
    pub identities: [bool; 2],
}

/// Checks the scans of a space against the host's, and returns how many witnesses and how many hubs there
/// are; an error says which law is broken. A space that does not scan breaks all of them.
pub fn check(space: &dyn Space, joint: &JointGram, problem: ScannedProblem) -> Result<[usize; 2], String> {
    let ScannedProblem { is_centered, ridge, identities } = problem;
    let means = is_centered.then(|| Side::BOTH.map(|side| joint.moments(side).mean()));
    let inverse = Side::BOTH.map(|side| {
        let moments = joint.moments(side);
        let squares = if is_centered { moments.centered().square } else { moments.square.clone() };
        let own = if identities[side as usize] { 0.0 } else { 1.0 };
        let invert = |square: f64| if square > 0.0 { (own * square + ridge).recip() } else { 0.0 };
        squares.into_iter().map(invert).collect::<Vec<f64>>()
    });
    let (means, inverse, ridges) = (means.as_ref(), &inverse, [ridge; 2]);
    let failed = |error: crate::error::Error| error.to_string();
    let scan = space.scan(&GramView { joint, means, ridges, identities, inverse }).map_err(failed)?;
    let scan = scan.ok_or("the space does not scan")?;
    let on_host = LocalGrams { joint, means, along: None, ridges, identities, inverse, scan: None };
    let there = LocalGrams { scan: Some(&*scan), ..on_host };
    let pairs = [twins(&on_host, None).map_err(failed)?, twins(&there, None).map_err(failed)?];
    if pairs[0] != pairs[1] {
        return Err("the twins are the same".into());
    }
    let found = [hubs(&on_host).map_err(failed)?, hubs(&there).map_err(failed)?];
    same("hubs", &found)?;
    let all =
        [witnesses(&on_host, &pairs[0]).map_err(failed)?, witnesses(&there, &pairs[0]).map_err(failed)?];
    same("witnesses", &all)?;
    Ok([all[0].len(), found[0].len()])
}

/// Whether the same witnesses were found, in the same order, with the same weights.
fn same(what: &str, [expected, found]: &[Vec<Witness>; 2]) -> Result<(), String> {
    if expected.len() != found.len() {
        return Err(format!("{} {what} instead of {}", found.len(), expected.len()));
    }
    for (place, (expected, found)) in expected.iter().zip(found).enumerate() {
        if expected.columns != found.columns {
            return Err(format!(
                "{what}, {place}: columns {:?} instead of {:?}",
                found.columns, expected.columns
            ));
        }
        if expected.weights != found.weights || expected.objective != found.objective {
            return Err(format!("{what}, {place}: other weights of {:?}", found.columns));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{InMemory, JointGrams};
    use crate::space::Host;
    use crate::testing::zipf_rows;

    #[test]
    fn ordinary_memory_leaves_scans_to_the_host() {
        let pair = InMemory::new(zipf_rows(300, 20, 6, 1), zipf_rows(300, 15, 5, 1)).unwrap();
        let joint = pair.joint_gram(u64::MAX).unwrap();
        let problem = ScannedProblem { is_centered: true, ridge: 1.0, identities: [false; 2] };
        assert_eq!(check(&Host, &joint, problem), Err("the space does not scan".into()));
    }
}
