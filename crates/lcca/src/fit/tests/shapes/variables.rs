//! The scale of canonical variables: a unit of weights and regressions, and of nothing else.

use crate::data::{InMemory, Side};
use crate::fit::bootstrap;
use crate::fit::tests::{fit, pair_of};
use crate::fit::{Model, Resampling};
use crate::matrix::Panel;
use crate::method::{Method, Metric, Settings, Variables};
use crate::testing::random_mat;
use faer::Mat;

const ROWS: usize = 60;

fn correlated() -> InMemory {
    let (x, noise) = (random_mat(ROWS, 5, 1), random_mat(ROWS, 4, 2));
    pair_of(&x, &Mat::from_fn(ROWS, 4, |i, j| x[(i, j)] + noise[(i, j)]))
}

/// Settings with canonical variables of both kinds.
fn both(settings: &Settings) -> [Settings; 2] {
    [Variables::UnitLength, Variables::UnitVariance].map(|variables| settings.clone().variables(variables))
}

/// The largest difference of two panels, the second multiplied by a factor.
fn difference(a: &Panel, b: &Panel, factor: f64) -> f64 {
    let cells = (0..a.rows()).flat_map(|i| a.row(i).iter().zip(b.row(i)));
    cells.map(|(a, b)| (a - factor * b).abs()).fold(0.0, f64::max)
}

/// The mean squares of the variables of X over the training rows.
fn mean_squares(model: &Model, pair: &InMemory) -> Vec<f64> {
    let scores = model.transform_all(Side::X, pair.view(Side::X)).unwrap();
    let square = |j: usize| (0..ROWS).map(|i| scores.row(i)[j].powi(2)).sum::<f64>() / ROWS as f64;
    (0..scores.cols()).map(square).collect()
}

#[test]
fn unit_variance_is_variance_one_without_a_ridge() {
    let pair = correlated();
    for method in [Method::auto(), Method::gram(), Method::exact(), Method::lobpcg()] {
        let settings = Settings::new(method, 3).tol(1e-12).variables(Variables::UnitVariance);
        let model = fit(&pair, &settings, &()).unwrap().model;
        assert!(mean_squares(&model, &pair).iter().all(|square| (square - 1.0).abs() < 1e-8), "{settings:?}");
    }
}

#[test]
fn only_weights_and_regressions_of_the_metric_of_cca_change() {
    let pair = correlated();
    for (ridge, metrics) in [
        (0.0, [Metric::Cca; 2]),
        (0.5, [Metric::Cca; 2]),
        (0.0, [Metric::Pls; 2]),
        (0.0, [Metric::Diagonal, Metric::Cca]),
    ] {
        let settings = Settings::new(Method::auto(), 3).ridge(ridge).metrics(metrics[0], metrics[1]);
        let [length, variance] = both(&settings).map(|settings| fit(&pair, &settings, &()).unwrap());
        let [x, y] = metrics.map(|metric| if metric.is_cca() { (ROWS as f64).sqrt() } else { 1.0 });
        let (a, b) = (&variance.model, &length.model);
        assert!(
            difference(&a.x.weights, &b.x.weights, x) < 1e-12
                && difference(&a.y.weights, &b.y.weights, y) < 1e-12
        );
        assert_eq!((&a.x.loadings, &a.y.loadings), (&b.x.loadings, &b.y.loadings));
        assert_eq!((&a.correlations, &a.objective, a.total), (&b.correlations, &b.objective, b.total));
        let (a, b) = (&variance.regressions, &length.regressions);
        for (a, b, unit) in [(&a.x, &b.x, x), (&a.y, &b.y, y), (&a.y_on_x, &b.y_on_x, x)] {
            assert!(difference(a, b, unit.recip()) < 1e-12);
        }
    }
}

#[test]
fn weights_of_rows_count_as_rows() {
    let repeated = |rows: &Mat<f64>| Mat::from_fn(2 * ROWS, rows.ncols(), |i, j| rows[(i % ROWS, j)]);
    let (x, y) = (random_mat(ROWS, 3, 1), random_mat(ROWS, 2, 2));
    let weighted = pair_of(&x, &y).weighted(vec![2.0; ROWS].into()).unwrap();
    let settings = Settings::new(Method::auto(), 2).variables(Variables::UnitVariance);
    let [a, b] = [weighted, pair_of(&repeated(&x), &repeated(&y))]
        .map(|pair| fit(&pair, &settings, &()).unwrap().model);
    assert!(difference(&a.x.weights, &b.x.weights, 1.0) < 1e-10);
    assert!(mean_squares(&a, &pair_of(&x, &y)).iter().all(|square| (square - 1.0).abs() < 1e-10));
}

#[test]
fn certificates_and_errors_are_those_of_the_same_model_in_another_unit() {
    let pair = correlated();
    let [length, variance] = both(&Settings::new(Method::auto(), 2).ridge(0.1)).map(|settings| {
        let mut fitted = fit(&pair, &settings, &()).unwrap();
        fitted.certify(&pair, &()).unwrap();
        assert!(fitted.converged);
        let resampling = Resampling { count: 20, groups: None, seed: 1, tol: None };
        let errors = bootstrap(&fitted.model, &pair, &resampling, &|_| (), &()).unwrap().errors;
        (fitted.certificate.unwrap(), errors)
    });
    for (a, b) in length.0.bounds.iter().zip(&variance.0.bounds) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
    for (a, b) in variance.1.iter().zip(&length.1) {
        assert!(difference(&a.weights, &b.weights, (ROWS as f64).sqrt()) < 1e-6);
        assert!(difference(&a.loadings, &b.loadings, 1.0) < 1e-6);
    }
}
