//! Columns that are nearly multiples of another one of their view, and correlations of what they differ by.
//!
//! Let two columns of B-length 1 have the product c. What one has beyond the other, which may carry a
//! correlation of its own, has the square 1 − c² in B. The diagonal of B, which is all that M knows outside
//! the coarse block, takes it for about 2. A residual along it therefore counts 1/(1 − c) times too little,
//! and an iteration that begins with random weights holds next to nothing of it. Hence:
//!
//! - such a residual is weighed with that number, and the columns with the largest ones belong into the
//!   block, in which M is exact ([`dependence`]);
//! - differences of X that correlate with differences of Y are looked for, and witnesses grow from them
//!   ([`pairs_of_twins`]).

use super::local_grams::{LocalGrams, NEARLY};
use super::scratch::Scratch;
use crate::data::Side;
use crate::error::Result;
use crate::space::{Matches, ScaledProduct, TwinLimits};
use rayon::prelude::*;

/// Columns with fewer entries are left alone: if all rows of two rare columns coincide, that may be chance.
const FEWEST: u64 = 10;
/// Products above this count as this much.
const LARGEST: f64 = 0.9999;
/// Columns with a larger product are twins.
const TWINS: f64 = 0.9;
/// Columns of which next to nothing is left beside the other are the same.
const SAME: f64 = 1e-10;
/// Columns that one thread looks at before others may take some.
const SHARED_OUT: usize = 256;
/// Most twins of a view that are looked at, those with the largest products.
const MOST: usize = 4000;
/// Pairs of twins that one thread compares with all others before other threads may take some.
const COMPARED: usize = 16;

/// The column of the same view that a column is most nearly a multiple of.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    pub column: u32,
    /// Their product, if both had B-length 1; 0 if there is no such column.
    pub product: f64,
}

/// The nearest other column of each column of each view.
pub(super) fn nearest(grams: &LocalGrams<'_>) -> [Vec<Nearest>; 2] {
    Side::BOTH.map(|side| {
        let (block, count) = (grams.joint.block(side, side), &grams.joint.moments(side).nonzero);
        let inverse = &grams.inverse[side as usize];
        let of_column = |i: usize| {
            let mut nearest = Nearest { column: i as u32, product: 0.0 };
            if count[i] >= FEWEST && !grams.identities[side as usize] {
                let shifts = grams.shifts([side as usize; 2], i);
                block.for_each(i, |j, value| {
                    // A square root is taken only for entries that may be larger.
                    let entry = value - shifts.of(j);
                    let square = inverse[i] * inverse[j];
                    if entry * entry * square > NEARLY * nearest.product * nearest.product
                        && j != i
                        && count[j] >= FEWEST
                    {
                        let product = entry * square.sqrt();
                        if product.abs() > nearest.product.abs() {
                            nearest = Nearest { column: j as u32, product };
                        }
                    }
                });
            }
            nearest
        };
        (0..block.rows()).into_par_iter().with_max_len(SHARED_OUT).map(of_column).collect()
    })
}

/// 1/(1 − c) for each column of each view.
pub(super) fn dependence(nearest: &[Vec<Nearest>; 2]) -> [Vec<f64>; 2] {
    let of_column = |nearest: &Nearest| (1.0 - nearest.product.abs().min(LARGEST)).recip();
    nearest.each_ref().map(|view| view.iter().map(of_column).collect())
}

/// The pairs of twins of each view, those with the largest products first. `known` are the nearest columns,
/// if somebody has found them.
pub(super) fn twins(
    grams: &LocalGrams<'_>,
    known: Option<&[Vec<Nearest>; 2]>,
) -> Result<[Vec<ScaledProduct>; 2]> {
    let limits = TwinLimits { fewest: FEWEST, least: TWINS, same: SAME };
    let listed = match (known, grams.scan) {
        (None, Some(scan)) => scan.twins(limits)?,
        _ => None,
    };
    let mut views = grams.or_on_host(listed, || match known {
        Some(nearest) => nearest.each_ref().map(|view| list(view)),
        None => nearest(grams).map(|view| list(&view)),
    })?;
    let order = |a: &ScaledProduct, b: &ScaledProduct| {
        b.product.abs().total_cmp(&a.product.abs()).then(a.columns.cmp(&b.columns))
    };
    for all in &mut views {
        if all.len() > MOST {
            all.select_nth_unstable_by(MOST, order);
            all.truncate(MOST);
        }
        all.sort_unstable_by(order);
    }
    Ok(views)
}

/// All pairs of twins of one view, each once.
fn list(nearest: &[Nearest]) -> Vec<ScaledProduct> {
    let is_twin = |product: f64| product.abs() > TWINS && 1.0 - product * product > SAME;
    let mut all = Vec::new();
    for (i, &Nearest { column, product }) in nearest.iter().enumerate() {
        // Of two that are nearest to each other, the first counts.
        let is_second = nearest[column as usize].column as usize == i && (column as usize) < i;
        if is_twin(product) && !is_second {
            all.push(ScaledProduct { product, columns: [i as u32, column] });
        }
    }
    all
}

/// For each pair of twins of X the pair of Y whose difference correlates most with theirs, if that is more
/// than `faint`; the strongest first.
pub(super) fn pairs_of_twins(
    grams: &LocalGrams<'_>,
    [x, y]: &[Vec<ScaledProduct>; 2],
    faint: f64,
) -> Result<Vec<[Vec<u32>; 2]>> {
    if x.is_empty() || y.is_empty() {
        return Ok(Vec::new());
    }
    let matched = match grams.scan {
        Some(scan) => scan.matched_twins(x, y, faint)?,
        None => None,
    };
    let matched = grams.or_on_host(matched, || matched_on_host(grams, x, y, faint))?;
    let mut strongest: Vec<(f64, usize, usize)> = matched
        .into_iter()
        .enumerate()
        .filter_map(|(i, found)| found.map(|(correlation, at)| (correlation, i, at)))
        .collect();
    strongest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    Ok(strongest.into_iter().map(|(_, i, at)| [x[i].columns.to_vec(), y[at].columns.to_vec()]).collect())
}

/// For each pair of twins of X the correlation with the best pair of Y, and its place.
fn matched_on_host(grams: &LocalGrams<'_>, x: &[ScaledProduct], y: &[ScaledProduct], faint: f64) -> Matches {
    let across = grams.joint.block(Side::X, Side::Y);
    let scratch = Scratch::new(|| [0, 1].map(|_| vec![0.0; grams.inverse[1].len()]));
    let matched = x.par_iter().with_max_len(COMPARED).map(|twins| {
        scratch.lend(|rows| {
            for (row, &column) in rows.iter_mut().zip(&twins.columns) {
                across.for_each(column as usize, |j, value| row[j] = value);
            }
            let mut best = (faint, None);
            for (index, others) in y.iter().enumerate() {
                let entry = |a: usize, b: usize| {
                    let (i, j) = (twins.columns[a] as usize, others.columns[b] as usize);
                    grams.scaled([0, 1], [i, j], rows[a][j])
                };
                let along = |b: usize| entry(0, b) - twins.product * entry(1, b);
                let length = (1.0 - twins.product.powi(2)) * (1.0 - others.product.powi(2));
                let correlation = (along(0) - others.product * along(1)).abs() / length.sqrt();
                if correlation > best.0 {
                    best = (correlation, Some(index));
                }
            }
            for (row, &column) in rows.iter_mut().zip(&twins.columns) {
                across.for_each(column as usize, |j, _| row[j] = 0.0);
            }
            best.1.map(|index| (best.0, index))
        })
    });
    matched.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{InMemory, JointGrams};
    use crate::testing::{random_mat, sparse_from_dense};
    use faer::Mat;

    /// Views of four columns of zeros and ones and a copy of the second in which the same rows are changed in
    /// both views. The last column of X is rare and equal to a rare one beside it.
    fn views() -> InMemory {
        let n = 2000;
        let view = |seed: u64, rare: usize| {
            let noise = random_mat(n, 4, seed);
            Mat::from_fn(n, 5 + rare, |i, j| match j {
                0..4 => f64::from(u8::from(noise[(i, j)] > 0.5)),
                4 => f64::from(u8::from((noise[(i, 1)] > 0.5) != i.is_multiple_of(200))),
                _ => f64::from(u8::from(i == 7)),
            })
        };
        let (x, y) = (view(1, 2), view(2, 0));
        InMemory::new(sparse_from_dense(x.as_ref()), sparse_from_dense(y.as_ref())).unwrap()
    }

    #[test]
    fn differences_of_twins_that_correlate_are_found_and_rare_columns_are_left_alone() {
        let pair = views();
        let joint = pair.joint_gram(u64::MAX).unwrap();
        let centered = Side::BOTH.map(|side| joint.moments(side).centered());
        let inverse = centered.map(|moments| moments.square.iter().map(|square| square.recip()).collect());
        let means = Side::BOTH.map(|side| joint.moments(side).mean());
        let grams = LocalGrams {
            joint: &joint,
            means: Some(&means),
            along: None,
            ridges: [0.0; 2],
            identities: [false; 2],
            inverse: &inverse,
            scan: None,
        };
        let nearest = nearest(&grams);
        assert_eq!((nearest[0][1].column, nearest[0][4].column), (4, 1));
        let dependence = dependence(&nearest);
        assert!(dependence[0][1] > 50.0 && dependence[0][0] < 2.0, "{dependence:?}");
        assert!(dependence[0][5] == 1.0 && dependence[0][6] == 1.0, "{dependence:?}");
        let twins = twins(&grams, Some(&nearest)).unwrap();
        assert_eq!(pairs_of_twins(&grams, &twins, 0.2).unwrap(), [[vec![1, 4], vec![1, 4]]]);
    }
}
