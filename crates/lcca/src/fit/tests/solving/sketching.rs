//! Row-sketched CCA: exact with enough sums, within its bound with fewer, and never sure of itself.

use crate::Error;
use crate::data::{Pieces, Shards, Side};
use crate::fit::tests::*;
use crate::matrix::{Matrix, OneHotRows};
use crate::method::Scale;
use crate::testing::{dense_correlations, dense_objective, with_correlations};
use std::sync::Arc;

fn sketched(pair: &dyn Pair, sums: usize, seed: u64, k: usize) -> Fit {
    fit(pair, &Settings::new(Method::sketch(sums), k).seed(seed), &()).unwrap()
}

/// The report of a fit about its sketch: sums, rows and bound.
fn said(fit: &Fit) -> Option<(u64, u64, Option<f64>)> {
    fit.decisions.iter().find_map(|decision| match *decision {
        Decision::RowsSketched { sums, rows, bound, .. } => Some((sums, rows, bound)),
        _ => None,
    })
}

#[test]
fn as_many_sums_as_rows_are_the_exact_answer() {
    let (x, y) = with_correlations(300, &[0.9, 0.5, 0.2], 1);
    let pair = pair_of(&x, &y);
    for sums in [300, 1000, 0] {
        let fit = sketched(&pair, sums, 1, 3);
        assert!(gap(&fit.model.correlations, &dense_correlations(&x, &y, true)) < 1e-12);
        assert!(fit.converged && said(&fit).is_none());
    }
}

#[test]
fn objective_values_are_within_the_stated_bound_of_the_true_ones_and_never_above() {
    let (x, y) = with_correlations(40_000, &[0.9, 0.4, 0.0], 3);
    let pair = pair_of(&x, &y);
    for (center, ridge) in [(true, 0.0), (false, 0.0), (true, 0.5)] {
        let truth =
            if ridge > 0.0 { dense_objective(&x, &y, ridge) } else { dense_correlations(&x, &y, center) };
        for seed in 0..10 {
            let settings = Settings {
                seed,
                center,
                scale: Scale::No,
                ..Settings::new(Method::sketch(15_000), 2).ridge(ridge)
            };
            let fit = fit(&pair, &settings, &()).unwrap();
            let (sums, rows, bound) = said(&fit).unwrap();
            assert_eq!((sums, rows), (15_000, 40_000));
            let bound = bound.unwrap();
            assert!(bound > 0.5 && bound < 0.7, "{bound}");
            for (found, truth) in fit.model.objective.iter().zip(&truth) {
                assert!(*found <= truth + 1e-12 && *found >= truth - bound, "{found} {truth} {bound}");
                // The usual result is far better than the proved one.
                assert!(*found >= truth - 0.005, "{found} {truth}");
            }
        }
    }
}

#[test]
fn a_sketch_claims_no_convergence_whatever_the_tolerance() {
    let (x, y) = with_correlations(2000, &[0.9, 0.4, 0.2], 3);
    for tol in [1e-4, 1.0, 1e100] {
        let fit = fit(&pair_of(&x, &y), &Settings::new(Method::sketch(1000), 2).tol(tol), &()).unwrap();
        assert!(!fit.converged && fit.missing == f64::INFINITY);
        assert_eq!(said(&fit).unwrap().2, None, "nothing is proved for so few sums");
        assert_eq!(fit.cost.passes, 2.0);
    }
}

#[test]
fn the_same_seed_gives_the_same_sketch_on_any_number_of_threads() {
    let (x, y) = with_correlations(3000, &[0.9, 0.4, 0.1, 0.0], 3);
    let pair = pair_of(&x, &y);
    let on_threads = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| sketched(&pair, 700, seed, 3).model.correlations)
    };
    assert!(gap(&on_threads(1, 3), &on_threads(3, 3)) < 1e-12);
    assert_eq!(on_threads(2, 3), on_threads(2, 3));
    assert!(gap(&on_threads(1, 3), &on_threads(1, 4)) > 1e-9);
}

#[test]
fn rows_in_pieces_can_be_sketched_and_gram_matrices_cannot() {
    let (x, y) = with_correlations(3000, &[0.9, 0.4, 0.0], 3);
    let pair = pair_of(&x, &y);
    let piece = |from: usize, to: usize| {
        let [x, y] = Side::BOTH.map(|side| pair.view(side).slice(from..to));
        Arc::new(InMemory::new(x, y).unwrap())
    };
    let cut = || vec![piece(0, 1200), piece(1200, 3000)];
    let truth = dense_correlations(&x, &y, true);
    for pair in [&Pieces::new(cut()).unwrap() as &dyn Pair, &Shards::new(cut()).unwrap()] {
        let fit = sketched(pair, 1000, 1, 2);
        assert!(gap(&fit.model.correlations, &truth[..2]) < 0.05, "{:?}", fit.model.correlations);
        assert!(!fit.converged);
    }
    let sparse = InMemory::new(
        crate::testing::sparse_from_dense(x.as_ref()),
        crate::testing::sparse_from_dense(y.as_ref()),
    );
    let sparse = sparse.unwrap();
    let joint = sparse.capabilities().joint_grams.unwrap().joint_gram(u64::MAX).unwrap();
    let refused = fit(&joint, &Settings::new(Method::sketch(1000), 2), &()).err().unwrap();
    assert!(matches!(refused, Error::Unavailable { .. }), "{refused}");
}

#[test]
fn views_that_are_too_wide_for_the_memory_are_refused() {
    let (x, y) = with_correlations(3000, &[0.9, 0.4], 3);
    let settings = Settings::new(Method::sketch(1000), 2).memory(1000);
    let refused = fit(&pair_of(&x, &y), &settings, &()).err().unwrap();
    assert!(matches!(refused, Error::Memory { .. }), "{refused}");
}

#[test]
fn columns_that_vanish_from_the_sums_do_no_harm() {
    // Pairs of rows share a rare column. If both fall into one sum with opposite signs, they cancel.
    let one_hot = |cols: u32, step: u32| -> Matrix {
        let column = |i: u32| if i < 40 { (i / 2 * step) % cols } else { i % 3 };
        OneHotRows::new(cols as usize, (0..600).map(column).collect::<Vec<_>>().into()).unwrap().into()
    };
    let pair = InMemory::new(one_hot(23, 1), one_hot(21, 3)).unwrap();
    for seed in 0..30 {
        for ridge in [0.0, 0.1] {
            let fit = fit(&pair, &Settings::new(Method::sketch(60), 2).seed(seed).ridge(ridge), &()).unwrap();
            assert!(
                fit.model.objective.iter().all(|value| (0.0..=1.0).contains(value)),
                "{:?}",
                fit.model.objective
            );
        }
    }
}
