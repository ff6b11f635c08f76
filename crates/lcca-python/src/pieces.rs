//! Answers for all shards of a cluster worker together.
//!
//! The methods are those of `lcca::data::Pair`; they return NumPy arrays, which are then merged with the
//! answers of other workers. A worker keeps one `Pieces` object per pair of views between passes: the
//! object owns the engine's scratch panels, the panels that receive products, and a share of the thread
//! pool.

use crate::failure::Failure;
use crate::grams::{GramArrays, JointArrays, gram_to_numpy, joint_to_numpy};
use crate::panels::{ArraySources, Means, Table, Vector, mat_to_numpy, panel_to_numpy, triangle_to_numpy};
use crate::pool::Pool;
use crate::rows::Rows;
use crate::rows_sample::{RowsArrays, rows_to_numpy};
use crate::run::compute_on;
use crate::sums::{MomentTuple, SampleTuple, moments_to_numpy, sample_to_numpy};
use lcca::data::{Ask, Pair, Side};
use lcca::matrix::Panel;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use rayon::ThreadPool;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of panels that are kept between passes: a pass needs at most two sources and four products.
const KEPT_PANELS: usize = 6;

/// Ascending columns of both views.
type Columns<'py> = (PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>);

/// Shards with the same columns, and the threads that compute on them.
#[pyclass(frozen, module = "lcca._lcca")]
pub struct Pieces {
    pair: Arc<lcca::data::Pieces>,
    pool: Arc<ThreadPool>,
    workspace: Arc<Workspace>,
}

/// Panels of earlier passes, which the next pass uses again.
#[derive(Default)]
struct Workspace {
    panels: Mutex<Vec<Panel>>,
    built: AtomicUsize,
}

#[pymethods]
impl Pieces {
    #[new]
    fn new(shards: Vec<Bound<'_, Rows>>, pool: &Bound<'_, Pool>) -> PyResult<Self> {
        let shards = shards.iter().map(|shard| shard.get().pair.clone()).collect();
        let pair = lcca::data::Pieces::new(shards).map_err(Failure::from)?;
        Ok(Pieces { pair: Arc::new(pair), pool: pool.get().threads.clone(), workspace: Arc::default() })
    }

    /// How many panels were allocated so far. A warm pass allocates none.
    #[getter]
    fn panels_built(&self) -> usize {
        self.workspace.built.load(Relaxed)
    }

    /// The requested products, each named by (target, source), in which 0 is X and 1 is Y.
    fn products<'py>(
        &self,
        py: Python<'py>,
        sources: ArraySources<'py>,
        requested: Vec<(usize, usize)>,
    ) -> PyResult<Vec<Table<'py>>> {
        let sources = sources.to_panels(|rows, cols| self.workspace.take(rows, cols))?;
        let (pair, workspace) = (self.pair.clone(), self.workspace.clone());
        let (sources, products) = compute_on(py, &self.pool, move || {
            let mut products: Vec<Panel> = Vec::with_capacity(requested.len());
            for &(target, source) in &requested {
                let columns = sources[source].as_ref().map_or(0, |source| source.panel.cols());
                let mut product = workspace.take(pair.shape().cols(Side::BOTH[target]), columns);
                product.clear();
                products.push(product);
            }
            let mut ask = Ask::new();
            let mut outputs: Vec<_> = requested.iter().zip(&mut products).collect();
            for side in Side::BOTH {
                let Some(source) = &sources[side as usize] else { continue };
                ask = ask.shifted_source(side, source.as_source());
                while let Some(index) = outputs.iter().position(|((_, source), _)| *source == side as usize) {
                    let ((target, _), output) = outputs.swap_remove(index);
                    ask = ask.to(Side::BOTH[*target], output);
                }
            }
            pair.pass(&mut ask)?;
            Ok((sources, products))
        })?;
        let arrays = products.iter().map(|product| panel_to_numpy(py, product)).collect();
        let sources = sources.into_iter().flatten().map(|source| source.panel);
        self.workspace.put_back(sources.chain(products));
        arrays
    }

    /// Weight of all rows; sum, sum of squares and count per column of one view.
    fn moments<'py>(&self, py: Python<'py>, side: usize) -> PyResult<MomentTuple<'py>> {
        let pair = self.pair.clone();
        let moments = compute_on(py, &self.pool, move || Ok(pair.moments(Side::BOTH[side])?.clone()))?;
        Ok(moments_to_numpy(py, moments))
    }

    /// The Gram matrix of one view.
    fn gram<'py>(&self, py: Python<'py>, side: usize, limit: u64) -> PyResult<GramArrays<'py>> {
        let pair = self.pair.clone();
        let gram = compute_on(py, &self.pool, move || {
            Ok(pair.capabilities().require_grams()?.gram(Side::BOTH[side], limit)?)
        })?;
        gram_to_numpy(py, gram)
    }

    /// This worker's share of the sample behind an estimate of the joint Gram matrix, if the cluster has
    /// `shards` shards in all; None if the matrix cannot be formed.
    fn gram_sample<'py>(&self, py: Python<'py>, shards: usize) -> PyResult<Option<SampleTuple<'py>>> {
        let pair = self.pair.clone();
        let sample = compute_on(py, &self.pool, move || Ok(pair.gram_sample(shards)))?;
        Ok(sample.map(|sample| sample_to_numpy(py, sample)))
    }

    /// The sparse blocks XᵀX, XᵀY and YᵀY. Fails if they cannot be formed, in which case there is no sample
    /// either.
    fn joint_gram<'py>(&self, py: Python<'py>, limit: u64) -> PyResult<JointArrays<'py>> {
        let pair = self.pair.clone();
        let joint = compute_on(py, &self.pool, move || {
            let joint = pair.capabilities().require_joint_grams()?.joint_gram(limit)?;
            joint.bring()?;
            Ok(joint)
        })?;
        joint_to_numpy(py, &joint)
    }

    /// The lower triangle of [X Y]ᵀ[X Y], about the means if they are given.
    fn dense_gram<'py>(
        &self,
        py: Python<'py>,
        means: Option<Means<'py>>,
        limit: u64,
    ) -> PyResult<Table<'py>> {
        let pair = self.pair.clone();
        let means = means.map(|(x, y)| [x, y].map(|mean| mean.as_array().to_vec()));
        let gram = compute_on(py, &self.pool, move || {
            let means = means.as_ref().map(|means| means.each_ref().map(|mean| &mean[..]));
            Ok(pair.capabilities().require_grams()?.dense_gram(means, limit)?)
        })?;
        mat_to_numpy(py, gram.as_ref())
    }

    /// The triangular factor of [1 X Y].
    fn triangle<'py>(&self, py: Python<'py>, limit: u64) -> PyResult<Table<'py>> {
        let pair = self.pair.clone();
        let triangle = compute_on(py, &self.pool, move || {
            Ok(pair.capabilities().require_triangles()?.triangle(limit)?)
        })?;
        mat_to_numpy(py, triangle.factor())
    }

    /// The lower triangle of the Gram matrix of chosen columns, column after column, about the means if they
    /// are given.
    fn block_gram<'py>(
        &self,
        py: Python<'py>,
        columns: Columns<'py>,
        means: Option<Means<'py>>,
        limit: u64,
    ) -> PyResult<Vector<'py, f64>> {
        let pair = self.pair.clone();
        let [x, y] = [columns.0, columns.1].map(|columns| columns.as_array().to_vec());
        let means = means.map(|(x, y)| [x, y].map(|mean| mean.as_array().to_vec()));
        let gram = compute_on(py, &self.pool, move || {
            let means = means.as_ref().map(|means| means.each_ref().map(|mean| &mean[..]));
            Ok(pair.capabilities().require_blocks()?.block_gram([&x, &y], means, limit)?)
        })?;
        Ok(triangle_to_numpy(py, &gram))
    }

    /// About `rows` rows, spread evenly over the rows of these pieces.
    fn sample<'py>(&self, py: Python<'py>, rows: usize) -> PyResult<RowsArrays<'py>> {
        let pair = self.pair.clone();
        let sample =
            compute_on(py, &self.pool, move || Ok(pair.capabilities().require_samples()?.sample(rows)?))?;
        Ok(rows_to_numpy(py, &sample))
    }

    /// Rows of all pieces.
    #[getter]
    fn rows(&self) -> usize {
        self.pair.shape().rows
    }
}

impl Workspace {
    /// A panel of the given shape, with old numbers in it. Its padding is zero, because that of a new panel
    /// is, and a pass only adds products of zeros to it.
    fn take(&self, rows: usize, cols: usize) -> Panel {
        let mut panels = self.lock();
        match panels.iter().position(|panel| (panel.rows(), panel.cols()) == (rows, cols)) {
            Some(index) => panels.swap_remove(index),
            None => {
                self.built.fetch_add(1, Relaxed);
                Panel::zeros(rows, cols)
            }
        }
    }

    /// Keeps the panels of the pass that just ended, and no more than one pass needs, because panels of
    /// every former width would pile up: blocks get narrower as pairs converge.
    fn put_back(&self, used: impl Iterator<Item = Panel>) {
        let mut panels = self.lock();
        panels.extend(used);
        let extra = panels.len().saturating_sub(KEPT_PANELS);
        panels.drain(..extra);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Panel>> {
        self.panels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
