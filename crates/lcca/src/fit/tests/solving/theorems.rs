//! The paper's theorems, measured on data whose correlations and spectra are known.

use crate::data::{Centered, Normal, Side};
use crate::fit::tests::*;
use crate::matrix::Panel;
use crate::metric;
use crate::solve::{LeastSquares, Ling, Resources, SOLVERS, Solver, project};
use crate::svd;
use crate::testing::{orthonormal, random_mat, random_panel, with_correlations};

const D: [f64; 8] = [0.95, 0.9, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1];

/// The distance of the fitted subspace of X from the true one.
fn error(pair: &InMemory, truth: &Panel, method: Method, k: usize, seed: u64) -> f64 {
    let settings = Settings { seed, ..Settings::new(method, k) };
    let model = fit(pair, &settings, &()).unwrap().model;
    metric::distance(&Centered::new(pair).unwrap(), Side::X, &model.x.weights, truth).unwrap()
}

/// A pair with the correlations [`D`], and its true weights of X.
fn known(k: usize) -> (InMemory, Panel) {
    let (x, y) = with_correlations(400, &D, 3);
    let pair = pair_of(&x, &y);
    let truth = run(&pair, Method::exact(), k).unwrap().model;
    assert!(gap(&truth.correlations, &D[..k]) < 1e-10);
    (pair, truth.x.weights)
}

/// The slope of the least-squares line through the points (0, y₀), (1, y₁), ….
fn slope(y: &[f64]) -> f64 {
    let n = y.len() as f64;
    let (mx, my) = ((n - 1.0) / 2.0, y.iter().sum::<f64>() / n);
    let top: f64 = y.iter().enumerate().map(|(i, y)| (i as f64 - mx) * (y - my)).sum();
    top / (0..y.len()).map(|i| (i as f64 - mx).powi(2)).sum::<f64>()
}

#[test]
fn theorem_1_the_true_subspace_is_reached_from_any_start() {
    let (pair, truth) = known(3);
    for seed in 0..10 {
        let errors = [2, 10, 60].map(|t1| error(&pair, &truth, Method::als(t1), 3, seed));
        assert!(errors[0] > errors[1] && errors[2] < 1e-8, "seed {seed}: {errors:?}");
    }
}

/// X with the given singular values.
fn with_spectrum(rows: usize, s: &[f64], seed: u64) -> Mat<f64> {
    let (u, v) = (orthonormal(rows, s.len(), seed, false), orthonormal(s.len(), s.len(), seed + 1, false));
    Mat::from_fn(rows, s.len(), |i, j| u[(i, j)] * s[j]) * v.transpose()
}

/// ‖Y* − Ŷ‖² for each column, with Y* the exact projection on span(X).
fn ling_errors(pair: &InMemory, exact: &Panel, rhs: &Panel, k_pc: usize, steps: usize) -> Vec<f64> {
    let normal = Normal::absolute(pair, Side::X, 0.0);
    let options = svd::Options { power: 40, ..svd::Options::default() };
    let mut error = Ling::new(normal, k_pc, steps, &options).unwrap().solve(rhs, None).unwrap().weights;
    crate::panels::subtract(&mut error, exact);
    let mut product = Panel::zeros(error.rows(), error.cols());
    normal.apply(&error, &mut product).unwrap();
    crate::panels::column_dots(&error, &product)
}

#[test]
fn theorem_2_the_error_of_ling_is_never_above_its_bound() {
    let spectra: [Vec<f64>; 3] = [
        (0..20).map(|i| 1.5f64.powi(-i)).collect(),
        (0..20).map(|i| if i < 5 { 100.0 } else { 3.0 - 0.1 * i as f64 }).collect(),
        (0..20).map(|i| 10.0 / (1.0 + i as f64)).collect(),
    ];
    for (case, spectrum) in spectra.iter().enumerate() {
        let x = with_spectrum(120, spectrum, 50 + case as u64);
        let pair = pair_of(&x, &random_mat(120, 4, 60));
        let mut rhs = Panel::zeros(20, 4);
        let identity = Panel::from_fn(4, 4, |i, j| f64::from(i == j));
        pair.pass(&mut crate::data::Ask::new().source(Side::Y, &identity).to(Side::X, &mut rhs)).unwrap();
        let resources = Resources { memory: u64::MAX, svd: svd::Options::default(), tol: 1e-12 };
        let exact =
            project(&pair, Side::X, &identity, &Solver::new(SOLVERS[0]), 0.0, &resources).unwrap().weights;
        for k_pc in [0, 5, 10] {
            let (top, bottom) = (spectrum[k_pc].powi(2), spectrum[19].powi(2));
            let r = (top - bottom) / (top + bottom);
            let start = ling_errors(&pair, &exact, &rhs, k_pc, 0);
            for steps in [1, 2, 5, 20, 80] {
                let errors = ling_errors(&pair, &exact, &rhs, k_pc, steps);
                for (error, start) in errors.iter().zip(&start) {
                    let bound = r.powi(2 * steps as i32) * start;
                    assert!(
                        *error <= bound * (1.0 + 1e-6) + 1e-18,
                        "case {case} k_pc {k_pc} t2 {steps}: {error:e} {bound:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn theorem_3_exact_solves_gain_the_squared_gap_per_iteration() {
    for k in [2, 3] {
        let (pair, truth) = known(k);
        let errors: Vec<f64> = (20..40).map(|t1| error(&pair, &truth, Method::als(t1), k, 1).ln()).collect();
        let (measured, expected) = (slope(&errors), 2.0 * (D[k] / D[k - 1]).ln());
        assert!((measured / expected - 1.0).abs() < 0.05, "k {k}: {measured} {expected}");
    }
}

/// The paper bounds the floor by r^(2·t2). Its own theorem 2 bounds the *squared* error of a solve by
/// r^(2·t2). The distance is linear in that error, so we can expect it to fall only like r^t2, and measure
/// that.
#[test]
fn theorem_3_inexact_solves_level_off_at_a_floor_that_falls_geometrically() {
    let (x, y) = with_correlations(400, &D, 3);
    let spectrum: Vec<f64> = (0..8).map(|i| 3.0 - 2.0 * i as f64 / 7.0).collect();
    let white = |view: &Mat<f64>| view.thin_svd().unwrap().U().to_owned();
    let turn = orthonormal(8, 8, 77, false);
    let shaped = |view: &Mat<f64>| {
        let white = white(view) * &turn;
        Mat::from_fn(400, 8, |i, j| white[(i, j)] * spectrum[j]) * orthonormal(8, 8, 78, false)
    };
    let pair = pair_of(&shaped(&x), &shaped(&y));
    let truth = run(&pair, Method::exact(), 3).unwrap().model.x.weights;
    let floors: Vec<f64> = (2..14)
        .map(|t2| {
            let [first, longer] = [60, 90].map(|t1| error(&pair, &truth, Method::g_cca(t1, t2), 3, 1));
            assert!(
                (first / longer).ln().abs() < 0.5 || first < 1e-7,
                "must level off: {first:e} {longer:e}"
            );
            longer.ln()
        })
        .collect();
    let r: f64 = (9.0 - 1.0) / (9.0 + 1.0);
    let rate = slope(&floors).exp();
    println!("the floor falls by {rate:.4} per step; r = {r:.4}, r² = {:.4}", r * r);
    assert!(rate < r * 1.05, "must fall at least as fast as r per step: {rate} {r}");
    assert!(floors.windows(3).all(|f| f[2] < f[0]), "{floors:?}");
}

#[test]
fn the_distance_of_definition_2_is_the_norm_of_the_difference_of_projections() {
    let x = random_mat(60, 9, 5);
    let pair = pair_of(&x, &x);
    let (w1, w2) = (random_panel(9, 3, 6), random_panel(9, 3, 7));
    let projection = |w: &Panel| {
        let u = (&x * w.as_mat()).thin_svd().unwrap().U().to_owned();
        &u * u.transpose()
    };
    let truth = (projection(&w1) - projection(&w2)).singular_values().unwrap()[0];
    assert!((metric::distance(&pair, Side::X, &w1, &w2).unwrap() - truth).abs() < 1e-12);
    assert!(metric::distance(&pair, Side::X, &w1, &w1).unwrap() < 1e-14);
    let wider = crate::panels::beside(&w1, &w2);
    assert_eq!(metric::distance(&pair, Side::X, &w1, &wider).unwrap(), 1.0);
    let angles = metric::principal_angles(&pair, Side::X, &w1, &wider).unwrap();
    assert!(angles.len() == 3 && angles[2] < 1e-7, "contained: {angles:?}");
}

#[test]
fn small_distances_are_accurate() {
    let x = random_mat(60, 9, 8);
    let pair = pair_of(&x, &x);
    let (w, noise) = (random_panel(9, 2, 9), random_panel(9, 2, 10));
    let moved = |by: f64| {
        let mut moved = w.clone();
        crate::panels::add_scaled(&mut moved, by, &noise);
        metric::distance(&pair, Side::X, &w, &moved).unwrap()
    };
    let unit = moved(1e-4) / 1e-4;
    for by in [1e-6, 1e-9, 1e-11] {
        assert!((moved(by) / by / unit - 1.0).abs() < 1e-3, "{by:e}: {}", moved(by));
    }
}

/// ‖(I − Q₁Q₁ᵀ)Q₂‖ and its other singular values, from QR of the explicit n×k matrices.
#[test]
fn sines_are_those_of_explicit_orthonormal_bases() {
    let x = random_mat(60, 9, 31);
    let pair = InMemory::new(from_dense(x.as_ref()), from_dense(x.as_ref())).unwrap();
    let (w1, w2, wider) = (random_panel(9, 3, 32), random_panel(9, 3, 33), random_panel(9, 5, 34));
    let basis = |w: &Panel| (&x * w.as_mat()).qr().compute_thin_Q();
    let (q1, q2) = (basis(&w1), basis(&w2));
    let rest = &q2 - &q1 * (q1.transpose() * &q2);
    let mut expected = rest.singular_values().unwrap();
    expected.reverse();
    let sines = metric::principal_sines(&pair, Side::X, &w1, &w2).unwrap();
    assert_eq!(sines.len(), 3);
    sines.iter().zip(&expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{sines:?} {expected:?}"));
    // Directions beyond the dimension of the smaller space are at the largest distance.
    let uneven = metric::principal_sines(&pair, Side::X, &w1, &wider).unwrap();
    assert_eq!((uneven.len(), uneven[3], uneven[4]), (5, 1.0, 1.0));
}
