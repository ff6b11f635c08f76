//! Paths of ridges on the rows outside folds must give the scores of whole fits to these rows.

use crate::data::Side;
use crate::fit::tests::shapes::single_precision::topics;
use crate::fit::tests::*;
use crate::fit::{Folds, Selection, cross_validate_on};
use crate::matrix::{Matrix, RowsBuilder};
use crate::testing::zipf_rows;

/// Fits of folds that stop at ten times a tolerance of 1e-9 have weights, and so scores, that are right to
/// about the root of that.
const ALLOWED: f64 = 5e-5;

/// The score of every fold and ridge by fits that know nothing of each other.
fn by_whole_fits(folds: &Folds<'_>, all: &[Settings]) -> Vec<Vec<f64>> {
    let score = |fold: usize, settings: &Settings| {
        let alone = fit(&folds.training(fold).unwrap(), settings, &()).unwrap();
        assert!(alone.converged);
        alone.model.score(&folds.held_out(fold).unwrap()).unwrap().total / settings.k as f64
    };
    (0..folds.count()).map(|fold| all.iter().map(|settings| score(fold, settings)).collect()).collect()
}

fn cross_validated(folds: &Folds<'_>, all: &[Settings]) -> Selection {
    let selection = cross_validate_on(folds, all, Vec::new(), &|_| (), &()).unwrap();
    assert!(selection.converged);
    selection
}

/// The largest difference of scores.
fn difference(selection: &Selection, scores: &[Vec<f64>]) -> f64 {
    gap(&selection.scores.concat(), &scores.concat())
}

/// Settings of some ridges.
fn path_of(settings: &Settings, ridges: &[f64]) -> Vec<Settings> {
    ridges.iter().map(|&ridge| settings.clone().ridge(ridge)).collect()
}

/// Views that are wider than a coarse block.
fn wide(rows: usize) -> InMemory {
    InMemory::new(zipf_rows(rows, 1500, 8, 1), zipf_rows(rows, 1200, 7, 1)).unwrap()
}

/// Folds of the caller: rows in the order of the rarest column that they hold, cut into `count` parts. The
/// parts hold different columns.
fn sorted_folds(pair: &InMemory, count: usize) -> Folds<'_> {
    let rows = pair.shape().rows;
    let rarest = |row: usize| {
        let mut last = 0;
        pair.view(Side::X).for_each(row, |column, _| last = last.max(column));
        last
    };
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by_key(|&row| rarest(row));
    let part = |fold: usize| {
        let own = fold * rows / count..(fold + 1) * rows / count;
        let held_out = order[own.clone()].to_vec();
        [order.iter().copied().filter(|row| !held_out.contains(row)).collect(), held_out]
    };
    Folds::given(pair, &(0..count).map(part).collect::<Vec<_>>()).unwrap()
}

#[test]
fn folds_of_wide_views_score_as_whole_fits_do() {
    let pair = wide(1800);
    for center in [true, false] {
        let settings = Settings { tol: 1e-9, center, ..Settings::new(Method::lobpcg(), 4) };
        let all = path_of(&settings, &[0.01, 10.0, 0.3]);
        let folds = Folds::new(&pair, 3, 5).unwrap();
        let difference = difference(&cross_validated(&folds, &all), &by_whole_fits(&folds, &all));
        assert!(difference < ALLOWED, "{difference:e}");
    }
}

#[test]
fn folds_that_are_unlike_each_other_score_as_whole_fits_do() {
    let pair = wide(1800);
    let folds = sorted_folds(&pair, 3);
    let settings = Settings { tol: 1e-9, ..Settings::new(Method::lobpcg(), 3) };
    let all = path_of(&settings, &[0.03, 0.3, 3.0]);
    let (selection, whole) = (cross_validated(&folds, &all), by_whole_fits(&folds, &all));
    let difference = difference(&selection, &whole);
    assert!(difference < ALLOWED, "{difference:e}: {selection:?} {whole:?}");
    // At the usual tolerance the same ridges are chosen, and means differ only by a part of their errors.
    let usual = path_of(&Settings::new(Method::lobpcg(), 3), &[0.03, 0.3, 3.0]);
    let rough = cross_validated(&folds, &usual);
    assert_eq!((rough.best, rough.simplest), (selection.best, selection.simplest));
    for ((mean, rough), error) in selection.mean.iter().zip(&rough.mean).zip(&selection.error) {
        assert!((mean - rough).abs() < 0.5 * error, "{mean} {rough} ± {error}");
    }
}

#[test]
fn folds_of_dependent_columns_score_as_whole_fits_do() {
    // Every column of X is there twice, and one column of Y is constant.
    let twice = |view: Matrix| -> Matrix {
        let (mut rows, cols) = (RowsBuilder::default(), view.cols() as u32);
        for row in 0..view.rows() {
            let mut columns = Vec::new();
            view.for_each(row, |column, _| columns.push(column as u32));
            columns.iter().for_each(|&column| rows.push(column, 1.0));
            columns.iter().for_each(|&column| rows.push(cols + column, 1.0));
            rows.end_row();
        }
        RowsBuilder::join(vec![rows], 2 * cols as usize, false).unwrap().into()
    };
    let pair = InMemory::new(twice(zipf_rows(2000, 30, 6, 1)), zipf_rows(2000, 25, 5, 1)).unwrap();
    let settings = Settings { tol: 1e-9, ..Settings::new(Method::lobpcg(), 2) };
    let all = path_of(&settings, &[0.0, 0.1]);
    let folds = Folds::new(&pair, 4, 2).unwrap();
    let difference = difference(&cross_validated(&folds, &all), &by_whole_fits(&folds, &all));
    assert!(difference < ALLOWED, "{difference:e}");
}

#[test]
fn folds_of_scaled_columns_score_as_whole_fits_do() {
    let pair = InMemory::new(zipf_rows(2000, 50, 6, 1), zipf_rows(2000, 40, 5, 1)).unwrap();
    let settings =
        Settings { tol: 1e-9, scale: crate::method::Scale::Yes, ..Settings::new(Method::lobpcg(), 2) };
    let all = path_of(&settings, &[1.0, 0.01]);
    let folds = Folds::new(&pair, 4, 2).unwrap();
    let difference = difference(&cross_validated(&folds, &all), &by_whole_fits(&folds, &all));
    assert!(difference < ALLOWED, "{difference:e}");
}

#[test]
fn folds_in_single_precision_score_as_whole_fits_do() {
    let pair = topics(100_000);
    let all = path_of(&Settings { tol: 1e-5, ..Settings::new(Method::lobpcg(), 4) }, &[0.1, 1.0]);
    let folds = Folds::new(&pair, 2, 5).unwrap();
    let difference = difference(&cross_validated(&folds, &all), &by_whole_fits(&folds, &all));
    assert!(difference < 1e-3, "{difference:e}");
}
