//! The coarse block: (B − A)⁻¹ on a few thousand chosen columns.
//!
//! ```text
//! M = [ (B − A)cc + ε·diag   0  ]
//!     [          0          Dff ]
//! ```
//!
//! with c the chosen columns of both views, f the others and D the diagonal of B. M is symmetric and positive
//! definite, so it can precondition LOBPCG. (B − A)cc is scaled to a unit diagonal and factorized densely; ε
//! is there because columns may depend on each other and correlations may be 1, and both make it singular.
//! How it is factorized, and how more columns join it, is in `coarse_factor`.

use super::coarse_factor::{EPSILON, Factor, Joined, Precision, Scaled};
use super::varying::{self, Varying};
use crate::data::Pair;
use crate::error::{Error, Result};
use crate::fit::pairs::problem::Problem;
use crate::matrix::{Lower, Panel};
use crate::space::{BlockInverse, ChosenBlock, Inverted, RowFactors, Space, Tall};
use crate::whiten::inverse_root;
use faer::{Mat, MatRef};

/// (B − A)⁻¹ on chosen columns.
pub(in crate::fit) struct Coarse {
    /// The chosen columns of each view, in the order in which they joined.
    columns: [Vec<u32>; 2],
    /// The row of the factor that each of them has.
    places: [Vec<usize>; 2],
    /// 1/√ of the diagonal of B, one for each row of the factor.
    scale: Vec<f64>,
    inverse: Inverse,
    /// What keeps each view's directions that vary, if some do not.
    varying: [Option<Varying>; 2],
}

/// What solves with the scaled block.
enum Inverse {
    /// Its Cholesky factor.
    Host(Factor),
    /// Whatever the space of the panels made of it.
    InSpace(Box<dyn BlockInverse>),
}

impl Coarse {
    /// The bytes of a block of this many columns while it is factorized.
    pub fn bytes(size: usize) -> u64 {
        (size as u64).saturating_mul(size as u64).saturating_mul(16)
    }

    /// Reads the block of the given columns, ascending in each view, off the rows or their Gram matrices and
    /// factorizes it; `None` if it does not fit the memory or is singular in spite of ε. `inverse` is the
    /// inverse diagonal of B.
    pub fn new(
        problem: &Problem<'_>,
        inverse: &[Vec<f64>; 2],
        columns: [Vec<u32>; 2],
        precision: Precision,
    ) -> Result<Option<Self>> {
        let of_view = |side: usize| columns[side].iter().map(move |&column| (side, column as usize));
        let scale: Vec<f64> = of_view(0).chain(of_view(1)).map(|(side, j)| inverse[side][j].sqrt()).collect();
        let chosen = ChosenBlock {
            columns: columns.each_ref().map(Vec::as_slice),
            scale: &scale,
            identities: problem.identities(),
            sigma: 1.0,
            lifting: MatRef::from_column_major_slice(&[], scale.len(), 0),
            epsilon: EPSILON,
        };
        let (x, size) = (columns[0].len(), scale.len());
        let places = [(0..x).collect(), (x..size).collect()];
        let mut varying = [None, None];
        let inverse = match problem.space.invert(problem.pair, &chosen)? {
            Inverted::No => None,
            Inverted::Here(inverse) => (inverse.failed() == 0).then_some(Inverse::InSpace(inverse)),
            Inverted::OnHost => match gram(problem, &columns)? {
                None => None,
                Some(gram) => {
                    let block = Scaled { gram, order: None, split: columns[0].len(), scale: &scale };
                    let single = if precision == Precision::Any { block.in_single()? } else { None };
                    let factor = match single {
                        Some(factor) => Some(factor),
                        None => {
                            varying = varying_of(problem, &block, &places)?;
                            block.in_double()?
                        }
                    };
                    factor.map(Inverse::Host)
                }
            },
        };
        Ok(inverse.map(|inverse| Coarse { columns, places, scale, inverse, varying }))
    }

    /// How precise a block in place of this one should be.
    pub fn precision(&self) -> Precision {
        match &self.inverse {
            Inverse::Host(factor) => factor.precision(),
            Inverse::InSpace(_) => Precision::Any,
        }
    }

    /// Whether more columns can join. Elsewhere than on the host a new factorization costs less than
    /// bookkeeping.
    pub fn can_grow(&self) -> bool {
        matches!(self.inverse, Inverse::Host(_))
    }

    /// The block with more columns, ascending in each view; `None` as for a new one.
    pub fn grown(
        mut self,
        problem: &Problem<'_>,
        inverse: &[Vec<f64>; 2],
        more: [Vec<u32>; 2],
    ) -> Result<Option<Self>> {
        let Inverse::Host(known) = &self.inverse else { return Ok(None) };
        let mut all = self.columns.clone();
        for (all, more) in all.iter_mut().zip(&more) {
            all.extend(more);
            all.sort_unstable();
        }
        let Some(gram) = gram(problem, &all)? else { return Ok(None) };
        let ridges = problem.ridges();
        for (side, more) in more.into_iter().enumerate() {
            self.places[side].extend(self.scale.len()..self.scale.len() + more.len());
            for &column in &more {
                let place = place_in(&all, side, column);
                self.scale.push(inverse_root(gram[(place, place)] + ridges[side]));
            }
            self.columns[side].extend(more);
        }
        // For each row of the factor its row in `gram`, in which the columns of each view ascend.
        let mut order = vec![0; self.scale.len()];
        for side in 0..2 {
            for (&place, &column) in self.places[side].iter().zip(&self.columns[side]) {
                order[place] = place_in(&all, side, column);
            }
        }
        let block = Scaled { gram, order: Some(order), split: all[0].len(), scale: &self.scale };
        let varying = match known.precision() {
            Precision::Any => [None, None],
            Precision::Double => varying_of(problem, &block, &self.places)?,
        };
        match block.joined_to(known)? {
            Joined::Factor(factor) => Ok(Some(Coarse { inverse: Inverse::Host(factor), varying, ..self })),
            Joined::Imprecise => Coarse::new(problem, inverse, all, Precision::Double),
            Joined::Singular => Ok(None),
        }
    }

    /// B ← M⁻¹B for the scaled block, whose rows are the chosen columns of X and then those of Y if none
    /// joined later. Returns bᵀM⁻¹b of every column b; `None` if the factor is not on the host.
    pub fn solve_scaled(&self, b: &mut Mat<f64>) -> Option<Vec<f64>> {
        match &self.inverse {
            Inverse::Host(factor) => Some(factor.solve(b)),
            Inverse::InSpace(_) => None,
        }
    }

    /// Whether every direction has far more variance than ε, so that M is B − A there.
    pub fn sees_all(&self) -> bool {
        self.varying.iter().all(Option::is_none)
    }

    /// Columns in the block.
    pub fn size(&self) -> usize {
        self.scale.len()
    }

    /// The columns of one view in the block, in no particular order.
    pub fn columns(&self, side: usize) -> &[u32] {
        &self.columns[side]
    }

    /// What of `inverse`, the inverse diagonal of B, stands for the other columns in a space: 0 for those in
    /// the block. `diagonal` is the same diagonal in that space, if it is there.
    pub fn outside_in(
        &self,
        space: &dyn Space,
        inverse: &[Vec<f64>; 2],
        diagonal: &[RowFactors; 2],
    ) -> Result<[RowFactors; 2]> {
        let made = |side: usize| space.without_rows(&diagonal[side], &self.columns[side]);
        if let (Some(x), Some(y)) = (made(0)?, made(1)?) {
            return Ok([x, y]);
        }
        let [x, y] = self.outside(inverse)?;
        Ok([space.row_factors(x)?, space.row_factors(y)?])
    }

    /// What of `inverse`, the inverse diagonal of B, stands for the other columns: 0 for those in the block.
    pub fn outside(&self, inverse: &[Vec<f64>; 2]) -> Result<[Vec<f64>; 2]> {
        let mut outside = inverse.clone();
        for (factors, columns) in outside.iter_mut().zip(&self.columns) {
            for &column in columns {
                let (expected, found) = (factors.len(), column as usize + 1);
                let Some(factor) = factors.get_mut(column as usize) else {
                    return Err(Error::Length { what: "columns of the coarse block", expected, found });
                };
                *factor = 0.0;
            }
        }
        Ok(outside)
    }

    /// R ← M⁻¹R, with `outside` for the columns that are not in the block. Returns rᵀM⁻¹r over those that
    /// are, for each pair.
    pub fn precondition(
        &self,
        space: &dyn Space,
        outside: &[RowFactors; 2],
        x: &mut Tall,
        y: &mut Tall,
    ) -> Result<Vec<f64>> {
        match &self.inverse {
            Inverse::InSpace(inverse) => inverse.apply(outside, x, y),
            Inverse::Host(factor) => {
                let on_block = [space.rows(x, &self.columns[0])?, space.rows(y, &self.columns[1])?];
                space.scale_rows(x, &outside[0])?;
                space.scale_rows(y, &outside[1])?;
                self.solve(factor, space, on_block, [x, y])
            }
        }
    }

    /// Writes M⁻¹R of the chosen rows R into these rows of T, and returns rᵀM⁻¹r over them for each pair.
    fn solve(
        &self,
        factor: &Factor,
        space: &dyn Space,
        r: [Panel; 2],
        t: [&mut Tall; 2],
    ) -> Result<Vec<f64>> {
        let pairs = r[0].cols();
        let mut solved = Mat::zeros(self.size(), pairs);
        for (rows, places) in r.iter().zip(&self.places) {
            for (i, &place) in places.iter().enumerate() {
                let entries = rows.row(i).iter().enumerate();
                entries.for_each(|(j, entry)| solved[(place, j)] = self.scale[place] * entry);
            }
        }
        let squares = factor.solve(&mut solved);
        for (varying, places) in self.varying.iter().zip(&self.places) {
            let Some(varying) = varying else { continue };
            let mut own = Mat::from_fn(places.len(), pairs, |i, j| solved[(places[i], j)]);
            varying.keep(&mut own);
            (0..pairs).for_each(|j| {
                places.iter().enumerate().for_each(|(i, &place)| solved[(place, j)] = own[(i, j)])
            });
        }
        for (((mut rows, panel), columns), places) in
            r.into_iter().zip(t).zip(&self.columns).zip(&self.places)
        {
            for (i, &place) in places.iter().enumerate() {
                let entries = rows.row_mut(i).iter_mut().enumerate();
                entries.for_each(|(j, out)| *out = self.scale[place] * solved[(place, j)]);
            }
            space.put_rows(panel, columns, &rows)?;
        }
        Ok(squares)
    }
}

/// What keeps the directions of each view that vary, in the rows `places` of a block; `None` where all do.
fn varying_of(
    problem: &Problem<'_>,
    block: &Scaled<'_>,
    places: &[Vec<usize>; 2],
) -> Result<[Option<Varying>; 2]> {
    let ridges = problem.ridges();
    let of_view = |side: usize| {
        let rows = &places[side];
        if rows.iter().all(|&row| ridges[side] * block.scale[row].powi(2) >= varying::SOME) {
            return Ok(None);
        }
        Varying::new(rows.len(), |i, j| block.entry(rows[i], rows[j]))
    };
    Ok([of_view(0)?, of_view(1)?])
}

/// The Gram matrix of chosen columns, without the views whose B is a multiple of I; `None` if it does not fit
/// the memory or rows cannot tell.
fn gram(problem: &Problem<'_>, columns: &[Vec<u32>; 2]) -> Result<Option<Lower>> {
    let Some(blocks) = problem.pair.capabilities().blocks else { return Ok(None) };
    let chosen = columns.each_ref().map(Vec::as_slice);
    match blocks.block_gram(chosen, None, problem.settings.memory) {
        Err(Error::Memory { .. }) => Ok(None),
        formed => {
            let mut gram = formed?;
            leave_out_identities(&mut gram, columns[0].len(), problem.identities());
            Ok(Some(gram))
        }
    }
}

/// Takes C out of the views whose B is a multiple of I, so that the ridge is all that is left of it.
fn leave_out_identities(gram: &mut Lower, split: usize, identities: [bool; 2]) {
    for (view, (start, end)) in [(0, split), (split, gram.size())].into_iter().enumerate() {
        if identities[view] {
            (start..end).for_each(|j| (j..end).for_each(|i| gram[(i, j)] = 0.0));
        }
    }
}

/// The place of a column among the chosen columns of both views, those of X first, ascending in each.
fn place_in(all: &[Vec<u32>; 2], side: usize, column: u32) -> usize {
    let before = if side == 0 { 0 } else { all[0].len() };
    before + all[side].partition_point(|&other| other < column)
}
