//! Alternating least squares by conjugate gradients gives the answer of Cholesky, and a warm start saves
//! passes.

use crate::data::{Counting, Normal, Side, Tally};
use crate::fit::pairs::view_block::ViewBlock;
use crate::fit::paper::alternate::step;
use crate::fit::tests::*;
use crate::matrix::Panel;
use crate::solve::{Cg, LeastSquares, Solved};
use crate::testing::{random_mat, random_panel, sparse_from_dense, with_correlations};

/// Correlated views whose last columns are empty, a copy, constant and a sum of others.
fn awkward(seed: u64) -> (Mat<f64>, Mat<f64>) {
    let (x, y) = with_correlations(300, &[0.9, 0.8, 0.6, 0.5, 0.3, 0.1], seed);
    let more = |view: &Mat<f64>| {
        Mat::from_fn(300, 10, |i, j| match j {
            0..6 => view[(i, j)],
            6 => 0.0,
            7 => view[(i, 1)],
            8 => 2.5,
            _ => view[(i, 0)] - 2.0 * view[(i, 3)],
        })
    };
    (more(&x), more(&y))
}

#[test]
fn conjugate_gradients_give_the_answer_of_cholesky() {
    let (x, y) = awkward(51);
    let weights: Vec<f64> = (0..300).map(|i| 0.25 + (i % 7) as f64).collect();
    let sparse = InMemory::new(sparse_from_dense(x.as_ref()), sparse_from_dense(y.as_ref())).unwrap();
    for pair in [pair_of(&x, &y), pair_of(&x, &y).weighted(weights.into()).unwrap(), sparse] {
        for (center, ridge) in [(true, 0.0), (false, 0.0), (true, 0.01), (false, 1.0)] {
            for t1 in [3, 60] {
                let [a, b] = [Method::als(t1), als_by_cg(t1)].map(|method| {
                    let settings =
                        Settings { center, ridge_x: ridge, ridge_y: ridge, ..Settings::new(method, 3) };
                    fit(&pair, &Settings { tol: 1e-10, ..settings }, &()).unwrap().model
                });
                let case = format!("centered {center}, ridge {ridge}, t1 {t1}");
                assert!(
                    gap(&a.objective, &b.objective) < 1e-8,
                    "{case}: {:?} {:?}",
                    a.objective,
                    b.objective
                );
                assert!(gap(&a.correlations, &b.correlations) < 1e-7, "{case}");
            }
        }
    }
}

#[test]
fn at_the_default_tolerance_both_converge() {
    let (x, y) = with_correlations(400, &[0.9, 0.8, 0.6, 0.3], 52);
    let pair = pair_of(&x, &y);
    let [cholesky, cg] = [Method::als(60), als_by_cg(60)].map(|method| run(&pair, method, 2).unwrap());
    assert!(cholesky.converged && cg.converged);
    assert!(gap(&cholesky.model.objective, &cg.model.objective) < 1e-6);
}

#[test]
fn the_cap_on_steps_holds() {
    let (x, y) = awkward(53);
    let fit = run(&pair_of(&x, &y), als_by_cg(4).with("t2", 2).unwrap(), 3).unwrap();
    // One pass for the start, one per half iteration, at most two half passes per solve, and the last pass.
    assert!(fit.cost.passes <= 1.0 + 4.0 * 2.0 * (1.0 + 2.0 * 0.5) + 1.0, "{:?}", fit.cost);
}

/// Conjugate gradients that ignore their start.
struct Cold<'a>(Cg<'a>);

impl LeastSquares for Cold<'_> {
    fn solve(&self, rhs: &Panel, _start: Option<Solved>) -> Result<Solved> {
        self.0.solve(rhs, None)
    }
}

#[test]
fn starting_from_the_last_weights_saves_passes() {
    let hidden = random_mat(600, 5, 1);
    let view = |seed: u64| &hidden * random_mat(5, 60, seed) + random_mat(600, 60, seed + 1) * 2.0;
    let pair = pair_of(&view(2), &view(4));
    let passes = |warm: bool| {
        let tally = Tally::default();
        let counting = Counting::rows(&pair, &tally, &());
        let [x_normal, y_normal] = Side::BOTH.map(|side| Normal::absolute(&counting, side, 0.0));
        let solver = |normal| -> Box<dyn LeastSquares> {
            let cg = Cg::new(normal, 500, 1e-6).unwrap();
            if warm { Box::new(cg) } else { Box::new(Cold(cg)) }
        };
        let (solve_x, solve_y) = (solver(x_normal), solver(y_normal));
        let mut x = ViewBlock::measure(x_normal, random_panel(60, 5, 6)).unwrap();
        x.whiten().unwrap();
        let mut y: Option<ViewBlock> = None;
        for _ in 0..15 {
            let next = step(y_normal, &*solve_y, &x, y.as_ref()).unwrap();
            x = step(x_normal, &*solve_x, &next, Some(&x)).unwrap();
            y = Some(next);
        }
        counting.cost().passes
    };
    let (warm, cold) = (passes(true), passes(false));
    assert!(warm < 0.75 * cold, "{warm} {cold}");
}
