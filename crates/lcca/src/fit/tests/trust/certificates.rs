//! Certificates against dense computations that share no code with them.

use crate::data::Side;
use crate::fit::certify::verdict::{Effort, Rows, certify};
use crate::fit::tests::*;
use crate::fit::{Certificate, Kind};
use crate::method::Scale;
use crate::space::Host;
use crate::testing::{dense_correlations, random_mat, sparse_from_dense, to_dense, with_correlations};

/// Views whose plain CCA is the regularized CCA of x and y: a ridge adds rows √λ·I to one view and zeros to
/// the other.
fn augmented(x: &Mat<f64>, y: &Mat<f64>, settings: &Settings) -> [Mat<f64>; 2] {
    let centered = |view: &Mat<f64>| {
        let mean = |j: usize| if settings.center { view.col(j).sum() / view.nrows() as f64 } else { 0.0 };
        Mat::from_fn(view.nrows(), view.ncols(), |i, j| view[(i, j)] - mean(j))
    };
    let (x, y) = (centered(x), centered(y));
    let (n, p, q) = (x.nrows(), x.ncols(), y.ncols());
    let root = |view: &Mat<f64>, ridge: f64| (ridge * view.squared_norm_l2() / view.ncols() as f64).sqrt();
    let (rx, ry) = (root(&x, settings.ridge_x), root(&y, settings.ridge_y));
    let with_ridge_rows = |view: &Mat<f64>, first: usize, root: f64| {
        Mat::from_fn(n + p + q, view.ncols(), |i, j| {
            if i < n {
                view[(i, j)]
            } else if i == first + j {
                root
            } else {
                0.0
            }
        })
    };
    [with_ridge_rows(&x, n, rx), with_ridge_rows(&y, n + p, ry)]
}

/// The norm, pair by pair, of the other view's canonical variables projected on a view's span, less θ times
/// its own.
fn residual_norms(view: &Mat<f64>, own: &Mat<f64>, other: &Mat<f64>, theta: &[f64]) -> Vec<f64> {
    let svd = view.thin_svd().unwrap();
    let rank = (0..svd.S().dim()).take_while(|&i| svd.S()[i] > 1e-10 * svd.S()[0]).count();
    let basis = svd.U().subcols(0, rank).to_owned();
    let residuals = Mat::from_fn(own.nrows(), own.ncols(), |i, j| other[(i, j)] - theta[j] * own[(i, j)]);
    let projected = basis.transpose() * residuals;
    (0..theta.len()).map(|j| projected.col(j).norm_l2()).collect()
}

/// Whether every fitted value has a true value of its own within `reach`. Both lists descend.
fn matches(fitted: &[f64], truth: &[f64], reach: f64) -> bool {
    let mut truth = truth.iter();
    fitted.iter().all(|theta| truth.find(|&d| *d <= theta + reach).is_some_and(|d| *d >= theta - reach))
}

/// Fits, certifies, and compares the certificate with the truth.
fn check(x: &Mat<f64>, y: &Mat<f64>, settings: &Settings) -> (Fit, Certificate) {
    // The truth is that of the columns as they are.
    let settings = &settings.clone().scale(Scale::No);
    let pair = pair_of(x, y);
    let mut fit = fit(&pair, settings, &()).unwrap();
    fit.certify(&pair, &()).unwrap();
    let certificate = fit.certificate.clone().unwrap();
    let theta = &fit.model.objective;
    let [ax, ay] = augmented(x, y, settings);
    let truth = dense_correlations(&ax, &ay, false);
    let (zx, zy) = (&ax * fit.model.x.weights.as_mat(), &ay * fit.model.y.weights.as_mat());
    let (rx, ry) = (residual_norms(&ax, &zx, &zy, theta), residual_norms(&ay, &zy, &zx, theta));
    let case = format!("{settings:?}\n{theta:?}\n{truth:?}\n{certificate:?}");
    for (i, &bound) in certificate.bounds.iter().enumerate() {
        let nearest = truth.iter().map(|d| (d - theta[i]).abs()).fold(f64::INFINITY, f64::min);
        assert!(nearest <= bound + 1e-12, "pair {i} is {nearest:e} away: {case}");
        let mean = ((rx[i] * rx[i] + ry[i] * ry[i]) / 2.0).sqrt();
        let least = mean.min(theta[i].max(1.0 - theta[i]));
        assert!(bound >= least * (1.0 - 1e-6) - 1e-10, "pair {i}, residual {mean:e}: {case}");
        assert!(bound <= 1.02 * rx[i].max(ry[i]) + 1e-7, "pair {i} is vacuous, residual {mean:e}: {case}");
    }
    assert!(matches(theta, &truth, certificate.together + 1e-12), "{case}");
    let missing = truth[..theta.len()].iter().sum::<f64>() - theta.iter().sum::<f64>();
    assert!(certificate.gain <= missing + 1e-9, "the gain exceeds the missing {missing:e}: {case}");
    assert!(certificate.passes >= 4.0 && certificate.loose == 0, "{case}");
    (fit, certificate)
}

fn views(n: usize, p: usize, q: usize, seed: u64) -> (Mat<f64>, Mat<f64>) {
    let hidden = random_mat(n, 6, seed);
    let view = |cols: usize, seed: u64| {
        let dense = &hidden * random_mat(6, cols, seed) + random_mat(n, cols, seed + 1) * 2.0;
        Mat::from_fn(n, cols, |i, j| (dense[(i, j)] + 0.3) * 10f64.powi(j as i32 % 3 - 1))
    };
    (view(p, seed + 2), view(q, seed + 4))
}

/// A singular view: its last columns are empty, a copy and a sum of others.
fn singular(x: &Mat<f64>) -> Mat<f64> {
    let p = x.ncols();
    Mat::from_fn(x.nrows(), p + 3, |i, j| match j.checked_sub(p) {
        None => x[(i, j)],
        Some(0) => 0.0,
        Some(1) => x[(i, 1)],
        Some(_) => x[(i, 0)] - 0.5 * x[(i, 2)],
    })
}

#[test]
fn bounds_hold_for_fits_that_stopped_early() {
    let clustered = with_correlations(300, &[0.9, 0.9, 0.9, 0.899, 0.899, 0.3, 0.3, 0.2, 0.1, 0.1, 0.05], 61);
    let random = views(400, 40, 25, 62);
    let narrow = views(300, 30, 6, 64);
    let deficient = (singular(&views(300, 14, 11, 63).0), singular(&views(300, 14, 11, 63).1));
    let methods = [
        (Method::lobpcg(), Some(5.0)),
        (Method::lobpcg(), Some(9.0)),
        (Method::lobpcg(), None),
        (Method::als(1), None),
        (als_by_cg(3), None),
        (Method::d_cca(2), None),
        (Method::g_cca(2, 3), None),
    ];
    for (x, y) in [&clustered, &random, &narrow, &deficient] {
        for (method, max_passes) in methods {
            for (center, ridge_x, ridge_y) in [(true, 0.0, 0.0), (false, 0.0, 0.1), (true, 0.01, 0.01)] {
                let settings = Settings { center, ridge_x, ridge_y, max_passes, ..Settings::new(method, 4) };
                let (_, certificate) = check(x, y, &settings);
                let rigorous = ridge_x > 0.0 && ridge_y > 0.0;
                assert_eq!(certificate.kind == Kind::Rigorous, rigorous);
            }
        }
    }
}

#[test]
fn converged_fits_have_small_bounds_and_stay_converged() {
    let (x, y) = views(400, 30, 25, 65);
    for (method, tol, reach) in
        [(Method::lobpcg(), 1e-10, 1e-4), (Method::exact(), 1e-4, 1e-6), (Method::als(600), 1e-8, 1e-6)]
    {
        for ridge in [0.0, 0.1] {
            let settings = Settings { tol, ridge_x: ridge, ridge_y: ridge, ..Settings::new(method, 4) };
            let (fit, certificate) = check(&x, &y, &settings);
            assert!(fit.converged && fit.notes.is_empty(), "{:?}", fit.notes);
            assert!(
                certificate.together < reach && certificate.bounds.iter().all(|b| *b < reach),
                "{certificate:?}"
            );
        }
    }
}

/// Views with a shared variable that appears only in the difference of two otherwise equal columns.
fn hidden_in_a_difference(share: f64) -> (Mat<f64>, Mat<f64>) {
    let (x, y) = with_correlations(500, &[0.6, 0.3, 0.2, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05], 66);
    let noise = random_mat(500, 3, 67);
    let with = |view: &Mat<f64>, carrier: usize| {
        Mat::from_fn(500, 12, |i, j| match j {
            0..10 => 10.0 * view[(i, j)],
            10 => noise[(i, carrier)],
            _ => noise[(i, carrier)] + share * noise[(i, 2)],
        })
    };
    (with(&x, 0), with(&y, 1))
}

#[test]
fn a_certificate_exposes_a_fit_that_stopped_too_early() {
    let (x, y) = hidden_in_a_difference(1e-5);
    let truth = dense_correlations(&x, &y, true);
    assert!(truth[0] > 0.99 && truth[1] < 0.7, "{truth:?}");
    let found = fit(&pair_of(&x, &y), &Settings::new(Method::lobpcg(), 1).scale(Scale::No), &()).unwrap();
    assert!(found.converged && found.model.objective[0] > 0.99, "{:?}", found.model.objective);
    let claimants = [Method::g_cca(30, 200), Method::l_cca(30, 100, 4)];
    for method in claimants {
        let settings = Settings::new(method, 1).scale(Scale::No);
        let plain = fit(&pair_of(&x, &y), &settings, &()).unwrap();
        assert!(
            plain.converged && plain.model.objective[0] < 0.7,
            "{}: {:?}",
            method.name(),
            plain.model.objective
        );
        let (certified, certificate) = check(&x, &y, &settings);
        assert!(
            !certified.converged
                && certified.missing * certified.model.objective.iter().sum::<f64>()
                    >= certificate.gain * (1.0 - 1e-12),
            "{certified:?}"
        );
        assert!(certificate.gain > 0.1, "{}: {certificate:?}", method.name());
        assert!(
            certified.notes.iter().any(|note| matches!(note, Note::StoppedTooEarly { .. })),
            "{:?}",
            certified.notes
        );
        let far = |note: &Note| matches!(note, Note::BoundsFarAboveResiduals { far: 1, pairs: 1, .. });
        assert!(certified.notes.iter().any(far), "{:?}", certified.notes);
        assert_eq!(certified.model, plain.model, "a certificate changes no model");
    }
    for method in [Method::exact(), als_by_cg(60)] {
        let (right, _) = check(&x, &y, &Settings::new(method, 1));
        assert!(right.converged && right.model.objective[0] > 0.99, "{:?}", right.notes);
    }
}

#[test]
fn too_few_steps_make_bounds_loose_but_not_wrong() {
    let (x, y) = views(400, 40, 25, 68);
    let pair = pair_of(&x, &y);
    for ridge in [0.0, 1e-3] {
        let settings =
            Settings { center: false, ridge_x: ridge, ridge_y: ridge, ..Settings::new(Method::als(2), 4) };
        let model = fit(&pair, &settings, &()).unwrap().model;
        let [ax, ay] = augmented(&x, &y, &settings);
        let truth = dense_correlations(&ax, &ay, false);
        let mut last = f64::INFINITY;
        for steps in [0, 2, 8, 500] {
            let squares = Side::BOTH.map(|side| pair.moments(side).unwrap().square.clone());
            let rows = Rows { pair: &pair, joint: None, space: &Host, squares, units: [1.0; 2] };
            let certificate = certify(&model, &rows, None, &(), Effort { steps, proof: 0.0 }).unwrap();
            for (theta, bound) in model.objective.iter().zip(&certificate.bounds) {
                assert!(
                    truth.iter().any(|d| (d - theta).abs() <= *bound),
                    "{steps} {certificate:?} {truth:?}"
                );
            }
            assert!(
                matches(&model.objective, &truth, certificate.together),
                "{steps} {certificate:?} {truth:?}"
            );
            assert!(certificate.together <= last, "more steps must not loosen bounds");
            last = certificate.together;
            assert!(certificate.loose == 0 || steps < 500, "{certificate:?}");
            assert!(certificate.loose == 4 || steps > 2, "{certificate:?}");
        }
    }
}

#[test]
fn fits_of_merged_rows_and_of_sparse_rows_are_certified() {
    let [x, y] = [0, 1].map(|view: usize| {
        let column = move |i: usize| ((i * i + view * (i / 3) % 4) % (23 - 6 * view)) as u32;
        crate::matrix::Matrix::from(
            crate::matrix::OneHotRows::new(23, (0..70_000).map(column).collect::<Vec<_>>().into()).unwrap(),
        )
    });
    let truth = dense_correlations(&to_dense(&x), &to_dense(&y), true);
    let sparse = [&x, &y].map(|view| sparse_from_dense(to_dense(view).as_ref()));
    let [sx, sy] = sparse;
    for pair in [InMemory::new(x, y).unwrap(), InMemory::new(sx, sy).unwrap()] {
        let mut fit = run(&pair, Method::lobpcg(), 3).unwrap();
        fit.certify(&pair, &()).unwrap();
        let certificate = fit.certificate.unwrap();
        for (theta, bound) in fit.model.objective.iter().zip(&certificate.bounds) {
            let nearest = truth.iter().map(|d| (d - theta).abs()).fold(f64::INFINITY, f64::min);
            assert!(nearest <= bound + 1e-12 && *bound < 0.1, "{nearest:e} {certificate:?}");
        }
    }
}

#[test]
fn a_model_without_pairs_is_certified_and_another_width_is_refused() {
    let x = Mat::from_fn(4, 1, |i, _| [1.0, -1.0][i % 2]);
    let y = Mat::from_fn(4, 1, |i, _| if i < 2 { 1.0 } else { -1.0 });
    for method in [Method::exact(), Method::als(5), Method::lobpcg()] {
        let mut fit = run(&pair_of(&x, &y), method, 1).unwrap();
        fit.certify(&pair_of(&x, &y), &()).unwrap();
        assert_eq!(fit.certificate.as_ref().unwrap().bounds.len(), fit.model.pairs());
        assert!(fit.certificate.unwrap().gain == 0.0);
        let wider = random_mat(4, 2, 1);
        assert!(
            fit.model.certify(&pair_of(&wider, &y), &()).unwrap_err().to_string().contains("X has 2 columns")
        );
    }
}

#[test]
fn a_fit_on_gram_matrices_is_certified_on_the_rows() {
    let pair = super::resume::tall_pair();
    let ridge = |method| Settings { ridge_x: 0.01, ridge_y: 0.01, ..Settings::new(method, 4) };
    let truth = fit(&pair, &ridge(Method::exact()), &()).unwrap().model.objective;
    let mut fit = fit(&pair, &ridge(Method::lobpcg()), &()).unwrap();
    let spent = fit.cost;
    fit.certify(&pair, &()).unwrap();
    assert!(spent.gram_passes > 3.0 && fit.cost == spent && fit.converged);
    let certificate = fit.certificate.unwrap();
    assert!(certificate.kind == Kind::Rigorous && certificate.passes >= 4.0);
    for (i, bound) in certificate.bounds.iter().enumerate() {
        let distance = (fit.model.objective[i] - truth[i]).abs();
        assert!(distance <= bound + 1e-12 && *bound < 0.01, "{i}: {distance:e} {bound:e}");
    }
}
