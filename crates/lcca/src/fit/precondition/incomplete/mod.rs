//! (B − A)⁻¹, nearly, over sparse Gram matrices: an incomplete Cholesky factor of all columns.
//!
//! Scaled to a unit diagonal and with the rare columns r before the frequent ones c,
//!
//! ```text
//! [ R  Eᵀ ]   [ L      ] [ Lᵀ  Vᵀ ]
//! [ E  C  ] ≈ [ V   I  ] [     S  ],     V = E·L⁻ᵀ,     S = C − V·Vᵀ
//! ```
//!
//! Rare columns meet few others, so that eliminating them fills in little: L and V are sparse, and entries
//! below a threshold are left out. S is as large as the number of frequent columns and is factorized
//! densely. A parent that is nearly the sum of its children keeps in S exactly the variance that the
//! children leave, because they are eliminated before it; a polynomial in R would have to resolve it.
//!
//! Exact pivots are never below the scaled ridge, and neither are the eigenvalues of S, because B − A =
//! diag(ρ) + FᵀF. Leaving out entries can push them below it. Pivots of rare columns are then raised to the
//! ridge, and the diagonal of S by the least of a few shifts with which it is positive definite. So the
//! product is symmetric and positive definite whatever was left out, and can precondition LOBPCG.
//!
//! Means and covariates are terms of low rank: with P for them, B − A = M − P·Pᵀ, and the identity of
//! Woodbury corrects the inverse of M.
//!
//! Cost: the elimination is one thread's work, of about as many operations as a few passes; a solution takes
//! two sweeps over L and V and two dense triangular ones. With 3,000 frequent columns and ridges of 1e-2,
//! 1e-3 and 1e-4, sentences in two languages took 5, 4 and 6 passes to a share of 1e-4 of the total in a
//! prototype, and Debian paths 5, 4 and 3. The exact inverse takes 4 or 5.

mod complement;
mod elimination;
mod line_groups;
mod scaled_grams;

use self::complement::Complement;
use self::elimination::{Eliminated, Lists, eliminate};
use self::line_groups::{Groups, times};
use self::scaled_grams::{SIGNS, Scaled, rarest_first};
use super::coarse_factor::Factor;
use super::inverse::Inverse;
use crate::data::{JointGram, Pair, Side};
use crate::error::Result;
use crate::fit::pairs::eigenproblem::Trust;
use crate::fit::pairs::problem::Problem;
use crate::matrix::{Line, Panel};
use crate::outcome::Decision;
use crate::small;
use faer::Mat;
use pulp::NullaryFnOnce;
use rayon::prelude::*;

/// Entries below these shares of their columns' lengths are left out: between two rare columns, and between
/// a rare and a frequent one. The latter add up in S, so they are kept longer: 1e-3 and 5e-3 in the first
/// place take the same passes on sentences and paths, but with 3e-3 in the second one S of Debian paths is
/// not positive definite, and 15 passes are needed in place of 7.
const LEFT_OUT: [f64; 2] = [1e-2, 1e-3];
/// With more columns than this, shares fall with the root of their number, as errors of random signs would
/// add up. The rule was found on one set: S of all Debian paths (681,119 columns) is positive definite with
/// 2.4e-3 and 2.4e-4 and 5,120 or 6,400 frequent columns, but not with 3,072, and not with 3e-3, 3e-4 and
/// 10,240.
const FEW_COLUMNS: f64 = 4e4;
/// A factor that leaves out shares of up to this many times the ridge is near B − A in every direction. The
/// least eigenvalue of M⁻¹(B − A) of sentences and paths was 0.4 to 0.6 with ridges from 1e-4 to 0.1. With
/// `LEFT_OUT` it was 0.01 at 1e-3: pairs of small variance were overlooked until dozens of iterations later,
/// and 1.2e-3 of the total of five pairs was missing from a claim of 9e-5.
const PER_RIDGE: f64 = 3.0;
/// Residuals times this say what is missing with such a factor.
const NEAR: f64 = 1.5;
/// What the diagonal of S is raised by until it is positive definite, in this order, if the factor is not
/// near B − A anyway.
const SHIFTS: [f64; 4] = [0.0, 1e-3, 1e-2, 1e-1];
/// The share of the allowed work that such a factor may take: it saves fewer iterations.
const SHARE_OF_WORK: f64 = 0.03;
/// A rough factor leaves out shares this many times as large.
const ROUGHER: f64 = 3.0;
/// Entries of the factor that may be stored for each entry of the Gram matrices.
const FILLED: u64 = 4;
/// The bytes of a stored entry, by columns and by rows.
const ENTRY: u64 = 16;
/// The share of the allowed memory that the factor may take.
const SHARE_OF_MEMORY: u64 = 4;

/// How much a factor may take, and how exact it is.
pub(in crate::fit) struct Limits {
    /// Frequent columns, about.
    pub dense: usize,
    /// Multiplications to eliminate the rare ones and to form S.
    pub work: f64,
    /// Entries below these shares are left out, see [`LEFT_OUT`].
    pub left_out: [f64; 2],
    /// What the diagonal of S may be raised by.
    pub shifts: &'static [f64],
    /// Whether the factor is near B − A in every direction if S needs no shift.
    pub is_near: bool,
}

impl Limits {
    /// First those of a factor that is near B − A, if there is a ridge, and then those of any.
    fn of(problem: &Problem<'_>, dense: usize, work: f64) -> Vec<Limits> {
        let shape = problem.pair.shape();
        let ridge = Side::BOTH.map(|side| problem.settings.ridge_of(side)).into_iter().fold(1.0, f64::min);
        let part = part_left_out(shape.x_cols + shape.y_cols, ridge);
        let left_out = LEFT_OUT.map(|share| part * share);
        if part == 1.0 {
            return vec![Limits { dense, work, left_out, shifts: &SHIFTS, is_near: true }];
        }
        let near = Limits { dense, work, left_out, shifts: &SHIFTS[..1], is_near: true };
        let any =
            Limits { dense, work: SHARE_OF_WORK * work, left_out: LEFT_OUT, shifts: &SHIFTS, is_near: false };
        if ridge > 0.0 { vec![near, any] } else { vec![any] }
    }
}

/// The part of [`LEFT_OUT`] that a factor near B − A may leave out.
pub(in crate::fit) fn part_left_out(columns: usize, ridge: f64) -> f64 {
    let few = (FEW_COLUMNS / columns as f64).sqrt().min(1.0);
    few.min(PER_RIDGE * ridge / LEFT_OUT[0])
}

/// An incomplete factor of B − A.
pub(in crate::fit) struct Incomplete {
    /// The view and number of each column, the rare ones first.
    columns: Vec<(usize, u32)>,
    /// The place of each column of each view; `NOWHERE` if it does not vary.
    places: [Vec<u32>; 2],
    /// 1/√ of the diagonal of the matrix.
    scale: Vec<f64>,
    /// L and V below the diagonal, by columns and by rows.
    down: Lists,
    across: Lists,
    /// The inverse diagonal of L.
    pivots: Vec<f64>,
    /// S.
    rest: Factor,
    border: Option<Border>,
    /// Whether M is near B − A in every direction.
    is_near: bool,
}

/// The correction for terms of low rank: (M − P·Pᵀ)⁻¹ = M⁻¹ + Z·K·Zᵀ with Z = M⁻¹P.
struct Border {
    /// P and Z, one row for each column of the matrix.
    p: Mat<f64>,
    z: Mat<f64>,
    /// (I − PᵀZ)⁻¹.
    core: Mat<f64>,
}

impl Incomplete {
    /// With about `dense` frequent columns and at most `work` multiplications. `None` if there are no sparse
    /// Gram matrices on the host, or that does not suffice. `inverse` is the inverse diagonal of B.
    pub fn new(
        problem: &Problem<'_>,
        inverse: &[Vec<f64>; 2],
        dense: usize,
        work: f64,
    ) -> Result<Option<Self>> {
        for limits in Limits::of(problem, dense, work) {
            let found = Incomplete::within(problem, inverse, &limits)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// One that costs a few iterations, for fits that are not claimed to have converged.
    pub fn rough(
        problem: &Problem<'_>,
        inverse: &[Vec<f64>; 2],
        dense: usize,
        work: f64,
    ) -> Result<Option<Self>> {
        let left_out = LEFT_OUT.map(|share| ROUGHER * share);
        Incomplete::within(
            problem,
            inverse,
            &Limits { dense, work, left_out, shifts: &SHIFTS, is_near: false },
        )
    }

    /// `None` if the factor takes more than `limits`, or is not positive definite.
    pub fn within(problem: &Problem<'_>, inverse: &[Vec<f64>; 2], limits: &Limits) -> Result<Option<Self>> {
        let Some(joint) = problem.joint.filter(|_| {
            !problem.space.is_remote() && problem.settings.is_cca() && problem.identities() == [false, false]
        }) else {
            return Ok(None);
        };
        joint.bring()?;
        let columns = rarest_first(problem, inverse)?;
        let rare = columns.len().saturating_sub(limits.dense);
        let scaled = Scaled::new(joint, problem.ridges(), columns);
        let most = FILLED * joint.entries();
        let most = most.min(problem.settings.memory / SHARE_OF_MEMORY / ENTRY) as usize;
        let Some(Eliminated { down, pivots }) = eliminate(&scaled, rare, limits.left_out, limits.work, most)
        else {
            return Ok(None);
        };
        let across = down.transposed(scaled.columns.len());
        let rest = Complement { matrix: &scaled, down: &down, across: &across, rare };
        if rest.multiplications() > limits.work {
            return Ok(None);
        }
        let Some((rest, shift)) = rest.factorized(limits.shifts)? else { return Ok(None) };
        let Scaled { columns, places, scale, .. } = scaled;
        let is_near = limits.is_near && shift == 0.0;
        let mut incomplete =
            Incomplete { columns, places, scale, down, across, pivots, rest, border: None, is_near };
        if let Some(p) = incomplete.low_rank(problem, joint) {
            incomplete.border = incomplete.border_of(p);
            incomplete.is_near &= incomplete.border.is_some();
        }
        Ok(Some(incomplete))
    }

    /// The rare columns, which have pivots.
    fn rare(&self) -> usize {
        self.pivots.len()
    }

    /// The terms of low rank that means and covariates take off; `None` if there are none.
    fn low_rank(&self, problem: &Problem<'_>, joint: &JointGram) -> Option<Mat<f64>> {
        let weight = joint.moments(Side::X).weight.sqrt();
        let covariates = problem.along.map_or(0, |along| along[0].cols());
        let terms = usize::from(problem.means.is_some()) + covariates;
        if terms == 0 {
            return None;
        }
        let p = Mat::from_fn(self.columns.len(), terms, |place, term| {
            let (view, column) = self.columns[place];
            let number = match (problem.means, problem.along) {
                (Some(means), _) if term == 0 => weight * means[view][column as usize],
                (means, Some(along)) => along[view].row(column as usize)[term - usize::from(means.is_some())],
                _ => 0.0,
            };
            SIGNS[view] * self.scale[place] * number
        });
        Some(p)
    }

    /// The correction for terms of low rank; `None` if what was left out makes it useless.
    fn border_of(&self, p: Mat<f64>) -> Option<Border> {
        let mut groups = Groups::of(&p);
        self.solve(&mut groups);
        let z = groups.to_mat(p.ncols());
        let core = Mat::<f64>::identity(p.ncols(), p.ncols()) - p.transpose() * &z;
        let factor = small::cholesky(core.as_ref())?;
        let inverse = small::inverse_of_lower(factor.as_ref());
        Some(Border { p, z, core: inverse.transpose() * &inverse })
    }

    /// B ← M⁻¹B, without the border.
    fn solve(&self, b: &mut Groups) {
        let rare = self.rare();
        b.0.par_iter_mut().for_each(|b| pulp::Arch::new().dispatch(Forward { factor: self, b }));
        let mut frequent = b.rows_from(rare, self.columns.len());
        self.rest.solve(&mut frequent);
        b.put_rows(rare, &frequent);
        b.0.par_iter_mut().for_each(|b| pulp::Arch::new().dispatch(Backward { factor: self, b }));
    }
}

/// B ← [L; V I]⁻¹B, for the columns that fill one line. A struct whose `call` is inlined, because only code
/// that is inlined into the dispatch uses the processor's widest instructions.
struct Forward<'a> {
    factor: &'a Incomplete,
    b: &'a mut [Line],
}

impl NullaryFnOnce for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Forward { factor, b } = self;
        for place in 0..b.len() {
            let sum = factor.across.less_products(place, b[place], b);
            b[place] = factor.pivots.get(place).map_or(sum, |&pivot| times(sum, pivot));
        }
    }
}

/// B ← [Lᵀ Vᵀ; I]⁻¹B, for the columns that fill one line.
struct Backward<'a> {
    factor: &'a Incomplete,
    b: &'a mut [Line],
}

impl NullaryFnOnce for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Backward { factor, b } = self;
        for (place, &pivot) in factor.pivots.iter().enumerate().rev() {
            b[place] = times(factor.down.less_products(place, b[place], b), pivot);
        }
    }
}

impl Inverse for Incomplete {
    fn apply(&self, [x, y]: [&mut Panel; 2]) -> Result<Vec<f64>> {
        let pairs = x.cols();
        let residuals = Groups::picked([x, y], &self.columns, &self.scale);
        let mut solved = residuals.clone();
        self.solve(&mut solved);
        if let Some(Border { p, z, core }) = &self.border {
            let along = solved.products(p);
            solved.add_products(z, &(core * along));
        }
        let squares = residuals.dots(&solved);
        solved.place(&self.places, &self.scale, [x, y]);
        Ok(squares[..pairs].to_vec())
    }

    fn spread(&self, [x, y]: [&mut Panel; 2]) -> Result<bool> {
        let units = vec![1.0; self.columns.len()];
        let mut noise = Groups::picked([x, y], &self.columns, &units);
        let mut frequent = noise.rows_from(self.rare(), self.columns.len());
        self.rest.solve_transposed(&mut frequent);
        noise.put_rows(self.rare(), &frequent);
        noise.0.par_iter_mut().for_each(|b| pulp::Arch::new().dispatch(Backward { factor: self, b }));
        noise.place(&self.places, &self.scale, [x, y]);
        Ok(true)
    }

    fn trust(&self) -> Trust {
        if self.is_near { Trust::Near { factor: NEAR } } else { Trust::Measured }
    }

    fn decision(&self) -> Decision {
        Decision::IncompleteFactor {
            columns: self.columns.len() as u64,
            dense: (self.columns.len() - self.rare()) as u64,
            entries: self.down.entries.len() as u64,
        }
    }
}
