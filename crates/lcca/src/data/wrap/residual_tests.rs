//! Residuals on covariates obey the laws of any pair, compared with residuals that were formed explicitly.

use crate::data::*;
use crate::matrix::Matrix;
use crate::testing::{any_views, from_dense, random_mat, relative_error, to_dense};
use faer::Mat;
use proptest::prelude::*;

/// X − Q·QᵀX with Q an orthonormal basis of the columns [1 Z], or of Z, from an SVD.
pub(crate) fn residuals(x: &Mat<f64>, z: &Mat<f64>, center: bool) -> Mat<f64> {
    let ones = usize::from(center);
    let all = Mat::from_fn(z.nrows(), ones + z.ncols(), |i, j| if j < ones { 1.0 } else { z[(i, j - ones)] });
    let mean = |j: usize| (0..z.nrows()).map(|i| all[(i, j)]).sum::<f64>() / z.nrows() as f64;
    let means: Vec<f64> = (0..all.ncols()).map(|j| if j >= ones && center { mean(j) } else { 0.0 }).collect();
    let shifted = Mat::from_fn(all.nrows(), all.ncols(), |i, j| all[(i, j)] - means[j]);
    let scaled = Mat::from_fn(all.nrows(), all.ncols(), |i, j| {
        let (raw, length) = (all.col(j).norm_l2(), shifted.col(j).norm_l2());
        if length > 1e-9 * raw { shifted[(i, j)] / length } else { 0.0 }
    });
    let svd = scaled.thin_svd().unwrap();
    let rank = (0..svd.S().dim()).filter(|&i| svd.S()[i] > 1e-5).count();
    let q = svd.U().subcols(0, rank);
    let once = x - q * (q.transpose() * x);
    &once - q * (q.transpose() * &once)
}

/// Covariates with a constant column, one that depends on others, and indicators of three groups.
pub(crate) fn awkward(rows: usize, seed: u64) -> Mat<f64> {
    let noise = random_mat(rows, 2, seed);
    Mat::from_fn(rows, 7, |i, j| match j {
        0 => noise[(i, 0)] + 50.0,
        1 => noise[(i, 1)],
        2 => 2.0 * noise[(i, 0)] - noise[(i, 1)],
        3 => 7.0,
        _ => f64::from(u8::from((i * (i % 5) + seed as usize) % 3 == j - 4)),
    })
}

fn check(views: &[Matrix; 2], z: &Mat<f64>, center: bool, seed: u64) {
    let [x, y] = views.each_ref().map(to_dense);
    let pair = InMemory::new(views[0].clone(), views[1].clone()).unwrap();
    let pair = pair.with_covariates(from_dense(z.as_ref())).unwrap();
    let explained = Explained::new(pair.capabilities().covariates.unwrap(), center).unwrap();
    let centered = Centered::new(&pair).unwrap();
    let inner: &dyn Pair = if center { &centered } else { &pair };
    let residual =
        Residual::new(inner, explained.along.clone(), &explained.sums).unwrap().with_rows(&pair, &explained);
    let (x, y) = (residuals(&x, z, center), residuals(&y, z, center));
    if let Err(broken) = laws::check(&residual, &x, &y, seed) {
        panic!("{broken}");
    }
}

proptest! {
    #[test]
    fn residuals_are_a_pair_like_any_other(views in any_views(), center: bool, seed in 0u64..100) {
        let rows = views[0].rows();
        check(&views, &awkward(rows, seed), center, seed);
    }
}

#[test]
fn coefficients_are_those_of_least_squares() {
    let (x, z) = (random_mat(60, 4, 1), awkward(60, 2));
    let pair = InMemory::new(from_dense(x.as_ref()), from_dense(x.as_ref())).unwrap();
    let pair = pair.with_covariates(from_dense(z.as_ref())).unwrap();
    let explained = Explained::new(&pair, true).unwrap();
    // Only two measurements and two of the three indicators say anything new.
    assert_eq!(explained.rank(), 4);
    let (coefficients, mean) = (explained.coefficients(Side::X), explained.mean.unwrap());
    let x_mean = |j: usize| x.col(j).sum() / 60.0;
    let left = Mat::from_fn(60, 4, |i, j| {
        let fitted = (0..7).map(|c| (z[(i, c)] - mean[c]) * coefficients.row(j)[c]).sum::<f64>();
        x[(i, j)] - x_mean(j) - fitted
    });
    assert!(relative_error(left.as_ref(), residuals(&x, &z, true).as_ref()) < 1e-12);
}

#[test]
fn a_column_that_covariates_explain_is_zero() {
    let z = awkward(50, 3);
    let x =
        Mat::from_fn(50, 2, |i, j| if j == 0 { 3.0 * z[(i, 0)] - z[(i, 5)] } else { ((i * 7) % 11) as f64 });
    let pair = InMemory::new(from_dense(x.as_ref()), from_dense(x.as_ref())).unwrap();
    let pair = pair.with_covariates(from_dense(z.as_ref())).unwrap();
    let explained = Explained::new(&pair, true).unwrap();
    let centered = Centered::new(&pair).unwrap();
    let residual = Residual::new(&centered, explained.along.clone(), &explained.sums).unwrap();
    let moments = residual.moments(Side::X).unwrap();
    assert!(moments.square[0] == 0.0 && moments.square[1] > 1.0);
    let w = crate::testing::random_panel(2, 3, 4);
    let mut out = crate::matrix::Panel::zeros(2, 3);
    residual.pass(&mut Ask::new().source(Side::X, &w).to(Side::X, &mut out)).unwrap();
    assert!(out.row(0).iter().all(|&value| value == 0.0) && out.row(1).iter().all(|&value| value != 0.0));
}
