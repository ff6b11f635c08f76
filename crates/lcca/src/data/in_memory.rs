//! Both views in memory or in mapped files, where their rows can be read directly.

use super::facts::covariates::CovariateRows;
use super::facts::estimate::{GramEstimate, GramSample};
use super::facts::moments::Moments;
use super::facts::origin::Origin;
use super::grams::joint::JointGram;
use super::rows::paired_rows::PairedRows;
use super::rows::parts::{Piece, Scratch};
use super::rows::{reduce, sample};
use crate::error::Result;
use crate::matrix::{Buffer, Matrix, Normalize};
use crate::side::Side;
use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock};

/// Two views whose rows can be read directly.
pub struct InMemory {
    pub(super) rows: PairedRows,
    pub(super) moments: [OnceLock<Moments>; 2],
    estimate: OnceLock<Option<GramEstimate>>,
    pub(super) scratch: Mutex<Vec<Scratch>>,
    pub(super) covariates: Option<CovariateRows>,
    pub(super) space: Option<Arc<dyn PanelSpace>>,
    /// The origin that was subtracted from the columns, if these rows are near one.
    pub(super) origin: Option<Arc<Origin>>,
    /// These rows near an origin, once they were asked for; `None` if they need none.
    pub(super) near: OnceLock<Option<Box<InMemory>>>,
}

/// A space in which panels live. `space::of` recognizes it: this module cannot name spaces, because it is
/// below them.
pub trait PanelSpace: Any + Send + Sync {
    /// The moments of both views, if the space finds them sooner than the host.
    fn moments(&self, rows: &InMemory) -> Result<Option<[Moments; 2]>>;

    /// All four blocks of [X Y]ᵀ[X Y], if the space forms them sooner than the host; an error if they would
    /// take more than `limit` bytes.
    fn joint_gram(&self, rows: &InMemory, limit: u64) -> Result<Option<JointGram>>;
}

impl InMemory {
    /// Two views with the same rows; at least one row.
    pub fn new(x: Matrix, y: Matrix) -> Result<Self> {
        PairedRows::new(x, y).map(InMemory::from)
    }

    /// Multiplies each row's contribution by its weight, as if the row occurred that often.
    pub fn weighted(self, weights: Buffer<f64>) -> Result<Self> {
        let InMemory { covariates, space, origin, .. } = self;
        Ok(InMemory { covariates, space, origin, ..self.rows.weighted(weights)?.into() })
    }

    /// Normalizes the rows of each view once, into values of their own.
    pub fn normalized(self, rows: [Normalize; 2]) -> Result<Self> {
        if rows.iter().all(Normalize::is_no) {
            return Ok(self);
        }
        let PairedRows { views: [x, y], weights } = self.rows;
        let views = [rows[0].apply(Side::X, &x)?, rows[1].apply(Side::Y, &y)?];
        let InMemory { covariates, space, .. } = self;
        Ok(InMemory { covariates, space, ..InMemory::from(PairedRows { views, weights }) })
    }

    /// Makes fits to these rows, or to some of them, keep their panels in `space`. See `space::place`.
    pub fn placed(self, space: Option<Arc<dyn PanelSpace>>) -> Self {
        InMemory { space, near: OnceLock::new(), ..self }
    }

    /// Computes the moments in `space` if they are not known yet. The host computes those that `space`
    /// declines when they are asked for.
    pub(crate) fn summed_by(&self, space: &dyn PanelSpace) -> Result<()> {
        if self.moments.iter().all(|known| known.get().is_none())
            && let Some(moments) = space.moments(self)?
        {
            for (known, moments) in self.moments.iter().zip(moments) {
                // If another thread was faster, its sums are just as good.
                let _ = known.set(moments);
            }
        }
        Ok(())
    }

    /// One view.
    pub fn view(&self, side: Side) -> &Matrix {
        self.rows.view(side)
    }

    /// Copies rows from the memory of a device to the host, which is about to read them. They are copied
    /// once, and a failed copy is an error.
    pub(crate) fn bring(&self) -> Result<()> {
        self.rows.views.iter().try_for_each(Matrix::bring)
    }

    /// The weights of the rows, if they are weighted.
    pub fn weights(&self) -> Option<&Buffer<f64>> {
        self.rows.weights.as_ref()
    }

    /// The weight of a row; 1 if rows are not weighted.
    pub fn weight(&self, row: usize) -> f64 {
        self.rows.weight(row)
    }

    /// A sample from which the size of the joint Gram matrix is estimated, if these rows are one of
    /// `pieces` pieces; `None` if the matrix cannot be formed.
    pub fn gram_sample(&self, pieces: usize) -> Option<GramSample> {
        self.rows.has_sparse_gram().then(|| GramSample::new(&self.rows.views, pieces))
    }

    /// These rows with only the kept columns, which get new numbers; `None` if all columns are kept as they
    /// are.
    pub fn renumbered(&self, columns: [Option<&[u32]>; 2]) -> Result<Option<InMemory>> {
        let renumbered = reduce::renumbered_rows(&self.rows, columns)?.map(InMemory::from);
        Ok(renumbered.map(|rows| rows.placed(self.space.clone())))
    }

    /// The estimate from a sample of all rows, which is taken once.
    pub(super) fn gram_estimate(&self) -> Option<GramEstimate> {
        *self.estimate.get_or_init(|| self.gram_sample(1).map(|sample| sample.estimate(self.rows.shape())))
    }

    /// These rows with equal ones merged, if that pays, and with only the kept columns, which get new
    /// numbers; `None` if nothing would change.
    pub fn reduced_to(&self, columns: [Option<&[u32]>; 2]) -> Result<Option<InMemory>> {
        // Merged rows would be read twice at most if the joint Gram matrix is so small that iterations will
        // run over it.
        let pays = |share: f64| !self.gram_estimate().is_some_and(|estimate| estimate.is_small(share));
        let Some(rows) = reduce::reduced(&self.rows, columns, pays)? else { return Ok(None) };
        let smaller = InMemory::from(rows).placed(self.space.clone());
        if smaller.rows.shape().rows == self.rows.shape().rows {
            // The rows are the same under other column numbers, so the moments that are known stay true.
            for (side, columns) in columns.into_iter().enumerate() {
                if let (Some(known), Some(columns)) = (self.moments[side].get(), columns) {
                    let _ = smaller.moments[side].set(known.select(columns));
                }
            }
        }
        Ok(Some(smaller))
    }

    /// The rows of several parts with the same columns, one part after another, copied; at least one row.
    pub fn stacked(parts: &[InMemory]) -> Result<InMemory> {
        let rows: Vec<&PairedRows> = parts.iter().map(|part| &part.rows).collect();
        sample::stack(&rows).map(InMemory::from)
    }
}

impl From<PairedRows> for InMemory {
    fn from(rows: PairedRows) -> Self {
        InMemory {
            rows,
            moments: Default::default(),
            estimate: OnceLock::new(),
            scratch: Mutex::default(),
            covariates: None,
            space: None,
            origin: None,
            near: OnceLock::new(),
        }
    }
}

impl Piece for InMemory {
    fn rows(&self) -> &PairedRows {
        &self.rows
    }
}
