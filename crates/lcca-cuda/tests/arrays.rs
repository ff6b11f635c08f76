//! Tests that arrays on a GPU are used there. They are ignored unless `cargo xtask test --gpu` runs them.

mod common;

use bytemuck::Pod;
use common::gpu_with;
use lcca::data::{InMemory, Pair, Side};
use lcca::fit::{Fit, fit};
use lcca::matrix::{Buffer, DenseRows, DenseValues, Matrix, OneHotRows, SparseRows, Values};
use lcca::method::{Algorithm, Method, Settings};
use lcca::outcome::Decision;
use lcca::space::laws;
use lcca_cuda::{Cuda, DeviceArray, DeviceChoice, Placement, Written, measure, on};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

fn gpu() -> Arc<Cuda> {
    gpu_with(None)
}

/// Makes the numbers of a view. Views share a few directions, and have means far from zero and some zeros.
fn numbers(rows: usize, cols: usize, seed: u64) -> Vec<f64> {
    let (mut shared, mut own) = (ChaCha8Rng::seed_from_u64(1), ChaCha8Rng::seed_from_u64(seed));
    let mut numbers = Vec::with_capacity(rows * cols);
    for _ in 0..rows {
        let common: Vec<f64> = (0..5).map(|_| shared.random_range(-1.0..1.0)).collect();
        numbers.extend((0..cols).map(|j| match own.random_range(0..20) {
            0 => 0.0,
            _ => 4.0 + common[j % 5] + own.random_range(-1.0..1.0),
        }));
    }
    numbers
}

fn singles(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|&number| number as f32).collect()
}

/// Returns a view on the host, the same view on the GPU, and its array there.
fn both(rows: usize, cols: usize, seed: u64, is_single: bool) -> (Matrix, Matrix, Arc<DeviceArray>) {
    let numbers = numbers(rows, cols, seed);
    let put = |bytes: &[u8]| DeviceArray::from_host(0, bytes).expect("memory");
    let view = |values| Matrix::from(DenseRows::new(rows, cols, values).expect("finite numbers"));
    if is_single {
        let numbers = singles(&numbers);
        let array = put(bytemuck::cast_slice(&numbers));
        let there = Buffer::shared(array.clone(), 0, rows * cols).expect("enough bytes");
        (view(DenseValues::F32(numbers.into())), view(DenseValues::F32(there)), array)
    } else {
        let array = put(bytemuck::cast_slice(&numbers));
        let there = Buffer::shared(array.clone(), 0, rows * cols).expect("enough bytes");
        (view(DenseValues::F64(numbers.into())), view(DenseValues::F64(there)), array)
    }
}

fn settings(method: Method, k: usize) -> Settings {
    let mut settings = Settings::new(method, k);
    (settings.ridge_x, settings.ridge_y, settings.tol) = (0.001, 0.001, 1e-10);
    settings
}

fn total(fit: &Fit) -> f64 {
    fit.model.objective.iter().sum()
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn narrow_views_are_fitted_where_they_lie_and_never_copied() {
    let cuda = gpu();
    for (rows, cols, is_single) in
        [(3000, [70, 33], [true, false]), (40_000, [64, 64], [true, true]), (900, [1, 2], [false, true])]
    {
        let (x, x_there, x_array) = both(rows, cols[0], 2, is_single[0]);
        let (y, y_there, y_array) = both(rows, cols[1], 3, is_single[1]);
        let weights: Vec<f64> = (0..rows).map(|row| (row % 3) as f64).collect();
        let settings = settings(Method::auto(), 1.max(cols[1] / 10));
        for weights in [None, Some(weights)] {
            let pair = |x: &Matrix, y: &Matrix| {
                let pair = InMemory::new(x.clone(), y.clone()).unwrap();
                match &weights {
                    Some(weights) => pair.weighted(weights.clone().into()).unwrap(),
                    None => pair,
                }
            };
            let on_host = pair(&x, &y);
            let expected = fit(&on(&cuda, &on_host), &settings, &()).unwrap();
            // Both views there, and then one of them.
            for there in [pair(&x_there, &y_there), pair(&x, &y_there), pair(&x_there, &y)] {
                let cuda = lcca_cuda::open(0, None).unwrap();
                let mut found = fit(&on(&cuda, &there), &settings, &()).unwrap();
                found.look_for_shared_columns(&there).unwrap();
                let (found, expected) = (total(&found), total(&expected));
                assert!((found - expected).abs() <= 1e-12 * expected, "{cols:?}: {found}, {expected}");
                assert!(cuda.was_used());
            }
        }
        assert!(!x_array.was_copied() && !y_array.was_copied(), "{cols:?}");
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn moments_are_those_of_the_host() {
    gpu();
    for (rows, cols, is_single) in
        [(1, 1, true), (5, 3, false), (1030, 33, true), (700_000, 3, false), (20_000, 300, true)]
    {
        let (x, x_there, array) = both(rows, cols, 2, is_single);
        let weights: Vec<f64> = (0..rows).map(|row| 0.25 + (row % 7) as f64).collect();
        for weights in [None, Some(weights)] {
            let moments = |view: &Matrix| {
                let pair = InMemory::new(view.clone(), x.clone()).unwrap();
                let pair = match &weights {
                    Some(weights) => pair.weighted(weights.clone().into()).unwrap(),
                    None => pair,
                };
                pair.moments(Side::X).unwrap().clone()
            };
            let (there, here) = (moments(&x_there), moments(&x));
            assert_eq!((&there.count, &there.nonzero), (&here.count, &here.nonzero));
            let are_near = |a: &f64, b: &f64| (a - b).abs() <= 16.0 * f64::EPSILON * b.abs();
            assert!(are_near(&there.weight, &here.weight));
            for (a, b) in there.sum.iter().chain(&there.square).zip(here.sum.iter().chain(&here.square)) {
                assert!(are_near(a, b), "{rows} x {cols}: {a}, {b}");
            }
            assert_eq!(there, moments(&x_there), "sums repeat to the last bit");
        }
        assert!(!array.was_copied());
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn a_number_that_is_not_finite_has_its_place() {
    gpu();
    let (rows, cols) = (30_000, 41);
    for (place, value) in [(0, f64::NAN), (777_777, f64::NEG_INFINITY), (rows * cols - 1, f64::INFINITY)] {
        let mut values = numbers(rows, cols, 1);
        values[place] = value;
        values[rows * cols - 1] = f64::INFINITY;
        let (double, single) = (values.clone(), singles(&values));
        let there = |bytes: &[u8]| DeviceArray::from_host(0, bytes).unwrap();
        let shared = [
            DenseValues::F64(Buffer::shared(there(bytemuck::cast_slice(&double)), 0, rows * cols).unwrap()),
            DenseValues::F32(Buffer::shared(there(bytemuck::cast_slice(&single)), 0, rows * cols).unwrap()),
        ];
        let here = DenseRows::new(rows, cols, DenseValues::F64(double.into())).err().unwrap().to_string();
        for values in shared {
            assert_eq!(DenseRows::new(rows, cols, values).err().unwrap().to_string(), here);
        }
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn passes_over_such_rows_obey_the_laws() {
    let cuda = gpu();
    let ((x, x_there, _), (_, y_there, _)) = (both(3000, 70, 2, true), both(3000, 33, 3, false));
    // The views of the second pair do not begin where their arrays do.
    for pair in [
        InMemory::new(x_there.clone(), y_there.clone()).unwrap(),
        InMemory::new(x_there.slice(7..2500), y_there.slice(100..2593)).unwrap(),
        InMemory::new(x, y_there).unwrap(),
    ] {
        laws::check_pass(&*cuda, &pair, 24, 1).unwrap();
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn wide_views_and_other_methods_fall_back_on_a_copy() {
    let cuda = gpu();
    let (x, x_there, array) = both(3000, 120, 2, true);
    let sparse: Matrix = {
        let offsets: Vec<u64> = (0..=3000).collect();
        let columns: Vec<u32> = (0..3000u32).map(|row| row * row % 50).collect();
        SparseRows::new(50, offsets.into(), columns.into(), Values::Ones).unwrap().into()
    };
    for method in [Method::lobpcg(), Method::exact(), Method::gram()] {
        let settings = settings(method, 3);
        let [there, here] = [&x_there, &x].map(|x| InMemory::new(x.clone(), sparse.clone()).unwrap());
        let found = total(&fit(&on(&cuda, &there), &settings, &()).unwrap());
        let expected = total(&fit(&on(&cuda, &here), &settings, &()).unwrap());
        assert!((found - expected).abs() <= 1e-9 * expected, "{method:?}: {found}, {expected}");
    }
    assert!(
        array.was_copied(),
        "the host forms the coarse block of dense views and the Gram matrix beside sparse ones"
    );
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn an_array_is_looked_up_and_waited_for() {
    gpu();
    let bytes: Vec<u8> = (0..100).collect();
    let array = DeviceArray::from_host(0, &bytes).unwrap();
    for written in [Written::Already, Written::By(1), Written::ByAll] {
        let keeper = Box::new(array.clone());
        // SAFETY: the keeper keeps the array.
        let again = unsafe { DeviceArray::new(0, array.address() + 10, 20, keeper, written) };
        let again = again.unwrap().expect("it lies on the first GPU");
        let numbers: Buffer<u8> = Buffer::shared(again, 5, 3).unwrap();
        assert_eq!(numbers.iter().collect::<Vec<u8>>(), [15, 16, 17]);
    }
    assert!(!array.was_copied());
    // Kernels do not read numbers that are not aligned.
    let values = DenseValues::F32(Buffer::shared(array, 1, 8).unwrap());
    let error = DenseRows::new(2, 4, values).err().unwrap().to_string();
    assert!(error.contains("not aligned"), "{error}");
    let here = bytes.as_ptr() as u64;
    // SAFETY: nothing is read at the addresses.
    for address in [here, 8] {
        let error = unsafe { DeviceArray::new(0, address, 8, Box::new(()), Written::Already) }.err().unwrap();
        assert!(error.to_string().contains("no memory of a GPU"), "{error}");
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn auto_goes_where_the_rows_lie() {
    gpu();
    let ((x, x_there, _), (y, y_there, _)) = (both(2000, 20, 2, true), both(2000, 10, 3, true));
    let decided = |x: &Matrix, y: &Matrix| {
        let settings = settings(Method::auto(), 2);
        let pair = InMemory::new(x.clone(), y.clone()).unwrap();
        let mut placement = Placement::new(DeviceChoice::Auto, None).unwrap();
        placement.decide(&pair, &settings).unwrap();
        fit(&placement.place(pair), &settings, &()).unwrap();
        placement.decision().unwrap()
    };
    assert!(matches!(decided(&x_there, &y_there), Decision::RanOnGpu { ordinal: 0, .. }));
    assert!(matches!(decided(&x, &y_there), Decision::RanOnGpu { .. }));
    assert!(matches!(decided(&x, &y), Decision::RanWithoutGpu { .. }));
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn memory_of_an_array_is_given_back_with_its_last_view() {
    let cuda = gpu();
    drop(cuda);
    let free = lcca_cuda::open(0, None).unwrap().device().limit();
    for _ in 0..3 {
        let (_, there, array) = both(300_000, 100, 2, false);
        drop((there, array));
    }
    let now = lcca_cuda::open(0, None).unwrap().device().limit();
    assert!(now + (64 << 20) >= free, "{free} bytes were free, {now} are now");
}

/// Copies numbers to the GPU.
fn put<T: Pod>(numbers: &[T]) -> Buffer<T> {
    let array = DeviceArray::from_host(0, bytemuck::cast_slice(numbers)).expect("memory");
    Buffer::shared(array, 0, numbers.len()).expect("enough bytes")
}

/// The kind of the entries of sparse rows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Ones,
    F32,
    F64,
}

impl Kind {
    /// The bytes of an entry, with its column.
    fn width(self) -> u64 {
        match self {
            Kind::Ones => 4,
            Kind::F32 => 8,
            Kind::F64 => 12,
        }
    }
}

/// Returns sparse rows on the host, and the same rows with columns and values on the GPU. Two views with
/// equal numbers of rows share topics.
fn both_sparse(rows: usize, cols: u32, seed: u64, kind: Kind) -> (Matrix, Matrix) {
    let (mut shared, mut own) = (ChaCha8Rng::seed_from_u64(1), ChaCha8Rng::seed_from_u64(seed));
    let (mut offsets, mut columns) = (vec![0u64], Vec::new());
    for _ in 0..rows {
        let topic = shared.random_range(0..10u32);
        let mut row = vec![topic % cols];
        row.extend((0..own.random_range(1..8)).map(|_| own.random_range(0..cols)));
        row.sort_unstable();
        row.dedup();
        columns.extend(row);
        offsets.push(columns.len() as u64);
    }
    let numbers: Vec<f64> = (0..columns.len()).map(|_| own.random_range(0.5..2.0)).collect();
    let view = |columns: Buffer<u32>, values: Values| {
        Matrix::from(SparseRows::new(cols as usize, offsets.clone().into(), columns, values).expect("valid"))
    };
    let (here, there) = match kind {
        Kind::Ones => (Values::Ones, Values::Ones),
        Kind::F32 => (Values::F32(singles(&numbers).into()), Values::F32(put(&singles(&numbers)))),
        Kind::F64 => (Values::F64(numbers.clone().into()), Values::F64(put(&numbers))),
    };
    (view(columns.clone().into(), here), view(put(&columns), there))
}

/// Returns the bytes of the GPU's memory that rows and products of a pass still take when the pass is over.
fn taken_by_pass(pair: &InMemory) -> u64 {
    taken_of(4 << 30, pair)
}

/// Returns the bytes of the GPU's memory that rows and products of a pass still take when the pass is over,
/// if at most `limit` bytes may be taken.
fn taken_of(limit: u64, pair: &InMemory) -> u64 {
    let cuda = lcca_cuda::open(0, Some(limit)).expect("a GPU");
    laws::check_pass(&*cuda, pair, 24, 1).expect("the laws hold");
    cuda.device().limit() - cuda.device().free()
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn passes_over_sparse_rows_read_them_where_they_lie() {
    gpu();
    for kinds in [[Kind::Ones, Kind::Ones], [Kind::F32, Kind::F64]] {
        let (x, x_there) = both_sparse(3000, 400, 2, kinds[0]);
        let (y, y_there) = both_sparse(3000, 300, 3, kinds[1]);
        let pair = |x: &Matrix, y: &Matrix| InMemory::new(x.clone(), y.clone()).unwrap();
        let here = taken_by_pass(&pair(&x, &y));
        let bytes = [x.entries() * kinds[0].width(), y.entries() * kinds[1].width()];
        assert_eq!(taken_by_pass(&pair(&x_there, &y_there)), here - bytes[0] - bytes[1], "{kinds:?}");
        assert_eq!(taken_by_pass(&pair(&x, &y_there)), here - bytes[1], "{kinds:?}");
        // A range of rows does not begin where its arrays do.
        let [x, y, x_there, y_there] = [x, y, x_there, y_there].map(|view| view.slice(700..2001));
        let bytes = x.entries() * kinds[0].width() + y.entries() * kinds[1].width();
        let here = taken_by_pass(&pair(&x, &y));
        assert_eq!(taken_by_pass(&pair(&x_there, &y_there)), here - bytes, "{kinds:?}");
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn sparse_rows_that_lie_on_a_gpu_do_not_count_when_it_is_decided_whether_rows_stay_there() {
    gpu();
    let (x, x_there) = both_sparse(60_000, 40, 2, Kind::F64);
    let (y, y_there) = both_sparse(60_000, 30, 3, Kind::F64);
    let bytes = 12 * (x.entries() + y.entries());
    // Copies of the views by rows and by columns take more than 0.6 of the limit, and those by columns
    // alone less.
    let limit = 5 * bytes / 2;
    let taken = |x: Matrix, y: Matrix| taken_of(limit, &InMemory::new(x, y).unwrap());
    assert!(taken(x, y) < bytes, "rows are copied for every pass");
    assert!(taken(x_there, y_there) >= bytes, "rows by columns stay");
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn passes_over_one_hot_rows_read_them_where_they_lie() {
    gpu();
    let columns: Vec<u32> = (0..3000u32).map(|row| row * row % 70).collect();
    let mut gaps = columns.clone();
    gaps[1234] = OneHotRows::EMPTY;
    let view = |columns: Buffer<u32>| Matrix::from(OneHotRows::new(70, columns).unwrap());
    let (y, _) = both_sparse(3000, 300, 3, Kind::F64);
    let taken = |x: Buffer<u32>| taken_by_pass(&InMemory::new(view(x), y.clone()).unwrap());
    assert_eq!(taken(put(&columns)), taken(columns.into()) - 4 * 3000);
    // The GPU reads a copy here, because rows without an entry are left out of it.
    assert_eq!(taken(put(&gaps)), taken(gaps.into()));
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn gram_matrices_of_sparse_rows_are_formed_from_where_they_lie() {
    gpu();
    let (x, x_there) = both_sparse(3000, 20, 2, Kind::F32);
    let (y, y_there) = both_sparse(3000, 15, 3, Kind::F64);
    let [here, there] = [(x, y), (x_there, y_there)].map(|(x, y)| InMemory::new(x, y).unwrap());
    // The least memory with which they are formed on the GPU.
    let least = |pair: &InMemory| {
        let (mut declined, mut formed) = (0, 1u64 << 30);
        while formed - declined > 1 {
            let limit = declined.midpoint(formed);
            let cuda = lcca_cuda::open(0, Some(limit)).unwrap();
            match measure::joint_gram(&cuda, pair, u64::MAX).unwrap() {
                Some(_) => formed = limit,
                None => declined = limit,
            }
            assert_eq!(cuda.device().free(), limit, "memory is given back");
        }
        formed
    };
    let bytes = 8 * here.view(Side::X).entries() + 12 * here.view(Side::Y).entries();
    assert_eq!(least(&there), least(&here) - bytes);
    let cuda = lcca_cuda::open(0, None).unwrap();
    let [here, there] =
        [here, there].map(|pair| measure::joint_gram(&cuda, &pair, u64::MAX).unwrap().unwrap());
    for (target, source) in [(Side::X, Side::X), (Side::X, Side::Y), (Side::Y, Side::X), (Side::Y, Side::Y)] {
        let entries = |block: &Matrix| {
            let mut entries = Vec::new();
            (0..block.rows())
                .for_each(|row| block.for_each(row, |col, value| entries.push((row, col, value))));
            entries
        };
        assert_eq!(entries(there.block(target, source)), entries(here.block(target, source)));
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn fits_to_sparse_rows_on_a_gpu_are_those_to_their_copies() {
    gpu();
    for kinds in [[Kind::Ones, Kind::Ones], [Kind::F64, Kind::F32]] {
        let (x, x_there) = both_sparse(4000, 300, 2, kinds[0]);
        let (y, y_there) = both_sparse(4000, 200, 3, kinds[1]);
        let (_, dense_there, _) = both(4000, 30, 4, true);
        for method in [Method::lobpcg(), Method::shift_invert(), Method::exact(), Method::gram()] {
            let total = |x: &Matrix, y: &Matrix| {
                let cuda = lcca_cuda::open(0, None).unwrap();
                let pair = InMemory::new(x.clone(), y.clone()).unwrap();
                total(&fit(&on(&cuda, &pair), &settings(method, 3), &()).unwrap())
            };
            let near = |there: f64, here: f64| {
                assert!((there - here).abs() <= 1e-9 * here, "{kinds:?}, {method:?}: {there}, {here}");
            };
            let here = total(&x, &y);
            near(total(&x_there, &y_there), here);
            near(total(&x_there, &y), here);
            if method.algorithm() == Algorithm::Lobpcg {
                near(total(&x_there, &dense_there), total(&x, &dense_there));
            }
        }
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn sparse_rows_on_a_gpu_are_checked_as_on_the_host() {
    gpu();
    // Out of range, in two ways; out of order; twice; not a number; not finite.
    let wrong: [(&[u32], [f64; 4]); 6] = [
        (&[0, 5, 1, 2], [1.0, 2.0, 3.0, 4.0]),
        (&[0, 1, 1, -1i32 as u32], [1.0, 2.0, 3.0, 4.0]),
        (&[2, 0, 1, 2], [1.0, 2.0, 3.0, 4.0]),
        (&[0, 1, 2, 2], [1.0, 2.0, 3.0, 4.0]),
        (&[0, 1, 1, 2], [1.0, 2.0, f64::NAN, 4.0]),
        (&[0, 1, 1, 2], [1.0, f64::NEG_INFINITY, 3.0, 4.0]),
    ];
    for (columns, values) in wrong {
        let checked = |columns: Buffer<u32>, values: Values| {
            SparseRows::new(3, vec![0, 2, 4].into(), columns, values).err().unwrap().to_string()
        };
        let expected = checked(columns.to_vec().into(), Values::F64(values.to_vec().into()));
        assert_eq!(checked(put(columns), Values::F64(put(&values))), expected);
        assert_eq!(checked(put(columns), Values::F32(put(&singles(&values)))), expected);
    }
    // Rows that are out of order or repeat a column are sorted and summed up on the host.
    let sorted = SparseRows::canonical(
        3,
        vec![0, 2, 4].into(),
        put(&[2u32, 0, 1, 1]),
        Values::F64(put(&[1.0, 2.0, 3.0, 4.0])),
    );
    let (mut entries, sorted) = (Vec::new(), sorted.unwrap());
    (0..2).for_each(|row| sorted.rows.for_each(row, |column, value| entries.push((row, column, value))));
    assert_eq!((entries, sorted.merged), (vec![(0, 0, 2.0), (0, 2, 1.0), (1, 1, 7.0)], 1));
    let outside = OneHotRows::new(3, put(&[0, 3])).err().unwrap().to_string();
    assert_eq!(outside, OneHotRows::new(3, vec![0, 3].into()).err().unwrap().to_string());
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn copies_ahead_are_the_bytes_of_the_array() {
    gpu();
    // More numbers than fit one part of the memory through which copies go.
    let numbers: Vec<u64> = (0..3_000_000).collect();
    let array = DeviceArray::from_host(0, bytemuck::cast_slice(&numbers)).unwrap();
    assert!(!array.was_copied());
    array.copy_ahead().unwrap();
    array.copy_ahead().unwrap();
    assert!(array.was_copied());
    let copied: Buffer<u64> = Buffer::shared(array, 0, numbers.len()).unwrap();
    assert!(copied.iter().eq(numbers));
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn auto_goes_where_sparse_rows_lie() {
    gpu();
    let ((x, x_there), (y, y_there)) =
        (both_sparse(2000, 300, 2, Kind::Ones), both_sparse(2000, 200, 3, Kind::F32));
    let decided = |x: &Matrix, y: &Matrix| {
        let settings = settings(Method::lobpcg(), 2);
        let pair = InMemory::new(x.clone(), y.clone()).unwrap();
        let mut placement = Placement::new(DeviceChoice::Auto, None).unwrap();
        placement.decide(&pair, &settings).unwrap();
        fit(&placement.place(pair), &settings, &()).unwrap();
        placement.decision().unwrap()
    };
    assert!(matches!(decided(&x_there, &y), Decision::RanOnGpu { ordinal: 0, .. }));
    assert!(matches!(decided(&x, &y_there), Decision::RanOnGpu { .. }));
    assert!(matches!(decided(&x, &y), Decision::RanWithoutGpu { .. }));
}
