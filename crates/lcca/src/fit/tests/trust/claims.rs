//! Claims of convergence must be true: small data of the kinds on which they are easily wrong, against the
//! exact method.
//!
//! All have correlations in directions of small variance, which residuals in the norm of diag(C)⁻¹ hardly
//! show. `bench/claims.py` has larger ones of more kinds, with truths from another program.

use crate::data::{Centered, Side};
use crate::fit::certify::verdict::{Effort, Rows, certify};
use crate::fit::tests::*;
use crate::fit::{Certificate, Model, Proven, Search};
use crate::outcome::Decision;
use crate::panels;
use crate::space::Host;
use crate::testing::{random_mat, sparse_from_dense};

/// The part that rounding may add, as a share of the total.
const ROUNDING: f64 = 1e-8;

/// One number in [0, 1) for each cell, the same for the same seed.
fn uniform(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    // Normal numbers, whose digits behind the third are as good as uniform.
    let noise = random_mat(rows, cols, seed);
    Mat::from_fn(rows, cols, |i, j| (noise[(i, j)].abs() * 1e3).fract())
}

fn sparse_pair(x: &Mat<f64>, y: &Mat<f64>) -> InMemory {
    InMemory::new(sparse_from_dense(x.as_ref()), sparse_from_dense(y.as_ref())).unwrap()
}

/// Flags of which Y copies a falling share, then copies of another flag that both views have, and a last copy
/// without one of its ones.
fn hidden_pair() -> InMemory {
    let (n, p, ones) = (4000, 60, 40);
    let (own, other, same) = (uniform(n, p, 1), uniform(n, p, 2), uniform(n, p, 3));
    let flag = |v: f64| f64::from(u8::from(v < 0.02));
    let copied = |i: usize, j: usize| match j.checked_sub(p) {
        None => None,
        Some(10) => Some(f64::from(u8::from(i % (n / ones) == 7 && i != 7))),
        Some(_) => Some(f64::from(u8::from(i % (n / ones) == 7))),
    };
    let x = Mat::from_fn(n, p + 11, |i, j| copied(i, j).unwrap_or_else(|| flag(own[(i, j)])));
    let y = Mat::from_fn(n, p + 11, |i, j| {
        let share = 0.95 - 0.65 * j as f64 / p as f64;
        copied(i, j).unwrap_or_else(|| flag(if same[(i, j)] < share { own[(i, j)] } else { other[(i, j)] }))
    });
    sparse_pair(&x, &y)
}

/// Flags with copies in which some entries are changed, in the same rows of both views.
fn near_duplicates() -> InMemory {
    let (n, p) = (3000, 50);
    let (own, other, same) = (uniform(n, p, 4), uniform(n, p, 5), uniform(n, p, 6));
    let flag = |v: f64| v < 0.03;
    let view = |is_y: bool| {
        let base = |i: usize, j: usize| {
            let keeps = !is_y || same[(i, j)] < 0.9 - 0.7 * j as f64 / p as f64;
            flag(if keeps { own[(i, j)] } else { other[(i, j)] })
        };
        Mat::from_fn(n, p + 20, |i, j| {
            let changed = j >= p && (i * 31 + j * 17).is_multiple_of(997);
            f64::from(u8::from(base(i, j % p) != changed))
        })
    };
    sparse_pair(&view(false), &view(true))
}

/// Answers to questions, one indicator per answer, so that the indicators of a question sum to one.
fn survey() -> InMemory {
    let (n, questions, answers) = (3000, 12, 5);
    let person = random_mat(n, 4, 7);
    let view = |seed: u64| {
        let (pull, noise) = (
            &person * random_mat(4, questions * answers, seed),
            random_mat(n, questions * answers, seed + 1),
        );
        Mat::from_fn(n, questions * answers, |i, j| {
            let taste = |a: usize| pull[(i, a)] + 1.5 * noise[(i, a)];
            let first = j / answers * answers;
            let chosen = (first..first + answers).max_by(|&a, &b| taste(a).total_cmp(&taste(b)));
            f64::from(u8::from(chosen == Some(j)))
        })
    };
    sparse_pair(&view(8), &view(10))
}

/// Indicators of x ≥ t for ascending t.
fn thermometers() -> InMemory {
    let (n, variables, steps) = (3000, 4, 15);
    let (x, error) = (random_mat(n, variables, 12), random_mat(n, variables, 13));
    let view = |share: f64| {
        Mat::from_fn(n, variables * steps, |i, j| {
            let value = x[(i, j / steps)] + share * error[(i, j / steps)];
            f64::from(u8::from(value >= 2.2 * (j % steps) as f64 / steps as f64))
        })
    };
    sparse_pair(&view(0.0), &view(0.03))
}

/// Moving averages of sparse noise, of which the views share a part: neighboring columns are alike.
fn smooth() -> InMemory {
    let (n, p, window) = (3000, 80, 10);
    let (common, keep) = (random_mat(n, p + window, 14), uniform(n, p + window, 15));
    let view = |seed: u64| {
        let own = random_mat(n, p + window, seed);
        let noise = Mat::from_fn(n, p + window, |i, j| {
            let share = 1.2 - j as f64 / (p + window) as f64;
            if keep[(i, j)] < 0.1 { share * common[(i, j)] + own[(i, j)] } else { 0.0 }
        });
        Mat::from_fn(n, p, |i, j| (j..j + window).map(|l| noise[(i, l)]).sum::<f64>() / window as f64)
    };
    sparse_pair(&view(16), &view(17))
}

/// Numbers with copies that differ by one part in a thousand; the differences correlate.
fn near_equal() -> InMemory {
    let (n, p) = (2000, 40);
    let (base, common) = (random_mat(n, p, 18), random_mat(n, p, 19));
    let view = |seed: u64| {
        let own = random_mat(n, 2 * p, seed);
        let column = |i: usize, j: usize| 0.5 * base[(i, j)] + own[(i, j)];
        Mat::from_fn(n, 2 * p, |i, j| match j.checked_sub(p) {
            None => column(i, j),
            Some(j) => column(i, j) + 1e-3 * (2.0 * common[(i, j)] + own[(i, p + j)]),
        })
    };
    pair_of(&view(20), &view(21))
}

/// 20 pairs of columns with 5 ones that coincide among frequent columns.
fn planted() -> InMemory {
    let (n, p, rare) = (10_000, 60, 20);
    let view = |seed: u64| {
        let noise = uniform(n, p, seed);
        Mat::from_fn(n, p + rare, |i, j| match j.checked_sub(p) {
            None => f64::from(u8::from(noise[(i, j)] < 0.2 / (1.0 + j as f64) + 1e-3)),
            Some(j) => f64::from(u8::from(i % 2000 == 13 * j + 5)),
        })
    };
    sparse_pair(&view(22), &view(23))
}

/// Fits over settings; panics at the first claim that is not true.
fn check(pair: &InMemory, name: &str, methods: &[Method]) {
    for ridge in [0.0, 1e-3, 0.1] {
        for k in [1, 5, 20] {
            let settings = |method| Settings { ridge_x: ridge, ridge_y: ridge, ..Settings::new(method, k) };
            let truth: f64 = fit(pair, &settings(Method::exact()), &()).unwrap().model.objective.iter().sum();
            for tol in [1e-2, 1e-4, 1e-6] {
                for &method in methods {
                    let fit = fit(pair, &Settings { tol, ..settings(method) }, &()).unwrap();
                    let total: f64 = fit.model.objective.iter().sum();
                    let (missing, case) =
                        ((truth - total) / total, format!("{name} {} {ridge} {k} {tol}", method.name()));
                    assert!(
                        !fit.converged || missing <= tol + ROUNDING,
                        "{case}: {missing:e} is missing from a claim"
                    );
                    assert!(!fit.converged || missing >= -ROUNDING, "{case}: {:e} above the truth", -missing);
                }
            }
        }
    }
}

#[test]
fn claims_are_true_if_correlations_hide_in_differences_of_columns() {
    check(&hidden_pair(), "hidden pair", &[Method::auto(), Method::lobpcg()]);
    check(&near_duplicates(), "near duplicates", &[Method::lobpcg()]);
    check(&near_equal(), "near equal", &[Method::lobpcg()]);
}

#[test]
fn claims_are_true_on_indicators_and_smooth_columns() {
    check(&survey(), "survey", &[Method::auto(), Method::lobpcg()]);
    check(&thermometers(), "thermometers", &[Method::lobpcg()]);
    check(&smooth(), "smooth", &[Method::lobpcg()]);
}

#[test]
fn claims_are_true_on_planted_rare_pairs() {
    check(&planted(), "planted", &[Method::auto(), Method::lobpcg()]);
}

/// Columns that depend on others, far from the origin.
fn dependent(n: usize, p: usize, shift: f64) -> InMemory {
    let shared = random_mat(n, 4, 24);
    let view = |seed: u64| {
        let base = &shared * random_mat(4, p, seed) + random_mat(n, p, seed + 1);
        Mat::from_fn(n, p + p / 2 + 1, |i, j| {
            let value = match j.checked_sub(p) {
                None => base[(i, j)],
                Some(copy) if copy < p / 2 => 3.0 * base[(i, copy)],
                Some(_) => base.row(i).sum(),
            };
            value + shift
        })
    };
    sparse_pair(&view(25), &view(27))
}

#[test]
fn no_claim_is_above_the_truth_if_columns_depend_on_others() {
    for shift in [0.0, 100.0] {
        let pair = dependent(400, 30, shift);
        for k in [1, 5, 20] {
            let truth: f64 = run(&pair, Method::exact(), k).unwrap().model.objective.iter().sum();
            for method in [Method::lobpcg(), Method::shift_invert()] {
                for tol in [1e-4, 1e-9, 1e-10] {
                    let fit = fit(&pair, &Settings { tol, ..Settings::new(method, k) }, &()).unwrap();
                    let total: f64 = fit.model.objective.iter().sum();
                    let case = format!("{} {shift} {k} {tol}: {total} of {truth}", method.name());
                    assert!(!fit.converged || (total - truth).abs() <= (tol + ROUNDING) * truth, "{case}");
                }
            }
        }
    }
}

#[test]
fn certificates_agree_with_no_wrong_claim_and_refute_no_right_one() {
    let data = [
        ("hidden pair", hidden_pair()),
        ("near equal", near_equal()),
        ("smooth", smooth()),
        ("survey", survey()),
    ];
    for (name, pair) in data.iter().chain([("shifted", dependent(400, 30, 100.0))].iter()) {
        for ridge in [0.0, 1e-3] {
            let settings = |method| Settings { ridge_x: ridge, ridge_y: ridge, ..Settings::new(method, 5) };
            let truth: f64 = fit(pair, &settings(Method::exact()), &()).unwrap().model.objective.iter().sum();
            for method in [Method::lobpcg(), Method::exact(), Method::d_cca(3)] {
                // A fit that stopped claims to have converged.
                let mut fit =
                    fit(pair, &Settings { max_passes: Some(12.0), ..settings(method) }, &()).unwrap();
                (fit.converged, fit.missing) = (true, 0.0);
                let total: f64 = fit.model.objective.iter().sum();
                fit.certify(pair, &()).unwrap();
                let (missing, case) = ((truth - total) / total, format!("{name} {} {ridge}", method.name()));
                let certificate = fit.certificate.unwrap();
                assert_eq!(fit.converged, missing <= 1e-4, "{case}: {missing:e} is missing, {certificate:?}");
                assert!(
                    certificate.gain <= truth - total + 1e-8,
                    "{case}: {missing:e} is missing, {certificate:?}"
                );
                assert!(
                    certificate.bounds.iter().all(|bound| *bound < 0.5) || missing > 1e-4,
                    "{case}: {certificate:?}"
                );
            }
        }
    }
}

/// A model of five of the six largest pairs, without the one that is `left_out`, and the part that is
/// missing from its total.
fn without(exact: &Model, left_out: usize) -> (Model, f64) {
    let kept: Vec<usize> = (0..6).filter(|&i| i != left_out).collect();
    let mut model = exact.clone();
    model.settings.k = 5;
    for view in [&mut model.x, &mut model.y] {
        view.weights = panels::select(&view.weights, &kept);
    }
    model.objective = kept.iter().map(|&i| exact.objective[i]).collect();
    model.correlations = kept.iter().map(|&i| exact.correlations[i]).collect();
    (model, exact.objective[left_out] - exact.objective[5])
}

/// Certificates of models without one of the first pairs and of the exact one, each with the missing part
/// of its total. A proof may take at most `proof` operations.
fn certificates_without_pairs(proof: f64) -> Vec<(String, Model, f64, Certificate)> {
    let data = [("hidden pair", hidden_pair()), ("near duplicates", near_duplicates()), ("survey", survey())];
    let mut all = Vec::new();
    for (name, pair) in &data {
        let centered = Centered::new(pair).unwrap();
        let squares = Side::BOTH.map(|side| pair.moments(side).unwrap().square.clone());
        let rows = Rows { pair: &centered, joint: None, space: &Host, squares, units: [1.0; 2] };
        let exact = run(pair, Method::exact(), 6).unwrap().model;
        for left_out in [0, 1, 4, 5] {
            let (model, missing) = without(&exact, left_out);
            let certificate = certify(&model, &rows, None, &(), Effort { steps: 500, proof }).unwrap();
            let case = format!("{name} without pair {left_out}, {missing:e} missing: {certificate:?}");
            all.push((case, model, missing, certificate));
        }
    }
    all
}

#[test]
fn a_search_from_random_directions_finds_what_a_fit_missed_and_nothing_else() {
    for (case, model, missing, certificate) in certificates_without_pairs(0.0) {
        if certificate.proven.is_some_and(|proven| proven.exceeding == 0) {
            // There is nothing to search for, because no correlation exceeds 1.
            assert!(missing <= certificate.proven.unwrap().missing, "{case}");
            continue;
        }
        assert_eq!(certificate.search, Search::Probed, "{case}");
        assert!(certificate.gain <= missing + 1e-8 && certificate.unaffordable.is_some(), "{case}");
        // The search ends when it has proved enough.
        let allowed = model.settings.tol * model.objective.iter().sum::<f64>();
        assert!(certificate.gain > allowed || missing < 2.0 * allowed, "{case}");
    }
}

#[test]
fn a_proof_refutes_a_model_that_lacks_a_pair_and_bounds_what_any_other_lacks() {
    for (case, model, missing, certificate) in certificates_without_pairs(f64::INFINITY) {
        assert_eq!(certificate.search, Search::Proven, "{case}");
        assert!(certificate.gain <= missing + 1e-8, "{case}");
        let allowed = model.settings.tol * model.objective.iter().sum::<f64>();
        match certificate.proven {
            Some(Proven { exceeding, missing: most, .. }) => {
                assert!(missing <= most + 1e-8 && most <= allowed && exceeding <= 5, "{case}");
            }
            None => assert!(missing > 0.1 * allowed / 5.0 && certificate.gain > 0.0, "{case}"),
        }
    }
}

/// Categories, some of which are sums of others and of a few rows of their own. Those rows are the same in
/// both views.
fn hierarchy() -> InMemory {
    let (n, groups, children) = (1_200, 12, 5);
    let mut state = 5u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let alone: Vec<Vec<usize>> = (0..groups).map(|_| (0..4).map(|_| draw(n)).collect()).collect();
    let mut view = || {
        let mut dense = Mat::<f64>::zeros(n, groups * (children + 1));
        for (group, alone) in alone.iter().enumerate() {
            let parent = groups * children + group;
            for child in 0..children {
                for _ in 0..n / 60 {
                    let row = draw(n);
                    dense[(row, group * children + child)] += 1.0;
                    dense[(row, parent)] += 1.0;
                }
            }
            alone.iter().for_each(|&row| dense[(row, parent)] += 1.0);
        }
        sparse_from_dense(dense.as_ref())
    };
    InMemory::new(view(), view()).unwrap()
}

#[test]
fn claims_are_true_where_parents_are_the_sums_of_their_children() {
    let pair = hierarchy();
    for (k, ridge, tol) in [(1, 1e-4, 1e-4), (5, 1e-4, 1e-4), (5, 1e-2, 1e-6), (5, 0.0, 1e-4)] {
        let settings =
            |method: Method| Settings { tol, ridge_x: ridge, ridge_y: ridge, ..Settings::new(method, k) };
        let truth: f64 = fit(&pair, &settings(Method::exact()), &()).unwrap().model.objective.iter().sum();
        let found = fit(&pair, &settings(Method::lobpcg()), &()).unwrap();
        let missing = 1.0 - found.model.objective.iter().sum::<f64>() / truth;
        let case = format!("{k} {ridge:e} {tol:e}: {missing:e} missing, {:e} said", found.missing);
        assert!(found.converged && missing <= found.missing + 1e-9 && found.missing <= tol, "{case}");
        assert!(found.decisions.iter().any(|decision| matches!(decision, Decision::Proven { .. })), "{case}");
    }
}
