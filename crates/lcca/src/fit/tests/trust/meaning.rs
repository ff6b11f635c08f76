//! Results that mean nothing say so: noise, too few rows, columns that both views have.

use crate::data::{InMemory, Pair, Side};
use crate::fit::hold_out;
use crate::fit::tests::{fit, pair_of, run};
use crate::fit::{Fit, Risk, cross_validate, risk};
use crate::method::{Method, Scale, Settings};
use crate::outcome::Note;
use crate::testing::{from_dense, random_mat, with_correlations, zipf_rows};
use faer::Mat;

fn noise(rows: usize, p: usize, q: usize, seed: u64) -> InMemory {
    pair_of(&random_mat(rows, p, seed), &random_mat(rows, q, seed + 1000))
}

fn guaranteed(fit: &Fit) -> Option<u64> {
    fit.notes.iter().find_map(|note| match note {
        Note::CorrelationsGuaranteed { pairs, .. } => Some(*pairs),
        _ => None,
    })
}

fn has(fit: &Fit, is_kind: impl Fn(&Note) -> bool) -> bool {
    fit.notes.iter().any(is_kind)
}

#[test]
fn more_columns_than_rows_guarantee_perfect_pairs() {
    for (rows, p, q, expected) in [(100, 60, 60, 21), (100, 50, 50, 1), (30, 60, 10, 10)] {
        let fitted = run(&noise(rows, p, q, 1), Method::auto(), 10).unwrap();
        assert_eq!(guaranteed(&fitted), Some(expected), "{rows} {p} {q}");
        let perfect = fitted.model.correlations.iter().filter(|&&c| c > 1.0 - 1e-6).count() as u64;
        assert_eq!(perfect, expected.min(10), "{:?}", fitted.model.correlations);
    }
    // One column fewer, constant columns, and a ridge: nothing is guaranteed.
    assert_eq!(guaranteed(&run(&noise(100, 50, 49, 1), Method::auto(), 5).unwrap()), None);
    let constant = Mat::from_fn(100, 60, |i, j| if j < 40 { 1.0 } else { random_mat(100, 60, 2)[(i, j)] });
    let pair = pair_of(&constant, &random_mat(100, 60, 3));
    assert_eq!(guaranteed(&run(&pair, Method::auto(), 5).unwrap()), None);
    let ridged = fit(&noise(100, 60, 60, 1), &Settings::new(Method::auto(), 5).ridge(0.1), &()).unwrap();
    assert_eq!(guaranteed(&ridged), None);
    assert!(has(&ridged, |note| matches!(note, Note::InflatedByNoise { .. })));
}

fn risk_of(pair: &InMemory, ridge: f64) -> Risk {
    risk(pair, &Settings::new(Method::auto(), 1).ridge(ridge).scale(Scale::No)).unwrap()
}

/// The first correlation of noise, averaged over some draws.
fn simulated(rows: usize, p: usize, q: usize, decay: f64, ridge: f64) -> (f64, f64) {
    let view = |cols: usize, seed: u64| {
        let draw = random_mat(rows, cols, seed);
        Mat::from_fn(rows, cols, |i, j| draw[(i, j)] * ((j + 1) as f64).powf(-decay / 2.0))
    };
    let (mut seen, mut predicted) = (0.0, 0.0);
    for seed in 0..4 {
        let pair = pair_of(&view(p, seed), &view(q, 50 + seed));
        let settings = Settings::new(Method::auto(), 1).ridge(ridge).scale(Scale::No);
        seen += fit(&pair, &settings, &()).unwrap().model.correlations[0] / 4.0;
        predicted += risk_of(&pair, ridge).noise / 4.0;
    }
    (seen, predicted)
}

#[test]
fn noise_reaches_the_level_that_is_predicted() {
    for (rows, p, q) in [(400, 20, 20), (400, 100, 20), (400, 80, 80), (1000, 10, 5)] {
        let (seen, predicted) = simulated(rows, p, q, 0.0, 0.0);
        assert!((seen - predicted).abs() < 0.05, "{rows} × {p} + {q}: {seen} {predicted}");
    }
    // With a ridge the prediction is a rough one, on the high side.
    for (decay, ridge) in [(0.0, 0.1), (0.0, 1.0), (1.0, 0.1), (1.0, 1.0), (2.0, 0.1)] {
        let (seen, predicted) = simulated(400, 60, 60, decay, ridge);
        println!("decay {decay}, ridge {ridge}: {seen:.3} seen, {predicted:.3} predicted");
        assert!(predicted - seen > -0.1 && predicted - seen < 0.3, "{decay} {ridge}: {seen} {predicted}");
    }
}

#[test]
fn inflation_is_undone_where_there_is_a_signal_and_noise_is_nothing() {
    let truth = with_correlations(2000, &[0.8, 0.0, 0.0], 3);
    let beside = |a: &Mat<f64>, seed: u64| {
        let noise = random_mat(2000, 60, seed);
        let root = 2000f64.sqrt();
        Mat::from_fn(300, 63, |i, j| if j < 3 { root * a[(i, j)] } else { noise[(i, j - 3)] })
    };
    let pair = pair_of(&beside(&truth.0, 4), &beside(&truth.1, 5));
    let seen = run(&pair, Method::auto(), 2).unwrap().model.correlations;
    let risk = risk_of(&pair, 0.0);
    assert!(seen[0] > 0.84 && (risk.without_inflation(seen[0]) - 0.8).abs() < 0.06, "{seen:?}");
    assert_eq!(risk.without_inflation(risk.noise), 0.0);
    assert!(risk.is_high() && !risk_of(&noise(5000, 5, 5, 1), 0.0).is_high());
}

#[test]
fn held_out_rows_show_that_noise_is_noise() {
    let pair = noise(100, 60, 60, 1);
    let settings = Settings::new(Method::auto(), 5);
    let fitted = hold_out(&pair, &settings, 0.2, &()).unwrap().fit(&pair, &settings, &()).unwrap();
    let held_out = fitted.held_out.clone().unwrap();
    assert_eq!((held_out.rows, held_out.training_rows, fitted.model.rows), (20, 80, 100));
    assert!(held_out.training.iter().all(|&c| c > 0.999), "{held_out:?}");
    let mean = held_out.held_out.iter().sum::<f64>() / 5.0;
    assert!(mean.abs() < 0.3, "{held_out:?}");
    assert!(
        has(&fitted, |note| matches!(note, Note::FarBelowTraining { far: 3.., .. })),
        "{:?}",
        fitted.notes
    );
    assert_eq!(guaranteed(&fitted), Some(21));
}

#[test]
fn a_signal_is_there_on_held_out_rows_and_the_model_is_that_of_all_rows() {
    let (x, y) = with_correlations(600, &[0.9, 0.6, 0.3], 2);
    for method in [Method::exact(), Method::lobpcg(), Method::als(200)] {
        let pair = pair_of(&x, &y);
        let settings = Settings::new(method, 2).tol(1e-10);
        let cold = fit(&pair, &settings, &()).unwrap();
        let warm = hold_out(&pair, &settings, 0.25, &()).unwrap().fit(&pair, &settings, &()).unwrap();
        assert!(
            crate::fit::tests::gap(&cold.model.correlations, &warm.model.correlations) < 1e-8,
            "{method}"
        );
        let held_out = warm.held_out.unwrap();
        assert!((held_out.held_out[0] - 0.9).abs() < 0.1, "{held_out:?}");
        assert!(
            !warm.notes.iter().any(|note| matches!(note, Note::FarBelowTraining { .. })),
            "{:?}",
            warm.notes
        );
    }
}

#[test]
fn a_warm_start_saves_iterations_on_scaled_reduced_and_one_hot_data() {
    let pair = InMemory::new(zipf_rows(4000, 90, 6, 1), zipf_rows(4000, 70, 5, 2)).unwrap();
    let settings = Settings::new(Method::lobpcg(), 3).ridge(0.01).scale(Scale::Yes).tol(1e-8);
    let cold = fit(&pair, &settings, &()).unwrap();
    let warm = hold_out(&pair, &settings, 0.1, &()).unwrap().fit(&pair, &settings, &()).unwrap();
    assert!(crate::fit::tests::gap(&cold.model.objective, &warm.model.objective) < 1e-6);
    assert!(warm.trace.len() < cold.trace.len(), "{} {}", warm.trace.len(), cold.trace.len());
    let columns: Vec<u32> = (0..4000).map(|i| (i * 7 % 31) as u32).collect();
    let one_hot = crate::matrix::OneHotRows::new(31, columns.into()).unwrap();
    let weights: Vec<f64> = (0..4000).map(|i| f64::from(i % 3)).collect();
    let pair =
        InMemory::new(one_hot.into(), zipf_rows(4000, 70, 5, 2)).unwrap().weighted(weights.into()).unwrap();
    let fitted = hold_out(&pair, &settings, 0.2, &()).unwrap();
    // Rows of weight 0 are in neither part.
    assert_eq!(fitted.result.rows + fitted.result.training_rows, 2666);
    assert!(fitted.fit(&pair, &settings, &()).unwrap().converged);
}

#[test]
fn shares_that_leave_too_few_rows_are_refused() {
    let pair = noise(20, 3, 3, 1);
    for share in [0.0, 1.0, 0.05, 0.95, -0.5, f64::NAN] {
        let refused = hold_out(&pair, &Settings::new(Method::auto(), 1), share, &()).err().unwrap();
        assert!(refused.to_string().contains("at least 3 rows"), "{refused}");
    }
}

fn shared(pair: &InMemory, settings: &Settings) -> Option<(u64, Vec<[u64; 2]>)> {
    equal(pair, settings).map(|(count, columns, _)| (count, columns))
}

/// The shared columns that a fit notes, and which of them are equal in every row.
fn equal(pair: &InMemory, settings: &Settings) -> Option<(u64, Vec<[u64; 2]>, Vec<bool>)> {
    let mut fitted = fit(pair, settings, &()).unwrap();
    fitted.look_for_shared_columns(pair).unwrap();
    fitted.notes.into_iter().find_map(|note| match note {
        Note::SharedColumns { count, columns, equal, .. } => Some((count, columns, equal)),
        _ => None,
    })
}

#[test]
fn columns_are_called_equal_if_they_are_in_every_row() {
    let (x, y) = (random_mat(300, 4, 1), random_mat(300, 4, 2));
    let other = |changed: f64, factor: f64| {
        Mat::from_fn(300, 4, |i, j| match (i, j) {
            (17, 1) => factor * x[(i, 2)] + changed,
            (_, 1) => factor * x[(i, 2)],
            _ => y[(i, j)],
        })
    };
    let settings = Settings::new(Method::auto(), 2);
    for (changed, factor, expected) in [(0.0, 1.0, true), (1e-9, 1.0, false), (0.0, -2.0, false)] {
        let other = other(changed, factor);
        for pair in [
            pair_of(&x, &other),
            InMemory::new(
                crate::testing::sparse_from_dense(x.as_ref()),
                crate::testing::sparse_from_dense(other.as_ref()),
            )
            .unwrap(),
        ] {
            assert_eq!(equal(&pair, &settings), Some((1, vec![[2, 1]], vec![expected])));
        }
    }
}

#[test]
fn cross_validation_decides_whether_correlations_are_inflated() {
    let pair = noise(100, 30, 30, 1);
    let mut fitted = run(&pair, Method::auto(), 2).unwrap();
    let guesses = |fit: &Fit| has(fit, |note| matches!(note, Note::InflatedByNoise { .. }));
    assert!(guesses(&fitted), "{:?}", fitted.notes);
    let mut good = fitted.clone();
    good.add_cross_validated(good.model.correlations[0], 5);
    assert!(good.notes.is_empty(), "{:?}", good.notes);
    fitted.add_cross_validated(0.1, 5);
    assert!(!guesses(&fitted));
    assert!(has(&fitted, |note| matches!(note, Note::FarBelowTrainingInFolds { folds: 5, .. })));
}

#[test]
fn columns_that_both_views_have_are_found_as_they_are_and_as_multiples() {
    let (x, y) = (random_mat(300, 8, 1), random_mat(300, 9, 2));
    let settings = Settings::new(Method::auto(), 3);
    assert_eq!(shared(&pair_of(&x, &y), &settings), None);
    let leaking = |factor: f64, shift: f64| {
        Mat::from_fn(300, 9, |i, j| if j == 6 { factor * x[(i, 2)] + shift } else { y[(i, j)] })
    };
    for settings in [settings.clone(), settings.clone().ridge(0.01)] {
        assert_eq!(shared(&pair_of(&x, &leaking(1.0, 0.0)), &settings), Some((1, vec![[2, 6]])));
        assert_eq!(shared(&pair_of(&x, &leaking(-1000.0, 5.0)), &settings), Some((1, vec![[2, 6]])));
    }
    // The same table twice: every column, three of them named, though three pairs cannot hold eight.
    let (count, named) = shared(&pair_of(&x, &x), &settings).unwrap();
    assert_eq!((count, named.len()), (8, 3));
    assert!(named.iter().all(|[x, y]| x == y));
    // A label among words.
    let words = [zipf_rows(500, 40, 4, 1), zipf_rows(500, 40, 4, 2)];
    let with_label = |view: &crate::matrix::Matrix| {
        let dense = crate::testing::to_dense(view);
        crate::testing::sparse_from_dense(
            Mat::from_fn(500, 41, |i, j| if j == 40 { f64::from(i % 5 == 0) } else { dense[(i, j)] })
                .as_ref(),
        )
    };
    let pair = InMemory::new(with_label(&words[0]), with_label(&words[1])).unwrap();
    assert_eq!(shared(&pair, &Settings::new(Method::auto(), 2)), Some((1, vec![[40, 40]])));
}

#[test]
fn folds_too_small_to_score_are_pooled() {
    let (x, y) = with_correlations(60, &[0.9, 0.3], 4);
    let pair = pair_of(&x, &y);
    let settings = Settings::new(Method::auto(), 1);
    let one_by_one = cross_validate(&pair, &settings, &[0.0, 0.1, 10.0], 60, &()).unwrap();
    assert!(one_by_one.pooled && one_by_one.scores.len() == 60);
    assert!((one_by_one.mean[0] - 0.88).abs() < 0.05, "{one_by_one:?}");
    assert!(one_by_one.error.iter().all(|&error| error > 0.005 && error < 0.2), "{:?}", one_by_one.error);
    let few = cross_validate(&pair, &settings, &[0.0, 0.1, 10.0], 5, &()).unwrap();
    assert!(
        !few.pooled && crate::fit::tests::gap(&few.mean, &one_by_one.mean) < 0.1,
        "{:?} {:?}",
        few.mean,
        one_by_one.mean
    );
    // Noise scores about 0 and not 0 ± 0.
    let selection = cross_validate(&noise(40, 5, 5, 9), &settings, &[0.01, 1.0], 40, &()).unwrap();
    assert!(selection.mean.iter().all(|score| score.abs() < 0.45), "{:?}", selection.mean);
    assert!(selection.error.iter().all(|&error| error > 0.01), "{:?}", selection.error);
}

#[test]
fn a_ridge_that_few_columns_set_is_noted_unless_columns_are_scaled() {
    let uneven =
        |fit: &Fit| has(fit, |note| matches!(note, Note::RidgeSetByFewColumns { side: Side::X, .. }));
    let x = random_mat(200, 20, 1);
    let large = Mat::from_fn(200, 20, |i, j| if j == 3 { 1000.0 * x[(i, j)] } else { x[(i, j)] });
    let pair =
        InMemory::new(from_dense(large.as_ref()), from_dense(random_mat(200, 20, 2).as_ref())).unwrap();
    let settings = Settings::new(Method::auto(), 1).ridge(0.01);
    assert!(uneven(&fit(&pair, &settings.clone().scale(Scale::No), &()).unwrap()));
    assert!(!uneven(&fit(&pair, &settings, &()).unwrap()));
    assert!(!uneven(&fit(&pair, &Settings::new(Method::auto(), 1), &()).unwrap()), "there is no ridge");
    assert_eq!(pair.shape().rows, 200);
}
