//! A fit that was stopped can be resumed.

use crate::data::Cost;
use crate::fit::tests::shapes::single_precision;
use crate::fit::tests::*;
use crate::fit::{Checkpoint, Loop, TraceRow, Watch, resume};
use crate::matrix::{Matrix, OneHotRows, SparseRows, Values};
use crate::method::Metric;
use crate::testing::{random_mat, sparse_from_dense};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Stops the fit in the first pass after an iteration and keeps the state of that iteration.
struct StopAfter {
    iteration: usize,
    reached: AtomicBool,
    state: Mutex<Option<Checkpoint>>,
}

impl StopAfter {
    fn new(iteration: usize) -> Self {
        StopAfter { iteration, reached: AtomicBool::new(false), state: Mutex::new(None) }
    }
}

impl Watch for StopAfter {
    fn pass(&self, _: Cost) -> ControlFlow<()> {
        if self.reached.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn iteration(&self, row: &TraceRow) {
        self.reached.fetch_or(row.iteration == self.iteration, Relaxed);
    }

    fn wants_checkpoint(&self, _: usize, last: bool) -> bool {
        last
    }

    fn checkpoint(&self, state: Checkpoint) {
        *self.state.lock().unwrap() = Some(state);
    }
}

/// Stops the fit in any pass, for whichever purpose, and keeps the last state that was offered.
struct StopInPass {
    passes_left: AtomicUsize,
    iterations: AtomicUsize,
    last: Mutex<Cost>,
    /// Whether the fit was stopped while it formed a block for the preconditioner, which costs nothing on
    /// Gram matrices.
    forms_block: AtomicBool,
    /// Passes since the last iteration that cost something. The first of them advances.
    spent: AtomicUsize,
    state: Mutex<Option<Checkpoint>>,
}

impl StopInPass {
    fn new(pass: usize) -> Self {
        StopInPass {
            passes_left: AtomicUsize::new(pass),
            iterations: AtomicUsize::new(0),
            last: Mutex::new(Cost::default()),
            forms_block: AtomicBool::new(false),
            spent: AtomicUsize::new(0),
            state: Mutex::new(None),
        }
    }
}

impl Watch for StopInPass {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        let left = self.passes_left.load(Relaxed);
        let last = std::mem::replace(&mut *self.last.lock().unwrap(), cost);
        self.forms_block.store(last == cost && self.iterations.load(Relaxed) > 0, Relaxed);
        self.passes_left.store(left.saturating_sub(1), Relaxed);
        self.spent.fetch_add(usize::from(last != cost), Relaxed);
        if left <= 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn iteration(&self, _: &TraceRow) {
        self.iterations.fetch_add(1, Relaxed);
        self.spent.store(0, Relaxed);
    }

    fn wants_checkpoint(&self, _: usize, last: bool) -> bool {
        last
    }

    fn checkpoint(&self, state: Checkpoint) {
        *self.state.lock().unwrap() = Some(state);
    }
}

/// The passes in which a fit is stopped, each by a fit of its own.
enum Passes {
    All,
    Last(usize),
}

/// Counts the passes that do not advance in which a fit was stopped.
#[derive(Default)]
struct Stopped {
    /// The passes that form a block for the preconditioner.
    blocks: usize,
    /// The passes that measure an iteration's result again.
    measured_again: usize,
}

/// Stops fits in passes, and asserts that no finished iteration is lost and that the last state leads to
/// the same end. Passes do more than advance: some try the preconditioner, measure in double precision the
/// weights that were found in single, or form products afresh.
fn keeps_every_iteration_in_passes(tried: Passes, pair: &dyn Pair, settings: &Settings) -> (Fit, Stopped) {
    let never = StopInPass::new(usize::MAX);
    let whole = fit(pair, settings, &never).unwrap();
    let passes = usize::MAX - never.passes_left.into_inner();
    let first = match tried {
        Passes::All => 1,
        Passes::Last(count) => passes.saturating_sub(count) + 1,
    };
    let (mut last, mut stopped) = (None, Stopped::default());
    for pass in first..=passes {
        let stop = StopInPass::new(pass);
        assert!(matches!(fit(pair, settings, &stop), Err(crate::Error::Interrupted)), "pass {pass}");
        let (iterations, state) = (stop.iterations.into_inner(), stop.state.into_inner().unwrap());
        let found = state.as_ref().map_or(0, |state| state.trace.len());
        assert_eq!(found, iterations, "stopped in pass {pass}");
        let (forms_block, spent) = (stop.forms_block.into_inner(), stop.spent.into_inner());
        stopped.blocks += usize::from(forms_block);
        stopped.measured_again += usize::from(!forms_block && iterations > 0 && spent > 1);
        last = state;
    }
    let resumed = resume(last.unwrap(), pair, settings, &()).unwrap();
    assert!(resumed.converged);
    assert!(gap(&resumed.model.objective, &whole.model.objective) < 10.0 * settings.tol);
    (whole, stopped)
}

#[test]
fn no_iteration_is_lost_in_whatever_pass_a_fit_is_stopped() {
    let settings = Settings { tol: 1e-3, structure: false, ..Settings::new(Method::lobpcg(), 4) };
    keeps_every_iteration_in_passes(Passes::All, &topics(), &settings);
    // These begin in single precision, and their weights are then measured in double precision.
    let settings = Settings { ridge_x: 0.1, ridge_y: 0.1, ..Settings::new(Method::lobpcg(), 8) };
    let pair = single_precision::topics(30_000);
    let (whole, stopped) = keeps_every_iteration_in_passes(Passes::Last(4), &pair, &settings);
    assert!(decided(&whole, |decision| matches!(decision, Decision::SinglePrecisionFirst { .. })));
    assert!(stopped.measured_again > 0);
    // Where covariances are maximized, the block of the preconditioner is formed again before convergence is
    // claimed.
    let settings = Settings { metric_x: Metric::Pls, ridge_x: 0.0, ..settings };
    let (_, stopped) = keeps_every_iteration_in_passes(Passes::Last(4), &pair, &settings);
    assert!(stopped.blocks > 0);
    for (pair, method) in [(one_hot_pair(), Method::lobpcg()), (tall_pair(), Method::shift_invert())] {
        let settings = Settings { tol: 1e-6, ..Settings::new(method, 4) };
        keeps_every_iteration_in_passes(Passes::All, &pair, &settings);
    }
}

/// The state of a fit that was stopped after an iteration.
fn stopped_after(iteration: usize, pair: &dyn Pair, settings: &Settings) -> Checkpoint {
    let stop = StopAfter::new(iteration);
    let outcome = fit(pair, settings, &stop);
    assert!(matches!(outcome, Err(crate::Error::Interrupted)), "iteration {iteration}");
    stop.state.into_inner().unwrap().unwrap()
}

/// Sparse views with slowly falling correlations.
fn sparse_pair() -> InMemory {
    let hidden = random_mat(500, 12, 1);
    let view = |cols: usize, seed: u64| {
        let (mix, noise) = (random_mat(12, cols, seed), random_mat(500, cols, seed + 1));
        let dense = &hidden * mix + noise * 3.0;
        let sparse = Mat::from_fn(500, cols, |i, j| if dense[(i, j)] > 2.0 { dense[(i, j)] } else { 0.0 });
        sparse_from_dense(sparse.as_ref())
    };
    InMemory::new(view(60, 2), view(45, 4)).unwrap()
}

/// A one-hot X and a sparse Y.
fn one_hot_pair() -> InMemory {
    let column = |i: usize| ((i * i + i / 3) % 61) as u32;
    let x: Matrix = OneHotRows::new(61, (0..900).map(column).collect::<Vec<_>>().into()).unwrap().into();
    let noise = random_mat(900, 40, 9);
    let related = |i: usize, j: usize| noise[(i, j)] > 1.0 || (column(i) as usize * 7).is_multiple_of(j + 3);
    let y = Mat::from_fn(900, 40, |i, j| f64::from(related(i, j)));
    InMemory::new(x, sparse_from_dense(y.as_ref())).unwrap()
}

/// Asserts that a fit stopped after any iteration and resumed takes the same path to the same end, and that
/// its costs add up.
fn resumes_from_every_iteration(pair: &dyn Pair, settings: &Settings, algorithm: Loop) {
    let whole = fit(pair, settings, &()).unwrap();
    assert!(whole.trace.len() > 3, "{algorithm}: {} iterations are too few for this test", whole.trace.len());
    for iteration in 1..=whole.trace.len() {
        let state = stopped_after(iteration, pair, settings);
        assert_eq!((state.algorithm, state.trace.len()), (algorithm, iteration));
        assert_eq!(state.trace, whole.trace[..iteration], "{algorithm}");
        let spent = state.cost;
        let end = resume(state, pair, settings, &()).unwrap();
        let case = format!("{algorithm}, stopped after iteration {iteration} of {}", whole.trace.len());
        assert!(gap(&end.model.objective, &whole.model.objective) < 1e-9, "{case}");
        assert_eq!(end.converged, whole.converged, "{case}");
        assert!(end.trace.len().abs_diff(whole.trace.len()) <= 1, "{case}: {} iterations", end.trace.len());
        for (i, (a, b)) in end.trace.iter().zip(&whole.trace).enumerate() {
            assert!(a.iteration == i + 1 && (a.total - b.total).abs() < 1e-7, "{case}: {a:?} {b:?}");
        }
        let passes = |row: &TraceRow| row.passes + row.gram_passes;
        assert!(end.trace.windows(2).all(|rows| passes(&rows[0]) < passes(&rows[1])), "{case}");
        assert!(end.cost.passes > spent.passes && end.cost.columns > spent.columns, "{case}");
        assert!(end.cost.passes >= whole.cost.passes, "{case}");
        assert!(end.cost.gram_passes >= whole.cost.gram_passes, "{case}");
    }
}

#[test]
fn lobpcg_resumes_from_every_iteration() {
    for (center, ridge) in [(true, 0.0), (false, 0.1)] {
        let settings = Settings {
            center,
            ridge_x: ridge,
            ridge_y: ridge,
            tol: 1e-12,
            structure: false,
            ..Settings::new(Method::lobpcg(), 5)
        };
        resumes_from_every_iteration(&sparse_pair(), &settings, Loop::Lobpcg);
    }
}

/// Sparse rows that share one of seven topics with their partner. The correlations beyond the topics fall so
/// slowly that the blocks of LOBPCG become nearly dependent.
fn topics() -> InMemory {
    let mut state = 3u64;
    let mut below = |limit: u64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    };
    let (sizes, mut views) = ([900u64, 700], [(vec![0u64], vec![], vec![]), (vec![0], vec![], vec![])]);
    for _ in 0..20_000 {
        let topic = below(7);
        for ((ends, columns, values), &cols) in views.iter_mut().zip(&sizes) {
            let mut row = vec![(topic * 5 + below(3)) % cols, below(cols), below(cols)];
            row.sort_unstable();
            row.dedup();
            for column in row {
                columns.push(column as u32);
                values.push((1 + below(12)) as f64 / 4.0);
            }
            ends.push(columns.len() as u64);
        }
    }
    let [x, y] = [0, 1].map(|view| -> Matrix {
        let (ends, columns, values) = std::mem::take(&mut views[view]);
        let values = Values::F64(values.into());
        SparseRows::new(sizes[view] as usize, ends.into(), columns.into(), values).unwrap().into()
    });
    InMemory::new(x, y).unwrap()
}

/// Small products that are carried along lose their digits if the blocks of LOBPCG are nearly dependent.
/// When totals rise above the truth then depends on rounding, and so on where a fit is interrupted.
#[test]
fn rounding_that_differs_after_each_interruption_does_not_change_the_course() {
    let settings = Settings { tol: 1e-9, structure: false, ..Settings::new(Method::lobpcg(), 12) };
    // Rounding is the same on every machine if one thread adds everything up.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let pair = topics();
        let whole = fit(&pair, &settings, &()).unwrap();
        for stops in [[8, 12, 16], [8, 10, 19], [12, 22, 25]] {
            let mut state = stopped_after(stops[0], &pair, &settings);
            for &iteration in &stops[1..] {
                let stop = StopAfter::new(iteration);
                resume(state, &pair, &settings, &stop).unwrap_err();
                state = stop.state.into_inner().unwrap().unwrap();
            }
            let end = resume(state, &pair, &settings, &()).unwrap();
            assert!(end.converged && end.trace.len().abs_diff(whole.trace.len()) <= 1, "{:?}", end.trace);
            let last = end.trace.last().unwrap().total;
            assert!(end.trace.iter().all(|row| row.total < last + 1e-9), "{:?}", end.trace);
        }
    });
}

/// Sparse views of many rows and few columns, for which passes over Gram matrices are cheaper.
pub(in crate::fit::tests) fn tall_pair() -> InMemory {
    let hidden = random_mat(6000, 8, 1);
    let view = |cols: usize, seed: u64| {
        let (mix, noise) = (random_mat(8, cols, seed), random_mat(6000, cols, seed + 1));
        let dense = &hidden * mix + noise * 3.0;
        let sparse = Mat::from_fn(6000, cols, |i, j| f64::from(dense[(i, j)] > 5.0));
        sparse_from_dense(sparse.as_ref())
    };
    InMemory::new(view(40, 2), view(30, 4)).unwrap()
}

#[test]
fn gram_mode_resumes_from_every_iteration() {
    let pair = tall_pair();
    for (method, center) in
        [(Method::lobpcg(), true), (Method::lobpcg(), false), (Method::shift_invert(), true)]
    {
        let settings = Settings { center, tol: 1e-12, ..Settings::new(method, 4) };
        assert!(fit(&pair, &settings, &()).unwrap().cost.gram_passes > 3.0, "must iterate on Gram matrices");
        resumes_from_every_iteration(&pair, &settings, Loop::Lobpcg);
    }
}

/// A resumed fit forms the Gram matrices again, which takes one pass over the rows, and the products of the
/// weights and of the last step, which takes one over the Gram matrices.
#[test]
fn resuming_in_gram_mode_costs_one_pass_over_the_rows_and_one_over_gram_matrices() {
    let settings = Settings { tol: 1e-12, ..Settings::new(Method::lobpcg(), 4) };
    let whole = fit(&tall_pair(), &settings, &()).unwrap();
    let mut state = stopped_after(5, &tall_pair(), &settings);
    // The interrupted pass is lost too, but it is no cost of resuming.
    state.cost.gram_passes -= 1.0;
    let end = resume(state, &tall_pair(), &settings, &()).unwrap();
    assert_eq!(end.trace.len(), whole.trace.len());
    assert_eq!(end.cost.passes, whole.cost.passes + 1.0);
    assert_eq!(end.cost.gram_passes, whole.cost.gram_passes + 1.0);
}

/// A resumed fit may be allowed more or less memory, which decides between the rows and their Gram matrices.
#[test]
fn a_fit_may_resume_from_rows_to_gram_matrices_and_back() {
    let [rows, grams] = [false, true].map(|structure| Settings {
        tol: 1e-12,
        structure,
        ..Settings::new(Method::lobpcg(), 4)
    });
    let truth = fit(&tall_pair(), &Settings::new(Method::exact(), 4), &()).unwrap().model.objective;
    for (first, second) in [(&rows, &grams), (&grams, &rows)] {
        let end = resume(stopped_after(5, &tall_pair(), first), &tall_pair(), second, &()).unwrap();
        assert!(end.converged && gap(&end.model.objective, &truth) < 1e-9);
        assert!(end.cost.gram_passes > 0.0 && end.cost.passes > 1.0);
    }
}

#[test]
fn lobpcg_with_one_view_eliminated_resumes_from_every_iteration() {
    let settings = Settings { tol: 1e-7, ..Settings::new(Method::lobpcg(), 4) };
    resumes_from_every_iteration(&one_hot_pair(), &settings, Loop::Eliminate);
}

#[test]
fn alternating_methods_resume_from_every_iteration() {
    for method in
        [Method::als(6), als_by_cg(5), Method::d_cca(8), Method::g_cca(4, 3), Method::l_cca(5, 4, 10)]
    {
        resumes_from_every_iteration(&sparse_pair(), &Settings::new(method, 5), Loop::Alternate);
    }
}

#[test]
fn resuming_costs_one_pass() {
    let settings = Settings { tol: 1e-12, structure: false, ..Settings::new(Method::lobpcg(), 5) };
    let whole = fit(&sparse_pair(), &settings, &()).unwrap();
    let mut state = stopped_after(7, &sparse_pair(), &settings);
    // The interrupted pass is lost too, but it is no cost of resuming.
    state.cost.passes -= 1.0;
    let end = resume(state, &sparse_pair(), &settings, &()).unwrap();
    // Rounding decides how the last iterations of either fit go.
    assert_eq!(end.trace[8].passes, whole.trace[8].passes + 1.0);
}

#[test]
fn a_fit_that_was_cut_short_resumes_with_more_passes() {
    for (pair, method) in [
        (sparse_pair(), Method::lobpcg()),
        (tall_pair(), Method::lobpcg()),
        (one_hot_pair(), Method::lobpcg()),
        (sparse_pair(), Method::d_cca(9)),
    ] {
        let whole = Settings { tol: 1e-10, ..Settings::new(method, 4) };
        let short = Settings { max_passes: Some(4.0), ..whole.clone() };
        let stop = StopAfter::new(usize::MAX);
        let cut = fit(&pair, &short, &stop).unwrap();
        let state = stop.state.into_inner().unwrap().unwrap();
        let again = resume(state.clone(), &pair, &short, &()).unwrap();
        assert_eq!(again.trace.len(), cut.trace.len(), "no passes are left, so there is no iteration");
        assert!(gap(&again.model.objective, &cut.model.objective) < 1e-10);
        let end = resume(state, &pair, &whole, &()).unwrap();
        let truth = fit(&pair, &whole, &()).unwrap();
        assert!(end.trace.len() > cut.trace.len());
        assert!(gap(&end.model.objective, &truth.model.objective) < 1e-9);
    }
}

#[test]
fn more_iterations_may_be_requested_and_fewer_are_refused() {
    let settings = |t1: usize| Settings::new(Method::d_cca(t1), 4);
    let state = stopped_after(6, &sparse_pair(), &settings(6));
    let end = resume(state.clone(), &sparse_pair(), &settings(10), &()).unwrap();
    let whole = fit(&sparse_pair(), &settings(10), &()).unwrap();
    assert!(end.trace.len() == 10 && gap(&end.model.objective, &whole.model.objective) < 1e-9);
    let error = resume(state, &sparse_pair(), &settings(5), &()).unwrap_err().to_string();
    assert_eq!(error, "the checkpoint holds 6 iterations, expected at most the 5 of t1");
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let settings = Settings::new(Method::lobpcg(), 4);
    let state = stopped_after(2, &sparse_pair(), &settings);
    let refused = |state: Checkpoint, pair: &dyn Pair, method: Method, needle: &str| {
        let error = resume(state, pair, &Settings::new(method, 4), &()).unwrap_err().to_string();
        assert!(error.contains(needle), "{error}");
    };
    refused(state.clone(), &sparse_pair(), Method::exact(), "LOBPCG on both views, expected nothing");
    refused(state.clone(), &sparse_pair(), Method::d_cca(9), "expected alternating least squares");
    refused(state.clone(), &one_hot_pair(), Method::lobpcg(), "expected LOBPCG with one view eliminated");
    let (x, y) = (random_mat(50, 9, 1), random_mat(50, 9, 2));
    refused(
        state.clone(),
        &pair_of(&x, &y),
        Method::lobpcg(),
        "rows of the weights of X: expected 9, found 60",
    );
    let mut broken = state.clone();
    broken.weights[1].row_mut(3)[2] = f64::NAN;
    refused(broken, &sparse_pair(), Method::lobpcg(), "row 3, column 2: the value is NaN");
    let forgetful = Checkpoint { by_residuals: Vec::new(), ..state.clone() };
    refused(forgetful, &sparse_pair(), Method::lobpcg(), "one per total: expected 2, found 0");
    refused(Checkpoint { trace: Vec::new(), ..state }, &sparse_pair(), Method::lobpcg(), "no iteration");
}

/// Wants no state, and counts how often it was offered one and how often it received one.
#[derive(Default)]
struct Uninterested {
    offered: AtomicUsize,
    received: AtomicUsize,
}

impl Watch for Uninterested {
    fn wants_checkpoint(&self, _: usize, _: bool) -> bool {
        self.offered.fetch_add(1, Relaxed);
        false
    }

    fn checkpoint(&self, _: Checkpoint) {
        self.received.fetch_add(1, Relaxed);
    }
}

#[test]
fn the_state_is_offered_after_every_iteration_and_copied_only_if_it_is_wanted() {
    for method in [Method::lobpcg(), Method::d_cca(5)] {
        let watch = Uninterested::default();
        let fit = fit(&sparse_pair(), &Settings::new(method, 4), &watch).unwrap();
        assert_eq!((watch.offered.into_inner(), watch.received.into_inner()), (fit.trace.len(), 0));
    }
}
