//! A sample of the rows, spread evenly, in memory.

use super::paired_rows::PairedRows;
use crate::error::Result;
use crate::matrix::{Buffer, DenseRows, DenseValues, Matrix, OneHotRows, RowsBuilder};

/// At most `count` rows, spread evenly, with their weights; at least one.
pub(in crate::data) fn sample(rows: &PairedRows, count: usize) -> Result<PairedRows> {
    let all = rows.shape().rows;
    let which: Vec<usize> = (0..all).step_by(all.div_ceil(count.max(1)).max(1)).collect();
    let [x, y] = rows.views.each_ref().map(|view| take(view, &which));
    let sampled = PairedRows::new(x?, y?)?;
    match &rows.weights {
        Some(weights) => {
            let weights = weights.as_slice();
            sampled.weighted(which.iter().map(|&row| weights[row].get()).collect::<Vec<_>>().into())
        }
        None => Ok(sampled),
    }
}

/// The number of rows, out of a sample of `count`, to take from `part` of `all` rows.
pub(in crate::data) fn share(count: usize, part: usize, all: usize) -> usize {
    ((count as f64 * part as f64 / all.max(1) as f64) as usize).max(1)
}

/// The rows of several parts, one after another.
pub(in crate::data) fn stack(parts: &[&PairedRows]) -> Result<PairedRows> {
    let view = |side: usize| stack_views(&parts.iter().map(|part| &part.views[side]).collect::<Vec<_>>());
    let stacked = PairedRows::new(view(0)?, view(1)?)?;
    if parts.iter().all(|part| part.weights.is_none()) {
        return Ok(stacked);
    }
    let of_part = |part: &&PairedRows| (0..part.shape().rows).map(|row| part.weight(row)).collect::<Vec<_>>();
    stacked.weighted(Buffer::from(parts.iter().flat_map(of_part).collect::<Vec<_>>()))
}

fn take(view: &Matrix, which: &[usize]) -> Result<Matrix> {
    match view {
        Matrix::OneHot(m) => {
            let columns = m.columns().as_slice();
            let columns: Vec<u32> = which.iter().map(|&row| columns[row].get()).collect();
            Ok(OneHotRows::new(m.cols(), columns.into())?.into())
        }
        Matrix::Dense(m) => {
            let taken = m.taken(which)?.into();
            let values: Vec<f64> = (0..which.len()).flat_map(|row| dense_row(&taken, row)).collect();
            Ok(DenseRows::new(which.len(), m.cols(), DenseValues::F64(values.into()))?.into())
        }
        Matrix::Sparse(_) => sparse(view.cols(), which.iter().map(|&row| (view, row)), view.is_all_ones()),
    }
}

/// The rows of several views with the same columns: one-hot if all are, dense if any is.
fn stack_views(views: &[&Matrix]) -> Result<Matrix> {
    let cols = views.first().map_or(0, |view| view.cols());
    let rows = views.iter().flat_map(|view| (0..view.rows()).map(move |row| (*view, row)));
    if views.iter().all(|view| matches!(view, Matrix::OneHot(_))) {
        let mut columns = vec![OneHotRows::EMPTY; rows.clone().count()];
        for ((view, row), out) in rows.zip(&mut columns) {
            view.for_each(row, |column, _| *out = column as u32);
        }
        return Ok(OneHotRows::new(cols, columns.into())?.into());
    }
    if views.iter().any(|view| matches!(view, Matrix::Dense(_))) {
        let count = rows.clone().count();
        let values: Vec<f64> = rows.flat_map(|(view, row)| dense_row(view, row)).collect();
        return Ok(DenseRows::new(count, cols, DenseValues::F64(values.into()))?.into());
    }
    sparse(cols, rows, views.iter().all(|view| view.is_all_ones()))
}

fn sparse<'a>(
    cols: usize,
    rows: impl Iterator<Item = (&'a Matrix, usize)>,
    all_ones: bool,
) -> Result<Matrix> {
    let mut builder = RowsBuilder::default();
    for (view, row) in rows {
        view.for_each(row, |column, value| builder.push(column as u32, value));
        builder.end_row();
    }
    Ok(RowsBuilder::join(vec![builder], cols, all_ones)?.into())
}

fn dense_row(view: &Matrix, row: usize) -> Vec<f64> {
    let mut numbers = vec![0.0; view.cols()];
    view.for_each(row, |column, value| numbers[column] = value);
    numbers
}
