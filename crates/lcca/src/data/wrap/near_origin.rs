//! Rows about an origin: before anything is summed, a number near its mean is subtracted from a column.
//!
//! A column whose mean is m times its deviation loses 2·log₁₀(m) of sixteen digits if sums over the
//! unchanged column are centered afterwards. For example, years and temperatures lose a few digits, Julian
//! dates all of them. An origin changes nothing else, because centered columns do not depend on it, and a
//! value minus a nearby one is exact to its last digit. So every column that would lose more than three
//! digits gets its mean as its origin, if that does not make a sparse view dense: only in columns that
//! every row stores. In all other columns zeros keep the deviation near the mean.
//!
//! Cost: nothing for ordinary data, because its moments are needed anyway. Otherwise the moments are summed
//! up once more, dense rows subtract while they are read, and sparse rows take 8 more bytes per entry.

use crate::data::facts::covariates::Covariates;
use crate::data::facts::moments::Moments;
use crate::data::facts::origin::Origin;
use crate::data::in_memory::InMemory;
use crate::data::pair::Pair;
use crate::error::Result;
use crate::matrix::{DenseRows, DenseValues, Matrix, Values};
use crate::side::Side;
use std::sync::Arc;

/// A column gets an origin if less than this share of its sum of squares is left when it is centered.
pub(in crate::data) const SHARE: f64 = 1e-3;

impl InMemory {
    /// These rows about an origin if sums over them would lose digits when they are centered; otherwise the
    /// rows unchanged.
    pub fn near_origin(&self) -> Result<&InMemory> {
        if let Some(known) = self.near.get() {
            return Ok(known.as_deref().unwrap_or(self));
        }
        let near = self.moved_to_origin()?;
        Ok(self.near.get_or_init(|| near.map(Box::new)).as_deref().unwrap_or(self))
    }

    fn moved_to_origin(&self) -> Result<Option<InMemory>> {
        let of_view = |side: Side| far_means(self.view(side), self.moments(side)?);
        let views = [of_view(Side::X)?, of_view(Side::Y)?];
        let covariates = match self.covariates() {
            Some(rows) => far_means(rows, self.covariate_moments()?)?,
            None => None,
        };
        if views.iter().chain([&covariates]).all(Option::is_none) {
            return Ok(None);
        }
        let [x, y] = Side::BOTH.map(|side| match &views[side as usize] {
            Some(origin) => self.less(self.view(side), origin),
            None => Ok(self.view(side).clone()),
        });
        let mut near = InMemory::new(x?, y?)?.placed(self.space.clone());
        if let Some(weights) = self.weights() {
            near = near.weighted(weights.clone())?;
        }
        if let Some(rows) = self.covariates() {
            near = near.with_covariates(match &covariates {
                Some(origin) => rows.less(origin),
                None => rows.clone(),
            })?;
        }
        let unit = Side::BOTH.map(|side| unit(self.view(side)));
        let moved = Origin { views, covariates, unit };
        near.origin = Some(Arc::new(match &self.origin {
            Some(before) => before.plus(&moved),
            None => moved,
        }));
        Ok(Some(near))
    }

    /// A view minus its origin. Dense rows are copied if panels live in a space, because panels there are
    /// multiplied with stored numbers.
    fn less(&self, view: &Matrix, origin: &[f64]) -> Result<Matrix> {
        let near = view.less(origin);
        match &near {
            Matrix::Dense(rows) if self.space.is_some() => copied(rows),
            _ => Ok(near),
        }
    }
}

/// The means of the columns that lose too many digits when they are centered, 0 for all others; `None` if
/// there are none.
fn far_means(view: &Matrix, moments: &Moments) -> Result<Option<Vec<f64>>> {
    if view.is_all_ones() {
        return Ok(None);
    }
    let is_stored_everywhere = |&j: &usize| moments.count[j] == view.rows() as u64;
    // A column of zeros and ones keeps its digits however few zeros it has, and is recognized by its sums
    // as they are.
    let is_boolean = |j: usize| (moments.sum[j] - moments.square[j]).abs() <= 1e-9 * moments.square[j];
    let columns = (0..view.cols()).filter(is_stored_everywhere).filter(|&j| !is_boolean(j));
    let mut far: Vec<usize> = columns.filter(|&j| moments.left_by_centering(j) < SHARE).collect();
    if far.is_empty() {
        return Ok(None);
    }
    view.bring()?;
    far = varying(view, far);
    if far.is_empty() {
        return Ok(None);
    }
    let mut origin = vec![0.0; view.cols()];
    far.into_iter().for_each(|j| origin[j] = moments.sum[j] / moments.weight);
    Ok(Some(origin))
}

/// The columns among `columns` in which not all rows have the same value. Constant columns need no digits.
fn varying(view: &Matrix, columns: Vec<usize>) -> Vec<usize> {
    let with_first = |j: usize| (j, view.get(0, j));
    let mut undecided: Vec<(usize, f64)> = columns.into_iter().map(with_first).collect();
    let mut varying = Vec::new();
    for row in 1..view.rows() {
        if undecided.is_empty() {
            break;
        }
        let is_same = |&mut (j, first): &mut (usize, f64)| view.get(row, j) == first;
        varying.extend(undecided.extract_if(.., |column| !is_same(column)).map(|(j, _)| j));
    }
    varying
}

/// The distance of neighboring stored numbers near 1.
fn unit(view: &Matrix) -> f64 {
    let is_single = match view {
        Matrix::Dense(rows) => matches!(rows.values(), DenseValues::F32(_)),
        Matrix::Sparse(rows) => matches!(rows.values(), Values::F32(_)),
        Matrix::OneHot(_) => false,
    };
    if is_single { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// A copy of rows that stores, in double precision, the numbers that would be read from them.
fn copied(rows: &DenseRows) -> Result<Matrix> {
    let mut values = vec![0.0; rows.rows() * rows.cols()];
    for (row, out) in values.chunks_exact_mut(rows.cols().max(1)).enumerate() {
        rows.for_each(row, |column, value| out[column] = value);
    }
    Ok(DenseRows::new(rows.rows(), rows.cols(), DenseValues::F64(values.into()))?.into())
}
