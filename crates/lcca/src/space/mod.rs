//! The memory in which the tall panels of the default method live, and the operations on them there.
//!
//! LOBPCG works with blocks of p×m panels, one per view, and m×m matrices. The small matrices are always on
//! the host. The panels are behind [`Space`]: an accelerator that holds its own panels implements this
//! trait, and the loop does not change. [`Host`] keeps them in ordinary memory. [`Placed`] rows carry the
//! space in which a fit to them keeps its panels.

mod dealing;
mod host;
mod host_pass;
pub mod laws;
mod mixed;
mod placed;
mod single;
mod tall;

pub use dealing::{Dealing, Drawing, Generator, KNOWN};
pub use host::Host;
pub(crate) use mixed::Mixed;
pub(crate) use placed::beside;
pub use placed::{Placed, of, place};
pub use tall::{Advance, Reduction, RowFactors, Tall};

use crate::data::{Counting, InMemory, JointGram, Moments};
use crate::decompose::{Decompose, OnHost};
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use faer::{Mat, MatRef};

/// The matrix σ·B − A + V·Vᵀ on chosen columns, in columns of unit length: a coarse block, with σ = 1 and no
/// V, or what a proof factorizes.
pub struct ChosenBlock<'a> {
    /// The columns of each view, ascending.
    pub columns: [&'a [u32]; 2],
    /// 1/√ of the diagonal of B for each chosen column, those of X first. They scale B to a unit diagonal. 0
    /// for columns that do not vary, which get a diagonal of 1 and nothing else.
    pub scale: &'a [f64],
    /// The views whose B is a multiple of I, so that their columns are orthogonal.
    pub identities: [bool; 2],
    /// σ
    pub sigma: f64,
    /// V, with a row for each chosen column.
    pub lifting: MatRef<'a, f64>,
    /// The share of itself by which every diagonal entry is raised in the end, or lowered if it is negative.
    pub epsilon: f64,
}

/// The inverse of a chosen block in some space.
pub trait BlockInverse: Send + Sync {
    /// R ← M⁻¹R with this inverse for the chosen rows and `outside` for the others. Returns rᵀM⁻¹r over the
    /// chosen rows for each pair.
    fn apply(&self, outside: &[RowFactors; 2], x: &mut Tall, y: &mut Tall) -> Result<Vec<f64>>;

    /// The number of columns that had to be taken out, because their pivots were not positive. The block is
    /// positive definite if there are none, and without these columns if there are some.
    fn failed(&self) -> usize;

    /// bᵀM⁻¹b of vectors in the scaled columns of the block, without those that were taken out.
    fn inverse_squares(&self, vectors: MatRef<'_, f64>) -> Result<Vec<f64>>;

    /// A direction z with zᵀMz ≤ 0 for each of the first `most` columns that were taken out, in the scaled
    /// columns.
    fn directions(&self, most: usize) -> Result<Mat<f64>>;
}

/// The result of inverting a chosen block.
pub enum Inverted {
    /// The space has inverted it, but for columns whose pivots failed.
    Here(Box<dyn BlockInverse>),
    /// The block does not fit the memory.
    No,
    /// The space leaves the block to the host.
    OnHost,
}

/// The operations of the default method on tall panels.
pub trait Space: Send + Sync {
    /// The space beside this one whose panels are in single precision, if there is one. It takes the row
    /// factors of this space. While a fit uses it, the host inverts chosen blocks.
    fn single(&self) -> Option<&dyn Space> {
        None
    }

    /// Whether this space made a panel that comes from it or from the space beside it.
    fn holds(&self, _panel: &Tall) -> bool {
        true
    }

    /// Whether panels live on another device, which does far more operations than the host in the same time.
    fn is_remote(&self) -> bool {
        false
    }

    /// Whether panels that are made now are in single precision.
    fn is_rough(&self) -> bool {
        false
    }

    /// From now on panels are made in double precision.
    fn become_precise(&self) {}

    /// Converts a panel to the precision of those that are made now, because operations take panels of one
    /// precision.
    fn refined(&self, panel: Tall) -> Result<Tall> {
        Ok(panel)
    }

    /// The object that decomposes the small matrices of a fit in this space.
    fn decompositions(&self) -> &dyn Decompose {
        &OnHost
    }

    /// Moves a panel here.
    fn upload(&self, panel: Panel) -> Result<Tall>;

    /// A copy of a panel on the host.
    fn download(&self, panel: &Tall) -> Result<Panel>;

    /// Moves a panel to the host.
    fn take(&self, panel: Tall) -> Result<Panel> {
        self.download(&panel)
    }

    /// Changes a panel on the host. Its shape stays the same.
    fn change_on_host(
        &self,
        panel: &mut Tall,
        change: &mut dyn FnMut(&mut Panel) -> Result<()>,
    ) -> Result<()>;

    /// Moves row factors here, one number per row.
    fn row_factors(&self, factors: Vec<f64>) -> Result<RowFactors>;

    /// A panel of zeros.
    fn zeros(&self, rows: usize, cols: usize) -> Result<Tall>;

    /// One pass over the rows of `pair`, which is counted: replaces the given `targets[target][source]` by
    /// the products of `sources`.
    fn pass(
        &self,
        pair: &Counting<'_>,
        sources: [Option<&Tall>; 2],
        targets: [[Option<&mut Tall>; 2]; 2],
    ) -> Result<()>;

    /// out ← out + factor·a.
    fn add_scaled(&self, out: &mut Tall, factor: f64, a: &Tall) -> Result<()>;

    /// [A₁ A₂ …]ᵀ[B₁ B₂ …].
    fn cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>>;

    /// [A₁ A₂ …]ᵀ[B₁ B₂ …] if it is symmetric up to rounding: only half of it need be computed.
    fn symmetric_cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>>;

    /// Several sums over rows. A space that is asked for all of them at once may form them sooner.
    fn reduce(&self, wanted: &[Reduction<'_>]) -> Result<Vec<Mat<f64>>> {
        let alone = |reduction: &Reduction<'_>| match *reduction {
            Reduction::Cross(a, b) => self.cross(a, b),
            Reduction::Symmetric(a, b) => self.symmetric_cross(a, b),
            Reduction::Squares(a, weights) => {
                let squares = self.weighted_squares(a, weights)?;
                Ok(Mat::from_fn(squares.len(), 1, |j, _| squares[j]))
            }
        };
        wanted.iter().map(alone).collect()
    }

    /// W ← W·M.
    fn multiply(&self, w: &mut Tall, m: MatRef<'_, f64>) -> Result<()>;

    /// P ← T·Ct + P·Cp and W ← W·Cw + P for coefficients [Cw, Ct, Cp]. If Cp has no rows, P counts as zero.
    fn advance(&self, w: &mut Tall, p: &mut Tall, t: &Tall, coefficients: [MatRef<'_, f64>; 3])
    -> Result<()>;

    /// Does [`Space::advance`] for several panels with the same coefficients.
    fn advance_all(&self, panels: &mut [Advance<'_>], coefficients: [MatRef<'_, f64>; 3]) -> Result<()> {
        panels.iter_mut().try_for_each(|Advance { w, p, t }| self.advance(w, p, t, coefficients))
    }

    /// `out[:, j] ← a[:, j] − factors[j]·b[:, j]`.
    fn difference(&self, out: &mut Tall, a: &Tall, factors: &[f64], b: &Tall) -> Result<()>;

    /// `a[i, :] ← factors[i]·a[i, :]`.
    fn scale_rows(&self, a: &mut Tall, factors: &RowFactors) -> Result<()>;

    /// `Σᵢ weights[i]·a[i, j]²` for every column j.
    fn weighted_squares(&self, a: &Tall, weights: &RowFactors) -> Result<Vec<f64>>;

    /// `Σⱼ a[i, j]²` for every row i.
    fn row_squares(&self, a: &Tall) -> Result<Vec<f64>>;

    /// `Σᵢ w[j, i]²/inverse[j] + Σᵢ r[j, i]²·inverse[j]` for every row j, and 0 if `inverse[j]` is 0.
    /// `None`, the default, leaves the sums to the host, which a space should do unless it is faster.
    fn activity(&self, _w: &Tall, _r: &Tall, _inverse: &RowFactors) -> Result<Option<Vec<f64>>> {
        Ok(None)
    }

    /// The entry of largest size in every column; the first one if several are equal.
    fn largest_entries(&self, a: &Tall) -> Result<Vec<f64>> {
        Ok(panels::largest_entries(&self.download(a)?))
    }

    /// `a[i, j]·rows[i]·columns[j]`, but no larger in size than 1.
    fn cosines(&self, a: &Tall, rows: &[f64], columns: &[f64]) -> Result<Tall> {
        let mut cosines = self.download(a)?;
        panels::scale_to_cosines(&mut cosines, rows, columns);
        self.upload(cosines)
    }

    /// A copy of row factors with zeros in some rows, if the space makes it sooner than the host. By
    /// default the host does.
    fn without_rows(&self, _factors: &RowFactors, _rows: &[u32]) -> Result<Option<RowFactors>> {
        Ok(None)
    }

    /// Some of the columns, in the given order.
    fn select(&self, a: &Tall, columns: &[usize]) -> Result<Tall>;

    /// A copy of some rows on the host, in the given order.
    fn rows(&self, a: &Tall, rows: &[u32]) -> Result<Panel>;

    /// Replaces some rows.
    fn put_rows(&self, a: &mut Tall, rows: &[u32], values: &Panel) -> Result<()>;

    /// The most columns of `pair` that [`Space::invert`] has memory for; 0, the default, if it leaves them to
    /// the host.
    fn most_inverted(&self, _pair: &Counting<'_>) -> usize {
        0
    }

    /// The number of operations of a factorization that [`Space::invert`] does in the time of one operation
    /// of an iteration, which waits for memory and for the host most of the time.
    fn factor_speed(&self) -> f64 {
        1.0
    }

    /// Forms and inverts a block of chosen columns of `pair`, if the space can. By default it is left to the
    /// host.
    fn invert(&self, _pair: &Counting<'_>, _block: &ChosenBlock<'_>) -> Result<Inverted> {
        Ok(Inverted::OnHost)
    }

    /// The moments of both views of rows, if the space computes them sooner than the host. By default the
    /// host does.
    fn moments(&self, _rows: &InMemory) -> Result<Option<[Moments; 2]>> {
        Ok(None)
    }

    /// The sparse blocks of [X Y]ᵀ[X Y] of rows, if the space forms them sooner than the host; an error if
    /// they would take more than `limit` bytes of the host. By default the host forms them.
    fn joint_gram(&self, _rows: &InMemory, _limit: u64) -> Result<Option<JointGram>> {
        Ok(None)
    }

    /// Takes two panels whose rows will be dealt to each other in many orders, if the space does that sooner
    /// than the host. By default the host does.
    fn deal(&self, _x: &Panel, _y: &Panel) -> Result<Option<Box<dyn Dealing>>> {
        Ok(None)
    }

    /// The lower triangle of [X Y]ᵀ[X Y] of a pair of few columns, if the space can form it. By default the
    /// host does.
    fn dense_gram(&self, _pair: &Counting<'_>) -> Result<Option<Mat<f64>>> {
        Ok(None)
    }
}
