//! Columns whose means are far above their deviations: Julian dates, identifiers, pressures in pascals.

use crate::data::{Accumulated, Side};
use crate::fit::cross_validate;
use crate::fit::tests::*;
use crate::matrix::{DenseRows, DenseValues, Matrix, SparseRows, Values};
use crate::testing::{dense_correlations, random_mat, sparse_from_dense};

const ROWS: usize = 300;

/// Two views that share two directions. The first and third columns have means of about `far` deviations.
fn views(far: f64) -> [Mat<f64>; 2] {
    let shared = random_mat(ROWS, 2, 1);
    let view = |seed: u64| {
        let noise = random_mat(ROWS, 4, seed);
        Mat::from_fn(ROWS, 4, |i, j| {
            let value = shared[(i, j % 2)] + (0.3 + j as f64 / 3.0) * noise[(i, j)];
            if j % 2 == 0 { far * (1.0 + j as f64) + value } else { value }
        })
    };
    [view(2), view(3)]
}

/// The views less their first row, which is exact where columns are far from zero.
fn moved([x, y]: &[Mat<f64>; 2]) -> [Mat<f64>; 2] {
    [x, y].map(|view| Mat::from_fn(ROWS, view.ncols(), |i, j| view[(i, j)] - view[(0, j)]))
}

fn truth(views: &[Mat<f64>; 2]) -> Vec<f64> {
    let [x, y] = moved(views);
    dense_correlations(&x, &y, true)[..3].to_vec()
}

/// Sets some entries of columns that are near zero to zero, so that sparse rows do not store them.
fn with_gaps(views: [Mat<f64>; 2]) -> [Mat<f64>; 2] {
    let gaps = |view: Mat<f64>| {
        Mat::from_fn(ROWS, 4, |i, j| if j % 2 == 1 && (i + j) % 3 == 0 { 0.0 } else { view[(i, j)] })
    };
    views.map(gaps)
}

fn sparse([x, y]: &[Mat<f64>; 2]) -> InMemory {
    InMemory::new(sparse_from_dense(x.as_ref()), sparse_from_dense(y.as_ref())).unwrap()
}

fn precise(method: Method) -> Settings {
    Settings::new(method, 3).tol(1e-13)
}

#[test]
fn means_of_any_size_change_no_correlation() {
    let methods =
        [Method::auto(), Method::lobpcg(), Method::gram(), Method::exact(), Method::als(400), als_by_cg(400)];
    for far in [1.0, 1e3, 3e6, 1e7, 1e8, 1e10] {
        let (dense, gappy) = (views(far), with_gaps(views(far)));
        for (pair, truth) in [(pair_of(&dense[0], &dense[1]), truth(&dense)), (sparse(&gappy), truth(&gappy))]
        {
            for method in methods {
                let fit = fit(&pair, &precise(method), &()).unwrap();
                let error = gap(&fit.model.correlations, &truth);
                assert!(error < 1e-8, "{method} {} {far:e}: {error:e}", pair.view(Side::X).kind());
            }
        }
    }
}

#[test]
fn shift_invert_takes_sparse_columns_far_from_zero() {
    for far in [3e6, 1e10] {
        let gappy = with_gaps(views(far));
        let settings = Settings { ridge_x: 1e-9, ridge_y: 1e-9, ..precise(Method::shift_invert()) };
        let fit = fit(&sparse(&gappy), &settings, &()).unwrap();
        assert!(gap(&fit.model.correlations, &truth(&gappy)) < 1e-8, "{far:e}");
    }
}

#[test]
fn only_a_column_that_is_constant_counts_as_constant() {
    // Only the last digit of a double varies.
    let [_, y] = views(1.0);
    let up = 1e10f64.next_up() - 1e10;
    let x = Mat::from_fn(ROWS, 2, |i, j| 1e10 + if j == 0 && y[(i, 1)] > 0.0 { up } else { 0.0 });
    let fit = run(&pair_of(&x, &y), Method::exact(), 1).unwrap();
    let sign = Mat::from_fn(ROWS, 1, |i, _| f64::from(u8::from(y[(i, 1)] > 0.0)));
    assert!(gap(&fit.model.correlations, &dense_correlations(&sign, &y, true)[..1]) < 1e-8);
    assert!(
        fit.notes
            .iter()
            .any(|note| matches!(note, Note::HardlyAnyDigits { side: Side::X, columns: 1, first: 0 }))
    );

    let constant = Mat::from_fn(ROWS, 2, |_, j| if j == 0 { 1e10 / 3.0 } else { 0.1 });
    let error = run(&pair_of(&constant, &y), Method::auto(), 1).err().unwrap().to_string();
    assert!(error.contains("all zero once centered"), "{error}");
}

#[test]
fn single_precision_goes_as_far_as_its_digits_and_says_so() {
    for (far, is_vague) in [(1e3, false), (1e7, true)] {
        let rounded = views(far).map(|view| Mat::from_fn(ROWS, 4, |i, j| f64::from(view[(i, j)] as f32)));
        let single = |view: &Mat<f64>| -> Matrix {
            let values: Vec<f32> = (0..ROWS).flat_map(|i| (0..4).map(move |j| view[(i, j)] as f32)).collect();
            DenseRows::new(ROWS, 4, DenseValues::F32(values.into())).unwrap().into()
        };
        let sparse_single = |view: &Mat<f64>| -> Matrix {
            let Matrix::Sparse(sparse) = sparse_from_dense(view.as_ref()) else { unreachable!() };
            let values: Vec<f32> =
                (0..sparse.entries() as usize).map(|i| sparse.values().get(i) as f32).collect();
            let (offsets, columns) = (sparse.offsets().clone(), sparse.columns().clone());
            SparseRows::new(4, offsets, columns, Values::F32(values.into())).unwrap().into()
        };
        for pair in [
            InMemory::new(single(&rounded[0]), single(&rounded[1])).unwrap(),
            InMemory::new(sparse_single(&rounded[0]), sparse_single(&rounded[1])).unwrap(),
        ] {
            let fit = fit(&pair, &precise(Method::auto()), &()).unwrap();
            assert!(gap(&fit.model.correlations, &truth(&rounded)) < 1e-8, "{far:e}");
            let said = fit.notes.iter().filter(|note| matches!(note, Note::HardlyAnyDigits { .. })).count();
            assert_eq!(said, if is_vague { 2 } else { 0 }, "{far:e}: {:?}", fit.notes);
        }
    }
}

/// The correlation of two columns, about their means.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let dot = |f: &dyn Fn(usize) -> f64| (0..a.len()).map(f).sum::<f64>();
    let xy = dot(&|i| (a[i] - ma) * (b[i] - mb));
    xy / (dot(&|i| (a[i] - ma).powi(2)) * dot(&|i| (b[i] - mb).powi(2))).sqrt()
}

#[test]
fn variables_scores_and_certificates_keep_their_digits() {
    let far = views(1e10);
    let pair = pair_of(&far[0], &far[1]);
    let fit = fit(&pair, &precise(Method::lobpcg()), &()).unwrap();
    let correlations = &fit.model.correlations;
    let [x, y] = [Side::X, Side::Y].map(|side| fit.model.transform_all(side, pair.view(side)).unwrap());
    for (j, expected) in correlations.iter().enumerate() {
        let column = |panel: &crate::matrix::Panel| (0..ROWS).map(|i| panel.row(i)[j]).collect::<Vec<f64>>();
        assert!((correlation(&column(&x), &column(&y)) - expected).abs() < 1e-8);
    }
    assert!(gap(&fit.model.score(&pair).unwrap().correlations, correlations) < 1e-8);
    assert!(fit.model.x.mean.as_ref().is_some_and(|mean| (mean[0] / 1e10 - 1.0).abs() < 1e-9));
    let certificate = fit.model.certify(&pair, &()).unwrap();
    assert!(certificate.gain < 1e-8 && certificate.bounds.iter().all(|bound| *bound < 1e-6));
}

#[test]
fn folds_batches_and_covariates_keep_their_digits() {
    let far = views(1e9);
    let [x, y] = moved(&far);
    let (pair, near) = (pair_of(&far[0], &far[1]), pair_of(&x, &y));
    for method in [Method::gram(), Method::lobpcg()] {
        let scores =
            |pair: &InMemory| cross_validate(pair, &precise(method), &[0.0, 0.1], 5, &()).unwrap().mean;
        assert!(gap(&scores(&pair), &scores(&near)) < 1e-8, "{method}");
    }

    // Means of batches are rounded before they are compared, which costs as many digits as the means have.
    let far = views(1e7);
    let batch = pair_of(&far[0], &far[1]);
    let half = |rows: std::ops::Range<usize>| {
        InMemory::new(batch.view(Side::X).slice(rows.clone()), batch.view(Side::Y).slice(rows)).unwrap()
    };
    let sums = Accumulated::first(&half(0..100), u64::MAX).unwrap();
    let sums = sums.plus(&half(100..ROWS), u64::MAX).unwrap();
    let batches = fit(&*sums.pair(), &precise(Method::auto()), &()).unwrap();
    assert!(gap(&batches.model.correlations, &truth(&far)) < 1e-8);
    assert!(batches.model.x.mean.as_ref().is_some_and(|mean| (mean[0] / 1e7 - 1.0).abs() < 1e-6));

    let with = |pair: &InMemory, time: f64| {
        let times = random_mat(ROWS, 1, 9);
        let times = Mat::from_fn(ROWS, 1, |i, _| time + x[(i, 1)] + times[(i, 0)]);
        let views = Side::BOTH.map(|side| pair.view(side).clone());
        let [x, y] = views;
        let pair = InMemory::new(x, y).unwrap().with_covariates(from_dense(times.as_ref())).unwrap();
        let fit = fit(&pair, &precise(Method::auto()), &()).unwrap();
        let variables = fit.model.transform_all_with(Side::X, pair.view(Side::X), pair.covariates()).unwrap();
        (fit.model.correlations, variables.row(5).to_vec())
    };
    let (expected, seen) = (with(&near, 0.0), with(&pair, 1e8));
    assert!(gap(&seen.0, &expected.0) < 1e-6);
    assert!(gap(&seen.0, &with(&near, 1e8).0) < 1e-8);
    assert!(seen.1.iter().zip(&expected.1).all(|(a, b)| (a.abs() - b.abs()).abs() < 1e-6));
}

/// Rows that answer for themselves and cannot be moved, as those of a cluster.
struct Fixed(InMemory);

impl Pair for Fixed {
    fn shape(&self) -> crate::data::Shape {
        self.0.shape()
    }

    fn moments(&self, side: Side) -> Result<&crate::data::Moments> {
        self.0.moments(side)
    }

    fn pass(&self, ask: &mut crate::data::Ask<'_>) -> Result<()> {
        self.0.pass(ask)
    }
}

#[test]
fn rows_that_cannot_be_moved_say_which_columns_lose_their_digits() {
    let lost = |far: f64| {
        let [x, y] = views(far);
        let fit = run(&Fixed(pair_of(&x, &y)), Method::lobpcg(), 1).unwrap();
        fit.notes.into_iter().filter(|note| matches!(note, Note::DigitsLost { .. })).collect::<Vec<_>>()
    };
    assert_eq!(lost(100.0), []);
    assert_eq!(lost(1e8), [Side::X, Side::Y].map(|side| Note::DigitsLost { side, columns: 2, first: 0 }));
}

#[test]
fn columns_of_zeros_and_ones_are_judged_as_they_are() {
    // One zero among many ones is the complement of one among many zeros, and a ridge treats both alike.
    let noise = random_mat(3000, 3, 5);
    let mut y = random_mat(3000, 2, 6);
    y[(0, 1)] += 50.0;
    let objective = |rare: f64| {
        let x = Mat::from_fn(3000, 4, |i, j| match j {
            3 if i == 0 => rare,
            3 => 1.0 - rare,
            _ => f64::from(u8::from(noise[(i, j)] > 0.0)),
        });
        let settings = Settings { ridge_x: 0.1, ridge_y: 0.1, ..precise(Method::auto()) };
        fit(&pair_of(&x, &y), &Settings { k: 1, ..settings }, &()).unwrap().model.objective[0]
    };
    assert!((objective(0.0) - objective(1.0)).abs() < 1e-9);
}
