//! Tests that moments and joint Gram matrices of sparse rows on a GPU are those of the host. They are
//! ignored unless `cargo xtask test --gpu` runs them.

mod common;
#[path = "common/rows.rs"]
mod rows;

use common::gpu_with;
use lcca::data::{Centered, InMemory, JointGram, JointGrams, Pair, Side};
use lcca::matrix::{Matrix, SparseRows, Values};
use lcca::space::laws;
use lcca_cuda::{Cuda, measure, on};
use rows::{MakeValues, dense, double, one_hot, ones, single, topics, zipf};
use std::sync::Arc;

fn gpu() -> Arc<Cuda> {
    gpu_with(None)
}

/// Asserts that two joint Gram matrices have the same entries, to the last bit or but for rounding.
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
            // The host loses digits with very many rows, because it adds up row after row.
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
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn joint_gram_matrices_are_those_of_the_host_and_repeat_to_the_last_bit() {
    let cuda = gpu();
    type Shapes = (usize, [usize; 2], [usize; 2]);
    // Rows, columns of each view, and the most entries of a row. Some rows and columns are empty, some
    // columns are in most rows.
    let shapes: [Shapes; 9] = [
        (1, [5, 3], [4, 3]),
        (3000, [500, 300], [12, 9]),
        (1500, [4000, 70_000], [12, 3]),
        (40, [3000, 2000], [600, 2]),
        // Sums over tiles of keys, because all rows share one column, or a few.
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
    // Enough rows that sums of sums are summed up again.
    let many =
        |values| InMemory::new(zipf(4_300_000, 3, 1, 1, values), zipf(4_300_000, 2, 1, 2, ones)).unwrap();
    for (pair, is_exact) in [(many(ones), true), (many(single), false)] {
        let there = measure::joint_gram(&cuda, &pair, u64::MAX).unwrap().unwrap();
        same_grams("many rows", &there, &pair.joint_gram(u64::MAX).unwrap(), is_exact);
    }
    // A range of rows shares the entries of all rows.
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
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn joint_gram_matrices_that_do_not_fit_are_refused_as_on_the_host() {
    let cuda = gpu();
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
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn joint_gram_matrices_are_left_to_the_host_before_the_memory_of_the_gpu_is_spent() {
    gpu();
    // Nearly all keys differ in the second pair, and nearly all are equal in the third.
    for (rows, cols, most) in
        [(3000, [500, 300], [12, 9]), (300, [60_000, 60_000], [60, 50]), (3000, [20, 3], [15, 3])]
    {
        // Rows of whole numbers are counted there first, if there is room.
        for (values, counts) in
            [(ones as MakeValues, false), (double, false), (ones, true), (whole::<200>, true)]
        {
            let pair = InMemory::new(
                zipf(rows, cols[0], most[0], 1, values),
                zipf(rows, cols[1], most[1], 2, values),
            )
            .unwrap();
            let (mut limit, mut declined, mut formed) = (64 << 10, 0, 0);
            while formed < 3 {
                let small = lcca_cuda::open(0, Some(limit)).unwrap();
                // An error would mean that the plan misses some memory.
                if counts {
                    measure::counted_moments(&small, &pair).unwrap();
                }
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
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn columns_are_counted_as_on_the_host_and_the_copy_of_the_rows_serves_their_gram_matrix() {
    let cuda = gpu();
    for (rows, cols) in [(1, 5), (40, 300), (3000, 500)] {
        let pair = || InMemory::new(zipf(rows, cols, 12, 1, ones), zipf(rows, 2 * cols, 9, 2, ones)).unwrap();
        let (counted, expected) = (pair(), pair());
        let found = measure::counted_moments(&cuda, &counted).unwrap().unwrap();
        assert_eq!(found.each_ref(), Side::BOTH.map(|side| expected.moments(side).unwrap()));
        let free = cuda.device().free();
        let joint = measure::joint_gram(&cuda, &counted, u64::MAX).unwrap().unwrap();
        same_grams("counted rows", &joint, &expected.joint_gram(u64::MAX).unwrap(), true);
        drop(joint);
        assert!(cuda.device().free() > free, "the rows are gone when their Gram matrix is formed");
    }
    // Counted rows are dropped when the Gram matrix of other rows is formed.
    let pair = topics(2000, 300, 3);
    let free = cuda.device().free();
    measure::counted_moments(&cuda, &pair).unwrap().unwrap();
    assert!(cuda.device().free() < free);
    let other = topics(1000, 300, 4);
    let joint = measure::joint_gram(&cuda, &other, u64::MAX).unwrap().unwrap();
    same_grams("other rows", &joint, &other.joint_gram(u64::MAX).unwrap(), true);
    drop(joint);
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

/// Makes numbers of which one in `RARITY` is 2 or 3, and the others are 1.
fn whole<const RARITY: usize>(values: Vec<f64>) -> Values {
    let value = |(i, number): (usize, f64)| {
        let is_more = (i + 1).is_multiple_of(RARITY);
        if is_more { 2.0 + f32::from(u8::from(number > 1.0)) } else { 1.0 }
    };
    Values::F32(values.into_iter().enumerate().map(value).collect::<Vec<f32>>().into())
}

/// Makes the numbers of `whole::<200>` in double precision.
fn whole_double(values: Vec<f64>) -> Values {
    let Values::F32(singles) = whole::<200>(values) else { unreachable!() };
    Values::F64(singles.iter().map(f64::from).collect::<Vec<f64>>().into())
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn whole_numbers_are_summed_up_there_and_their_gram_matrix_is_counted() {
    let cuda = gpu();
    let (few, many) = (whole::<200>, whole::<2>);
    // If few numbers are more than 1, they are listed as often as they say; if many are, they are not.
    let kinds: [([MakeValues; 2], [bool; 2]); 6] = [
        ([few, ones], [true, true]),
        ([ones, few], [true, true]),
        ([few, few], [true, true]),
        ([whole_double, few], [true, true]),
        ([many, few], [false, true]),
        ([ones, many], [true, false]),
    ];
    for ([x, y], are_ones) in kinds {
        let pair = || InMemory::new(zipf(3000, 500, 30, 1, x), zipf(3000, 700, 20, 2, y)).unwrap();
        let (counted, expected) = (pair(), pair());
        let found = measure::counted_moments(&cuda, &counted).unwrap().unwrap();
        assert_eq!(found.each_ref(), Side::BOTH.map(|side| expected.moments(side).unwrap()));
        assert_eq!(measure::counted_as_ones(&cuda), Some(are_ones));
        let joint = measure::joint_gram(&cuda, &counted, u64::MAX).unwrap().unwrap();
        same_grams("whole numbers", &joint, &expected.joint_gram(u64::MAX).unwrap(), true);
        // A range of rows shares the entries of all rows.
        let slice = |pair: InMemory| {
            InMemory::new(pair.view(Side::X).slice(700..2900), pair.view(Side::Y).slice(700..2900)).unwrap()
        };
        let (counted, expected) = (slice(counted), slice(expected));
        let found = measure::counted_moments(&cuda, &counted).unwrap().unwrap();
        assert_eq!(found.each_ref(), Side::BOTH.map(|side| expected.moments(side).unwrap()));
        let joint = measure::joint_gram(&cuda, &counted, u64::MAX).unwrap().unwrap();
        same_grams("some of the rows", &joint, &expected.joint_gram(u64::MAX).unwrap(), true);
    }
    // Changes one entry after those that are looked at first.
    let with_last = |last: f32| {
        let Matrix::Sparse(rows) = zipf(3000, 500, 30, 1, few) else { unreachable!() };
        let Values::F32(values) = rows.values() else { unreachable!() };
        let mut values: Vec<f32> = values.iter().collect();
        if let Some(value) = values.last_mut() {
            *value = last;
        }
        let (offsets, columns) = (rows.offsets().clone(), rows.columns().clone());
        let x = SparseRows::new(500, offsets, columns, Values::F32(values.into())).unwrap();
        InMemory::new(x.into(), zipf(3000, 700, 20, 2, ones)).unwrap()
    };
    // The entry is no positive whole number, or too large.
    for other in [0.0, -1.0, 1.5, 40_000.0, f32::MAX] {
        let pair = with_last(other);
        assert!(measure::counted_moments(&cuda, &pair).unwrap().is_none(), "{other}");
        let joint = measure::joint_gram(&cuda, &pair, u64::MAX).unwrap().unwrap();
        same_grams("other numbers", &joint, &pair.joint_gram(u64::MAX).unwrap(), false);
    }
    // Listed as often as it says, this entry would add few entries, but far more pairs.
    let pair = with_last(1500.0);
    let found = measure::counted_moments(&cuda, &pair).unwrap().unwrap();
    assert_eq!(measure::counted_as_ones(&cuda), Some([false, true]));
    assert_eq!(found.each_ref(), Side::BOTH.map(|side| pair.moments(side).unwrap()));
    let joint = measure::joint_gram(&cuda, &pair, u64::MAX).unwrap().unwrap();
    same_grams("one large number", &joint, &pair.joint_gram(u64::MAX).unwrap(), true);
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn gram_matrices_that_were_formed_there_are_read_there() {
    let cuda = gpu();
    let placed = lcca::space::place(topics(120_000, 3000, 1), cuda.clone());
    let joint = placed.joint_gram(u64::MAX).unwrap();
    let free = cuda.device().free();
    laws::check_pass(&*cuda, &Centered::new(&joint).unwrap(), 8, 1).unwrap();
    assert_eq!(cuda.device().free(), free, "nothing is copied for passes over it");
    // Another matrix takes the place of these Gram matrices.
    let other = topics(3000, 300, 2).joint_gram(u64::MAX).unwrap();
    laws::check_pass(&*cuda, &other, 8, 1).unwrap();
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn fits_to_sparse_rows_have_their_gram_matrix_formed_there() {
    let cuda = gpu();
    // Enough pairs of entries that the GPU pays.
    let pair = topics(120_000, 3000, 1);
    let there = on(&cuda, &pair).capabilities().joint_grams.unwrap().joint_gram(u64::MAX).unwrap();
    assert!(cuda.was_used(), "the Gram matrix was formed there");
    let Matrix::Sparse(block) = there.block(Side::X, Side::Y) else { unreachable!() };
    assert!(block.columns().elsewhere().is_some(), "it stays there until the host reads it");
    same_grams("placed rows", &there, &pair.joint_gram(u64::MAX).unwrap(), true);
    let placed = lcca::space::place(topics(120_000, 3000, 1), lcca_cuda::open(0, None).unwrap());
    same_grams("rows with a space", &placed.joint_gram(u64::MAX).unwrap(), &there, true);
}
