//! The eigenproblem of CCA on both views.
//!
//! ```text
//! A = [0    Cxy]    B = [Cxx + λx   0      ]
//!     [Cyx  0  ]        [0          Cyy + λy]
//! ```
//!
//! The eigenvalues are ±d. Rayleigh–Ritz keeps the views apart: x and y are whitened separately over Sx = [Wx
//! Tx Px] and Sy = [Wy Ty Py], and an SVD of the small SxᵀCxySy gives the best pairs. One fused pass measures
//! both views.

use super::subblocks;
use crate::data::{Pair, Side};
use crate::error::Result;
use crate::fit::pairs::best_pairs::PlacedPairs;
use crate::fit::pairs::eigenproblem::{
    Block, Captured, Eigenproblem, Ritz, SmallProducts, Trust, ViewPanels, drift, pick,
};
use crate::fit::pairs::figures_elsewhere;
use crate::fit::pairs::measured::measure;
use crate::fit::pairs::problem::Problem;
use crate::fit::pairs::products::Products;
use crate::fit::pairs::significant::SIGNIFICANT;
use crate::fit::precondition::inverse::Shared;
use crate::fit::precondition::preconditioner::Preconditioner;
use crate::fit::proof::Proofs;
use crate::matrix::Panel;
use crate::outcome::Decision;
use crate::random;
use crate::space::{Reduction, RowFactors, Tall};
use crate::watch::Loop;
use crate::whiten::{CUT, Turns, turns_by, whiteners_and_shares};
use faer::Mat;

/// The small products of a basis are carried on to the next one if its smallest share is above this;
/// otherwise they are formed from panels again. Carrying divides their rounding errors by the share, and
/// Rayleigh–Ritz divides by it once more: at 1e-12 the errors grew from 1e-11 to 1e-2 in three iterations,
/// and totals rose above the largest possible.
const CARRIED: f64 = 1e-11;

/// The same for subblocks. They assume that the new W is orthonormal, which it is but for 1e-16 divided by
/// their smallest share.
const CARRIED_IN_PARTS: f64 = 1e-8;
/// Subblocks leave out directions of which W leaves less than this.
const LEFT_BY_W: f64 = 1e-10;

/// If panels are in single precision, directions that depend on others but for this share are left out.
const ROUGH_CUT: f64 = 1e-6;
/// And a preconditioned residual with a smaller share vᵀBv/vᵀDv says that single precision does not see what
/// matters.
const ROUGH_SIGNIFICANT: f64 = 1e-4;

/// CCA of both views, with the preconditioner in use.
pub(in crate::fit) struct BothViews<'a> {
    problem: &'a Problem<'a>,
    /// The diagonal of B of each view.
    diagonal: [RowFactors; 2],
    preconditioner: Preconditioner<'a>,
    proofs: Proofs,
}

impl<'a> BothViews<'a> {
    /// `is_informed` says that the iteration starts from pairs that another fit has found.
    pub fn new(problem: &'a Problem<'a>, is_informed: bool) -> Result<Self> {
        let proofs = Proofs::unasked(problem)?;
        Ok(BothViews { proofs, ..BothViews::with(problem, Preconditioner::new(problem, is_informed)?)? })
    }

    /// For a rough fit, whose claims are not proven.
    pub fn rough(problem: &'a Problem<'a>, is_informed: bool) -> Result<Self> {
        BothViews::with(problem, Preconditioner::rough(problem, is_informed)?)
    }

    fn with(problem: &'a Problem<'a>, preconditioner: Preconditioner<'a>) -> Result<Self> {
        let [x, y] = problem.normals;
        let diagonal = [problem.space.row_factors(x.diagonal()?)?, problem.space.row_factors(y.diagonal()?)?];
        Ok(BothViews { problem, diagonal, preconditioner, proofs: Proofs::none() })
    }
}

impl BothViews<'_> {
    /// What stands for (B − A)⁻¹, for other fits.
    pub fn into_shared(self) -> Option<Shared> {
        self.preconditioner.into_shared()
    }
}

impl BothViews<'_> {
    /// Random weights that are fair in the norm of M where M stands for all columns: pairs in directions of
    /// small variance are as likely in them as others.
    fn fair_weights(&self) -> Result<Vec<Panel>> {
        let (Problem { settings, .. }, columns) = (self.problem, self.problem.block());
        let [rows, more] = self.widths();
        let mut x = random::normal_panel(rows, columns, settings.seed, random::Purpose::Start);
        let mut y = random::normal_panel(more, columns, settings.seed, random::Purpose::StartY);
        if self.preconditioner.spread([&mut x, &mut y])? { Ok(vec![x, y]) } else { self.random_weights() }
    }

    /// Columns of each view.
    fn widths(&self) -> [usize; 2] {
        let shape = self.problem.pair.shape();
        [shape.x_cols, shape.y_cols]
    }

    /// All products of a basis, from its panels, and the heights of its T.
    fn products(&self, basis: &[&Block]) -> Result<(SmallProducts, Heights)> {
        let both = |panel: fn(&ViewPanels) -> &Tall| [0, 1].map(|view| pick(basis, view, panel));
        let (w, bw, image) = (both(|v| &v.w), both(|v| &v.bw), both(|v| &v.image));
        // SxᵀCxySy over the columns of the narrower view, which is less work.
        let cross = if basis[0].views[0].w.rows() <= basis[0].views[1].w.rows() {
            Reduction::Cross(&w[0], &image[1])
        } else {
            Reduction::Cross(&image[0], &w[1])
        };
        let mut wanted =
            vec![Reduction::Symmetric(&w[0], &bw[0]), Reduction::Symmetric(&w[1], &bw[1]), cross];
        wanted.extend(basis.get(1).into_iter().flat_map(|t| self.heights(t)));
        let mut found = self.problem.space.reduce(&wanted)?;
        let heights = found.split_off(3);
        let [x, y, cross] = in_order(found);
        Ok((SmallProducts { x, y, cross }, columns_of(&heights)))
    }

    /// vᵀDv of the columns of T in each view.
    fn heights<'t>(&'t self, t: &'t Block) -> [Reduction<'t>; 2] {
        [0, 1].map(|view| Reduction::Squares(&t.views[view].w, &self.diagonal[view]))
    }

    /// The products of the basis [W T P] from those of [W P]: only those of T are formed from panels, which
    /// is less than half of the work. The heights of T come with them.
    fn products_of_t(
        &self,
        w: &Block,
        t: &Block,
        p: &Block,
        known: &SmallProducts,
    ) -> Result<(SmallProducts, Heights)> {
        let (own, more) = (w.columns(), t.columns());
        let all = [0, 1].map(|view| pick(&[w, t, p], view, |v| &v.w));
        let others = pick(&[w, p], 0, |v| &v.w);
        let [[x_bw, x_image], [y_bw, y_image]] =
            [0, 1].map(|view| [[&t.views[view].bw], [&t.views[view].image]]);
        let [x_heights, y_heights] = self.heights(t);
        let found = self.problem.space.reduce(&[
            // Those with the same panels next to each other.
            Reduction::Cross(&x_bw, &all[0]),
            Reduction::Cross(&others, &y_image),
            Reduction::Cross(&y_bw, &all[1]),
            Reduction::Cross(&x_image, &all[1]),
            x_heights,
            y_heights,
        ])?;
        let [x, down, y, across, x_heights, y_heights] = in_order(found);
        let (last, size) = (p.columns(), own + more + p.columns());
        // Where the blocks of W and P are in [W T P] and in [W P].
        let kept = [(0, 0, own), (own + more, own, last)];
        let with_known = |known: &Mat<f64>| {
            let mut all = Mat::zeros(size, size);
            for (row, known_row, rows) in kept {
                for (col, known_col, cols) in kept {
                    let block = known.submatrix(known_row, known_col, rows, cols);
                    all.submatrix_mut(row, col, rows, cols).copy_from(block);
                }
            }
            all
        };
        let gram = |known: &Mat<f64>, rows: &Mat<f64>| {
            let mut all = with_known(known);
            all.subrows_mut(own, more).copy_from(rows);
            all.subcols_mut(own, more).copy_from(rows.transpose());
            let between = rows.subcols(own, more);
            all.submatrix_mut(own, own, more, more)
                .copy_from((between + between.transpose()) * faer::Scale(0.5));
            all
        };
        let cross = || {
            let mut cross = with_known(&known.cross);
            cross.subrows_mut(own, more).copy_from(&across);
            for (row, known_row, rows) in kept {
                cross.submatrix_mut(row, own, rows, more).copy_from(down.subrows(known_row, rows));
            }
            cross
        };
        let (x, (y, cross)) =
            rayon::join(|| gram(&known.x, &x), || rayon::join(|| gram(&known.y, &y), cross));
        let products = SmallProducts { x, y, cross };
        Ok((products, columns_of(&[x_heights, y_heights])))
    }
}

impl Eigenproblem for BothViews<'_> {
    fn algorithm(&self) -> Loop {
        Loop::Lobpcg
    }

    fn tolerance(&self) -> f64 {
        self.problem.settings.tol
    }

    fn random_weights(&self) -> Result<Vec<Panel>> {
        let uses = [random::Purpose::Start, random::Purpose::StartY];
        let panel = |side: Side| self.problem.random_weights(side, self.problem.block(), uses[side as usize]);
        Side::BOTH.into_iter().map(panel).collect()
    }

    fn random_start(&self) -> Result<Vec<Panel>> {
        self.fair_weights()
    }

    fn image_rows(&self) -> Vec<usize> {
        let shape = self.problem.pair.shape();
        vec![shape.y_cols, shape.x_cols]
    }

    fn pick_own(&self, weights: [Panel; 2]) -> Vec<Panel> {
        weights.into()
    }

    fn to_both_views(&self, weights: Vec<Panel>) -> [Panel; 2] {
        let [x, y]: [Panel; 2] = weights.try_into().expect("a block of both views has two panels");
        [x, y]
    }

    fn measure(&self, block: &mut Block) -> Result<()> {
        measure(self.problem, block)
    }

    fn ritz(
        &self,
        basis: &[&Block],
        partners: Option<&[usize]>,
        known: Option<&SmallProducts>,
    ) -> Result<Ritz> {
        let (space, size) = (self.problem.space, basis[0].columns());
        let (mut products, heights, drift) = match (basis, known) {
            (&[w, t, p], Some(known)) => {
                let (products, heights) = self.products_of_t(w, t, p, known)?;
                (products, heights, 0.0)
            }
            _ => {
                let (products, heights) = self.products(basis)?;
                let drift = drift(&products.x, size).max(drift(&products.y, size));
                (products, heights, drift)
            }
        };
        let (is_rough, mut is_too_rough) = (space.is_rough(), false);
        for (gram, heights) in [&mut products.x, &mut products.y].into_iter().zip(&heights) {
            let mut shares = (size..).zip(heights).map(|(j, height)| gram[(j, j)] / height);
            is_too_rough |= is_rough && shares.any(|share| share <= ROUGH_SIGNIFICANT);
            leave_out_noise(gram, size, heights);
        }
        // Several subblocks cost some iterations. On the host these take longer than what is saved.
        if let Some(partners) = partners.filter(|_| space.is_remote() && !is_rough)
            && let Some(best) = subblocks::best(space.decompositions(), &products, size, partners, LEFT_BY_W)?
        {
            let known = Some(best.known).filter(|_| best.share > CARRIED_IN_PARTS);
            return Ok(Ritz {
                coefficients: best.coefficients.into(),
                theta: best.theta,
                drift,
                known,
                is_too_rough,
            });
        }
        let cut = if is_rough { ROUGH_CUT } else { CUT };
        let by = space.decompositions();
        let whiteners = whiteners_and_shares(by, &[&products.x, &products.y], cut)?;
        let [(hx, x_share), (hy, y_share)] = &whiteners[..] else { unreachable!("one whitener per view") };
        let Turns { x: cx, y: cy, values: theta } = turns_by(by, hx, hy, products.cross.as_ref(), size)?;
        let m = theta.len();
        // Directions that are lost here would not come back.
        is_too_rough |= is_rough && m < size;
        // The next basis is W·Cw + T·Ct + P·Cp and T·Ct + P·Cp.
        let next = |c: &Mat<f64>| {
            Mat::from_fn(c.nrows(), 2 * m, |i, j| match (j < m, i < size) {
                (true, _) => c[(i, j)],
                (false, true) => 0.0,
                (false, false) => c[(i, j - m)],
            })
        };
        let is_carried = basis.len() > 1 && x_share.min(*y_share) > CARRIED;
        let known = is_carried.then(|| products.turned(&next(&cx), &next(&cy)));
        Ok(Ritz { coefficients: vec![cx, cy], theta, drift, known, is_too_rough })
    }

    /// Cxy·Wy − (Cxx + λ)·Wx·Θ and Cyx·Wx − (Cyy + λ)·Wy·Θ.
    fn residuals_into(&self, out: &mut Block, w: &Block, theta: &[f64]) -> Result<()> {
        let space = self.problem.space;
        for view in 0..2 {
            let (own, other) = (&w.views[view], &w.views[1 - view]);
            space.difference(&mut out.views[view].w, &other.image, theta, &own.bw)?;
        }
        Ok(())
    }

    /// WᵀBW = I and WxᵀCxyWy = Θ, so that only a ridge has to be taken out of B. If covariances are
    /// maximized, it is their sum.
    fn captured(&self, w: &Block, theta: &[f64]) -> Result<Captured> {
        let k = self.problem.settings.k.min(theta.len());
        if !self.problem.settings.is_cca() {
            return Ok(Captured::Total(self.problem.unit() * theta[..k].iter().sum::<f64>()));
        }
        let ridges = self.problem.normals.map(|normal| normal.ridge);
        if ridges == [0.0, 0.0] {
            return Ok(Captured::Total(theta[..k].iter().sum()));
        }
        let gram = |view: usize| -> Result<Mat<f64>> {
            let panel = [&w.views[view].w];
            let lengths = self.problem.space.cross(&panel, &panel)?;
            Ok(Mat::from_fn(k, k, |i, j| f64::from(i == j) - ridges[view] * lengths[(i, j)]))
        };
        let cross = Mat::from_fn(k, k, |i, j| if i == j { theta[i] } else { 0.0 });
        Ok(Captured::Products { x_gram: gram(0)?, y_gram: gram(1)?, cross })
    }

    fn needs_room(&self) -> bool {
        self.preconditioner.needs_room()
    }

    fn reconsider(&mut self, w: &Block, r: &Block, iterations_left: Option<f64>) -> Result<()> {
        self.proofs.count_iteration();
        self.preconditioner.reconsider(w, r, iterations_left)
    }

    fn precondition(&self, residuals: &mut Block, _theta: &[f64]) -> Result<Vec<f64>> {
        let [x, y] = &mut residuals.views[..] else { unreachable!("a block of both views has two") };
        self.preconditioner.apply(&mut x.w, &mut y.w)
    }

    fn trust(&self) -> Trust {
        self.preconditioner.trust()
    }

    fn is_fresh(&mut self, w: &Block, r: &Block, theta: &[f64], short: &[f64]) -> Result<bool> {
        if self.proofs.is_certain(self.problem, theta) {
            return Ok(true);
        }
        if !self.preconditioner.is_fresh(w, r)? {
            return Ok(false);
        }
        let is_near = matches!(self.preconditioner.trust(), Trust::Near { .. });
        let diagonal = self.preconditioner.diagonal();
        self.proofs.may_claim(self.problem, is_near, diagonal, [w, r], [theta, short])
    }

    fn take_refuting(&mut self) -> Option<Vec<Panel>> {
        self.proofs.take_refuting().map(Vec::from)
    }

    fn finish(&self, weights: Vec<Panel>) -> Result<[Panel; 2]> {
        Ok(self.to_both_views(weights))
    }

    /// On a device, the best pairs and their figures are found before they are copied to the host.
    fn best_products(&self, w: &Block) -> Result<Option<Products>> {
        let Problem { space, keeps_weights, settings, .. } = *self.problem;
        if !space.is_remote() || space.is_rough() || keeps_weights {
            return Ok(None);
        }
        let all: Vec<usize> = (0..w.columns()).collect();
        let copies = w.views.iter().map(|view| space.select(&view.w, &all)).collect::<Result<_>>()?;
        let block = Block::placed(space, copies, &self.image_rows())?;
        let best = PlacedPairs::measured(self.problem, block, settings.k)?;
        Ok(Some(Products::Figures(Box::new(figures_elsewhere::figures(
            self.problem,
            best,
            self.preconditioner.diagonal(),
        )?))))
    }

    fn proven_missing(&self) -> Option<f64> {
        self.proofs.found().map(|proof| proof.missing)
    }

    fn decisions(&self) -> Vec<Decision> {
        let mut decisions = self.preconditioner.decisions();
        decisions.extend(self.proofs.decision(self.problem));
        decisions
    }
}

/// vᵀDv of the columns of T, one for each view; none if there is no T.
type Heights = Vec<Vec<f64>>;

/// The only columns of some matrices.
fn columns_of(matrices: &[Mat<f64>]) -> Heights {
    matrices.iter().map(|matrix| matrix.col(0).iter().copied().collect()).collect()
}

/// The answers to a known number of questions.
fn in_order<const N: usize>(found: Vec<Mat<f64>>) -> [Mat<f64>; N] {
    found.try_into().unwrap_or_else(|_| unreachable!("a space answers every question"))
}

/// Sets the columns of T in SᵀBS to zero, which leaves them out, if they are noise (see `significant`).
/// `heights` are vᵀDv of each.
fn leave_out_noise(gram: &mut Mat<f64>, start: usize, heights: &[f64]) {
    for (j, &height) in (start..).zip(heights) {
        if gram[(j, j)] <= SIGNIFICANT * height {
            gram.row_mut(j).fill(0.0);
            gram.col_mut(j).fill(0.0);
        }
    }
}
