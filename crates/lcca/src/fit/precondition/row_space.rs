//! (B − A)⁻¹ exactly, where rows are few: a factorization as large as there are rows, however many columns
//! there are.
//!
//! B − A = diag(ρ) + FᵀF with F = [X, −Y] and ρ > 0 the ridge of each column. With G = F·diag(ρ)^(−1/2)
//! (Woodbury),
//!
//! ```text
//! (B − A)⁻¹ = diag(ρ)^(−1/2) · (I − Gᵀ·(I + G·Gᵀ)⁻¹·G) · diag(ρ)^(−1/2)
//! ```
//!
//! and I + G·Gᵀ has one row for each row of the data. LOBPCG needs a handful of iterations with it, whatever
//! the data are, and nothing can be overlooked: a pair of value θ grows by 1/(1 − θ) per iteration wherever
//! it hides.
//!
//! Cost: the products of all pairs of rows, n³/3 operations, and two passes over the rows per iteration.

use super::coarse_factor::{Factor, factor_of};
use super::inverse::Inverse;
use crate::data::{Ask, InMemory, Pair, Side, Source, row_gram};
use crate::error::Result;
use crate::fit::pairs::cost::entries;
use crate::fit::pairs::eigenproblem::Trust;
use crate::fit::pairs::problem::Problem;
use crate::fit::proof;
use crate::matrix::{Lower, OneHotRows, Panel};
use crate::outcome::Decision;
use crate::panels;
use faer::Mat;

/// Matrices of the size of the rows that are held while one is formed, and the bytes of an entry of a view
/// that is turned around.
const MATRICES: u64 = 4;
const TURNED: f64 = 24.0;
/// If a row's share of G·Gᵀ is above this, which takes next to no ridge, differences of what is subtracted
/// lose too many digits.
const LARGEST: f64 = 1e10;

/// (B − A)⁻¹ by the rows.
pub(in crate::fit) struct RowSpace {
    views: [OneView; 2],
    factor: Factor,
    /// The roots of the rows' weights, if they have any.
    roots: Option<Vec<f64>>,
}

/// One view as X, and one column for each row as Y.
struct OneView {
    pair: InMemory,
    /// What X's columns are multiplied by, with the sign of the view: 1/√ρ, or 0 for those that do not vary.
    factors: Vec<f64>,
    /// 1/√ρ, or 0.
    roots: Vec<f64>,
    means: Option<Vec<f64>>,
}

impl RowSpace {
    /// `None` if a factorization of all columns would be cheaper, if there is no ridge, or if the rows are
    /// too many or out of reach. `inverse` is the inverse diagonal of B.
    pub fn new(problem: &Problem<'_>, inverse: &[Vec<f64>; 2]) -> Result<Option<Self>> {
        let ridges = problem.ridges();
        let is_possible = problem.joint.is_none()
            && problem.along.is_none()
            && !problem.space.is_remote()
            && problem.identities() == [false, false]
            && ridges.iter().all(|&ridge| ridge > 0.0);
        let Some(composition) = problem.pair.composition().filter(|_| is_possible) else { return Ok(None) };
        let Some(rows) = row_gram::rows_of(&composition) else { return Ok(None) };
        let shape = problem.pair.shape();
        let (count, columns) = (shape.rows as f64, (shape.x_cols + shape.y_cols) as f64);
        let bytes = (MATRICES * 8) as f64 * count * count + TURNED * entries(problem.pair)?;
        if count >= columns || count.powi(3) / 3.0 > proof::UNASKED || bytes > problem.settings.memory as f64
        {
            return Ok(None);
        }
        let views = Side::BOTH.map(|side| -> Result<OneView> {
            let view = side as usize;
            let root = ridges[view].sqrt().recip();
            let roots: Vec<f64> =
                inverse[view].iter().map(|&inverse| if inverse > 0.0 { root } else { 0.0 }).collect();
            let sign = if side == Side::X { 1.0 } else { -1.0 };
            let factor = |column: usize| composition.factors[view].map_or(1.0, |factors| factors[column]);
            let each_row = (0..shape.rows as u32).collect::<Vec<_>>();
            let numbers = OneHotRows::new(shape.rows, each_row.into())?;
            Ok(OneView {
                pair: InMemory::new(rows.view(side).clone(), numbers.into())?,
                factors: roots
                    .iter()
                    .enumerate()
                    .map(|(column, root)| sign * root * factor(column))
                    .collect(),
                roots,
                means: composition.means.map(|means| means[view].to_vec()),
            })
        });
        let [x, y] = views;
        let views = [x?, y?];
        let factors = views.each_ref().map(|view| &view.factors[..]);
        let mut gram = row_gram::form(rows, factors, composition.means, problem.settings.memory)?;
        let largest = (0..gram.size()).map(|row| gram[(row, row)]).fold(0.0, f64::max);
        if largest.is_nan() || largest > LARGEST {
            return Ok(None);
        }
        add_identity(&mut gram);
        let weighted = rows.weights().is_some();
        let roots = weighted.then(|| (0..shape.rows).map(|row| rows.weight(row).sqrt()).collect());
        Ok(factor_of(gram)?.map(|factor| RowSpace { views, factor, roots }))
    }
}

impl Inverse for RowSpace {
    fn apply(&self, residuals: [&mut Panel; 2]) -> Result<Vec<f64>> {
        let [x, y] = residuals;
        panels::scale_rows(x, &self.views[0].roots);
        panels::scale_rows(y, &self.views[1].roots);
        let mut rows = self.views[0].to_rows(x)?;
        panels::add_scaled(&mut rows, 1.0, &self.views[1].to_rows(y)?);
        self.weigh(&mut rows);
        let mut solved: Mat<f64> = rows.as_mat().to_owned();
        self.factor.solve(&mut solved);
        rows.as_mat_mut().copy_from(&solved);
        self.weigh(&mut rows);
        let mut squares = vec![0.0; x.cols()];
        for (panel, view) in [x, y].into_iter().zip(&self.views) {
            let before = panel.clone();
            panels::subtract(panel, &view.to_columns(&rows)?);
            let of_view = panels::column_dots(&before, panel);
            squares.iter_mut().zip(of_view).for_each(|(sum, more)| *sum += more);
            panels::scale_rows(panel, &view.roots);
        }
        Ok(squares)
    }

    fn trust(&self) -> Trust {
        Trust::Near { factor: 1.0 }
    }

    fn decision(&self) -> Decision {
        Decision::RowSpace { rows: self.views[0].pair.shape().rows as u64 }
    }
}

impl RowSpace {
    /// Multiplies every row by the root of its weight.
    fn weigh(&self, rows: &mut Panel) {
        if let Some(roots) = &self.roots {
            panels::scale_rows(rows, roots);
        }
    }
}

impl OneView {
    /// G·W, without the weights of the rows.
    fn to_rows(&self, w: &Panel) -> Result<Panel> {
        let mut scaled = w.clone();
        panels::scale_rows(&mut scaled, &self.factors);
        let offset = self.means.as_ref().map(|means| panels::weighted_sum(&scaled, means));
        let from = Source { panel: &scaled, offset: offset.as_ref().map(Panel::lines) };
        let mut out = Panel::zeros(self.pair.shape().rows, w.cols());
        self.pair.pass(&mut Ask::new().shifted_source(Side::X, from).to(Side::Y, &mut out))?;
        Ok(out)
    }

    /// Gᵀ·Z, without the weights of the rows. Z comes from centered columns, so that its weighted sum is zero
    /// and means need not be subtracted.
    fn to_columns(&self, z: &Panel) -> Result<Panel> {
        let mut out = Panel::zeros(self.factors.len(), z.cols());
        self.pair.pass(&mut Ask::new().source(Side::Y, z).to(Side::X, &mut out))?;
        panels::scale_rows(&mut out, &self.factors);
        Ok(out)
    }
}

/// Adds 1 to the diagonal.
fn add_identity(gram: &mut Lower) {
    (0..gram.size()).for_each(|row| gram[(row, row)] += 1.0);
}
