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

use super::coarse_factor::{EPSILON, Factor, factor_of, single_factor_of};
use super::eigenproblem::Trust;
use super::inverse::Inverse;
use super::problem::Problem;
use crate::data::{JointGram, Pair, Side};
use crate::error::Result;
use crate::matrix::{LANES, Line, Lower, Panel};
use crate::outcome::Decision;
use crate::small;
use bytemuck::Zeroable;
use faer::Mat;
use pulp::NullaryFnOnce;
use rayon::prelude::*;

/// Entries below these shares of their columns' lengths are left out: between two rare columns, and between
/// a rare and a frequent one. The latter add up in S, so they are kept longer: 1e-3 and 5e-3 in the first
/// place take the same passes on sentences and paths, but with 3e-3 in the second one S of Debian paths is
/// not positive definite, and 15 passes are needed in place of 7.
const LEFT_OUT: [f64; 2] = [1e-2, 1e-3];
/// With more columns than this, shares fall with the root of their number, as errors of random signs would add
/// up. The rule was found on one set: S of all Debian paths (681,119 columns) is positive definite with 2.4e-3
/// and 2.4e-4 and 5,120 or 6,400 frequent columns, but not with 3,072, and not with 3e-3, 3e-4 and 10,240.
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
pub(super) struct Limits {
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
pub(super) fn part_left_out(columns: usize, ridge: f64) -> f64 {
    let few = (FEW_COLUMNS / columns as f64).sqrt().min(1.0);
    few.min(PER_RIDGE * ridge / LEFT_OUT[0])
}

/// An incomplete factor of B − A.
pub(super) struct Incomplete {
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
        let Some(Eliminated { down, pivots }) = eliminate(&scaled, rare, limits, most) else {
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

/// The columns that vary, those with the fewest entries first.
fn rarest_first(problem: &Problem<'_>, inverse: &[Vec<f64>; 2]) -> Result<Vec<(usize, u32)>> {
    let mut columns: Vec<(u64, usize, u32)> = Vec::new();
    for side in Side::BOTH {
        let view = side as usize;
        let all = (0u32..).zip(&problem.pair.moments(side)?.count).zip(&inverse[view]);
        let varying = all.filter(|(_, inverse)| **inverse > 0.0);
        columns.extend(varying.map(|((column, &entries), _)| (entries, view, column)));
    }
    columns.par_sort_unstable();
    Ok(columns.into_iter().map(|(_, view, column)| (view, column)).collect())
}

/// B − A without terms of low rank, scaled to a unit diagonal and in the order of elimination.
struct Scaled<'a> {
    joint: &'a JointGram,
    columns: Vec<(usize, u32)>,
    /// The place of each column of each view; `NOWHERE` if it does not vary.
    places: [Vec<u32>; 2],
    scale: Vec<f64>,
    /// The least that an exact pivot can be.
    floors: Vec<f64>,
}

const NOWHERE: u32 = u32::MAX;
/// The signs of the views in F = [X, −Y].
const SIGNS: [f64; 2] = [1.0, -1.0];

impl<'a> Scaled<'a> {
    fn new(joint: &'a JointGram, ridges: [f64; 2], columns: Vec<(usize, u32)>) -> Self {
        let shape = joint.shape();
        let mut places = [shape.x_cols, shape.y_cols].map(|columns| vec![NOWHERE; columns]);
        for (place, &(view, column)) in columns.iter().enumerate() {
            places[view][column as usize] = place as u32;
        }
        let squares = Side::BOTH.map(|side| &joint.moments(side).square);
        let (scale, floors) = columns
            .par_iter()
            .map(|&(view, column)| {
                let square = squares[view][column as usize] + ridges[view];
                (square.sqrt().recip(), (ridges[view] / square).max(EPSILON))
            })
            .unzip();
        Scaled { joint, columns, places, scale, floors }
    }

    /// Calls `visit` with the place and number of each entry below the diagonal of one column.
    fn below(&self, place: usize, mut visit: impl FnMut(usize, f64)) {
        let (view, column) = self.columns[place];
        for source in Side::BOTH {
            let places = &self.places[source as usize];
            let block = self.joint.block(Side::BOTH[view], source);
            let own = SIGNS[view] * SIGNS[source as usize] * self.scale[place];
            block.for_each(column as usize, |other, value| {
                let other = places[other];
                if other != NOWHERE && other as usize > place {
                    visit(other as usize, value * own * self.scale[other as usize]);
                }
            });
        }
    }
}

/// Lists of entries, one after the other.
struct Lists {
    starts: Vec<usize>,
    entries: Vec<(u32, f32)>,
}

impl Lists {
    fn of(&self, list: usize) -> &[(u32, f32)] {
        &self.entries[self.starts[list]..self.starts[list + 1]]
    }

    /// The entries by rows, of which there are `rows`.
    fn transposed(&self, rows: usize) -> Lists {
        let mut starts = vec![0; rows + 1];
        self.entries.iter().for_each(|&(row, _)| starts[row as usize + 1] += 1);
        (0..rows).for_each(|row| starts[row + 1] += starts[row]);
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); self.entries.len()];
        for column in 0..self.starts.len() - 1 {
            for &(row, value) in self.of(column) {
                entries[next[row as usize]] = (column as u32, value);
                next[row as usize] += 1;
            }
        }
        Lists { starts, entries }
    }

    /// `sum` less the products of a list with lines of `b`.
    #[inline(always)]
    fn less_products(&self, list: usize, mut sum: Line, b: &[Line]) -> Line {
        for &(place, value) in self.of(list) {
            let (value, other) = (f64::from(value), &b[place as usize]);
            (0..LANES).for_each(|lane| sum.0[lane] -= value * other.0[lane]);
        }
        sum
    }
}

/// L and V, by columns, and the inverse diagonal of L.
struct Eliminated {
    down: Lists,
    pivots: Vec<f64>,
}

const NO_COLUMN: u32 = u32::MAX;

/// Eliminates the first `rare` columns, each after subtracting the columns before that reach it. `None` if
/// that takes more multiplications than allowed or more than `most` entries.
fn eliminate(matrix: &Scaled<'_>, rare: usize, limits: &Limits, most: usize) -> Option<Eliminated> {
    let size = matrix.columns.len();
    let mut down = Lists { starts: vec![0], entries: Vec::new() };
    let mut pivots = Vec::with_capacity(rare);
    // Sums, and the column that touched each last; side by side, because they are read together.
    let mut sums = vec![(0.0, NO_COLUMN); size];
    let mut touched = Vec::new();
    // The columns whose next entry is in a row: a linked list for each row.
    let (mut first, mut next) = (vec![NO_COLUMN; rare], vec![NO_COLUMN; rare]);
    let mut next_entry: Vec<usize> = Vec::with_capacity(rare);
    let mut done = 0.0;
    for column in 0..rare {
        touched.clear();
        matrix.below(column, |place, value| {
            sums[place] = (value, column as u32);
            touched.push(place as u32);
        });
        let mut pivot = 1.0 + EPSILON;
        let mut before = first[column];
        while before != NO_COLUMN {
            let earlier = before as usize;
            let (start, end) = (next_entry[earlier], down.starts[earlier + 1]);
            let own = f64::from(down.entries[start].1);
            pivot -= own * own;
            for &(place, value) in &down.entries[start + 1..end] {
                let (sum, touched_by) = &mut sums[place as usize];
                if *touched_by != column as u32 {
                    (*sum, *touched_by) = (0.0, column as u32);
                    touched.push(place);
                }
                *sum -= own * f64::from(value);
            }
            done += (end - start) as f64;
            before = next[earlier];
            hang_on(earlier, start + 1, &down, &mut first, &mut next, &mut next_entry);
        }
        let pivot = pivot.max(matrix.floors[column]).sqrt();
        let is_kept = |&place: &u32| {
            let least = limits.left_out[usize::from(place as usize >= rare)];
            sums[place as usize].0.abs() >= least
        };
        let mut kept: Vec<u32> = touched.iter().copied().filter(is_kept).collect();
        kept.sort_unstable();
        down.entries.extend(kept.iter().map(|&place| (place, (sums[place as usize].0 / pivot) as f32)));
        let start = down.starts[column];
        down.starts.push(down.entries.len());
        pivots.push(pivot.recip());
        next_entry.push(start);
        hang_on(column, start, &down, &mut first, &mut next, &mut next_entry);
        if done > limits.work || down.entries.len() > most {
            return None;
        }
    }
    Some(Eliminated { down, pivots })
}

/// Puts a column on the list of the row of one of its entries, if that is the row of a rare column.
fn hang_on(
    column: usize,
    entry: usize,
    down: &Lists,
    first: &mut [u32],
    next: &mut [u32],
    next_entry: &mut [usize],
) {
    next_entry[column] = entry;
    if entry < down.starts[column + 1]
        && let Some(head) = first.get_mut(down.entries[entry].0 as usize)
    {
        next[column] = *head;
        *head = column as u32;
    }
}

/// S = C − V·Vᵀ, column by column.
struct Complement<'a> {
    matrix: &'a Scaled<'a>,
    down: &'a Lists,
    across: &'a Lists,
    rare: usize,
}

impl Complement<'_> {
    /// The lower triangle.
    fn formed(&self) -> Lower {
        let size = self.matrix.columns.len() - self.rare;
        let mut rest = Lower::zeros(size);
        rest.par_columns_mut().enumerate().with_max_len(16).for_each(|(j, sums)| {
            sums[0] = 1.0 + EPSILON;
            self.add(self.rare + j, sums);
        });
        rest
    }

    /// Adds a column from its diagonal down, where `sums` have the 1.
    fn add(&self, place: usize, sums: &mut [f64]) {
        self.matrix.below(place, |other, value| sums[other - place] += value);
        for &(column, own) in self.across.of(place) {
            let list = self.down.of(column as usize);
            let from = list.partition_point(|&(row, _)| (row as usize) < place);
            for &(row, value) in &list[from..] {
                sums[row as usize - place] -= f64::from(own) * f64::from(value);
            }
        }
    }

    /// The multiplications that forming S takes.
    fn multiplications(&self) -> f64 {
        let pairs = |column: usize| {
            let list = self.down.of(column);
            let frequent = list.len() - list.partition_point(|&(row, _)| (row as usize) < self.rare);
            0.5 * (frequent as f64).powi(2)
        };
        (0..self.rare).into_par_iter().map(pairs).sum()
    }

    /// The factor with the least shift that makes S positive definite, and this shift. Single precision comes
    /// first; without a shift, pivots that it would spoil are tried again in double precision.
    fn factorized(&self, shifts: &[f64]) -> Result<Option<(Factor, f64)>> {
        let formed = self.formed();
        for &shift in shifts {
            let single = single_factor_of(shifted(&formed, shift))?;
            let found = match single {
                None if shift == 0.0 => factor_of(formed.clone())?,
                found => found,
            };
            if let Some(factor) = found {
                return Ok(Some((factor, shift)));
            }
        }
        Ok(None)
    }
}

/// A matrix in single precision with a raised diagonal.
fn shifted(matrix: &Lower, shift: f64) -> Lower<f32> {
    let mut single = Lower::zeros(matrix.size());
    single.par_columns_mut().enumerate().for_each(|(j, out)| {
        out.iter_mut().zip(matrix.column(j)).for_each(|(out, &number)| *out = number as f32);
        out[0] = (matrix[(j, j)] + shift) as f32;
    });
    single
}

/// A panel of all columns in the order of elimination, cut into groups of as many columns as a line holds:
/// each stays in cache while it is solved for, and threads share them.
#[derive(Clone)]
struct Groups(Vec<Vec<Line>>);

impl Groups {
    fn of(mat: &Mat<f64>) -> Self {
        let line = |place: usize, group: usize| {
            let number = |lane: usize| {
                (group * LANES + lane < mat.ncols()).then(|| mat[(place, group * LANES + lane)])
            };
            Line(std::array::from_fn(|lane| number(lane).unwrap_or(0.0)))
        };
        let groups = 0..mat.ncols().div_ceil(LANES);
        Groups(groups.map(|group| (0..mat.nrows()).map(|place| line(place, group)).collect()).collect())
    }

    /// The rows of the given columns of both views, scaled.
    fn picked(views: [&Panel; 2], columns: &[(usize, u32)], scale: &[f64]) -> Self {
        let stride = views[0].lines_per_row();
        let group = |group: usize| {
            let rows = columns.iter().zip(scale);
            let lines = rows.map(|(&(view, column), &scale)| {
                times(views[view].lines()[column as usize * stride + group], scale)
            });
            lines.collect()
        };
        Groups((0..stride).into_par_iter().map(group).collect())
    }

    /// Replaces the panels of both views; columns that do not vary become zero.
    fn place(&self, places: &[Vec<u32>; 2], scale: &[f64], views: [&mut Panel; 2]) {
        let stride = self.0.len().max(1);
        for (panel, places) in views.into_iter().zip(places) {
            let rows = panel.lines_mut().par_chunks_mut(stride).zip(places).with_min_len(1024);
            rows.for_each(|(out, &place)| {
                if place == NOWHERE {
                    return out.fill(Line::zeroed());
                }
                let lines = out.iter_mut().zip(&self.0);
                lines.for_each(|(out, group)| *out = times(group[place as usize], scale[place as usize]));
            });
        }
    }

    fn to_mat(&self, cols: usize) -> Mat<f64> {
        self.rows_from(0, self.0.first().map_or(0, Vec::len)).subcols(0, cols).to_owned()
    }

    /// The rows from `start` on, up to `end`.
    fn rows_from(&self, start: usize, end: usize) -> Mat<f64> {
        Mat::from_fn(end - start, LANES * self.0.len(), |i, j| self.0[j / LANES][start + i].0[j % LANES])
    }

    fn put_rows(&mut self, start: usize, rows: &Mat<f64>) {
        for (g, group) in self.0.iter_mut().enumerate() {
            for (i, line) in group[start..].iter_mut().enumerate() {
                (0..LANES).for_each(|lane| line.0[lane] = rows[(i, g * LANES + lane)]);
            }
        }
    }

    /// PᵀB.
    fn products(&self, p: &Mat<f64>) -> Mat<f64> {
        let of_group = |group: &Vec<Line>| {
            let mut sums = vec![Line::zeroed(); p.ncols()];
            for (place, line) in group.iter().enumerate() {
                for (term, sum) in sums.iter_mut().enumerate() {
                    (0..LANES).for_each(|lane| sum.0[lane] += p[(place, term)] * line.0[lane]);
                }
            }
            sums
        };
        let sums: Vec<Vec<Line>> = self.0.par_iter().map(of_group).collect();
        Mat::from_fn(p.ncols(), LANES * sums.len(), |term, j| sums[j / LANES][term].0[j % LANES])
    }

    /// B ← B + Z·C.
    fn add_products(&mut self, z: &Mat<f64>, c: &Mat<f64>) {
        self.0.par_iter_mut().enumerate().for_each(|(g, group)| {
            for (place, line) in group.iter_mut().enumerate() {
                for term in 0..z.ncols() {
                    let factor = z[(place, term)];
                    (0..LANES).for_each(|lane| line.0[lane] += factor * c[(term, g * LANES + lane)]);
                }
            }
        });
    }

    /// The product of each column with the same column of another.
    fn dots(&self, other: &Groups) -> Vec<f64> {
        let of_group = |(a, b): (&Vec<Line>, &Vec<Line>)| {
            let mut sum = Line::zeroed();
            for (a, b) in a.iter().zip(b) {
                (0..LANES).for_each(|lane| sum.0[lane] += a.0[lane] * b.0[lane]);
            }
            sum.0
        };
        self.0.par_iter().zip(&other.0).flat_map_iter(of_group).collect()
    }
}

#[inline(always)]
fn times(mut line: Line, factor: f64) -> Line {
    line.0.iter_mut().for_each(|number| *number *= factor);
    line
}
