//! The eigenproblem of CCA on one view, the other being eliminated.
//!
//! If (Cxx + λI)⁻¹ is easy to apply, as for a one-hot view, Wx = (Cxx + λI)⁻¹CxyWy·Θ⁻¹, and the rest is
//!
//! ```text
//! Cyx(Cxx + λI)⁻¹Cxy·wy = d²·(Cyy + λI)·wy
//! ```
//!
//! Its panels are as high as Y is wide, and its gaps are those of d². Measuring takes two passes over rows;
//! over Gram matrices in ordinary memory it takes one (`eliminated`).

use super::eliminated::Eliminated;
use crate::data::{Normal, Side};
use crate::error::{Error, Result};
use crate::fit::pairs::eigenproblem::{
    Block, Captured, Eigenproblem, Ritz, SmallProducts, Trust, ViewPanels, drift, pick,
};
use crate::fit::pairs::problem::Problem;
use crate::fit::pairs::products::Products;
use crate::fit::pairs::view_block::ViewBlock;
use crate::matrix::Panel;
use crate::outcome::Decision;
use crate::panels;
use crate::random;
use crate::small;
use crate::solve::OneHot;
use crate::space::{RowFactors, Tall};
use crate::watch::Loop;
use crate::whiten::whitener;
use faer::Mat;
use std::sync::{Mutex, PoisonError};

/// Iterations are so cheap here that they go on until this share of the tolerance.
const EXTRA_DIGITS: f64 = 1e-3;
/// Estimates from residuals are multiplied by this, because the diagonal is not all of C + λI.
const MARGIN: f64 = 2.0;
/// Values of d below this do not blow up the residual of d, which is that of d² divided by 2d.
const SMALLEST_DIVISOR: f64 = 1e-3;

/// CCA with one view eliminated.
pub(in crate::fit) struct OneView<'a> {
    problem: &'a Problem<'a>,
    kept: Normal<'a>,
    inverse: RowFactors,
    /// Applies (Cxx + λI)⁻¹ of the view that is eliminated.
    solver: OneHot,
    /// The eliminated view's panel of the last measurement, kept because asking the system for another
    /// takes as long as using it.
    across: Mutex<Option<Tall>>,
    /// Measures in one pass instead of two, if there are Gram matrices.
    eliminated: Option<Eliminated>,
}

impl<'a> OneView<'a> {
    /// Eliminates `side`, whose rows hold at most one entry each.
    pub fn new(problem: &'a Problem<'a>, side: Side) -> Result<Self> {
        let (gone, kept) = (problem.normals[side as usize], problem.normals[side.other() as usize]);
        let inverse = problem.space.row_factors(kept.inverse_diagonal()?)?;
        let solver = OneHot::new(gone)?;
        let kept_mean = problem.means.map(|means| &means[kept.side as usize][..]);
        // The effects of covariates are taken out of passes, not of Gram matrices.
        let eliminated = match problem.joint.filter(|_| problem.along.is_none()) {
            Some(joint) => Some(Eliminated::new(joint, side, &solver, kept_mean)?),
            None => None,
        };
        Ok(OneView { problem, kept, inverse, solver, across: Mutex::default(), eliminated })
    }

    fn eliminated(&self) -> Side {
        self.kept.side.other()
    }

    /// The products of a pass: `targets[target]` of the source panel of one side.
    fn pass(&self, side: Side, source: &Tall, targets: [Option<&mut Tall>; 2]) -> Result<()> {
        let [x, y] = targets;
        let (sources, targets) = match side {
            Side::X => ([Some(source), None], [[x, None], [y, None]]),
            Side::Y => ([None, Some(source)], [[None, x], [None, y]]),
        };
        self.problem.space.pass(self.problem.pair, sources, targets)
    }

    /// `[own, eliminated]` in the order X, Y.
    fn ordered<T>(&self, own: T, eliminated: T) -> [T; 2] {
        match self.kept.side {
            Side::X => [own, eliminated],
            Side::Y => [eliminated, own],
        }
    }

    fn solve(&self, across: &mut Tall) -> Result<()> {
        self.problem.space.change_on_host(across, &mut |panel| {
            self.solver.solve_in_place(panel);
            Ok(())
        })
    }
}

impl Eigenproblem for OneView<'_> {
    fn algorithm(&self) -> Loop {
        Loop::Eliminate
    }

    fn tolerance(&self) -> f64 {
        EXTRA_DIGITS * self.problem.settings.tol
    }

    fn random_weights(&self) -> Result<Vec<Panel>> {
        let block = self.problem.block();
        Ok(vec![self.problem.random_weights(self.kept.side, block, random::Purpose::Start)?])
    }

    fn image_rows(&self) -> Vec<usize> {
        vec![self.kept.size()]
    }

    fn pick_own(&self, [x, y]: [Panel; 2]) -> Vec<Panel> {
        vec![if self.kept.side == Side::X { x } else { y }]
    }

    fn to_both_views(&self, mut weights: Vec<Panel>) -> [Panel; 2] {
        let none = Panel::zeros(self.kept.shape().cols(self.eliminated()), 0);
        self.ordered(weights.remove(0), none)
    }

    fn measure(&self, block: &mut Block) -> Result<()> {
        let space = self.problem.space;
        let ViewPanels { w, bw, image } = &mut block.views[0];
        if let Some(eliminated) = self.eliminated.as_ref().filter(|_| w.is_stored_as::<Panel>()) {
            self.pass(self.kept.side, w, self.ordered(Some(&mut *bw), None))?;
            space.add_scaled(bw, self.kept.ridge, w)?;
            eliminated.apply(w.storage(), image.storage_mut())?;
            let is_kept = |side: Side| side == self.kept.side;
            let wants = Side::BOTH.map(|target| Side::BOTH.map(|source| !is_kept(target) && is_kept(source)));
            return self.problem.pair.count_pass(self.ordered(w.cols(), 0), wants);
        }
        let mut kept = self.across.lock().unwrap_or_else(PoisonError::into_inner);
        let mut across = match kept.take().filter(|across| across.cols() == w.cols()) {
            Some(across) => across,
            None => space.zeros(self.kept.shape().cols(self.eliminated()), w.cols())?,
        };
        self.pass(self.kept.side, w, self.ordered(Some(&mut *bw), Some(&mut across)))?;
        space.add_scaled(bw, self.kept.ridge, w)?;
        self.solve(&mut across)?;
        self.pass(self.eliminated(), &across, self.ordered(Some(image), None))?;
        *kept = Some(across);
        Ok(())
    }

    fn ritz(
        &self,
        basis: &[&Block],
        _partners: Option<&[usize]>,
        _known: Option<&SmallProducts>,
    ) -> Result<Ritz> {
        let space = self.problem.space;
        let w = pick(basis, 0, |v| &v.w);
        let gram = space.symmetric_cross(&w, &pick(basis, 0, |v| &v.bw))?;
        let h = whitener(gram.as_ref())?;
        let a = space.symmetric_cross(&w, &pick(basis, 0, |v| &v.image))?;
        let small = h.transpose() * a * &h;
        let (values, vectors) = small::eigen(small.as_ref()).ok_or(Error::Factorization("SᵀAS"))?;
        // Eigenvalues ascend, and the largest are wanted first.
        let rank = small.nrows();
        let m = basis[0].columns().min(rank);
        let top = Mat::from_fn(rank, m, |i, j| vectors[(i, rank - 1 - j)]);
        let theta = (0..m).map(|j| values[rank - 1 - j].max(0.0).sqrt()).collect();
        Ok(Ritz {
            coefficients: vec![h * top],
            theta,
            drift: drift(&gram, basis[0].columns()),
            known: None,
            is_too_rough: false,
        })
    }

    /// A·W − B·W·Θ².
    fn residuals_into(&self, out: &mut Block, w: &Block, theta: &[f64]) -> Result<()> {
        let squares: Vec<f64> = theta.iter().map(|t| t * t).collect();
        let w = &w.views[0];
        self.problem.space.difference(&mut out.views[0].w, &w.image, &squares, &w.bw)
    }

    fn captured(&self, _w: &Block, theta: &[f64]) -> Result<Captured> {
        Ok(Captured::Total(theta.iter().take(self.problem.settings.k).sum()))
    }

    fn precondition(&self, residuals: &mut Block, theta: &[f64]) -> Result<Vec<f64>> {
        let squares = self.problem.space.weighted_squares(&residuals.views[0].w, &self.inverse)?;
        self.problem.space.scale_rows(&mut residuals.views[0].w, &self.inverse)?;
        let size = |(square, d): (&f64, &f64)| square / (2.0 * d.max(SMALLEST_DIVISOR)).powi(2);
        Ok(squares.iter().zip(theta).map(size).collect())
    }

    fn reconsider(&mut self, _w: &Block, _r: &Block, _left: Option<f64>) -> Result<()> {
        Ok(())
    }

    fn trust(&self) -> Trust {
        Trust::Estimated { is_shifted: false, margin: MARGIN }
    }

    fn is_fresh(&mut self, _w: &Block, _r: &Block, _theta: &[f64], _short: &[f64]) -> Result<bool> {
        Ok(true)
    }

    /// The weights of the eliminated view, which are (Cxx + λI)⁻¹Cxy·Wy up to scale: one pass.
    fn finish(&self, mut weights: Vec<Panel>) -> Result<[Panel; 2]> {
        let space = self.problem.space;
        let own = space.upload(weights.remove(0))?;
        let mut across = space.zeros(self.kept.shape().cols(self.eliminated()), own.cols())?;
        self.pass(self.kept.side, &own, self.ordered(None, Some(&mut across)))?;
        self.solve(&mut across)?;
        Ok(self.ordered(space.take(own)?, space.take(across)?))
    }

    /// With V = Cxy·Wy, the weights of the eliminated view are Wx = (Cxx + λI)⁻¹V, and then (Cxx + λI)·Wx = V
    /// and Cyx·Wx is the image of Wy.
    fn best_products(&self, w: &Block) -> Result<Option<Products>> {
        let own = &w.views[0].w;
        if self.eliminated.is_none() || !own.is_stored_as::<Panel>() || self.problem.keeps_weights {
            return Ok(None);
        }
        let (space, k) = (self.problem.space, self.problem.settings.k.min(own.cols()));
        let own = panels::columns(own.storage(), 0, k);
        let mut block = Block::unmeasured(space, vec![own], &self.image_rows())?;
        self.measure(&mut block)?;
        let mut v = space.zeros(self.kept.shape().cols(self.eliminated()), k)?;
        self.pass(self.kept.side, &block.views[0].w, self.ordered(None, Some(&mut v)))?;
        let v = space.take(v)?;
        let mut solved = v.clone();
        self.solver.solve_in_place(&mut solved);
        let Some(ViewPanels { w, bw, image }) = block.views.pop() else { return Ok(None) };
        let gone = ViewBlock { w: solved, bw: v.clone(), across: space.take(image)? };
        let kept = ViewBlock { w: space.take(w)?, bw: space.take(bw)?, across: v };
        Ok(Some(Products::Views(Box::new(self.ordered(kept, gone)))))
    }

    fn decisions(&self) -> Vec<Decision> {
        Vec::new()
    }
}
