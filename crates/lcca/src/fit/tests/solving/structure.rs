//! Structure makes problems smaller and changes no answer.

use crate::data::{Ask, Capabilities, GramEstimate, JointGram, JointGrams, Moments, Shape, Shards, Side};
use crate::fit::tests::*;
use crate::matrix::{Matrix, SparseRows, Values};
use crate::testing::{random_mat, to_dense, zipf_rows};

/// Two related views of ones, the second partly a copy of the first.
fn related(rows: usize, cols: usize, seed: u64) -> [Matrix; 2] {
    let (x, noise) = (zipf_rows(rows, cols, 6, seed), zipf_rows(rows, cols, 4, seed + 1));
    let (mut offsets, mut columns) = (vec![0u64], Vec::new());
    for row in 0..rows {
        let mut entries = Vec::new();
        noise.for_each(row, |column, _| entries.push(column as u32));
        x.for_each(row, |column, _| {
            if column % 3 == 0 {
                entries.push(column as u32);
            }
        });
        entries.sort_unstable();
        entries.dedup();
        columns.extend(entries);
        offsets.push(columns.len() as u64);
    }
    let y = SparseRows::new(cols, offsets.into(), columns.into(), Values::Ones).unwrap();
    [x, y.into()]
}

/// A wider view with the numbers of `view` in every `step`-th column, in reverse order.
fn spread(view: &Matrix, step: usize) -> Matrix {
    let (mut offsets, mut columns) = (vec![0u64], Vec::new());
    for row in 0..view.rows() {
        view.for_each(row, |column, _| columns.push((step * (view.cols() - 1 - column)) as u32));
        let first = *offsets.last().unwrap() as usize;
        columns[first..].sort_unstable();
        offsets.push(columns.len() as u64);
    }
    SparseRows::new(step * view.cols(), offsets.into(), columns.into(), Values::Ones).unwrap().into()
}

/// Whether the decision is that a preconditioner was factorized.
fn factorized(decision: &Decision) -> bool {
    matches!(decision, Decision::PreconditionerFactorized { succeeded: true, .. })
}

/// Fits with and without structure and asserts that the answers agree.
fn both_ways(pair: &dyn Pair, method: Method, center: bool, ridge: f64) -> Fit {
    let with =
        Settings { center, ridge_x: ridge, ridge_y: 2.0 * ridge, tol: 1e-11, ..Settings::new(method, 4) };
    let without = Settings { structure: false, ..Settings::new(Method::lobpcg(), 4) };
    let without = Settings { center, ridge_x: ridge, ridge_y: 2.0 * ridge, tol: 1e-11, ..without };
    let [with, without] = [with, without].map(|settings| fit(pair, &settings, &()).unwrap());
    let case = format!("centered {center}, ridge {ridge}: {:?}", with.decisions);
    assert!(with.converged && without.converged, "{case}");
    assert!(gap(&with.model.objective, &without.model.objective) < 1e-8, "{case}");
    // Weights have half as many correct digits as the objective, and under a ridge the captured total has
    // as many as the weights.
    assert!((with.model.total - without.model.total).abs() < 1e-5, "{case}");
    with
}

#[test]
fn gram_mode_gives_the_answer_of_the_rows() {
    let [x, y] = related(6000, 60, 1);
    let pair = InMemory::new(x.clone(), y.clone()).unwrap();
    let half = |rows: std::ops::Range<usize>| -> Box<dyn Pair> {
        Box::new(InMemory::new(x.slice(rows.clone()), y.slice(rows)).unwrap())
    };
    let shards = Shards::new(vec![half(0..2500), half(2500..6000)]).unwrap();
    for (center, ridge) in [(true, 0.0), (false, 0.1), (true, 0.1)] {
        for pair in [&pair as &dyn Pair, &shards] {
            let fit = both_ways(pair, Method::lobpcg(), center, ridge);
            assert!(
                decided(&fit, |d| matches!(d, Decision::GramMatricesFormed { .. })),
                "{:?}",
                fit.decisions
            );
            // The result is measured on the Gram matrices.
            assert!(fit.cost.gram_passes > 3.0 && fit.cost.passes == 1.0, "{:?}", fit.cost);
        }
    }
}

#[test]
fn results_are_measured_on_the_rows_if_centering_gram_matrices_would_lose_digits() {
    let [x, y] = related(6000, 60, 1);
    // One more column of X is in all rows but three.
    let (mut offsets, mut columns) = (vec![0u64], Vec::new());
    for row in 0..x.rows() {
        x.for_each(row, |column, _| columns.push(column as u32));
        columns.extend((row % 2000 != 7).then_some(60));
        offsets.push(columns.len() as u64);
    }
    let x = SparseRows::new(61, offsets.into(), columns.into(), Values::Ones).unwrap().into();
    let pair = InMemory::new(x, y).unwrap();
    for (center, ridge) in [(true, 0.0), (false, 0.1), (true, 0.1)] {
        let fit = both_ways(&pair, Method::lobpcg(), center, ridge);
        let passes = if center { 2.0 } else { 1.0 };
        assert!(fit.cost.gram_passes > 3.0 && fit.cost.passes == passes, "{:?}", fit.cost);
    }
}

#[test]
fn shift_and_invert_gives_the_same_answer_in_few_iterations() {
    let [x, y] = related(3000, 200, 3);
    let pair = InMemory::new(x, y).unwrap();
    for (center, ridge) in [(true, 0.0), (false, 0.1), (true, 0.1)] {
        let fit = both_ways(&pair, Method::shift_invert(), center, ridge);
        assert!(decided(&fit, factorized), "{:?}", fit.decisions);
        assert!(fit.trace.len() < 20, "{}", fit.trace.len());
    }
}

#[test]
fn many_pairs_that_are_nearly_tied_take_few_iterations() {
    // Each row has the same one of 300 columns in both views, except for a stray one now and then. That makes
    // 300 correlations close together.
    let view = |every: usize| -> Matrix {
        let (mut offsets, mut columns) = (vec![0u64], Vec::new());
        for row in 0..30_000usize {
            let column = row * 7919 % 300;
            let stray = (row * row + row / 3) % 299;
            columns.push(if row % every == 0 { stray } else { column } as u32);
            offsets.push(columns.len() as u64);
        }
        SparseRows::new(300, offsets.into(), columns.into(), Values::Ones).unwrap().into()
    };
    let pair = InMemory::new(view(7), view(5)).unwrap();
    let settings = Settings { tol: 1e-10, ..Settings::new(Method::lobpcg(), 20) };
    let fit = fit(&pair, &settings, &()).unwrap();
    assert!(fit.converged && fit.trace.len() < 40, "{} {:?}", fit.trace.len(), fit.decisions);
    assert!(decided(&fit, |d| matches!(d, Decision::CoarseBlock { .. })), "{:?}", fit.decisions);
    let exact = run(&pair, Method::exact(), 20).unwrap();
    assert!(gap(&fit.model.objective, &exact.model.objective) < 1e-8);
}

#[test]
fn shift_and_invert_needs_sparse_views_and_memory() {
    let dense = random_mat(50, 8, 1);
    let refused = run(&pair_of(&dense, &dense), Method::shift_invert(), 2).unwrap_err().to_string();
    assert!(refused.contains("a view is dense"), "{refused}");
    let [x, y] = related(3000, 200, 3);
    let settings = Settings { memory: 500_000, ..Settings::new(Method::shift_invert(), 2) };
    let refused = fit(&InMemory::new(x, y).unwrap(), &settings, &()).unwrap_err().to_string();
    assert!(refused.contains("500000 are allowed"), "{refused}");
}

#[test]
fn empty_columns_are_left_out_and_put_back() {
    let [x, y] = related(2000, 50, 5);
    let pair = InMemory::new(spread(&x, 3), spread(&y, 2)).unwrap();
    for (center, ridge) in [(true, 0.1), (false, 0.0)] {
        let fit = both_ways(&pair, Method::lobpcg(), center, ridge);
        let renumbered =
            |d: &Decision| matches!(d, Decision::ColumnsRenumbered { side: Side::X, columns: 150, .. });
        assert!(decided(&fit, renumbered), "{:?}", fit.decisions);
        let model = &fit.model;
        assert_eq!((model.x.weights.rows(), model.y.loadings.rows()), (150, 100));
        let dense = to_dense(pair.view(Side::X));
        let empty = (0..150).filter(|&j| (0..2000).all(|i| dense[(i, j)] == 0.0));
        assert!(empty.into_iter().all(|j| model.x.weights.row(j).iter().all(|&w| w == 0.0)));
        // If weights were put back in the wrong columns, the scores of the same rows would not correlate as
        // in the model.
        let scores = model.score(&pair).unwrap();
        assert!(gap(&scores.correlations, &model.correlations) < 1e-8);
    }
}

#[test]
fn equal_rows_of_sparse_views_are_merged() {
    let [x, y] = related(500, 30, 7);
    let repeat = |view: &Matrix| -> Matrix {
        let (mut offsets, mut columns) = (vec![0u64], Vec::new());
        for row in 0..70_000 {
            view.for_each(row * row % 500, |column, _| columns.push(column as u32));
            offsets.push(columns.len() as u64);
        }
        SparseRows::new(30, offsets.into(), columns.into(), Values::Ones).unwrap().into()
    };
    let weights: Vec<f64> = (0..70_000).map(|i| f64::from(i % 3)).collect();
    let pair = InMemory::new(repeat(&x), repeat(&y)).unwrap();
    let weighted = InMemory::new(repeat(&x), repeat(&y)).unwrap().weighted(weights.into()).unwrap();
    for pair in [&pair, &weighted] {
        let fit = both_ways(pair, Method::lobpcg(), true, 0.1);
        let merged = |d: &Decision| matches!(d, Decision::RowsMerged { rows: 70_000, .. });
        assert!(decided(&fit, merged), "{:?}", fit.decisions);
        assert_eq!(fit.model.rows, 70_000);
    }
}

/// A pair whose Gram matrices are estimated to be small and turn out too large.
struct Optimist(InMemory);

impl Pair for Optimist {
    fn shape(&self) -> Shape {
        self.0.shape()
    }
    fn moments(&self, side: Side) -> Result<&Moments> {
        self.0.moments(side)
    }
    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        self.0.pass(ask)
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { structure: None, joint_grams: Some(self), ..self.0.capabilities() }
    }
}

impl JointGrams for Optimist {
    fn estimate(&self) -> Result<Option<GramEstimate>> {
        self.0.estimate()
    }
    fn joint_gram(&self, _limit: u64) -> Result<JointGram> {
        self.0.joint_gram(1000)
    }
}

#[test]
fn if_gram_matrices_turn_out_too_large_the_fit_uses_the_rows() {
    let [x, y] = related(6000, 60, 1);
    let fit = both_ways(&Optimist(InMemory::new(x, y).unwrap()), Method::lobpcg(), true, 0.1);
    assert!(fit.decisions.contains(&Decision::GramMatricesTooLarge), "{:?}", fit.decisions);
    assert_eq!(fit.cost.gram_passes, 0.0);
}

#[test]
fn gram_agrees_with_qr_and_leaves_ill_conditioned_views_to_it() {
    let (x, y) = (random_mat(900, 20, 1), random_mat(900, 15, 2));
    let y = Mat::from_fn(900, 15, |i, j| y[(i, j)] + if j < 6 { x[(i, 2 * j)] } else { 0.0 });
    // A column that equals another but for noise of 1e-6. Its eigenvalue is neither significant nor clearly
    // rounding.
    let nearly =
        Mat::from_fn(900, 20, |i, j| if j == 19 { x[(i, 0)] + 1e-6 * x[(i, 19)] } else { x[(i, j)] });
    for (x, ill) in [(&x, false), (&nearly, true)] {
        for (center, ridge) in [(true, 0.0), (false, 0.0), (true, 0.3)] {
            let with =
                |method| Settings { center, ridge_x: ridge, ridge_y: ridge, ..Settings::new(method, 5) };
            let [by_gram, by_qr] =
                [Method::gram(), Method::exact()].map(|m| fit(&pair_of(x, &y), &with(m), &()).unwrap());
            assert!(gap(&by_gram.model.objective, &by_qr.model.objective) < 1e-9, "{:?}", by_gram.decisions);
            let left_to_qr = by_gram.decisions.contains(&Decision::QrInsteadOfGram);
            assert_eq!(left_to_qr, ill && ridge == 0.0, "{:?}", by_gram.decisions);
        }
    }
}
