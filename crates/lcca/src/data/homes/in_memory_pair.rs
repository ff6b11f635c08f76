//! The implementation of [`Pair`] for rows that can be read directly.

use crate::data::facts::ask::Ask;
use crate::data::facts::chosen::Chosen;
use crate::data::facts::composition::Composition;
use crate::data::facts::estimate::GramEstimate;
use crate::data::facts::moments::Moments;
use crate::data::facts::origin::Origin;
use crate::data::facts::triangle::{self, Triangle};
use crate::data::grams::gram::{self, GramMatrix};
use crate::data::grams::joint::JointGram;
use crate::data::grams::scatter_gram::Centering;
use crate::data::grams::{block_gram, dense_gram, sketch};
use crate::data::in_memory::InMemory;
use crate::data::pair::{
    Blocks, Capabilities, Grams, JointGrams, Near, Pair, Reduced, Samples, Structure, Triangles,
};
use crate::data::rows::parts;
use crate::data::rows::{reduce, sample};
use crate::error::Result;
use crate::matrix::{Lower, Matrix};
use crate::side::{Shape, Side};
use faer::Mat;
use rayon::prelude::*;
use std::any::Any;
use std::ops::Range;

/// The most parts of the rows that have their own moments while these are summed up.
const MOMENT_PARTS: u64 = 16;

impl Pair for InMemory {
    fn shape(&self) -> Shape {
        self.rows.shape()
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        let view = self.view(side);
        if let Some(space) = &self.space {
            self.summed_by(&**space)?;
        }
        if let (None, Matrix::Dense(rows)) = (self.moments[side as usize].get(), view)
            && let Some(moments) = Moments::elsewhere(rows, self.rows.weights.as_ref())?
        {
            return Ok(self.moments[side as usize].get_or_init(|| moments));
        }
        Ok(self.moments[side as usize].get_or_init(|| {
            if view.is_all_ones() && self.rows.weights.is_none() {
                return Moments::by_counting(view);
            }
            // The cut must not depend on how many threads happen to ask first, because the answer is
            // remembered. A part has its own sums, which are only worth adding up if its entries outnumber
            // the columns several times.
            let entries = self.rows.entries_before(side, self.shape().rows);
            let parts = (entries / (8 * view.cols().max(1) as u64)).clamp(1, MOMENT_PARTS);
            let mut spans = Vec::new();
            parts::cut(std::slice::from_ref(self), parts as usize, &mut spans);
            let weights = self.rows.weights.as_ref().map(|weights| weights.as_slice());
            let weight = |row: usize| weights.map_or(1.0, |weights| weights[row].get());
            let part_moments = |rows: &Range<usize>| Moments::new(view, rows.clone(), weight);
            let parts: Vec<Moments> = spans.par_iter().with_max_len(1).map(part_moments).collect();
            Moments::total(&parts, view.cols())
        }))
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        ask.assert_fits(self.shape());
        self.bring()?;
        parts::pass(std::slice::from_ref(self), &self.scratch, ask);
        Ok(())
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            // Structure is declined with covariates, because equal rows may have different covariates, and
            // residuals of a one-hot view are not one-hot.
            structure: if self.covariates.is_none() { Some(self) } else { None },
            grams: Some(self),
            joint_grams: Some(self),
            triangles: Some(self),
            blocks: Some(self),
            samples: Some(self),
            covariates: if self.covariates.is_some() { Some(self) } else { None },
            space: self.space.as_deref().map(|space| space as &(dyn Any + Send + Sync)),
        }
    }

    fn near_origin(&self) -> Result<Near<'_>> {
        let near = InMemory::near_origin(self)?;
        Ok(if std::ptr::eq(near, self) { Near::Needless } else { Near::At(near) })
    }

    fn origin(&self) -> Option<&Origin> {
        self.origin.as_deref()
    }

    fn composition(&self) -> Option<Composition<'_>> {
        Some(Composition::of(self))
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
        self.bring()?;
        gram::form(self.view(side), self.rows.weights.as_ref(), limit)
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        self.bring()?;
        let centering = match means {
            Some(means) => {
                Some(Centering { means, moments: [self.moments(Side::X)?, self.moments(Side::Y)?] })
            }
            None => None,
        };
        dense_gram::form(&self.rows.views, self.rows.weights.as_ref(), centering, limit)
    }
}

impl JointGrams for InMemory {
    fn estimate(&self) -> Result<Option<GramEstimate>> {
        Ok(self.gram_estimate())
    }

    fn joint_gram(&self, limit: u64) -> Result<JointGram> {
        if let Some(space) = &self.space
            && let Some(joint) = space.joint_gram(self, limit)?
        {
            return Ok(joint);
        }
        self.bring()?;
        let moments = [self.moments(Side::X)?, self.moments(Side::Y)?];
        let weights = self.rows.weights.as_ref().map(|weights| weights.as_slice());
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row].get());
        JointGram::form(&self.rows.views, moments, &weight, limit)
    }
}

impl Triangles for InMemory {
    fn triangle(&self, limit: u64) -> Result<Triangle> {
        self.bring()?;
        triangle::form(&self.rows.views, None, self.rows.weights.as_ref(), limit)
    }

    fn sketched_triangle(&self, size: usize, seed: u64, limit: u64) -> Result<Triangle> {
        self.bring()?;
        sketch::form(&self.rows.views, self.rows.weights.as_ref(), size, seed, limit)
    }
}

impl Blocks for InMemory {
    fn block_gram(&self, columns: [&[u32]; 2], means: Option<[&[f64]; 2]>, limit: u64) -> Result<Lower> {
        self.bring()?;
        block_gram::form(&[&self.rows], &Chosen::new(self.shape(), columns), means, limit)
    }
}

impl Samples for InMemory {
    fn sample(&self, rows: usize) -> Result<InMemory> {
        sample::sample(&self.rows, rows).map(InMemory::from)
    }
}
