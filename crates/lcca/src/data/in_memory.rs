//! Both views readable here, in memory or in mapped files.

use super::ask::Ask;
use super::estimate::{GramEstimate, GramSample};
use super::gram::{self, GramMatrix};
use super::joint::JointGram;
use super::moments::Moments;
use super::pair::{Capabilities, Grams, JointGrams, Pair, Reduced, Structure, Triangles};
use super::paired_rows::PairedRows;
use super::parts::{self, MOST_PARTS, Piece, Scratch};
use super::triangle::{self, Triangle};
use super::{dense_gram, reduce};
use crate::error::Result;
use crate::matrix::{Buffer, Matrix};
use crate::side::{Shape, Side};
use faer::Mat;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, OnceLock};

/// Two views whose rows can be read here.
pub struct InMemory {
    rows: PairedRows,
    moments: [OnceLock<Moments>; 2],
    scratch: Mutex<Vec<Scratch>>,
}

impl InMemory {
    /// Two views with the same rows; at least one row.
    pub fn new(x: Matrix, y: Matrix) -> Result<Self> {
        PairedRows::new(x, y).map(InMemory::from)
    }

    /// Multiplies each row's contribution by its weight, as if the row occurred that often.
    pub fn weighted(self, weights: Buffer<f64>) -> Result<Self> {
        self.rows.weighted(weights).map(InMemory::from)
    }

    /// One view.
    pub fn view(&self, side: Side) -> &Matrix {
        self.rows.view(side)
    }

    /// The weight of a row; 1 if rows are not weighted.
    pub fn weight(&self, row: usize) -> f64 {
        self.rows.weight(row)
    }

    /// A sample from which the size of the joint Gram matrix is estimated, if these rows are one of `pieces` pieces; `None`
    /// if the matrix cannot be formed.
    pub fn gram_sample(&self, pieces: usize) -> Option<GramSample> {
        self.rows.has_sparse_gram().then(|| GramSample::new(&self.rows.views, pieces))
    }

    /// The same rows with equal ones merged, if that pays, and in terms of the kept columns; `None` if nothing would
    /// change.
    pub fn reduced_to(&self, columns: [Option<&[u32]>; 2]) -> Result<Option<InMemory>> {
        Ok(reduce::reduced(&self.rows, columns)?.map(InMemory::from))
    }
}

impl From<PairedRows> for InMemory {
    fn from(rows: PairedRows) -> Self {
        InMemory { rows, moments: Default::default(), scratch: Mutex::default() }
    }
}

impl Piece for InMemory {
    fn rows(&self) -> &PairedRows {
        &self.rows
    }
}

impl Pair for InMemory {
    fn shape(&self) -> Shape {
        self.rows.shape()
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        Ok(self.moments[side as usize].get_or_init(|| {
            let view = self.view(side);
            // The answer is remembered, so the cut must not depend on how many threads happen to ask first. A part has
            // its own sums, which are only worth adding up if its entries outnumber the columns a few times.
            let entries = self.rows.entries_before(side, self.shape().rows);
            let parts = (entries / (4 * view.cols().max(1) as u64)).clamp(1, MOST_PARTS as u64);
            let mut spans = Vec::new();
            parts::cut(std::slice::from_ref(self), parts as usize, &mut spans);
            let part_moments = |rows: &Range<usize>| {
                if view.is_all_ones() && self.rows.weights.is_none() {
                    Moments::by_counting(view, rows.clone())
                } else {
                    Moments::new(view, rows.clone(), |row| self.weight(row))
                }
            };
            let parts: Vec<Moments> = spans.par_iter().map(part_moments).collect();
            let mut sum = Moments::zero(view.cols());
            parts.iter().for_each(|part| sum.add(part));
            sum
        }))
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        ask.assert_fits(self.shape());
        parts::pass(std::slice::from_ref(self), &self.scratch, ask);
        Ok(())
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            structure: Some(self),
            grams: Some(self),
            joint_grams: Some(self),
            triangles: Some(self),
        }
    }
}

impl Structure for InMemory {
    fn is_one_hot(&self, side: Side) -> bool {
        matches!(self.view(side), Matrix::OneHot(_))
    }

    fn reduced(&self) -> Result<Option<Reduced>> {
        let counts = [&self.moments(Side::X)?.count[..], &self.moments(Side::Y)?.count];
        let columns = reduce::columns_to_keep(counts, self.shape().rows);
        let smaller = self.reduced_to(columns.each_ref().map(|kept| kept.as_deref()))?;
        Ok(smaller.and_then(|smaller| Reduced::new(self.shape(), Box::new(smaller), columns)))
    }
}

impl Grams for InMemory {
    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        gram::form(self.view(side), self.rows.weights.as_ref(), limit)
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        let means = means.as_ref().map(|means| &means[..]);
        dense_gram::form(&self.rows.views, self.rows.weights.as_ref(), means, limit)
    }
}

impl JointGrams for InMemory {
    fn estimate(&self) -> Result<Option<GramEstimate>> {
        Ok(self.gram_sample(1).map(|sample| sample.estimate(self.shape())))
    }

    fn joint_gram(&self, limit: u64) -> Result<JointGram> {
        let moments = [self.moments(Side::X)?, self.moments(Side::Y)?];
        JointGram::form(&self.rows.views, moments, &|row| self.weight(row), limit)
    }
}

impl Triangles for InMemory {
    fn triangle(&self, limit: u64) -> Result<Triangle> {
        triangle::form(&self.rows.views, self.rows.weights.as_ref(), limit)
    }
}
