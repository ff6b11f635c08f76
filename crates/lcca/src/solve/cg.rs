//! Conjugate gradients (Hestenes & Stiefel 1952), preconditioned by the diagonal: half a pass per step for
//! all columns.
//!
//! Every column of (C + λI)·W = R has its own step lengths; only the products are shared. The last steps
//! multiply few columns, because a converged column leaves the block. Nothing p×p is formed.
//!
//! With B = C + λI, D its diagonal, s = R − B·W the residual and d the direction:
//!
//! ```text
//! ρ = sᵀD⁻¹s    α = ρ/dᵀBd    W ← W + αd    s ← s − αBd    d ← D⁻¹s + (ρ_new/ρ)·d
//! ```
//!
//! A step lowers the squared error ‖W − B⁻¹R‖²_B by αρ. B may be singular if R lies in its range.
//! Directions then have no part along which B vanishes except by rounding, and a column stops if its
//! direction is nothing but rounding.

use super::gradient::finish;
use super::least_squares::{LeastSquares, Solved, SolverSpec};
use crate::data::Normal;
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::parameter::Parameter;
use crate::whiten::CUT;

/// The smallest tolerance, because rounding keeps residuals from getting smaller than this, relative to the
/// right-hand side.
const ROUNDING: f64 = 1e-15;

/// The number of steps that a solve usually takes from the last answer, for planning.
const USUAL_STEPS: usize = 15;

/// Conjugate gradients on one view.
pub struct Cg<'a> {
    normal: Normal<'a>,
    /// The squared lengths of the columns to which rounding errors of products are relative, at least the
    /// diagonal of B.
    squares: Vec<f64>,
    inverse: Vec<f64>,
    steps: usize,
    tol: f64,
}

/// The columns that have not converged yet.
pub(crate) struct ActiveColumns {
    /// The index in R of each column.
    pub columns: Vec<usize>,
    weights: Panel,
    /// The residuals s.
    pub residual: Panel,
    direction: Panel,
    /// The squared norm sᵀD⁻¹s of each residual.
    pub size: Vec<f64>,
    /// Σαρ so far, which is WᵀR if the start was zero.
    pub gained: Vec<f64>,
}

impl<'a> Cg<'a> {
    /// Prepares at most `steps` steps. A column converges when the norm of its residual in D⁻¹ is `tol` times
    /// that of its right-hand side.
    pub fn new(normal: Normal<'a>, steps: usize, tol: f64) -> Result<Self> {
        let (squares, inverse) = (normal.diagonal()?, normal.inverse_diagonal()?);
        Ok(Cg { normal, squares, inverse, steps, tol: tol.max(ROUNDING) })
    }

    /// Takes the squared lengths of the columns as they are stored. If columns are far from the origin,
    /// centered products are differences of large numbers, so rounding hides more directions along which B
    /// vanishes.
    pub(crate) fn with_squares(mut self, squares: &[f64]) -> Self {
        self.squares.iter_mut().zip(squares).for_each(|(own, square)| *own = own.max(*square));
        self
    }

    /// Steps until `done` holds for every column, then returns W and s.
    pub(crate) fn run(
        &self,
        rhs: &Panel,
        start: Option<Solved>,
        done: impl Fn(&ActiveColumns) -> Vec<bool>,
    ) -> Result<(Panel, Panel)> {
        let mut running = self.begin(rhs, start)?;
        let (mut weights, mut residual) = (running.weights.clone(), running.residual.clone());
        let mut finished = done(&running);
        for _ in 0..self.steps {
            running.retire(&finished, &mut weights, &mut residual);
            if running.columns.is_empty() {
                break;
            }
            let stuck = self.step(&mut running)?;
            finished = done(&running).into_iter().zip(stuck).map(|(done, stuck)| done || stuck).collect();
        }
        running.retire(&vec![true; running.columns.len()], &mut weights, &mut residual);
        Ok((weights, residual))
    }

    /// The state before the first step. Costs half a pass if the start comes without its product.
    fn begin(&self, rhs: &Panel, start: Option<Solved>) -> Result<ActiveColumns> {
        let mut residual = rhs.clone();
        let weights = match start {
            None => Panel::zeros(rhs.rows(), rhs.cols()),
            Some(start) => {
                panels::subtract(&mut residual, &self.product(&start)?);
                start.weights
            }
        };
        let (size, direction) = (self.size(&residual), self.precondition(&residual));
        let gained = vec![0.0; rhs.cols()];
        Ok(ActiveColumns { columns: (0..rhs.cols()).collect(), weights, residual, direction, size, gained })
    }

    fn product(&self, start: &Solved) -> Result<Panel> {
        if let Some(known) = &start.normal {
            return Ok(known.clone());
        }
        let mut product = Panel::zeros(start.weights.rows(), start.weights.cols());
        self.normal.apply(&start.weights, &mut product)?;
        Ok(product)
    }

    /// Takes one step of every column and returns which columns can go no further.
    fn step(&self, running: &mut ActiveColumns) -> Result<Vec<bool>> {
        let direction = &running.direction;
        let mut product = Panel::zeros(direction.rows(), direction.cols());
        self.normal.apply(direction, &mut product)?;
        let curvature = panels::column_dots(direction, &product);
        let length = panels::weighted_column_dots(direction, direction, |i| self.squares[i]);
        // In exact arithmetic dᵀBd is positive. If it is below the cut, relative to dᵀSd, the direction
        // lies in the null space of B up to rounding, and a step along it would be arbitrarily long.
        let stuck: Vec<bool> = curvature.iter().zip(&length).map(|(c, l)| *c <= CUT * l).collect();
        let alpha: Vec<f64> =
            (0..stuck.len()).map(|j| if stuck[j] { 0.0 } else { running.size[j] / curvature[j] }).collect();
        running.advance(&alpha, &product);
        let size = self.size(&running.residual);
        let beta: Vec<f64> = size
            .iter()
            .zip(&running.size)
            .map(|(new, old)| if *old > 0.0 { new / old } else { 0.0 })
            .collect();
        let mut next = self.precondition(&running.residual);
        panels::add_columns_scaled(&mut next, &beta, &running.direction);
        (running.direction, running.size) = (next, size);
        Ok(stuck)
    }

    fn size(&self, residual: &Panel) -> Vec<f64> {
        panels::weighted_column_dots(residual, residual, |i| self.inverse[i])
    }

    fn precondition(&self, residual: &Panel) -> Panel {
        let mut direction = residual.clone();
        panels::scale_rows(&mut direction, &self.inverse);
        direction
    }
}

impl ActiveColumns {
    fn advance(&mut self, alpha: &[f64], product: &Panel) {
        let back: Vec<f64> = alpha.iter().map(|alpha| -alpha).collect();
        panels::add_columns_scaled(&mut self.weights, alpha, &self.direction);
        panels::add_columns_scaled(&mut self.residual, &back, product);
        let gains = alpha.iter().zip(&self.size).map(|(alpha, size)| alpha * size);
        self.gained.iter_mut().zip(gains).for_each(|(sum, gain)| *sum += gain);
    }

    /// Moves columns that are done, or whose residual is zero, to the results and keeps the others.
    fn retire(&mut self, done: &[bool], weights: &mut Panel, residual: &mut Panel) {
        let (leave, stay): (Vec<usize>, Vec<usize>) =
            (0..self.columns.len()).partition(|&j| done[j] || self.size[j] <= 0.0);
        if leave.is_empty() {
            return;
        }
        let columns: Vec<usize> = leave.iter().map(|&j| self.columns[j]).collect();
        panels::put(weights, &columns, &panels::select(&self.weights, &leave));
        panels::put(residual, &columns, &panels::select(&self.residual, &leave));
        for panel in [&mut self.weights, &mut self.residual, &mut self.direction] {
            *panel = panels::select(panel, &stay);
        }
        self.columns = stay.iter().map(|&j| self.columns[j]).collect();
        self.size = stay.iter().map(|&j| self.size[j]).collect();
        self.gained = stay.iter().map(|&j| self.gained[j]).collect();
    }
}

impl LeastSquares for Cg<'_> {
    fn solve(&self, rhs: &Panel, start: Option<Solved>) -> Result<Solved> {
        let goal: Vec<f64> = self.size(rhs).iter().map(|size| self.tol * self.tol * size).collect();
        let reached = |running: &ActiveColumns| -> Vec<bool> {
            running.columns.iter().zip(&running.size).map(|(&column, &size)| size <= goal[column]).collect()
        };
        let (weights, residual) = self.run(rhs, start, reached)?;
        Ok(finish(rhs, weights, &residual))
    }

    fn takes_start(&self) -> bool {
        true
    }
}

/// The description of conjugate gradients as the inner solver of alternating least squares.
pub const SPEC: SolverSpec = SolverSpec {
    parameters: &[Parameter::number(
        "t2",
        500,
        1,
        "at least 1 step of conjugate gradients",
        "most steps of conjugate gradients for each least-squares problem",
    )],
    passes_to_solve: |values| values["t2"].min(USUAL_STEPS) as f64,
    ..SolverSpec::new(
        "cg",
        "conjugate gradients, half a pass per step; nothing p×p is formed",
        |normal, values, resources| Ok(Box::new(Cg::new(normal, values["t2"], resources.tol)?)),
    )
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Centered, Counting, InMemory, Pair, Side, Tally};
    use crate::testing::{from_dense, random_mat, relative_error};
    use faer::Mat;

    /// Columns of different scales. The last three are a copy, a sum of others and zero.
    fn view() -> Mat<f64> {
        let noise = random_mat(90, 9, 1);
        Mat::from_fn(90, 12, |i, j| match j {
            0..9 => (noise[(i, j)] + 0.5) * 10f64.powi(j as i32 % 3 - 1),
            9 => noise[(i, 3)],
            10 => noise[(i, 4)] - 3.0 * noise[(i, 5)],
            _ => 0.0,
        })
    }

    fn centered(view: &Mat<f64>) -> Mat<f64> {
        let mean = |j: usize| view.col(j).sum() / view.nrows() as f64;
        Mat::from_fn(view.nrows(), view.ncols(), |i, j| view[(i, j)] - mean(j))
    }

    /// A pair whose X is the view.
    fn pair() -> InMemory {
        InMemory::new(from_dense(view().as_ref()), from_dense(view().as_ref())).unwrap()
    }

    fn cg(pair: &dyn Pair, ridge: f64, tol: f64) -> Cg<'_> {
        Cg::new(Normal::absolute(pair, Side::X, ridge), 500, tol).unwrap()
    }

    #[test]
    fn singular_centered_and_ridged_systems_are_solved() {
        let (pair, targets) = (pair(), random_mat(90, 5, 2));
        let centered_pair = Centered::new(&pair).unwrap();
        for (dense, pair) in [(view(), &pair as &dyn Pair), (centered(&view()), &centered_pair)] {
            for ridge in [0.0, 1e-3, 10.0] {
                let c = dense.transpose() * &dense;
                let b = Mat::from_fn(12, 12, |i, j| c[(i, j)] + if i == j { ridge } else { 0.0 });
                let rhs = Panel::from_mat((dense.transpose() * &targets).as_ref());
                let Solved { weights, normal } = cg(pair, ridge, 1e-12).solve(&rhs, None).unwrap();
                assert!(relative_error((&b * weights.as_mat()).as_ref(), rhs.as_mat()) < 1e-10);
                let product = normal.expect("known without another pass");
                assert!(relative_error(product.as_mat(), (&b * weights.as_mat()).as_ref()) < 1e-10);
            }
        }
    }

    #[test]
    fn columns_are_independent_and_leave_when_done() {
        let pair = pair();
        let all = Panel::from_mat((view().transpose() * random_mat(90, 3, 3)).as_ref());
        let rhs = Panel::from_fn(12, 3, |i, j| if j == 2 { 0.0 } else { all.row(i)[j] });
        let tally = Tally::default();
        let counting = Counting::rows(&pair, &tally, &());
        let whole = cg(&counting, 0.1, 1e-10).solve(&rhs, None).unwrap().weights;
        let spent = counting.cost();
        assert!(spent.columns <= 2.0 * 2.0 * spent.passes, "the empty column is never multiplied: {spent:?}");
        for j in 0..3 {
            let alone = cg(&pair, 0.1, 1e-10).solve(&panels::columns(&rhs, j, j + 1), None).unwrap().weights;
            assert!(relative_error(panels::columns(&whole, j, j + 1).as_mat(), alone.as_mat()) < 1e-12);
        }
    }

    #[test]
    fn a_start_at_the_answer_takes_no_step_and_one_near_it_takes_fewer() {
        let dense = random_mat(400, 40, 3);
        let pair = InMemory::new(from_dense(dense.as_ref()), from_dense(dense.as_ref())).unwrap();
        let rhs = Panel::from_mat((dense.transpose() * random_mat(400, 4, 4)).as_ref());
        let passes = |start: Option<Solved>| {
            let tally = Tally::default();
            let counting = Counting::rows(&pair, &tally, &());
            cg(&counting, 0.01, 1e-8).solve(&rhs, start).unwrap();
            counting.cost().passes
        };
        let exact = || cg(&pair, 0.01, 1e-14).solve(&rhs, None).unwrap();
        let without_product = Solved { normal: None, ..exact() };
        let mut near = exact().weights;
        panels::add_scaled(&mut near, 1e-6, &Panel::from_mat(random_mat(40, 4, 5).as_ref()));
        assert_eq!((passes(Some(exact())), passes(Some(without_product))), (0.0, 0.5));
        let (warm, cold) = (passes(Some(Solved { weights: near, normal: None })), passes(None));
        assert!(warm + 2.0 < cold, "{warm} {cold}");
    }

    #[test]
    fn the_gain_from_a_start_of_zero_is_the_overlap_with_the_right_hand_side() {
        let pair = pair();
        let rhs = Panel::from_mat((view().transpose() * random_mat(90, 2, 6)).as_ref());
        let gained = std::cell::RefCell::new(vec![0.0; 2]);
        let three = Cg { steps: 3, ..cg(&pair, 0.1, 0.0) };
        let look = |running: &ActiveColumns| {
            *gained.borrow_mut() = running.gained.clone();
            vec![false; 2]
        };
        let (weights, _) = three.run(&rhs, None, look).unwrap();
        let overlap = panels::column_dots(&weights, &rhs);
        assert!(gained.borrow().iter().zip(&overlap).all(|(g, o)| (g - o).abs() < 1e-12 * o), "{overlap:?}");
    }
}
