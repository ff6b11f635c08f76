//! The preconditioner M of LOBPCG on both views, and when each kind pays.
//!
//! - Where rows are few, B − A is inverted exactly, as large as there are rows (`row_space`).
//! - Over sparse Gram matrices an incomplete factor stands for B − A on all columns (`incomplete`), over
//!   other rows two levels do (`two_level`).
//! - The diagonal of B costs nothing and gains a digit in dozens of iterations.
//! - The coarse block (`coarse`) stands for B − A on a few thousand columns, on GPUs, on clusters, and where
//!   the others are out of reach. It costs about as much as some iterations and gains a digit in a few. It is
//!   chosen again from time to time, because what the iteration has found tells which columns matter.
//! - The sparse factor of all of B − A (`shifted_factor`) gains a digit per iteration, but can cost minutes
//!   and gigabytes. Only the method `shift-invert` takes it.
//!
//! Nothing looks for columns that belong together. Pairs of directions on few columns, grown from single
//! entries of Gram matrices, once began every fit and joined it before claims. On an H200 they took 18 and
//! 25 ms off fits of 85 and 109 ms to sentences and paths, which they were made for, and made fits to
//! descriptions in two languages take two to five times as long.
//!
//! Costs are counted in operations, never in seconds, so that a fit can be repeated.

use super::block_size::{block_size, split};
use super::choose::{ViewScores, activity};
use super::coarse::Coarse;
use super::coarse_factor::Precision;
use super::incomplete::Incomplete;
use super::inverse::{Inverse, Shared};
use super::row_space::RowSpace;
use super::shifted_factor::ShiftedFactor;
use super::two_level::TwoLevel;
use crate::data::Pair;
use crate::error::Result;
use crate::fit::pairs::cost::iteration;
use crate::fit::pairs::eigenproblem::{Block, Trust};
use crate::fit::pairs::problem::Problem;
use crate::fit::proof;
use crate::matrix::Panel;
use crate::method::Algorithm;
use crate::outcome::Decision;
use crate::space::{RowFactors, Tall};
use rayon::prelude::*;
use std::collections::HashSet;

/// The block is chosen again after this many iterations. With twice as many from the third block on, all
/// Debian paths took 17 passes for what takes 15.
const CHOSEN_FOR: usize = 4;
/// Columns that are missing from a block join it until it has this many times its size; then it is factorized
/// anew without those that are no longer wanted. Joining costs less than half of that: after the second
/// choice nine in ten columns stay.
const GROWN: f64 = 1.25;
/// Joining takes the memory of two more blocks for a moment. With more columns than this, memory is scarcer
/// than time.
const TALL: usize = 200_000;
/// A claim of convergence stands on a block that was chosen at most this many iterations before.
const FRESH: usize = 2;
/// Iterations of a rough fit are few. Its block may cost less, so that it has this share of the columns, and
/// a claim may stand on one that was chosen so many iterations before.
const ROUGH_SHARE: f64 = 0.7;
const ROUGH_FRESH: usize = 3;
/// What residuals say is multiplied by this if M is the diagonal.
const MARGIN: f64 = 2.0;
/// With r columns outside the block for each inside, what residuals say is multiplied by 1 + OUTSIDE·r·(1 +
/// r/FAR_OUTSIDE). At r about 10 residuals said 0.5 to 3 times the truth on sentences and on paths; at 100
/// they said a third.
const OUTSIDE: f64 = 0.1;
const FAR_OUTSIDE: f64 = 100.0;
/// A block that stands beside a polynomial is not chosen again and has this many times as many columns:
/// English–Slovak descriptions took 16 passes with as many, 11 with 1.4 and 8 with 2.7 times as many, at
/// about the same time.
const WIDER: f64 = 1.6;
/// Multiplications that eliminating rare columns may take for each operation of an iteration. A factor that
/// leaves out more takes dozens of iterations more if the ridge is small.
const ELIMINATION: f64 = 10.0;
/// Residuals times this say what is missing if some directions have no more variance than what is added to
/// the diagonal of a block of all columns. Of columns that differ by one part in 1e4 they said a third to
/// 0.7; the value was chosen on these.
const SINGULAR: f64 = 4.0;
/// With no more iterations than this ahead, nothing else is factorized.
const NEARLY_THERE: f64 = 4.0;

/// What stands for B − A.
pub(in crate::fit) struct Preconditioner<'a> {
    problem: &'a Problem<'a>,
    inverse: [Vec<f64>; 2],
    diagonal: [RowFactors; 2],
    /// Columns of each view that are not constant.
    varying: [usize; 2],
    coarse: Option<InUse>,
    /// What stands for B − A on all columns, if their entries are within reach.
    whole: Option<Box<dyn Inverse>>,
    /// A sparse factor that was tried in vain.
    refused: Option<Decision>,
    /// Columns that a coarse block may have, both views together; 0 if there is none.
    size: usize,
    /// Coarse blocks that were chosen.
    chosen: u64,
    /// Whether the pairs say already which columns matter.
    is_informed: bool,
    /// A claim stands on a block that was chosen at most so many iterations before.
    fresh: usize,
    /// Iterations so far; `None` if all columns are not to be factorized however many there are.
    iterations: Option<usize>,
}

/// A coarse block in use.
struct InUse {
    block: Coarse,
    /// The inverse diagonal of B, 0 for the columns in the block.
    outside: [RowFactors; 2],
    /// Iterations since it was chosen.
    age: usize,
    /// Whether it holds every column.
    is_complete: bool,
}

impl<'a> Preconditioner<'a> {
    /// `is_informed` says that the iteration starts from pairs that another fit has found.
    pub fn new(problem: &'a Problem<'a>, is_informed: bool) -> Result<Self> {
        let inverse = problem.inverse_diagonals()?;
        if problem.settings.method.algorithm() == Algorithm::ShiftInvert {
            return match ShiftedFactor::new(problem)? {
                Ok(factor) => Preconditioner::with(problem, inverse, Some(Box::new(factor)), 0, is_informed),
                Err(refused) => {
                    let diagonal = Preconditioner::with(problem, inverse, None, 0, is_informed)?;
                    Ok(Preconditioner { refused: Some(refused), ..diagonal })
                }
            };
        }
        if !has_block(problem) {
            return Preconditioner::with(problem, inverse, None, 0, is_informed);
        }
        if let Some(rows) = RowSpace::new(problem, &inverse)? {
            return Preconditioner::with(problem, inverse, Some(Box::new(rows)), 0, is_informed);
        }
        let is_proven = proof::is_affordable(problem, proof::UNASKED);
        let size = block_size(problem, is_proven)?;
        let whole = if size > 0 && size < varying(&inverse) {
            let work = ELIMINATION * iteration(problem)?;
            match Incomplete::new(problem, &inverse, size, work)? {
                Some(incomplete) => Some(Box::new(incomplete) as Box<dyn Inverse>),
                None => TwoLevel::new(problem, &inverse, (WIDER * size as f64) as usize)?
                    .map(|levels| Box::new(levels) as Box<dyn Inverse>),
            }
        } else {
            None
        };
        Preconditioner::with(problem, inverse, whole, size, is_informed)
    }

    /// For a rough fit, which claims nothing.
    pub fn rough(problem: &'a Problem<'a>, is_informed: bool) -> Result<Self> {
        let inverse = problem.inverse_diagonals()?;
        let mut size = if has_block(problem) { block_size(problem, false)? } else { 0 };
        let mut whole = None;
        // A block that holds every column is worth its price.
        if size > 0 && size < varying(&inverse) {
            size = (ROUGH_SHARE * size as f64) as usize;
            let work = ELIMINATION * iteration(problem)?;
            whole = Incomplete::rough(problem, &inverse, size, work)?
                .map(|incomplete| Box::new(incomplete) as Box<dyn Inverse>);
        }
        let rough = Preconditioner::with(problem, inverse, whole, size, is_informed)?;
        Ok(Preconditioner { fresh: ROUGH_FRESH, iterations: None, ..rough })
    }

    /// With a block of at most `size` columns, unless something stands for all of them.
    fn with(
        problem: &'a Problem<'a>,
        inverse: [Vec<f64>; 2],
        whole: Option<Box<dyn Inverse>>,
        size: usize,
        is_informed: bool,
    ) -> Result<Self> {
        let diagonal =
            [problem.space.row_factors(inverse[0].clone())?, problem.space.row_factors(inverse[1].clone())?];
        let varying =
            inverse.each_ref().map(|inverse| inverse.par_iter().filter(|&&inverse| inverse > 0.0).count());
        Ok(Preconditioner {
            problem,
            inverse,
            diagonal,
            varying,
            coarse: None,
            whole,
            refused: None,
            size,
            chosen: 0,
            is_informed,
            fresh: FRESH,
            iterations: Some(0),
        })
    }

    /// What stands for (B − A)⁻¹, for other fits; `None` if it is the diagonal.
    pub fn into_shared(self) -> Option<Shared> {
        let block = self.coarse.map(|coarse| Shared::Block(Box::new(coarse.block)));
        block.or(self.whole.map(Shared::Whole))
    }

    /// The inverse diagonal of B of each view.
    pub fn diagonal(&self) -> &[RowFactors; 2] {
        &self.diagonal
    }

    /// Turns independent standard normal numbers into directions to begin with, if M stands for all columns.
    pub fn spread(&self, noise: [&mut Panel; 2]) -> Result<bool> {
        self.whole.as_ref().map_or(Ok(false), |whole| whole.spread(noise))
    }

    /// How far residuals in the norm of M⁻¹ can be trusted: the less, the more columns stand outside the
    /// block.
    pub fn trust(&self) -> Trust {
        if let Some(whole) = &self.whole {
            return whole.trust();
        }
        let Some(InUse { block, is_complete, .. }) = &self.coarse else {
            return Trust::Estimated { is_shifted: false, margin: MARGIN };
        };
        if *is_complete {
            return Trust::Near { factor: if block.sees_all() { 1.0 } else { SINGULAR } };
        }
        let outside = self.inverse.iter().map(Vec::len).sum::<usize>() - block.size();
        let ratio = outside as f64 / block.size().max(1) as f64;
        let margin = 1.0 + OUTSIDE * ratio * (1.0 + ratio / FAR_OUTSIDE);
        Trust::Estimated { is_shifted: true, margin }
    }

    /// Called once per iteration, before [`Preconditioner::apply`]: a better M may pay.
    pub fn reconsider(&mut self, w: &Block, r: &Block, iterations_left: Option<f64>) -> Result<()> {
        self.iterations.iter_mut().for_each(|iterations| *iterations += 1);
        if self.is_too_slow(iterations_left) {
            return self.take_all_columns();
        }
        if self.size == 0 || self.whole.is_some() {
            return Ok(());
        }
        let is_due = self.is_due();
        if let Some(block) = &mut self.coarse {
            block.age += 1;
        }
        if is_due { self.choose(w, r) } else { Ok(()) }
    }

    /// Whether so many iterations were too few, and more lie ahead, that a factor of all columns is bought. A
    /// proof costs as much in double precision, and slow fits are proven at that price.
    fn is_too_slow(&self, iterations_left: Option<f64>) -> bool {
        self.iterations.is_some_and(|iterations| iterations >= proof::SLOW)
            && iterations_left.is_none_or(|left| left > NEARLY_THERE)
            && !self.coarse.as_ref().is_some_and(|coarse| coarse.is_complete)
            && has_block(self.problem)
            && proof::is_affordable(self.problem, proof::ASKED)
    }

    /// Puts a block of all columns in place of whatever stands for B − A.
    fn take_all_columns(&mut self) -> Result<()> {
        self.iterations = None;
        let varying = |inverse: &Vec<f64>| {
            (0..).zip(inverse).filter(|&(_, &inverse)| inverse > 0.0).map(|(column, _)| column).collect()
        };
        let columns: [Vec<u32>; 2] = self.inverse.each_ref().map(varying);
        if let Some(block) = Coarse::new(self.problem, &self.inverse, columns, Precision::Any)? {
            (self.size, self.whole) = (block.size(), None);
            self.coarse = Some(self.in_use(block)?);
            self.chosen += 1;
        }
        Ok(())
    }

    /// Whether a block is chosen in this iteration, unless the sparse factor takes its place.
    fn is_due(&self) -> bool {
        match &self.coarse {
            None => self.size > 0 && self.chosen == 0 && self.whole.is_none(),
            Some(block) => !block.is_complete && block.age + 1 >= CHOSEN_FOR,
        }
    }

    /// Whether [`Preconditioner::reconsider`] will need much memory.
    pub fn needs_room(&self) -> bool {
        self.is_tall() && self.is_due()
    }

    fn is_tall(&self) -> bool {
        self.inverse.iter().map(Vec::len).sum::<usize>() > TALL
    }

    /// Whether a claim of convergence can stand on this M. If not, the block was chosen again, so that
    /// columns that matter now count.
    pub fn is_fresh(&mut self, w: &Block, r: &Block) -> Result<bool> {
        let Some(block) = &self.coarse else { return Ok(true) };
        if block.is_complete {
            return Ok(true);
        }
        if block.age <= self.fresh {
            return Ok(true);
        }
        self.choose(w, r)?;
        Ok(false)
    }

    /// R ← M⁻¹R; returns rᵀM⁻¹r of each pair.
    pub fn apply(&self, x: &mut Tall, y: &mut Tall) -> Result<Vec<f64>> {
        let space = self.problem.space;
        if let Some(whole) = &self.whole {
            let (mut tx, mut ty) = (space.download(x)?, space.download(y)?);
            let squares = whole.apply([&mut tx, &mut ty])?;
            (*x, *y) = (space.upload(tx)?, space.upload(ty)?);
            return Ok(squares);
        }
        let squares = |x: &Tall, y: &Tall, factors: &[RowFactors; 2]| -> Result<Vec<f64>> {
            Ok(add(space.weighted_squares(x, &factors[0])?, &space.weighted_squares(y, &factors[1])?))
        };
        match &self.coarse {
            Some(InUse { block, outside, .. }) => {
                let of_others = squares(x, y, outside)?;
                Ok(add(of_others, &block.precondition(space, outside, x, y)?))
            }
            None => {
                let all = squares(x, y, &self.diagonal)?;
                space.scale_rows(x, &self.diagonal[0])?;
                space.scale_rows(y, &self.diagonal[1])?;
                Ok(all)
            }
        }
    }

    /// What was decided.
    pub fn decisions(&self) -> Vec<Decision> {
        let block = self.coarse.as_ref().map(|InUse { block, .. }| Decision::CoarseBlock {
            columns: block.size() as u64,
            chosen: self.chosen,
        });
        let whole = self.whole.as_ref().map(|whole| whole.decision());
        self.refused.iter().cloned().chain(block).chain(whole).collect()
    }

    /// Chooses the columns of the block, and factorizes it.
    fn choose(&mut self, w: &Block, r: &Block) -> Result<()> {
        let active = |side: usize| -> Result<Option<Vec<f64>>> {
            let is_known = self.is_informed;
            is_known.then(|| self.activity(&w.views[side].w, &r.views[side].w, side)).transpose()
        };
        let activity = [active(0)?, active(1)?];
        let counts = split(self.size, self.varying);
        let [x, y] = activity;
        let (x, y) = (self.scores(0, x), self.scores(1, y));
        let columns = rayon::join(|| x.choose(counts[0]), || y.choose(counts[1]));
        (self.chosen, self.is_informed) = (self.chosen + 1, true);
        let block = match self.coarse.take() {
            None => Coarse::new(self.problem, &self.inverse, columns.into(), Precision::Any)?,
            Some(InUse { block, .. }) => self.replaced(block, columns.into())?,
        };
        self.coarse = block.map(|block| self.in_use(block)).transpose()?;
        Ok(())
    }

    /// Leverage and residual of every column of a view.
    fn activity(&self, w: &Tall, r: &Tall, side: usize) -> Result<Vec<f64>> {
        let space = self.problem.space;
        match space.activity(w, r, &self.diagonal[side])? {
            Some(activity) => Ok(activity),
            None => Ok(activity(&space.row_squares(w)?, &space.row_squares(r)?, &self.inverse[side])),
        }
    }

    /// What is known of the columns of a view.
    fn scores(&self, side: usize, activity: Option<Vec<f64>>) -> ViewScores<'_> {
        ViewScores { inverse: &self.inverse[side], varying: self.varying[side], activity }
    }

    /// A block that was just chosen, with what stands for the other columns.
    fn in_use(&self, block: Coarse) -> Result<InUse> {
        let outside = block.outside_in(self.problem.space, &self.inverse, &self.diagonal)?;
        let is_complete = (0..2).all(|side| block.columns(side).len() == self.varying[side]);
        Ok(InUse { block, outside, age: 0, is_complete })
    }

    /// A block with the given columns: the one in use with those that it lacks, or a new one if it would
    /// become too large.
    fn replaced(&self, block: Coarse, columns: [Vec<u32>; 2]) -> Result<Option<Coarse>> {
        let more = [0, 1].map(|side| {
            let held: HashSet<u32> = block.columns(side).iter().copied().collect();
            columns[side].iter().copied().filter(|column| !held.contains(column)).collect::<Vec<u32>>()
        });
        let added = more[0].len() + more[1].len();
        if added == 0 {
            return Ok(Some(block));
        }
        if self.is_tall() || !block.can_grow() || (block.size() + added) as f64 > GROWN * self.size as f64 {
            // The memory of the last block is needed.
            let precision = block.precision();
            drop(block);
            return Coarse::new(self.problem, &self.inverse, columns, precision);
        }
        block.grown(self.problem, &self.inverse, more)
    }
}

/// The number of columns that are not constant.
fn varying(inverse: &[Vec<f64>; 2]) -> usize {
    inverse.iter().flatten().filter(|&&inverse| inverse > 0.0).count()
}

/// Whether chosen columns may be factorized.
fn has_block(problem: &Problem<'_>) -> bool {
    problem.pair.capabilities().blocks.is_some()
        && problem.settings.structure
        && problem.settings.method.algorithm() != Algorithm::ShiftInvert
}

fn add(mut sums: Vec<f64>, more: &[f64]) -> Vec<f64> {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Counting, InMemory, Tally};
    use crate::method::{Method, Settings};
    use crate::space::Host;
    use crate::testing::zipf_rows;

    /// Whether M is near B − A after this many iterations that began with a block of few columns.
    fn is_near_after(iterations: usize, left: Option<f64>, is_rough: bool) -> bool {
        let rows = InMemory::new(zipf_rows(400, 90, 6, 1), zipf_rows(400, 70, 5, 2)).unwrap();
        let joint = rows.capabilities().joint_grams.unwrap().joint_gram(u64::MAX).unwrap();
        let tally = Tally::default();
        let counting = Counting::grams(&joint, &tally, &());
        let settings = Settings { ridge_x: 0.01, ridge_y: 0.01, ..Settings::new(Method::lobpcg(), 3) };
        let problem = Problem::plain(&counting, &settings, Some(&joint));
        let block = || {
            let panel = |rows| Panel::from_fn(rows, 3, |i, j| ((i * 31 + j * 17) % 13) as f64 - 6.0);
            Block::unmeasured(&Host, vec![panel(90), panel(70)], &[70, 90]).unwrap()
        };
        let inverse = problem.inverse_diagonals().unwrap();
        let mut m = Preconditioner::with(&problem, inverse, None, 20, false).unwrap();
        if is_rough {
            m.iterations = None;
        }
        (0..iterations).for_each(|_| m.reconsider(&block(), &block(), left).unwrap());
        matches!(m.trust(), Trust::Near { .. })
    }

    #[test]
    fn slow_fits_factorize_all_columns() {
        assert!(!is_near_after(proof::SLOW - 1, None, false));
        assert!(is_near_after(proof::SLOW, None, false));
        assert!(is_near_after(proof::SLOW, Some(NEARLY_THERE + 1.0), false));
        assert!(!is_near_after(proof::SLOW + 5, Some(NEARLY_THERE), false));
        assert!(!is_near_after(proof::SLOW + 5, None, true));
    }
}
