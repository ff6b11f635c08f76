//! P-values are uniform if the views are independent: with families, with covariates, and with both.

use crate::fit::tests::pair_of;
use crate::fit::{
    Exchange, Folds, Groups, Model, PermutationTest, View, fit, hold_out_groups, permutation_test,
    recommend_components,
};
use crate::matrix::Panel;
use crate::method::{Method, Settings};
use crate::panels;
use crate::testing::{from_dense, random_mat};
use faer::Mat;

/// The Kolmogorov–Smirnov distance of p-values from uniform: the largest distance between the share of them
/// below a number and that number.
fn distance_from_uniform(mut p: Vec<f64>) -> f64 {
    p.sort_by(f64::total_cmp);
    let n = p.len() as f64;
    let ends = |(i, &p): (usize, &f64)| ((i + 1) as f64 / n - p).abs().max((p - i as f64 / n).abs());
    p.iter().enumerate().map(ends).fold(0.0, f64::max)
}

/// 1% of 200 uniform draws are further than this from uniform.
const FAR: f64 = 1.63 / 14.142;

/// A model whose canonical variables are the columns of two views.
fn columns_themselves(k: usize) -> Model {
    let view = || {
        View::new(
            Panel::from_fn(k, k, |i, j| f64::from(u8::from(i == j))),
            Panel::zeros(k, k),
            Some(vec![0.0; k]),
        )
    };
    let mut model = Model::new(view(), view(), Settings::new(Method::auto(), k));
    model.correlations = vec![0.0; k];
    model
}

/// Two views that have nothing in common but covariates and families.
struct Null {
    x: Mat<f64>,
    y: Mat<f64>,
    z: Mat<f64>,
    groups: Groups,
}

/// Families of 2 to 5 members, three covariates that both views depend on, and an effect of the family in
/// both views.
fn null(families: usize, covariates: usize, family_effect: f64, draw: u64) -> Null {
    let family: Vec<usize> = (0..families).flat_map(|family| vec![family; 2 + family % 4]).collect();
    let n = family.len();
    let random = |cols: usize, part: u64| random_mat(n.max(families), cols, 10 * draw + part);
    let (z, shared) = (random(covariates, 1), random(covariates, 2));
    // The first covariate is one of the family, such as income; the others are of its members.
    let z = Mat::from_fn(n, covariates, |i, j| if j == 0 { shared[(family[i], 0)] } else { z[(i, j)] });
    let view = |part: u64| {
        let (noise, effect) = (random(2, part), random(2, part + 1));
        Mat::from_fn(n, 2, |i, j| {
            let from_covariates: f64 = (0..covariates).map(|c| z[(i, c)]).sum();
            noise[(i, j)] + family_effect * effect[(family[i], j)] + from_covariates
        })
    };
    Null { x: view(3), y: view(5), groups: Groups::new(family.iter()), z }
}

/// The p-value of the first pair for each of 200 data sets.
fn p_values(null: impl Fn(u64) -> Null, test: impl Fn(&Null, u64) -> f64) -> Vec<f64> {
    (0..200).map(|draw| test(&null(draw), draw)).collect()
}

fn tested(null: &Null, draw: u64, exchange: Exchange<'_>, covariates: bool) -> f64 {
    let z = from_dense(null.z.as_ref());
    let test =
        PermutationTest { exchange, covariates: covariates.then_some(&z), ..PermutationTest::new(199, draw) };
    let (x, y) = (from_dense(null.x.as_ref()), from_dense(null.y.as_ref()));
    columns_themselves(2).permutation_test(&x, &y, &test, &()).unwrap().p[0]
}

/// An invalid test: residuals on the covariates, with all rows in any order.
fn naive(null: &Null, draw: u64) -> f64 {
    let n = null.z.nrows();
    let design = Mat::from_fn(n, null.z.ncols() + 1, |i, j| if j == 0 { 1.0 } else { null.z[(i, j - 1)] });
    let q = design.qr().compute_thin_Q();
    let unit = |view: &Mat<f64>| {
        let mut residuals = Panel::from_mat((view - &q * (q.transpose() * view)).as_ref());
        let lengths: Vec<f64> =
            panels::column_dots(&residuals, &residuals).iter().map(|s| s.sqrt()).collect();
        (0..n).for_each(|i| residuals.row_mut(i).iter_mut().zip(&lengths).for_each(|(v, l)| *v /= l));
        residuals
    };
    permutation_test(&unit(&null.x), &unit(&null.y), 199, draw, &()).unwrap().p[0]
}

/// Ours is 0.050 from uniform. The naive way, permuting residuals as if families did not exist, is 0.130 from
/// it: 1% of uniform draws are further than 0.115.
#[test]
fn p_values_are_uniform_with_families_and_covariates() {
    let data = |draw| null(30, 3, 1.0, draw);
    let ours = p_values(data, |null, draw| tested(null, draw, Exchange::Within(&null.groups), true));
    let naive = p_values(data, naive);
    let (ours, naive) = (distance_from_uniform(ours), distance_from_uniform(naive));
    println!("families and covariates: {ours:.3}, naive {naive:.3}");
    assert!(ours < FAR, "{ours}");
    assert!(naive > FAR, "{naive}");
}

#[test]
fn p_values_are_uniform_with_whole_families() {
    let data = |draw| null(40, 1, 1.0, draw);
    let ours = distance_from_uniform(p_values(data, |null, draw| {
        tested(null, draw, Exchange::Whole(&null.groups), true)
    }));
    println!("whole families: {ours:.3}");
    assert!(ours < FAR, "{ours}");
}

/// Without families, with 16 covariates and a constant for 34 rows: ours is 0.065 from uniform, permuted
/// residuals are 0.105 from it.
#[test]
fn p_values_are_uniform_with_many_covariates() {
    let data = |draw| null(10, 16, 0.0, draw);
    let ours = distance_from_uniform(p_values(data, |null, draw| tested(null, draw, Exchange::Rows, true)));
    let naive = distance_from_uniform(p_values(data, naive));
    println!("many covariates: {ours:.3}, naive {naive:.3}");
    assert!(ours < FAR, "{ours}");
}

#[test]
fn a_relation_beside_covariates_and_families_is_found() {
    let null = null(30, 3, 1.0, 1);
    let related =
        Mat::from_fn(null.y.nrows(), 2, |i, j| null.y[(i, j)] + if j == 0 { null.x[(i, 0)] } else { 0.0 });
    let null = Null { y: related, ..null };
    assert_eq!(tested(&null, 1, Exchange::Within(&null.groups), true), 0.005);
}

#[test]
fn folds_and_held_out_rows_keep_groups_together() {
    let pair = pair_of(&random_mat(100, 3, 1), &random_mat(100, 3, 2));
    let labels: Vec<usize> = (0..100).map(|row| (row * row) % 23).collect();
    let groups = Groups::new(labels.iter());
    let folds = Folds::grouped(&pair, 4, &groups, 7).unwrap();
    let mut rows = 0;
    for fold in 0..4 {
        let held_out = folds.held_out(fold).unwrap();
        for (row, label) in labels.iter().enumerate() {
            let first = labels.iter().position(|other| other == label).unwrap();
            assert_eq!(held_out.weight(row), held_out.weight(first));
        }
        let size = (0..100).filter(|&row| held_out.weight(row) > 0.0).count();
        assert!((15..=35).contains(&size), "{size}");
        rows += size;
    }
    assert_eq!(rows, 100);
    assert!(Folds::grouped(&pair, groups.count() + 1, &groups, 7).is_err());
    let settings = Settings::new(Method::auto(), 1);
    let held_out = hold_out_groups(&pair, &settings, 0.2, Some(&groups), &()).unwrap();
    assert!((12..=28).contains(&held_out.result.rows), "{}", held_out.result.rows);
}

#[test]
fn as_many_pairs_are_recommended_as_can_be_proved() {
    let (x, noise) = (random_mat(600, 8, 1), random_mat(600, 6, 2));
    let y = |pairs: usize| {
        let y = Mat::from_fn(600, 6, |i, j| noise[(i, j)] + if j < pairs { x[(i, j)] } else { 0.0 });
        pair_of(&x, &y)
    };
    for pairs in [0, 1, 3] {
        let pair = y(pairs);
        let settings = Settings::new(Method::auto(), 1);
        let found = recommend_components(&pair, &settings, 50, None, &()).unwrap();
        assert_eq!((found.significant, found.chosen), (pairs, pairs.max(1)), "{:?}", found.test);
        assert_eq!(found.held_out.rows, 180);
        let mut fit = fit(&pair, &Settings::new(Method::auto(), found.chosen), &()).unwrap();
        found.add_to(&mut fit);
        assert_eq!(fit.held_out.unwrap().held_out.len(), pairs.max(1));
        assert_eq!(fit.notes.is_empty(), pairs > 0);
    }
}
