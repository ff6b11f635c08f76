//! A warm pass allocates nothing, on one thread or two, with any storage and any wrappers.

#![allow(clippy::unwrap_used, reason = "a test")]

use lcca::data::{Ask, Centered, Counting, InMemory, Pair, Scaled, Side, Tally};
use lcca::matrix::{DenseRows, DenseValues, Matrix, OneHotRows, Panel, SparseRows, Values};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The system's allocator, which counts the calls of every thread.
struct CountingAllocator;

static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is forwarded unchanged to the system's allocator.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, SeqCst);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.fetch_add(1, SeqCst);
        // SAFETY: the caller keeps the contract.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const ROWS: usize = 2000;

fn views() -> [Matrix; 3] {
    let one_hot = OneHotRows::new(40, (0..ROWS as u32).map(|i| i * i % 40).collect::<Vec<_>>().into());
    let offsets: Vec<u64> = (0..=ROWS as u64).map(|i| 2 * i).collect();
    let columns: Vec<u32> = (0..ROWS as u32).flat_map(|i| [i % 7, 7 + i % 11]).collect();
    let sparse = SparseRows::new(18, offsets.into(), columns.into(), Values::Ones);
    // The last column is constant.
    let numbers: Vec<f64> =
        (0..ROWS * 5).map(|i| if i % 5 == 4 { 3.0 } else { (i * 31 % 17) as f64 }).collect();
    let dense = DenseRows::new(ROWS, 5, DenseValues::F64(numbers.into()));
    [one_hot.unwrap().into(), sparse.unwrap().into(), dense.unwrap().into()]
}

/// One pass with all four products, added into existing panels.
fn pass(pair: &dyn Pair, w: &[Panel; 2], out: &mut [Panel; 4]) {
    let [xx, yx, xy, yy] = out;
    let ask = Ask::new().source(Side::X, &w[0]).to(Side::X, xx).to(Side::Y, yx);
    pair.pass(&mut ask.source(Side::Y, &w[1]).to(Side::X, xy).to(Side::Y, yy)).unwrap();
}

/// The fewest allocations in 100 warm passes among several attempts. The minimum counts because the thread
/// pool and the main thread of the test allocate now and then; a pass that allocates would do so at least
/// 100 times in every attempt.
fn allocations(pair: &dyn Pair) -> usize {
    let sizes = Side::BOTH.map(|side| pair.shape().cols(side));
    let w = sizes.map(|p| Panel::from_fn(p, 11, |i, j| (i + j) as f64));
    let mut out = [0, 1, 0, 1].map(|target| Panel::zeros(sizes[target], 11));
    let mut fewest = usize::MAX;
    for _ in 0..20 {
        let before = CALLS.load(SeqCst);
        (0..100).for_each(|_| pass(pair, &w, &mut out));
        fewest = fewest.min(CALLS.load(SeqCst) - before);
        if fewest == 0 {
            break;
        }
    }
    fewest
}

// This file has a single test, because the counter sees every thread of the process and nothing else may
// run beside it.
#[test]
fn a_warm_pass_allocates_nothing() {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            for (x, y) in [(0, 1), (1, 2), (2, 0)] {
                let views = views();
                let pair = InMemory::new(views[x].clone(), views[y].clone()).unwrap();
                let weighted = InMemory::new(views[x].clone(), views[y].clone())
                    .and_then(|pair| pair.weighted(vec![0.5; ROWS].into()))
                    .unwrap();
                let centered = Centered::new(&pair).unwrap();
                let tally = Tally::default();
                let factors = Side::BOTH.map(|side| Some(vec![0.5; pair.shape().cols(side)]));
                let scaled = Scaled::new(&centered, factors).unwrap();
                let counting = Counting::rows(&scaled, &tally, &());
                for (name, pair) in [
                    ("in memory", &pair as &dyn Pair),
                    ("weighted", &weighted),
                    ("counting scaled centered", &counting),
                ] {
                    assert_eq!(allocations(pair), 0, "{name}, views {x} and {y}, {threads} threads");
                }
            }
        });
    }
}
