//! Small dense summaries of the rows, formed once and remembered: for several fits to the same rows.

use super::{Ask, GramEstimate, GramMatrix, JointGram, Moments, Pair, Reduced, Shape, Side, Triangle};
use crate::error::Result;
use faer::Mat;
use std::sync::{Mutex, PoisonError};

/// A pair that remembers its dense Gram matrix and its triangular factor.
pub struct Remembering<'a> {
    inner: &'a dyn Pair,
    /// With the means that were subtracted.
    dense_gram: Mutex<Option<(Means, Mat<f64>)>>,
    triangle: Mutex<Option<Triangle>>,
}

type Means = Option<[Vec<f64>; 2]>;

impl<'a> Remembering<'a> {
    /// Remembers nothing yet.
    pub fn new(inner: &'a dyn Pair) -> Self {
        Remembering { inner, dense_gram: Mutex::default(), triangle: Mutex::default() }
    }
}

impl Pair for Remembering<'_> {
    fn shape(&self) -> Shape {
        self.inner.shape()
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        self.inner.moments(side)
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        self.inner.pass(ask)
    }

    fn is_one_hot(&self, side: Side) -> bool {
        self.inner.is_one_hot(side)
    }

    fn reduced(&self) -> Result<Option<Reduced>> {
        self.inner.reduced()
    }

    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        self.inner.gram(side, limit)
    }

    fn joint_gram_estimate(&self) -> Result<Option<GramEstimate>> {
        self.inner.joint_gram_estimate()
    }

    fn joint_gram(&self, limit: u64) -> Result<Option<JointGram>> {
        self.inner.joint_gram(limit)
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        let mut known = self.dense_gram.lock().unwrap_or_else(PoisonError::into_inner);
        let asked: Means = means.map(|means| means.map(<[f64]>::to_vec));
        match &*known {
            Some((of, gram)) if *of == asked => Ok(gram.clone()),
            _ => Ok(known.insert((asked, self.inner.dense_gram(means, limit)?)).1.clone()),
        }
    }

    fn triangle(&self, limit: u64) -> Result<Triangle> {
        let mut known = self.triangle.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(triangle) => Ok(triangle.clone()),
            None => Ok(known.insert(self.inner.triangle(limit)?).clone()),
        }
    }
}
