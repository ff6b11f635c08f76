//! The laws of spaces and whole fits on a GPU. On a machine without one they say so and pass; `LCCA_GPU=1` makes that a failure.

mod common;

use common::gpu_with;
use lcca::data::{Centered, InMemory, JointGram, JointGrams, Moments, Pair, Scaled, Side};
use lcca::fit::{Fit, fit};
use lcca::matrix::{DenseRows, DenseValues, Matrix, OneHotRows, SparseRows, Values};
use lcca::method::{Method, Settings};
use lcca::space::laws;
use lcca_cuda::{Cuda, measure, on};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

fn gpu() -> Option<Arc<Cuda>> {
    gpu_with(None)
}

/// Rows whose columns are the rarer the larger their number; some columns are in most rows.
fn zipf(rows: usize, cols: usize, most: usize, seed: u64, values: fn(Vec<f64>) -> Values) -> Matrix {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut offsets, mut columns) = (vec![0u64], Vec::new());
    for _ in 0..rows {
        let mut row: Vec<u32> = (0..random.random_range(0..=most))
            .map(|_| ((cols as f64).powf(random.random::<f64>()) as u32 - 1).min(cols as u32 - 1))
            .collect();
        row.sort_unstable();
        row.dedup();
        columns.extend(row);
        offsets.push(columns.len() as u64);
    }
    let numbers = (0..columns.len()).map(|_| random.random_range(0.5..2.0)).collect();
    SparseRows::new(cols, offsets.into(), columns.into(), values(numbers)).expect("valid rows").into()
}

fn ones(_: Vec<f64>) -> Values {
    Values::Ones
}

fn single(values: Vec<f64>) -> Values {
    Values::F32(values.into_iter().map(|value| value as f32).collect::<Vec<f32>>().into())
}

fn double(values: Vec<f64>) -> Values {
    Values::F64(values.into())
}

fn dense(rows: usize, cols: usize, seed: u64, is_single: bool) -> Matrix {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let numbers: Vec<f64> = (0..rows * cols).map(|_| random.random_range(-1.0..1.0)).collect();
    let values = if is_single {
        DenseValues::F32(numbers.iter().map(|&number| number as f32).collect::<Vec<f32>>().into())
    } else {
        DenseValues::F64(numbers.into())
    };
    DenseRows::new(rows, cols, values).expect("valid rows").into()
}

fn one_hot(rows: usize, cols: u32, seed: u64) -> Matrix {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let column: Vec<u32> = (0..rows).map(|_| random.next_u32() % cols).collect();
    OneHotRows::new(cols as usize, column.into()).expect("valid rows").into()
}

#[test]
fn panels_obey_the_laws() {
    let Some(cuda) = gpu() else { return };
    for (rows, cols) in
        [(1, 1), (20, 3), (77, 24), (1000, 32), (5000, 9), (3000, 96), (700, 250), (200, 1500)]
    {
        laws::check(&*cuda, rows, cols, 3).unwrap_or_else(|law| panic!("{rows} x {cols}: {law}"));
    }
}

#[test]
fn passes_over_every_kind_of_rows_obey_the_laws() {
    let Some(cuda) = gpu() else { return };
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
fn weighted_rows_obey_the_laws_and_other_weights_are_other_rows() {
    let Some(cuda) = gpu() else { return };
    let (x, y) = (zipf(2000, 200, 8, 1, ones), zipf(2000, 150, 8, 2, ones));
    for seed in 0..3 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let weights: Vec<f64> = (0..2000).map(|_| f64::from(random.next_u32() % 4)).collect();
        let pair = InMemory::new(x.clone(), y.clone()).unwrap().weighted(weights.into()).unwrap();
        laws::check_pass(&*cuda, &Centered::new(&pair).unwrap(), 8, seed).unwrap();
    }
}

/// Two views of the same topics, with noise.
fn topics(rows: usize, cols: usize, seed: u64) -> InMemory {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut view = |shift: u32, topics: &[u32]| {
        let (mut offsets, mut columns) = (vec![0u64], Vec::new());
        for &topic in topics {
            let mut row: Vec<u32> = (0..6)
                .map(|_| {
                    if random.random_bool(0.5) {
                        (topic * 7 + shift + random.next_u32() % 5) % cols as u32
                    } else {
                        ((cols as f64).powf(random.random::<f64>()) as u32 - 1).min(cols as u32 - 1)
                    }
                })
                .collect();
            row.sort_unstable();
            row.dedup();
            columns.extend(row);
            offsets.push(columns.len() as u64);
        }
        SparseRows::new(cols, offsets.into(), columns.into(), Values::Ones).expect("valid rows").into()
    };
    let mut choose = ChaCha8Rng::seed_from_u64(seed + 1);
    let chosen: Vec<u32> = (0..rows).map(|_| choose.next_u32() % 60).collect();
    InMemory::new(view(3, &chosen), view(11, &chosen)).expect("valid rows")
}

fn same_fit(what: &str, gpu: &Fit, cpu: &Fit) {
    let (there, here) = (gpu.model.objective.iter().sum::<f64>(), cpu.model.objective.iter().sum::<f64>());
    assert!((there - here).abs() <= 1e-9 * here, "{what}: {there} on the GPU, {here} on the CPU");
    assert_eq!(gpu.converged, cpu.converged, "{what}");
}

#[test]
fn fits_agree_with_the_cpu_and_repeat_to_the_last_bit() {
    let Some(cuda) = gpu() else { return };
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

/// So many pairs are found in subblocks there, and at once on the host.
#[test]
fn fits_of_many_pairs_agree_with_the_cpu() {
    let Some(cuda) = gpu() else { return };
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

/// Dense views that share a few directions.
fn embeddings(rows: usize, cols: [usize; 2], is_single: [bool; 2]) -> InMemory {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut numbers = [Vec::new(), Vec::new()];
    for _ in 0..rows {
        let shared: Vec<f64> = (0..5).map(|_| random.random_range(-1.0..1.0)).collect();
        for (numbers, &cols) in numbers.iter_mut().zip(&cols) {
            // A mean far from zero, which a matrix that is centered afterwards would lose digits to.
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
fn moments_and_gram_matrix_come_from_one_copy_without_loss() {
    let (rows, cols) = (20_000, [70, 33]);
    let Some(_) = gpu() else { return };
    // The first row does not count: estimates of means that contain it are far off, and rows are read again.
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
                // A drift far above everything else leaves columns that are nearly the same.
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
fn narrow_dense_views_have_their_gram_matrix_formed_there() {
    let Some(cuda) = gpu() else { return };
    for (rows, cols, is_single) in [
        (3000, [70, 33], [true, true]),
        (40_000, [64, 64], [false, false]),
        (5000, [150, 1], [true, false]),
        (900, [1, 1], [false, true]),
        // Several blocks of columns, whole and in part, whose rows begin at multiples of 16 bytes and elsewhere.
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
    // Rows that do not stay there.
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

/// L⁻¹R and L⁻ᵀL⁻¹R for the Cholesky factor L of a matrix: the definitions.
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
fn blocks_are_solved_as_on_the_host_and_to_the_same_bits_every_time() {
    let Some(cuda) = gpu() else { return };
    // Less than a step, some steps, a whole panel, one block on the diagonal and several, of which the last is whole or not.
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
fn a_block_without_a_positive_pivot_has_no_factor() {
    let Some(cuda) = gpu() else { return };
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

/// Whether two joint Gram matrices have the same entries: to the last bit, or but for rounding.
fn same_grams(what: &str, there: &JointGram, here: &JointGram, is_exact: bool) {
    for (target, source) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let what = format!("{what}, block {target}{source}");
        let [a, b] = [there, here].map(|joint| match joint.block(Side::BOTH[target], Side::BOTH[source]) {
            Matrix::Sparse(rows) => rows.clone(),
            _ => panic!("{what}: blocks are sparse"),
        });
        assert_eq!((a.rows(), a.cols(), a.entries()), (b.rows(), b.cols(), b.entries()), "{what}");
        assert!(a.offsets().iter().eq(b.offsets().iter()), "{what}: rows begin elsewhere");
        assert!(a.columns().iter().eq(b.columns().iter()), "{what}: other columns");
        let kind = |rows: &SparseRows| std::mem::discriminant(rows.values());
        assert_eq!(kind(&a), kind(&b), "{what}: other kinds of numbers");
        for entry in 0..a.entries() as usize {
            let (a, b) = (a.values().get(entry), b.values().get(entry));
            // The host adds up row after row, and loses digits to very many rows.
            let rounding = match there.shape().rows {
                _ if is_exact => 0.0,
                ..5000 => 1e-13,
                _ => 1e-12,
            };
            assert!((a - b).abs() <= rounding * b.abs(), "{what}, entry {entry}: {a}, expected {b}");
        }
    }
    for side in Side::BOTH {
        assert_eq!(there.moments(side), here.moments(side), "{what}");
    }
}

#[test]
fn joint_gram_matrices_are_those_of_the_host_and_repeat_to_the_last_bit() {
    let Some(cuda) = gpu() else { return };
    type Shapes = (usize, [usize; 2], [usize; 2]);
    // Rows, columns of each view, and the most entries of a row. Some rows and columns are empty, some columns are in most rows.
    let shapes: [Shapes; 9] = [
        (1, [5, 3], [4, 3]),
        (3000, [500, 300], [12, 9]),
        (1500, [4000, 70_000], [12, 3]),
        (40, [3000, 2000], [600, 2]),
        // Sums over tiles of keys: one column, or few, in all rows.
        (200_000, [1, 2], [1, 1]),
        (9000, [3, 1], [7, 1]),
        (700, [257, 256], [30, 1]),
        (60, [300, 40], [0, 9]),
        (60, [300, 40], [0, 0]),
    ];
    type Kinds = (&'static str, [fn(Vec<f64>) -> Values; 2], bool);
    let kinds: [Kinds; 6] = [
        ("ones", [ones, ones], false),
        ("f32", [single, single], false),
        ("f64", [double, double], false),
        ("f64 and ones", [double, ones], false),
        ("weighted ones", [ones, ones], true),
        ("weighted", [single, double], true),
    ];
    for (rows, cols, most) in shapes {
        for (kind, values, is_weighted) in kinds {
            let what = format!("{rows} rows, {cols:?} columns, {kind}");
            let view = |side: usize| zipf(rows, cols[side], most[side], 1 + side as u64, values[side]);
            let mut pair = InMemory::new(view(0), view(1)).unwrap();
            if is_weighted {
                let weights: Vec<f64> = (0..rows).map(|row| 0.3 + (row % 7) as f64).collect();
                pair = pair.weighted(weights.into()).unwrap();
            }
            let there = measure::joint_gram(&cuda, &pair, u64::MAX).unwrap().expect("it is formed there");
            same_grams(&what, &there, &pair.joint_gram(u64::MAX).unwrap(), kind == "ones");
            let again = measure::joint_gram(&cuda, &pair, u64::MAX).unwrap().unwrap();
            same_grams(&format!("{what}, again"), &again, &there, true);
        }
    }
    // So many rows that sums of sums are summed up again.
    let many =
        |values| InMemory::new(zipf(4_300_000, 3, 1, 1, values), zipf(4_300_000, 2, 1, 2, ones)).unwrap();
    for (pair, is_exact) in [(many(ones), true), (many(single), false)] {
        let there = measure::joint_gram(&cuda, &pair, u64::MAX).unwrap().unwrap();
        same_grams("many rows", &there, &pair.joint_gram(u64::MAX).unwrap(), is_exact);
    }
    // Some of the rows share the entries of all.
    let (x, y) = (zipf(3000, 500, 12, 1, double), zipf(3000, 300, 9, 2, single));
    let part = InMemory::new(x.slice(700..1900), y.slice(700..1900)).unwrap();
    let there = measure::joint_gram(&cuda, &part, u64::MAX).unwrap().unwrap();
    same_grams("some rows", &there, &part.joint_gram(u64::MAX).unwrap(), false);
    // One-hot and dense views are left to the host.
    for (x, y) in
        [(one_hot(90, 7, 1), zipf(90, 5, 3, 2, ones)), (zipf(90, 5, 3, 2, ones), dense(90, 4, 3, true))]
    {
        let pair = InMemory::new(x, y).unwrap();
        assert!(measure::joint_gram(&cuda, &pair, u64::MAX).unwrap().is_none());
    }
}

#[test]
fn joint_gram_matrices_that_do_not_fit_are_refused_as_on_the_host() {
    let Some(cuda) = gpu() else { return };
    let pair = InMemory::new(zipf(2000, 500, 12, 1, double), zipf(2000, 300, 9, 2, ones)).unwrap();
    let is_refused = |formed: lcca::Result<()>| match formed {
        Ok(()) => false,
        Err(lcca::Error::Memory { .. }) => true,
        Err(error) => panic!("{error}"),
    };
    let (mut refused, mut allowed) = (0, 1u64 << 40);
    while allowed - refused > 1 {
        let limit = refused.midpoint(allowed);
        if is_refused(pair.joint_gram(limit).map(drop)) {
            refused = limit;
        } else {
            allowed = limit;
        }
    }
    for (limit, expected) in [(0, true), (refused / 2, true), (refused, true), (allowed, false)] {
        let formed = measure::joint_gram(&cuda, &pair, limit);
        assert_eq!(is_refused(formed.map(drop)), expected, "{limit} bytes of {allowed}");
    }
}

#[test]
fn joint_gram_matrices_are_left_to_the_host_before_the_memory_of_the_gpu_is_spent() {
    if gpu().is_none() {
        return;
    }
    // Nearly all keys differ in the second pair, and nearly all are equal in the third.
    for (rows, cols, most) in
        [(3000, [500, 300], [12, 9]), (300, [60_000, 60_000], [60, 50]), (3000, [20, 3], [15, 3])]
    {
        for values in [ones, double] {
            let pair = InMemory::new(
                zipf(rows, cols[0], most[0], 1, values),
                zipf(rows, cols[1], most[1], 2, values),
            )
            .unwrap();
            let (mut limit, mut declined, mut formed) = (64 << 10, 0, 0);
            while formed < 3 {
                let small = lcca_cuda::open(0, Some(limit)).unwrap();
                // An error would be memory that was not thought of.
                match measure::joint_gram(&small, &pair, u64::MAX).unwrap() {
                    Some(_) => formed += 1,
                    None => declined += 1,
                }
                assert_eq!(small.device().free(), limit, "memory is given back");
                limit = limit * 21 / 20;
            }
            assert!(declined > 0);
        }
    }
}

#[test]
fn columns_are_counted_as_on_the_host_and_the_copy_of_the_rows_serves_their_gram_matrix() {
    let Some(cuda) = gpu() else { return };
    for (rows, cols) in [(1, 5), (40, 300), (3000, 500)] {
        let pair = || InMemory::new(zipf(rows, cols, 12, 1, ones), zipf(rows, 2 * cols, 9, 2, ones)).unwrap();
        let (counted, expected) = (pair(), pair());
        let found = measure::counted_moments(&cuda, &counted).unwrap().unwrap();
        assert_eq!(found.each_ref(), Side::BOTH.map(|side| expected.moments(side).unwrap()));
        let free = cuda.device().free();
        let joint = measure::joint_gram(&cuda, &counted, u64::MAX).unwrap().unwrap();
        assert!(cuda.device().free() > free, "the rows are gone when their Gram matrix is formed");
        same_grams("counted rows", &joint, &expected.joint_gram(u64::MAX).unwrap(), true);
    }
    // Rows that are read by passes, or others, are not kept twice.
    let pair = topics(2000, 300, 3);
    let free = cuda.device().free();
    measure::counted_moments(&cuda, &pair).unwrap().unwrap();
    assert!(cuda.device().free() < free);
    let other = topics(1000, 300, 4);
    let joint = measure::joint_gram(&cuda, &other, u64::MAX).unwrap().unwrap();
    same_grams("other rows", &joint, &other.joint_gram(u64::MAX).unwrap(), true);
    assert_eq!(cuda.device().free(), free);
    for values in [single, double] {
        let pair = InMemory::new(zipf(100, 50, 5, 1, values), zipf(100, 40, 5, 2, ones)).unwrap();
        assert!(
            measure::counted_moments(&cuda, &pair).unwrap().is_none(),
            "values are summed up on the host"
        );
    }
    let weighted = topics(100, 30, 5).weighted(vec![2.0; 100].into()).unwrap();
    assert!(measure::counted_moments(&cuda, &weighted).unwrap().is_none());
}

#[test]
fn gram_matrices_that_were_formed_there_are_read_there() {
    let Some(cuda) = gpu() else { return };
    let placed = lcca::space::place(topics(120_000, 3000, 1), cuda.clone());
    let joint = placed.joint_gram(u64::MAX).unwrap();
    let free = cuda.device().free();
    laws::check_pass(&*cuda, &Centered::new(&joint).unwrap(), 8, 1).unwrap();
    assert!(cuda.device().free() <= free && free - cuda.device().free() < 12 * joint.entries());
    // Another matrix takes their place.
    let other = topics(3000, 300, 2).joint_gram(u64::MAX).unwrap();
    laws::check_pass(&*cuda, &other, 8, 1).unwrap();
}

#[test]
fn fits_to_sparse_rows_have_their_gram_matrix_formed_there() {
    let Some(cuda) = gpu() else { return };
    // So many pairs of entries that it pays.
    let pair = topics(120_000, 3000, 1);
    let there = on(&cuda, &pair).capabilities().joint_grams.unwrap().joint_gram(u64::MAX).unwrap();
    assert!(cuda.was_used(), "the Gram matrix was formed there");
    same_grams("placed rows", &there, &pair.joint_gram(u64::MAX).unwrap(), true);
    let placed = lcca::space::place(topics(120_000, 3000, 1), lcca_cuda::open(0, None).unwrap());
    same_grams("rows with a space", &placed.joint_gram(u64::MAX).unwrap(), &there, true);
}

#[test]
fn memory_is_given_back_when_a_fit_is_over() {
    let Some(cuda) = gpu() else { return };
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
fn other_rows_of_the_same_matrix_are_not_taken_for_those_before() {
    let Some(cuda) = gpu() else { return };
    // Equally many entries in every part.
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
fn rows_that_do_not_fit_are_streamed_to_the_same_answer() {
    let Some(cuda) = gpu() else { return };
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
fn little_memory_is_said_and_nothing_panics() {
    if gpu().is_none() {
        return;
    }
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
