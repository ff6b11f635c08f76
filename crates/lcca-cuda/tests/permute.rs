//! Tests permutation tests on a GPU. They are ignored unless `cargo xtask test --gpu` runs them.

mod common;

use common::gpu_with;
use lcca::data::InMemory;
use lcca::fit::{
    Exchange, Groups, PermutationTest, fit, permutation_test, permutation_test_in, recommend_components,
};
use lcca::matrix::{DenseRows, DenseValues, Matrix, Panel};
use lcca::method::{Method, Settings};
use lcca::space::{Space, place};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Makes columns of length one, whose numbers are multiples of `step` before they are scaled, if it is
/// positive.
fn panel(rows: usize, cols: usize, seed: u64, step: f64) -> Panel {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut number = |_: usize, _: usize| {
        let number: f64 = random.random_range(-1.0..1.0);
        if step > 0.0 { (number / step).round() * step } else { number }
    };
    let panel = Panel::from_fn(rows, cols, &mut number);
    let square = |j: usize| (0..rows).map(|i| panel.row(i)[j].powi(2)).sum::<f64>();
    let lengths: Vec<f64> = (0..cols).map(|j| square(j).sqrt().max(f64::MIN_POSITIVE)).collect();
    Panel::from_fn(rows, cols, |i, j| panel.row(i)[j] / lengths[j])
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn sums_of_any_orders_are_those_of_the_host() {
    let cuda = gpu_with(None);
    let shapes = [
        (1, 1),
        (2, 3),
        (3, 20),
        (255, 2),
        (256, 7),
        (257, 8),
        (5000, 20),
        (70_001, 33),
        (1100, 129),
        (600, 700),
    ];
    for (rows, cols) in shapes {
        let (x, y) = (panel(rows, cols, 1, 0.0), panel(rows, cols, 2, 0.0));
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let count = if rows > 10_000 { 9 } else { 21 };
        // Any row may come to several places: an order is any list of rows here.
        let orders: Vec<u32> = (0..rows * count).map(|_| random.random_range(0..rows as u32)).collect();
        let mut dealing = cuda.deal(&x, &y).unwrap().unwrap();
        dealing.begin(&orders).unwrap();
        let found = dealing.sums().unwrap();
        assert_eq!(found.len(), count * cols);
        for (order, found) in orders.chunks_exact(rows).zip(found.chunks_exact(cols)) {
            for (j, found) in found.iter().enumerate() {
                let products = order.iter().enumerate().map(|(i, &row)| x.row(i)[j] * y.row(row as usize)[j]);
                let expected: f64 = products.sum();
                assert!((found - expected).abs() < 1e-13, "{rows} x {cols}: {found} for {expected}");
            }
        }
        // The sums of an order do not depend on the orders beside it.
        let mut alone = Vec::new();
        for some in orders.chunks(3 * rows) {
            dealing.begin(some).unwrap();
            alone.extend(dealing.sums().unwrap());
        }
        assert_eq!(alone, found, "{rows} x {cols}");
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn p_values_are_those_of_the_host_to_the_last_bit() {
    let cuda = gpu_with(None);
    // With steps, many orders give exactly the observed sums.
    for (rows, cols, orders, step) in [
        (3, 1, 200, 0.0),
        (3, 2, 200, 1.0),
        (40, 5, 3000, 1.0),
        (90, 3, 5000, 0.5),
        (1000, 20, 999, 0.0),
        (80_000, 6, 99, 0.0),
    ] {
        let (x, y) = (panel(rows, cols, 4, step), panel(rows, cols, 5, step));
        let here = permutation_test(&x, &y, orders, 6, &()).unwrap();
        let there = permutation_test_in(&*cuda, &x, &y, orders, 6, &()).unwrap();
        assert_eq!(here, there, "{rows} x {cols}, step {step}");
    }
    let (x, zero) = (panel(50, 4, 7, 0.0), Panel::zeros(50, 4));
    let there = permutation_test_in(&*cuda, &x, &zero, 99, 1, &()).unwrap();
    assert_eq!(there.p, [1.0; 4]);
}

/// Orders of more than 65,536 rows are drawn on the GPU. Other orders would hardly give the same counts for
/// all pairs.
#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn orders_of_many_rows_are_drawn_there_as_on_the_host() {
    let cuda = gpu_with(None);
    for (rows, cols, orders) in
        [(65_536, 20, 300), (65_537, 20, 300), (65_569, 20, 129), (400_003, 8, 200), (2_500_000, 3, 40)]
    {
        let (x, y) = (panel(rows, cols, 10, 0.0), panel(rows, cols, 11, 0.0));
        let here = permutation_test(&x, &y, orders, 12, &()).unwrap();
        let there = permutation_test_in(&*cuda, &x, &y, orders, 12, &()).unwrap();
        assert_eq!(here, there, "{rows} rows");
        assert_eq!(there, permutation_test_in(&*cuda, &x, &y, orders, 12, &()).unwrap(), "once more");
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn little_memory_means_small_batches_and_too_little_is_an_error() {
    let (x, y) = (panel(20_000, 3, 8, 0.0), panel(20_000, 3, 9, 0.0));
    let cuda = gpu_with(Some(3 << 20));
    let there = permutation_test_in(&*cuda, &x, &y, 50, 1, &()).unwrap();
    assert_eq!(there, permutation_test(&x, &y, 50, 1, &()).unwrap());
    drop(cuda);
    let cuda = gpu_with(Some(2 << 20));
    let error = permutation_test_in(&*cuda, &x, &y, 50, 1, &()).unwrap_err().to_string();
    assert!(error.contains("bytes on the GPU"), "{error}");
}

fn dense(rows: usize, cols: usize, seed: u64) -> Matrix {
    let (mut shared, mut own) = (ChaCha8Rng::seed_from_u64(1), ChaCha8Rng::seed_from_u64(seed));
    let mut numbers = Vec::new();
    for _ in 0..rows {
        let common: [f64; 2] = [shared.random_range(-1.0..1.0), shared.random_range(-1.0..1.0)];
        numbers.extend((0..cols).map(|j| common[j % 2] / (1 + j) as f64 + own.random_range(-1.0..1.0)));
    }
    DenseRows::new(rows, cols, DenseValues::F64(numbers.into())).expect("valid rows").into()
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn models_are_tested_with_blocks_and_covariates() {
    let cuda = gpu_with(None);
    let (x, y, z) = (dense(900, 6, 2), dense(900, 5, 3), dense(300, 2, 4));
    let pair = InMemory::new(x.slice(0..600), y.slice(0..600)).unwrap();
    let model = fit(&pair, &Settings::new(Method::auto(), 4), &()).unwrap().model;
    let (x, y) = (x.slice(600..900), y.slice(600..900));
    let groups = Groups::new((0..300).map(|row| row / 3));
    for exchange in [Exchange::Rows, Exchange::Within(&groups), Exchange::Whole(&groups)] {
        for covariates in [None, Some(&z)] {
            let test = PermutationTest { exchange, covariates, ..PermutationTest::new(499, 7) };
            let here = model.permutation_test(&x, &y, &test, &()).unwrap();
            let there = model.permutation_test_in(&*cuda, &x, &y, &test, &()).unwrap();
            assert_eq!(here, there, "{exchange:?}");
        }
    }
    assert!(cuda.was_used());
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn the_number_of_pairs_is_found_there() {
    let cuda = gpu_with(None);
    let pair = || InMemory::new(dense(2000, 6, 2), dense(2000, 5, 3)).unwrap();
    let settings = Settings::new(Method::auto(), 5);
    let here = recommend_components(&pair(), &settings, 5, None, &()).unwrap();
    let placed = place(pair(), cuda);
    let there = recommend_components(&placed, &settings, 5, None, &()).unwrap();
    assert_eq!((here.chosen, here.significant, here.test.p), (there.chosen, there.significant, there.test.p));
}
