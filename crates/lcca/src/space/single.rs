//! Ordinary memory, with panels in single precision. Sums over the rows of panels are in double precision,
//! but products of two panels are first summed in single precision over groups of rows.

use super::host_pass::host_pass;
use super::{RowFactors, Space, Tall};
use crate::data::grams::joint_single;
use crate::data::{Counting, Pair};
use crate::error::Result;
use crate::matrix::{Panel, SinglePanel, row_major_mut};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

/// The number of rows of a panel that one thread takes at a time.
const CHUNK: usize = 4096;
/// The number of rows whose products are summed in single precision.
const SUMMED: usize = 256;

/// Panels in single precision.
pub(super) struct Single;

impl Single {
    fn tall(panel: SinglePanel) -> Tall {
        Tall::new(panel.rows(), panel.cols(), Box::new(panel))
    }

    fn panel(tall: &Tall) -> &SinglePanel {
        tall.storage()
    }
}

impl Space for Single {
    fn is_rough(&self) -> bool {
        true
    }

    fn holds(&self, panel: &Tall) -> bool {
        panel.is_stored_as::<SinglePanel>()
    }

    fn upload(&self, panel: Panel) -> Result<Tall> {
        Ok(Single::tall(SinglePanel::rounded(&panel)))
    }

    fn download(&self, panel: &Tall) -> Result<Panel> {
        Ok(Single::panel(panel).widened())
    }

    fn change_on_host(
        &self,
        panel: &mut Tall,
        change: &mut dyn FnMut(&mut Panel) -> Result<()>,
    ) -> Result<()> {
        let mut wide = self.download(panel)?;
        change(&mut wide)?;
        *panel = self.upload(wide)?;
        Ok(())
    }

    fn row_factors(&self, factors: Vec<f64>) -> Result<RowFactors> {
        Ok(RowFactors(Box::new(factors)))
    }

    fn zeros(&self, rows: usize, cols: usize) -> Result<Tall> {
        Ok(Single::tall(SinglePanel::zeros(rows, cols)))
    }

    /// Passes over Gram matrices run in single precision. All other pairs are asked in double precision.
    fn pass(
        &self,
        pair: &Counting<'_>,
        sources: [Option<&Tall>; 2],
        mut targets: [[Option<&mut Tall>; 2]; 2],
    ) -> Result<()> {
        let composition = pair.composition();
        let grams = composition.as_ref().and_then(|all| Some((joint_single::grams_of(all)?, all)));
        if let Some((joint, composition)) = grams {
            let wants = targets.each_ref().map(|row| row.each_ref().map(Option::is_some));
            let columns = sources.map(|source| source.map_or(0, Tall::cols));
            let sources = sources.map(|source| source.map(Single::panel));
            let targets = targets.map(|row| row.map(|out| out.map(|out| out.storage_mut())));
            joint.bring()?;
            joint_single::pass(joint, composition, sources, targets);
            return pair.count_pass(columns, wants);
        }
        let sources = sources.map(|source| source.map(|source| Single::panel(source).widened()));
        let zeros = |out: &Option<&mut Tall>| out.as_ref().map(|out| Panel::zeros(out.rows(), out.cols()));
        let mut products = targets.each_ref().map(|row| row.each_ref().map(zeros));
        let into = products.each_mut().map(|row| row.each_mut().map(Option::as_mut));
        host_pass(pair, sources.each_ref().map(Option::as_ref), into)?;
        for (out, product) in targets.iter_mut().flatten().zip(products.into_iter().flatten()) {
            if let (Some(out), Some(product)) = (out, product) {
                **out = self.upload(product)?;
            }
        }
        Ok(())
    }

    fn add_scaled(&self, out: &mut Tall, factor: f64, a: &Tall) -> Result<()> {
        if factor != 0.0 {
            let (out, a): (&mut SinglePanel, _) = (out.storage_mut(), Single::panel(a));
            assert_eq!((out.rows(), out.cols()), (a.rows(), a.cols()), "shapes of the two panels");
            out.par_rows_mut().zip(a.par_rows()).with_min_len(CHUNK).for_each(|(out, a)| {
                let both = out.iter_mut().zip(a);
                both.for_each(|(out, &a)| *out = (f64::from(*out) + factor * f64::from(a)) as f32);
            });
        }
        Ok(())
    }

    fn cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>> {
        let width = |panels: &[&Tall]| panels.iter().map(|panel| panel.cols()).sum();
        let mut whole = Mat::zeros(width(a), width(b));
        let mut top = 0;
        for a in a {
            let mut left = 0;
            for b in b {
                let block = cross(Single::panel(a), Single::panel(b));
                whole.submatrix_mut(top, left, a.cols(), b.cols()).copy_from(block);
                left += b.cols();
            }
            top += a.cols();
        }
        Ok(whole)
    }

    fn symmetric_cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>> {
        let size = a.iter().map(|panel| panel.cols()).sum();
        let mut whole = Mat::zeros(size, size);
        let mut top = 0;
        for (i, left) in a.iter().enumerate() {
            let mut start = top;
            for (j, right) in b.iter().enumerate().skip(i) {
                let block = cross(Single::panel(left), Single::panel(right));
                let block = if i == j { (&block + block.transpose()) * 0.5 } else { block };
                whole.submatrix_mut(start, top, right.cols(), left.cols()).copy_from(block.transpose());
                whole.submatrix_mut(top, start, left.cols(), right.cols()).copy_from(&block);
                start += right.cols();
            }
            top += left.cols();
        }
        Ok(whole)
    }

    fn multiply(&self, w: &mut Tall, m: MatRef<'_, f64>) -> Result<()> {
        let (from, m) = (Single::panel(w), rounded(m));
        let mut product = SinglePanel::zeros(from.rows(), m.ncols());
        let (width, stride) = (product.cols(), product.stride());
        let chunks = product.numbers_mut().par_chunks_mut(CHUNK * stride.max(1)).enumerate();
        chunks.for_each(|(chunk, out)| {
            let rows = out.len() / stride;
            let out = row_major_mut(out, rows, width, stride);
            let from = from.as_mat().subrows(chunk * CHUNK, rows);
            matmul(out, Accum::Replace, from, m.as_ref(), 1.0, Par::Seq);
        });
        *w = Single::tall(product);
        Ok(())
    }

    fn advance(
        &self,
        w: &mut Tall,
        p: &mut Tall,
        t: &Tall,
        coefficients: [MatRef<'_, f64>; 3],
    ) -> Result<()> {
        let [cw, ct, cp] = coefficients.map(rounded);
        let width = cw.ncols();
        let t = Single::panel(t);
        let (new_w, new_p): (&mut SinglePanel, &mut SinglePanel) = (w.storage_mut(), p.storage_mut());
        assert_eq!((new_w.rows(), new_w.cols()), (new_p.rows(), new_p.cols()), "shapes of W and P");
        let (cols, stride) = (new_w.cols(), new_w.stride().max(1));
        let size = CHUNK * stride;
        let chunks = new_w.numbers_mut().par_chunks_mut(size).zip(new_p.numbers_mut().par_chunks_mut(size));
        let buffers = || (vec![0.0f32; size], vec![0.0f32; size]);
        chunks.enumerate().for_each_init(buffers, |(best, step), (chunk, (w, p))| {
            let rows = w.len() / stride;
            let (best, step) = (&mut best[..w.len()], &mut step[..p.len()]);
            step.fill(0.0);
            let mut out = row_major_mut(step, rows, width, stride);
            let t = t.as_mat().subrows(chunk * CHUNK, rows);
            matmul(out.as_mut(), Accum::Replace, t, ct.as_ref(), 1.0, Par::Seq);
            if cp.nrows() > 0 {
                let p = row_major_mut(p, rows, cols, stride);
                matmul(out.as_mut(), Accum::Add, p.as_ref(), cp.as_ref(), 1.0, Par::Seq);
            }
            best.copy_from_slice(step);
            let out = row_major_mut(best, rows, width, stride);
            let old = row_major_mut(w, rows, cols, stride);
            matmul(out, Accum::Add, old.as_ref(), cw.as_ref(), 1.0, Par::Seq);
            w.copy_from_slice(best);
            p.copy_from_slice(step);
        });
        if width < cols {
            let first: Vec<usize> = (0..width).collect();
            (*w, *p) = (self.select(w, &first)?, self.select(p, &first)?);
        }
        Ok(())
    }

    fn difference(&self, out: &mut Tall, a: &Tall, factors: &[f64], b: &Tall) -> Result<()> {
        let (out, a, b): (&mut SinglePanel, _, _) = (out.storage_mut(), Single::panel(a), Single::panel(b));
        assert_eq!(
            (out.rows(), out.cols()),
            (a.rows(), a.cols()),
            "shapes of the result and the first panel"
        );
        assert_eq!(
            (out.rows(), out.cols()),
            (b.rows(), b.cols()),
            "shapes of the result and the second panel"
        );
        let rows = out.par_rows_mut().zip(a.par_rows()).zip(b.par_rows()).with_min_len(CHUNK);
        rows.for_each(|((out, a), b)| {
            for (((out, &a), &b), factor) in out.iter_mut().zip(a).zip(b).zip(factors) {
                *out = (f64::from(a) - factor * f64::from(b)) as f32;
            }
        });
        Ok(())
    }

    fn scale_rows(&self, a: &mut Tall, factors: &RowFactors) -> Result<()> {
        let (panel, factors): (&mut SinglePanel, &Vec<f64>) = (a.storage_mut(), factors.storage());
        assert_eq!(panel.rows(), factors.len(), "rows of the panel");
        panel.par_rows_mut().zip(factors).with_min_len(CHUNK).for_each(|(row, &factor)| {
            row.iter_mut().for_each(|number| *number = (f64::from(*number) * factor) as f32);
        });
        Ok(())
    }

    fn weighted_squares(&self, a: &Tall, weights: &RowFactors) -> Result<Vec<f64>> {
        let (panel, weights): (_, &Vec<f64>) = (Single::panel(a), weights.storage());
        let of_chunk = |start: usize| {
            let mut sum = vec![0.0; panel.cols()];
            let end = (start + CHUNK).min(panel.rows());
            for (i, &weight) in (start..end).zip(&weights[start..end]) {
                sum.iter_mut().zip(panel.row(i)).for_each(|(sum, &a)| *sum += weight * f64::from(a).powi(2));
            }
            sum
        };
        let starts: Vec<usize> = (0..panel.rows()).step_by(CHUNK).collect();
        let chunks: Vec<Vec<f64>> = starts.into_par_iter().map(of_chunk).collect();
        Ok(chunks.iter().fold(vec![0.0; panel.cols()], |mut sum, chunk| {
            sum.iter_mut().zip(chunk).for_each(|(sum, more)| *sum += more);
            sum
        }))
    }

    fn row_squares(&self, a: &Tall) -> Result<Vec<f64>> {
        let panel = Single::panel(a);
        let squares = |i: usize| panel.row(i).iter().map(|&value| f64::from(value).powi(2)).sum();
        Ok((0..panel.rows()).into_par_iter().with_min_len(CHUNK).map(squares).collect())
    }

    fn select(&self, a: &Tall, columns: &[usize]) -> Result<Tall> {
        let panel = Single::panel(a);
        let mut out = SinglePanel::zeros(panel.rows(), columns.len());
        out.fill(|i, out| {
            let row = panel.row(i);
            out.iter_mut().zip(columns).for_each(|(out, &j)| *out = row[j]);
        });
        Ok(Single::tall(out))
    }

    fn rows(&self, a: &Tall, rows: &[u32]) -> Result<Panel> {
        let (panel, mut out) = (Single::panel(a), Panel::zeros(rows.len(), a.cols()));
        for (i, &row) in rows.iter().enumerate() {
            let both = out.row_mut(i).iter_mut().zip(panel.row(row as usize));
            both.for_each(|(out, &number)| *out = f64::from(number));
        }
        Ok(out)
    }

    fn put_rows(&self, a: &mut Tall, rows: &[u32], values: &Panel) -> Result<()> {
        let panel: &mut SinglePanel = a.storage_mut();
        for (i, &row) in rows.iter().enumerate() {
            let both = panel.row_mut(row as usize).iter_mut().zip(values.row(i));
            both.for_each(|(out, &number)| *out = number as f32);
        }
        Ok(())
    }
}

/// AᵀB of two panels with the same rows.
fn cross(a: &SinglePanel, b: &SinglePanel) -> Mat<f64> {
    assert_eq!(a.rows(), b.rows(), "rows of the two panels");
    let of_chunk = |start: usize| {
        let mut product = Mat::<f32>::zeros(a.cols(), b.cols());
        let mut sum = Mat::zeros(a.cols(), b.cols());
        let end = (start + CHUNK).min(a.rows());
        for first in (start..end).step_by(SUMMED) {
            let rows = SUMMED.min(end - first);
            let (a, b) = (a.as_mat().subrows(first, rows), b.as_mat().subrows(first, rows));
            matmul(product.as_mut(), Accum::Replace, a.transpose(), b, 1.0, Par::Seq);
            for (sum, product) in sum.col_iter_mut().zip(product.col_iter()) {
                sum.iter_mut().zip(product.iter()).for_each(|(sum, &more)| *sum += f64::from(more));
            }
        }
        sum
    };
    let starts: Vec<usize> = (0..a.rows()).step_by(CHUNK).collect();
    let sums: Vec<Mat<f64>> = starts.into_par_iter().map(of_chunk).collect();
    sums.iter().fold(Mat::zeros(a.cols(), b.cols()), |all, sum| all + sum)
}

/// A small matrix in single precision.
fn rounded(m: MatRef<'_, f64>) -> Mat<f32> {
    Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] as f32)
}
