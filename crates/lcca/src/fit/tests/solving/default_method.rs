//! The default method reaches the true answer, with and without structure, and its estimate of the missing
//! share holds.

use crate::data::{Side, Structure};
use crate::fit::TraceRow;
use crate::fit::tests::*;
use crate::matrix::{Matrix, OneHotRows, SparseRows, Values};
use crate::method::Scale;
use crate::testing::{dense_correlations, dense_objective, random_mat, sparse_from_dense, with_correlations};

/// Settings of LOBPCG with this tolerance.
fn settings(tol: f64, k: usize) -> Settings {
    Settings { tol, ..Settings::new(Method::lobpcg(), k) }
}

/// Correlated sparse views.
fn sparse_views(n: usize, p: usize, q: usize, seed: u64) -> (Mat<f64>, Mat<f64>) {
    let hidden = random_mat(n, 6, seed);
    let view = |cols: usize, seed: u64| {
        let (mix, noise) = (random_mat(6, cols, seed), random_mat(n, cols, seed + 1));
        let dense = &hidden * mix + noise * 2.0;
        Mat::from_fn(n, cols, |i, j| if dense[(i, j)] > 2.0 { dense[(i, j)] } else { 0.0 })
    };
    (view(p, seed + 2), view(q, seed + 4))
}

/// Two sparse views in memory.
fn sparse_pair(x: &Mat<f64>, y: &Mat<f64>) -> InMemory {
    InMemory::new(sparse_from_dense(x.as_ref()), sparse_from_dense(y.as_ref())).unwrap()
}

#[test]
fn lobpcg_reaches_the_truth() {
    let (x, y) = sparse_views(800, 50, 40, 1);
    let pair = sparse_pair(&x, &y);
    for center in [true, false] {
        let fit = fit(&pair, &Settings { center, ..settings(1e-11, 5) }, &()).unwrap();
        assert!(gap(&fit.model.correlations, &dense_correlations(&x, &y, center)[..5]) < 1e-9);
        assert!(fit.converged);
    }
    for ridge in [0.01, 1.0] {
        let settings = settings(1e-11, 5).center(false).ridge(ridge).scale(Scale::No);
        let model = fit(&pair, &settings, &()).unwrap().model;
        assert!(gap(&model.objective, &dense_objective(&x, &y, ridge)[..5]) < 1e-9);
    }
}

#[test]
fn many_pairs_are_found() {
    let (x, y) = sparse_views(2500, 240, 200, 3);
    let pair = sparse_pair(&x, &y);
    for ridge in [0.0, 0.1] {
        let settings = |tol: f64| settings(tol, 60).center(false).ridge(ridge).scale(Scale::No);
        let truth = dense_objective(&x, &y, ridge);
        let total: f64 = truth[..60].iter().sum();
        for tol in [1e-3, 1e-5] {
            let fit = fit(&pair, &settings(tol), &()).unwrap();
            let short = (total - fit.model.objective.iter().sum::<f64>()) / total;
            assert!(fit.converged && short > -1e-12 && short <= tol, "{ridge}, {tol}: {short:e}");
        }
        let fit = fit(&pair, &settings(1e-11), &()).unwrap();
        assert!(fit.converged && gap(&fit.model.objective, &truth[..60]) < 1e-8, "{ridge}");
    }
}

#[test]
fn lobpcg_finds_ties_and_survives_dependent_columns() {
    let shared = random_mat(200, 3, 5);
    let with_noise = |seed: u64| {
        let noise = random_mat(200, 9, seed);
        Mat::from_fn(200, 14, |i, j| match j {
            0..3 => shared[(i, j)],
            3..12 => noise[(i, j - 3)],
            12 => noise[(i, 0)] + shared[(i, 1)],
            _ => 0.0,
        })
    };
    let (x, y) = (with_noise(6), with_noise(7));
    let truth = &dense_correlations(&x, &y, true)[..6];
    let model = fit(&pair_of(&x, &y), &settings(1e-11, 6), &()).unwrap().model;
    assert!(gap(&model.correlations, truth) < 1e-8, "{:?} {truth:?}", model.correlations);
}

#[test]
fn the_estimate_of_the_missing_total_covers_what_is_missing() {
    let mut covering = 0;
    for seed in 0..8 {
        let (x, y) = sparse_views(600, 60, 50, 100 + seed);
        let pair = sparse_pair(&x, &y);
        let truth: f64 = dense_correlations(&x, &y, true)[..5].iter().sum();
        for tol in [1e-2, 1e-3, 1e-5] {
            let fit = fit(&pair, &settings(tol, 5), &()).unwrap();
            let missing = truth - fit.model.objective.iter().sum::<f64>();
            assert!(fit.converged, "seed {seed}");
            assert!(missing <= tol * truth, "seed {seed}, tolerance {tol:e}: {missing:e} is missing");
            covering += usize::from(missing <= fit.missing * fit.model.objective.iter().sum::<f64>());
        }
    }
    // The estimate is a typical one, not a bound.
    assert!(covering >= 22, "{covering} of 24 estimates cover the truth");
}

#[test]
fn the_trace_ends_when_the_missing_total_is_within_the_tolerance() {
    let (x, y) = sparse_views(400, 60, 50, 3);
    let settings = Settings { structure: false, oversample: Some(1), ..settings(1e-6, 4) };
    let fit = fit(&sparse_pair(&x, &y), &settings, &()).unwrap();
    let enough = |row: &TraceRow| row.missing.is_some_and(|missing| missing <= settings.tol);
    let (last, before) = fit.trace.split_last().unwrap();
    assert!(fit.converged && before.len() > 5, "{:?}", fit.trace);
    assert!(enough(last) && !before.iter().any(enough), "{:?}", fit.trace);
    assert!(before[..2].iter().all(|row| row.missing.is_none()), "three iterations are too few to tell");
}

#[test]
fn a_fit_that_is_cut_short_does_not_claim_to_have_converged() {
    let (x, y) = sparse_views(600, 60, 50, 300);
    let cut = Settings { max_passes: Some(3.0), ..settings(1e-6, 5) };
    assert!(!fit(&sparse_pair(&x, &y), &cut, &()).unwrap().converged);
}

/// Two one-hot views with many equal rows. If `with_empty_rows`, some rows of X have no entry.
fn one_hot_pair(n: usize, with_empty_rows: bool) -> InMemory {
    let x = |i: usize| {
        if with_empty_rows && i.is_multiple_of(11) {
            OneHotRows::EMPTY
        } else {
            ((i * i + i / 3) % 23) as u32
        }
    };
    let y = |i: usize| ((i * i % 23 + (i * 7 / 5) % 4) % 17) as u32;
    let view = |cols: usize, column: &dyn Fn(usize) -> u32| -> Matrix {
        OneHotRows::new(cols, (0..n).map(column).collect::<Vec<_>>().into()).unwrap().into()
    };
    InMemory::new(view(23, &x), view(17, &y)).unwrap()
}

#[test]
fn structure_changes_only_the_amount_of_work() {
    for (n, with_empty_rows) in [(3000, false), (3000, true), (70_000, false), (70_000, true)] {
        let pair = one_hot_pair(n, with_empty_rows);
        for (center, ridge) in [(false, 0.0), (true, 0.0), (true, 0.1), (false, 0.1)] {
            let with = Settings { center, ridge_x: ridge, ridge_y: ridge, ..settings(1e-9, 4) };
            let without = Settings { structure: false, tol: 1e-13, ..with.clone() };
            let [with, without] = [with, without].map(|settings| fit(&pair, &settings, &()).unwrap());
            let case = format!("n {n}, empty rows {with_empty_rows}, centered {center}, ridge {ridge}");
            assert!(gap(&with.model.objective, &without.model.objective) < 1e-8, "{case}");
            assert!(gap(&with.model.correlations, &without.model.correlations) < 1e-6, "{case}");
            assert_eq!(with.model.rows, n as u64);
            assert!(
                with.decisions.contains(&Decision::ViewEliminated { side: Side::X }),
                "{:?}",
                with.decisions
            );
            let formed = |d: &Decision| matches!(d, Decision::GramMatricesFormed { .. });
            assert!(decided(&with, formed), "{:?}", with.decisions);
        }
    }
}

#[test]
fn merged_rows_give_the_same_products() {
    let pair = sparse_beside_one_hot(70_000);
    let merged = pair.reduced().unwrap().unwrap().pair;
    assert!(merged.shape().rows < 500);
    let w = crate::testing::random_panel(23, 3, 1);
    let [a, b] = [&pair as &dyn Pair, &*merged].map(|pair| {
        let mut out = crate::matrix::Panel::zeros(17, 3);
        pair.pass(&mut crate::data::Ask::new().source(Side::X, &w).to(Side::Y, &mut out)).unwrap();
        out
    });
    assert!(crate::testing::relative_error(a.as_mat(), b.as_mat()) < 1e-12);
    assert!(sparse_beside_one_hot(1000).reduced().unwrap().is_none(), "so few rows are not worth merging");
    assert!(
        one_hot_pair(70_000, true).reduced().unwrap().is_none(),
        "Gram matrices do the same in less time"
    );
}

/// The views of [`one_hot_pair`] with Y stored as sparse rows.
fn sparse_beside_one_hot(n: usize) -> InMemory {
    let pair = one_hot_pair(n, true);
    let mut columns = Vec::new();
    (0..n).for_each(|row| pair.view(Side::Y).for_each(row, |column, _| columns.push(column as u32)));
    let offsets: Vec<u64> = (0..=n as u64).collect();
    let y = SparseRows::new(17, offsets.into(), columns.into(), Values::Ones).unwrap();
    InMemory::new(pair.view(Side::X).clone(), y.into()).unwrap()
}

#[test]
fn auto_solves_narrow_views_and_iterates_on_wide_sparse_ones() {
    let (x, y) = with_correlations(300, &[0.9, 0.6, 0.3], 1);
    let small = run(&pair_of(&x, &y), Method::auto(), 2).unwrap();
    assert_eq!(small.chosen, Method::gram());
    assert_eq!(small.decisions, [Decision::NarrowViews { columns: [3, 3] }]);
    assert!(gap(&small.model.correlations, &[0.9, 0.6]) < 1e-10);
    let wide = |seed: u64| -> Matrix {
        let noise = random_mat(2000, 3, seed);
        let mut x = Mat::zeros(2000, 2400);
        (0..2000)
            .for_each(|i| (0..3).for_each(|j| x[(i, (noise[(i, j)].abs() * 1e6) as usize % 2400)] = 1.0));
        sparse_from_dense(x.as_ref())
    };
    let pair = InMemory::new(wide(1), wide(2)).unwrap();
    let wide =
        fit(&pair, &Settings { max_passes: Some(6.0), ..Settings::new(Method::auto(), 3) }, &()).unwrap();
    assert_eq!(wide.chosen, Method::lobpcg());
    let Some(Decision::CheapestTaken { exact, gram, iterative }) = wide.decisions.first() else {
        panic!("{:?}", wide.decisions)
    };
    assert!(iterative < gram && iterative < exact, "{:?}", wide.decisions);
}
