//! What LOBPCG needs to know of the equations it solves: CCA of two views, or of one view with the other
//! eliminated.

use super::products::Products;
use super::view_block::ViewBlock;
use crate::error::Result;
use crate::matrix::Panel;
use crate::metric;
use crate::outcome::Decision;
use crate::small::times;
use crate::space::{Advance, Space, Tall};
use crate::watch::Loop;
use faer::Mat;

/// What tells a captured correlation.
pub(in crate::fit) enum Captured {
    /// The correlation itself.
    Total(f64),
    /// Small products, which take some decompositions.
    Products { x_gram: Mat<f64>, y_gram: Mat<f64>, cross: Mat<f64> },
}

impl Captured {
    /// The captured correlation.
    pub fn total(self) -> Result<f64> {
        match self {
            Captured::Total(total) => Ok(total),
            Captured::Products { x_gram, y_gram, cross } => {
                metric::captured_total(x_gram.as_ref(), y_gram.as_ref(), cross.as_ref())
            }
        }
    }
}

/// A generalized eigenproblem A·w = θ·B·w whose largest θ are wanted, as LOBPCG sees it.
///
/// A block has one [`ViewPanels`] for each view that is iterated on.
pub(in crate::fit) trait Eigenproblem {
    /// The loop's name in checkpoints.
    fn algorithm(&self) -> Loop;

    /// What may be missing from Σθ, relative to it.
    fn tolerance(&self) -> f64;

    /// Random weights of unit-length columns, one panel for each view that is iterated on.
    fn random_weights(&self) -> Result<Vec<Panel>>;

    /// Random weights to begin with.
    fn random_start(&self) -> Result<Vec<Panel>> {
        self.random_weights()
    }

    /// The height of each view's image under A.
    fn image_rows(&self) -> Vec<usize>;

    /// Of a checkpoint's two panels, those of the views that are iterated on.
    fn pick_own(&self, weights: [Panel; 2]) -> Vec<Panel>;

    /// The panels of a checkpoint; a view that is not iterated on has no columns.
    fn to_both_views(&self, weights: Vec<Panel>) -> [Panel; 2];

    /// Forms the products B·W and the image of W, in one or more passes.
    fn measure(&self, block: &mut Block) -> Result<()>;

    /// The best pairs in the span of the blocks W, T and P, at most as many as W has columns. T and P may be
    /// missing. `partners` says for each column of T to which pair of W it belongs, if pairs may be found in
    /// groups. `known` are the products of W and P with each other, if they were carried along.
    fn ritz(
        &self,
        basis: &[&Block],
        partners: Option<&[usize]>,
        known: Option<&SmallProducts>,
    ) -> Result<Ritz>;

    /// Writes the residuals A·W − B·W·Θ into the weights of `out`.
    fn residuals_into(&self, out: &mut Block, w: &Block, theta: &[f64]) -> Result<()>;

    /// What tells the captured correlation of the k best pairs of W.
    fn captured(&self, w: &Block, theta: &[f64]) -> Result<Captured>;

    /// Whether [`Eigenproblem::reconsider`] will need much memory.
    fn needs_room(&self) -> bool {
        false
    }

    /// Called once per iteration with the residuals R and the iterations that are still expected: a better
    /// preconditioner M may pay.
    fn reconsider(&mut self, w: &Block, r: &Block, iterations_left: Option<f64>) -> Result<()>;

    /// R ← T = M⁻¹R in the weights of `residuals`. Returns rᵀM⁻¹r of each pair, all views together.
    fn precondition(&self, residuals: &mut Block, theta: &[f64]) -> Result<Vec<f64>>;

    /// How far M can be trusted.
    fn trust(&self) -> Trust;

    /// Whether a claim of convergence can stand on M; `short` says how much each value is short. If not, M
    /// was changed so that it can see what it may have overlooked, or a proof needs better pairs.
    fn is_fresh(&mut self, w: &Block, r: &Block, theta: &[f64], short: &[f64]) -> Result<bool>;

    /// What is proven to be the most that can be missing from Σθ, if the last claim was proven.
    fn proven_missing(&self) -> Option<f64> {
        None
    }

    /// Directions that refute the last claim. Each comes once.
    fn take_refuting(&mut self) -> Option<Vec<Panel>> {
        None
    }

    /// The weights of both views.
    fn finish(&self, weights: Vec<Panel>) -> Result<[Panel; 2]>;

    /// The k best pairs of W with all their products, if the equations know them for less than a pass over
    /// both views costs.
    fn best_products(&self, _w: &Block) -> Result<Option<Products>> {
        Ok(None)
    }

    /// The decisions that were made on the way.
    fn decisions(&self) -> Vec<Decision>;
}

/// How far residuals can be trusted that are measured in the norm of M⁻¹.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::fit) enum Trust {
    /// M is near B − A in every direction: residuals times `factor` say what is missing.
    Near { factor: f64 },
    /// M stands for B − A on all columns, and how well is measured as the fit goes on.
    Measured,
    /// What residuals say is multiplied by `margin`; `is_shifted` says whether M stands for B − A on some
    /// columns and not for B alone.
    Estimated { is_shifted: bool, margin: f64 },
}

impl Trust {
    /// Whether M stands for B − A and not for B alone.
    pub fn is_shifted(self) -> bool {
        !matches!(self, Trust::Estimated { is_shifted: false, .. })
    }
}

/// The best pairs in the span of some blocks.
pub(in crate::fit) struct Ritz {
    /// For each view, the pairs' weights in terms of the blocks' columns.
    pub coefficients: Vec<Mat<f64>>,
    /// The objective of each pair.
    pub theta: Vec<f64>,
    /// How far the first block was from WᵀBW = I, if that was measured.
    pub drift: f64,
    /// The products of the new W and P with each other, if the equations keep them.
    pub known: Option<SmallProducts>,
    /// Whether single precision, if panels are in it, may hide directions that matter.
    pub is_too_rough: bool,
}

/// SxᵀBxSx, SyᵀBySy and SxᵀCxySy of some basis S.
pub(in crate::fit) struct SmallProducts {
    pub x: Mat<f64>,
    pub y: Mat<f64>,
    pub cross: Mat<f64>,
}

impl SmallProducts {
    /// The same for the basis S·E.
    pub fn turned(&self, ex: &Mat<f64>, ey: &Mat<f64>) -> Self {
        SmallProducts {
            x: turned(&self.x, ex, ex),
            y: turned(&self.y, ey, ey),
            cross: turned(&self.cross, ex, ey),
        }
    }
}

/// AᵀMB.
pub(in crate::fit) fn turned(m: &Mat<f64>, a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    times(times(a.transpose(), m.as_ref()).as_ref(), b.as_ref())
}

/// How far the first `size` rows and columns of SᵀBS are from I.
pub(in crate::fit) fn drift(gram: &Mat<f64>, size: usize) -> f64 {
    (gram.submatrix(0, 0, size, size) - Mat::<f64>::identity(size, size)).norm_max()
}

/// One view's weights and their products.
pub(in crate::fit) struct ViewPanels {
    pub w: Tall,
    /// B·W.
    pub bw: Tall,
    /// The image of W under A, as high as [`Eigenproblem::image_rows`] says.
    pub image: Tall,
}

impl ViewPanels {
    fn unmeasured(space: &dyn Space, w: Tall, image_rows: usize) -> Result<Self> {
        let (bw, image) = (space.zeros(w.rows(), w.cols())?, space.zeros(image_rows, w.cols())?);
        Ok(ViewPanels { w, bw, image })
    }
}

/// The weights of all views that are iterated on, with their products.
pub(in crate::fit) struct Block {
    pub views: Vec<ViewPanels>,
}

impl Block {
    /// Weights whose products are still to be measured.
    pub fn unmeasured(space: &dyn Space, weights: Vec<Panel>, image_rows: &[usize]) -> Result<Self> {
        Block::placed(space, uploaded(space, weights)?, image_rows)
    }

    /// The same of weights that are in the space already.
    pub fn placed(space: &dyn Space, weights: Vec<Tall>, image_rows: &[usize]) -> Result<Self> {
        let views = weights.into_iter().zip(image_rows);
        let views = views.map(|(w, &rows)| ViewPanels::unmeasured(space, w, rows));
        Ok(Block { views: views.collect::<Result<_>>()? })
    }

    pub fn columns(&self) -> usize {
        self.views.first().map_or(0, |view| view.w.cols())
    }

    /// A block of the same heights, all zero.
    pub fn zeros_like(&self, space: &dyn Space, columns: usize) -> Result<Self> {
        let views = self.views.iter().map(|view| {
            ViewPanels::unmeasured(space, space.zeros(view.w.rows(), columns)?, view.image.rows())
        });
        Ok(Block { views: views.collect::<Result<_>>()? })
    }

    /// Weights of the same heights, all zero, without room for products.
    pub fn weights_like(&self, space: &dyn Space, columns: usize) -> Result<Self> {
        let views = self.views.iter().map(|view| {
            let (bw, image) = (space.zeros(0, 0)?, space.zeros(0, 0)?);
            Ok(ViewPanels { w: space.zeros(view.w.rows(), columns)?, bw, image })
        });
        Ok(Block { views: views.collect::<Result<_>>()? })
    }

    /// The weights in the precision of panels that are made now, their products still to be measured.
    pub fn refined(mut self, space: &dyn Space, image_rows: &[usize]) -> Result<Self> {
        self.without_products(space)?;
        let mut views = Vec::new();
        for ViewPanels { w, bw, image } in self.views {
            views.push(ViewPanels { w: space.refined(w)?, bw, image });
        }
        let mut refined = Block { views };
        refined.with_products(space, image_rows)?;
        Ok(refined)
    }

    /// Gives up the memory of the products, which have to be measured again.
    pub fn without_products(&mut self, space: &dyn Space) -> Result<()> {
        for view in &mut self.views {
            (view.bw, view.image) = (space.zeros(0, 0)?, space.zeros(0, 0)?);
        }
        Ok(())
    }

    /// Makes room for the products again.
    pub fn with_products(&mut self, space: &dyn Space, image_rows: &[usize]) -> Result<()> {
        for (view, &rows) in self.views.iter_mut().zip(image_rows) {
            let (height, cols) = (view.w.rows(), view.w.cols());
            (view.bw, view.image) = (space.zeros(height, cols)?, space.zeros(rows, cols)?);
        }
        Ok(())
    }

    /// Some of the columns, their products still to be measured; the block itself if it is all of them.
    pub fn select(self, space: &dyn Space, which: &[usize]) -> Result<Self> {
        if which.len() == self.columns() {
            return Ok(self);
        }
        let views = self
            .views
            .iter()
            .map(|view| ViewPanels::unmeasured(space, space.select(&view.w, which)?, view.image.rows()));
        Ok(Block { views: views.collect::<Result<_>>()? })
    }

    /// These columns and more, their products still to be measured.
    pub fn beside(self, space: &dyn Space, more: Vec<Tall>) -> Result<Self> {
        let image_rows: Vec<usize> = self.views.iter().map(|view| view.image.rows()).collect();
        let weights = self.views.into_iter().zip(more).map(|(view, more)| beside(space, view.w, more));
        Block::placed(space, weights.collect::<Result<_>>()?, &image_rows)
    }

    /// The first `columns` columns and the others, each with their products. One panel after the other is
    /// split, so that hardly more memory is needed than for the whole.
    pub fn split(self, space: &dyn Space, columns: usize) -> Result<[Self; 2]> {
        let (first, rest): (Vec<usize>, Vec<usize>) = (0..self.columns()).partition(|&j| j < columns);
        let halves = |panel: Tall| Ok([space.select(&panel, &first)?, space.select(&panel, &rest)?]);
        let mut blocks = [Block { views: Vec::new() }, Block { views: Vec::new() }];
        for ViewPanels { w, bw, image } in self.views {
            let [[w, w_rest], [bw, bw_rest], [image, image_rest]] = [halves(w)?, halves(bw)?, halves(image)?];
            blocks[0].views.push(ViewPanels { w, bw, image });
            blocks[1].views.push(ViewPanels { w: w_rest, bw: bw_rest, image: image_rest });
        }
        Ok(blocks)
    }

    /// W ← W·M for each view, and the products with it.
    pub fn turn(&mut self, space: &dyn Space, coefficients: &[Mat<f64>]) -> Result<()> {
        for (view, m) in self.views.iter_mut().zip(coefficients) {
            for panel in [&mut view.w, &mut view.bw, &mut view.image] {
                space.multiply(panel, m.as_ref())?;
            }
        }
        Ok(())
    }

    /// W ← W·Cw + T·Ct + P·Cp and P ← T·Ct + P·Cp with coefficients [Cw; Ct; Cp], and the products with them.
    /// On the first step there is no P yet: `p_is_empty` says that its panels hold nothing.
    pub fn advance(
        &mut self,
        space: &dyn Space,
        t: &Block,
        p: &mut Block,
        coefficients: &[Mat<f64>],
        p_is_empty: bool,
    ) -> Result<()> {
        let (own, more) = (self.columns(), t.columns());
        let last = if p_is_empty { 0 } else { p.columns() };
        for (((w, t), p), c) in self.views.iter_mut().zip(&t.views).zip(&mut p.views).zip(coefficients) {
            let c = [c.subrows(0, own), c.subrows(own, more), c.subrows(own + more, last)];
            let weights = Advance { w: &mut w.w, p: &mut p.w, t: &t.w };
            let products = Advance { w: &mut w.bw, p: &mut p.bw, t: &t.bw };
            let images = Advance { w: &mut w.image, p: &mut p.image, t: &t.image };
            space.advance_all(&mut [weights, products, images], c)?;
        }
        Ok(())
    }

    /// All panels, moved to the host.
    pub fn into_views(self, space: &dyn Space) -> Result<Vec<ViewBlock>> {
        let take = |ViewPanels { w, bw, image }: ViewPanels| {
            Ok(ViewBlock { w: space.take(w)?, bw: space.take(bw)?, across: space.take(image)? })
        };
        self.views.into_iter().map(take).collect()
    }

    /// Copies of the weights on the host.
    pub fn weights(&self, space: &dyn Space) -> Result<Vec<Panel>> {
        self.views.iter().map(|view| space.download(&view.w)).collect()
    }
}

/// [A B], wherever they are: A·[I 0] + B·[0 I].
fn beside(space: &dyn Space, mut a: Tall, mut b: Tall) -> Result<Tall> {
    let (own, more) = (a.cols(), b.cols());
    let place = |first: usize, count: usize| {
        Mat::from_fn(count, own + more, |i, j| if j == first + i { 1.0 } else { 0.0 })
    };
    space.multiply(&mut a, place(0, own).as_ref())?;
    space.multiply(&mut b, place(own, more).as_ref())?;
    space.add_scaled(&mut a, 1.0, &b)?;
    Ok(a)
}

/// Panels of the host, moved into a space.
pub(in crate::fit) fn uploaded(space: &dyn Space, panels: Vec<Panel>) -> Result<Vec<Tall>> {
    panels.into_iter().map(|panel| space.upload(panel)).collect()
}

/// The panels of one view of several blocks.
pub(in crate::fit) fn pick<'b>(
    basis: &[&'b Block],
    view: usize,
    panel: fn(&ViewPanels) -> &Tall,
) -> Vec<&'b Tall> {
    basis.iter().map(|block| panel(&block.views[view])).collect()
}
