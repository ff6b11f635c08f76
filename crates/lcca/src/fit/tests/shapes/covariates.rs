//! Fits to residuals on covariates that were never formed, against fits to residuals that were.

use crate::data::{InMemory, Side};
use crate::error::Error;
use crate::fit::hold_out;
use crate::fit::tests::{every_method, fit, gap, pair_of};
use crate::fit::{Model, cross_validate};
use crate::matrix::Matrix;
use crate::method::{Algorithm, Method, Scale, Settings};
use crate::testing::{from_dense, random_mat, relative_error, sparse_from_dense, to_dense, zipf_rows};
use faer::{Mat, MatRef};

/// [1 Z], or Z: an orthonormal basis of its columns.
fn basis(z: &Mat<f64>, center: bool) -> Mat<f64> {
    let ones = usize::from(center);
    let all = Mat::from_fn(z.nrows(), ones + z.ncols(), |i, j| if j < ones { 1.0 } else { z[(i, j - ones)] });
    let unit = Mat::from_fn(all.nrows(), all.ncols(), |i, j| all[(i, j)] / all.col(j).norm_l2());
    let svd = unit.thin_svd().unwrap();
    let rank = (0..svd.S().dim()).filter(|&i| svd.S()[i] > 1e-8).count();
    svd.U().subcols(0, rank).to_owned()
}

fn residuals(x: &Mat<f64>, z: &Mat<f64>, center: bool) -> Mat<f64> {
    let q = basis(z, center);
    let once = x - &q * (q.transpose() * x);
    &once - &q * (q.transpose() * &once)
}

/// Covariates: two measurements, their sum, indicators of three groups, and a constant.
fn covariates(rows: usize) -> Mat<f64> {
    let noise = random_mat(rows, 2, 31);
    Mat::from_fn(rows, 7, |i, j| match j {
        0 => 40.0 + 10.0 * noise[(i, 0)],
        1 => noise[(i, 1)],
        2 => noise[(i, 0)] + noise[(i, 1)],
        3 => 2.0,
        _ => f64::from(u8::from((i * i + 3 * i) % 7 % 3 == j - 4)),
    })
}

/// Dense views that share two directions and follow the covariates besides.
fn dense_views(z: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
    let rows = z.nrows();
    let (shared, effect) = (random_mat(rows, 2, 1), random_mat(7, 14, 2));
    let (x, y) = (random_mat(rows, 8, 3), random_mat(rows, 6, 4));
    let view = |noise: &Mat<f64>, from: usize| {
        Mat::from_fn(rows, noise.ncols(), |i, j| {
            let own = noise[(i, j)] + if j < 2 { 1.5 * shared[(i, j)] } else { 0.0 };
            own + (0..7).map(|c| 0.3 * z[(i, c)] * effect[(c, from + j)]).sum::<f64>()
        })
    };
    (view(&x, 0), view(&y, 8))
}

fn with(x: Matrix, y: Matrix, z: &Mat<f64>) -> InMemory {
    InMemory::new(x, y).unwrap().with_covariates(from_dense(z.as_ref())).unwrap()
}

fn closeness(a: &Model, b: &Model) -> f64 {
    let panels = [(&a.x, &b.x), (&a.y, &b.y)].map(|(a, b)| {
        let error = |a: MatRef<'_, f64>, b: MatRef<'_, f64>| relative_error(a, b);
        error(a.weights.as_mat(), b.weights.as_mat()).max(error(a.loadings.as_mat(), b.loadings.as_mat()))
    });
    gap(&a.correlations, &b.correlations).max(gap(&a.objective, &b.objective)).max(panels[0]).max(panels[1])
}

#[test]
fn every_method_equals_its_fit_to_residuals() {
    let z = covariates(300);
    let (x, y) = dense_views(&z);
    let pair = with(from_dense(x.as_ref()), from_dense(y.as_ref()), &z);
    for center in [true, false] {
        let formed = pair_of(&residuals(&x, &z, center), &residuals(&y, &z, center));
        for method in every_method() {
            for (ridge, scale) in [(0.0, Scale::Auto), (0.1, Scale::Yes)] {
                let settings = Settings::new(method, 2).ridge(ridge).scale(scale).center(center).tol(1e-12);
                let result = fit(&pair, &settings, &());
                if matches!(method.algorithm(), Algorithm::ShiftInvert | Algorithm::Sketch) {
                    assert!(matches!(result, Err(Error::WithCovariates { .. })), "{method}");
                    continue;
                }
                let (got, expected) = (result.unwrap(), fit(&formed, &settings, &()).unwrap());
                let error = closeness(&got.model, &expected.model);
                // An iteration finds values to the square of the precision of vectors.
                let allowed = if method.algorithm() == Algorithm::Lobpcg { 1e-6 } else { 1e-9 };
                assert!(error < allowed, "{method}, center {center}, ridge {ridge}: {error:e}");
                assert!(gap(&got.model.objective, &expected.model.objective) < 1e-10);
            }
        }
    }
}

#[test]
fn iterations_over_rows_and_over_gram_matrices_equal_the_formed_residuals() {
    let (x, y) = (zipf_rows(900, 60, 6, 5), zipf_rows(900, 50, 5, 6));
    let (dense_x, dense_y) = (to_dense(&x), to_dense(&y));
    let z = covariates(900);
    let formed = pair_of(&residuals(&dense_x, &z, true), &residuals(&dense_y, &z, true));
    let settings = Settings::new(Method::lobpcg(), 3).ridge(0.05).scale(Scale::No).tol(1e-13);
    let expected = fit(&formed, &Settings { method: Method::gram(), ..settings.clone() }, &()).unwrap().model;
    for structure in [true, false] {
        for sparse_z in [true, false] {
            let z = if sparse_z { sparse_from_dense(z.as_ref()) } else { from_dense(z.as_ref()) };
            let pair = InMemory::new(x.clone(), y.clone()).unwrap().with_covariates(z).unwrap();
            let got = fit(&pair, &settings.clone().structure(structure), &()).unwrap();
            let in_gram_mode = got.cost.gram_passes > 0.0;
            assert!(got.converged && in_gram_mode == structure);
            let error = gap(&got.model.objective, &expected.objective);
            assert!(error < 1e-11, "{structure} {error:e}");
            // Values are found to the square of the precision of vectors.
            assert!(gap(&got.model.correlations, &expected.correlations) < 1e-7);
            assert!(relative_error(got.model.x.weights.as_mat(), expected.x.weights.as_mat()) < 1e-5);
        }
    }
}

#[test]
fn rows_that_weigh_twice_are_rows_that_occur_twice() {
    let z = covariates(200);
    let (x, y) = dense_views(&z);
    let twice = |m: &Mat<f64>| Mat::from_fn(250, m.ncols(), |i, j| m[(if i < 200 { i } else { i - 200 }, j)]);
    let weights: Vec<f64> = (0..200).map(|i| if i < 50 { 2.0 } else { 1.0 }).collect();
    let repeated = with(from_dense(twice(&x).as_ref()), from_dense(twice(&y).as_ref()), &twice(&z));
    let weighted = with(from_dense(x.as_ref()), from_dense(y.as_ref()), &z).weighted(weights.into()).unwrap();
    let settings = Settings::new(Method::auto(), 2);
    let [a, b] = [&repeated, &weighted].map(|pair| fit(pair, &settings, &()).unwrap().model);
    assert!(closeness(&a, &b) < 1e-10);
    assert!(relative_error(effects(&a).as_ref(), effects(&b).as_ref()) < 1e-9);
}

fn effects(model: &Model) -> Mat<f64> {
    model.x.effects.as_ref().unwrap().coefficients.as_mat().to_owned()
}

/// The first and the last rows.
fn cut(m: &Mat<f64>, at: usize) -> [Mat<f64>; 2] {
    [m.subrows(0, at).to_owned(), m.subrows(at, m.nrows() - at).to_owned()]
}

#[test]
fn new_rows_are_adjusted_by_the_coefficients_of_the_training_rows() {
    let z = covariates(260);
    let (x, y) = dense_views(&z);
    let ([x, x_new], [y, y_new], [z, z_new]) = (cut(&x, 200), cut(&y, 200), cut(&z, 200));
    let pair = with(from_dense(x.as_ref()), from_dense(y.as_ref()), &z);
    let model = fit(&pair, &Settings::new(Method::auto(), 2), &()).unwrap().model;
    // Least squares on [1 Z], by the pseudoinverse.
    let beside_ones =
        |z: &Mat<f64>| Mat::from_fn(z.nrows(), 8, |i, j| if j == 0 { 1.0 } else { z[(i, j - 1)] });
    let design = beside_ones(&z);
    let svd = design.thin_svd().unwrap();
    let rank = (0..8).filter(|&i| svd.S()[i] > 1e-8 * svd.S()[0]).count();
    let inverse = Mat::from_fn(rank, rank, |i, j| if i == j { svd.S()[i].recip() } else { 0.0 });
    let left = |view: &Mat<f64>, new: &Mat<f64>| {
        let coefficients =
            svd.V().subcols(0, rank) * &inverse * (svd.U().subcols(0, rank).transpose() * view);
        new - beside_ones(&z_new) * coefficients
    };
    let scores = [(Side::X, &x, &x_new), (Side::Y, &y, &y_new)].map(|(side, view, new)| {
        let expected = left(view, new) * model.view(side).weights.as_mat();
        let covariates = from_dense(z_new.as_ref());
        let got = model.transform_all_with(side, &from_dense(new.as_ref()), Some(&covariates)).unwrap();
        assert!(relative_error(got.as_mat(), expected.as_ref()) < 1e-10);
        expected
    });
    let correlation = |j: usize| {
        let centered = |m: &Mat<f64>| {
            let mean = m.col(j).sum() / m.nrows() as f64;
            Mat::from_fn(m.nrows(), 1, |i, _| m[(i, j)] - mean)
        };
        let (a, b) = (centered(&scores[0]), centered(&scores[1]));
        (a.transpose() * &b)[(0, 0)] / (a.norm_l2() * b.norm_l2())
    };
    let new = with(from_dense(x_new.as_ref()), from_dense(y_new.as_ref()), &z_new);
    let got = model.score(&new).unwrap();
    assert!(gap(&got.correlations, &[correlation(0), correlation(1)]) < 1e-10);
}

#[test]
fn training_rows_score_what_the_fit_says() {
    let z = covariates(300);
    let (x, y) = dense_views(&z);
    let pair = with(from_dense(x.as_ref()), from_dense(y.as_ref()), &z);
    for center in [true, false] {
        let model = fit(&pair, &Settings::new(Method::auto(), 3).center(center), &()).unwrap().model;
        assert!(gap(&model.score(&pair).unwrap().correlations, &model.correlations) < 1e-10);
    }
}

#[test]
fn held_out_rows_and_folds_are_adjusted_by_the_other_rows() {
    let z = covariates(300);
    let (x, y) = dense_views(&z);
    let pair = with(from_dense(x.as_ref()), from_dense(y.as_ref()), &z);
    let settings = Settings::new(Method::auto(), 2);
    let held_out = hold_out(&pair, &settings, 0.3, &()).unwrap();
    let result = held_out.fit(&pair, &settings, &()).unwrap().held_out.unwrap();
    assert!(result.held_out[0] > 0.3 && result.held_out[0] < result.training[0] + 0.2, "{result:?}");
    for folds in [3, 100] {
        let selection = cross_validate(&pair, &settings, &[0.0, 1.0], folds, &()).unwrap();
        assert!(selection.mean[0] > 0.3, "{:?}", selection.mean);
    }
}

#[test]
fn certificates_hold_for_residuals() {
    let z = covariates(300);
    let (x, y) = dense_views(&z);
    let pair = with(from_dense(x.as_ref()), from_dense(y.as_ref()), &z);
    let mut result = fit(&pair, &Settings::new(Method::lobpcg(), 2).ridge(0.1).tol(1e-8), &()).unwrap();
    result.certify(&pair, &()).unwrap();
    let certificate = result.certificate.unwrap();
    assert!(result.converged && certificate.bounds.iter().all(|&bound| bound < 1e-3), "{certificate:?}");
}

#[test]
fn rows_without_their_covariates_are_refused_and_so_are_covariates_of_another_shape() {
    let z = covariates(100);
    let (x, y) = dense_views(&z);
    let pair = with(from_dense(x.as_ref()), from_dense(y.as_ref()), &z);
    let bare = pair_of(&x, &y);
    let settings = Settings::new(Method::auto(), 1);
    let model = fit(&pair, &settings, &()).unwrap().model;
    assert!(matches!(model.score(&bare), Err(Error::CovariatesNeeded { columns: 7 })));
    let rows = from_dense(x.as_ref());
    assert!(matches!(model.transform_all(Side::X, &rows), Err(Error::CovariatesNeeded { columns: 7 })));
    let narrow = from_dense(z.subcols(0, 3));
    let refused = model.transform_all_with(Side::X, &rows, Some(&narrow));
    assert!(matches!(refused, Err(Error::CovariateWidth { expected: 7, found: 3 })));
    let short = from_dense(z.subrows(0, 3));
    assert!(matches!(pair_of(&x, &y).with_covariates(short), Err(Error::CovariateRows { .. })));
    let plain = fit(&bare, &settings, &()).unwrap().model;
    assert!(matches!(plain.score(&pair), Err(Error::CovariatesUnknown)));
}

#[test]
fn a_view_that_covariates_explain_is_refused_and_a_column_that_they_explain_counts_for_nothing() {
    let z = covariates(100);
    let (x, y) = dense_views(&z);
    let explained = Mat::from_fn(100, 2, |i, j| z[(i, j)] + z[(i, 5)]);
    let all = with(from_dense(explained.as_ref()), from_dense(y.as_ref()), &z);
    let settings = Settings::new(Method::auto(), 1);
    assert!(matches!(fit(&all, &settings, &()), Err(Error::NothingLeft { side: Side::X })));
    let more = Mat::from_fn(100, 9, |i, j| if j < 8 { x[(i, j)] } else { explained[(i, 1)] });
    let [with_it, without] = [&more, &x].map(|x| with(from_dense(x.as_ref()), from_dense(y.as_ref()), &z));
    for method in [Method::gram(), Method::exact(), Method::lobpcg()] {
        let settings = Settings::new(method, 1).tol(1e-12);
        let [a, b] = [&with_it, &without].map(|pair| fit(pair, &settings, &()).unwrap().model);
        assert!(gap(&a.correlations, &b.correlations) < 1e-9 && a.x.weights.row(8) == [0.0], "{method}");
    }
}
