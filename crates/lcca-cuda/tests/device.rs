//! Tests the laws of spaces and whole fits on a GPU. The tests are ignored unless `cargo xtask test --gpu`
//! runs them.

mod common;
#[path = "common/rows.rs"]
mod rows;

use common::gpu_with;
use faer::Mat;
use lcca::data::{Centered, InMemory, JointGrams, Moments, Pair, Scaled, Side};
use lcca::fit::{Fit, Model, Search, fit};
use lcca::matrix::{DenseRows, DenseValues, Matrix, SparseRows, Values};
use lcca::method::{Method, Settings};
use lcca::outcome::Decision;
use lcca::panels;
use lcca::space::{laws, place};
use lcca_cuda::{Cuda, measure, on};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{dense, double, one_hot, ones, single, topics, zipf};
use std::sync::Arc;

fn gpu() -> Arc<Cuda> {
    gpu_with(None)
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn panels_obey_the_laws() {
    let cuda = gpu();
    for (rows, cols) in
        [(1, 1), (20, 3), (77, 24), (1000, 32), (5000, 9), (3000, 96), (700, 250), (200, 1500)]
    {
        laws::check(&*cuda, rows, cols, 3).unwrap_or_else(|law| panic!("{rows} x {cols}: {law}"));
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn passes_over_every_kind_of_rows_obey_the_laws() {
    let cuda = gpu();
    let rows = 3000;
    let kinds: [(&str, Matrix, Matrix); 7] = [
        ("ones", zipf(rows, 500, 12, 1, ones), zipf(rows, 300, 9, 2, ones)),
        ("f32", zipf(rows, 500, 12, 3, single), zipf(rows, 300, 9, 4, single)),
        ("f64", zipf(rows, 500, 12, 5, double), zipf(rows, 300, 9, 6, ones)),
        ("one-hot", one_hot(rows, 40, 7), zipf(rows, 300, 400, 8, double)),
        ("two one-hot", one_hot(rows, 40, 9), one_hot(rows, 25, 10)),
        ("dense f32", dense(rows, 70, 11, true), dense(rows, 33, 12, true)),
        ("dense f64", dense(rows, 70, 13, false), zipf(rows, 300, 9, 14, ones)),
    ];
    for (kind, x, y) in kinds {
        let pair = InMemory::new(x, y).unwrap();
        for cols in [1, 7, 24, 40] {
            laws::check_pass(&*cuda, &pair, cols, 5).unwrap_or_else(|law| panic!("{kind}, {cols}: {law}"));
        }
        let centered = Centered::new(&pair).unwrap();
        laws::check_pass(&*cuda, &centered, 24, 6).unwrap_or_else(|law| panic!("{kind} centered: {law}"));
        let factors = Side::BOTH.map(|side| {
            Some((0..pair.shape().cols(side)).map(|j| 1.0 + j as f64 / 100.0).collect::<Vec<f64>>())
        });
        let scaled = Scaled::new(&centered, factors).unwrap();
        laws::check_pass(&*cuda, &scaled, 24, 7).unwrap_or_else(|law| panic!("{kind} scaled: {law}"));
        if let Some(estimated) = pair.capabilities().joint_grams.map(JointGrams::estimate)
            && estimated.unwrap().is_some()
        {
            let joint = pair.capabilities().joint_grams.unwrap().joint_gram(u64::MAX).unwrap();
            let centered = Centered::new(&joint).unwrap();
            laws::check_pass(&*cuda, &centered, 24, 8).unwrap_or_else(|law| panic!("{kind} Gram: {law}"));
        }
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn weighted_rows_obey_the_laws_and_other_weights_are_other_rows() {
    let cuda = gpu();
    let (x, y) = (zipf(2000, 200, 8, 1, ones), zipf(2000, 150, 8, 2, ones));
    for seed in 0..3 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let weights: Vec<f64> = (0..2000).map(|_| f64::from(random.next_u32() % 4)).collect();
        let pair = InMemory::new(x.clone(), y.clone()).unwrap().weighted(weights.into()).unwrap();
        laws::check_pass(&*cuda, &Centered::new(&pair).unwrap(), 8, seed).unwrap();
    }
}

fn same_fit(what: &str, gpu: &Fit, cpu: &Fit) {
    let (there, here) = (gpu.model.objective.iter().sum::<f64>(), cpu.model.objective.iter().sum::<f64>());
    assert!((there - here).abs() <= 1e-9 * here, "{what}: {there} on the GPU, {here} on the CPU");
    assert_eq!(gpu.converged, cpu.converged, "{what}");
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn fits_agree_with_the_cpu_and_repeat_to_the_last_bit() {
    let cuda = gpu();
    let pair = topics(20_000, 3000, 1);
    for method in [Method::auto(), Method::lobpcg()] {
        for ridge in [0.0, 0.01] {
            let mut settings = Settings::new(method, 10);
            (settings.ridge_x, settings.ridge_y, settings.tol, settings.memory) =
                (ridge, ridge, 1e-10, 4 << 30);
            let cpu = fit(&pair, &settings, &()).unwrap();
            let there = fit(&on(&cuda, &pair), &settings, &()).unwrap();
            same_fit(&format!("{method:?}, ridge {ridge}"), &there, &cpu);
            let again = fit(&on(&cuda, &pair), &settings, &()).unwrap();
            assert_eq!(again.model.objective, there.model.objective, "a fit repeats");
        }
    }
}

/// The GPU finds 60 pairs in subblocks, and the host finds them at once.
#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn fits_of_many_pairs_agree_with_the_cpu() {
    let cuda = gpu();
    let pair = topics(20_000, 3000, 1);
    let mut settings = Settings::new(Method::lobpcg(), 60);
    (settings.ridge_x, settings.ridge_y, settings.memory) = (0.01, 0.01, 4 << 30);
    settings.tol = 1e-9;
    let exact = fit(&pair, &settings, &()).unwrap();
    let total: f64 = exact.model.objective.iter().sum();
    for tol in [1e-3, 1e-5, 1e-9] {
        settings.tol = tol;
        let there = fit(&on(&cuda, &pair), &settings, &()).unwrap();
        let short = (total - there.model.objective.iter().sum::<f64>()) / total;
        assert!(there.converged && short > -1e-9 && short <= tol, "{tol:e}: {short:e}");
    }
}

/// Makes dense views that share a few directions.
fn embeddings(rows: usize, cols: [usize; 2], is_single: [bool; 2]) -> InMemory {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut numbers = [Vec::new(), Vec::new()];
    for _ in 0..rows {
        let shared: Vec<f64> = (0..5).map(|_| random.random_range(-1.0..1.0)).collect();
        for (numbers, &cols) in numbers.iter_mut().zip(&cols) {
            // The mean is far from zero, because a matrix that is centered afterwards then loses digits.
            numbers.extend((0..cols).map(|j| 50.0 + shared[j % 5] + random.random_range(-1.0..1.0)));
        }
    }
    let [x, y] = numbers;
    let view = |numbers: Vec<f64>, cols: usize, is_single: bool| -> Matrix {
        let values = if is_single {
            DenseValues::F32(numbers.iter().map(|&number| number as f32).collect::<Vec<f32>>().into())
        } else {
            DenseValues::F64(numbers.into())
        };
        DenseRows::new(rows, cols, values).expect("valid rows").into()
    };
    InMemory::new(view(x, cols[0], is_single[0]), view(y, cols[1], is_single[1])).expect("valid rows")
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn moments_and_gram_matrix_come_from_one_copy_without_loss() {
    let (rows, cols) = (20_000, [70, 33]);
    gpu();
    // The first row has no weight. Estimates of means that contain it are far off, so rows are read again.
    let far: Vec<f64> = (0..rows).map(|row| f64::from(u8::from(row > 0))).collect();
    let uneven: Vec<f64> = (0..rows).map(|row| 0.25 + (row % 7) as f64).collect();
    for (weights, drift, first) in
        [(None, 0.0, 0.0), (None, 1e3, 0.0), (Some(uneven), 10.0, 0.0), (Some(far), 0.0, 1e9)]
    {
        let pair = || {
            let Matrix::Dense(x) = embeddings(rows, cols, [false, true]).view(Side::X).clone() else {
                unreachable!()
            };
            let DenseValues::F64(numbers) = x.values() else { unreachable!() };
            let mut numbers: Vec<f64> = numbers.iter().collect();
            for (row, numbers) in numbers.chunks_exact_mut(cols[0]).enumerate() {
                let shift = drift * row as f64 / rows as f64 + if row == 0 { first } else { 0.0 };
                numbers.iter_mut().step_by(3).for_each(|number| *number += shift);
            }
            let x = DenseRows::new(rows, cols[0], DenseValues::F64(numbers.into())).unwrap();
            let y = embeddings(rows, cols, [false, true]).view(Side::Y).clone();
            let pair = InMemory::new(x.into(), y).unwrap();
            match &weights {
                Some(weights) => pair.weighted(weights.clone().into()).unwrap(),
                None => pair,
            }
        };
        // All rows at once, and some at a time.
        for memory in [None, Some(4 << 20)] {
            let (cuda, there, here) = (lcca_cuda::open(0, memory).unwrap(), pair(), pair());
            for side in Side::BOTH {
                let (found, expected) =
                    (on(&cuda, &there).moments(side).unwrap().clone(), here.moments(side).unwrap());
                assert_eq!((&found.count, &found.nonzero), (&expected.count, &expected.nonzero));
                let numbers = |m: &Moments| [&[m.weight][..], &m.sum, &m.square].concat();
                for (a, b) in numbers(&found).iter().zip(&numbers(expected)) {
                    assert!((a - b).abs() <= 16.0 * f64::EPSILON * b.abs(), "{drift}: {a}, {b}");
                }
            }
            for center in [true, false] {
                let mut settings = Settings::new(Method::gram(), 4);
                settings.center = center;
                let found = fit(&on(&cuda, &there), &settings, &()).unwrap();
                let expected = fit(&here, &settings, &()).unwrap();
                // Columns with a drift far above everything else are nearly the same.
                let rounding = if drift > 100.0 { 1e-10 } else { 1e-12 };
                let total = |fit: &Fit| fit.model.objective.iter().sum::<f64>();
                let (found, expected) = (total(&found), total(&expected));
                assert!(
                    (found - expected).abs() <= rounding * expected,
                    "{drift}, {first}: {found}, {expected}"
                );
            }
        }
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn narrow_dense_views_have_their_gram_matrix_formed_there() {
    let cuda = gpu();
    for (rows, cols, is_single) in [
        (3000, [70, 33], [true, true]),
        (40_000, [64, 64], [false, false]),
        (5000, [150, 1], [true, false]),
        (900, [1, 1], [false, true]),
        // Several blocks of columns, whole and partial. Their rows begin at multiples of 16 bytes, and
        // elsewhere.
        (20_003, [300, 132], [true, true]),
        (4001, [259, 131], [true, true]),
        (3002, [130, 258], [false, false]),
        (3007, [129, 7], [false, false]),
        (2500, [256, 128], [false, true]),
    ] {
        let plain = embeddings(rows, cols, is_single);
        let weights: Vec<f64> = (0..rows).map(|row| (row % 3) as f64).collect();
        let weighted = embeddings(rows, cols, is_single).weighted(weights.into()).unwrap();
        for (pair, kind) in [(&plain, "plain"), (&weighted, "weighted")] {
            let mut settings = Settings::new(Method::gram(), 1.min(cols[1]).max(cols[1] / 10));
            (settings.ridge_x, settings.ridge_y) = (0.001, 0.001);
            let there = fit(&on(&cuda, pair), &settings, &()).unwrap();
            same_fit(&format!("{kind} {cols:?}"), &there, &fit(pair, &settings, &()).unwrap());
            assert!(cuda.was_used());
        }
    }
    // Numbers of any size, also those that f32 holds with fewer digits than others.
    let (mut numbers, rows) = (Vec::new(), 2000);
    let mut random = ChaCha8Rng::seed_from_u64(9);
    for _ in 0..rows {
        numbers.extend(
            [1e-40f32, 3e-38, 0.0, 1.0, 1e19, -1e36].map(|size| size * random.random_range(-1.0f32..1.0)),
        );
    }
    let tiny = DenseRows::new(rows, 6, DenseValues::F32(numbers.into())).unwrap();
    let pair =
        InMemory::new(tiny.into(), embeddings(rows, [1, 4], [true, true]).view(Side::Y).clone()).unwrap();
    let settings = Settings::new(Method::gram(), 2);
    let there = fit(&on(&cuda, &pair), &settings, &()).unwrap();
    same_fit("numbers of any size", &there, &fit(&pair, &settings, &()).unwrap());
    // Rows that do not stay on the GPU.
    let pair = embeddings(60_000, [40, 30], [true, false]);
    let small = lcca_cuda::open(0, Some(4 << 20)).unwrap();
    let settings = Settings::new(Method::gram(), 4);
    let there = fit(&on(&small, &pair), &settings, &()).unwrap();
    same_fit("streamed", &there, &fit(&pair, &settings, &()).unwrap());
    assert!(small.was_used());
}

/// A symmetric matrix whose eigenvalues lie between 0.4 and 1.6, row-major.
fn well_conditioned(rows: usize, seed: u64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut matrix = vec![0.0; rows * rows];
    for i in 0..rows {
        for j in 0..i {
            let value = random.random_range(-0.5..0.5) / (rows as f64).sqrt();
            (matrix[i * rows + j], matrix[j * rows + i]) = (value, value);
        }
        matrix[i * rows + i] = 1.0;
    }
    matrix
}

/// Returns L⁻¹R and L⁻ᵀL⁻¹R for the Cholesky factor L of a matrix, from the definitions.
fn solved(mut l: Vec<f64>, rows: usize, r: &[f64], cols: usize) -> [Vec<f64>; 2] {
    for i in 0..rows {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| l[i * rows + k] * l[j * rows + k]).sum();
            let rest = l[i * rows + j] - sum;
            l[i * rows + j] = if i == j { rest.sqrt() } else { rest / l[j * rows + j] };
        }
    }
    let subtract = |x: &mut [f64], i: usize, factor: f64, k: usize| {
        (0..cols).for_each(|c| x[i * cols + c] -= factor * x[k * cols + c]);
    };
    let mut forward = r.to_vec();
    for i in 0..rows {
        (0..i).for_each(|k| subtract(&mut forward, i, l[i * rows + k], k));
        forward[i * cols..][..cols].iter_mut().for_each(|value| *value /= l[i * rows + i]);
    }
    let mut backward = forward.clone();
    for i in (0..rows).rev() {
        (i + 1..rows).for_each(|k| subtract(&mut backward, i, l[k * rows + i], k));
        backward[i * cols..][..cols].iter_mut().for_each(|value| *value /= l[i * rows + i]);
    }
    [forward, backward]
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn blocks_are_solved_as_on_the_host_and_to_the_same_bits_every_time() {
    let cuda = gpu();
    // Less than a step, some steps, a whole panel, one block on the diagonal and several, of which the last
    // is whole or not.
    for (rows, widths) in [
        (1, &[1][..]),
        (50, &[1, 20, 33, 300]),
        (64, &[8]),
        (130, &[20, 33]),
        (300, &[1, 20, 33, 300]),
        (512, &[32]),
        (577, &[20, 300]),
        (1100, &[1, 20, 33, 300, 900]),
    ] {
        let matrix = well_conditioned(rows, 1);
        let mut block = measure::DenseBlock::new(&cuda, rows, &matrix).unwrap();
        assert!(block.factorize().unwrap().is_some(), "{rows} rows have a factor");
        let mut random = ChaCha8Rng::seed_from_u64(2);
        for &cols in widths {
            let r: Vec<f64> = (0..rows * cols).map(|_| random.random_range(-1.0..1.0)).collect();
            let there = block.solve(&r, cols).unwrap().unwrap();
            for (found, expected) in there.iter().zip(solved(matrix.clone(), rows, &r, cols)) {
                assert_eq!(found.numbers.len(), expected.len());
                for (a, b) in found.numbers.iter().zip(&expected) {
                    assert!((a - b).abs() <= 1e-13, "{rows} rows, {cols} columns: {a}, expected {b}");
                }
            }
            let again = block.solve(&r, cols).unwrap().unwrap();
            assert!(again[1].numbers == there[1].numbers, "{rows} rows, {cols} columns: a solution repeats");
        }
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn a_block_without_a_positive_pivot_has_no_factor() {
    let cuda = gpu();
    for (rows, broken) in [(1, 0), (70, 3), (200, 63), (200, 64), (200, 199), (600, 130), (600, 599)] {
        for value in [0.0, -1.0, f64::NAN] {
            let mut matrix = well_conditioned(rows, 1);
            matrix[broken * rows + broken] = value;
            let mut block = measure::DenseBlock::new(&cuda, rows, &matrix).unwrap();
            assert!(block.factorize().unwrap().is_none(), "{value} at {broken} of {rows}");
            assert!(block.solve(&vec![0.0; rows], 1).unwrap().is_none());
        }
    }
}

/// A model of `K` of the pairs of another one, without the pair `left_out`.
fn without(model: &Model, left_out: usize) -> Model {
    let kept: Vec<usize> = (0..=K).filter(|&i| i != left_out).collect();
    let mut fewer = model.clone();
    fewer.settings.k = K;
    for view in [&mut fewer.x, &mut fewer.y] {
        view.weights = panels::select(&view.weights, &kept);
        view.loadings = panels::select(&view.loadings, &kept);
    }
    for numbers in [&mut fewer.correlations, &mut fewer.objective, &mut fewer.residuals] {
        *numbers = kept.iter().map(|&i| numbers[i]).collect();
    }
    fewer
}

const K: usize = 5;

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn claims_are_proven_and_refuted_as_on_the_host() {
    let cuda = gpu();
    // Narrower views are compared with the exact answer.
    let pair = topics(20_000, 4500, 1);
    let there = place(topics(20_000, 4500, 1), cuda.clone());
    for (center, ridge) in [(true, 0.01), (false, 0.01), (true, 1e-4), (false, 1.0)] {
        let mut settings = Settings::new(Method::lobpcg(), K + 1);
        (settings.ridge_x, settings.ridge_y, settings.center) = (ridge, ridge, center);
        (settings.tol, settings.memory) = (1e-9, 4 << 30);
        let mut exact = fit(&pair, &settings, &()).unwrap().model;
        // So loose a claim is proven by any factorization, and one that lacks a pair by none.
        exact.settings.tol = 1e-4;
        for left_out in [K, 0, 2] {
            let (model, what) = (without(&exact, left_out), format!("{center}, {ridge}, without {left_out}"));
            let found = model.certify(&there, &()).unwrap();
            let expected = model.certify(&pair, &()).unwrap();
            assert_eq!((found.search, expected.search), (Search::Proven, Search::Proven), "{what}");
            let (found_verdict, expected_verdict) =
                (found.judge(&model, true, 0.0), expected.judge(&model, true, 0.0));
            let missing = exact.objective[left_out] - exact.objective[K];
            let allowed = 1e-4 * model.objective.iter().sum::<f64>();
            let is_true = missing <= allowed;
            assert_eq!(found_verdict.converged, is_true, "{what}: {found:?}");
            assert_eq!(expected_verdict.converged, is_true, "{what}: {expected:?}");
            assert!((found.gain - missing).abs() < 1e-6, "{what}: {missing} {found:?}");
            let proven = found.proven.expect("sharpened pairs are proven");
            let above = exact.objective.iter().filter(|&&value| value > proven.value).count();
            assert!(above <= proven.exceeding, "{what}: {found:?}");
            assert!((missing - 1e-9..missing + allowed).contains(&proven.missing), "{what}: {found:?}");
            if left_out == K {
                let expected = expected.proven.unwrap();
                assert!((proven.value - expected.value).abs() < 1e-6, "{what}: {proven:?} {expected:?}");
                assert_eq!(proven.exceeding, expected.exceeding, "{what}");
            }
        }
    }
}

/// Columns that are equal to others leave directions of no variance without a ridge, which are left out.
#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn fits_are_proven_where_the_gpu_factorizes_all_columns() {
    let cuda = gpu();
    let pair = topics(20_000, 3000, 1);
    for (ridge, center) in [(0.01, true), (0.01, false), (0.0, true)] {
        let mut settings = Settings::new(Method::lobpcg(), 10);
        (settings.ridge_x, settings.ridge_y, settings.center, settings.memory) =
            (ridge, ridge, center, 4 << 30);
        let proven = |fit: &Fit| fit.decisions.iter().any(|d| matches!(d, Decision::Proven { .. }));
        let there = fit(&on(&cuda, &pair), &settings, &()).unwrap();
        let here = fit(&pair, &settings, &()).unwrap();
        assert!(there.converged && proven(&there) == proven(&here), "{ridge}: {:?}", there.decisions);
        let total = |fit: &Fit| fit.model.objective.iter().sum::<f64>();
        assert!((total(&there) - total(&here)).abs() <= 2e-4 * total(&here), "{ridge}");
    }
}

/// Sizes on both sides of the one from which matrices count as large, whole tiles or not.
#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn large_factors_solve_and_repeat_to_the_last_bit() {
    let cuda = gpu();
    for rows in [10_200, 10_240, 10_300, 12_345] {
        let mut random = ChaCha8Rng::seed_from_u64(rows as u64);
        let lifting = Mat::from_fn(rows, 30, |_, _| random.random_range(-0.5..0.5));
        let known = Mat::from_fn(rows, 3, |_, _| random.random_range(-1.0..1.0));
        let right = &known + &lifting * (lifting.transpose() * &known);
        let right: Vec<f64> = (0..3 * rows).map(|e| right[(e / 3, e % 3)]).collect();
        let mut block = measure::DenseBlock::lifted(&cuda, lifting.as_ref()).unwrap();
        let mut solved = || {
            assert!(block.factorize().unwrap().is_some(), "{rows} rows have a factor");
            let [_, backward] = block.solve(&right, 3).unwrap().unwrap();
            backward.numbers
        };
        let found = solved();
        for (e, number) in found.iter().enumerate() {
            assert!((number - known[(e / 3, e % 3)]).abs() < 1e-10, "{rows} rows: {number}");
        }
        assert!(solved() == found, "{rows} rows: a factor repeats");
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn memory_is_given_back_when_a_fit_is_over() {
    let cuda = gpu();
    let pair = topics(20_000, 3000, 1);
    let mut settings = Settings::new(Method::lobpcg(), 10);
    (settings.ridge_x, settings.ridge_y) = (0.01, 0.01);
    fit(&on(&cuda, &pair), &settings, &()).unwrap();
    drop(cuda);
    let free = lcca_cuda::open(0, None).unwrap().device().limit();
    for _ in 0..20 {
        fit(&on(&lcca_cuda::open(0, None).unwrap(), &pair), &settings, &()).unwrap();
    }
    // Others may use the GPU too, but hardly by as much as twenty fits would leave behind.
    let now = lcca_cuda::open(0, None).unwrap().device().limit();
    assert!(now + (64 << 20) >= free, "{free} bytes were free, {now} are now");
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn other_rows_of_the_same_matrix_are_not_taken_for_those_before() {
    let cuda = gpu();
    // Every part has the same number of entries.
    let rows = 4000;
    let view = |seed: u64, cols: u32| one_hot(rows, cols, seed);
    let sparse = |view: Matrix| {
        let Matrix::OneHot(view) = view else { unreachable!() };
        let offsets: Vec<u64> = (0..=rows as u64).collect();
        let columns: Vec<u32> = (0..rows).filter_map(|row| view.column(row).map(|c| c as u32)).collect();
        Matrix::from(SparseRows::new(view.cols(), offsets.into(), columns.into(), Values::Ones).unwrap())
    };
    let (x, y) = (sparse(view(1, 40)), sparse(view(2, 25)));
    for part in 0..4 {
        let span = part * rows / 4..(part + 1) * rows / 4;
        let pair = InMemory::new(x.slice(span.clone()), y.slice(span)).unwrap();
        laws::check_pass(&*cuda, &pair, 8, 1).unwrap_or_else(|law| panic!("part {part}: {law}"));
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn rows_that_do_not_fit_are_streamed_to_the_same_answer() {
    let cuda = gpu();
    let (rows, cols) = (300_000, 400);
    let pair = InMemory::new(zipf(rows, cols, 60, 1, double), zipf(rows, cols, 60, 2, double)).unwrap();
    let bytes: u64 = Side::BOTH.iter().map(|&side| 2 * 12 * pair.view(side).entries()).sum();
    let small = lcca_cuda::open(0, Some(bytes / 3)).unwrap();
    laws::check_pass(&*small, &Centered::new(&pair).unwrap(), 24, 1).unwrap();
    let mut settings = Settings::new(Method::lobpcg(), 3);
    (settings.ridge_x, settings.ridge_y, settings.tol) = (0.01, 0.01, 1e-8);
    // Without room for Gram matrices, iterations run over the rows.
    (settings.structure, settings.memory) = (false, 1 << 20);
    let there = fit(&on(&small, &pair), &settings, &()).unwrap();
    let resident = fit(&on(&cuda, &pair), &settings, &()).unwrap();
    assert!(there.cost.passes > 3.0, "{:?}", there.cost);
    same_fit("streamed", &there, &resident);
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn little_memory_is_said_and_nothing_panics() {
    gpu();
    let small = lcca_cuda::open(0, Some(1 << 20)).unwrap();
    let mut settings = Settings::new(Method::lobpcg(), 10);
    (settings.ridge_x, settings.ridge_y) = (0.01, 0.01);
    let error = fit(&on(&small, &topics(20_000, 3000, 1)), &settings, &()).err().unwrap();
    assert!(error.to_string().contains("on the GPU"), "{error}");
}

#[test]
fn without_a_gpu_there_is_a_reason() {
    match lcca_cuda::available() {
        Ok(names) => assert!(!names.is_empty() && names.iter().all(|name| !name.is_empty())),
        Err(reason) => assert!(reason.to_string().len() > 20, "{reason}"),
    }
    let error = lcca_cuda::open(u32::MAX, None).err().unwrap().to_string();
    assert!(error.contains("driver") || error.contains("GPU"), "{error}");
}
