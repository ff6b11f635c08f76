//! Sums over rows that arrive in batches. A fit to the sums equals a fit to all rows, although none of the
//! rows is kept.
//!
//! Narrow views have a dense Gram matrix, about the means of the rows so far. Wide sparse views have a
//! sparse one of the rows as they are; centering it afterwards loses as many digits as centering rows in a
//! pass does. Adding a batch costs as much as forming its own matrix, plus one addition per entry of the
//! sum.

use super::summed::Summed;
use super::sums::Sums;
use crate::data::grams::joint::JointGram;
use crate::data::grams::product::Allowance;
use crate::data::in_memory::InMemory;
use crate::data::pair::{JointGrams, Pair, Structure};
use crate::data::wrap::formed::Formed;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, RowsBuilder};
use crate::side::{Shape, Side};

/// Views of at most this many columns together are summed up densely, however sparse they are: 155 MB at
/// most.
const NARROW: usize = 4400;
/// Bytes of an entry of a sparse block.
const ENTRY: u64 = (size_of::<u32>() + size_of::<f64>()) as u64;

/// Sums over rows, as a dense matrix or as sparse blocks.
#[derive(Clone)]
pub enum Accumulated {
    /// All entries of the Gram matrix of both views.
    Dense(Box<Sums>),
    /// The entries that are not zero.
    Sparse(Box<Formed>),
}

impl Accumulated {
    /// The sums of a first batch. They are dense if views are narrow or both dense, and the sums of all later
    /// batches then are as well. An error if they would take more than `limit` bytes.
    pub fn first(pair: &InMemory, limit: u64) -> Result<Self> {
        let Shape { x_cols, y_cols, .. } = pair.shape();
        let are_dense = Side::BOTH.iter().all(|&side| matches!(pair.view(side), Matrix::Dense(_)));
        if are_dense || x_cols + y_cols <= NARROW {
            return Ok(Accumulated::Dense(Box::new(Sums::about_means(pair, limit)?)));
        }
        Accumulated::sparse(pair, limit)
    }

    /// These sums and those of another batch with the same columns. An error if they would take more than
    /// `limit` bytes.
    pub fn plus(self, batch: &InMemory, limit: u64) -> Result<Self> {
        let (own, more) = (self.shape(), batch.shape());
        for (what, expected, found) in
            [("columns of X", own.x_cols, more.x_cols), ("columns of Y", own.y_cols, more.y_cols)]
        {
            if expected != found {
                return Err(Error::Length { what, expected, found });
            }
        }
        match self {
            Accumulated::Dense(sums) => {
                Ok(Accumulated::Dense(Box::new(sums.merged(&Sums::about_means(batch, limit)?))))
            }
            Accumulated::Sparse(formed) => {
                let Accumulated::Sparse(more) = Accumulated::sparse(batch, limit)? else {
                    return Err(Error::Unavailable { what: "joint Gram matrix" });
                };
                let entries = formed.joint().entries() + more.joint().entries();
                Allowance::new("the joint Gram matrix of all batches", limit).take(ENTRY * entries)?;
                let one_hot = Side::BOTH.map(|side| formed.is_one_hot(side) && more.is_one_hot(side));
                let joint = formed.joint().clone().plus(more.joint().clone())?;
                Ok(Accumulated::Sparse(Box::new(Formed::new(joint, one_hot))))
            }
        }
    }

    /// Sums in sparse blocks. Rows of a dense view are stored in full, which is right if the other view is
    /// wide and sparse.
    fn sparse(pair: &InMemory, limit: u64) -> Result<Self> {
        let views = Side::BOTH.map(|side| pair.view(side));
        let one_hot = views.map(|view| matches!(view, Matrix::OneHot(_)));
        let joint = if views.iter().any(|view| matches!(view, Matrix::Dense(_))) {
            let [x, y] = views.map(as_sparse);
            let moments = [pair.moments(Side::X)?, pair.moments(Side::Y)?];
            JointGram::form(&[x?, y?], moments, &|row| pair.weight(row), limit)?
        } else {
            // The sums are copied to the host, because they may be kept for long.
            pair.joint_gram(limit)?.on_host()?
        };
        Ok(Accumulated::Sparse(Box::new(Formed::new(joint, one_hot))))
    }

    /// The numbers of rows and columns so far.
    pub fn shape(&self) -> Shape {
        self.pair().shape()
    }

    /// The rows so far, known by these sums.
    pub fn pair(&self) -> Box<dyn Pair + '_> {
        match self {
            Accumulated::Dense(sums) => Box::new(Summed::new(sums, None)),
            Accumulated::Sparse(formed) => formed.clone(),
        }
    }

    /// The bytes that the sums take.
    pub fn bytes(&self) -> u64 {
        match self {
            Accumulated::Dense(sums) => 8 * (sums.gram.nrows() * sums.gram.ncols()) as u64,
            Accumulated::Sparse(formed) => ENTRY * formed.joint().entries(),
        }
    }
}

fn as_sparse(view: &Matrix) -> Result<Matrix> {
    if !matches!(view, Matrix::Dense(_)) {
        return Ok(view.clone());
    }
    let mut rows = RowsBuilder::default();
    for row in 0..view.rows() {
        view.for_each(row, |column, value| rows.push(column as u32, value));
        rows.end_row();
    }
    Ok(RowsBuilder::join(vec![rows], view.cols(), false)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::laws;
    use crate::testing::{any_views, relative_error, to_dense};
    use faer::Mat;
    use proptest::prelude::*;

    /// The rows in batches, cut at two places.
    fn batches(views: &[Matrix; 2], cuts: [usize; 2]) -> Vec<InMemory> {
        let rows = views[0].rows();
        let mut edges = [0, cuts[0] % (rows + 1), cuts[1] % (rows + 1), rows];
        edges.sort_unstable();
        let batch =
            |e: &[usize]| InMemory::new(views[0].slice(e[0]..e[1]), views[1].slice(e[0]..e[1])).unwrap();
        edges.windows(2).filter(|e| e[0] < e[1]).map(batch).collect()
    }

    proptest! {
        #[test]
        fn sums_of_batches_are_those_of_all_rows(views in any_views(), cuts: [usize; 2], seed in 0u64..100) {
            let [x, y] = views.each_ref().map(to_dense);
            let batches = batches(&views, cuts);
            let all = |first: Accumulated| {
                batches[1..].iter().try_fold(first, |sums, batch| sums.plus(batch, u64::MAX)).unwrap()
            };
            for first in [Accumulated::first, Accumulated::sparse] {
                let sums = all(first(&batches[0], u64::MAX).unwrap());
                laws::check(&*sums.pair(), &x, &y, seed).unwrap();
            }
        }
    }

    #[test]
    fn means_that_drift_cost_no_digits() {
        // Two batches that vary by 1 around 0 and around 1e8, because about the first mean the sum of
        // squares would be 1e16 per row.
        let near = |center: f64| {
            let values: Vec<f64> = (0..40).map(|i| center + f64::from(i * i % 7)).collect();
            crate::matrix::DenseRows::new(20, 2, crate::matrix::DenseValues::F64(values.into())).unwrap()
        };
        let batch = |center: f64| InMemory::new(near(center).into(), near(-center).into()).unwrap();
        let sum = |order: [f64; 3]| {
            let [first, second, third] = order.map(batch);
            let sums = Accumulated::first(&first, u64::MAX).unwrap();
            let Accumulated::Dense(sums) =
                sums.plus(&second, u64::MAX).unwrap().plus(&third, u64::MAX).unwrap()
            else {
                panic!("narrow views are summed up densely")
            };
            sums.gram
        };
        let (there, back) = (sum([0.0, 0.0, 1e8]), sum([1e8, 0.0, 0.0]));
        let lower = |m: &Mat<f64>| Mat::from_fn(4, 4, |i, j| if i >= j { m[(i, j)] } else { 0.0 });
        assert!(relative_error(lower(&there).as_ref(), lower(&back).as_ref()) < 1e-14);
    }

    #[test]
    fn sums_too_large_for_the_memory_are_an_error() {
        let rows = crate::matrix::DenseRows::new(2, 3, crate::matrix::DenseValues::F64(vec![1.0; 6].into()))
            .unwrap();
        let pair = InMemory::new(rows.clone().into(), rows.into()).unwrap();
        assert!(matches!(Accumulated::first(&pair, 10), Err(Error::Memory { .. })));
        assert!(matches!(Accumulated::sparse(&pair, 10), Err(Error::Memory { .. })));
    }
}
