//! Units of columns: which columns are scaled, and that only the ridge's effect changes.

use crate::data::{InMemory, Side};
use crate::fit::tests::{every_method, fit, gap, pair_of};
use crate::fit::{Fit, cross_validate};
use crate::method::{Method, Scale, Settings};
use crate::outcome::Decision;
use crate::testing::{from_dense, random_mat, sparse_from_dense, with_correlations, zipf_rows};
use faer::Mat;

/// 300 rows with a first correlation of about 0.73 and ten columns of noise in each view.
fn table() -> (Mat<f64>, Mat<f64>) {
    let (x, y) = with_correlations(300, &[0.7, 0.4, 0.2], 5);
    let (more_x, more_y) = (random_mat(300, 10, 6), random_mat(300, 10, 7));
    let beside = |a: &Mat<f64>, b: &Mat<f64>| {
        let root = (300f64).sqrt();
        Mat::from_fn(300, 13, |i, j| if j < 3 { root * a[(i, j)] } else { b[(i, j - 3)] })
    };
    (beside(&x, &more_x), beside(&y, &more_y))
}

/// The table with column `j` in other units.
fn in_units(x: &Mat<f64>, j: usize, factor: f64) -> Mat<f64> {
    Mat::from_fn(x.nrows(), x.ncols(), |i, c| if c == j { factor * x[(i, c)] } else { x[(i, c)] })
}

fn scaled_columns(fit: &Fit) -> [u64; 2] {
    let mut scaled = [0, 0];
    for decision in &fit.decisions {
        if let Decision::ColumnsScaled { side, scaled: count, .. } = decision {
            scaled[*side as usize] = *count;
        }
    }
    scaled
}

fn first(pair: &InMemory, settings: &Settings) -> f64 {
    fit(pair, settings, &()).unwrap().model.correlations[0]
}

#[test]
fn a_noise_column_in_other_units_does_not_ruin_a_fit_with_a_ridge() {
    let (x, y) = table();
    let (plain, shifted) = (pair_of(&x, &y), pair_of(&in_units(&x, 8, 1000.0), &y));
    let settings = Settings::new(Method::auto(), 2).ridge(0.01);
    let (before, after) = (first(&plain, &settings), first(&shifted, &settings));
    assert!(before > 0.6 && (before - after).abs() < 1e-9, "{before} {after}");
    let unscaled = first(&shifted, &settings.scale(Scale::No));
    assert!(unscaled < 0.7 * before, "{unscaled}");
}

#[test]
fn scaled_fits_equal_fits_to_scaled_tables_in_every_method() {
    let (x, y) = table();
    let x = in_units(&in_units(&x, 1, 40.0), 8, 0.02);
    let deviation = |m: &Mat<f64>, j: usize| {
        let n = m.nrows() as f64;
        let mean = m.col(j).sum() / n;
        (0..m.nrows()).map(|i| (m[(i, j)] - mean).powi(2)).sum::<f64>().sqrt() / n.sqrt()
    };
    let standardized = |m: &Mat<f64>| {
        let by: Vec<f64> = (0..m.ncols()).map(|j| deviation(m, j)).collect();
        Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] / by[j])
    };
    let (raw, ready) = (pair_of(&x, &y), pair_of(&standardized(&x), &standardized(&y)));
    for method in every_method().into_iter().filter(|method| method.name() != "shift-invert") {
        let settings = Settings::new(method, 2).ridge(0.05).tol(1e-9);
        let ours = fit(&raw, &settings, &()).unwrap();
        let theirs = fit(&ready, &settings.clone().scale(Scale::No), &()).unwrap();
        assert_eq!(scaled_columns(&ours), [13, 13], "{method}");
        assert!(gap(&ours.model.correlations, &theirs.model.correlations) < 1e-8, "{method}");
        assert!(gap(&ours.model.objective, &theirs.model.objective) < 1e-8, "{method}");
        let (ours, theirs) = (&ours.model.x, &theirs.model.x);
        for j in 0..13 {
            let weights: Vec<f64> =
                ours.weights.row(j).iter().map(|w| (w * deviation(&x, j)).abs()).collect();
            let expected: Vec<f64> = theirs.weights.row(j).iter().map(|w| w.abs()).collect();
            assert!(gap(&weights, &expected) < 1e-6, "{method} {j}");
        }
    }
}

#[test]
fn transform_and_score_see_the_units_of_the_data() {
    let (x, y) = table();
    let x = in_units(&x, 1, 1e4);
    let pair = pair_of(&x, &y);
    let fit = fit(&pair, &Settings::new(Method::auto(), 2).ridge(0.1), &()).unwrap();
    let scores = fit.model.score(&pair).unwrap();
    assert!(gap(&scores.correlations, &fit.model.correlations) < 1e-9);
    let z = fit.model.transform_all(Side::X, &from_dense(x.as_ref())).unwrap();
    let length: f64 = (0..300).map(|i| z.row(i)[0].powi(2)).sum();
    assert!((0.8..=1.0 + 1e-9).contains(&length), "{length}");
    // The sign rule: the largest weight of X is positive in the units of the data.
    let largest = (0..13)
        .map(|j| fit.model.x.weights.row(j)[0])
        .fold(0.0f64, |a, b| if b.abs() > a.abs() { b } else { a });
    assert!(largest > 0.0);
}

#[test]
fn without_a_ridge_nothing_is_scaled_and_no_bit_changes() {
    let (x, y) = table();
    let pair = pair_of(&x, &y);
    let settings = Settings::new(Method::auto(), 3);
    let (auto, no) =
        (fit(&pair, &settings, &()).unwrap(), fit(&pair, &settings.clone().scale(Scale::No), &()).unwrap());
    assert_eq!(scaled_columns(&auto), [0, 0]);
    assert_eq!((&auto.model.x, &auto.model.y), (&no.model.x, &no.model.y));
    let components = fit(&pair, &Settings::new(Method::rp_cca(5), 2), &()).unwrap();
    assert_eq!(scaled_columns(&components), [13, 13]);
}

#[test]
fn counts_and_booleans_are_left_alone_and_tables_with_indicators_are_not() {
    let settings = Settings::new(Method::auto(), 2).ridge(0.01);
    let zipf = InMemory::new(zipf_rows(500, 60, 5, 1), zipf_rows(500, 40, 4, 2)).unwrap();
    assert_eq!(scaled_columns(&fit(&zipf, &settings, &()).unwrap()), [0, 0]);
    // Counts: nine of ten cells are zero, stored densely or not.
    let noise = random_mat(500, 20, 3);
    let counts =
        Mat::from_fn(
            500,
            20,
            |i, j| if (i + j) % 10 == 0 { (3.0 * noise[(i, j)].abs()).ceil() } else { 0.0 },
        );
    for view in [from_dense(counts.as_ref()), sparse_from_dense(counts.as_ref())] {
        let pair = InMemory::new(view, zipf_rows(500, 40, 4, 2)).unwrap();
        assert_eq!(scaled_columns(&fit(&pair, &settings, &()).unwrap()), [0, 0]);
    }
    // Of two measurements and thirty indicator columns only the measurements are scaled.
    let mixed =
        Mat::from_fn(
            500,
            32,
            |i, j| if j < 2 { 70.0 + noise[(i, j)] } else { f64::from(i * i % 30 == j - 2) },
        );
    let pair = InMemory::new(from_dense(mixed.as_ref()), zipf_rows(500, 40, 4, 2)).unwrap();
    assert_eq!(scaled_columns(&fit(&pair, &settings, &()).unwrap()), [2, 0]);
    let all = fit(&pair, &settings.scale(Scale::Yes), &()).unwrap();
    assert!(scaled_columns(&all)[0] > 10 && scaled_columns(&all)[1] > 20, "{:?}", scaled_columns(&all));
}

#[test]
fn scaled_sparse_data_have_one_answer_in_rows_gram_matrices_and_merged_rows() {
    let pair = || InMemory::new(zipf_rows(3000, 60, 5, 1), zipf_rows(3000, 40, 4, 2)).unwrap();
    let settings = Settings::new(Method::lobpcg(), 3).ridge(0.01).scale(Scale::Yes).tol(1e-10);
    let exact = fit(&pair(), &Settings { method: Method::exact(), ..settings.clone() }, &()).unwrap();
    for structure in [true, false] {
        for center in [true, false] {
            let base = Settings { structure, center, ..settings.clone() };
            let iterated = fit(&pair(), &base, &()).unwrap();
            let exact = if center {
                exact.clone()
            } else {
                fit(&pair(), &Settings { method: Method::exact(), ..base.clone() }, &()).unwrap()
            };
            assert!(gap(&iterated.model.objective, &exact.model.objective) < 1e-7, "{structure} {center}");
        }
    }
    let shifted = Settings { method: Method::shift_invert(), ..settings };
    assert!(gap(&fit(&pair(), &shifted, &()).unwrap().model.objective, &exact.model.objective) < 1e-7);
}

#[test]
fn certificates_folds_and_paths_work_on_scaled_tables() {
    let (x, y) = table();
    let pair = pair_of(&in_units(&x, 1, 1e4), &y);
    let settings = Settings::new(Method::lobpcg(), 2).ridge(0.05).tol(1e-8);
    let mut fitted = fit(&pair, &settings, &()).unwrap();
    fitted.certify(&pair, &()).unwrap();
    assert!(fitted.converged && fitted.certificate.unwrap().bounds.iter().all(|&bound| bound < 1e-3));
    let plain = cross_validate(&pair_of(&x, &y), &settings, &[0.0, 0.1, 1.0], 4, &()).unwrap();
    let shifted = cross_validate(&pair, &settings, &[0.0, 0.1, 1.0], 4, &()).unwrap();
    assert!(gap(&plain.mean, &shifted.mean) < 1e-6, "{:?} {:?}", plain.mean, shifted.mean);
}
