//! Ridge paths, cross-validation and permutation tests.

use crate::data::{Cost, Side};
use crate::fit::path;
use crate::fit::tests::*;
use crate::fit::{
    FoldScores, Folds, PermutationTest, Selection, Watch, cross_validate, cross_validate_on, permutation_test,
};
use crate::matrix::{Matrix, OneHotRows, Panel};
use crate::testing::{
    from_dense, orthonormal, random_mat, random_panel, sparse_from_dense, with_correlations, zipf_rows,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const RIDGES: [f64; 4] = [0.1, 0.001, 1.0, 0.01];

/// Views that share `shared` hidden factors.
fn factors(rows: usize, cols: usize, shared: usize, seed: u64) -> (Mat<f64>, Mat<f64>) {
    let hidden = random_mat(rows, shared.max(1), seed);
    let view = |seed: u64| {
        let (mix, noise) = (random_mat(shared.max(1), cols, seed), random_mat(rows, cols, seed + 1));
        if shared == 0 { noise } else { &hidden * mix + noise }
    };
    (view(seed + 10), view(seed + 20))
}

#[test]
fn a_path_gives_the_answers_of_separate_fits() {
    let (x, y) = factors(300, 20, 3, 1);
    let one_hot = |seed: u64, cols: usize| -> Matrix {
        let noise = random_panel(4000, 1, seed);
        let column = |i: usize| ((noise.row(i)[0].abs() * 1e4) as usize % cols) as u32;
        OneHotRows::new(cols, (0..4000).map(column).collect::<Vec<_>>().into()).unwrap().into()
    };
    let cases = [
        (pair_of(&x, &y), Method::exact()),
        (pair_of(&x, &y), Method::gram()),
        (pair_of(&x, &y), Method::als(400)),
        (InMemory::new(zipf_rows(3000, 80, 6, 1), zipf_rows(3000, 60, 5, 1)).unwrap(), Method::lobpcg()),
        (InMemory::new(one_hot(1, 30), one_hot(1, 20)).unwrap(), Method::auto()),
    ];
    for (pair, method) in cases {
        for center in [true, false] {
            let settings = Settings { tol: 1e-10, center, ..Settings::new(method, 3) };
            let fits = path(&pair, &settings, &RIDGES, &()).unwrap();
            for (along, ridge) in fits.iter().zip(RIDGES) {
                let alone = Settings { ridge_x: ridge, ridge_y: ridge, ..settings.clone() };
                let alone = fit(&pair, &alone, &()).unwrap();
                let gap = gap(&along.model.objective, &alone.model.objective);
                assert!(gap < 1e-7, "{} at {ridge}: {gap:e}", method.name());
                assert_eq!(along.model.settings, alone.model.settings);
            }
        }
    }
}

#[test]
fn a_fit_along_a_path_starts_from_the_previous_one() {
    let pair = InMemory::new(zipf_rows(3000, 80, 6, 1), zipf_rows(3000, 60, 5, 1)).unwrap();
    let settings = Settings { tol: 1e-8, structure: false, ..Settings::new(Method::lobpcg(), 3) };
    let ridges: Vec<f64> = (0..6).map(|i| 0.1 * 0.8f64.powi(i)).collect();
    let passes = |fit: &Fit| fit.cost.passes;
    let along: f64 = path(&pair, &settings, &ridges, &()).unwrap()[1..].iter().map(passes).sum();
    let alone = |&ridge: &f64| {
        let settings = Settings { ridge_x: ridge, ridge_y: ridge, ..settings.clone() };
        passes(&fit(&pair, &settings, &()).unwrap())
    };
    let alone: f64 = ridges[1..].iter().map(alone).sum();
    assert!(along < 0.9 * alone, "{along} passes along the path, {alone} alone");
}

/// The selected rows of a dense matrix.
fn rows_of(all: &Mat<f64>, wanted: impl Fn(usize) -> bool) -> Mat<f64> {
    let rows: Vec<usize> = (0..all.nrows()).filter(|&i| wanted(i)).collect();
    Mat::from_fn(rows.len(), all.ncols(), |i, j| all[(rows[i], j)])
}

#[test]
fn cross_validation_equals_fits_and_scores_on_rows_cut_out_by_hand() {
    let (x, y) = factors(240, 12, 2, 3);
    for sparse in [false, true] {
        let stored =
            |m: &Mat<f64>| if sparse { sparse_from_dense(m.as_ref()) } else { from_dense(m.as_ref()) };
        let pair = InMemory::new(stored(&x), stored(&y)).unwrap();
        let settings = Settings { tol: 1e-10, ..Settings::new(Method::auto(), 2) };
        let selection = cross_validate(&pair, &settings, &[0.01, 1.0], 4, &()).unwrap();
        assert!(selection.converged);
        let folds = Folds::new(&pair, 4, settings.seed).unwrap();
        for (fold, scores) in selection.scores.iter().enumerate() {
            let held_out = folds.held_out(fold).unwrap();
            let is_held_out = |row: usize| held_out.weight(row) > 0.0;
            assert_eq!((0..240).filter(|&row| is_held_out(row)).count(), 60);
            let [x_in, y_in] = [&x, &y].map(|view| stored(&rows_of(view, |row| !is_held_out(row))));
            let [x_out, y_out] = [&x, &y].map(|view| stored(&rows_of(view, is_held_out)));
            for (score, ridge) in scores.iter().zip([0.01, 1.0]) {
                let settings = Settings { ridge_x: ridge, ridge_y: ridge, ..settings.clone() };
                let fit = fit(&InMemory::new(x_in.clone(), y_in.clone()).unwrap(), &settings, &()).unwrap();
                let by_hand = fit.model.score(&InMemory::new(x_out.clone(), y_out.clone()).unwrap()).unwrap();
                assert!((score - by_hand.total / 2.0).abs() < 1e-6, "{score} {by_hand:?}");
            }
        }
    }
}

/// Rows of zipf-distributed columns, sparse or one-hot, of which Gram matrices are small.
fn gram_pairs() -> [InMemory; 3] {
    let rows = 1200;
    let zipf = |cols: usize, seed: u64| zipf_rows(rows, cols, 6, seed);
    let one_hot = |cols: u32| -> Matrix {
        let column = |i: u32| (i * i + i / 7) % cols;
        OneHotRows::new(cols as usize, (0..rows as u32).map(column).collect::<Vec<_>>().into())
            .unwrap()
            .into()
    };
    let weights: Vec<f64> = (0..rows).map(|i| 0.5 + (i % 3) as f64).collect();
    [
        InMemory::new(zipf(60, 1), zipf(50, 1)).unwrap(),
        InMemory::new(zipf(60, 1), zipf(50, 1)).unwrap().weighted(weights.into()).unwrap(),
        InMemory::new(one_hot(30), zipf(50, 3)).unwrap(),
    ]
}

/// Remembers the cost of a run.
#[derive(Default)]
struct Spent(std::sync::Mutex<Cost>);

impl Watch for Spent {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        *self.0.lock().unwrap() = cost;
        ControlFlow::Continue(())
    }
}

#[test]
fn folds_read_the_rows_once_and_equal_fits_to_rows_cut_out_by_hand() {
    for pair in gram_pairs() {
        for center in [true, false] {
            let settings = Settings { tol: 1e-11, center, ..Settings::new(Method::lobpcg(), 2) };
            let spent = Spent::default();
            let selection = cross_validate(&pair, &settings, &[0.01, 1.0], 4, &spent).unwrap();
            let Cost { passes, gram_passes, .. } = *spent.0.lock().unwrap();
            assert!(
                passes == 1.0 && gram_passes > 8.0,
                "{passes} passes over rows, {gram_passes} over Gram matrices"
            );
            let folds = Folds::new(&pair, 4, settings.seed).unwrap();
            for (fold, scores) in selection.scores.iter().enumerate() {
                let (training, held_out) = (folds.training(fold).unwrap(), folds.held_out(fold).unwrap());
                for (score, ridge) in scores.iter().zip([0.01, 1.0]) {
                    let alone = fit(&training, &settings.clone().ridge(ridge), &()).unwrap();
                    let by_hand = alone.model.score(&held_out).unwrap().total / 2.0;
                    assert!((score - by_hand).abs() < 2e-6, "{score} {by_hand}");
                }
            }
        }
    }
}

#[test]
fn folds_of_narrow_views_share_gram_matrices_and_keep_their_digits() {
    // Means are a thousand deviations, one column is constant and one is nearly another.
    let (x, y) = factors(600, 8, 2, 3);
    let far = |view: &Mat<f64>| {
        Mat::from_fn(600, 9, |i, j| match j {
            3 => 7.0,
            8 => 1e3 + view[(i, 0)] + 1e-4 * view[(i, 1)],
            _ => 1e3 + view[(i, j)],
        })
    };
    let pair = pair_of(&far(&x), &far(&y));
    for (ridges, allowed) in [([0.01, 1.0], 1e-9), ([0.0, 0.1], 1e-6)] {
        let settings = Settings::new(Method::gram(), 3);
        let selection = cross_validate(&pair, &settings, &ridges, 5, &()).unwrap();
        let folds = Folds::new(&pair, 5, settings.seed).unwrap();
        for (fold, scores) in selection.scores.iter().enumerate() {
            let (training, held_out) = (folds.training(fold).unwrap(), folds.held_out(fold).unwrap());
            for (score, ridge) in scores.iter().zip(ridges) {
                let alone = fit(&training, &settings.clone().ridge(ridge), &()).unwrap();
                let by_hand = alone.model.score(&held_out).unwrap().total / 3.0;
                assert!((score - by_hand).abs() < allowed, "{score} {by_hand} at {ridge}");
            }
        }
    }
}

#[test]
fn no_fold_learns_from_another() {
    // Weights that went from fold to fold would have seen the rows that are held out next, and the part of
    // them that remains at a loose tolerance would raise the scores.
    let [pair, ..] = gram_pairs();
    let settings = Settings { tol: 1e-2, ..Settings::new(Method::lobpcg(), 3) };
    let all = [settings.clone().ridge(0.001), settings.clone().ridge(0.1)];
    let dealt = Folds::new(&pair, 4, 1).unwrap();
    let split = |fold: usize| {
        let held_out = dealt.held_out(fold).unwrap();
        let (inside, outside) = (0..pair.shape().rows).partition(|&row| held_out.weight(row) > 0.0);
        [outside, inside]
    };
    let scores = |order: [usize; 4]| -> Vec<Vec<f64>> {
        let folds = Folds::given(&pair, &order.map(split)).unwrap();
        cross_validate_on(&folds, &all, Vec::new(), &|_| (), &()).unwrap().scores
    };
    let (forward, backward) = (scores([0, 1, 2, 3]), scores([3, 2, 1, 0]));
    for (fold, other) in forward.iter().zip(backward.iter().rev()) {
        assert!(gap(fold, other) < 1e-9, "{fold:?} {other:?}");
    }
}

#[test]
fn folds_whose_gram_matrices_do_not_fit_the_memory_are_read_from_the_rows() {
    let [pair, ..] = gram_pairs();
    let run = |memory: u64| {
        let settings = Settings { tol: 1e-9, memory, ..Settings::new(Method::lobpcg(), 2) };
        let spent = Spent::default();
        let scores = cross_validate(&pair, &settings, &[0.1], 5, &spent).unwrap().scores.concat();
        (scores, spent.0.into_inner().unwrap().passes)
    };
    let (shared, one_pass) = run(1 << 30);
    assert_eq!(one_pass, 1.0);
    // The memory goes from too little for any Gram matrix to enough for those of one fit but not for those
    // of five folds.
    for power in 12..20 {
        let (alone, passes) = run(1 << power);
        assert!(passes == 1.0 || passes >= 10.0, "{passes} passes with 2^{power} bytes");
        assert!(gap(&shared, &alone) < 2e-6, "{shared:?} {alone:?}");
    }
    assert!(run(1 << 12).1 >= 10.0);
}

#[test]
fn folds_keep_the_weights_of_rows() {
    let (x, y) = factors(50, 4, 1, 3);
    let weights: Vec<f64> = (0..50).map(|i| 1.0 + i as f64).collect();
    let pair = pair_of(&x, &y).weighted(weights.into()).unwrap();
    let folds = Folds::new(&pair, 3, 7).unwrap();
    for row in 0..50 {
        let held_out = |fold: usize| folds.held_out(fold).unwrap().weight(row);
        assert_eq!((0..3).map(held_out).sum::<f64>(), pair.weight(row));
        (0..3).for_each(|fold| {
            assert_eq!(held_out(fold) + folds.training(fold).unwrap().weight(row), pair.weight(row))
        });
    }
}

#[test]
fn given_folds_are_those_that_were_dealt_and_finished_ones_are_not_fitted_again() {
    let (x, y) = factors(60, 5, 2, 3);
    let pair = pair_of(&x, &y);
    let settings = Settings::new(Method::auto(), 2);
    let dealt = Folds::new(&pair, 3, settings.seed).unwrap();
    let splits: Vec<[Vec<usize>; 2]> = (0..3)
        .map(|fold| {
            let held_out = dealt.held_out(fold).unwrap();
            let (inside, outside): (Vec<usize>, Vec<usize>) =
                (0..60).partition(|&row| held_out.weight(row) > 0.0);
            [outside, inside]
        })
        .collect();
    let given = Folds::given(&pair, &splits).unwrap();
    let all = [0.01, 1.0].map(|ridge| settings.clone().ridge(ridge));
    let scored = std::cell::RefCell::new(Vec::new());
    let done = |fold: &FoldScores| scored.borrow_mut().push(fold.clone());
    let whole = cross_validate_on(&given, &all, Vec::new(), &done, &()).unwrap();
    assert_eq!(whole, cross_validate(&pair, &settings, &[0.01, 1.0], 3, &()).unwrap());
    let first_two = scored.borrow()[..2].to_vec();
    scored.borrow_mut().clear();
    assert_eq!(cross_validate_on(&given, &all, first_two, &done, &()).unwrap(), whole);
    assert_eq!(scored.borrow().len(), 1);
    let beyond = Folds::given(&pair, &[[vec![0, 60], vec![1]]]).err().unwrap().to_string();
    assert!(beyond.contains("row 60"), "{beyond}");
    assert!(Folds::given(&pair, &[[vec![0, 1], vec![]]]).is_err());
    assert!(cross_validate_on(&given, &[], Vec::new(), &done, &()).is_err());
}

#[test]
fn many_noise_columns_call_for_a_ridge() {
    // There are two shared factors in 60 noisy columns and 150 rows: without a ridge the fit is perfect and
    // does not generalize.
    let (x, y) = factors(150, 60, 2, 5);
    let settings = Settings::new(Method::auto(), 2);
    let Selection { ridges, best, simplest, mean, error, .. } =
        cross_validate(&pair_of(&x, &y), &settings, &[1e-6, 0.1, 1.0, 10.0], 5, &()).unwrap();
    assert!(best > 0, "{mean:?}");
    assert!(ridges[simplest] >= ridges[best]);
    assert!(mean[simplest] >= mean[best] - error[best]);
}

#[test]
fn bad_folds_and_ridges_are_refused() {
    let (x, y) = factors(30, 4, 1, 3);
    let pair = pair_of(&x, &y);
    let settings = Settings::new(Method::auto(), 2);
    let refused = |ridges: &[f64], folds: usize| -> String {
        cross_validate(&pair, &settings, ridges, folds, &()).unwrap_err().to_string()
    };
    assert!(refused(&[0.1], 1).contains("folds is 1"));
    assert!(refused(&[0.1], 31).contains("folds is 31"));
    assert!(refused(&[], 3).contains("ridges"));
    assert!(refused(&[-1.0], 3).contains("ridge is -1"));
}

/// Checks that the passes it sees never decrease, and stops the run at a limit.
struct PassLimit {
    /// The bits of the last number of passes.
    passes: AtomicU64,
    limit: f64,
}

impl PassLimit {
    fn new(limit: f64) -> Self {
        PassLimit { passes: AtomicU64::new(0), limit }
    }
}

impl Watch for PassLimit {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        let now = cost.passes + cost.gram_passes;
        let before = f64::from_bits(self.passes.swap(now.to_bits(), Relaxed));
        assert!(now >= before, "{now} after {before}");
        if now < self.limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

#[test]
fn a_watch_sees_one_long_run_and_can_stop_it() {
    let pair = InMemory::new(zipf_rows(500, 80, 6, 1), zipf_rows(500, 60, 5, 1)).unwrap();
    let settings = Settings::new(Method::lobpcg(), 2);
    let watch = PassLimit::new(f64::INFINITY);
    cross_validate(&pair, &settings, &[0.1, 0.01], 3, &watch).unwrap();
    let all = f64::from_bits(watch.passes.into_inner());
    let stopped = cross_validate(&pair, &settings, &[0.1, 0.01], 3, &PassLimit::new(all / 2.0));
    assert!(matches!(stopped, Err(crate::Error::Interrupted)));
}

/// The largest distance of the empirical distribution from the uniform one.
fn distance_from_uniform(mut p: Vec<f64>) -> f64 {
    p.sort_by(f64::total_cmp);
    let n = p.len() as f64;
    let distances = p
        .iter()
        .zip(0..)
        .map(|(p, i)| ((f64::from(i) + 1.0) / n - p).abs().max((p - f64::from(i) / n).abs()));
    distances.fold(0.0, f64::max)
}

#[test]
fn p_values_are_uniform_if_the_views_are_independent() {
    let (mut alone, mut any) = (Vec::new(), Vec::new());
    for draw in 0..200 {
        let (x, y) = factors(160, 8, 0, 100 * draw);
        let half = |view: &Mat<f64>, second: bool| rows_of(view, |row| (row >= 80) == second);
        let trained = run(&pair_of(&half(&x, false), &half(&y, false)), Method::auto(), 3).unwrap();
        let [x, y] = [&x, &y].map(|view| from_dense(half(view, true).as_ref()));
        let result = trained.model.permutation_test(&x, &y, &PermutationTest::new(199, draw), &()).unwrap();
        alone.push(result.p[0]);
        any.push(result.adjusted.iter().copied().fold(1.0, f64::min));
        let scores = trained.model.score(&InMemory::new(x, y).unwrap()).unwrap();
        assert!(gap(&result.correlations, &scores.correlations) < 1e-10);
    }
    // A Kolmogorov-Smirnov distance above 1.63/√200 has a probability of 1%. The rest allows for p-values
    // being multiples of 1/200.
    for p in [alone, any] {
        let distance = distance_from_uniform(p);
        assert!(distance < 1.63 / 200f64.sqrt() + 0.005, "{distance}");
    }
}

#[test]
fn planted_correlations_are_significant_and_the_others_are_not() {
    for seed in 0..20 {
        let (x, y) = factors(400, 6, 1, 31 * seed);
        let half = |view: &Mat<f64>, second: bool| rows_of(view, |row| (row >= 200) == second);
        let trained = run(&pair_of(&half(&x, false), &half(&y, false)), Method::auto(), 4).unwrap();
        let [x, y] = [&x, &y].map(|view| from_dense(half(view, true).as_ref()));
        let result = trained.model.permutation_test(&x, &y, &PermutationTest::new(199, seed), &()).unwrap();
        assert_eq!(result.adjusted[0], 1.0 / 200.0, "{result:?}");
        assert!(result.adjusted.iter().zip(&result.p).all(|(adjusted, p)| adjusted >= p));
        assert!(result.adjusted[1..].iter().any(|&p| p > 0.05), "{result:?}");
    }
}

#[test]
fn a_test_on_the_training_rows_means_nothing() {
    // Held-out rows are needed because independent views like these get the smallest possible p-value in
    // training.
    let (x, y) = factors(60, 20, 0, 4);
    let pair = pair_of(&x, &y);
    let trained = run(&pair, Method::auto(), 3).unwrap();
    let result = trained
        .model
        .permutation_test(pair.view(Side::X), pair.view(Side::Y), &PermutationTest::new(199, 1), &())
        .unwrap();
    assert_eq!(result.p[0], 1.0 / 200.0);
}

#[test]
fn p_values_estimate_the_share_among_all_permutations() {
    let (x, y) = (orthonormal(6, 1, 1, true), orthonormal(6, 1, 3, true));
    let [x, y] = [&x, &y].map(|view| Panel::from_mat(view.as_ref()));
    let observed: f64 = (0..6).map(|i| x.row(i)[0] * y.row(i)[0]).sum();
    let (mut orders, mut at_least) = (0.0, 0.0);
    for code in 0..6usize.pow(6) {
        let order: Vec<usize> = (0..6).map(|i| code / 6usize.pow(i) % 6).collect();
        if (0..6).all(|row| order.contains(&row)) {
            let product: f64 = (0..6).map(|i| x.row(i)[0] * y.row(order[i])[0]).sum();
            orders += 1.0;
            at_least += f64::from(product >= observed - 1e-12);
        }
    }
    let result = permutation_test(&x, &y, 19_999, 5, &()).unwrap();
    let expected: f64 = at_least / orders;
    let deviation = (expected * (1.0 - expected) / 2e4).sqrt();
    assert!((result.p[0] - expected).abs() < 4.0 * deviation, "{} {expected}", result.p[0]);
}

#[test]
fn the_same_seed_gives_the_same_p_values_on_any_number_of_threads() {
    let (x, y) = with_correlations(90, &[0.4, 0.2], 1);
    let pair = pair_of(&x, &y);
    let model = run(&pair, Method::auto(), 2).unwrap().model;
    let test_on = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let [x, y] = Side::BOTH.map(|side| pair.view(side));
        pool.install(|| model.permutation_test(x, y, &PermutationTest::new(500, seed), &()).unwrap())
    };
    assert_eq!(test_on(1, 3), test_on(3, 3));
    assert_ne!(test_on(1, 3).p[1], test_on(1, 4).p[1]);
}

#[test]
fn a_constant_score_correlates_with_nothing() {
    let x = from_dense(Mat::<f64>::from_fn(40, 2, |i, j| if j == 0 { 1.0 } else { (i % 7) as f64 }).as_ref());
    let (tx, ty) = factors(40, 2, 1, 8);
    let model = run(&pair_of(&tx, &ty), Method::auto(), 2).unwrap().model;
    let y = from_dense(Mat::<f64>::full(40, 2, 3.0).as_ref());
    let result = model.permutation_test(&x, &y, &PermutationTest::new(99, 1), &()).unwrap();
    assert_eq!((result.correlations, result.p), (vec![0.0; 2], vec![1.0; 2]));
}
