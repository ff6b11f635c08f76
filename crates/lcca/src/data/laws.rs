//! The laws of [`Pair`], written once and run on every implementation and wrapper.
//!
//! [`check`] compares a pair with the dense views that it stands for, capability by capability. An error of
//! the pair is a broken law, because a capability that is offered must work.

use super::facts::ask::Ask;
use super::grams::joint::JointGram;
use super::pair::{Blocks, Grams, JointGrams, Pair, Reduced, Samples, Structure, Triangles};
use crate::matrix::Panel;
use crate::random;
use crate::side::{Shape, Side};
use faer::{Mat, MatRef};

/// The verdict of a law. A broken one is an error with a message.
pub type Verdict = Result<(), String>;

/// Every law that can be checked against the dense views `x` and `y` that a pair stands for. Weighted rows
/// are repeated as often as their weight says. `seed` chooses the panels.
pub fn check(pair: &dyn Pair, x: &Mat<f64>, y: &Mat<f64>, seed: u64) -> Verdict {
    let Shape { x_cols, y_cols, .. } = pair.shape();
    require((x_cols, y_cols) == (x.ncols(), y.ncols()), || format!("columns are {x_cols} and {y_cols}"))?;
    let (kx, ky) = (1 + seed as usize % 5, 1 + seed as usize % 11);
    let (wx, wy) = panels(pair.shape(), kx, ky, seed);
    equals_the_dense_reference(pair, x, y, &wx, &wy)?;
    is_linear(pair, &wx, &wy, seed)?;
    is_symmetric(pair, seed)?;
    adds_to_its_outputs(pair, &wx)?;
    moments_equal_the_dense_ones(pair, x, y)?;
    let capabilities = pair.capabilities();
    if let Some(structure) = capabilities.structure {
        structure_is_real(pair, structure, [x, y], [&wx, &wy])?;
    }
    if let Some(grams) = capabilities.grams {
        grams_equal_the_dense_ones(grams, x, y)?;
    }
    if let Some(joint_grams) = capabilities.joint_grams
        && let Some(joint) = joint_gram(joint_grams)?
    {
        equals_the_dense_reference(&joint, x, y, &wx, &wy)?;
    }
    if let Some(triangles) = capabilities.triangles {
        the_triangle_is_a_factor(triangles, x, y)?;
    }
    if let Some(blocks) = capabilities.blocks {
        blocks_equal_the_dense_ones(pair, blocks, [x, y], seed)?;
    }
    if let Some(samples) = capabilities.samples {
        samples_are_spread_evenly(pair, samples)?;
    }
    Ok(())
}

/// Products of a pass equal those of dense matrices.
pub fn equals_the_dense_reference(
    pair: &dyn Pair,
    x: &Mat<f64>,
    y: &Mat<f64>,
    wx: &Panel,
    wy: &Panel,
) -> Verdict {
    let (zx, zy) = (x * wx.as_mat(), y * wy.as_mat());
    let expected = [[x.transpose() * &zx, x.transpose() * &zy], [y.transpose() * &zx, y.transpose() * &zy]];
    let products = products(pair, wx, wy)?;
    for target in Side::BOTH {
        for source in Side::BOTH {
            let (got, expected) = (
                products[target as usize][source as usize].as_mat(),
                expected[target as usize][source as usize].as_ref(),
            );
            require(close(got, expected), || {
                format!("the product of {source} into {target} is\n{got:?}, expected\n{expected:?}")
            })?;
        }
    }
    Ok(())
}

/// A pass is linear in its panels.
pub fn is_linear(pair: &dyn Pair, wx: &Panel, wy: &Panel, seed: u64) -> Verdict {
    let (vx, vy) = panels(pair.shape(), wx.cols(), wy.cols(), seed + 7);
    let add = |a: &Panel, b: &Panel| Panel::from_mat((a.as_mat() + 2.0 * b.as_mat()).as_ref());
    let together = products(pair, &add(wx, &vx), &add(wy, &vy))?;
    let (first, second) = (products(pair, wx, wy)?, products(pair, &vx, &vy)?);
    for ((sum, a), b) in together.iter().flatten().zip(first.iter().flatten()).zip(second.iter().flatten()) {
        require(close(sum.as_mat(), add(a, b).as_mat()), || "a pass is not linear".into())?;
    }
    Ok(())
}

/// UᵀXᵀXV = (VᵀXᵀXU)ᵀ, and correspondingly across the views.
pub fn is_symmetric(pair: &dyn Pair, seed: u64) -> Verdict {
    let (ux, uy) = panels(pair.shape(), 3, 3, seed + 11);
    let (vx, vy) = panels(pair.shape(), 3, 3, seed + 13);
    let [[xx_v, xy_v], [_, yy_v]] = products(pair, &vx, &vy)?;
    let [[xx_u, _], [yx_u, yy_u]] = products(pair, &ux, &uy)?;
    for (left, a, right, b) in [(&ux, &xx_v, &vx, &xx_u), (&uy, &yy_v, &vy, &yy_u), (&ux, &xy_v, &vy, &yx_u)]
    {
        let (ab, ba) = (left.as_mat().transpose() * a.as_mat(), right.as_mat().transpose() * b.as_mat());
        require(close(ab.as_ref(), ba.transpose()), || "a pass is not symmetric".into())?;
    }
    Ok(())
}

fn adds_to_its_outputs(pair: &dyn Pair, wx: &Panel) -> Verdict {
    let mut out = Panel::zeros(wx.rows(), wx.cols());
    pass(pair, &mut Ask::new().source(Side::X, wx).to(Side::X, &mut out))?;
    let once = out.clone();
    pass(pair, &mut Ask::new().source(Side::X, wx).to(Side::X, &mut out))?;
    let twice = 2.0 * once.as_mat();
    require(close(out.as_mat(), twice.as_ref()), || "a pass does not add to its outputs".into())
}

fn moments_equal_the_dense_ones(pair: &dyn Pair, x: &Mat<f64>, y: &Mat<f64>) -> Verdict {
    for (side, view) in Side::BOTH.into_iter().zip([x, y]) {
        let moments = pair.moments(side).map_err(|error| format!("moments of {side}: {error}"))?;
        require(moments.weight == view.nrows() as f64, || {
            format!("the weight of {side} is {}", moments.weight)
        })?;
        for j in 0..view.ncols() {
            let (sum, square) = (view.col(j).sum(), view.col(j).squared_norm_l2());
            let scale = 1.0 + square;
            require(
                (moments.sum[j] - sum).abs() < 1e-10 * scale
                    && (moments.square[j] - square).abs() < 1e-10 * scale,
                || {
                    format!(
                        "column {j} of {side} has moments {} and {}, expected {sum} and {square}",
                        moments.sum[j], moments.square[j]
                    )
                },
            )?;
        }
    }
    Ok(())
}

/// A one-hot view holds at most one entry per row, and a reduced pair has the products of the pair it stands
/// for.
fn structure_is_real(
    pair: &dyn Pair,
    structure: &dyn Structure,
    views: [&Mat<f64>; 2],
    weights: [&Panel; 2],
) -> Verdict {
    for (side, view) in Side::BOTH.into_iter().zip(views) {
        let is_one_hot = (0..view.nrows()).all(|i| {
            let entries: Vec<f64> = (0..view.ncols()).map(|j| view[(i, j)]).filter(|&v| v != 0.0).collect();
            entries.is_empty() || entries == [1.0]
        });
        require(!structure.is_one_hot(side) || is_one_hot, || {
            format!("{side} is called one-hot and is not")
        })?;
    }
    let reduced = structure.reduced().map_err(|error| format!("reducing: {error}"))?;
    let Some(Reduced { pair: smaller, columns, .. }) = reduced else { return Ok(()) };
    let kept = [0, 1].map(|side| {
        let all = || (0..views[side].ncols() as u32).collect();
        columns[side].clone().unwrap_or_else(all)
    });
    let select = |panel: &Panel, side: usize| {
        Panel::from_fn(kept[side].len(), panel.cols(), |i, j| panel.row(kept[side][i] as usize)[j])
    };
    let products_of_smaller = products(&*smaller, &select(weights[0], 0), &select(weights[1], 1))?;
    let products_of_pair = products(pair, weights[0], weights[1])?;
    for target in 0..2 {
        for (small, all) in products_of_smaller[target].iter().zip(&products_of_pair[target]) {
            require(close(small.as_mat(), select(all, target).as_mat()), || {
                "the reduced pair has other products".into()
            })?;
        }
    }
    Ok(())
}

fn grams_equal_the_dense_ones(grams: &dyn Grams, x: &Mat<f64>, y: &Mat<f64>) -> Verdict {
    for (side, view) in Side::BOTH.into_iter().zip([x, y]) {
        let gram =
            grams.gram(side, u64::MAX).map_err(|error| format!("the Gram matrix of {side}: {error}"))?;
        let expected = view.transpose() * view;
        require(close(gram.dense().as_ref(), expected.as_ref()), || format!("wrong Gram matrix of {side}"))?;
    }
    let lower =
        grams.dense_gram(None, u64::MAX).map_err(|error| format!("the dense Gram matrix: {error}"))?;
    let both = Mat::from_fn(x.nrows(), x.ncols() + y.ncols(), |i, j| {
        if j < x.ncols() { x[(i, j)] } else { y[(i, j - x.ncols())] }
    });
    let expected = both.transpose() * &both;
    let gram = super::grams::dense_gram::mirrored(&lower);
    require(close(gram.as_ref(), expected.as_ref()), || "wrong dense Gram matrix".into())
}

/// The joint Gram matrix, if an estimate says that it can be formed.
pub fn joint_gram(grams: &dyn JointGrams) -> Result<Option<JointGram>, String> {
    let Some(estimate) = grams.estimate().map_err(|error| format!("the estimate: {error}"))? else {
        return Ok(None);
    };
    let joint = grams.joint_gram(u64::MAX).map_err(|error| format!("the joint Gram matrix: {error}"))?;
    require(estimate.entries >= 0.0 && estimate.touched >= 0.0, || format!("{estimate:?}"))?;
    Ok(Some(joint))
}

fn the_triangle_is_a_factor(triangles: &dyn Triangles, x: &Mat<f64>, y: &Mat<f64>) -> Verdict {
    let triangle = triangles.triangle(u64::MAX).map_err(|error| format!("the triangular factor: {error}"))?;
    let (rx, ry) = (triangle.x(), triangle.y());
    for (a, b, left, right) in [(rx, rx, x, x), (rx, ry, x, y), (ry, ry, y, y)] {
        let (got, expected) = (a.transpose() * b, left.transpose() * right);
        require(close(got.as_ref(), expected.as_ref()), || "the triangle is no factor of the views".into())?;
    }
    Ok(())
}

/// The Gram matrix of chosen columns is that of all columns, restricted; means that are given are subtracted.
fn blocks_equal_the_dense_ones(
    pair: &dyn Pair,
    blocks: &dyn Blocks,
    [x, y]: [&Mat<f64>; 2],
    seed: u64,
) -> Verdict {
    let is_centered = |side: Side| pair.moments(side).is_ok_and(|m| m.sum.iter().all(|&sum| sum == 0.0));
    let centered = Side::BOTH.into_iter().all(is_centered);
    let some = |cols: usize, seed: u64| -> Vec<u32> {
        (0..cols as u32).filter(|&j| !(u64::from(j) * 7 + seed).is_multiple_of(3)).collect()
    };
    let all = |cols: usize| (0..cols as u32).collect::<Vec<u32>>();
    for [cx, cy] in [
        [all(x.ncols()), all(y.ncols())],
        [some(x.ncols(), seed), some(y.ncols(), seed + 1)],
        [some(x.ncols(), seed + 2), Vec::new()],
        [Vec::new(), Vec::new()],
    ] {
        let chosen: Vec<(&Mat<f64>, usize)> =
            cx.iter().map(|&j| (x, j as usize)).chain(cy.iter().map(|&j| (y, j as usize))).collect();
        let mean = |view: &Mat<f64>, j: usize| view.col(j).sum() / view.nrows() as f64;
        // Given means are tried only on a pair that is not centered, because a centered one takes them for
        // the means of its rows before centering.
        for about_means in [false, true].into_iter().take(if centered { 1 } else { 2 }) {
            let means = [x, y].map(|view| (0..view.ncols()).map(|j| mean(view, j)).collect::<Vec<_>>());
            let given = about_means.then(|| means.each_ref().map(|means| &means[..]));
            let lower = blocks
                .block_gram([&cx, &cy], given, u64::MAX)
                .map_err(|error| format!("the Gram matrix of chosen columns: {error}"))?;
            let part = Mat::from_fn(x.nrows(), chosen.len(), |i, c| {
                let (view, j) = chosen[c];
                view[(i, j)] - if about_means { mean(view, j) } else { 0.0 }
            });
            let entry = |i: usize, j: usize| lower[(i.max(j), i.min(j))];
            let got = Mat::from_fn(lower.size(), lower.size(), entry);
            let (got, expected) = (got, part.transpose() * &part);
            require(close(got.as_ref(), expected.as_ref()), || {
                format!("the Gram matrix of columns {cx:?} and {cy:?} is\n{got:?}, expected\n{expected:?}")
            })?;
        }
    }
    Ok(())
}

/// A sample of all rows has the products of all rows, as they are stored. A smaller sample is about as
/// large as requested.
fn samples_are_spread_evenly(pair: &dyn Pair, samples: &dyn Samples) -> Verdict {
    let shape = pair.shape();
    let sample = |rows: usize| samples.sample(rows).map_err(|error| format!("a sample: {error}"));
    for rows in [1, shape.rows / 3, shape.rows] {
        let Shape { rows: got, x_cols, y_cols } = sample(rows)?.shape();
        require((x_cols, y_cols) == (shape.x_cols, shape.y_cols), || "a sample has other columns".into())?;
        // Every one of several places contributes at least one row.
        require(got >= 1 && got <= shape.rows, || format!("a sample of {rows} rows has {got}"))?;
    }
    let all = sample(shape.rows)?;
    require(all.shape() == shape, || "a sample of all rows has not all rows".into())?;
    for side in Side::BOTH {
        let (got, expected) = (all.moments(side), pair.moments(side));
        let same = got.is_ok_and(|got| expected.is_ok_and(|expected| got.nonzero == expected.nonzero));
        require(same, || format!("a sample of all rows has other entries in {side}"))?;
    }
    Ok(())
}

/// All four products of one pass, `[target][source]`.
pub(super) fn products(pair: &dyn Pair, wx: &Panel, wy: &Panel) -> Result<[[Panel; 2]; 2], String> {
    let shape = pair.shape();
    let zero = |side: Side, w: &Panel| Panel::zeros(shape.cols(side), w.cols());
    let mut out = [[zero(Side::X, wx), zero(Side::X, wy)], [zero(Side::Y, wx), zero(Side::Y, wy)]];
    let [[xx, xy], [yx, yy]] = &mut out;
    let ask = Ask::new().source(Side::X, wx).to(Side::X, xx).to(Side::Y, yx);
    pass(pair, &mut ask.source(Side::Y, wy).to(Side::X, xy).to(Side::Y, yy))?;
    Ok(out)
}

fn pass(pair: &dyn Pair, ask: &mut Ask<'_>) -> Verdict {
    pair.pass(ask).map_err(|error| format!("a pass: {error}"))
}

/// Random panels for both views.
pub(super) fn panels(shape: Shape, kx: usize, ky: usize, seed: u64) -> (Panel, Panel) {
    let panel = |rows, cols, seed| random::normal_panel(rows, cols, seed, random::Purpose::Test);
    (panel(shape.x_cols, kx, seed), panel(shape.y_cols, ky, seed + 1))
}

fn close(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> bool {
    (a - b).norm_max() <= 1e-10 * (1.0 + b.norm_max())
}

fn require(holds: bool, broken: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(broken()) }
}
