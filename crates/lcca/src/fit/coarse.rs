//! The coarse block: (B − A)⁻¹ on a few thousand chosen columns.
//!
//! ```text
//! M = [ (B − A)cc + ε·diag   0  ]
//!     [          0          Dff ]
//! ```
//!
//! with c the chosen columns of both views, f the others and D the diagonal of B. M is symmetric and positive definite, so it
//! can precondition LOBPCG. (B − A)cc is scaled to a unit diagonal and factorized densely; ε is there because columns may
//! depend on each other and correlations may be 1, and both make it singular.
//!
//! More columns can join a block that is factorized already. With L the factor so far and n for the new columns,
//!
//! ```text
//! [ L    0  ]      Lnc·Lᵀ = (B − A)nc,      Ln·Lnᵀ = (B − A)nn − Lnc·Lncᵀ
//! [ Lnc  Ln ]
//! ```
//!
//! which costs a fraction of a new factorization if they are few.

use super::problem::Problem;
use crate::data::Pair;
use crate::error::{Error, Result};
use crate::matrix::{Lower, Panel};
use crate::space::{BlockInverse, ChosenBlock, Inverted, RowFactors, Space, Tall};
use crate::whiten::inverse_root;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltParams, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::triangular_solve;
use faer::reborrow::ReborrowMut;
use faer::{Accum, Mat, MatMut, Par, Spec};
use rayon::prelude::*;

/// Added to the unit diagonal. From 1e-3 to 1e-8 the number of iterations is the same on sentences and on paths; a small
/// one sees correlations in directions of little variance.
const EPSILON: f64 = 1e-8;

/// (B − A)⁻¹ on chosen columns.
pub(super) struct Coarse {
    /// The chosen columns of each view, in the order in which they joined.
    columns: [Vec<u32>; 2],
    /// The row of the factor that each of them has.
    places: [Vec<usize>; 2],
    /// 1/√ of the diagonal of B, one for each row of the factor.
    scale: Vec<f64>,
    factor: Factor,
}

/// What solves with the scaled block.
enum Factor {
    /// Its Cholesky factor.
    Host(Lower),
    /// Whatever the space of the panels made of it.
    InSpace(Box<dyn BlockInverse>),
}

impl Coarse {
    /// The bytes of a block of this many columns while it is factorized.
    pub fn bytes(size: usize) -> u64 {
        (size as u64).saturating_mul(size as u64).saturating_mul(16)
    }

    /// Reads the block of the given columns, ascending in each view, off the rows or their Gram matrices and factorizes it;
    /// `None` if it does not fit the memory or is singular in spite of ε.
    pub fn new(problem: &Problem<'_>, columns: [Vec<u32>; 2]) -> Result<Option<Self>> {
        let inverse = problem.inverse_diagonals()?;
        let of_view = |side: usize| columns[side].iter().map(move |&column| (side, column as usize));
        let scale: Vec<f64> = of_view(0).chain(of_view(1)).map(|(side, j)| inverse[side][j].sqrt()).collect();
        let chosen = ChosenBlock {
            columns: columns.each_ref().map(Vec::as_slice),
            scale: &scale,
            identities: problem.identities(),
            epsilon: EPSILON,
        };
        match problem.space.invert(problem.pair, &chosen)? {
            Inverted::No => Ok(None),
            Inverted::OnHost => {
                let (none, factor) = ([vec![], vec![]], Factor::Host(Lower::zeros(0)));
                let nothing = Coarse { columns: none, places: [vec![], vec![]], scale: vec![], factor };
                nothing.grown(problem, columns)
            }
            Inverted::Here(inverse) => {
                let (x, size) = (columns[0].len(), scale.len());
                let places = [(0..x).collect(), (x..size).collect()];
                Ok(Some(Coarse { columns, places, scale, factor: Factor::InSpace(inverse) }))
            }
        }
    }

    /// Whether more columns can join. Elsewhere than on the host a new factorization costs less than bookkeeping.
    pub fn can_grow(&self) -> bool {
        matches!(self.factor, Factor::Host(_))
    }

    /// The block with more columns, ascending in each view; `None` as for a new one.
    pub fn grown(mut self, problem: &Problem<'_>, more: [Vec<u32>; 2]) -> Result<Option<Self>> {
        let Some(blocks) = problem.pair.capabilities().blocks else { return Ok(None) };
        let Factor::Host(known) = &self.factor else { return Ok(None) };
        let mut all = self.columns.clone();
        for (all, more) in all.iter_mut().zip(&more) {
            all.extend(more);
            all.sort_unstable();
        }
        let mut gram =
            match blocks.block_gram(all.each_ref().map(Vec::as_slice), None, problem.settings.memory) {
                Err(Error::Memory { .. }) => return Ok(None),
                formed => formed?,
            };
        leave_out_identities(&mut gram, all[0].len(), problem.identities());
        let (old, ridges) = (self.scale.len(), problem.ridges());
        for (side, more) in more.into_iter().enumerate() {
            self.places[side].extend(self.scale.len()..self.scale.len() + more.len());
            for &column in &more {
                let place = place_in(&all, side, column);
                self.scale.push(inverse_root(gram[(place, place)] + ridges[side]));
            }
            self.columns[side].extend(more);
        }
        // For each row of the factor its row in `gram`, in which the columns of each view ascend.
        let mut from = vec![0; self.scale.len()];
        for side in 0..2 {
            for (&place, &column) in self.places[side].iter().zip(&self.columns[side]) {
                from[place] = place_in(&all, side, column);
            }
        }
        let block = Scaled { gram, from, split: all[0].len(), scale: &self.scale };
        let factor = if old == 0 { block.factorized()? } else { block.joined_to(known)? };
        Ok(factor.map(|factor| Coarse { factor: Factor::Host(factor), ..self }))
    }

    /// Columns in the block.
    pub fn size(&self) -> usize {
        self.scale.len()
    }

    /// The columns of one view in the block, in no particular order.
    pub fn columns(&self, side: usize) -> &[u32] {
        &self.columns[side]
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

    /// R ← M⁻¹R, with `outside` for the columns that are not in the block. Returns rᵀM⁻¹r over those that are, for each pair.
    pub fn precondition(
        &self,
        space: &dyn Space,
        outside: &[RowFactors; 2],
        x: &mut Tall,
        y: &mut Tall,
    ) -> Result<Vec<f64>> {
        match &self.factor {
            Factor::InSpace(inverse) => inverse.apply(outside, x, y),
            Factor::Host(factor) => {
                let on_block = [space.rows(x, &self.columns[0])?, space.rows(y, &self.columns[1])?];
                space.scale_rows(x, &outside[0])?;
                space.scale_rows(y, &outside[1])?;
                self.solve(factor, space, on_block, [x, y])
            }
        }
    }

    /// Writes M⁻¹R of the chosen rows R into these rows of T, and returns rᵀM⁻¹r over them for each pair.
    fn solve(&self, factor: &Lower, space: &dyn Space, r: [Panel; 2], t: [&mut Tall; 2]) -> Result<Vec<f64>> {
        let pairs = r[0].cols();
        let mut solved = Mat::zeros(self.size(), pairs);
        for (rows, places) in r.iter().zip(&self.places) {
            for (i, &place) in places.iter().enumerate() {
                let entries = rows.row(i).iter().enumerate();
                entries.for_each(|(j, entry)| solved[(place, j)] = self.scale[place] * entry);
            }
        }
        let lower = factor.as_mat();
        triangular_solve::solve_lower_triangular_in_place(lower, solved.as_mut(), Par::rayon(0));
        let squares = (0..pairs).map(|j| solved.col(j).squared_norm_l2()).collect();
        triangular_solve::solve_upper_triangular_in_place(lower.transpose(), solved.as_mut(), Par::rayon(0));
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

/// B − A on chosen columns, scaled to a unit diagonal, in the order of a factor's rows.
struct Scaled<'a> {
    /// The Gram matrix of these columns.
    gram: Lower,
    /// The row of `gram` for each row of the factor.
    from: Vec<usize>,
    /// The number of X's columns, which come first in `gram`.
    split: usize,
    scale: &'a [f64],
}

impl Scaled<'_> {
    fn entry(&self, i: usize, j: usize) -> f64 {
        if i == j {
            return 1.0 + EPSILON;
        }
        let (a, b) = (self.from[i].max(self.from[j]), self.from[i].min(self.from[j]));
        // What lies between the two views is −Cyx.
        let sign = if a >= self.split && b < self.split { -1.0 } else { 1.0 };
        sign * self.scale[i] * self.scale[j] * self.gram[(a, b)]
    }

    /// The Cholesky factor of a whole block, whose rows are in the order of `gram`.
    fn factorized(self) -> Result<Option<Lower>> {
        let Scaled { gram: mut block, split, scale, .. } = self;
        block.par_columns_mut().enumerate().for_each(|(j, column)| {
            for (i, entry) in (j..).zip(&mut *column) {
                let sign = if i >= split && j < split { -1.0 } else { 1.0 };
                *entry *= sign * scale[i] * scale[j];
            }
            column[0] = 1.0 + EPSILON;
        });
        Ok(factorize(block.as_mat_mut())?.then_some(block))
    }

    /// The Cholesky factor of a block whose first rows have the factor `known`.
    fn joined_to(self, known: &Lower) -> Result<Option<Lower>> {
        let (old, size) = (known.size(), self.from.len());
        let more = size - old;
        // Lnc·Lᵀ = (B − A)nc is L·Lncᵀ = (B − A)cn.
        let mut across = Mat::zeros(old, more);
        across.par_col_iter_mut().enumerate().for_each(|(j, mut column)| {
            (0..old).for_each(|i| column[i] = self.entry(i, old + j));
        });
        let mut own = Lower::zeros(more);
        own.par_columns_mut().enumerate().for_each(|(j, column)| {
            (j..more).zip(column).for_each(|(i, entry)| *entry = self.entry(old + i, old + j));
        });
        // Its memory is needed.
        drop(self.gram);
        triangular_solve::solve_lower_triangular_in_place(known.as_mat(), across.as_mut(), Par::rayon(0));
        let mut joined = Lower::zeros(size);
        joined.par_columns_mut().enumerate().for_each(|(j, column)| {
            if j < old {
                let (above, below) = column.split_at_mut(old - j);
                above.copy_from_slice(known.column(j));
                below.iter_mut().enumerate().for_each(|(i, entry)| *entry = across[(j, i)]);
            } else {
                column.copy_from_slice(own.column(j - old));
            }
        });
        let mut rest = joined.as_mat_mut().submatrix_mut(old, old, more, more);
        matmul(
            rest.rb_mut(),
            BlockStructure::TriangularLower,
            Accum::Add,
            across.transpose(),
            BlockStructure::Rectangular,
            across.as_ref(),
            BlockStructure::Rectangular,
            -1.0,
            Par::rayon(0),
        );
        Ok(factorize(rest)?.then_some(joined))
    }
}

/// Factorizes the lower triangle of a matrix in place. Says whether it was positive definite.
fn factorize(mut matrix: MatMut<'_, f64>) -> Result<bool> {
    let (size, par) = (matrix.nrows(), Par::rayon(0));
    let params = Spec::<LltParams, f64>::default();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(size, par, params));
    let stack = MemStack::new(&mut memory);
    let factorized = cholesky_in_place(matrix.rb_mut(), Default::default(), par, stack, params);
    if (0..size).any(|i| matrix[(i, i)].is_nan()) {
        return Err(Error::Factorization("the coarse block"));
    }
    Ok(factorized.is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_mat;

    #[test]
    fn columns_that_join_a_block_give_the_factor_of_the_whole() {
        // Columns 0 to 5 of X and 0 to 3 of Y; two of each join later, from the middle.
        let (rows, split, size) = (40, 6, 10);
        let data = random_mat(rows, size, 1);
        let gram = Lower::of((data.transpose() * &data).as_ref());
        let order = [0, 1, 4, 5, 6, 9, 2, 3, 7, 8];
        let scale: Vec<f64> = order.iter().map(|&i| inverse_root(gram[(i, i)])).collect();
        let block = |count: usize| Scaled {
            gram: gram.clone(),
            from: order[..count].to_vec(),
            split,
            scale: &scale[..count],
        };
        let dense = |count: usize| {
            let block = block(count);
            Mat::from_fn(count, count, |i, j| block.entry(i, j))
        };
        let mut first = Lower::of(dense(6).as_ref());
        assert!(factorize(first.as_mat_mut()).unwrap());
        let joined = block(size).joined_to(&first).unwrap().unwrap().to_mat();
        let error = (&joined * joined.transpose() - dense(size)).norm_max();
        assert!(error < 1e-13, "{error:e}");
    }

    #[test]
    fn a_block_is_factorized_with_minus_the_products_between_views() {
        let data = random_mat(30, 5, 2);
        let gram = Lower::of((data.transpose() * &data).as_ref());
        let scale: Vec<f64> = (0..5).map(|i| inverse_root(gram[(i, i)])).collect();
        let block = || Scaled { gram: gram.clone(), from: (0..5).collect(), split: 3, scale: &scale };
        let factor = block().factorized().unwrap().unwrap().to_mat();
        let expected = Mat::from_fn(5, 5, |i, j| block().entry(i, j));
        assert!(expected[(4, 0)] == -gram[(4, 0)] * scale[4] * scale[0]);
        assert!((&factor * factor.transpose() - expected).norm_max() < 1e-13);
    }
}
