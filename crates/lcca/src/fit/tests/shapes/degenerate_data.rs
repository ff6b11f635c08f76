//! Rank deficiency, more columns than rows, constant and duplicate columns, ties, limits and refusals.

use crate::data::Side;
use crate::fit::tests::*;
use crate::matrix::{Matrix, OneHotRows, SparseRows, Values};
use crate::testing::{
    dense_correlations, random_mat, sparse_from_dense, to_dense, with_correlations, zipf_rows,
};

/// The methods that reach the exact answer if they have enough iterations.
fn exact_methods() -> [Method; 2] {
    [Method::exact(), Method::als(400)]
}

/// Asserts that the exact methods give the correlations of a dense SVD in every storage, with and without
/// centering.
fn agrees(x: &Mat<f64>, y: &Mat<f64>, k: usize) {
    for center in [true, false] {
        let truth = &dense_correlations(x, y, center)[..k];
        for pair in [
            pair_of(x, y),
            InMemory::new(sparse_from_dense(x.as_ref()), sparse_from_dense(y.as_ref())).unwrap(),
        ] {
            for method in exact_methods() {
                let model = fit(&pair, &Settings { center, ..Settings::new(method, k) }, &()).unwrap().model;
                let gap = gap(&model.correlations, truth);
                assert!(
                    gap < 1e-7,
                    "{} centered {center}: {gap:e} {:?} {truth:?}",
                    method.name(),
                    model.correlations
                );
            }
        }
    }
}

#[test]
fn duplicate_constant_zero_and_dependent_columns_change_nothing() {
    let (x, y) = with_correlations(200, &[0.9, 0.7, 0.5, 0.2], 1);
    let awkward = |view: &Mat<f64>| {
        Mat::from_fn(200, 9, |i, j| match j {
            0..4 => view[(i, j)],
            4 => 0.0,
            5 => 1.0,
            6 => view[(i, 1)],
            7 => 1e-6 * view[(i, 2)],
            _ => view[(i, 0)] - 2.0 * view[(i, 3)],
        })
    };
    let (ax, ay) = (awkward(&x), awkward(&y));
    agrees(&ax, &y, 3);
    let truth = &dense_correlations(&x, &y, true)[..3];
    for method in exact_methods() {
        assert!(gap(&run(&pair_of(&ax, &ay), method, 3).unwrap().model.correlations, truth) < 1e-8);
    }
}

#[test]
fn more_columns_than_rows_correlate_perfectly() {
    let (x, y) = (random_mat(15, 40, 1), random_mat(15, 30, 2));
    for method in exact_methods() {
        let model = run(&pair_of(&x, &y), method, 5).unwrap().model;
        assert!(gap(&model.correlations, &[1.0; 5]) < 1e-9, "{}: {:?}", method.name(), model.correlations);
    }
}

#[test]
fn more_columns_than_rows_with_ridge_agree_with_each_other() {
    let (x, y) = (random_mat(25, 60, 3), random_mat(25, 40, 4));
    let pair = pair_of(&x, &y);
    let [exact, als] = [Method::exact(), Method::als(3000)].map(|method| {
        let settings = Settings { ridge_x: 0.5, ridge_y: 0.5, ..Settings::new(method, 3) };
        fit(&pair, &settings, &()).unwrap().model
    });
    assert!(gap(&exact.objective, &als.objective) < 1e-9);
}

#[test]
fn ties_at_correlation_one_all_come_out() {
    let shared = random_mat(100, 3, 5);
    let with_noise = |seed: u64| {
        let noise = random_mat(100, 4, seed);
        Mat::from_fn(100, 7, |i, j| if j < 3 { shared[(i, j)] } else { noise[(i, j - 3)] })
    };
    agrees(&with_noise(6), &with_noise(7), 3);
}

#[test]
fn one_column_each_is_pearsons_correlation() {
    let (x, y) = with_correlations(50, &[0.37], 8);
    for method in [Method::exact(), Method::als(1), Method::d_cca(1), Method::g_cca(1, 1)] {
        let model = run(&pair_of(&x, &y), method, 1).unwrap().model;
        assert!((model.correlations[0] - 0.37).abs() < 1e-12, "{}", method.name());
    }
}

#[test]
fn k_at_the_limit_gives_every_pair() {
    let d = [0.9, 0.6, 0.3];
    let (x, y) = with_correlations(60, &d, 9);
    for method in exact_methods() {
        assert!(gap(&run(&pair_of(&x, &y), method, 3).unwrap().model.correlations, &d) < 1e-9);
    }
}

#[test]
fn a_single_row_has_nothing_to_correlate_once_centered() {
    let (x, y) = (random_mat(1, 3, 1), random_mat(1, 2, 2));
    let error = run(&pair_of(&x, &y), Method::exact(), 1).unwrap_err().to_string();
    assert!(error.contains("X is all zero once centered"), "{error}");
    assert!((uncentered(&pair_of(&x, &y), Method::exact(), 1).model.correlations[0] - 1.0).abs() < 1e-12);
}

#[test]
fn fewer_pairs_than_requested_are_returned_with_a_note() {
    let (x, y) = with_correlations(80, &[0.8, 0.5], 10);
    let doubled = |view: &Mat<f64>| Mat::from_fn(80, 4, |i, j| view[(i, j / 2)]);
    for method in exact_methods() {
        let fit = run(&pair_of(&doubled(&x), &doubled(&y)), method, 3).unwrap();
        assert!(gap(&fit.model.correlations, &[0.8, 0.5]) < 1e-9);
        assert!(fit.notes.contains(&Note::FewerPairs { pairs: 2, requested: 3 }), "{:?}", fit.notes);
    }
}

/// Sparse views with these columns of ones, one list of columns per row.
fn sparse_ones(cols: usize, rows: &[&[u32]]) -> Matrix {
    let columns: Vec<u32> = rows.iter().flat_map(|row| row.iter().copied()).collect();
    let ends = rows.iter().scan(0, |end, row| {
        *end += row.len() as u64;
        Some(*end)
    });
    let offsets: Vec<u64> = std::iter::once(0).chain(ends).collect();
    SparseRows::new(cols, offsets.into(), columns.into(), Values::Ones).unwrap().into()
}

/// Sparse Gram matrices of rank 0 or 1, with empty columns, one column, or more columns than rows.
#[test]
fn als_on_degenerate_sparse_views_gives_an_answer() {
    let cases: [(Matrix, Matrix); 4] = [
        (sparse_ones(1, &[&[0], &[], &[0], &[]]), sparse_ones(1, &[&[0], &[0], &[], &[]])),
        (sparse_ones(1, &[&[0], &[0], &[], &[]]), sparse_ones(5, &[&[3], &[3], &[], &[]])),
        (sparse_ones(300, &[&[7], &[200], &[7], &[]]), sparse_ones(200, &[&[1], &[1], &[150], &[]])),
        (sparse_ones(300, &[&[7], &[], &[7], &[]]), sparse_ones(200, &[&[1], &[1], &[], &[]])),
    ];
    for (case, (x, y)) in cases.into_iter().enumerate() {
        for center in [true, false] {
            let (dense_x, dense_y) = (to_dense(&x), to_dense(&y));
            let truth = dense_correlations(&dense_x, &dense_y, center)[0];
            let pair = InMemory::new(x.clone(), y.clone()).unwrap();
            for method in [Method::als(50), als_by_cg(50)] {
                let settings = Settings { center, ..Settings::new(method, 1) };
                let model = fit(&pair, &settings, &()).unwrap().model;
                let largest = model.correlations.first().copied().unwrap_or(0.0);
                assert!((largest - truth).abs() < 1e-9, "case {case}, centered {center}: {largest} {truth}");
            }
        }
    }
}

#[test]
fn k_out_of_range_is_refused() {
    let (x, y) = (random_mat(10, 4, 1), random_mat(10, 3, 2));
    for k in [0, 4, 1000] {
        let error = run(&pair_of(&x, &y), Method::exact(), k).unwrap_err().to_string();
        assert!(error.contains("expected between 1 and 3"), "{error}");
    }
}

#[test]
fn an_all_zero_view_is_refused() {
    let x: Matrix = SparseRows::new(4, vec![0u64; 6].into(), Vec::new().into(), Values::Ones).unwrap().into();
    let y = OneHotRows::new(2, vec![0, 1, 0, 1, 0].into()).unwrap();
    let pair = InMemory::new(y.into(), x).unwrap();
    let error = run(&pair, Method::exact(), 1).unwrap_err().to_string();
    assert!(error.contains("Y is all zero"), "{error}");
}

#[test]
fn both_views_must_have_the_same_number_of_rows() {
    let (x, y) = (random_mat(10, 4, 1), random_mat(9, 3, 2));
    let error = InMemory::new(from_dense(x.as_ref()), from_dense(y.as_ref()));
    assert!(error.err().unwrap().to_string().contains("X has 10 rows and Y has 9"));
}

#[test]
fn too_little_memory_is_refused_with_needed_and_allowed_bytes() {
    let (x, y) = (random_mat(50, 30, 1), random_mat(50, 30, 2));
    let pair = pair_of(&x, &y);
    for method in exact_methods() {
        let error =
            fit(&pair, &Settings { memory: 1000, ..Settings::new(method, 1) }, &()).unwrap_err().to_string();
        assert!(error.contains("1000 are allowed"), "{error}");
    }
}

/// The memory needed is a property of the data, so allowing nearly as much must not raise it.
#[test]
fn the_bytes_that_a_gram_matrix_needs_do_not_depend_on_those_allowed() {
    let views = [zipf_rows(3000, 400, 9, 1), zipf_rows(3000, 300, 9, 2)];
    let [x, y] = views;
    let pair = InMemory::new(x, y).unwrap();
    let needed =
        |memory: u64| match fit(&pair, &Settings { memory, ..Settings::new(Method::shift_invert(), 2) }, &())
        {
            Err(crate::Error::Memory { needed, .. }) => needed,
            other => panic!("{:?}", other.map(|fit| fit.converged)),
        };
    let expected = needed(50_000);
    assert!(expected > 400_000, "{expected}");
    for memory in [100_000, 200_000, 400_000] {
        assert_eq!(needed(memory), expected, "{memory}");
    }
}

#[test]
fn invalid_settings_are_refused() {
    let (x, y) = (random_mat(50, 30, 1), random_mat(50, 30, 2));
    let pair = pair_of(&x, &y);
    let refused = |settings: Settings| fit(&pair, &settings, &()).unwrap_err().to_string();
    assert!(refused(Settings { ridge_x: -1.0, ..Settings::new(Method::exact(), 2) }).contains("ridge is -1"));
    assert!(
        refused(Settings { ridge_y: f64::NAN, ..Settings::new(Method::exact(), 2) })
            .contains("ridge-y is NaN")
    );
    assert!(refused(Settings::new(Method::d_cca(0), 2)).contains("t1 is 0"));
    assert!(refused(Settings::new(Method::rp_cca(1), 2)).contains("k-rpcca is 1"));
}

#[test]
fn a_fit_that_stops_early_is_not_converged() {
    let (x, y) = with_correlations(200, &[0.9, 0.85, 0.8, 0.75, 0.7], 11);
    let pair = pair_of(&x, &y);
    assert!(!run(&pair, Method::als(1), 2).unwrap().converged);
    assert!(run(&pair, Method::als(300), 2).unwrap().converged);
    let capped = Settings { max_passes: Some(5.0), ..Settings::new(Method::als(300), 2) };
    let capped = fit(&pair, &capped, &()).unwrap();
    assert!(!capped.converged && capped.trace.len() < 5, "{:?}", capped.cost);
}

#[test]
fn a_watcher_can_stop_a_fit() {
    struct Impatient;
    impl crate::fit::Watch for Impatient {
        fn pass(&self, cost: crate::data::Cost) -> std::ops::ControlFlow<()> {
            if cost.passes > 3.0 {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        }
    }
    let (x, y) = with_correlations(200, &[0.9, 0.5], 12);
    let stopped = fit(&pair_of(&x, &y), &Settings::new(Method::d_cca(30), 1), &Impatient);
    assert!(matches!(stopped, Err(crate::Error::Interrupted)));
}

#[test]
fn every_solver_explains_the_variance_that_dense_least_squares_explains() {
    use crate::solve::{Resources, SOLVERS, Solver, project};
    let (x, y) = with_correlations(300, &[0.9, 0.6, 0.3], 13);
    let pair = pair_of(&x, &y);
    let identity = crate::matrix::Panel::from_fn(3, 3, |i, j| f64::from(i == j));
    let resources = Resources { memory: u64::MAX, svd: Default::default(), tol: 1e-10 };
    let basis = x.thin_svd().unwrap().U().to_owned();
    let projected = &basis * (basis.transpose() * &y);
    // The diagonal solver is exact only for diagonal Gram matrices.
    for spec in SOLVERS.into_iter().filter(|spec| spec.name != "diagonal") {
        let mut solver = Solver::new(spec);
        for (name, value) in [("t2", 800), ("k-pc", 1)] {
            solver = solver.with(name, value).unwrap_or(solver);
        }
        let projection = project(&pair, Side::X, &identity, &solver, 0.0, &resources).unwrap();
        for j in 0..3 {
            let truth = projected.col(j).squared_norm_l2() / y.col(j).squared_norm_l2();
            let explained = projection.explained[j];
            assert!((explained - truth).abs() < 1e-8, "{solver:?}: {explained} {truth}");
        }
    }
}

#[test]
fn values_whose_squares_overflow_are_refused() {
    let (x, y) = (random_mat(10, 2, 1), random_mat(10, 2, 2));
    let huge = Mat::from_fn(10, 2, |i, j| 1e200 * x[(i, j)]);
    for center in [true, false] {
        let settings = Settings { center, ..Settings::new(Method::auto(), 1) };
        let error = fit(&pair_of(&huge, &y), &settings, &()).unwrap_err().to_string();
        assert!(error.contains("X has values so large"), "{error}");
    }
}

#[test]
fn a_model_that_no_machine_can_hold_is_refused_before_anything_is_allocated() {
    let wide = |cols: usize| Matrix::from(OneHotRows::new(cols, [0, 1].repeat(1000).into()).unwrap());
    let pair = InMemory::new(wide(4_000_000_000), wide(4_000_000_000)).unwrap();
    let error = fit(&pair, &Settings::new(Method::auto(), 2000), &()).err().unwrap();
    assert!(matches!(error, crate::error::Error::Memory { .. }), "{error}");
    assert!(
        error.to_string().contains("a model of 8000000000 columns and 2000 pairs needs about"),
        "{error}"
    );
}

#[test]
fn tied_pairs_depend_neither_on_rounding_nor_on_units() {
    // As many columns as the rows leave degrees of freedom make every correlation 1.
    let (x, y) = (random_mat(8, 7, 11), random_mat(8, 4, 12));
    let in_units = Mat::from_fn(8, 7, |i, j| x[(i, j)] * [1.0, 3.0, 0.2, 7.0, 1.0, 0.5, 11.0][j]);
    for method in [Method::exact(), Method::gram()] {
        let variables = |x: &Mat<f64>| {
            let model = run(&pair_of(x, &y), method, 4).unwrap().model;
            assert!(gap(&model.correlations, &[1.0; 4]) < 1e-9);
            model.transform_all(Side::X, &from_dense(x.as_ref())).unwrap()
        };
        let (a, b) = (variables(&x), variables(&in_units));
        for pair in 0..4 {
            let cosine: f64 = (0..8).map(|i| a.row(i)[pair] * b.row(i)[pair]).sum();
            assert!((cosine.abs() - 1.0).abs() < 1e-9, "{} pair {pair}: {cosine}", method.name());
        }
    }
}
