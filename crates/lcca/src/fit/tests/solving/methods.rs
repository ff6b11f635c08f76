//! Each method on random problems, against dense computations that share no code with it.

use crate::data::{Shards, Side};
use crate::fit::tests::*;
use crate::matrix::{Matrix, OneHotRows};
use crate::method::Scale;
use crate::testing::{
    dense_correlations, dense_objective, random_mat, sparse_from_dense, to_dense, with_correlations,
};

/// Correlated views of different widths and column scales.
fn views(n: usize, p: usize, q: usize, seed: u64) -> (Mat<f64>, Mat<f64>) {
    let (x, noise) = (random_mat(n, p, seed), random_mat(n, q, seed + 1));
    let mix = random_mat(p, q, seed + 2);
    let y = &x * mix + noise * (2.0 + p as f64);
    let shifted = |view: &Mat<f64>| {
        Mat::from_fn(view.nrows(), view.ncols(), |i, j| {
            (view[(i, j)] + j as f64) * 10f64.powi(j as i32 % 3 - 1)
        })
    };
    (shifted(&x), shifted(&y))
}

#[test]
fn exact_and_als_agree_with_dense_svds() {
    for (n, p, q, k) in [(1500, 50, 40, 10), (300, 7, 55, 5), (60, 1, 1, 1), (40, 3, 2, 2)] {
        let (x, y) = views(n, p, q, n as u64);
        let pair = pair_of(&x, &y);
        for center in [true, false] {
            let truth = &dense_correlations(&x, &y, center)[..k];
            for method in [Method::exact(), Method::als(600)] {
                let fit = fit(&pair, &Settings { center, ..Settings::new(method, k) }, &()).unwrap();
                let gap = gap(&fit.model.correlations, truth);
                assert!(gap < 1e-9, "{} n={n} p={p} q={q}: {gap:e}", method.name());
                assert!((fit.model.total - truth.iter().sum::<f64>()).abs() < 1e-8);
                assert!(fit.model.residuals.iter().all(|&r| r < 1e-5) && fit.converged);
            }
        }
    }
}

#[test]
fn sparse_and_dense_storage_and_shards_give_the_same_model() {
    let (x, y) = views(400, 12, 9, 5);
    let thin = |view: &Mat<f64>| {
        Mat::from_fn(400, view.ncols(), |i, j| if (i * 7 + j) % 3 == 0 { view[(i, j)] } else { 0.0 })
    };
    let (x, y) = (thin(&x), thin(&y));
    let dense = pair_of(&x, &y);
    let (sx, sy) = (sparse_from_dense(x.as_ref()), sparse_from_dense(y.as_ref()));
    let shard = |rows: std::ops::Range<usize>| {
        Box::new(InMemory::new(sx.slice(rows.clone()), sy.slice(rows)).unwrap()) as Box<dyn Pair>
    };
    let shards = Shards::new(vec![shard(0..100), shard(100..101), shard(101..400)]).unwrap();
    let sparse = InMemory::new(sx.clone(), sy.clone()).unwrap();
    for method in every_method() {
        let name = method.name();
        // Dense views have no sparse Gram matrices to factorize.
        let on_dense = if method == Method::shift_invert() { Method::exact() } else { method };
        let a = run(&dense, on_dense, 4).unwrap().model;
        for other in [&sparse as &dyn Pair, &shards].map(|pair| run(pair, method, 4).unwrap().model) {
            assert!(gap(&a.correlations, &other.correlations) < 1e-8, "{name}");
        }
    }
}

#[test]
fn a_ridge_gives_the_regularized_objective() {
    let (x, y) = views(300, 20, 15, 9);
    let pair = pair_of(&x, &y);
    for ridge in [0.01, 1.0] {
        let truth = &dense_objective(&x, &y, ridge)[..4];
        for method in [Method::exact(), Method::als(600), Method::l_cca(300, 60, 10)] {
            let settings = Settings::new(method, 4).center(false).ridge(ridge).scale(Scale::No);
            let model = fit(&pair, &settings, &()).unwrap().model;
            assert!(
                gap(&model.objective, truth) < 1e-6,
                "{} {ridge}: {:?} {truth:?}",
                method.name(),
                model.objective
            );
            assert!(
                gap(&model.objective, &model.correlations) > 1e-4,
                "objective and correlation must differ under a ridge"
            );
        }
        let exact = Settings::new(Method::exact(), 4).center(false).ridge(ridge).scale(Scale::No);
        assert!(gap(&fit(&pair, &exact, &()).unwrap().model.objective, truth) < 1e-10);
    }
}

/// Two related one-hot views.
fn one_hot(n: usize, p: usize, q: usize) -> [Matrix; 2] {
    let x: Vec<u32> = (0..n).map(|i| ((i * i + i / 3) % p) as u32).collect();
    let y: Vec<u32> = (0..n).map(|i| ((x[i] as usize * 3 + (i * 7 / 5) % 4) % q) as u32).collect();
    [OneHotRows::new(p, x.into()).unwrap().into(), OneHotRows::new(q, y.into()).unwrap().into()]
}

#[test]
fn d_cca_is_exact_if_the_gram_matrix_is_diagonal() {
    let [x, y] = one_hot(1900, 23, 17);
    let truth = dense_correlations(&to_dense(&x), &to_dense(&y), false);
    let pair = InMemory::new(x, y).unwrap();
    let (d_cca, als) = (uncentered(&pair, Method::d_cca(600), 5), uncentered(&pair, Method::als(600), 5));
    assert!(gap(&d_cca.model.correlations, &truth[..5]) < 1e-9);
    assert!(gap(&als.model.correlations, &d_cca.model.correlations) < 1e-9);
    let (d_cca, als) = (uncentered(&pair, Method::d_cca(3), 5), uncentered(&pair, Method::als(3), 5));
    assert!(
        gap(&als.model.correlations, &d_cca.model.correlations) < 1e-9,
        "the same iterates from the same start"
    );
}

#[test]
fn g_cca_and_l_cca_converge_to_the_truth_as_t1_and_t2_grow() {
    let (x, y) = with_correlations(500, &[0.9, 0.8, 0.7, 0.5, 0.4, 0.3, 0.2, 0.1], 21);
    let pair = pair_of(&x, &y);
    let truth = 0.9 + 0.8 + 0.7;
    let missing = |method| truth - run(&pair, method, 3).unwrap().model.total;
    let l_cca = [(2, 1), (10, 10), (100, 100)].map(|(t1, t2)| missing(Method::l_cca(t1, t2, 4)));
    let g_cca = [(2, 1), (10, 30), (100, 300)].map(|(t1, t2)| missing(Method::g_cca(t1, t2)));
    for gaps in [l_cca, g_cca] {
        assert!(gaps[0] > gaps[1] && gaps[1] > gaps[2] && gaps[2] < 1e-6, "{gaps:?}");
        assert!(gaps[2] > -1e-9, "no method captures more than the truth: {gaps:?}");
    }
}

#[test]
fn l_cca_without_singular_vectors_is_g_cca() {
    let (x, y) = views(300, 14, 11, 22);
    let pair = pair_of(&x, &y);
    let l_cca = run(&pair, Method::l_cca(4, 7, 0), 3).unwrap();
    let g_cca = run(&pair, Method::g_cca(4, 7), 3).unwrap();
    assert_eq!(l_cca.model.x.weights, g_cca.model.x.weights);
    assert_eq!(l_cca.model.correlations, g_cca.model.correlations);
    assert_eq!(l_cca.cost, g_cca.cost);
}

#[test]
fn l_cca_without_gradient_steps_is_rp_cca() {
    let (x, y) = views(300, 24, 21, 23);
    let pair = pair_of(&x, &y);
    let l_cca = run(&pair, Method::l_cca(600, 0, 8), 3).unwrap();
    let rp_cca = run(&pair, Method::rp_cca(8), 3).unwrap();
    assert!(gap(&l_cca.model.correlations, &rp_cca.model.correlations) < 1e-9);
    let exact = run(&pair, Method::exact(), 3).unwrap();
    assert!(exact.model.total > rp_cca.model.total + 1e-3, "eight components must not suffice here");
}

#[test]
fn rp_cca_with_every_component_is_exact() {
    let (x, y) = views(300, 12, 10, 24);
    let pair = pair_of(&x, &y);
    let all = run(&pair, Method::rp_cca(12), 3).unwrap();
    let exact = run(&pair, Method::exact(), 3).unwrap();
    assert!(gap(&all.model.correlations, &exact.model.correlations) < 1e-9);
}

#[test]
fn the_same_settings_give_the_same_bits() {
    let (x, y) = views(300, 14, 11, 25);
    let pair = InMemory::new(sparse_from_dense(x.as_ref()), sparse_from_dense(y.as_ref())).unwrap();
    for method in every_method() {
        let name = method.name();
        assert_eq!(run(&pair, method, 3).unwrap().model, run(&pair, method, 3).unwrap().model, "{name}");
    }
}

#[test]
fn the_largest_weight_of_every_x_column_is_positive() {
    let (x, y) = views(300, 14, 11, 26);
    let model = run(&pair_of(&x, &y), Method::exact(), 5).unwrap().model;
    for j in 0..5 {
        let largest =
            (0..14).map(|i| model.x.weights.row(i)[j]).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap();
        assert!(largest > 0.0);
    }
}

#[test]
fn weights_satisfy_the_definition() {
    let (x, y) = views(300, 14, 11, 27);
    let fit = uncentered(&pair_of(&x, &y), Method::exact(), 4);
    let (zx, zy) = (&x * fit.model.x.weights.as_mat(), &y * fit.model.y.weights.as_mat());
    for i in 0..4 {
        for j in 0..4 {
            let expected = |diagonal: f64| if i == j { diagonal } else { 0.0 };
            assert!((zx.col(i).transpose() * zx.col(j) - expected(1.0)).abs() < 1e-10);
            assert!((zy.col(i).transpose() * zy.col(j) - expected(1.0)).abs() < 1e-10);
            assert!((zx.col(i).transpose() * zy.col(j) - expected(fit.model.correlations[i])).abs() < 1e-10);
        }
    }
}

/// The Pearson correlation of two lists.
fn pearson(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let sum = |f: &dyn Fn(usize) -> f64| (0..a.len()).map(f).sum::<f64>();
    let cov = sum(&|i| (a[i] - ma) * (b[i] - mb));
    cov / (sum(&|i| (a[i] - ma).powi(2)) * sum(&|i| (b[i] - mb).powi(2))).sqrt()
}

#[test]
fn transformed_rows_correlate_as_the_score_says() {
    let (x, y) = views(900, 14, 11, 28);
    let part = |view: &Mat<f64>, from: usize, to: usize| view.subrows(from, to - from).to_owned();
    let model = run(&pair_of(&part(&x, 0, 600), &part(&y, 0, 600)), Method::exact(), 4).unwrap().model;
    for (from, to) in [(0, 600), (600, 900)] {
        let pair = pair_of(&part(&x, from, to), &part(&y, from, to));
        let scores = model.score(&pair).unwrap();
        let zx = model.transform_all(Side::X, pair.view(Side::X)).unwrap();
        let zy = model.transform_all(Side::Y, pair.view(Side::Y)).unwrap();
        for j in 0..4 {
            let column = |z: &crate::matrix::Panel| (0..to - from).map(|i| z.row(i)[j]).collect::<Vec<_>>();
            assert!((pearson(&column(&zx), &column(&zy)) - scores.correlations[j]).abs() < 1e-10);
        }
        assert!(scores.captured >= scores.total - 1e-12);
    }
    let training = model.score(&pair_of(&part(&x, 0, 600), &part(&y, 0, 600))).unwrap();
    assert!(gap(&training.correlations, &model.correlations) < 1e-12);
    assert!((training.captured - model.total).abs() < 1e-12);
}

#[test]
fn loadings_are_correlations_of_columns_with_canonical_variables() {
    let (x, y) = views(200, 6, 5, 29);
    let pair = pair_of(&x, &y);
    let model = run(&pair, Method::exact(), 2).unwrap().model;
    let z = model.transform_all(Side::X, pair.view(Side::X)).unwrap();
    for column in 0..6 {
        for j in 0..2 {
            let (a, b): (Vec<f64>, Vec<f64>) = (0..200).map(|i| (x[(i, column)], z.row(i)[j])).unzip();
            assert!((pearson(&a, &b) - model.x.loadings.row(column)[j]).abs() < 1e-10);
        }
    }
}

#[test]
fn a_model_refuses_rows_of_another_width() {
    let (x, y) = views(100, 6, 5, 30);
    let pair = pair_of(&x, &y);
    let model = run(&pair, Method::exact(), 2).unwrap().model;
    let error = model.score(&pair_of(&y, &y)).unwrap_err().to_string();
    assert!(error.contains("X has 5 columns, expected the 6 the model was trained on"), "{error}");
    assert!(model.transform_all(Side::Y, pair.view(Side::X)).is_err());
}

/// R's LifeCycleSavings: population shares (pop15, pop75) against savings, income and its growth.
/// `cancor` of R 4.2 prints 0.8247966 0.3652762.
#[test]
fn life_cycle_savings_have_the_correlations_that_r_prints() {
    let table: Vec<f64> = include_str!("life_cycle_savings.txt")
        .split_whitespace()
        .map(|field| field.parse().unwrap())
        .collect();
    let column = |row: usize, column: usize| table[row * 5 + column];
    let x = Mat::from_fn(50, 2, |i, j| column(i, 1 + j));
    let y = Mat::from_fn(50, 3, |i, j| column(i, [0, 3, 4][j]));
    let truth = [0.8247966112, 0.3652761515];
    for method in [Method::exact(), Method::als(200)] {
        let model = run(&pair_of(&x, &y), method, 2).unwrap().model;
        assert!(gap(&model.correlations, &truth) < 1e-9, "{:?}", model.correlations);
    }
}

#[test]
fn fits_cost_the_planned_number_of_passes() {
    let (x, y) = views(300, 14, 11, 31);
    let pair = pair_of(&x, &y);
    for method in every_method() {
        let name = method.name();
        if [Method::lobpcg(), Method::shift_invert(), Method::auto()].contains(&method) {
            continue;
        }
        let fit = run(&pair, method, 3).unwrap();
        assert_eq!(fit.cost.passes, fit.model.settings.planned_passes(), "{name}");
    }
}
