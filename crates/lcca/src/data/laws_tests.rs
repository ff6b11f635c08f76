//! Every implementation and wrapper of [`Pair`] obeys the laws, and a broken one does not.

use super::laws::{self, panels, products};
use super::*;
use crate::matrix::{Matrix, OneHotRows, Panel};
use crate::testing::{any_views, random_panel, relative_error, to_dense};
use faer::Mat;
use proptest::prelude::*;

fn obeys_the_laws(pair: &dyn Pair, x: &Mat<f64>, y: &Mat<f64>, seed: u64) {
    if let Err(broken) = laws::check(pair, x, y, seed) {
        panic!("{broken}");
    }
}

fn centered(dense: &Mat<f64>) -> Mat<f64> {
    let n = dense.nrows() as f64;
    let mean = |j: usize| (0..dense.nrows()).map(|i| dense[(i, j)]).sum::<f64>() / n;
    let means: Vec<f64> = (0..dense.ncols()).map(mean).collect();
    Mat::from_fn(dense.nrows(), dense.ncols(), |i, j| dense[(i, j)] - means[j])
}

fn scaled(dense: &Mat<f64>, factors: &Option<Vec<f64>>) -> Mat<f64> {
    let factor = |j: usize| factors.as_ref().map_or(1.0, |factors| factors[j]);
    Mat::from_fn(dense.nrows(), dense.ncols(), |i, j| factor(j) * dense[(i, j)])
}

fn in_memory(views: &[Matrix; 2]) -> InMemory {
    InMemory::new(views[0].clone(), views[1].clone()).unwrap()
}

fn on_threads<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

/// The rows cut at two places, as shards.
fn shards(views: &[Matrix; 2], cuts: [usize; 2]) -> Shards {
    let rows = views[0].rows();
    let mut edges = [0, cuts[0] % (rows + 1), cuts[1] % (rows + 1), rows];
    edges.sort_unstable();
    let pieces = edges.windows(2).filter(|e| e[0] < e[1]);
    let pair = |e: &[usize]| InMemory::new(views[0].slice(e[0]..e[1]), views[1].slice(e[0]..e[1])).unwrap();
    Shards::new(pieces.map(|e| Box::new(pair(e)) as Box<dyn Pair>).collect()).unwrap()
}

/// The rows cut at two places, as pieces that one pass reads together.
fn pieces(views: &[Matrix; 2], cuts: [usize; 2]) -> Pieces {
    let rows = views[0].rows();
    let mut edges = [0, cuts[0] % (rows + 1), cuts[1] % (rows + 1), rows];
    edges.sort_unstable();
    let pair = |e: &[usize]| InMemory::new(views[0].slice(e[0]..e[1]), views[1].slice(e[0]..e[1])).unwrap();
    let pieces = edges.windows(2).filter(|e| e[0] < e[1]).map(|e| std::sync::Arc::new(pair(e)));
    Pieces::new(pieces.collect()).unwrap()
}

proptest! {
    #[test]
    fn pieces_are_one_pair(views in any_views(), cuts: [usize; 2], threads in 1usize..5, seed in 0u64..100) {
        let [x, y] = views.each_ref().map(to_dense);
        on_threads(threads, || obeys_the_laws(&pieces(&views, cuts), &x, &y, seed));
    }

    #[test]
    fn in_memory_on_any_thread_count(views in any_views(), threads in 1usize..5, seed in 0u64..100) {
        let [x, y] = views.each_ref().map(to_dense);
        on_threads(threads, || obeys_the_laws(&in_memory(&views), &x, &y, seed));
    }

    #[test]
    fn splitting_the_rows_changes_nothing(views in any_views(), cuts: [usize; 2], seed in 0u64..100) {
        let [x, y] = views.each_ref().map(to_dense);
        obeys_the_laws(&shards(&views, cuts), &x, &y, seed);
    }

    #[test]
    fn centering_equals_explicitly_centered_data(views in any_views(), cuts: [usize; 2], seed in 0u64..100) {
        let [x, y] = views.each_ref().map(to_dense).map(|dense| centered(&dense));
        obeys_the_laws(&Centered::new(&in_memory(&views)).unwrap(), &x, &y, seed);
        obeys_the_laws(&Centered::new(&shards(&views, cuts)).unwrap(), &x, &y, seed);
    }

    #[test]
    fn scaling_equals_explicitly_scaled_data(views in any_views(), cuts: [usize; 2], both: bool, seed in 0u64..100) {
        let factors = |view: &Matrix| (0..view.cols()).map(|j| 0.25 + (j as f64 + 1.3).sin().abs()).collect();
        let factors = [Some(factors(&views[0])), both.then(|| factors(&views[1]))];
        let [x, y] = views.each_ref().map(to_dense);
        let [cx, cy] = [centered(&x), centered(&y)];
        for pair in [&in_memory(&views) as &dyn Pair, &shards(&views, cuts)] {
            let (sx, sy) = (scaled(&x, &factors[0]), scaled(&y, &factors[1]));
            obeys_the_laws(&Scaled::new(pair, factors.clone()).unwrap(), &sx, &sy, seed);
            if let Some(joint) = laws::joint_gram(pair.capabilities().joint_grams.unwrap()).unwrap() {
                let joint = joint.scaled(factors.each_ref().map(|f| f.as_deref())).unwrap();
                obeys_the_laws(&joint, &sx, &sy, seed);
            }
            let (sx, sy) = (scaled(&cx, &factors[0]), scaled(&cy, &factors[1]));
            let inner = Centered::new(pair).unwrap();
            obeys_the_laws(&Scaled::new(&inner, factors.clone()).unwrap(), &sx, &sy, seed);
        }
    }

    #[test]
    fn a_weighted_row_counts_as_that_many_rows(views in any_views(), seed in 0u64..100) {
        let rows = views[0].rows();
        let times: Vec<usize> = (0..rows).map(|i| (i + seed as usize) % 3).collect();
        prop_assume!(times.iter().sum::<usize>() > 0);
        let weights: Vec<f64> = times.iter().map(|&t| t as f64).collect();
        let weighted = in_memory(&views).weighted(weights.into()).unwrap();
        let [x, y] = views.each_ref().map(|view| {
            let dense = to_dense(view);
            let source: Vec<usize> = (0..rows).flat_map(|i| std::iter::repeat_n(i, times[i])).collect();
            Mat::from_fn(source.len(), dense.ncols(), |i, j| dense[(source[i], j)])
        });
        obeys_the_laws(&weighted, &x, &y, seed);
        obeys_the_laws(&Centered::new(&weighted).unwrap(), &centered(&x), &centered(&y), seed);
    }

    #[test]
    fn gram_matrices_stand_for_the_rows(views in any_views(), cuts: [usize; 2], seed in 0u64..100) {
        let [x, y] = views.each_ref().map(to_dense);
        for pair in [&in_memory(&views) as &dyn Pair, &shards(&views, cuts)] {
            let Some(joint) = laws::joint_gram(pair.capabilities().joint_grams.unwrap()).unwrap() else { continue };
            obeys_the_laws(&joint, &x, &y, seed);
            let [x, y] = [&x, &y].map(centered);
            obeys_the_laws(&Centered::new(&joint).unwrap(), &x, &y, seed);
        }
    }

    #[test]
    fn gram_matrices_of_folds_stand_for_the_rows_of_each_fold_and_of_all_others(
        views in any_views(), folds in prop::collection::vec(0u32..3, 200), seed in 0u64..100
    ) {
        let is_sparse = views.iter().all(|view| !matches!(view, Matrix::Dense(_)));
        let pair = in_memory(&views);
        let folds = &folds[..pair.shape().rows];
        let grams = is_sparse.then(|| FoldGrams::form(&pair, folds, 3, u64::MAX).unwrap());
        let sums = FoldSums::form(&pair, folds, 3, u64::MAX).unwrap();
        for fold in 0..3 {
            for inside in [true, false] {
                let rows: Vec<usize> =
                    (0..folds.len()).filter(|&row| (folds[row] as usize == fold) == inside).collect();
                let [x, y] = views.each_ref().map(to_dense).map(|dense| {
                    Mat::from_fn(rows.len(), dense.ncols(), |i, j| dense[(rows[i], j)])
                });
                if rows.is_empty() {
                    continue;
                }
                if let Some(grams) = &grams {
                    let part = if inside { grams.only(fold) } else { grams.without(fold) }.unwrap();
                    obeys_the_laws(&part, &x, &y, seed);
                }
                let weights: Vec<f64> = (0..folds.len()).map(|row| f64::from(u8::from(rows.contains(&row)))).collect();
                let weighted = in_memory(&views).weighted(weights.into()).unwrap();
                let part = if inside { sums.only(fold) } else { sums.without(fold, weighted) };
                obeys_the_laws(&part, &x, &y, seed);
                let [x, y] = [&x, &y].map(centered);
                obeys_the_laws(&Centered::new(&part).unwrap(), &x, &y, seed);
            }
        }
    }

    #[test]
    fn counting_and_caching_change_nothing(views in any_views(), seed in 0u64..100) {
        let [x, y] = views.each_ref().map(to_dense);
        let pair = in_memory(&views);
        obeys_the_laws(&Cached::new(&pair), &x, &y, seed);
        obeys_the_laws(&Counting::rows(&pair, &Tally::default(), &()), &x, &y, seed);
    }
}

#[test]
fn the_counter_counts_passes_and_columns() {
    let pair = in_memory(&small_views());
    let tally = Tally::default();
    let counting = Counting::rows(&pair, &tally, &());
    let w = random_panel(2, 4, 0);
    products(&counting, &w, &w).unwrap();
    assert_eq!(counting.cost(), Cost { passes: 1.0, gram_passes: 0.0, columns: 12.0 });
    let mut out = Panel::zeros(2, 4);
    counting.pass(&mut Ask::new().source(Side::Y, &w).to(Side::Y, &mut out)).unwrap();
    assert_eq!(counting.cost(), Cost { passes: 1.5, gram_passes: 0.0, columns: 16.0 });
    products(&Counting::grams(&pair, &tally, &()), &w, &w).unwrap();
    assert_eq!(counting.cost(), Cost { passes: 1.5, gram_passes: 1.0, columns: 28.0 });
}

#[test]
fn the_same_thread_count_gives_the_same_bits() {
    let views = [30, 20]
        .map(|cols| crate::testing::from_dense(crate::testing::random_mat(500, cols, cols as u64).as_ref()));
    let pair = in_memory(&views);
    let (wx, wy) = panels(pair.shape(), 9, 9, 3);
    for threads in 1..4 {
        let runs: Vec<_> =
            (0..3).map(|_| on_threads(threads, || products(&pair, &wx, &wy).unwrap())).collect();
        assert!(runs.iter().all(|run| run == &runs[0]));
    }
    let (one, three) = (
        on_threads(1, || products(&pair, &wx, &wy).unwrap()),
        on_threads(3, || products(&pair, &wx, &wy).unwrap()),
    );
    assert!(
        one.iter()
            .flatten()
            .zip(three.iter().flatten())
            .all(|(a, b)| relative_error(a.as_mat(), b.as_mat()) < 1e-14)
    );
}

#[test]
fn any_number_of_threads_gives_the_same_products_of_wide_views() {
    // The views are wider than the panels that every part holds in full, and neighboring rows share
    // columns.
    let view = |cols: usize, seed: u64| -> Matrix {
        let noise = random_panel(4000, 6, seed);
        let (mut offsets, mut columns) = (vec![0u64], Vec::new());
        for i in 0..4000 {
            let near = |v: &f64| (cols * i / 4000 + (v.abs() * 300.0) as usize).min(cols - 1) as u32;
            let mut row: Vec<u32> = noise.row(i).iter().map(near).chain([(i % 7) as u32]).collect();
            row.sort_unstable();
            row.dedup();
            columns.extend(row);
            offsets.push(columns.len() as u64);
        }
        let ones = crate::matrix::Values::Ones;
        crate::matrix::SparseRows::new(cols, offsets.into(), columns.into(), ones).unwrap().into()
    };
    let pair = in_memory(&[view(70_000, 1), view(90_000, 2)]);
    let (wx, wy) = panels(pair.shape(), 9, 5, 3);
    let joint = pair.joint_gram(u64::MAX).unwrap();
    let one = on_threads(1, || products(&pair, &wx, &wy).unwrap());
    for threads in [2, 5, 32] {
        for pair in [&pair as &dyn Pair, &joint] {
            let runs = [0, 1].map(|_| on_threads(threads, || products(pair, &wx, &wy).unwrap()));
            assert!(runs[0] == runs[1]);
            for (a, b) in one.iter().flatten().zip(runs[0].iter().flatten()) {
                assert!(relative_error(a.as_mat(), b.as_mat()) < 1e-13);
            }
        }
    }
}

#[test]
fn any_number_of_threads_forms_the_same_gram_matrices() {
    let views = [crate::testing::zipf_rows(30_000, 400, 12, 1), crate::testing::zipf_rows(30_000, 300, 9, 2)];
    let weights: Vec<f64> = (0..30_000).map(|i| 0.1 + f64::from(i % 7)).collect();
    for pair in [in_memory(&views), in_memory(&views).weighted(weights.into()).unwrap()] {
        let form = |threads| on_threads(threads, || pair.joint_gram(u64::MAX).unwrap());
        let (one, many) = (form(1), form(32));
        for (a, b) in Side::BOTH.into_iter().flat_map(|a| Side::BOTH.map(|b| (a, b))) {
            let entries = |joint: &JointGram| {
                let (block, mut entries) = (joint.block(a, b), Vec::new());
                for i in 0..block.rows() {
                    block.for_each(i, |j, value| entries.push((i, j, value)));
                }
                entries
            };
            assert!(entries(&one) == entries(&many));
        }
    }
}

#[test]
fn a_mean_of_a_thousand_deviations_costs_six_digits_at_most() {
    let noise = crate::testing::random_mat(300, 5, 1);
    let far = Mat::from_fn(300, 5, |i, j| noise[(i, j)] + 1e3);
    let views = [crate::testing::from_dense(far.as_ref()), crate::testing::from_dense(noise.as_ref())];
    let pair = in_memory(&views);
    let centered_pair = Centered::new(&pair).unwrap();
    let (wx, wy) = panels(pair.shape(), 2, 2, 5);
    let got = products(&centered_pair, &wx, &wy).unwrap();
    let exact = centered(&noise);
    let (zx, zy) = (&exact * wx.as_mat(), &exact * wy.as_mat());
    let expected = [&zx, &zy, &zx, &zy].map(|z| exact.transpose() * z);
    for (got, expected) in got.iter().flatten().zip(&expected) {
        assert!(relative_error(got.as_mat(), expected.as_ref()) < 1e-9);
    }
}

/// Which capabilities a pair offers: structure, Gram matrices, joint Gram matrix, triangle, blocks, samples.
fn offers(pair: &dyn Pair) -> [bool; 6] {
    let Capabilities { structure, grams, joint_grams, triangles, blocks, samples, covariates, space } =
        pair.capabilities();
    assert!(covariates.is_none() && space.is_none(), "these rows have none");
    [
        structure.is_some(),
        grams.is_some(),
        joint_grams.is_some(),
        triangles.is_some(),
        blocks.is_some(),
        samples.is_some(),
    ]
}

/// Passes and nothing else: the smallest home that rows can have.
struct OnlyPasses(InMemory);

impl Pair for OnlyPasses {
    fn shape(&self) -> Shape {
        self.0.shape()
    }

    fn moments(&self, side: Side) -> crate::Result<&Moments> {
        self.0.moments(side)
    }

    fn pass(&self, ask: &mut Ask<'_>) -> crate::Result<()> {
        self.0.pass(ask)
    }
}

fn small_views() -> [Matrix; 2] {
    [[0u32, 1, 1], [1, 0, 1]].map(|c| OneHotRows::new(2, c.to_vec().into()).unwrap().into())
}

#[test]
fn wrappers_forward_what_their_pair_offers_and_decline_what_they_cannot() {
    let (pair, tally) = (in_memory(&small_views()), Tally::default());
    assert_eq!(offers(&pair), [true; 6]);
    assert_eq!(offers(&Counting::rows(&pair, &tally, &())), [true; 6]);
    assert_eq!(offers(&Cached::new(&pair)), [true; 6]);
    assert_eq!(offers(&shards(&small_views(), [1, 2])), [true; 6]);
    assert_eq!(offers(&pieces(&small_views(), [1, 2])), [true; 6]);
    assert_eq!(offers(&Centered::new(&pair).unwrap()), [false, true, false, true, true, true]);
    assert_eq!(offers(&Scaled::new(&pair, [None, None]).unwrap()), [false, true, false, true, true, true]);
    let joint = pair.joint_gram(u64::MAX).unwrap();
    assert_eq!(offers(&joint), [false, true, false, false, true, false]);
    assert_eq!(offers(&Centered::new(&joint).unwrap()), [false, true, false, false, true, false]);
    let bare = OnlyPasses(pair);
    assert_eq!(offers(&Counting::rows(&bare, &tally, &())), [false; 6]);
    assert_eq!(offers(&Cached::new(&bare)), [false; 6]);
    assert_eq!(offers(&Centered::new(&bare).unwrap()), [false; 6]);
    let mixed: Vec<Box<dyn Pair>> = vec![Box::new(in_memory(&small_views())), Box::new(bare)];
    assert_eq!(offers(&Shards::new(mixed).unwrap()), [false; 6]);
}

/// A pair that breaks one law.
struct Broken {
    pair: InMemory,
    fault: Fault,
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    LosesAProduct,
    OverwritesOutputs,
    FailsToFactorize,
    CallsEverythingOneHot,
}

impl Pair for Broken {
    fn shape(&self) -> Shape {
        self.pair.shape()
    }

    fn moments(&self, side: Side) -> crate::Result<&Moments> {
        self.pair.moments(side)
    }

    fn pass(&self, ask: &mut Ask<'_>) -> crate::Result<()> {
        let clears = match self.fault {
            Fault::OverwritesOutputs => ask.target(Side::X, Side::X),
            _ => None,
        };
        clears.into_iter().for_each(Panel::clear);
        self.pair.pass(ask)?;
        if self.fault == Fault::LosesAProduct {
            ask.target(Side::Y, Side::X).into_iter().for_each(Panel::clear);
        }
        Ok(())
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { structure: Some(self), triangles: Some(self), ..self.pair.capabilities() }
    }
}

impl Structure for Broken {
    fn is_one_hot(&self, side: Side) -> bool {
        self.fault == Fault::CallsEverythingOneHot || self.pair.is_one_hot(side)
    }

    fn reduced(&self) -> crate::Result<Option<Reduced>> {
        self.pair.reduced()
    }
}

impl Triangles for Broken {
    fn triangle(&self, limit: u64) -> crate::Result<Triangle> {
        if self.fault == Fault::FailsToFactorize {
            return Err(crate::Error::Factorization("a broken pair"));
        }
        self.pair.triangle(limit)
    }
}

#[test]
fn a_broken_pair_breaks_a_law() {
    let dense = crate::testing::random_mat(20, 3, 1);
    for (fault, law) in [
        (Fault::LosesAProduct, "the product of X into Y"),
        (Fault::OverwritesOutputs, "does not add to its outputs"),
        (Fault::FailsToFactorize, "the triangular factor: a broken pair"),
        (Fault::CallsEverythingOneHot, "X is called one-hot and is not"),
    ] {
        let view = crate::testing::from_dense(dense.as_ref());
        let pair = Broken { pair: InMemory::new(view.clone(), view).unwrap(), fault };
        let verdict = laws::check(&pair, &dense, &dense, 1).unwrap_err();
        assert!(verdict.contains(law), "{verdict}");
    }
}

#[test]
fn chosen_columns_of_many_rows_are_summed_in_several_chunks_on_any_number_of_threads() {
    // A column in every row is summed by several threads, and there is more than one batch of chunks.
    let rows = 600_000;
    let view = |cols: usize, most: usize, seed: u64| crate::testing::zipf_rows(rows, cols, most, seed);
    let views = [view(40, 12, 1), view(30, 9, 2)];
    let pair = in_memory(&views);
    let columns = [(0..40u32).step_by(2).collect::<Vec<_>>(), vec![0, 3, 29]];
    let grams = [1, 2, 32].map(|threads| {
        on_threads(threads, || pair.block_gram([&columns[0], &columns[1]], None, u64::MAX).unwrap())
    });
    assert!(grams.iter().all(|gram| gram == &grams[0]));
    let all = pair.dense_gram(None, u64::MAX).unwrap();
    let index: Vec<usize> =
        columns[0].iter().map(|&j| j as usize).chain(columns[1].iter().map(|&j| 40 + j as usize)).collect();
    for j in 0..index.len() {
        assert!((j..index.len()).all(|i| grams[0][(i, j)] == all[(index[i], index[j])]));
    }
}

#[test]
fn a_block_that_does_not_fit_is_refused() {
    let pair = in_memory(&small_views());
    for pair in [&pair as &dyn Pair, &pair.joint_gram(u64::MAX).unwrap()] {
        let refused = pair.capabilities().require_blocks().unwrap().block_gram([&[0], &[1]], None, 8);
        assert!(matches!(refused, Err(crate::Error::Memory { .. })));
    }
}

#[test]
#[should_panic(expected = "the chosen columns of Y do not ascend")]
fn chosen_columns_that_do_not_ascend_are_a_broken_contract() {
    let _ = in_memory(&small_views()).block_gram([&[0, 1], &[1, 0]], None, u64::MAX);
}

#[test]
#[should_panic(expected = "rows of the panel against columns of X")]
fn a_panel_of_the_wrong_height_is_a_broken_contract() {
    let w = random_panel(3, 1, 0);
    let mut out = Panel::zeros(2, 1);
    let _ = in_memory(&small_views()).pass(&mut Ask::new().source(Side::X, &w).to(Side::X, &mut out));
}
