//! Small dense summaries of the rows, formed once and remembered for several fits to the same rows.

use crate::data::facts::ask::Ask;
use crate::data::facts::composition::Composition;
use crate::data::facts::moments::Moments;
use crate::data::facts::triangle::Triangle;
use crate::data::grams::gram::GramMatrix;
use crate::data::pair::{Capabilities, Grams, Pair, Triangles};
use crate::error::Result;
use crate::side::{Shape, Side};
use faer::Mat;
use std::sync::{Mutex, PoisonError};

/// A pair that remembers its dense Gram matrix and its triangular factor.
pub struct Cached<'a> {
    inner: &'a dyn Pair,
    /// The Gram matrix with the means that were subtracted.
    dense_gram: Mutex<Option<(Means, Mat<f64>)>>,
    triangle: Mutex<Option<Triangle>>,
    /// The factor of a sketch, with its size and seed.
    sketched: Mutex<Option<((usize, u64), Triangle)>>,
}

type Means = Option<[Vec<f64>; 2]>;

impl<'a> Cached<'a> {
    /// Remembers nothing yet.
    pub fn new(inner: &'a dyn Pair) -> Self {
        Cached { inner, dense_gram: Mutex::default(), triangle: Mutex::default(), sketched: Mutex::default() }
    }
}

impl Pair for Cached<'_> {
    fn shape(&self) -> Shape {
        self.inner.shape()
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        self.inner.moments(side)
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        self.inner.pass(ask)
    }

    fn capabilities(&self) -> Capabilities<'_> {
        let inner = self.inner.capabilities();
        Capabilities {
            structure: inner.structure,
            grams: inner.grams.map(|_| self as &dyn Grams),
            joint_grams: inner.joint_grams,
            triangles: inner.triangles.map(|_| self as &dyn Triangles),
            // Blocks are not remembered, because every fit chooses other columns.
            blocks: inner.blocks,
            samples: inner.samples,
            covariates: inner.covariates,
            space: inner.space,
        }
    }

    fn composition(&self) -> Option<Composition<'_>> {
        self.inner.composition()
    }
}

impl Grams for Cached<'_> {
    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        self.inner.capabilities().require_grams()?.gram(side, limit)
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        let mut known = self.dense_gram.lock().unwrap_or_else(PoisonError::into_inner);
        let requested: Means = means.map(|means| means.map(<[f64]>::to_vec));
        match &*known {
            Some((subtracted, gram)) if *subtracted == requested => Ok(gram.clone()),
            _ => {
                let gram = self.inner.capabilities().require_grams()?.dense_gram(means, limit)?;
                Ok(known.insert((requested, gram)).1.clone())
            }
        }
    }
}

impl Triangles for Cached<'_> {
    fn triangle(&self, limit: u64) -> Result<Triangle> {
        let mut known = self.triangle.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(triangle) = &*known {
            return Ok(triangle.clone());
        }
        Ok(known.insert(self.inner.capabilities().require_triangles()?.triangle(limit)?).clone())
    }

    fn sketched_triangle(&self, size: usize, seed: u64, limit: u64) -> Result<Triangle> {
        let mut known = self.sketched.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((kind, triangle)) if *kind == (size, seed) => Ok(triangle.clone()),
            _ => {
                let inner = self.inner.capabilities().require_triangles()?;
                let triangle = inner.sketched_triangle(size, seed, limit)?;
                Ok(known.insert(((size, seed), triangle)).1.clone())
            }
        }
    }
}
