//! The preconditioner M of LOBPCG on both views, and when each kind pays.
//!
//! - Where rows are few, B − A is inverted exactly, as large as there are rows (`row_space`).
//! - Over other rows two levels stand for B − A on all columns (`two_level`). No witnesses are looked for:
//!   with them ten fits to descriptions took 13.4 passes in the geometric mean and 127 s, without them 9.7
//!   and 69 s, because every witness that a sample of the rows suggests asks for a place in an iteration
//!   before a claim.
//! - The diagonal of B costs nothing and gains a digit in dozens of iterations.
//! - The coarse block (`coarse`) stands for B − A on a few thousand columns. It costs about as much as some
//!   iterations and gains a digit in a few. It is chosen again from time to time, because what the iteration
//!   has found tells which columns matter.
//! - The sparse factor of all of B − A (`solve::shift_invert`) gains a digit per iteration, but can cost
//!   minutes and gigabytes. It is bought once its price was spent on iterations and the iterations ahead cost
//!   more.
//!
//! Costs are counted in operations, never in seconds, so that a fit can be repeated.

use super::block_size::{block_size, iteration, split};
use super::choose::{ViewScores, activity};
use super::coarse::Coarse;
use super::coarse_factor::Precision;
use super::eigenproblem::{Block, Trust};
use super::incomplete::Incomplete;
use super::inverse::Inverse;
use super::local::{Local, local};
use super::problem::Problem;
use super::proof;
use super::row_space::RowSpace;
use super::shifted_factor::ShiftedFactor;
use super::two_level::TwoLevel;
use super::varying;
use super::witness::{Columns, Witness, directions, independent};
use crate::data::{Pair, Side};
use crate::error::Result;
use crate::matrix::Panel;
use crate::method::Algorithm;
use crate::outcome::Decision;
use crate::panels;
use crate::space::{Probes, RowFactors, Tall};
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
/// And by this if columns were chosen by a sample of the rows. On page counts with twins, residuals said a
/// quarter of the truth.
const SAMPLED: f64 = 4.0;

/// Residuals times this say what is missing if some directions have no more variance than what is added to the
/// diagonal of a block of all columns. Of columns that differ by one part in 1e4 they said a third to 0.7; the
/// value was chosen on these.
const SINGULAR: f64 = 4.0;
/// With no more iterations than this ahead, nothing else is factorized.
const NEARLY_THERE: f64 = 4.0;

/// What stands for B − A.
pub(super) struct Preconditioner<'a> {
    problem: &'a Problem<'a>,
    inverse: [Vec<f64>; 2],
    diagonal: [RowFactors; 2],
    /// Columns of each view that are not constant.
    varying: [usize; 2],
    coarse: Option<InUse>,
    /// What stands for B − A on all columns, if their entries are within reach.
    whole: Option<Box<dyn Inverse>>,
    factor: ShiftedFactor<'a>,
    witnesses: Vec<Witness>,
    /// The columns of each view that they are on, ascending.
    columns_of_witnesses: Columns,
    /// The witnesses in the space of the panels, if it reads panels there.
    probes: Option<Box<dyn Probes>>,
    /// How nearly columns depend on another one, if that is known: residuals outside the block count so many
    /// times.
    dependence: Option<[Vec<f64>; 2]>,
    /// Which of them were given to Rayleigh–Ritz after the start.
    tried: Vec<bool>,
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
    /// The same times the columns' dependence, if that is known: what residuals outside the block count.
    watched: Option<[RowFactors; 2]>,
    /// Iterations since it was chosen.
    age: usize,
    /// Whether it holds every column.
    is_complete: bool,
}

impl<'a> Preconditioner<'a> {
    /// `is_informed` says that the iteration starts from pairs that another fit has found.
    pub fn new(problem: &'a Problem<'a>, is_informed: bool) -> Result<Self> {
        let inverse = problem.inverse_diagonals()?;
        if let Some(rows) =
            has_block(problem).then(|| RowSpace::new(problem, &inverse)).transpose()?.flatten()
        {
            let bare = Preconditioner::of_size(problem, inverse, 0, &[], is_informed)?;
            return Ok(Preconditioner { whole: Some(Box::new(rows)), ..bare });
        }
        let is_proven = proof::is_affordable(problem, proof::UNASKED);
        let size = if has_block(problem) { block_size(problem, is_proven)? } else { 0 };
        let varying: usize = inverse.iter().flatten().filter(|&&inverse| inverse > 0.0).count();
        if size > 0 && size < varying {
            let work = ELIMINATION * iteration(problem)?;
            if let Some(incomplete) = Incomplete::new(problem, &inverse, size, work)? {
                let bare = Preconditioner::of_size(problem, inverse, 0, &[], is_informed)?;
                return Ok(Preconditioner { whole: Some(Box::new(incomplete)), ..bare });
            }
            let wider = (WIDER * size as f64) as usize;
            if let Some(levels) = TwoLevel::new(problem, &inverse, wider)? {
                let bare = Preconditioner::of_size(problem, inverse, 0, &[], is_informed)?;
                return Ok(Preconditioner { whole: Some(Box::new(levels)), ..bare });
            }
        }
        Preconditioner::of_size(problem, inverse, size, &[], is_informed)
    }

    /// For a rough fit; `known` are the columns of witnesses that were found on the same rows at another
    /// ridge, if there was one.
    pub fn rough(problem: &'a Problem<'a>, is_informed: bool, known: &[Columns]) -> Result<Self> {
        let inverse = problem.inverse_diagonals()?;
        let size = if has_block(problem) { block_size(problem, false)? } else { 0 };
        let mut rough = Preconditioner::of_size(problem, inverse, size, known, is_informed)?;
        // A block that holds every column is worth its price.
        if rough.size < rough.inverse.iter().map(Vec::len).sum() {
            rough.size = (ROUGH_SHARE * rough.size as f64) as usize;
        }
        (rough.fresh, rough.iterations) = (ROUGH_FRESH, None);
        Ok(rough)
    }

    /// With a block of at most `size` columns.
    fn of_size(
        problem: &'a Problem<'a>,
        inverse: [Vec<f64>; 2],
        size: usize,
        known: &[Columns],
        is_informed: bool,
    ) -> Result<Self> {
        let diagonal =
            [problem.space.row_factors(inverse[0].clone())?, problem.space.row_factors(inverse[1].clone())?];
        let factor = ShiftedFactor::new(problem)?;
        let Local { witnesses, dependence } = if size > 0 && size < inverse[0].len() + inverse[1].len() {
            local(problem, &inverse, known)?
        } else {
            Local::default()
        };
        let columns_of_witnesses = [0, 1].map(|side| {
            let mut columns: Vec<u32> =
                witnesses.iter().flat_map(|witness| &witness.columns[side]).copied().collect();
            columns.par_sort_unstable();
            columns.dedup();
            columns
        });
        let tried = vec![false; witnesses.len()];
        let probes = if problem.space.is_remote() && !witnesses.is_empty() {
            let of_view = |side: usize| directions(&witnesses, side, inverse[side].len());
            problem.space.probes([of_view(0)?, of_view(1)?])?
        } else {
            None
        };
        let varying =
            inverse.each_ref().map(|inverse| inverse.par_iter().filter(|&&inverse| inverse > 0.0).count());
        Ok(Preconditioner {
            problem,
            inverse,
            diagonal,
            varying,
            coarse: None,
            whole: None,
            factor,
            witnesses,
            columns_of_witnesses,
            probes,
            dependence,
            tried,
            size,
            chosen: 0,
            is_informed,
            fresh: FRESH,
            iterations: Some(0),
        })
    }

    /// The coarse block in use.
    pub fn into_block(self) -> Option<Coarse> {
        self.coarse.map(|coarse| coarse.block).or_else(|| self.whole.and_then(Inverse::into_block))
    }

    /// The columns of the witnesses, the strongest first.
    pub fn into_columns_of_witnesses(self) -> Vec<Columns> {
        self.witnesses.into_iter().map(|witness| witness.columns).collect()
    }

    /// The inverse diagonal of B of each view.
    pub fn diagonal(&self) -> &[RowFactors; 2] {
        &self.diagonal
    }

    /// Pairs of directions on few columns, to begin with.
    pub fn witnesses(&self) -> &[Witness] {
        &self.witnesses
    }

    /// Turns independent standard normal numbers into directions to begin with, if M stands for all columns.
    pub fn spread(&self, noise: [&mut Panel; 2]) -> Result<bool> {
        self.whole.as_ref().map_or(Ok(false), |whole| whole.spread(noise))
    }

    /// How far residuals in the norm of M⁻¹ can be trusted: the less, the more columns stand outside the
    /// block.
    pub fn trust(&self) -> Trust {
        if self.factor.get().is_some() {
            // Directions of hardly any variance may be what rounding made of them.
            let has_ridge =
                Side::BOTH.iter().all(|&side| self.problem.settings.ridge_of(side) >= varying::SOME);
            let estimated = Trust::Estimated { is_shifted: true, margin: 1.0 };
            return if has_ridge { Trust::Near { factor: 1.0 } } else { estimated };
        }
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
        let sampled = if self.dependence.is_some() { SAMPLED } else { 1.0 };
        let margin = sampled * (1.0 + OUTSIDE * ratio * (1.0 + ratio / FAR_OUTSIDE));
        Trust::Estimated { is_shifted: true, margin }
    }

    /// Called once per iteration, before [`Preconditioner::apply`]: a better M may pay.
    pub fn reconsider(
        &mut self,
        w: &Block,
        r: &Block,
        theta: &[f64],
        iterations_left: Option<f64>,
    ) -> Result<()> {
        self.factor.reconsider(iterations_left, iteration(self.problem)?)?;
        if self.factor.get().is_some() {
            return Ok(());
        }
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
        if is_due { self.choose(w, r, theta) } else { Ok(()) }
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
        let varying =
            |inverse: &Vec<f64>| (0..).zip(inverse).filter(|&(_, &v)| v > 0.0).map(|(j, _)| j).collect();
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
        self.factor.get().is_none() && self.is_tall() && self.is_due()
    }

    fn is_tall(&self) -> bool {
        self.inverse.iter().map(Vec::len).sum::<usize>() > TALL
    }

    /// Whether a claim of convergence can stand on this M. If not, the block was chosen again, so that
    /// columns that matter now count.
    pub fn is_fresh(&mut self, w: &Block, r: &Block, theta: &[f64]) -> Result<bool> {
        let Some(block) = &self.coarse else { return Ok(true) };
        if block.is_complete {
            return Ok(true);
        }
        let (age, is_explained) = (block.age, self.missed(w, theta)?.is_empty());
        if age <= self.fresh && is_explained {
            return Ok(true);
        }
        if age > 0 {
            self.choose(w, r, theta)?;
        }
        Ok(false)
    }

    /// Which witnesses stand above the k-th pair although the pairs found are taken out, and were not tried
    /// yet.
    fn missed(&self, w: &Block, theta: &[f64]) -> Result<Vec<usize>> {
        let Some(&least) = theta.get(self.problem.settings.k.min(theta.len()).wrapping_sub(1)) else {
            return Ok(Vec::new());
        };
        let left = self.unexplained(w, theta)?;
        let is_missed = |&i: &usize| !self.tried[i] && left[i] > least + self.problem.settings.tol * left[i];
        Ok((0..left.len()).filter(is_missed).collect())
    }

    /// The missed witnesses that share no column, at most `most`. They will be tried, and with them those
    /// that share a column with one of them.
    pub fn take_missed(&mut self, w: &Block, theta: &[f64], most: usize) -> Result<Vec<&Witness>> {
        let missed = self.missed(w, theta)?;
        let Preconditioner { witnesses, tried, .. } = self;
        let chosen = independent(missed.iter().map(|&i| &witnesses[i]), most);
        for &i in &missed {
            tried[i] = chosen.iter().any(|chosen| chosen.shares_a_column(&witnesses[i]));
        }
        Ok(chosen)
    }

    /// R ← M⁻¹R; returns rᵀM⁻¹r of each pair.
    pub fn apply(&self, x: &mut Tall, y: &mut Tall) -> Result<Vec<f64>> {
        let space = self.problem.space;
        if let Some(inverse) = self.factor.get() {
            let (rx, ry) = (space.download(x)?, space.download(y)?);
            let [tx, ty] = inverse.solve([&rx, &ry]);
            let squares = add(panels::column_dots(&rx, &tx), &panels::column_dots(&ry, &ty));
            (*x, *y) = (space.upload(tx)?, space.upload(ty)?);
            return Ok(squares);
        }
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
            Some(InUse { block, outside, watched, .. }) => {
                let of_others = squares(x, y, watched.as_ref().unwrap_or(outside))?;
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
            witnesses: self.witnesses.len() as u64,
        });
        let whole = self.whole.as_ref().map(|whole| whole.decision());
        self.factor.decisions().into_iter().chain(block).chain(whole).collect()
    }

    /// Chooses the columns of the block, and factorizes it.
    fn choose(&mut self, w: &Block, r: &Block, theta: &[f64]) -> Result<()> {
        let scores = if self.is_informed {
            self.unexplained(w, theta)?
        } else {
            self.witnesses.iter().map(|witness| witness.objective).collect()
        };
        let active = |side: usize| -> Result<Option<Vec<f64>>> {
            let is_known = self.is_informed;
            is_known.then(|| self.activity(&w.views[side].w, &r.views[side].w, side)).transpose()
        };
        let activity = [active(0)?, active(1)?];
        let counts = split(self.size, self.varying);
        let [x, y] = activity;
        let (x, y) = (self.scores(0, &scores, x), self.scores(1, &scores, y));
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
        let (space, dependence) = (self.problem.space, self.dependence_of(side));
        if dependence.is_none()
            && let Some(activity) = space.activity(w, r, &self.diagonal[side])?
        {
            return Ok(activity);
        }
        Ok(activity(&space.row_squares(w)?, &space.row_squares(r)?, &self.inverse[side], dependence))
    }

    /// What is known of the columns of a view, given the score of each witness.
    fn scores<'s>(&'s self, side: usize, asking: &'s [f64], activity: Option<Vec<f64>>) -> ViewScores<'s> {
        ViewScores {
            side,
            inverse: &self.inverse[side],
            varying: self.varying[side],
            activity,
            of_witnesses: &self.columns_of_witnesses[side],
            witnesses: &self.witnesses,
            asking,
            dependence: self.dependence_of(side),
        }
    }

    /// A block that was just chosen, with what stands for the other columns.
    fn in_use(&self, block: Coarse) -> Result<InUse> {
        let space = self.problem.space;
        let (outside, watched) = match &self.dependence {
            None => (block.outside_in(space, &self.inverse, &self.diagonal)?, None),
            Some(dependence) => {
                let [x, y] = block.outside(&self.inverse)?;
                let weighed = |outside: &[f64], dependence: &[f64]| {
                    let both = outside.iter().zip(dependence);
                    space.row_factors(both.map(|(factor, weight)| factor * weight).collect())
                };
                let watched = [weighed(&x, &dependence[0])?, weighed(&y, &dependence[1])?];
                ([space.row_factors(x)?, space.row_factors(y)?], Some(watched))
            }
        };
        let is_complete = (0..2).all(|side| block.columns(side).len() == self.varying[side]);
        Ok(InUse { block, outside, watched, age: 0, is_complete })
    }

    fn dependence_of(&self, side: usize) -> Option<&[f64]> {
        self.dependence.as_ref().map(|dependence| &dependence[side][..])
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

    /// The objective that each witness still has when the pairs found are taken out.
    fn unexplained(&self, w: &Block, theta: &[f64]) -> Result<Vec<f64>> {
        if let (Some(probes), [x, y]) = (&self.probes, &w.views[..])
            && let Some(overlaps) = probes.overlaps([&x.bw, &y.bw], theta)?
        {
            let left = self.witnesses.par_iter().zip(overlaps);
            return Ok(left
                .map(|(witness, [squares, explained])| witness.beyond(squares, explained))
                .collect());
        }
        let mut rows = Vec::new();
        for (view, columns) in w.views.iter().zip(&self.columns_of_witnesses) {
            rows.push((self.problem.space.rows(&view.bw, columns)?, columns));
        }
        let row = |side: usize, column: u32| {
            let (panel, columns) = &rows[side];
            panel.row(columns.partition_point(|&other| other < column))
        };
        Ok(self.witnesses.par_iter().map(|witness| witness.unexplained(row, theta)).collect())
    }
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
