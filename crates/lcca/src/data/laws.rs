//! The laws of [`Pair`], written once and run on every implementation and wrapper.

use super::*;
use crate::matrix::{Matrix, Panel};
use crate::testing::{any_views, random_panel, relative_error, to_dense};
use faer::{Mat, MatRef};
use proptest::prelude::*;

/// All four products of one pass.
fn products(pair: &dyn Pair, wx: &Panel, wy: &Panel) -> [[Panel; 2]; 2] {
    let shape = pair.shape();
    let zero = |side: Side, w: &Panel| Panel::zeros(shape.cols(side), w.cols());
    let mut out = [[zero(Side::X, wx), zero(Side::X, wy)], [zero(Side::Y, wx), zero(Side::Y, wy)]];
    let [[xx, xy], [yx, yy]] = &mut out;
    let ask = Ask::new().source(Side::X, wx).to(Side::X, xx).to(Side::Y, yx);
    pair.pass(&mut ask.source(Side::Y, wy).to(Side::X, xy).to(Side::Y, yy)).unwrap();
    out
}

/// The same from dense matrices.
fn dense_products(x: &Mat<f64>, y: &Mat<f64>, wx: &Panel, wy: &Panel) -> [[Mat<f64>; 2]; 2] {
    let (zx, zy) = (x * wx.as_mat(), y * wy.as_mat());
    [[x.transpose() * &zx, x.transpose() * &zy], [y.transpose() * &zx, y.transpose() * &zy]]
}

fn close(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> bool {
    (a - b).norm_max() <= 1e-10 * (1.0 + b.norm_max())
}

fn panels(shape: Shape, kx: usize, ky: usize, seed: u64) -> (Panel, Panel) {
    (random_panel(shape.x_cols, kx, seed), random_panel(shape.y_cols, ky, seed + 1))
}

/// Every law that can be checked against the dense views a pair stands for.
fn obeys_the_laws(pair: &dyn Pair, x: &Mat<f64>, y: &Mat<f64>, seed: u64) {
    assert_eq!(pair.shape(), Shape { rows: x.nrows(), x_cols: x.ncols(), y_cols: y.ncols() });
    let (kx, ky) = (1 + seed as usize % 5, 1 + seed as usize % 11);
    let (wx, wy) = panels(pair.shape(), kx, ky, seed);
    equals_the_dense_reference(pair, x, y, &wx, &wy);
    is_linear(pair, &wx, &wy, seed);
    is_symmetric(pair, seed);
    adds_to_what_is_there(pair, &wx);
    summaries_equal_the_dense_ones(pair, x, y);
    if let Some(joint) = pair.joint_gram(u64::MAX).unwrap() {
        equals_the_dense_reference(&joint, x, y, &wx, &wy);
    }
}

fn equals_the_dense_reference(pair: &dyn Pair, x: &Mat<f64>, y: &Mat<f64>, wx: &Panel, wy: &Panel) {
    let (got, expected) = (products(pair, wx, wy), dense_products(x, y, wx, wy));
    for (got, expected) in got.iter().flatten().zip(expected.iter().flatten()) {
        assert!(close(got.as_mat(), expected.as_ref()), "{got:?}\n{expected:?}");
    }
}

fn is_linear(pair: &dyn Pair, wx: &Panel, wy: &Panel, seed: u64) {
    let (vx, vy) = panels(pair.shape(), wx.cols(), wy.cols(), seed + 7);
    let add = |a: &Panel, b: &Panel| Panel::from_mat((a.as_mat() + 2.0 * b.as_mat()).as_ref());
    let together = products(pair, &add(wx, &vx), &add(wy, &vy));
    let (first, second) = (products(pair, wx, wy), products(pair, &vx, &vy));
    for ((sum, a), b) in together.iter().flatten().zip(first.iter().flatten()).zip(second.iter().flatten()) {
        assert!(close(sum.as_mat(), add(a, b).as_mat()));
    }
}

fn is_symmetric(pair: &dyn Pair, seed: u64) {
    let (ux, uy) = panels(pair.shape(), 3, 3, seed + 11);
    let (vx, vy) = panels(pair.shape(), 3, 3, seed + 13);
    let [[xx_v, xy_v], [_, yy_v]] = products(pair, &vx, &vy);
    let [[xx_u, _], [yx_u, yy_u]] = products(pair, &ux, &uy);
    for (left, a, right, b) in [(&ux, &xx_v, &vx, &xx_u), (&uy, &yy_v, &vy, &yy_u), (&ux, &xy_v, &vy, &yx_u)]
    {
        let (ab, ba) = (left.as_mat().transpose() * a.as_mat(), right.as_mat().transpose() * b.as_mat());
        assert!(close(ab.as_ref(), ba.transpose()));
    }
}

fn adds_to_what_is_there(pair: &dyn Pair, wx: &Panel) {
    let mut out = Panel::zeros(wx.rows(), wx.cols());
    pair.pass(&mut Ask::new().source(Side::X, wx).to(Side::X, &mut out)).unwrap();
    let once = out.clone();
    pair.pass(&mut Ask::new().source(Side::X, wx).to(Side::X, &mut out)).unwrap();
    assert!(close(out.as_mat(), (2.0 * once.as_mat()).as_ref()));
}

fn summaries_equal_the_dense_ones(pair: &dyn Pair, x: &Mat<f64>, y: &Mat<f64>) {
    for (side, view) in Side::BOTH.into_iter().zip([x, y]) {
        let gram = view.transpose() * view;
        assert!(close(pair.gram(side, u64::MAX).unwrap().dense().as_ref(), gram.as_ref()));
        let moments = pair.moments(side).unwrap();
        let scale = 1.0 + gram.norm_max();
        for j in 0..view.ncols() {
            assert!((moments.square[j] - gram[(j, j)]).abs() < 1e-10 * scale);
            let sum: f64 = (0..view.nrows()).map(|i| view[(i, j)]).sum();
            assert!((moments.sum[j] - sum).abs() < 1e-10 * scale);
        }
    }
    let lower = pair.dense_gram(None, u64::MAX).unwrap();
    let both = Mat::from_fn(x.nrows(), x.ncols() + y.ncols(), |i, j| {
        if j < x.ncols() { x[(i, j)] } else { y[(i, j - x.ncols())] }
    });
    let gram = both.transpose() * &both;
    let lower =
        Mat::from_fn(gram.nrows(), gram.ncols(), |i, j| if i >= j { lower[(i, j)] } else { lower[(j, i)] });
    assert!(close(lower.as_ref(), gram.as_ref()));
    // Gram matrices have no rows to factorise.
    let Ok(triangle) = pair.triangle(u64::MAX) else { return };
    let (rx, ry) = (triangle.x(), triangle.y());
    for (a, b, left, right) in [(rx, rx, x, x), (rx, ry, x, y), (ry, ry, y, y)] {
        assert!(close((a.transpose() * b).as_ref(), (left.transpose() * right).as_ref()));
    }
}

/// The views as the rows of a pair without structure, each row times the root of its weight.
fn scaled(view: &Matrix, weights: &[f64]) -> Mat<f64> {
    let dense = to_dense(view);
    Mat::from_fn(dense.nrows(), dense.ncols(), |i, j| weights[i].sqrt() * dense[(i, j)])
}

fn centred(dense: &Mat<f64>) -> Mat<f64> {
    let n = dense.nrows() as f64;
    let mean = |j: usize| (0..dense.nrows()).map(|i| dense[(i, j)]).sum::<f64>() / n;
    let means: Vec<f64> = (0..dense.ncols()).map(mean).collect();
    Mat::from_fn(dense.nrows(), dense.ncols(), |i, j| dense[(i, j)] - means[j])
}

fn in_memory(views: &[Matrix; 2]) -> InMemory {
    InMemory::new(views[0].clone(), views[1].clone()).unwrap()
}

fn on_threads<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

/// The rows cut at two places.
fn shards(views: &[Matrix; 2], cuts: [usize; 2]) -> Shards {
    let rows = views[0].rows();
    let mut edges = [0, cuts[0] % (rows + 1), cuts[1] % (rows + 1), rows];
    edges.sort_unstable();
    let pieces = edges.windows(2).filter(|e| e[0] < e[1]);
    let pair = |e: &[usize]| InMemory::new(views[0].slice(e[0]..e[1]), views[1].slice(e[0]..e[1])).unwrap();
    Shards::new(pieces.map(|e| Box::new(pair(e)) as Box<dyn Pair>).collect()).unwrap()
}

/// The same cuts, for a pass over all pieces at once.
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
    fn pieces_at_hand_are_one_pair(views in any_views(), cuts: [usize; 2], threads in 1usize..5, seed in 0u64..100) {
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
    fn centring_equals_explicitly_centred_data(views in any_views(), cuts: [usize; 2], seed in 0u64..100) {
        let [x, y] = views.each_ref().map(to_dense).map(|dense| centred(&dense));
        obeys_the_laws(&Centred::new(&in_memory(&views)).unwrap(), &x, &y, seed);
        obeys_the_laws(&Centred::new(&shards(&views, cuts)).unwrap(), &x, &y, seed);
    }

    #[test]
    fn a_weighted_row_counts_as_that_many_rows(views in any_views(), seed in 0u64..100) {
        let rows = views[0].rows();
        let times: Vec<usize> = (0..rows).map(|i| (i + seed as usize) % 3).chain([1]).take(rows).collect();
        prop_assume!(times.iter().sum::<usize>() > 0);
        let weights: Vec<f64> = times.iter().map(|&t| t as f64).collect();
        let weighted = in_memory(&views).weighted(weights.clone().into()).unwrap();
        let (wx, wy) = panels(weighted.shape(), 3, 2, seed);
        let [x, y] = views.each_ref().map(|view| scaled(view, &weights));
        equals_the_dense_reference(&weighted, &x, &y, &wx, &wy);
        is_linear(&weighted, &wx, &wy, seed);
        is_symmetric(&weighted, seed);
        let repeated = views.each_ref().map(|view| {
            let dense = to_dense(view);
            let of: Vec<usize> = (0..rows).flat_map(|i| std::iter::repeat_n(i, times[i])).collect();
            centred(&Mat::from_fn(of.len(), dense.ncols(), |i, j| dense[(of[i], j)]))
        });
        let centred = Centred::new(&weighted).unwrap();
        equals_the_dense_reference(&centred, &repeated[0], &repeated[1], &wx, &wy);
        summaries_equal_the_dense_ones(&centred, &repeated[0], &repeated[1]);
    }

    #[test]
    fn gram_matrices_stand_for_the_rows(views in any_views(), cuts: [usize; 2], seed in 0u64..100) {
        let [x, y] = views.each_ref().map(to_dense);
        for pair in [&in_memory(&views) as &dyn Pair, &shards(&views, cuts)] {
            let Some(joint) = pair.joint_gram(u64::MAX).unwrap() else { continue };
            obeys_the_laws(&joint, &x, &y, seed);
            let [x, y] = [&x, &y].map(centred);
            obeys_the_laws(&Centred::new(&joint).unwrap(), &x, &y, seed);
        }
    }

    #[test]
    fn counting_and_remembering_change_nothing(views in any_views(), seed in 0u64..100) {
        let [x, y] = views.each_ref().map(to_dense);
        let pair = in_memory(&views);
        obeys_the_laws(&Remembering::new(&pair), &x, &y, seed);
        obeys_the_laws(&Counting::rows(&pair, &Tally::default(), &()), &x, &y, seed);
    }
}

#[test]
fn the_counter_counts_passes_and_columns() {
    let views = [[0u32, 1, 1], [1, 0, 1]]
        .map(|c| crate::matrix::OneHotRows::new(2, c.to_vec().into()).unwrap().into());
    let pair = in_memory(&views);
    let tally = Tally::default();
    let counting = Counting::rows(&pair, &tally, &());
    let w = random_panel(2, 4, 0);
    products(&counting, &w, &w);
    assert_eq!(counting.cost(), Cost { passes: 1.0, gram_passes: 0.0, columns: 12.0 });
    let mut out = Panel::zeros(2, 4);
    counting.pass(&mut Ask::new().source(Side::Y, &w).to(Side::Y, &mut out)).unwrap();
    assert_eq!(counting.cost(), Cost { passes: 1.5, gram_passes: 0.0, columns: 16.0 });
    products(&Counting::grams(&pair, &tally, &()), &w, &w);
    assert_eq!(counting.cost(), Cost { passes: 1.5, gram_passes: 1.0, columns: 28.0 });
}

#[test]
fn the_same_thread_count_gives_the_same_bits() {
    let views = [30, 20]
        .map(|cols| crate::testing::from_dense(crate::testing::random_mat(500, cols, cols as u64).as_ref()));
    let pair = in_memory(&views);
    let (wx, wy) = panels(pair.shape(), 9, 9, 3);
    for threads in 1..4 {
        let runs: Vec<_> = (0..3).map(|_| on_threads(threads, || products(&pair, &wx, &wy))).collect();
        assert!(runs.iter().all(|run| run == &runs[0]));
    }
    let (one, three) =
        (on_threads(1, || products(&pair, &wx, &wy)), on_threads(3, || products(&pair, &wx, &wy)));
    assert!(
        one.iter()
            .flatten()
            .zip(three.iter().flatten())
            .all(|(a, b)| relative_error(a.as_mat(), b.as_mat()) < 1e-14)
    );
}

#[test]
fn a_mean_of_a_thousand_deviations_costs_six_digits_at_most() {
    let noise = crate::testing::random_mat(300, 5, 1);
    let far = Mat::from_fn(300, 5, |i, j| noise[(i, j)] + 1e3);
    let views = [crate::testing::from_dense(far.as_ref()), crate::testing::from_dense(noise.as_ref())];
    let pair = in_memory(&views);
    let centred_pair = Centred::new(&pair).unwrap();
    let (wx, wy) = panels(pair.shape(), 2, 2, 5);
    let got = products(&centred_pair, &wx, &wy);
    let expected = dense_products(&centred(&noise), &centred(&noise), &wx, &wy);
    for (got, expected) in got.iter().flatten().zip(expected.iter().flatten()) {
        assert!(relative_error(got.as_mat(), expected.as_ref()) < 1e-9);
    }
}

#[test]
#[should_panic(expected = "rows of the panel against columns of X")]
fn a_panel_of_the_wrong_height_is_a_broken_contract() {
    let views =
        [[0u32, 1], [1, 0]].map(|c| crate::matrix::OneHotRows::new(2, c.to_vec().into()).unwrap().into());
    let w = random_panel(3, 1, 0);
    let mut out = Panel::zeros(2, 1);
    let _ = in_memory(&views).pass(&mut Ask::new().source(Side::X, &w).to(Side::X, &mut out));
}
