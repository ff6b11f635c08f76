//! Regressions of columns on canonical variables, against dense least squares on the scores.

use crate::data::Side;
use crate::fit::tests::*;
use crate::matrix::{Matrix, Panel};
use crate::panels;
use crate::testing::{from_dense, random_mat, relative_error, sparse_from_dense, to_dense};
use faer::linalg::solvers::SolveLstsq;

fn centered(view: &Mat<f64>) -> Mat<f64> {
    let mean = |j: usize| view.col(j).iter().sum::<f64>() / view.nrows() as f64;
    let means: Vec<f64> = (0..view.ncols()).map(mean).collect();
    Mat::from_fn(view.nrows(), view.ncols(), |i, j| view[(i, j)] - means[j])
}

/// The coefficients of the columns of `target` on the canonical variables `scores`, one row per column.
fn regressed(target: &Matrix, scores: &Panel) -> Mat<f64> {
    let coefficients = scores.as_mat().qr().solve_lstsq(&centered(&to_dense(target)));
    coefficients.transpose().to_owned()
}

/// Asserts that the regressions of a fit are those of least squares on its scores.
fn agrees(x: Matrix, y: Matrix, method: Method, ridge: f64) {
    let pair = InMemory::new(x.clone(), y.clone()).unwrap();
    let settings = Settings { ridge_x: ridge, ridge_y: 2.0 * ridge, ..Settings::new(method, 3) };
    let fit = fit(&pair, &settings, &()).unwrap();
    let [zx, zy] =
        [(Side::X, &x), (Side::Y, &y)].map(|(side, rows)| fit.model.transform_all(side, rows).unwrap());
    let regressions = &fit.regressions;
    for (name, coefficients, truth) in [
        ("x on x", &regressions.x, regressed(&x, &zx)),
        ("y on y", &regressions.y, regressed(&y, &zy)),
        ("y on x", &regressions.y_on_x, regressed(&y, &zx)),
    ] {
        let error = relative_error(coefficients.as_mat(), truth.as_ref());
        assert!(error < 1e-9, "{name}, {}, ridge {ridge}: {error:e}", method.name());
    }
}

#[test]
fn regressions_are_least_squares_on_the_scores_whatever_the_method() {
    let shared = random_mat(80, 2, 1);
    let mixed = |cols: usize, seed: u64| &shared * random_mat(2, cols, seed) + random_mat(80, cols, seed + 1);
    let (x, y) = (mixed(7, 2), mixed(5, 4));
    for method in [Method::exact(), Method::gram(), Method::lobpcg(), Method::g_cca(2, 1)] {
        for ridge in [0.0, 0.3] {
            agrees(from_dense(x.as_ref()), from_dense(y.as_ref()), method, ridge);
        }
    }
}

#[test]
fn empty_columns_have_no_regression_and_the_others_keep_their_rows() {
    let dense = |cols: usize, seed: u64| {
        let numbers = random_mat(60, cols, seed);
        Mat::from_fn(60, 2 * cols, |i, j| if j % 2 == 1 { numbers[(i, j / 2)] } else { 0.0 })
    };
    let (x, y) = (dense(4, 1), dense(6, 2));
    agrees(sparse_from_dense(x.as_ref()), sparse_from_dense(y.as_ref()), Method::lobpcg(), 0.1);
}

#[test]
fn exact_weights_of_wide_views_do_not_depend_on_the_order_of_the_columns() {
    let (x, y) = (random_mat(9, 20, 1), random_mat(9, 2, 2));
    let weights = |x: &Mat<f64>| run(&pair_of(x, &y), Method::exact(), 2).unwrap().model.x.weights;
    let reversed = Mat::from_fn(9, 20, |i, j| x[(i, 19 - j)]);
    let (plain, reversed) = (weights(&x), weights(&reversed));
    let back = Panel::from_fn(20, 2, |i, j| reversed.row(19 - i)[j]);
    let signs: Vec<f64> = panels::column_dots(&plain, &back).iter().map(|dot| dot.signum()).collect();
    let back = Panel::from_fn(20, 2, |i, j| signs[j] * back.row(i)[j]);
    // Both correlations are 1, so the two pairs may be rotated into each other, but their span is determined.
    let projected = panels::times(&plain, span_coordinates(&plain, &back).as_ref());
    assert!(relative_error(projected.as_mat(), back.as_mat()) < 1e-8);
}

/// The C for which `basis`·C is nearest to `panel`.
fn span_coordinates(basis: &Panel, panel: &Panel) -> Mat<f64> {
    basis.as_mat().qr().solve_lstsq(panel.as_mat())
}
