//! Arithmetic on panels: all operations of algorithms between passes.
//!
//! Sums over a panel's rows are taken chunk by chunk in a fixed order, so that they do not depend on
//! timing.

use crate::matrix::{LANES, Line, Panel, row_major_mut};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

/// The number of rows of a panel that one thread takes at a time. A chunk of 32 columns is 256 KiB, which
/// stays in a second-level cache while it is multiplied with the small matrices, and a panel of some
/// thousand rows still feeds several threads.
const CHUNK: usize = 1024;

/// AᵀB, for two panels with the same rows.
pub fn cross(a: &Panel, b: &Panel) -> Mat<f64> {
    assert_eq!(a.rows(), b.rows(), "rows of the two panels");
    let chunk_product = |start: usize| {
        let rows = CHUNK.min(a.rows() - start);
        let mut product = Mat::zeros(a.cols(), b.cols());
        let (a, b) = (a.as_mat().subrows(start, rows), b.as_mat().subrows(start, rows));
        matmul(product.as_mut(), Accum::Replace, a.transpose(), b, 1.0, Par::Seq);
        product
    };
    let starts: Vec<usize> = (0..a.rows()).step_by(CHUNK).collect();
    let products: Vec<Mat<f64>> = starts.into_par_iter().map(chunk_product).collect();
    products.iter().fold(Mat::zeros(a.cols(), b.cols()), |sum, product| sum + product)
}

/// [A₁ A₂ …]ᵀ[B₁ B₂ …].
pub fn block_cross(a: &[&Panel], b: &[&Panel]) -> Mat<f64> {
    let width = |panels: &[&Panel]| panels.iter().map(|panel| panel.cols()).sum();
    let mut whole = Mat::zeros(width(a), width(b));
    let mut top = 0;
    for a in a {
        let mut left = 0;
        for b in b {
            whole.submatrix_mut(top, left, a.cols(), b.cols()).copy_from(cross(a, b));
            left += b.cols();
        }
        top += a.cols();
    }
    whole
}

/// [A₁ A₂ …]ᵀ[B₁ B₂ …] if it is symmetric up to rounding: only half of it is computed.
pub fn symmetric_block_cross(a: &[&Panel], b: &[&Panel]) -> Mat<f64> {
    let size = a.iter().map(|panel| panel.cols()).sum();
    let mut whole = Mat::zeros(size, size);
    let mut top = 0;
    for (i, left) in a.iter().enumerate() {
        let mut start = top;
        for (j, right) in b.iter().enumerate().skip(i) {
            let block = if i == j { symmetric_cross(left, right) } else { cross(left, right) };
            whole.submatrix_mut(start, top, right.cols(), left.cols()).copy_from(block.transpose());
            whole.submatrix_mut(top, start, left.cols(), right.cols()).copy_from(&block);
            start += right.cols();
        }
        top += left.cols();
    }
    whole
}

/// (AᵀB + BᵀA)/2, for AᵀB that is symmetric up to rounding.
pub fn symmetric_cross(a: &Panel, b: &Panel) -> Mat<f64> {
    let product = cross(a, b);
    Mat::from_fn(product.nrows(), product.ncols(), |i, j| (product[(i, j)] + product[(j, i)]) / 2.0)
}

/// A·M, for a small M.
pub fn times(a: &Panel, m: MatRef<'_, f64>) -> Panel {
    combine(&[(a, m)])
}

/// A₁M₁ + A₂M₂ + …, for small M of equal widths; at least one.
pub fn combine(terms: &[(&Panel, MatRef<'_, f64>)]) -> Panel {
    let (rows, width) = (terms[0].0.rows(), terms[0].1.ncols());
    for (a, m) in terms {
        assert_eq!(a.cols(), m.nrows(), "columns of the panel against rows of the matrix");
        assert_eq!((a.rows(), m.ncols()), (rows, width), "shape of a term against the first");
    }
    let mut out = Panel::zeros(rows, width);
    let stride = out.lines_per_row() * LANES;
    let numbers: &mut [f64] = bytemuck::cast_slice_mut(out.lines_mut());
    numbers.par_chunks_mut(CHUNK * stride.max(1)).enumerate().for_each(|(chunk, out)| {
        let rows = out.len() / stride;
        let mut out = row_major_mut(out, rows, width, stride);
        for (a, m) in terms {
            let a = a.as_mat().subrows(chunk * CHUNK, rows);
            matmul(out.as_mut(), Accum::Add, a, m, 1.0, Par::Seq);
        }
    });
    out
}

/// `a[:, first..first + c]` ← `a[:, first..first + c]`·M for a small M of c rows and columns, without
/// allocating anything as high as a panel.
pub fn turn_columns(a: &mut Panel, first: usize, m: MatRef<'_, f64>) {
    let (count, stride) = (m.nrows(), a.lines_per_row() * LANES);
    assert_eq!(count, m.ncols(), "rows and columns of the matrix");
    assert!(first + count <= a.cols(), "columns {first} and {count} more of a panel of {}", a.cols());
    let numbers: &mut [f64] = bytemuck::cast_slice_mut(a.lines_mut());
    let buffer = || Mat::<f64>::zeros(CHUNK, count);
    numbers.par_chunks_mut(CHUNK * stride.max(1)).for_each_init(buffer, |buffer, chunk| {
        let rows = chunk.len() / stride;
        let mut part = row_major_mut(chunk, rows, first + count, stride).subcols_mut(first, count);
        let mut turned = buffer.subrows_mut(0, rows);
        matmul(turned.as_mut(), Accum::Replace, part.as_ref(), m, 1.0, Par::Seq);
        part.copy_from(turned.as_ref());
    });
}

/// out ← out + A·M, for a small M.
pub fn add_product(out: &mut Panel, a: &Panel, m: MatRef<'_, f64>) {
    let width = out.cols();
    assert_eq!((a.cols(), width), (m.nrows(), m.ncols()), "columns of the two panels against the matrix");
    assert_eq!(out.rows(), a.rows(), "rows of the two panels");
    let stride = out.lines_per_row() * LANES;
    let numbers: &mut [f64] = bytemuck::cast_slice_mut(out.lines_mut());
    numbers.par_chunks_mut(CHUNK * stride.max(1)).enumerate().for_each(|(chunk, out)| {
        let rows = out.len() / stride;
        let out = row_major_mut(out, rows, width, stride);
        matmul(out, Accum::Add, a.as_mat().subrows(chunk * CHUNK, rows), m, 1.0, Par::Seq);
    });
}

/// P ← T·Ct + P·Cp and W ← W·Cw + P, both in place, without allocating anything as high as a panel.
///
/// The results have as many columns as the coefficients, at most as many as W and P; the columns beyond are
/// dropped. If Cp has no rows, P counts as zero.
pub fn advance(
    w: &mut Panel,
    p: &mut Panel,
    t: &Panel,
    cw: MatRef<'_, f64>,
    ct: MatRef<'_, f64>,
    cp: MatRef<'_, f64>,
) {
    let width = cw.ncols();
    assert_eq!((w.rows(), w.cols()), (p.rows(), p.cols()), "shapes of W and P");
    assert_eq!((ct.ncols(), cp.ncols()), (width, width), "columns of the three C");
    let (cols, stride) = (w.cols(), w.lines_per_row().max(1) * LANES);
    let (w_numbers, p_numbers): (&mut [f64], &mut [f64]) =
        (bytemuck::cast_slice_mut(w.lines_mut()), bytemuck::cast_slice_mut(p.lines_mut()));
    let chunks =
        w_numbers.par_chunks_mut(CHUNK * stride).zip(p_numbers.par_chunks_mut(CHUNK * stride)).enumerate();
    let buffers = || (vec![0.0; CHUNK * stride], vec![0.0; CHUNK * stride]);
    chunks.for_each_init(buffers, |(new_w, new_p), (chunk, (w, p))| {
        let rows = w.len() / stride;
        let (new_w, new_p) = (&mut new_w[..w.len()], &mut new_p[..p.len()]);
        new_p.fill(0.0);
        let mut step = row_major_mut(new_p, rows, width, stride);
        let t = t.as_mat().subrows(chunk * CHUNK, rows);
        matmul(step.as_mut(), Accum::Replace, t, ct, 1.0, Par::Seq);
        if cp.nrows() > 0 {
            matmul(
                step.as_mut(),
                Accum::Add,
                row_major_mut(p, rows, cols, stride).as_ref(),
                cp,
                1.0,
                Par::Seq,
            );
        }
        new_w.copy_from_slice(new_p);
        let best = row_major_mut(new_w, rows, width, stride);
        matmul(best, Accum::Add, row_major_mut(w, rows, cols, stride).as_ref(), cw, 1.0, Par::Seq);
        w.copy_from_slice(new_w);
        p.copy_from_slice(new_p);
    });
    if width < cols {
        (*w, *p) = (columns(w, 0, width), columns(p, 0, width));
    }
}

/// out ← out + factor·a.
pub fn add_scaled(out: &mut Panel, factor: f64, a: &Panel) {
    if factor != 0.0 {
        update(out, a, |_, out, a| *out += factor * a);
    }
}

/// `out[:, j] ← out[:, j] + factors[j]·a[:, j]`.
pub fn add_columns_scaled(out: &mut Panel, factors: &[f64], a: &Panel) {
    update(out, a, |j, out, a| *out += factors[j] * a);
}

/// `out[:, j] ← a[:, j] − factors[j]·b[:, j]`.
pub fn difference_into(out: &mut Panel, a: &Panel, factors: &[f64], b: &Panel) {
    assert_eq!((out.rows(), out.cols()), (a.rows(), a.cols()), "shapes of the result and the first panel");
    assert_eq!((out.rows(), out.cols()), (b.rows(), b.cols()), "shapes of the result and the second panel");
    let stride = out.lines_per_row().max(1);
    let factors: Vec<f64> = (0..stride * LANES).map(|j| factors.get(j).copied().unwrap_or(0.0)).collect();
    let rows = out
        .lines_mut()
        .par_chunks_mut(stride)
        .zip(a.lines().par_chunks(stride))
        .zip(b.lines().par_chunks(stride));
    rows.with_min_len(CHUNK).for_each(|((out, a), b)| {
        for (line, ((out, a), b)) in out.iter_mut().zip(a).zip(b).enumerate() {
            (0..LANES).for_each(|lane| out.0[lane] = a.0[lane] - factors[line * LANES + lane] * b.0[lane]);
        }
    });
}

/// out ← out − a.
pub fn subtract(out: &mut Panel, a: &Panel) {
    update(out, a, |_, out, a| *out -= a);
}

/// `a[i, :] ← factors[i]·a[i, :]`.
pub fn scale_rows(a: &mut Panel, factors: &[f64]) {
    assert_eq!(a.rows(), factors.len(), "rows of the panel");
    let stride = a.lines_per_row().max(1);
    a.lines_mut().par_chunks_mut(stride).zip(factors).with_min_len(CHUNK).for_each(|(row, factor)| {
        row.iter_mut().for_each(|line| line.0.iter_mut().for_each(|v| *v *= factor));
    });
}

/// a[:, j]ᵀb[:, j] for every j.
pub fn column_dots(a: &Panel, b: &Panel) -> Vec<f64> {
    weighted_column_dots(a, b, |_| 1.0)
}

/// Σᵢ weight(i)·a[i, j]·b[i, j] for every j.
pub fn weighted_column_dots(a: &Panel, b: &Panel, weight: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()), "shapes of the two panels");
    let chunk_dots = |start: usize| {
        let mut sum = vec![0.0; a.cols()];
        for i in start..(start + CHUNK).min(a.rows()) {
            let w = weight(i);
            sum.iter_mut().zip(a.row(i)).zip(b.row(i)).for_each(|((sum, a), b)| *sum += w * a * b);
        }
        sum
    };
    let starts: Vec<usize> = (0..a.rows()).step_by(CHUNK).collect();
    let chunks: Vec<Vec<f64>> = starts.into_par_iter().map(chunk_dots).collect();
    chunks.iter().fold(vec![0.0; a.cols()], |mut sum, chunk| {
        sum.iter_mut().zip(chunk).for_each(|(sum, dot)| *sum += dot);
        sum
    })
}

/// Wᵀμ, as the only row of a panel.
pub fn weighted_sum(w: &Panel, mean: &[f64]) -> Panel {
    let stride = w.lines_per_row().max(1);
    let of_chunk = |(rows, mean): (&[Line], &[f64])| {
        let mut sum = Panel::zeros(1, w.cols());
        for (row, &mean) in rows.chunks_exact(stride).zip(mean) {
            let out = sum.lines_mut().iter_mut().zip(row);
            out.for_each(|(out, w)| out.0.iter_mut().zip(&w.0).for_each(|(out, w)| *out += mean * w));
        }
        sum
    };
    let chunks = w.lines().par_chunks(4096 * stride).zip(mean.par_chunks(4096));
    let sums: Vec<Panel> = chunks.map(of_chunk).collect();
    sums.iter().fold(Panel::zeros(1, w.cols()), |mut all, sum| {
        add_scaled(&mut all, 1.0, sum);
        all
    })
}

/// `Σⱼ a[i, j]²` for every i.
pub fn row_squares(a: &Panel) -> Vec<f64> {
    let squares = |i: usize| a.row(i).iter().map(|value| value * value).sum();
    (0..a.rows()).into_par_iter().with_min_len(CHUNK).map(squares).collect()
}

/// `a[:, j] ← factors[j]·a[:, j]`.
pub fn scale_columns(a: &mut Panel, factors: &[f64]) {
    let (stride, cols) = (a.lines_per_row().max(1), a.cols());
    assert_eq!(cols, factors.len(), "columns of the panel");
    a.lines_mut().par_chunks_mut(stride).with_min_len(CHUNK).for_each(|row| {
        let row: &mut [f64] = bytemuck::cast_slice_mut(row);
        row[..cols].iter_mut().zip(factors).for_each(|(value, factor)| *value *= factor);
    });
}

/// `a[i, j] ← a[i, j]·rows[i]·columns[j]`, but no larger in size than 1.
pub fn scale_to_cosines(a: &mut Panel, rows: &[f64], columns: &[f64]) {
    assert_eq!((a.rows(), a.cols()), (rows.len(), columns.len()), "shape of the panel");
    let stride = a.lines_per_row().max(1);
    a.lines_mut().par_chunks_mut(stride).zip(rows).with_min_len(CHUNK).for_each(|(lines, row)| {
        let numbers: &mut [f64] = bytemuck::cast_slice_mut(lines);
        numbers
            .iter_mut()
            .zip(columns)
            .for_each(|(number, column)| *number = (*number * row * column).clamp(-1.0, 1.0));
    });
}

/// The entry of largest size in every column; the first one if several are equal.
pub fn largest_entries(a: &Panel) -> Vec<f64> {
    let larger = |mut largest: Vec<f64>, row: &[f64]| {
        for (largest, &value) in largest.iter_mut().zip(row) {
            *largest = if value.abs() > largest.abs() { value } else { *largest };
        }
        largest
    };
    let starts: Vec<usize> = (0..a.rows()).step_by(CHUNK).collect();
    let of_chunk = |start: usize| {
        (start..(start + CHUNK).min(a.rows()))
            .fold(vec![0.0; a.cols()], |largest, i| larger(largest, a.row(i)))
    };
    let chunks: Vec<Vec<f64>> = starts.into_par_iter().map(of_chunk).collect();
    chunks.iter().fold(vec![0.0; a.cols()], |largest, chunk| larger(largest, chunk))
}

/// [A B].
pub fn beside(a: &Panel, b: &Panel) -> Panel {
    assert_eq!(a.rows(), b.rows(), "rows of the two panels");
    fill_rows(Panel::zeros(a.rows(), a.cols() + b.cols()), |i, row| {
        let (left, right) = row.split_at_mut(a.cols());
        left.copy_from_slice(a.row(i));
        right[..b.cols()].copy_from_slice(b.row(i));
    })
}

/// [A; B].
pub fn above(a: &Panel, b: &Panel) -> Panel {
    assert_eq!(a.cols(), b.cols(), "columns of the two panels");
    let mut out = Panel::zeros(a.rows() + b.rows(), a.cols());
    let (top, bottom) = out.lines_mut().split_at_mut(a.lines().len());
    top.copy_from_slice(a.lines());
    bottom.copy_from_slice(b.lines());
    out
}

/// The rows `which`, in a panel of their own.
pub fn rows(a: &Panel, which: std::ops::Range<usize>) -> Panel {
    let mut out = Panel::zeros(which.len(), a.cols());
    let stride = a.lines_per_row();
    out.lines_mut().copy_from_slice(&a.lines()[which.start * stride..which.end * stride]);
    out
}

/// The columns `which`, in that order.
pub fn select(a: &Panel, which: &[usize]) -> Panel {
    fill_rows(Panel::zeros(a.rows(), which.len()), |i, out| {
        let row = a.row(i);
        out.iter_mut().zip(which).for_each(|(out, &j)| *out = row[j]);
    })
}

/// Copies the columns of `a` to the columns `which` of `out`.
pub fn put(out: &mut Panel, which: &[usize], a: &Panel) {
    for i in 0..a.rows() {
        let row = out.row_mut(i);
        a.row(i).iter().zip(which).for_each(|(v, &j)| row[j] = *v);
    }
}

/// The columns `from..to`.
pub fn columns(a: &Panel, from: usize, to: usize) -> Panel {
    fill_rows(Panel::zeros(a.rows(), to - from), |i, row| {
        row[..to - from].copy_from_slice(&a.row(i)[from..to])
    })
}

/// Fills the rows of a panel, padding included, by `fill(i, row)`.
fn fill_rows(mut out: Panel, fill: impl Fn(usize, &mut [f64]) + Sync) -> Panel {
    let stride = out.lines_per_row().max(1);
    let rows = out.lines_mut().par_chunks_mut(stride).enumerate().with_min_len(CHUNK);
    rows.for_each(|(i, row)| fill(i, bytemuck::cast_slice_mut(row)));
    out
}

/// Calls `change(column, out, a)` for every pair of entries.
fn update(out: &mut Panel, a: &Panel, change: impl Fn(usize, &mut f64, f64) + Sync) {
    assert_eq!((out.rows(), out.cols()), (a.rows(), a.cols()), "shapes of the two panels");
    let (stride, cols) = (out.lines_per_row().max(1), out.cols());
    let rows = out.lines_mut().par_chunks_mut(stride).zip(a.lines().par_chunks(stride));
    rows.with_min_len(CHUNK).for_each(|(out, a)| {
        let (out, a): (&mut [f64], &[f64]) = (bytemuck::cast_slice_mut(out), bytemuck::cast_slice(a));
        (0..cols).for_each(|j| change(j, &mut out[j], a[j]));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_panel, relative_error};

    #[test]
    fn panel_arithmetic_equals_dense_arithmetic() {
        let (a, b) = (random_panel(5000, 9, 1), random_panel(5000, 3, 2));
        let m = random_panel(9, 4, 3);
        assert!(
            relative_error(cross(&a, &b).as_ref(), (a.as_mat().transpose() * b.as_mat()).as_ref()) < 1e-13
        );
        assert!(relative_error(times(&a, m.as_mat()).as_mat(), (a.as_mat() * m.as_mat()).as_ref()) < 1e-13);
        assert_eq!(columns(&beside(&a, &b), 9, 12), b);
        let mut copy = beside(&a, &b);
        put(&mut copy, &[2, 0, 7], &b);
        assert_eq!((select(&copy, &[2, 0, 7]), select(&copy, &[1, 3])), (b.clone(), select(&a, &[1, 3])));
        let mut sum = a.clone();
        add_scaled(&mut sum, 2.0, &a);
        subtract(&mut sum, &a);
        assert!(relative_error(sum.as_mat(), (a.as_mat() * 2.0).as_ref()) < 1e-15);
        let dots = column_dots(&a, &a);
        let gram = cross(&a, &a);
        assert!((0..9).all(|j| (dots[j] - gram[(j, j)]).abs() < 1e-9 * dots[j]));
    }

    #[test]
    fn advancing_in_place_equals_combining() {
        let (w, p, t) = (random_panel(5000, 9, 1), random_panel(5000, 9, 2), random_panel(5000, 4, 3));
        for width in [9, 6] {
            let (cw, cp, ct) =
                (random_panel(9, width, 4), random_panel(9, width, 5), random_panel(4, width, 6));
            for cp in [cp, Panel::zeros(0, width)] {
                let (mut new_w, mut new_p) = (w.clone(), p.clone());
                advance(&mut new_w, &mut new_p, &t, cw.as_mat(), ct.as_mat(), cp.as_mat());
                let mut step = times(&t, ct.as_mat());
                if cp.rows() > 0 {
                    add_scaled(&mut step, 1.0, &times(&p, cp.as_mat()));
                }
                assert!(relative_error(new_p.as_mat(), step.as_mat()) < 1e-14);
                add_scaled(&mut step, 1.0, &times(&w, cw.as_mat()));
                assert!(relative_error(new_w.as_mat(), step.as_mat()) < 1e-14);
                let padding = |line: usize| new_w.lines()[line].0[width - 8 * (width / 8)..].iter();
                assert!(
                    (width / 8..5000).step_by(new_w.lines_per_row()).all(|l| padding(l).all(|&v| v == 0.0))
                );
            }
        }
    }

    #[test]
    fn padding_stays_zero() {
        let mut a = random_panel(10, 3, 4);
        let b = random_panel(10, 3, 5);
        add_columns_scaled(&mut a, &[1.0, 2.0, 3.0], &b);
        scale_rows(&mut a, &[2.0; 10]);
        assert!(a.lines().iter().all(|line| line.0[3..].iter().all(|&v| v == 0.0)));
    }
}
