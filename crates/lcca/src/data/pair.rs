//! The contract between rows and algorithms.
//!
//! [`Pair`] is the whole contract: three methods, each a sum over rows. Because algorithms need nothing
//! else, rows may live in memory, in a mapped file, in shards or on other machines. Everything else is
//! optional: a home for rows that can do more than passes says so in [`Pair::capabilities`], and algorithms
//! that could profit ask there.

use super::facts::ask::Ask;
use super::facts::composition::Composition;
use super::facts::covariates::Covariates;
use super::facts::estimate::GramEstimate;
use super::facts::moments::Moments;
use super::facts::origin::Origin;
use super::facts::triangle::Triangle;
use super::grams::gram::GramMatrix;
use super::grams::joint::JointGram;
use super::in_memory::InMemory;
use crate::error::{Error, Result};
use crate::matrix::Lower;
use crate::outcome::Decision;
use crate::side::{Shape, Side};
use faer::Mat;
use std::any::Any;

/// Two row-paired views X (n×p₁) and Y (n×p₂), accessible only through sums over their rows.
///
/// Laws, tested on every implementation: a pass is linear in its panels; the products XᵀX and YᵀY are
/// symmetric and XᵀY is the transpose of YᵀX; all equal the dense computation; splitting the rows changes
/// nothing beyond rounding; the centered pair equals explicitly centered data; every capability equals its
/// dense computation.
pub trait Pair: Sync {
    /// Rows and columns.
    fn shape(&self) -> Shape;

    /// Column sums, squared norms and counts of one view. Implementations read the view once and remember the
    /// answer.
    fn moments(&self, side: Side) -> Result<&Moments>;

    /// One pass over the rows: **adds** the requested products of XᵀX·Wx, XᵀY·Wy, YᵀX·Wx, YᵀY·Wy into the
    /// given panels.
    ///
    /// # Panics
    /// If a panel's height is not its view's width. That is a broken contract, not bad data.
    fn pass(&self, ask: &mut Ask<'_>) -> Result<()>;

    /// The operations that these rows offer besides passes. By default there are none, and every algorithm
    /// that only needs passes still works.
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities::none()
    }

    /// These rows near an origin: a number near its mean is subtracted from every column that would lose
    /// digits when it is centered. By default no such columns are searched for.
    fn near_origin(&self) -> Result<Near<'_>> {
        Ok(Near::Unknown)
    }

    /// The origin that was subtracted from the columns, if these rows are near one.
    fn origin(&self) -> Option<&Origin> {
        None
    }

    /// Describes a pass as data, so that a device can run it. `None`, the default, means that only
    /// [`Pair::pass`] can.
    fn composition(&self) -> Option<Composition<'_>> {
        None
    }
}

/// Whether rows are better read near an origin; see `near_origin.rs`.
pub enum Near<'a> {
    /// No column loses digits when it is centered.
    Needless,
    /// The pair that reads the rows near their origin.
    At(&'a dyn Pair),
    /// Columns may lose digits, and these rows cannot be moved.
    Unknown,
}

impl<'a> Near<'a> {
    /// The rows near their origin if they need one and have it, otherwise `pair`.
    pub fn or(self, pair: &'a dyn Pair) -> &'a dyn Pair {
        match self {
            Near::At(near) => near,
            Near::Needless | Near::Unknown => pair,
        }
    }
}

/// The operations of a pair besides passes; `None` declines one.
///
/// Wrappers list every field, because a new capability then does not compile until each wrapper forwards or
/// declines it.
#[derive(Clone, Copy)]
pub struct Capabilities<'a> {
    /// Structure that makes the problem smaller.
    pub structure: Option<&'a dyn Structure>,
    /// Gram matrices of one view, and the dense one of both.
    pub grams: Option<&'a dyn Grams>,
    /// All four blocks of [X Y]ᵀ[X Y] as sparse matrices, and an estimate of their size.
    pub joint_grams: Option<&'a dyn JointGrams>,
    /// The factorization of the rows by QR.
    pub triangles: Option<&'a dyn Triangles>,
    /// The Gram matrix of chosen columns.
    pub blocks: Option<&'a dyn Blocks>,
    /// A sample of the rows.
    pub samples: Option<&'a dyn Samples>,
    /// The covariates whose part is to be taken out of both views.
    pub covariates: Option<&'a dyn Covariates>,
    /// The space in which panels should live, which `space::of` recognizes.
    pub space: Option<&'a (dyn Any + Send + Sync)>,
}

impl<'a> Capabilities<'a> {
    /// Capabilities that offer nothing but passes.
    pub fn none() -> Self {
        Capabilities {
            structure: None,
            grams: None,
            joint_grams: None,
            triangles: None,
            blocks: None,
            samples: None,
            covariates: None,
            space: None,
        }
    }

    /// The Gram matrices, for a method that cannot do without them.
    pub fn require_grams(self) -> Result<&'a dyn Grams> {
        self.grams.ok_or(Error::Unavailable { what: "Gram matrices" })
    }

    /// The sparse joint Gram matrix, for a method that cannot do without it.
    pub fn require_joint_grams(self) -> Result<&'a dyn JointGrams> {
        self.joint_grams.ok_or(Error::Unavailable { what: "joint Gram matrix" })
    }

    /// The triangular factor, for a method that cannot do without it.
    pub fn require_triangles(self) -> Result<&'a dyn Triangles> {
        self.triangles.ok_or(Error::Unavailable { what: "triangular factor" })
    }

    /// The Gram matrices of chosen columns, for a method that cannot do without them.
    pub fn require_blocks(self) -> Result<&'a dyn Blocks> {
        self.blocks.ok_or(Error::Unavailable { what: "Gram matrix of chosen columns" })
    }

    /// The covariates, for rows that are known to have them.
    pub fn require_covariates(self) -> Result<&'a dyn Covariates> {
        self.covariates.ok_or(Error::Unavailable { what: "covariates" })
    }

    /// The sample of the rows, for a method that cannot do without it.
    pub fn require_samples(self) -> Result<&'a dyn Samples> {
        self.samples.ok_or(Error::Unavailable { what: "sample of the rows" })
    }
}

/// Structure that makes a problem smaller without changing its answer.
pub trait Structure {
    /// Whether every row of one view is known to hold at most one entry, and that entry is 1. Its Gram matrix
    /// is then diagonal.
    fn is_one_hot(&self, side: Side) -> bool;

    /// An equivalent problem with fewer rows or columns, or `None` if passes would hardly get cheaper.
    fn reduced(&self) -> Result<Option<Reduced>>;
}

/// Gram matrices that the rows can form.
pub trait Grams {
    /// The Gram matrix C = XᵀX (or YᵀY) of one view, sparse if the view is. An error if it would take more
    /// than `limit` bytes.
    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix>;

    /// The lower triangle of [X Y]ᵀ[X Y] with `means` subtracted from every row, dense: for narrow views. An
    /// error if it would take more than `limit` bytes.
    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>>;
}

/// The joint Gram matrix [X Y]ᵀ[X Y] as sparse blocks.
pub trait JointGrams {
    /// The size and cost of the joint Gram matrix, estimated from a sample of the rows. `None` if it cannot
    /// be formed, for example because a view is dense.
    fn estimate(&self) -> Result<Option<GramEstimate>>;

    /// The joint Gram matrix. Called only after [`JointGrams::estimate`] gave an estimate. An error if it
    /// would take more than `limit` bytes.
    fn joint_gram(&self, limit: u64) -> Result<JointGram>;

    /// Whether this matrix takes the place of rows: passes read it, and asking for it costs nothing.
    fn is_formed(&self) -> bool {
        false
    }
}

/// The triangular factor of [1 X Y].
pub trait Triangles {
    /// R with RᵀR = [1 X Y]ᵀ[1 X Y], by QR over row blocks: all that classical CCA needs of the rows, without
    /// squaring their condition number. An error if it would take more than `limit` bytes.
    fn triangle(&self, limit: u64) -> Result<Triangle>;

    /// The factor of `size` random sums of rows (CountSketch) instead of all rows, or of the rows
    /// themselves if there are no more of them. The same seed gives the same sums. Rows that cannot be
    /// summed in this way decline.
    fn sketched_triangle(&self, _size: usize, _seed: u64, _limit: u64) -> Result<Triangle> {
        Err(Error::Unavailable { what: "sketch of the rows" })
    }
}

/// Gram matrices of chosen columns alone.
pub trait Blocks {
    /// The lower triangle of [Xc Yc]ᵀ[Xc Yc], dense, for chosen columns of each view, which ascend. `means`,
    /// of all columns of each view, are subtracted from every row. One pass over the rows. An error if it
    /// would take more than `limit` bytes.
    fn block_gram(&self, columns: [&[u32]; 2], means: Option<[&[f64]; 2]>, limit: u64) -> Result<Lower>;
}

/// A sample of the rows.
pub trait Samples {
    /// About `rows` rows, spread evenly over all rows, in memory, with their weights. They are returned as
    /// they are stored, because a wrapper that centers or scales changes passes, not rows.
    fn sample(&self, rows: usize) -> Result<InMemory>;
}

/// A smaller pair that stands for another, and the way back to that one.
pub struct Reduced {
    /// The smaller pair.
    pub pair: Box<dyn Pair>,
    /// For each view, the original column behind each column that was kept; `None` if all are in their
    /// places.
    pub columns: [Option<Vec<u32>>; 2],
    /// The decisions that made it smaller.
    pub decisions: Vec<Decision>,
}

impl Reduced {
    /// Takes `pair`, in terms of the kept columns, in place of a pair of shape `original`; `None` if it is
    /// no smaller.
    pub fn new(original: Shape, pair: Box<dyn Pair>, columns: [Option<Vec<u32>>; 2]) -> Option<Self> {
        let mut decisions = Vec::new();
        let distinct = pair.shape().rows;
        if distinct < original.rows {
            decisions.push(Decision::RowsMerged { distinct: distinct as u64, rows: original.rows as u64 });
        }
        for (side, kept) in Side::BOTH.into_iter().zip(&columns) {
            if let Some(kept) = kept {
                let (kept, columns) = (kept.len() as u64, original.cols(side) as u64);
                decisions.push(Decision::ColumnsRenumbered { side, kept, columns });
            }
        }
        (!decisions.is_empty()).then_some(Reduced { pair, columns, decisions })
    }
}
