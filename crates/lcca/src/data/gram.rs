//! Gram matrices, formed.
//!
//! For sparse rows: the view is transposed once; then column j of C is the sum of the rows that hold column j, kept
//! where it is not zero. Work Σᵢ rᵢ²/2 for rows of rᵢ entries, memory for the transpose and the result.

use crate::error::{Error, Result};
use crate::matrix::{Buffer, Matrix, SparseRows, Values};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Columns of C that one thread forms at a time.
const CHUNK: usize = 256;
/// Rows of a dense view multiplied at a time.
const BLOCK: usize = 512;
/// Bytes of one entry of a [`SparseGram`].
const ENTRY: u64 = (size_of::<usize>() + size_of::<f64>()) as u64;

/// The rows and values of one column.
type Column = (Vec<usize>, Vec<f64>);

/// C = XᵀX, less `weight`·μμᵀ where the view is centred.
pub struct GramMatrix {
    /// XᵀX of the stored rows.
    pub stored: StoredGram,
    /// (μ, sum of row weights) of a centred view.
    pub shift: Option<(Vec<f64>, f64)>,
}

/// XᵀX as it was formed.
pub enum StoredGram {
    /// Few entries.
    Sparse(SparseGram),
    /// All entries.
    Dense(Mat<f64>),
}

/// The lower triangle of a symmetric matrix, column by column, rows ascending. Every diagonal entry is stored, zero or
/// not.
pub struct SparseGram {
    /// Where each column begins, and where the last ends.
    pub starts: Vec<usize>,
    /// The row of each entry.
    pub rows: Vec<usize>,
    /// The value of each entry.
    pub values: Vec<f64>,
}

impl GramMatrix {
    /// The Gram matrix of the centred view. Centring a centred view changes nothing.
    pub(super) fn centred(self, mean: &[f64], weight: f64) -> Self {
        GramMatrix { shift: Some((mean.to_vec(), weight)), ..self }
    }

    /// The sum of two uncentred Gram matrices.
    pub(super) fn plus(self, other: GramMatrix) -> Self {
        let stored = match (self.stored, other.stored) {
            (StoredGram::Sparse(a), StoredGram::Sparse(b)) => StoredGram::Sparse(a.plus(&b)),
            (a, b) => StoredGram::Dense(a.dense() + b.dense()),
        };
        GramMatrix { stored, shift: None }
    }

    /// All of it, centring included.
    pub fn dense(self) -> Mat<f64> {
        let mut dense = self.stored.dense();
        if let Some((mean, weight)) = self.shift {
            for j in 0..dense.ncols() {
                (0..dense.nrows()).for_each(|i| dense[(i, j)] -= weight * mean[i] * mean[j]);
            }
        }
        dense
    }
}

impl StoredGram {
    fn dense(self) -> Mat<f64> {
        match self {
            StoredGram::Dense(dense) => dense,
            StoredGram::Sparse(sparse) => sparse.dense(),
        }
    }
}

impl SparseGram {
    /// Rows and columns.
    pub fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// The entries of column j: rows and values.
    pub fn column(&self, j: usize) -> (&[usize], &[f64]) {
        let span = self.starts[j]..self.starts[j + 1];
        (&self.rows[span.clone()], &self.values[span])
    }

    fn dense(&self) -> Mat<f64> {
        let mut dense = Mat::zeros(self.size(), self.size());
        for j in 0..self.size() {
            let (rows, values) = self.column(j);
            for (&i, &value) in rows.iter().zip(values) {
                (dense[(i, j)], dense[(j, i)]) = (value, value);
            }
        }
        dense
    }

    fn plus(&self, other: &SparseGram) -> SparseGram {
        let columns = (0..self.size()).map(|j| merge(self.column(j), other.column(j)));
        SparseGram::from_columns(columns.collect())
    }

    fn from_columns(columns: Vec<Column>) -> SparseGram {
        let mut gram = SparseGram { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for (rows, values) in columns {
            gram.rows.extend(rows);
            gram.values.extend(values);
            gram.starts.push(gram.rows.len());
        }
        gram
    }
}

fn merge(a: (&[usize], &[f64]), b: (&[usize], &[f64])) -> Column {
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    let (mut i, mut j) = (0, 0);
    while i < a.0.len() || j < b.0.len() {
        let (left, right) =
            (a.0.get(i).copied().unwrap_or(usize::MAX), b.0.get(j).copied().unwrap_or(usize::MAX));
        let row = left.min(right);
        let mut value = 0.0;
        if left == row {
            value += a.1[i];
            i += 1;
        }
        if right == row {
            value += b.1[j];
            j += 1;
        }
        rows.push(row);
        values.push(value);
    }
    (rows, values)
}

/// XᵀX of `view`, its rows weighted.
pub(super) fn of(view: &Matrix, weights: Option<&Buffer<f64>>, limit: u64) -> Result<GramMatrix> {
    let weight = |row: usize| weights.map_or(1.0, |weights| weights.as_slice()[row].get());
    let stored = match view {
        Matrix::Dense(_) => StoredGram::Dense(of_dense(view, weight, limit)?),
        Matrix::OneHot(m) => {
            let mut diagonal = vec![0.0; m.cols()];
            (0..m.rows()).for_each(|row| m.column(row).into_iter().for_each(|c| diagonal[c] += weight(row)));
            StoredGram::Sparse(SparseGram {
                starts: (0..=m.cols()).collect(),
                rows: (0..m.cols()).collect(),
                values: diagonal,
            })
        }
        Matrix::Sparse(m) => StoredGram::Sparse(match m.values() {
            Values::Ones => of_sparse(m, &|_| 1.0, &weight, limit)?,
            Values::F32(values) => {
                let values = values.as_slice();
                of_sparse(m, &|at| values[at].get().into(), &weight, limit)?
            }
            Values::F64(values) => {
                let values = values.as_slice();
                of_sparse(m, &|at| values[at].get(), &weight, limit)?
            }
        }),
    };
    Ok(GramMatrix { stored, shift: None })
}

fn refusal(needed: u64, allowed: u64) -> Error {
    let advice = "allow more memory, or use a method that forms no Gram matrix";
    Error::Memory { what: "the Gram matrix".into(), needed, allowed, advice }
}

fn of_dense(view: &Matrix, weight: impl Fn(usize) -> f64, limit: u64) -> Result<Mat<f64>> {
    let p = view.cols();
    let needed = 8 * p as u64 * (p + BLOCK) as u64;
    if needed > limit {
        return Err(refusal(needed, limit));
    }
    let mut gram = Mat::zeros(p, p);
    for start in (0..view.rows()).step_by(BLOCK) {
        let mut block = Mat::zeros(p, BLOCK.min(view.rows() - start));
        for i in 0..block.ncols() {
            let root = weight(start + i).sqrt();
            view.for_each(start + i, |column, value| block[(column, i)] = root * value);
        }
        matmul(gram.as_mut(), Accum::Add, block.as_ref(), block.as_ref().transpose(), 1.0, Par::rayon(0));
    }
    Ok(gram)
}

/// `value(at)` is the value of entry `at`, `weight(row)` of a row.
fn of_sparse(
    view: &SparseRows,
    value: &(impl Fn(usize) -> f64 + Sync),
    weight: &(impl Fn(usize) -> f64 + Sync),
    limit: u64,
) -> Result<SparseGram> {
    let p = view.cols();
    let transpose_bytes = 12 * view.entries() + 8 * p as u64;
    if transpose_bytes > limit {
        return Err(refusal(transpose_bytes, limit));
    }
    let transposed = Transposed::of(view);
    let spent = AtomicU64::new(transpose_bytes);
    let form_chunk = |sums: &mut Accumulator, start: usize| {
        let chunk: Vec<Column> = (start..(start + CHUNK).min(p))
            .map(|j| sums.column(view, &transposed, j, value, weight))
            .collect();
        let bytes: u64 = chunk.iter().map(|(rows, _)| ENTRY * rows.len() as u64).sum();
        let so_far = spent.fetch_add(bytes, Relaxed) + bytes;
        if so_far > limit { Err(refusal(upper_bound(view), limit)) } else { Ok(chunk) }
    };
    let starts: Vec<usize> = (0..p).step_by(CHUNK).collect();
    let chunks = starts.into_par_iter().map_init(|| Accumulator::new(p), form_chunk);
    let chunks: Vec<Vec<Column>> = chunks.collect::<Result<_>>()?;
    Ok(SparseGram::from_columns(chunks.into_iter().flatten().collect()))
}

/// Bytes the Gram matrix cannot exceed: every pair of entries of a row is new, or every entry is there.
fn upper_bound(view: &SparseRows) -> u64 {
    let p = view.cols() as u64;
    let offsets = view.offsets().as_slice();
    let pairs = offsets.windows(2).map(|o| {
        let r = o[1].get() - o[0].get();
        r * (r + 1) / 2
    });
    ENTRY * pairs.sum::<u64>().min(p * (p + 1) / 2) + 12 * view.entries()
}

/// The transposed view: for each column, its rows and where in the row it stands.
struct Transposed {
    starts: Vec<u64>,
    rows: Vec<u32>,
    places: Vec<u64>,
}

impl Transposed {
    fn of(view: &SparseRows) -> Transposed {
        let (offsets, columns) = (view.offsets().as_slice(), view.columns().as_slice());
        let mut starts = vec![0u64; view.cols() + 1];
        let entries = offsets[0].get() as usize..offsets[view.rows()].get() as usize;
        entries.clone().for_each(|at| starts[columns[at].get() as usize + 1] += 1);
        (0..view.cols()).for_each(|j| starts[j + 1] += starts[j]);
        let mut next = starts.clone();
        let (mut rows, mut places) = (vec![0u32; entries.len()], vec![0u64; entries.len()]);
        for row in 0..view.rows() {
            for at in offsets[row].get()..offsets[row + 1].get() {
                let slot = &mut next[columns[at as usize].get() as usize];
                (rows[*slot as usize], places[*slot as usize]) = (row as u32, at);
                *slot += 1;
            }
        }
        Transposed { starts, rows, places }
    }
}

/// One column of C in the making.
struct Accumulator {
    sums: Vec<f64>,
    seen: Vec<bool>,
    touched: Vec<usize>,
}

impl Accumulator {
    fn new(p: usize) -> Self {
        Accumulator { sums: vec![0.0; p], seen: vec![false; p], touched: Vec::new() }
    }

    /// The lower part of column j: Σ over rows i with x_ij of x_ij·x_i, columns from j on.
    fn column(
        &mut self,
        view: &SparseRows,
        transposed: &Transposed,
        j: usize,
        value: &impl Fn(usize) -> f64,
        weight: &impl Fn(usize) -> f64,
    ) -> Column {
        let (offsets, columns) = (view.offsets().as_slice(), view.columns().as_slice());
        // The diagonal is there even where it is zero: factorisations need the place.
        self.add(j, 0.0);
        for slot in transposed.starts[j] as usize..transposed.starts[j + 1] as usize {
            let (row, at) = (transposed.rows[slot] as usize, transposed.places[slot] as usize);
            let factor = weight(row) * value(at);
            let rest = at..offsets[row + 1].get() as usize;
            for (column, place) in columns[rest.clone()].iter().zip(rest) {
                self.add(column.get() as usize, factor * value(place));
            }
        }
        self.touched.sort_unstable();
        let values = self.touched.iter().map(|&c| std::mem::take(&mut self.sums[c])).collect();
        self.touched.iter().for_each(|&c| self.seen[c] = false);
        (std::mem::take(&mut self.touched), values)
    }

    fn add(&mut self, column: usize, value: f64) {
        if !std::mem::replace(&mut self.seen[column], true) {
            self.touched.push(column);
        }
        self.sums[column] += value;
    }
}
