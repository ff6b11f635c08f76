//! The laws of [`Space`], for authors of a space. They are written once and run on every space: each
//! operation must give the result that ordinary memory gives.

use super::{Advance, ChosenBlock, Host, Inverted, Reduction, RowFactors, Space, Tall};
use crate::data::{Counting, Pair, Side, Tally};
use crate::error::Error;
use crate::matrix::{Lower, Panel};
use crate::random;
use faer::linalg::solvers::Solve;
use faer::{Mat, MatRef};

/// The verdict of a law. A broken one is an error with a message.
pub type Verdict = Result<(), String>;

/// The largest differences that count as rounding, relative to the largest number, in double and in single
/// precision.
const ROUNDING: f64 = 1e-11;
const SINGLE_ROUNDING: f64 = 1e-5;

fn random_panel(rows: usize, cols: usize, seed: u64) -> Panel {
    random::normal_panel(rows, cols, seed, random::Purpose::Start)
}

fn text(error: Error) -> String {
    error.to_string()
}

fn same(space: &dyn Space, what: &str, got: MatRef<'_, f64>, expected: MatRef<'_, f64>) -> Verdict {
    if (got.nrows(), got.ncols()) != (expected.nrows(), expected.ncols()) {
        let (got, expected) = ((got.nrows(), got.ncols()), (expected.nrows(), expected.ncols()));
        return Err(format!("{what}: the shape is {got:?}, expected {expected:?}"));
    }
    let (error, size) = ((got - expected).norm_max(), expected.norm_max());
    let rounding = if space.is_rough() { SINGLE_ROUNDING } else { ROUNDING };
    if error <= rounding * size.max(f64::MIN_POSITIVE) {
        return Ok(());
    }
    Err(format!("{what}: differs by {error:e} where the largest number is {size:e}"))
}

fn same_numbers(space: &dyn Space, what: &str, got: &[f64], expected: &[f64]) -> Verdict {
    let mat = |numbers: &[f64]| Mat::from_fn(1, numbers.len(), |_, j| numbers[j]);
    same(space, what, mat(got).as_ref(), mat(expected).as_ref())
}

/// A panel in a space and in ordinary memory.
struct Twin {
    there: Tall,
    here: Tall,
}

impl Twin {
    fn new(space: &dyn Space, panel: Panel) -> Result<Self, String> {
        let here = Host.upload(panel.clone()).map_err(text)?;
        Ok(Twin { there: space.upload(panel).map_err(text)?, here })
    }

    fn check(&self, what: &str, space: &dyn Space) -> Verdict {
        let (there, here) = (space.download(&self.there), Host.download(&self.here));
        same(space, what, there.map_err(text)?.as_mat(), here.map_err(text)?.as_mat())
    }
}

/// Every operation on panels of the given height and width.
pub fn check(space: &dyn Space, rows: usize, cols: usize, seed: u64) -> Verdict {
    let twin = |columns: usize, more: u64| Twin::new(space, random_panel(rows, columns, seed + more));
    let (mut a, b) = (twin(cols, 0)?, twin(cols, 1)?);
    a.check("a copy there and back", space)?;
    let (wide, narrow) = (twin(cols + 3, 2)?, twin(1, 3)?);
    let there = space.cross(&[&a.there, &wide.there], &[&b.there, &narrow.there]).map_err(text)?;
    let here = Host.cross(&[&a.here, &wide.here], &[&b.here, &narrow.here]).map_err(text)?;
    same(space, "cross products", there.as_ref(), here.as_ref())?;
    let there = space.symmetric_cross(&[&a.there, &b.there], &[&a.there, &b.there]).map_err(text)?;
    let here = Host.symmetric_cross(&[&a.here, &b.here], &[&a.here, &b.here]).map_err(text)?;
    same(space, "symmetric cross products", there.as_ref(), here.as_ref())?;

    space.add_scaled(&mut a.there, 0.3, &b.there).map_err(text)?;
    Host.add_scaled(&mut a.here, 0.3, &b.here).map_err(text)?;
    a.check("a multiple added", space)?;
    let factors: Vec<f64> = (0..cols).map(|j| 1.0 + j as f64).collect();
    let mut out = twin(cols, 4)?;
    space.difference(&mut out.there, &a.there, &factors, &b.there).map_err(text)?;
    Host.difference(&mut out.here, &a.here, &factors, &b.here).map_err(text)?;
    out.check("a difference", space)?;

    let weights: Vec<f64> = (0..rows).map(|i| 1.0 / (1.0 + i as f64)).collect();
    let there = space.row_factors(weights.clone()).map_err(text)?;
    let on_host = Host.row_factors(weights.clone()).map_err(text)?;
    let squares = space.weighted_squares(&a.there, &there).map_err(text)?;
    same_numbers(
        space,
        "weighted squares",
        &squares,
        &Host.weighted_squares(&a.here, &on_host).map_err(text)?,
    )?;
    let reduced = |space: &dyn Space, [a, b, wide]: [&Tall; 3], weights: &RowFactors| {
        space.reduce(&[
            Reduction::Squares(b, weights),
            Reduction::Cross(&[wide], &[a, b]),
            Reduction::Symmetric(&[wide, b], &[wide, b]),
            Reduction::Squares(wide, weights),
        ])
    };
    let here = reduced(&Host, [&a.here, &b.here, &wide.here], &on_host).map_err(text)?;
    let there_all = reduced(space, [&a.there, &b.there, &wide.there], &there).map_err(text)?;
    for (there, here) in there_all.iter().zip(&here) {
        same(space, "sums over rows", there.as_ref(), here.as_ref())?;
    }
    let squares = space.row_squares(&a.there).map_err(text)?;
    same_numbers(space, "squares of rows", &squares, &Host.row_squares(&a.here).map_err(text)?)?;
    check_columns(space, [&a, &b], &there, &weights)?;
    space.scale_rows(&mut a.there, &there).map_err(text)?;
    Host.scale_rows(&mut a.here, &on_host).map_err(text)?;
    a.check("scaled rows", space)?;

    let m = random_panel(cols, cols.saturating_sub(1).max(1), seed + 5);
    space.multiply(&mut out.there, m.as_mat()).map_err(text)?;
    Host.multiply(&mut out.here, m.as_mat()).map_err(text)?;
    out.check("a product with a small matrix", space)?;
    for last in [0, cols] {
        // These are two panels of different heights with the same coefficients.
        let other =
            |columns: usize, more: u64| Twin::new(space, random_panel(rows + 5, columns, seed + more));
        let (mut w, mut p, t) = (twin(cols, 6)?, twin(cols, 7)?, twin(cols + 2, 8)?);
        let (mut w2, mut p2, t2) = (other(cols, 13)?, other(cols, 14)?, other(cols + 2, 15)?);
        let fewer = cols.saturating_sub(1).max(1);
        let (cw, ct) = (random_panel(cols, fewer, seed + 9), random_panel(cols + 2, fewer, seed + 10));
        let cp = random_panel(last, fewer, seed + 11);
        let coefficients = [cw.as_mat(), ct.as_mat(), cp.as_mat()];
        let first = Advance { w: &mut w.there, p: &mut p.there, t: &t.there };
        let second = Advance { w: &mut w2.there, p: &mut p2.there, t: &t2.there };
        space.advance_all(&mut [first, second], coefficients).map_err(text)?;
        Host.advance(&mut w.here, &mut p.here, &t.here, coefficients).map_err(text)?;
        Host.advance(&mut w2.here, &mut p2.here, &t2.here, coefficients).map_err(text)?;
        for (panel, what) in [(w, "weights"), (w2, "more weights"), (p, "the step"), (p2, "another step")] {
            panel.check(&format!("{what} after an advance"), space)?;
        }
    }
    let which: Vec<usize> = (0..cols).rev().step_by(2).collect();
    let selected = Twin {
        there: space.select(&a.there, &which).map_err(text)?,
        here: Host.select(&a.here, &which).map_err(text)?,
    };
    selected.check("selected columns", space)?;
    let numbers: Vec<u32> = (0..rows as u32).rev().step_by(3).collect();
    let taken = space.rows(&a.there, &numbers).map_err(text)?;
    same(space, "some rows", taken.as_mat(), Host.rows(&a.here, &numbers).map_err(text)?.as_mat())?;
    let values = random_panel(numbers.len(), cols, seed + 12);
    space.put_rows(&mut a.there, &numbers, &values).map_err(text)?;
    Host.put_rows(&mut a.here, &numbers, &values).map_err(text)?;
    a.check("rows put back", space)
}

/// Checks the optional operations on rows of panels: activity, factors with some rows zeroed, and the
/// overlaps of directions on few of them.
fn check_columns(space: &dyn Space, [a, b]: [&Twin; 2], there: &RowFactors, weights: &[f64]) -> Verdict {
    let (rows, cols) = (a.here.rows(), a.here.cols());
    if let Some(activity) = space.activity(&a.there, &b.there, there).map_err(text)? {
        let [own, other] = [a, b].map(|twin| Host.row_squares(&twin.here).map_err(text));
        let both = own?.into_iter().zip(other?).zip(weights);
        let expected: Vec<f64> = both.map(|((w, r), inverse)| w / inverse + r * inverse).collect();
        same_numbers(space, "activity of rows", &activity, &expected)?;
    }
    let largest = space.largest_entries(&a.there).map_err(text)?;
    same_numbers(space, "largest entries", &largest, &Host.largest_entries(&a.here).map_err(text)?)?;
    let columns: Vec<f64> = (0..cols).map(|j| 1.0 / (0.5 + j as f64)).collect();
    let cosines = Twin {
        there: space.cosines(&a.there, weights, &columns).map_err(text)?,
        here: Host.cosines(&a.here, weights, &columns).map_err(text)?,
    };
    cosines.check("cosines", space)?;
    let left_out: Vec<u32> = (0..rows as u32).step_by(3).collect();
    if let Some(factors) = space.without_rows(there, &left_out).map_err(text)? {
        let kept = |i: usize| if i.is_multiple_of(3) { 0.0 } else { weights[i] };
        let expected = Host.row_factors((0..rows).map(kept).collect()).map_err(text)?;
        let squares = space.weighted_squares(&a.there, &factors).map_err(text)?;
        let expected = Host.weighted_squares(&a.here, &expected).map_err(text)?;
        same_numbers(space, "factors without some rows", &squares, &expected)?;
    }
    Ok(())
}

/// All four products of a pass over `pair`, and the inverse of a block of its columns if the space forms one.
pub fn check_pass(space: &dyn Space, pair: &dyn Pair, cols: usize, seed: u64) -> Verdict {
    let (tally, shape) = (Tally::default(), pair.shape());
    let counted = Counting::rows(pair, &tally, &());
    let sources = Side::BOTH.map(|side| random_panel(shape.cols(side), cols, seed + side as u64));
    let product = |space: &dyn Space| -> Result<[[Panel; 2]; 2], String> {
        let [x, y] = sources.clone();
        let (x, y) = (space.upload(x).map_err(text)?, space.upload(y).map_err(text)?);
        let zeros = |side: Side| space.zeros(shape.cols(side), cols).map_err(text);
        let [mut xx, mut xy, mut yx, mut yy] =
            [zeros(Side::X)?, zeros(Side::X)?, zeros(Side::Y)?, zeros(Side::Y)?];
        let targets = [[Some(&mut xx), Some(&mut xy)], [Some(&mut yx), Some(&mut yy)]];
        space.pass(&counted, [Some(&x), Some(&y)], targets).map_err(text)?;
        let back = |panel: &Tall| space.download(panel).map_err(text);
        Ok([[back(&xx)?, back(&xy)?], [back(&yx)?, back(&yy)?]])
    };
    let (there, here) = (product(space)?, product(&Host)?);
    for target in Side::BOTH {
        for source in Side::BOTH {
            let what = format!("the product of {source} into {target}");
            let (t, s) = (target as usize, source as usize);
            same(space, &what, there[t][s].as_mat(), here[t][s].as_mat())?;
        }
    }
    if tally.cost().passes != 2.0 {
        return Err(format!("{} passes were counted, expected 2", tally.cost().passes));
    }
    check_inverse(space, &counted, seed)?;
    check_definite(space, &counted, seed)
}

/// A chosen block by its definition, from the Gram matrix of its columns.
fn dense_block(gram: &Lower, block: &ChosenBlock<'_>) -> Mat<f64> {
    let (split, scale) = (block.columns[0].len(), block.scale);
    let mut dense = Mat::from_fn(gram.size(), gram.size(), |i, j| {
        let sign = if (i < split) == (j < split) { block.sigma } else { -1.0 };
        let own = if scale[i] == 0.0 { 1.0 } else { block.sigma };
        if i == j { own } else { sign * gram[(i.max(j), i.min(j))] * scale[i] * scale[j] }
    });
    dense += block.lifting * block.lifting.transpose();
    (0..gram.size()).for_each(|i| dense[(i, i)] *= 1.0 + block.epsilon);
    dense
}

/// What a proof asks of σ·B − A + V·Vᵀ of all columns, definite or not, against a dense matrix.
fn check_definite(space: &dyn Space, pair: &Counting<'_>, seed: u64) -> Verdict {
    let shape = pair.shape();
    let columns = Side::BOTH.map(|side| (0..shape.cols(side) as u32).collect::<Vec<u32>>());
    let blocks = pair.capabilities().blocks.ok_or("no Gram matrix of chosen columns")?;
    let chosen = columns.each_ref().map(Vec::as_slice);
    let gram = blocks.block_gram(chosen, None, u64::MAX).map_err(text)?;
    let size = gram.size();
    // One column counts as one that does not vary.
    let scale = |i: usize| if i == size / 3 { 0.0 } else { 1.0 / (gram[(i, i)] + 0.5).sqrt() };
    let scale: Vec<f64> = (0..size).map(scale).collect();
    let lifting = random_panel(size, 2, seed + 30);
    let (vectors, no_vectors) = (random_panel(size, 5, seed + 31), Mat::zeros(size, 0));
    for (sigma, lifting) in [(1.1, lifting.as_mat()), (1.1, no_vectors.as_ref()), (0.01, lifting.as_mat())] {
        let (identities, epsilon) = ([false, false], -1e-12);
        let block = ChosenBlock { columns: chosen, scale: &scale, identities, sigma, lifting, epsilon };
        let Inverted::Here(inverse) = space.invert(pair, &block).map_err(text)? else { return Ok(()) };
        let dense = dense_block(&gram, &block);
        let factor = dense.llt(faer::Side::Lower);
        if factor.is_ok() != (inverse.failed() == 0) {
            return Err(format!("σ = {sigma}: {} pivots failed, expected {factor:?}", inverse.failed()));
        }
        if let Ok(factor) = factor {
            let solved = factor.solve(vectors.as_mat());
            let found = inverse.inverse_squares(vectors.as_mat()).map_err(text)?;
            for (j, found) in found.iter().enumerate() {
                let expected = vectors.as_mat().col(j).transpose() * solved.col(j);
                if (found - expected).abs() > 1e-9 * expected {
                    return Err(format!("bᵀM⁻¹b is {found}, expected {expected}"));
                }
            }
        }
        let z = inverse.directions(7).map_err(text)?;
        let along = z.transpose() * &dense * &z;
        if z.ncols() != inverse.failed().min(7) || !(0..z.ncols()).all(|j| along[(j, j)] <= 0.0) {
            return Err(format!("{} directions: {along:?}", z.ncols()));
        }
    }
    Ok(())
}

/// M⁻¹R of a block of every other column against a dense solution.
fn check_inverse(space: &dyn Space, pair: &Counting<'_>, seed: u64) -> Verdict {
    let shape = pair.shape();
    let columns = Side::BOTH.map(|side| (0..shape.cols(side) as u32).step_by(2).collect::<Vec<u32>>());
    let (epsilon, ridge, cols) = (1e-3, 0.5, 3);
    let blocks = pair.capabilities().blocks.ok_or("no Gram matrix of chosen columns")?;
    let chosen = columns.each_ref().map(Vec::as_slice);
    let gram = blocks.block_gram(chosen, None, u64::MAX).map_err(text)?;
    let (size, split) = (gram.size(), chosen[0].len());
    let scale: Vec<f64> = (0..size).map(|i| 1.0 / (gram[(i, i)] + ridge).sqrt()).collect();
    let (identities, none) = ([false, false], Mat::zeros(size, 0));
    let block = ChosenBlock {
        columns: chosen,
        scale: &scale,
        identities,
        sigma: 1.0,
        lifting: none.as_ref(),
        epsilon,
    };
    let Inverted::Here(inverse) = space.invert(pair, &block).map_err(text)? else { return Ok(()) };
    let dense = dense_block(&gram, &block);
    let outside = Side::BOTH.map(|side| {
        (0..shape.cols(side)).map(|j| if j % 2 == 0 { 0.0 } else { 1.0 + j as f64 }).collect::<Vec<f64>>()
    });
    let factors = [
        space.row_factors(outside[0].clone()).map_err(text)?,
        space.row_factors(outside[1].clone()).map_err(text)?,
    ];
    let r = Side::BOTH.map(|side| random_panel(shape.cols(side), cols, seed + 20 + side as u64));
    let [mut x, mut y] =
        [space.upload(r[0].clone()).map_err(text)?, space.upload(r[1].clone()).map_err(text)?];
    let squares = inverse.apply(&factors, &mut x, &mut y).map_err(text)?;
    let on_block = |i: usize, j: usize| {
        let (side, i) = if i < split { (0, i) } else { (1, i - split) };
        r[side].row(columns[side][i] as usize)[j]
    };
    let right = Mat::from_fn(size, cols, |i, j| scale[i] * on_block(i, j));
    let solved = dense.partial_piv_lu().solve(&right);
    let expected: Vec<f64> =
        (0..cols).map(|j| (0..size).map(|i| right[(i, j)] * solved[(i, j)]).sum()).collect();
    for (got, expected) in squares.iter().zip(&expected) {
        if (got - expected).abs() > 1e-9 * expected.abs() {
            return Err(format!("rᵀM⁻¹r is {got}, expected {expected}"));
        }
    }
    for (side, tall) in [x, y].iter().enumerate() {
        let got = space.download(tall).map_err(text)?;
        let (mut place, mut worst) = (if side == 0 { 0 } else { split }, 0.0f64);
        for (i, factor) in outside[side].iter().enumerate() {
            for (j, value) in got.row(i).iter().enumerate() {
                let expected =
                    if i % 2 == 0 { scale[place] * solved[(place, j)] } else { factor * r[side].row(i)[j] };
                worst = worst.max((value - expected).abs() / solved.norm_max().max(expected.abs()));
            }
            place += usize::from(i % 2 == 0);
        }
        if worst > 1e-9 {
            return Err(format!("M⁻¹R of view {side} differs by {worst:e}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Mixed;
    use super::*;
    use crate::data::{Centered, InMemory};
    use crate::matrix::SinglePanel;
    use crate::testing::zipf_rows;

    #[test]
    fn ordinary_memory_obeys_its_own_laws() {
        for (rows, cols) in [(1, 1), (20, 3), (77, 24), (300, 9)] {
            check(&Host, rows, cols, 1).unwrap();
        }
        let pair = InMemory::new(zipf_rows(60, 9, 4, 1), zipf_rows(60, 7, 3, 2)).unwrap();
        check_pass(&Host, &pair, 5, 1).unwrap();
    }

    #[test]
    fn panels_in_single_precision_obey_the_laws_and_panels_in_double_precision_after_them() {
        let rows = InMemory::new(zipf_rows(60, 9, 4, 1), zipf_rows(60, 7, 3, 2)).unwrap();
        let joint = rows.capabilities().joint_grams.unwrap().joint_gram(u64::MAX).unwrap();
        let mixed = Mixed::beside(&Host).unwrap();
        for is_rough in [true, false] {
            assert_eq!(mixed.is_rough(), is_rough);
            for (rows, cols) in [(1, 1), (20, 3), (77, 24), (5000, 9)] {
                check(&mixed, rows, cols, 1).unwrap();
            }
            let pairs: [&dyn Pair; 4] =
                [&rows, &joint, &Centered::new(&rows).unwrap(), &Centered::new(&joint).unwrap()];
            for pair in pairs {
                check_pass(&mixed, pair, 5, 1).unwrap();
            }
            mixed.become_precise();
        }
    }

    #[test]
    fn a_refined_panel_has_the_numbers_of_the_rounded_one() {
        let mixed = Mixed::beside(&Host).unwrap();
        let panel = random_panel(20, 3, 1);
        let tall = mixed.upload(panel.clone()).unwrap();
        let tall = mixed.refined(tall).unwrap();
        assert!(tall.is_stored_as::<SinglePanel>(), "it is refined when that is asked for");
        mixed.become_precise();
        let refined = mixed.take(mixed.refined(tall).unwrap()).unwrap();
        let rounded = Panel::from_fn(20, 3, |i, j| f64::from(panel.row(i)[j] as f32));
        assert_eq!(refined, rounded);
    }

    #[test]
    fn a_law_that_is_broken_is_said_to_be() {
        let a = Twin::new(&Host, random_panel(4, 2, 1)).unwrap();
        let b = Twin::new(&Host, random_panel(4, 2, 2)).unwrap();
        let mixed = Twin { there: a.there, here: b.here };
        assert!(mixed.check("a copy", &Host).unwrap_err().contains("differs by"));
    }
}
