//! Metrics other than that of CCA, against singular value decompositions of dense matrices.

use crate::data::InMemory;
use crate::error::Error;
use crate::fit::Fit;
use crate::fit::tests::{fit, gap, pair_of};
use crate::matrix::Matrix;
use crate::method::{Method, Metric, Scale, Settings};
use crate::outcome::Decision;
use crate::testing::{from_dense, random_mat, relative_error, to_dense, zipf_rows};
use faer::{Mat, MatRef};

const N: usize = 250;

fn centered(x: &Mat<f64>) -> Mat<f64> {
    let mean = |j: usize| x.col(j).sum() / x.nrows() as f64;
    Mat::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] - mean(j))
}

fn standardized(x: &Mat<f64>) -> Mat<f64> {
    let x = centered(x);
    let deviation: Vec<f64> =
        (0..x.ncols()).map(|j| x.col(j).norm_l2() / (x.nrows() as f64).sqrt()).collect();
    Mat::from_fn(x.nrows(), x.ncols(), |i, j| if deviation[j] > 0.0 { x[(i, j)] / deviation[j] } else { 0.0 })
}

/// Views that share three directions, in columns of very different units, with a constant column in X.
fn views() -> (Mat<f64>, Mat<f64>) {
    let (shared, a, b) = (random_mat(N, 3, 1), random_mat(3, 9, 2), random_mat(3, 7, 3));
    let (x, y) = (&shared * &a + random_mat(N, 9, 4), &shared * &b + random_mat(N, 7, 5));
    let units = |j: usize| [1.0, 5.0, 0.2, 1.5][j % 4];
    (
        Mat::from_fn(N, 9, |i, j| if j == 8 { 3.0 } else { units(j) * x[(i, j)] + 4.0 }),
        Mat::from_fn(N, 7, |i, j| units(j + 1) * y[(i, j)]),
    )
}

/// A⁻½ of a positive definite matrix.
fn inverse_root(a: MatRef<'_, f64>) -> Mat<f64> {
    let eigen = a.self_adjoint_eigen(faer::Side::Lower).unwrap();
    let d = Mat::from_fn(a.nrows(), a.nrows(), |i, j| {
        if i == j { eigen.S().column_vector()[i].sqrt().recip() } else { 0.0 }
    });
    eigen.U() * d * eigen.U().transpose()
}

/// The singular values and left vectors of a matrix, signs such that the largest entry of each vector is
/// positive.
fn svd(m: &Mat<f64>, k: usize) -> (Vec<f64>, Mat<f64>) {
    let svd = m.thin_svd().unwrap();
    let sign = |j: usize| {
        let largest = (0..m.nrows()).max_by(|&a, &b| svd.U()[(a, j)].abs().total_cmp(&svd.U()[(b, j)].abs()));
        svd.U()[(largest.unwrap(), j)].signum()
    };
    ((0..k).map(|i| svd.S()[i]).collect(), Mat::from_fn(m.nrows(), k, |i, j| sign(j) * svd.U()[(i, j)]))
}

fn methods() -> [(Method, f64); 4] {
    // An iteration finds values to the square of the precision of vectors.
    [(Method::auto(), 1e-9), (Method::gram(), 1e-9), (Method::exact(), 1e-9), (Method::lobpcg(), 1e-5)]
}

fn covariances(fit: &Fit, m: &Mat<f64>) -> f64 {
    let (values, _) = svd(m, fit.model.objective.len());
    gap(&fit.model.objective, &values) / values[0]
}

#[test]
fn pls_is_the_singular_value_decomposition_of_the_cross_covariances() {
    let (x, y) = views();
    let pair = pair_of(&x, &y);
    let cross = centered(&x).transpose() * centered(&y) / faer::Scale(N as f64);
    let (_, weights) = svd(&cross, 3);
    for (method, of_vectors) in methods() {
        let settings = Settings::new(method, 3).metric(Metric::Pls).scale(Scale::No).tol(1e-14);
        let fit = fit(&pair, &settings, &()).unwrap();
        assert!(fit.converged && covariances(&fit, &cross) < 1e-9, "{method}: {:?}", fit.model.objective);
        assert!(relative_error(fit.model.x.weights.as_mat(), weights.as_ref()) < of_vectors, "{method}");
        // Correlations are correlations, no matter which objective is maximized.
        let scores = fit.model.score(&pair).unwrap().correlations;
        assert!(
            gap(&fit.model.correlations, &scores) < 1e-9
                && fit.model.correlations.iter().all(|r| r.abs() < 1.0)
        );
    }
}

#[test]
fn scaled_pls_and_the_diagonal_metric_are_the_same_of_correlations() {
    let (x, y) = views();
    let pair = pair_of(&x, &y);
    let cross = standardized(&x).transpose() * standardized(&y) / faer::Scale(N as f64);
    for (method, _) in methods() {
        let settings = Settings::new(method, 3).tol(1e-14);
        for settings in [
            settings.clone().metric(Metric::Pls).scale(Scale::Yes),
            settings.clone().metric(Metric::Pls),
            settings.clone().metric(Metric::Diagonal),
            settings.clone().metric(Metric::Diagonal).scale(Scale::No),
        ] {
            let fit = fit(&pair, &settings, &()).unwrap();
            assert!(fit.converged && covariances(&fit, &cross) < 1e-9, "{method}: {:?}", fit.model.objective);
        }
    }
}

#[test]
fn pls_on_one_side_and_cca_on_the_other_is_redundancy_analysis() {
    let (x, y) = views();
    let (cx, cy) = (centered(&x), centered(&y));
    let n = N as f64;
    let whitened = &cy * inverse_root((cy.transpose() * &cy / faer::Scale(n)).as_ref());
    let explained = cx.transpose() * whitened / faer::Scale(n);
    for (method, _) in methods() {
        let settings = Settings::new(method, 3).scale(Scale::No).tol(1e-14);
        let [one, other] = [(&x, &y, [Metric::Pls, Metric::Cca]), (&y, &x, [Metric::Cca, Metric::Pls])]
            .map(|(x, y, [a, b])| fit(&pair_of(x, y), &settings.clone().metrics(a, b), &()).unwrap());
        assert!(covariances(&one, &explained) < 1e-9 && covariances(&other, &explained) < 1e-9, "{method}");
        assert!(gap(&one.model.correlations, &other.model.correlations) < 1e-6);
    }
}

/// Sparse views, in Gram mode and over the rows.
#[test]
fn iterations_over_sparse_rows_find_the_same_covariances() {
    let (x, y) = (zipf_rows(800, 90, 7, 1), zipf_rows(800, 70, 6, 2));
    let (dense_x, dense_y) = (to_dense(&x), to_dense(&y));
    let pair = InMemory::new(x, y).unwrap();
    let plain = centered(&dense_x).transpose() * centered(&dense_y) / faer::Scale(800.0);
    let unit = standardized(&dense_x).transpose() * standardized(&dense_y) / faer::Scale(800.0);
    for structure in [true, false] {
        for (metric, cross) in [(Metric::Pls, &plain), (Metric::Diagonal, &unit)] {
            let settings = Settings::new(Method::lobpcg(), 4).metric(metric).structure(structure).tol(1e-14);
            let fit = fit(&pair, &settings, &()).unwrap();
            assert!(fit.converged && (fit.cost.gram_passes > 0.0) == structure);
            assert!(covariances(&fit, cross) < 1e-9, "{metric:?} {structure}: {}", covariances(&fit, cross));
        }
    }
}

#[test]
fn a_view_with_itself_gives_principal_components() {
    let (x, _) = views();
    let covariance = centered(&x).transpose() * centered(&x) / faer::Scale(N as f64);
    for (method, _) in methods() {
        let settings = Settings::new(method, 4).metric(Metric::Pls).scale(Scale::No).tol(1e-14);
        let fit = fit(&pair_of(&x, &x), &settings, &()).unwrap();
        assert!(fit.converged && covariances(&fit, &covariance) < 1e-9, "{method}");
        assert!(fit.model.correlations.iter().all(|r| (r - 1.0).abs() < 1e-9));
    }
}

#[test]
fn covariates_are_taken_out_of_covariances_as_well() {
    let (x, y) = views();
    let z = random_mat(N, 2, 9);
    let q = centered(&z).qr().compute_thin_Q();
    let residuals = |m: &Mat<f64>| centered(m) - &q * (q.transpose() * centered(m));
    let cross = residuals(&x).transpose() * residuals(&y) / faer::Scale(N as f64);
    let pair = pair_of(&x, &y).with_covariates(from_dense(z.as_ref())).unwrap();
    for (method, _) in methods() {
        let settings = Settings::new(method, 2).metric(Metric::Pls).scale(Scale::No).tol(1e-14);
        assert!(covariances(&fit(&pair, &settings, &()).unwrap(), &cross) < 1e-9, "{method}");
    }
}

#[test]
fn a_claim_about_covariances_can_be_certified() {
    let (x, y) = views();
    let pair = pair_of(&x, &y);
    let cross = centered(&x).transpose() * centered(&y) / faer::Scale(N as f64);
    let (values, _) = svd(&cross, 2);
    let settings = Settings::new(Method::lobpcg(), 2).metric(Metric::Pls).scale(Scale::No).tol(1e-8);
    let mut fit = fit(&pair, &settings, &()).unwrap();
    fit.certify(&pair, &()).unwrap();
    let certificate = fit.certificate.as_ref().unwrap();
    for (i, value) in values.iter().enumerate() {
        let error = (fit.model.objective[i] - value).abs();
        assert!(error <= certificate.bounds[i] + 1e-12 * value && certificate.bounds[i] < 1e-3 * value);
    }
    assert!(fit.converged && certificate.gain <= 1e-8 * values[0], "{certificate:?}");
    // A claim of smaller values than the true ones is found out.
    fit.model.objective.iter_mut().for_each(|value| *value *= 0.9);
    fit.certify(&pair, &()).unwrap();
    assert!(!fit.converged);
}

#[test]
fn a_one_hot_view_is_not_eliminated_from_covariances() {
    let columns = |cols: u32, step: u32| -> Matrix {
        let column = |i: u32| (i * step + i * i / 7) % cols;
        crate::matrix::OneHotRows::new(cols as usize, (0..3000).map(column).collect::<Vec<_>>().into())
            .unwrap()
            .into()
    };
    let (x, y) = (columns(40, 3), columns(30, 5));
    let cross = centered(&to_dense(&x)).transpose() * centered(&to_dense(&y)) / faer::Scale(3000.0);
    let pair = InMemory::new(x, y).unwrap();
    let fit = fit(&pair, &Settings::new(Method::lobpcg(), 3).metric(Metric::Pls).tol(1e-13), &()).unwrap();
    assert!(!fit.decisions.iter().any(|d| matches!(d, Decision::ViewEliminated { .. })));
    assert!(covariances(&fit, &cross) < 1e-9);
}

#[test]
fn ridges_and_methods_that_know_only_correlations_are_refused() {
    let (x, y) = views();
    let pair = pair_of(&x, &y);
    let settings = Settings::new(Method::auto(), 1).metric(Metric::Pls);
    assert!(matches!(
        fit(&pair, &settings.clone().ridge(0.1), &()),
        Err(Error::Setting { name: "ridge", .. })
    ));
    // A ridge of the view that has the metric of CCA is welcome.
    let mixed = settings.clone().metrics(Metric::Pls, Metric::Cca).ridges(0.0, 0.1);
    assert!(fit(&pair, &mixed, &()).is_ok());
    for method in ["d-cca", "g-cca", "l-cca", "als", "rp-cca", "sketch", "shift-invert"] {
        let method = Method::named(method).unwrap();
        let refused = fit(&pair, &Settings { method, ..settings.clone() }, &());
        assert!(matches!(refused, Err(Error::MetricOfMethod { metric: "pls", .. })), "{method}");
    }
}

#[test]
fn between_cca_and_pls_rgccas_tau_is_a_ridge_of_scaled_columns() {
    let (x, y) = views();
    // Without the constant column, which counts in the mean variance.
    let x = x.subcols(0, 8).to_owned();
    let tau = 0.2;
    let root = |view: &Mat<f64>| {
        let z = standardized(view);
        let covariance = z.transpose() * &z / faer::Scale(N as f64);
        inverse_root(
            Mat::from_fn(z.ncols(), z.ncols(), |i, j| {
                (1.0 - tau) * covariance[(i, j)] + if i == j { tau } else { 0.0 }
            })
            .as_ref(),
        )
    };
    let cross = standardized(&x).transpose() * standardized(&y) / faer::Scale(N as f64);
    let (values, _) = svd(&(root(&x) * cross * root(&y)), 3);
    let settings = Settings::new(Method::auto(), 3).scale(Scale::Yes).ridge(tau / (1.0 - tau));
    let objective = fit(&pair_of(&x, &y), &settings, &()).unwrap().model.objective;
    let turned: Vec<f64> = objective.iter().map(|value| value / (1.0 - tau)).collect();
    assert!(gap(&turned, &values) < 1e-9, "{turned:?} {values:?}");
}
