//! The stand-ins for (B − A)⁻¹ on all columns, against dense algebra.

use crate::data::{Centered, Counting, InMemory, Pair, Scaled, Side, Tally};
use crate::fit::pairs::problem::Problem;
use crate::fit::precondition::incomplete::{Incomplete, Limits, part_left_out};
use crate::fit::precondition::inverse::Inverse;
use crate::fit::precondition::row_space::RowSpace;
use crate::fit::precondition::two_level::TwoLevel;
use crate::matrix::{Matrix, Panel, RowsBuilder};
use crate::method::{Method, Settings};
use crate::panels;
use faer::Mat;
use faer::linalg::solvers::Solve;

const ROWS: usize = 60;
const COLUMNS: [usize; 2] = [90, 70];

/// Columns from frequent to rare; the last never varies.
fn view(columns: usize, seed: u64) -> Matrix {
    let mut rows = RowsBuilder::default();
    for row in 0..ROWS as u64 {
        for column in 0..columns as u64 {
            let mixed = (row * 7919 + column * 104_729 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
            if mixed.is_multiple_of(2 + column / 3) && column + 1 < columns as u64 {
                rows.push(column as u32, 1.0 + (mixed % 3) as f64);
            }
        }
        rows.end_row();
    }
    RowsBuilder::join(vec![rows], columns, false).unwrap().into()
}

/// Calls `check` with a problem whose rows are weighted, centered and scaled as asked, and B − A without the
/// columns that do not vary.
fn each_problem(check: impl Fn(&Problem<'_>, &Mat<f64>)) {
    for (is_weighted, is_centered, is_scaled) in
        [(false, false, false), (false, true, false), (true, true, false), (true, true, true)]
    {
        let mut rows = InMemory::new(view(COLUMNS[0], 1), view(COLUMNS[1], 2)).unwrap();
        if is_weighted {
            let weights: Vec<f64> = (0..ROWS).map(|row| f64::from(row as u32 % 4)).collect();
            rows = rows.weighted(weights.into()).unwrap();
        }
        let centered = Centered::new(&rows).unwrap();
        let inner: &dyn Pair = if is_centered { &centered } else { &rows };
        let factors =
            COLUMNS.map(|columns| is_scaled.then(|| (0..columns).map(|j| 0.5 + (j % 5) as f64).collect()));
        let scaled = Scaled::new(inner, factors).unwrap();
        let tally = Tally::default();
        let counting = Counting::rows(if is_scaled { &scaled } else { inner }, &tally, &());
        let settings = Settings { ridge_x: 0.05, ridge_y: 0.1, ..Settings::new(Method::lobpcg(), 3) };
        let problem = Problem::plain(&counting, &settings, None);
        check(&problem, &difference(&problem));
    }
}

/// Calls `check` as [`each_problem`] does, with problems that stand on the Gram matrices of the rows.
fn each_gram_problem(check: impl Fn(&Problem<'_>, &Mat<f64>)) {
    for (is_centered, is_scaled) in [(false, false), (true, false), (true, true)] {
        let rows = InMemory::new(view(COLUMNS[0], 1), view(COLUMNS[1], 2)).unwrap();
        let factors = COLUMNS.map(|columns| {
            is_scaled.then(|| (0..columns).map(|j| 0.5 + (j % 5) as f64).collect::<Vec<f64>>())
        });
        let joint = rows.capabilities().joint_grams.unwrap().joint_gram(u64::MAX).unwrap();
        let joint = joint.scaled(factors.each_ref().map(|factors| factors.as_deref())).unwrap();
        let means = is_centered.then(|| joint.means());
        let centered = Centered::new(&joint).unwrap();
        let tally = Tally::default();
        let counting = Counting::grams(if is_centered { &centered } else { &joint }, &tally, &());
        let settings = Settings { ridge_x: 0.05, ridge_y: 0.1, ..Settings::new(Method::lobpcg(), 3) };
        let problem = Problem { means: means.as_ref(), ..Problem::plain(&counting, &settings, Some(&joint)) };
        check(&problem, &difference(&problem));
    }
}

/// B − A, with the diagonal alone for columns that do not vary.
fn difference(problem: &Problem<'_>) -> Mat<f64> {
    let size = COLUMNS[0] + COLUMNS[1];
    let ridges = problem.ridges();
    let inverse = problem.inverse_diagonals().unwrap().concat();
    let identity = |first: usize, columns: usize| {
        Panel::from_fn(columns, size, |i, j| f64::from(u8::from(first + i == j && inverse[j] > 0.0)))
    };
    let (x, y) = (identity(0, COLUMNS[0]), identity(COLUMNS[0], COLUMNS[1]));
    let mut products = COLUMNS.map(|columns| Panel::zeros(columns, size));
    for (side, w, sign) in [(Side::X, &x, 1.0), (Side::Y, &y, -1.0)] {
        let mut own = COLUMNS.map(|columns| Panel::zeros(columns, size));
        let [to_x, to_y] = &mut own;
        let ask = crate::data::Ask::new().source(side, w).to(Side::X, to_x).to(Side::Y, to_y);
        problem.pair.pass(&mut { ask }).unwrap();
        panels::add_scaled(&mut products[0], sign, &own[0]);
        panels::add_scaled(&mut products[1], -sign, &own[1]);
    }
    Mat::from_fn(size, size, |i, j| {
        let view = usize::from(i >= COLUMNS[0]);
        let row = if view == 0 { i } else { i - COLUMNS[0] };
        let diagonal = if i != j {
            0.0
        } else if inverse[j] > 0.0 {
            ridges[view]
        } else {
            1.0
        };
        let product = if inverse[i] > 0.0 { products[view].row(row)[j] } else { 0.0 };
        product + diagonal
    })
}

/// Residuals that are zero on columns that do not vary.
fn residuals(problem: &Problem<'_>) -> [Panel; 2] {
    let inverse = problem.inverse_diagonals().unwrap();
    [0, 1].map(|view| {
        Panel::from_fn(COLUMNS[view], 3, |i, j| {
            let number = ((i * 31 + j * 17 + view * 7) % 13) as f64 - 6.0;
            if inverse[view][i] > 0.0 { number } else { 0.0 }
        })
    })
}

fn stacked([x, y]: &[Panel; 2]) -> Mat<f64> {
    Mat::from_fn(x.rows() + y.rows(), x.cols(), |i, j| {
        if i < x.rows() { x.row(i)[j] } else { y.row(i - x.rows())[j] }
    })
}

/// M⁻¹R, and rᵀM⁻¹r as the inverse reports it.
fn solved(inverse: &dyn Inverse, residuals: &[Panel; 2]) -> (Mat<f64>, Vec<f64>) {
    let mut solved = residuals.clone();
    let [x, y] = &mut solved;
    let squares = inverse.apply([x, y]).unwrap();
    (stacked(&solved), squares)
}

#[test]
fn few_rows_invert_exactly() {
    each_problem(|problem, difference| {
        let inverse = RowSpace::new(problem, &problem.inverse_diagonals().unwrap()).unwrap().unwrap();
        let r = residuals(problem);
        let (found, squares) = solved(&inverse, &r);
        let expected = difference.partial_piv_lu().solve(&stacked(&r));
        assert!((&found - &expected).norm_max() < 1e-9 * expected.norm_max());
        for (j, square) in squares.into_iter().enumerate() {
            let expected = (stacked(&r).col(j).transpose() * expected.col(j)).abs();
            assert!((square / expected - 1.0).abs() < 1e-9, "{square} {expected}");
        }
    });
}

#[test]
fn two_levels_are_symmetric_and_near() {
    each_problem(|problem, difference| {
        let inverse = TwoLevel::new(problem, &problem.inverse_diagonals().unwrap(), 60).unwrap().unwrap();
        let r = residuals(problem);
        let (found, squares) = solved(&inverse, &r);
        let products = stacked(&r).transpose() * &found;
        let exact = difference.partial_piv_lu().solve(&stacked(&r));
        for j in 0..3 {
            assert!(
                (squares[j] / products[(j, j)] - 1.0).abs() < 1e-5,
                "{} {}",
                squares[j],
                products[(j, j)]
            );
            (0..3).for_each(|i| {
                assert!((products[(i, j)] - products[(j, i)]).abs() < 1e-5 * products[(j, j)]);
            });
            let share = products[(j, j)] / (stacked(&r).col(j).transpose() * exact.col(j));
            assert!((0.2..1.2).contains(&share), "{share}");
        }
    });
}

#[test]
fn an_incomplete_factor_that_leaves_out_little_is_the_inverse() {
    each_gram_problem(|problem, difference| {
        for dense in [0, 40, 120, 1000] {
            let inverse = problem.inverse_diagonals().unwrap();
            let limits = Limits { dense, work: 1e9, left_out: [0.0; 2], shifts: &[0.0], is_near: true };
            let incomplete = Incomplete::within(problem, &inverse, &limits).unwrap().unwrap();
            let r = residuals(problem);
            let (found, squares) = solved(&incomplete, &r);
            let expected = difference.partial_piv_lu().solve(&stacked(&r));
            let error = (&found - &expected).norm_max() / expected.norm_max();
            assert!(error < 0.05, "{dense} dense columns: {error}");
            for (j, square) in squares.into_iter().enumerate() {
                let product = stacked(&r).col(j).transpose() * found.col(j);
                assert!((square / product - 1.0).abs() < 1e-5, "{square} {product}");
            }
        }
    });
}

#[test]
fn rows_are_not_inverted_where_that_is_no_help() {
    each_problem(|problem, _| {
        let inverse = problem.inverse_diagonals().unwrap();
        let refuses = |settings: &Settings| {
            let normals = Problem::normals(problem.pair, settings, [1.0, 1.0]).unwrap();
            RowSpace::new(&Problem { normals, settings, ..*problem }, &inverse).unwrap().is_none()
        };
        assert!(refuses(&Settings { ridge_y: 0.0, ..problem.settings.clone() }));
        assert!(refuses(&Settings { memory: 1 << 16, ..problem.settings.clone() }));
        assert!(!refuses(problem.settings));
    });
}

#[test]
fn factors_are_more_exact_with_less_ridge_and_more_columns() {
    assert_eq!(part_left_out(10_000, 0.05), 1.0);
    assert!((part_left_out(10_000, 1e-3) - 0.3).abs() < 1e-12);
    assert!((part_left_out(640_000, 0.05) - 0.25).abs() < 1e-12);
    assert!((part_left_out(640_000, 1e-4) - 0.03).abs() < 1e-12);
}
