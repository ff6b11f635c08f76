//! Rows for tests.

use lcca::data::InMemory;
use lcca::matrix::{DenseRows, DenseValues, Matrix, OneHotRows, SparseRows, Values};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Makes the values of entries from random numbers between 0.5 and 2.
pub type MakeValues = fn(Vec<f64>) -> Values;

/// Makes rows in which a column is the rarer the larger its number. Some columns are in most rows.
pub fn zipf(rows: usize, cols: usize, most: usize, seed: u64, values: MakeValues) -> Matrix {
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

pub fn ones(_: Vec<f64>) -> Values {
    Values::Ones
}

pub fn single(values: Vec<f64>) -> Values {
    Values::F32(values.into_iter().map(|value| value as f32).collect::<Vec<f32>>().into())
}

pub fn double(values: Vec<f64>) -> Values {
    Values::F64(values.into())
}

/// Makes dense rows of numbers between -1 and 1.
pub fn dense(rows: usize, cols: usize, seed: u64, is_single: bool) -> Matrix {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let numbers: Vec<f64> = (0..rows * cols).map(|_| random.random_range(-1.0..1.0)).collect();
    let values = if is_single {
        DenseValues::F32(numbers.iter().map(|&number| number as f32).collect::<Vec<f32>>().into())
    } else {
        DenseValues::F64(numbers.into())
    };
    DenseRows::new(rows, cols, values).expect("valid rows").into()
}

pub fn one_hot(rows: usize, cols: u32, seed: u64) -> Matrix {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let column: Vec<u32> = (0..rows).map(|_| random.next_u32() % cols).collect();
    OneHotRows::new(cols as usize, column.into()).expect("valid rows").into()
}

/// Makes two views of the same topics, with noise.
pub fn topics(rows: usize, cols: usize, seed: u64) -> InMemory {
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
