//! Dense and sparse proofs of the same claims, against the truth.

use super::*;
use crate::data::{Centered, Counting, InMemory, JointGrams, Tally};
use crate::fit::dense::gram::gram;
use crate::fit::pairs::eigenproblem::ViewPanels;
use crate::matrix::Matrix;
use crate::method::{Method, Settings};
use crate::solve::{Plan, shifted};
use crate::space::{Host, Space};
use crate::testing::{random_panel, zipf_rows};

const K: usize = 5;

/// Settings, the two views of some rows, and weights of the rows.
struct Case {
    settings: Settings,
    pair: InMemory,
}

impl Case {
    fn new(views: [Matrix; 2], center: bool, ridge: f64, is_weighted: bool) -> Self {
        let rows = views[0].rows();
        let [x, y] = views;
        let pair = InMemory::new(x, y).unwrap();
        let weights: Vec<f64> = (0..rows).map(|row| 0.5 + (row % 7) as f64).collect();
        let pair = if is_weighted { pair.weighted(weights.into()).unwrap() } else { pair };
        let settings = Settings::new(Method::lobpcg(), K);
        Case { settings: Settings { ridge_x: ridge, ridge_y: ridge, center, ..settings }, pair }
    }

    fn solve<T>(&self, look: impl FnOnce(&Problem<'_>) -> T) -> T {
        let joint = self.pair.joint_gram(u64::MAX).unwrap();
        let centered = Centered::new(&joint).unwrap();
        let means = centered.means().clone();
        let seen: &dyn Pair = if self.settings.center { &centered } else { &joint };
        let tally = Tally::default();
        let counting = Counting::grams(seen, &tally, &());
        look(&Problem {
            pair: &counting,
            normals: Problem::normals(&counting, &self.settings, [1.0; 2]).unwrap(),
            units: [1.0; 2],
            joint: Some(&joint),
            means: Some(&means).filter(|_| self.settings.center),
            along: None,
            space: &Host,
            settings: &self.settings,
            watch: &(),
            keeps_weights: false,
        })
    }
}

/// Pairs with their products, their residuals and their values by Rayleigh's quotient.
fn pairs(problem: &Problem<'_>, weights: Vec<Panel>) -> (Block, Block, Vec<f64>) {
    let shape = problem.pair.shape();
    let mut w = Block::unmeasured(problem.space, weights, &[shape.y_cols, shape.x_cols]).unwrap();
    measure(problem, &mut w).unwrap();
    let host = |panel: &Tall| problem.space.download(panel).unwrap();
    let [x, y] = &w.views[..] else { unreachable!() };
    let lengths = [x, y].map(|view| panels::column_dots(&host(&view.w), &host(&view.bw)));
    let across = panels::column_dots(&host(&x.w), &host(&y.image));
    let theta: Vec<f64> =
        (0..across.len()).map(|i| 2.0 * across[i] / (lengths[0][i] + lengths[1][i])).collect();
    let residual = |own: &ViewPanels, other: &ViewPanels| {
        let mut out = Panel::zeros(own.w.rows(), own.w.cols());
        panels::difference_into(&mut out, &host(&other.image), &theta, &host(&own.bw));
        let empty = || Host.zeros(0, 0).unwrap();
        ViewPanels { w: Host.upload(out).unwrap(), bw: empty(), image: empty() }
    };
    let r = Block { views: vec![residual(x, y), residual(y, x)] };
    (w, r, theta)
}

/// More of the exact pairs of a problem than are wanted.
fn exact(problem: &Problem<'_>) -> (Vec<Panel>, Vec<f64>) {
    let settings = Settings { k: 2 * K, ..problem.settings.clone() };
    let raw = gram(&Problem { settings: &settings, ..*problem }).unwrap().unwrap();
    let (_, _, theta) = pairs(problem, raw.weights.to_vec());
    (raw.weights.to_vec(), theta)
}

fn sparse(problem: &Problem<'_>) -> Route {
    let matrix = shifted(problem.joint.unwrap(), problem.ridges());
    Route::Sparse(Box::new(Plan::in_supernodes(&matrix).unwrap()))
}

fn all_cases() -> Vec<(String, Case)> {
    let mut cases = Vec::new();
    for (center, ridge, is_weighted, seed) in [
        (true, 0.01, false, 1),
        (false, 0.01, false, 2),
        (true, 1e-4, true, 3),
        (false, 1.0, true, 4),
        (true, 0.0, false, 5),
    ] {
        let views = [zipf_rows(600, 70, 6, seed), zipf_rows(600, 50, 5, seed + 10)];
        let name = format!("centered {center}, ridge {ridge}, weighted {is_weighted}");
        cases.push((name, Case::new(views, center, ridge, is_weighted)));
    }
    cases
}

/// The values of some directions by Rayleigh's quotient, the largest first.
fn values_of(problem: &Problem<'_>, directions: &[Panel; 2]) -> Vec<f64> {
    pairs(problem, directions.to_vec()).2
}

#[test]
fn pairs_that_are_the_best_are_proven_and_others_refuted() {
    for (name, case) in all_cases() {
        case.solve(|problem| {
            let (weights, theta) = exact(problem);
            for left_out in [K, 0, 2, K - 1] {
                let kept: Vec<usize> = (0..=K).filter(|&i| i != left_out).collect();
                let chosen = weights.iter().map(|panel| panels::select(panel, &kept)).collect();
                let (w, r, found) = pairs(problem, chosen);
                for route in [Route::Dense, sparse(problem)] {
                    match prove(problem, &route, &w, &r, &found).unwrap() {
                        Finding::Proven(proof) => {
                            assert_eq!(left_out, K, "{name}");
                            let above = theta.iter().filter(|&&value| value > proof.value).count();
                            assert!(above <= proof.exceeding, "{name}");
                            let allowed = 1e-4 * found.iter().sum::<f64>();
                            assert!((0.0..allowed).contains(&proof.missing), "{name}: {}", proof.missing);
                        }
                        Finding::Refuted(directions) => {
                            assert_ne!(left_out, K, "{name}");
                            let best = values_of(problem, &directions)[0];
                            let sigma = found[K - 1];
                            assert!(best > sigma && best <= theta[0] + 1e-9, "{name}: {best} {sigma}");
                        }
                        Finding::Open => panic!("{name} without {left_out}"),
                    }
                }
            }
        });
    }
}

#[test]
fn what_is_missing_is_never_more_than_a_proof_says() {
    for (name, case) in all_cases() {
        case.solve(|problem| {
            let (weights, theta) = exact(problem);
            let truth: f64 = theta[..K].iter().sum();
            let mut proven = 0;
            for (power, error) in [1e-2, 3e-3, 1e-3, 1e-4, 1e-6].into_iter().enumerate() {
                let disturbed = weights.iter().map(|panel| {
                    let mut panel = panels::columns(panel, 0, K);
                    let noise = random_panel(panel.rows(), K, power as u64);
                    let size = (0..panel.rows()).flat_map(|i| panel.row(i).to_vec()).fold(0.0, f64::max);
                    panels::add_scaled(&mut panel, error * size, &noise);
                    panel
                });
                let (w, _, _) = pairs(problem, disturbed.collect());
                let (w, r, found) = rotated(problem, &w);
                let missing = truth - found.iter().sum::<f64>();
                let said = [Route::Dense, sparse(problem)].map(|route| {
                    match prove(problem, &route, &w, &r, &found).unwrap() {
                        Finding::Proven(proof) => Some(proof.missing),
                        Finding::Refuted(_) => None,
                        Finding::Open => panic!("{name}"),
                    }
                });
                assert!(said.iter().flatten().all(|said| *said >= missing), "{name}: {said:?} {missing}");
                if let [Some(dense), Some(sparse)] = said {
                    assert!((sparse / dense - 1.0).abs() < 1e-3, "{name}: {said:?}");
                    proven += 1;
                }
                assert_eq!(said[0].is_some(), said[1].is_some(), "{name}: {error}");
            }
            assert!(proven > 0, "{name}");
        });
    }
}

#[test]
fn whatever_was_found_is_settled() {
    for (name, case) in all_cases() {
        case.solve(|problem| {
            let Route::Sparse(plan) = sparse(problem) else { unreachable!() };
            let (weights, theta) = exact(problem);
            let truth: f64 = theta[..K].iter().sum();
            for (left_out, error) in [(K, 0.0), (0, 0.0), (2, 1e-3), (K, 3e-3), (K - 1, 1e-2), (1, 0.1)] {
                let kept: Vec<usize> = (0..=K).filter(|&i| i != left_out).take(K).collect();
                let claimed = weights.iter().enumerate().map(|(view, panel)| {
                    let mut panel = panels::select(panel, &kept);
                    let size = panels::largest_entries(&panel).into_iter().map(f64::abs).fold(0.0, f64::max);
                    let noise = random_panel(panel.rows(), K, view as u64);
                    panels::add_scaled(&mut panel, error * size, &noise);
                    panel
                });
                let (w, _, _) = pairs(problem, claimed.collect());
                let (w, _, found) = rotated(problem, &w);
                let own = [0, 1].map(|view| problem.space.download(&w.views[view].w).unwrap());
                let settled = settle(problem, &plan, own, &found).unwrap();
                let Some(settled) = settled else {
                    // Hardly anything is above zero there, and no ridge keeps rounding away from it.
                    assert!(problem.ridges() == [0.0; 2] && error == 0.1, "{name} {left_out} {error}");
                    continue;
                };
                let proof = settled.proof.unwrap_or_else(|| panic!("{name} {left_out} {error}"));
                let missing = truth - found.iter().sum::<f64>();
                let slack = 1e-4 * found.iter().sum::<f64>();
                assert!(proof.missing >= missing - 1e-12, "{name}: {proof:?} {missing}");
                assert!(proof.missing <= missing + slack, "{name}: {proof:?} {missing}");
                let above = theta.iter().filter(|&&value| value > proof.value).count();
                assert!(above <= proof.exceeding, "{name}: {proof:?} {above}");
                // The pairs that were found prove that this much is missing.
                let (_, _, better) = pairs(problem, settled.weights.to_vec());
                let best: f64 = better[..K].iter().sum();
                assert!(best <= truth + 1e-9 && best >= truth - slack, "{name}: {best} {truth}");
            }
        });
    }
}

/// The best pairs in the span of W.
fn rotated(problem: &Problem<'_>, w: &Block) -> (Block, Block, Vec<f64>) {
    let host = |panel: &Tall| problem.space.download(panel).unwrap();
    let [x, y] = &w.views[..] else { unreachable!() };
    let inverse_root = |view: &ViewPanels| {
        let gram = panels::cross(&host(&view.w), &host(&view.bw));
        let eigen = gram.self_adjoint_eigen(faer::Side::Lower).unwrap();
        let values = eigen.S().column_vector();
        Mat::from_fn(K, K, |i, j| eigen.U()[(i, j)] / values[j].sqrt())
    };
    let (hx, hy) = (inverse_root(x), inverse_root(y));
    let cross = hx.transpose() * panels::cross(&host(&x.w), &host(&y.image)) * &hy;
    let svd = cross.svd().unwrap();
    let turn = |view: &ViewPanels, h: &Mat<f64>, u: faer::MatRef<'_, f64>| {
        panels::times(&host(&view.w), (h * u).as_ref())
    };
    pairs(problem, vec![turn(x, &hx, svd.U()), turn(y, &hy, svd.V())])
}

#[test]
fn columns_that_depend_on_others_leave_a_sparse_proof_open() {
    let x = zipf_rows(400, 40, 5, 1);
    let twin = crate::testing::to_dense(&x);
    let twins = Mat::from_fn(400, 50, |i, j| twin[(i, j % 40)]);
    let views = [crate::testing::sparse_from_dense(twins.as_ref()), zipf_rows(400, 30, 4, 2)];
    Case::new(views, true, 0.0, false).solve(|problem| {
        let (weights, _) = exact(problem);
        let chosen = weights.iter().map(|panel| panels::columns(panel, 0, K)).collect();
        let (w, r, found) = pairs(problem, chosen);
        let by_sparse = prove(problem, &sparse(problem), &w, &r, &found).unwrap();
        assert!(matches!(by_sparse, Finding::Open));
        // The dense proof leaves such columns out.
        assert!(matches!(prove(problem, &Route::Dense, &w, &r, &found).unwrap(), Finding::Proven(_)));
    });
}

#[test]
fn a_route_keeps_within_operations_and_memory() {
    let views = [zipf_rows(3000, 1500, 3, 1), zipf_rows(3000, 1200, 2, 2)];
    let case = Case::new(views, true, 0.01, false);
    case.solve(|problem| {
        let sparse = Route::asked(problem, 1e12).unwrap();
        let Route::Sparse(plan) = sparse else { panic!("few entries are cheaper to factorize sparsely") };
        assert!(plan.flops() < (2700f64).powi(3) / 3.0);
        let Route::TooCostly { operations } = Route::asked(problem, 1e6).unwrap() else { panic!() };
        assert!(operations > 1e6 && operations < (2700f64).powi(3));
        let settings = Settings { memory: 1 << 20, ..problem.settings.clone() };
        let poor = Problem { settings: &settings, ..*problem };
        assert!(matches!(Route::asked(&poor, 1e12).unwrap(), Route::TooCostly { .. }));
        let unknown = Problem { joint: None, ..*problem };
        assert!(matches!(Route::asked(&unknown, 1e12).unwrap(), Route::Dense));
    });
}
