//! Data on which a careless computation goes wrong by rounding, scales or empty columns.

use crate::data::Side;
use crate::fit::tests::*;
use crate::method::Scale;
use crate::testing::{random_mat, with_correlations};

/// Every method, with enough iterations to converge on small data.
fn all_methods() -> [Method; 7] {
    [
        Method::lobpcg(),
        Method::exact(),
        Method::als(300),
        Method::d_cca(300),
        Method::g_cca(100, 51),
        Method::l_cca(100, 38, 100),
        Method::rp_cca(500),
    ]
}

#[test]
fn views_without_any_correlation_are_an_answer() {
    let x = Mat::from_fn(4, 1, |i, _| [1.0, -1.0][i % 2]);
    let y = Mat::from_fn(4, 1, |i, _| if i < 2 { 1.0 } else { -1.0 });
    let sparse = |view: &Mat<f64>| crate::testing::sparse_from_dense(view.as_ref());
    for pair in [pair_of(&x, &y), InMemory::new(sparse(&x), sparse(&y)).unwrap()] {
        for method in all_methods() {
            let model = run(&pair, method, 1).unwrap().model;
            assert!(model.correlations.iter().all(|&c| c == 0.0) && model.total == 0.0, "{}", method.name());
            let scores = model.transform_all(Side::X, pair.view(Side::X)).unwrap();
            assert_eq!((scores.rows(), scores.cols()), (4, model.pairs()));
            assert_eq!(model.score(&pair).unwrap().total, 0.0);
        }
    }
}

#[test]
fn one_hot_views_in_which_nothing_correlates_are_an_answer() {
    for (p, q) in [(2, 2), (3, 2), (5, 4)] {
        // Every column of X occurs once with every column of Y.
        let view = |cols: u32, column: fn(u32, u32) -> u32| {
            let columns: Vec<u32> = (0..p * q).map(|row| column(row, q)).collect();
            crate::matrix::OneHotRows::new(cols as usize, columns.into()).unwrap()
        };
        let (x, y) = (view(p, |row, q| row / q), view(q, |row, q| row % q));
        let pair = InMemory::new(x.into(), y.into()).unwrap();
        for method in all_methods() {
            for settings in [Settings::new(method, 1), Settings::new(method, 1).structure(false).ridge(0.1)] {
                let model = fit(&pair, &settings, &()).unwrap().model;
                assert!(model.total.is_sign_positive() && model.total < 1e-6, "{method}: {}", model.total);
            }
        }
    }
}

#[test]
fn a_huge_ridge_shrinks_a_variance_and_not_the_correlation() {
    let shared = random_mat(300, 1, 1);
    let view = |seed: u64| {
        let noise = random_mat(300, 3, seed);
        Mat::from_fn(300, 3, |i, j| if j == 0 { shared[(i, 0)] } else { noise[(i, j)] })
    };
    let pair = pair_of(&view(2), &view(3));
    for ridge in [1.0, 1e6, 2e12] {
        let settings = Settings { ridge_x: ridge, ..Settings::new(Method::lobpcg(), 1) };
        let model = fit(&pair, &settings, &()).unwrap().model;
        assert!(model.correlations[0] > 0.9, "{ridge:e}: {}", model.correlations[0]);
    }
}

/// Sparse 0/1 views of many columns with few entries, some of them empty. Their Gram matrices have sparse
/// factors.
fn sparse_views() -> [Mat<f64>; 2] {
    let mut views = [0, 1].map(|_| Mat::zeros(900, 60));
    for i in 0..900 {
        let topic = i * 17 % 20;
        views[0][(i, 3 * topic + i % 2)] = 1.0;
        views[1][(i, 3 * ((topic + usize::from(i % 7 == 0)) % 20) + i % 5 % 2)] = 1.0;
    }
    views
}

#[test]
fn empty_columns_do_not_stop_a_sparse_factorization() {
    let [x, y] = sparse_views();
    let sparse = |view: &Mat<f64>| crate::testing::sparse_from_dense(view.as_ref());
    let pairs = [InMemory::new(sparse(&x), sparse(&y)).unwrap(), pair_of(&x, &y)];
    for (center, ridge) in [(true, 0.0), (false, 0.0), (true, 0.1)] {
        let [sparse, dense] = pairs.each_ref().map(|pair| {
            let method = Method::als(30);
            let settings = Settings { center, ridge_x: ridge, ridge_y: ridge, ..Settings::new(method, 3) };
            fit(pair, &settings, &()).unwrap().model
        });
        assert!(gap(&sparse.objective, &dense.objective) < 1e-8, "centered {center}, ridge {ridge}");
    }
}

#[test]
fn a_constant_column_of_any_size_changes_nothing() {
    let (x, y) = with_correlations(400, &[0.9, 0.8, 0.6, 0.3], 41);
    let truth = [0.9, 0.8, 0.6];
    for constant in [0.1, 1000.1, 1e6 / 3.0, 1e8 / 7.0, 1e12 / 3.0] {
        let with_constant = Mat::from_fn(400, 5, |i, j| if j < 4 { x[(i, j)] } else { constant });
        for method in all_methods().into_iter().filter(|method| method.name() != "d-cca") {
            let model = run(&pair_of(&with_constant, &y), method, 3).unwrap().model;
            assert!(
                gap(&model.correlations, &truth) < 1e-6,
                "{} {constant}: {:?}",
                method.name(),
                model.correlations
            );
        }
    }
}

#[test]
fn columns_may_differ_in_scale_by_any_factor() {
    let (x, y) = with_correlations(400, &[0.9, 0.8, 0.6, 0.3], 42);
    for scales in [[1e-20, 1.0, 1.0, 1.0], [1e-12, 1.0, 1.0, 1e12], [1e-30, 1e-10, 1e10, 1e30]] {
        let scaled = Mat::from_fn(400, 4, |i, j| x[(i, j)] * scales[j]);
        for method in [Method::exact(), Method::als(300)] {
            let model = run(&pair_of(&scaled, &y), method, 3).unwrap().model;
            let gap = gap(&model.correlations, &[0.9, 0.8, 0.6]);
            assert!(gap < 1e-9, "{} {scales:?}: {:?}", method.name(), model.correlations);
        }
    }
}

#[test]
fn a_constant_column_of_very_many_rows_is_still_constant() {
    let rows = 1_000_000;
    let noise = random_mat(rows, 3, 43);
    let x = Mat::from_fn(rows, 2, |i, j| if j == 0 { noise[(i, 0)] + noise[(i, 1)] } else { 0.1 });
    let y = Mat::from_fn(rows, 2, |i, j| if j == 0 { noise[(i, 0)] + noise[(i, 2)] } else { 0.1 });
    let pair = pair_of(&x, &y);
    let centered = crate::data::Centered::new(&pair).unwrap();
    assert_eq!([Side::X, Side::Y].map(|side| centered.moments(side).unwrap().square[1]), [0.0; 2]);
    for method in [Method::d_cca(2), Method::g_cca(2, 2), Method::rp_cca(2)] {
        let model = run(&pair, method, 2).unwrap().model;
        assert!(model.pairs() == 1 && (model.correlations[0] - 0.5).abs() < 0.01, "{}", method.name());
    }
}

#[test]
fn moments_cached_with_another_number_of_threads_change_no_bits() {
    let (x, y) = with_correlations(997, &[0.9, 0.8, 0.6, 0.3], 44);
    let shifted = Mat::from_fn(997, 4, |i, j| x[(i, j)] + 1.0 / 3.0);
    let fit_on = |threads: usize, pair: &InMemory| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(pair, Method::d_cca(5), 2).unwrap().model)
    };
    let used = pair_of(&shifted, &y);
    fit_on(1, &used);
    for threads in [2, 3] {
        assert_eq!(fit_on(threads, &used), fit_on(threads, &pair_of(&shifted, &y)));
    }
}

#[test]
fn singular_values_of_very_different_sizes_all_come_out() {
    let (x, y) = with_correlations(400, &[0.9, 0.8, 0.6, 0.3], 45);
    let spread = Mat::from_fn(400, 4, |i, j| x[(i, j)] * 10f64.powi(1 - j as i32));
    let wide = Mat::from_fn(400, 4, |i, j| x[(i, j)] * 10f64.powi(2 - 2 * j as i32));
    for (view, tolerance) in [(spread, 1e-9), (wide, 1e-6)] {
        let pair = pair_of(&view, &y);
        let centered = crate::data::Centered::new(&pair).unwrap();
        let svd = crate::svd::randomized(&centered, Side::X, usize::MAX, &Default::default()).unwrap();
        let truth = view.singular_values().unwrap();
        assert_eq!(svd.s.len(), 4);
        assert!(svd.s.iter().zip(&truth).all(|(s, t)| (s / t - 1.0).abs() < 1e-3), "{:?} {truth:?}", svd.s);
        let model = run(&pair, Method::rp_cca(500), 3).unwrap().model;
        assert!(gap(&model.correlations, &[0.9, 0.8, 0.6]) < tolerance, "{:?}", model.correlations);
    }
}

#[test]
fn rare_empty_rows_are_a_direction_of_their_own() {
    use crate::matrix::OneHotRows;
    for weight in [1e4, 1e6, 1e8] {
        let empty = |i: usize| i.is_multiple_of(100);
        let column =
            |i: usize, p: usize| if empty(i) { OneHotRows::EMPTY } else { (i * i * 7 / 3 % p) as u32 };
        let [x, y] = [6, 5].map(|p| {
            OneHotRows::new(p, (0..300).map(|i| column(i, p)).collect::<Vec<_>>().into()).unwrap().into()
        });
        let weights: Vec<f64> = (0..300).map(|i| if empty(i) { 1.0 } else { weight }).collect();
        let pair = InMemory::new(x, y).unwrap().weighted(weights.into()).unwrap();
        for method in [Method::exact(), Method::als(100)] {
            let model = run(&pair, method, 2).unwrap().model;
            assert!(model.correlations[0] > 0.999, "{} {weight:e}: {:?}", method.name(), model.correlations);
        }
    }
}

#[test]
fn a_fit_that_stops_early_under_a_heavy_ridge_is_not_converged() {
    let (x, y) = with_correlations(400, &[0.9, 0.8, 0.6, 0.3], 46);
    let pair = pair_of(&x, &y);
    let fitted = |t1: usize| {
        let method = Method::als(t1);
        fit(&pair, &Settings { ridge_x: 1e6, ridge_y: 1e6, ..Settings::new(method, 2) }, &()).unwrap()
    };
    let (short, long) = (fitted(1), fitted(300));
    assert!(short.model.objective[0] < 0.99 * long.model.objective[0]);
    assert!(!short.converged && long.converged, "{:?} {:?}", short.model.residuals, long.model.residuals);
}

#[test]
fn methods_that_see_only_leading_components_do_not_claim_convergence() {
    let block = |strong: &Mat<f64>, weak: &Mat<f64>| {
        Mat::from_fn(400, 4, |i, j| if j < 2 { 100.0 * strong[(i, j)] } else { weak[(i, j - 2)] })
    };
    let (strong, weak) = (with_correlations(400, &[0.3, 0.2], 1), with_correlations(400, &[0.95, 0.9], 2));
    let pair = pair_of(&block(&strong.0, &weak.0), &block(&strong.1, &weak.1));
    for method in [Method::rp_cca(2), Method::l_cca(50, 0, 2)] {
        let settings = Settings::new(method, 2).scale(Scale::No);
        let fit = fit(&pair, &settings, &()).unwrap();
        assert!(fit.model.total < 1.0 && !fit.converged, "{}", method.name());
    }
    assert!(run(&pair, Method::rp_cca(5), 2).unwrap().converged);
}
