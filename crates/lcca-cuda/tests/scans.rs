//! Tests that scans of Gram matrices on a GPU find the same as those of the host. They are ignored unless
//! `cargo xtask test --gpu` runs them.

mod common;

use common::gpu_with;
use lcca::data::{InMemory, JointGram, JointGrams};
use lcca::fit::scan_laws::{ScannedProblem, check};
use lcca::matrix::{Matrix, OneHotRows, SparseRows, Values};
use lcca_cuda::{Cuda, measure};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

fn gpu() -> Arc<Cuda> {
    gpu_with(None)
}

/// The columns of every row of both views.
type Rows = [Vec<Vec<u32>>; 2];

/// The number of columns that are planted into each view before the others.
const PLANTED: u32 = 40;

/// Makes two views of words that depend on each other, and are the rarer the larger their number. Before
/// the words, each view has a hub, a column whose rows 30 columns of the other view share out among
/// themselves, and twins whose differences coincide in both views.
fn views(rows: usize, cols: u32, most: usize, seed: u64) -> Rows {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let mut words = || -> Vec<u32> {
            (0..random.random_range(0..=most))
                .map(|_| PLANTED + (f64::from(cols).powf(random.random::<f64>()) as u32 - 1).min(cols - 1))
                .collect()
        };
        let (shared, mut own, mut other) = (words(), words(), words());
        own.extend(&shared);
        other.extend(shared.iter().step_by(2));
        // Hubs.
        if row % 9 == 0 {
            own.push(0);
            other.push(1 + (row / 9 % 30) as u32);
        }
        if row % 9 == 1 {
            other.push(0);
            own.push(1 + (row / 9 % 30) as u32);
        }
        // Twins that differ in the same rows of both views.
        let (is_there, differs) = (random.random::<f64>() < 0.3, random.random::<f64>() < 0.01);
        for view in [&mut own, &mut other] {
            if is_there || random.random::<f64>() < 0.01 {
                view.push(31);
            }
            if is_there != differs {
                view.push(32);
            }
        }
        for view in [&mut own, &mut other] {
            view.sort_unstable();
            view.dedup();
        }
        x.push(own);
        y.push(other);
    }
    [x, y]
}

fn matrix(rows: &[Vec<u32>], cols: u32, values: fn(usize) -> Values) -> Matrix {
    let ends = rows.iter().scan(0u64, |end, row| {
        *end += row.len() as u64;
        Some(*end)
    });
    let offsets: Vec<u64> = std::iter::once(0).chain(ends).collect();
    let columns = rows.concat();
    let values = values(columns.len());
    SparseRows::new((cols + PLANTED) as usize, offsets.into(), columns.into(), values)
        .expect("valid rows")
        .into()
}

fn ones(_: usize) -> Values {
    Values::Ones
}

fn numbers(count: usize) -> Values {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    Values::F64((0..count).map(|_| random.random_range(0.9..1.1)).collect::<Vec<f64>>().into())
}

/// Checks the scans of Gram matrices in several problems. Returns the numbers of witnesses and hubs of the
/// first.
fn check_all(cuda: &Cuda, joint: &JointGram, what: &str) -> [usize; 2] {
    let problem = |is_centered, ridge, identities| ScannedProblem { is_centered, ridge, identities };
    let problems = [
        problem(true, 1.0, [false; 2]),
        problem(true, 0.0, [false; 2]),
        problem(false, 1e-3, [false; 2]),
        problem(true, 50.0, [true, false]),
        problem(true, 2000.0, [true; 2]),
    ];
    let counts = problems.map(|problem| {
        check(cuda, joint, problem).unwrap_or_else(|law| panic!("{what}, {problem:?}: {law}"))
    });
    counts[0]
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn scans_find_what_the_host_finds() {
    let cuda = gpu();
    // The last shape has rows of thousands of entries, in which more partners are equal than count.
    for (rows, cols, most) in [(3000, 300, 6), (20_000, 4000, 10), (20_000, 9000, 30)] {
        let [x, y] = views(rows, cols, most, 3);
        for (kind, values) in [("ones", ones as fn(usize) -> Values), ("numbers", numbers)] {
            let pair = InMemory::new(matrix(&x, cols, values), matrix(&y, cols, values)).unwrap();
            let joint = pair.joint_gram(u64::MAX).unwrap();
            let [witnesses, hubs] = check_all(&cuda, &joint, kind);
            assert!(witnesses > 100 && hubs >= 2, "{witnesses} {hubs}");
            // Check the Gram matrices that were formed on the GPU as well.
            let formed = measure::joint_gram(&cuda, &pair, u64::MAX).unwrap().unwrap();
            check_all(&cuda, &formed, kind);
        }
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn scans_of_one_hot_views_and_of_hardly_any_columns_find_what_the_host_finds() {
    let cuda = gpu();
    let [x, y] = views(3000, 200, 6, 4);
    let one_hot = OneHotRows::new(50, (0..3000).map(|row| row % 50).collect::<Vec<u32>>().into()).unwrap();
    let (x, y) = (matrix(&x, 200, ones), matrix(&y, 200, numbers));
    for (a, b) in [(Matrix::from(one_hot.clone()), y), (x, Matrix::from(one_hot))] {
        check_all(&cuda, &InMemory::new(a, b).unwrap().joint_gram(u64::MAX).unwrap(), "one-hot");
    }
    let empty = || matrix(&vec![Vec::new(); 10], 1, ones);
    check_all(&cuda, &InMemory::new(empty(), empty()).unwrap().joint_gram(u64::MAX).unwrap(), "empty");
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn too_little_memory_leaves_scans_to_the_host() {
    gpu();
    let [x, y] = views(3000, 300, 6, 5);
    let pair = InMemory::new(matrix(&x, 300, ones), matrix(&y, 300, ones)).unwrap();
    let joint = pair.joint_gram(u64::MAX).unwrap();
    let problem = ScannedProblem { is_centered: true, ridge: 1.0, identities: [false; 2] };
    // The limits go from memory for the Gram matrices alone to memory for everything.
    let (mut refused, mut found) = (0, 0);
    for more in (0..12).map(|power| 1 << (10 + power)) {
        let cuda = lcca_cuda::open(0, Some(8 * joint.entries() + more)).unwrap();
        match check(&*cuda, &joint, problem) {
            Ok(_) => found += 1,
            // Too little for the Gram matrices, or for any scan.
            Err(law) => {
                assert!(law.contains("bytes on the GPU") || law.contains("does not scan"), "{more}: {law}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0 && found > 1, "{refused} {found}");
}
