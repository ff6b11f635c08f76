//! Rank-revealing whitening: the counterpart of QR of an n×k matrix if only its k×k Gram matrix is known.

use crate::decompose::{Decompose, Eigen, Leading, OnHost, Singular, singular_on_host};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::panels;
use crate::small::{self, times};
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// Directions whose share of the normalized Gram matrix is below this count as dependent on the others.
/// Rounding of a Gram matrix leaves about 1e-16 times its size; four digits more leave room for sums over
/// many rows.
pub const CUT: f64 = 1e-12;
/// A normalized Gram matrix with a smaller eigenvalue than this is whitened twice, because whitening loses
/// as many digits as the condition number has. A second round on an almost orthonormal basis restores them.
const ILL_CONDITIONED: f64 = 1e-4;

/// H (m×r) with HᵀGH = I_r on the numerical range of a positive semidefinite G (m×m).
///
/// G is first scaled to a unit diagonal, so that columns of any length count alike.
pub fn whitener(gram: MatRef<'_, f64>) -> Result<Mat<f64>> {
    Ok(decompose(gram, CUT)?.0)
}

/// H as [`whitener`] computes it, with another cut: the directions that are left are known to about
/// 1e-16/`cut`.
pub(crate) fn whitener_above(gram: MatRef<'_, f64>, cut: f64) -> Result<Mat<f64>> {
    Ok(decompose(gram, cut)?.0)
}

/// A whitener, and the smallest eigenvalue that was kept, relative to the largest: the smaller it is, the
/// more digits are lost.
pub(crate) type WithShare = (Mat<f64>, f64);

/// The result of [`whitener_above`] for several matrices at a time, with the shares.
pub(crate) fn whiteners_and_shares(
    by: &dyn Decompose,
    grams: &[&Mat<f64>],
    cut: f64,
) -> Result<Vec<WithShare>> {
    let scales: Vec<Vec<f64>> = grams.iter().map(|gram| scale_of(gram.as_ref())).collect();
    let quick = |(gram, scale): (&&Mat<f64>, &Vec<f64>)| triangular_whitener(gram.as_ref(), scale);
    let mut all: Vec<Option<WithShare>> = grams.par_iter().zip(&scales).with_max_len(1).map(quick).collect();
    let left: Vec<usize> = (0..all.len()).filter(|&i| all[i].is_none()).collect();
    let spectra = Spectrum::of_each(by, left.iter().map(|&i| (grams[i].as_ref(), scales[i].clone())))?;
    for (i, spectrum) in left.into_iter().zip(spectra) {
        all[i] = Some(spectrum.whitener_and_share(cut));
    }
    Ok(all.into_iter().flatten().collect())
}

/// H as [`whitener`] computes it; `None` if it loses too many digits and a basis should be whitened twice.
pub(crate) fn safe_whitener(gram: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
    let (h, smallest) = decompose(gram, CUT)?;
    Ok((smallest > ILL_CONDITIONED).then_some(h))
}

/// A Gram matrix G, and the part of it that other directions explain.
pub(crate) struct Explained {
    pub gram: Mat<f64>,
    pub explained: Mat<f64>,
}

/// H with Hᵀ(G − E)H = I, where E is the part of G that other directions explain, and the smallest share
/// that was kept. Shares are relative to the diagonal of G, because rounding is then left out if nothing
/// else is left.
pub(crate) fn whiteners_of_rests(by: &dyn Decompose, all: &[Explained], cut: f64) -> Result<Vec<WithShare>> {
    let rests: Vec<Mat<f64>> = all.iter().map(|one| &one.gram - &one.explained).collect();
    let scaled = rests.iter().zip(all).map(|(rest, one)| (rest.as_ref(), scale_of(one.gram.as_ref())));
    let of_rest = |spectrum: Spectrum| {
        let cut = cut * spectrum.largest.recip().max(1.0);
        let share = spectrum.smallest_above(cut).map_or(1.0, |share| share * spectrum.largest.min(1.0));
        (spectrum.whitener(cut), share)
    };
    Ok(Spectrum::of_each(by, scaled)?.into_iter().map(of_rest).collect())
}

/// The whitener, and the smallest eigenvalue that was kept relative to the largest, or a smaller number.
fn decompose(gram: MatRef<'_, f64>, cut: f64) -> Result<(Mat<f64>, f64)> {
    let scale = scale_of(gram);
    if let Some(quick) = triangular_whitener(gram, &scale) {
        return Ok(quick);
    }
    Ok(Spectrum::new(gram, scale)?.whitener_and_share(cut))
}

/// The diagonal that scales a Gram matrix to a unit diagonal.
fn scale_of(gram: MatRef<'_, f64>) -> Vec<f64> {
    (0..gram.nrows()).map(|i| inverse_root(gram[(i, i)])).collect()
}

/// A whitener by a Cholesky factor, which takes a fraction of the time; `None` if a direction depends much
/// on others. DGD = LLᵀ and H = D·L⁻ᵀ. The share is a lower bound from norms of DGD and of its inverse,
/// because no norm is smaller than the largest eigenvalue.
fn triangular_whitener(gram: MatRef<'_, f64>, scale: &[f64]) -> Option<(Mat<f64>, f64)> {
    let m = gram.nrows();
    let unit = Mat::from_fn(m, m, |i, j| {
        let (i, j) = (i.max(j), i.min(j));
        scale[i] * gram[(i, j)] * scale[j]
    });
    let largest_sum = |rows: &Mat<f64>| rows.row_iter().map(|row| row.norm_l1()).fold(0.0, f64::max);
    let most = largest_sum(&unit);
    // Other code reports numbers that are not finite; NaN leaves no factor.
    if m == 0 || !most.is_finite() {
        return None;
    }
    let inverse = small::inverse_of_lower(small::cholesky(unit.as_ref())?.as_ref());
    let sums = [largest_sum(&inverse), largest_sum(&inverse.transpose().to_owned())];
    let smallest = (most * sums[0] * sums[1]).recip();
    let h = || Mat::from_fn(m, m, |i, j| scale[i] * inverse[(j, i)]);
    (smallest > ILL_CONDITIONED).then(|| (h(), smallest))
}

/// 1/√d, or 0 if d is not positive.
pub(crate) fn inverse_root(d: f64) -> f64 {
    if d > 0.0 { d.sqrt().recip() } else { 0.0 }
}

/// The eigenvalues and eigenvectors of DGD, D the diagonal `scale`.
pub(crate) struct Spectrum {
    scale: Vec<f64>,
    /// Each eigenvalue relative to the largest, ascending.
    pub shares: Vec<f64>,
    largest: f64,
    vectors: Mat<f64>,
}

impl Spectrum {
    /// Decomposes a symmetric G, of which only the lower triangle is read.
    pub fn new(gram: MatRef<'_, f64>, scale: Vec<f64>) -> Result<Self> {
        let mut all = Spectrum::of_each(&OnHost, std::iter::once((gram, scale)))?;
        Ok(all.swap_remove(0))
    }

    /// Decomposes several matrices as [`Spectrum::new`] does one.
    fn of_each<'g>(
        by: &dyn Decompose,
        grams: impl Iterator<Item = (MatRef<'g, f64>, Vec<f64>)>,
    ) -> Result<Vec<Self>> {
        let (mut units, mut scales) = (Vec::new(), Vec::new());
        for (gram, scale) in grams {
            let m = gram.nrows();
            let unit =
                Mat::from_fn(m, m, |i, j| if i >= j { scale[i] * gram[(i, j)] * scale[j] } else { 0.0 });
            if (0..m).any(|j| (j..m).any(|i| !unit[(i, j)].is_finite())) {
                return Err(Error::Factorization("a Gram matrix"));
            }
            units.push(unit);
            scales.push(scale);
        }
        let decomposed = if units.is_empty() { Vec::new() } else { by.eigen(&units)? };
        Ok(decomposed.into_iter().zip(scales).map(|(eigen, scale)| Spectrum::of(eigen, scale)).collect())
    }

    fn of(Eigen { values, vectors }: Eigen, scale: Vec<f64>) -> Self {
        let largest = values.iter().copied().fold(0.0, f64::max);
        let shares = values.iter().map(|value| if largest > 0.0 { value / largest } else { 0.0 }).collect();
        Spectrum { scale, shares, largest, vectors }
    }

    /// The whitener, and the smallest share that was kept.
    fn whitener_and_share(&self, cut: f64) -> WithShare {
        (self.whitener(cut), self.smallest_above(cut).unwrap_or(1.0))
    }

    fn smallest_above(&self, cut: f64) -> Option<f64> {
        self.shares.iter().copied().find(|&share| share > cut)
    }

    /// H with HᵀGH = I on the directions whose share is above `cut`.
    pub fn whitener(&self, cut: f64) -> Mat<f64> {
        let kept: Vec<usize> = (0..self.shares.len()).filter(|&i| self.shares[i] > cut).collect();
        let root = |i: usize| (self.shares[i] * self.largest).sqrt();
        Mat::from_fn(self.scale.len(), kept.len(), |i, j| {
            self.scale[i] * self.vectors[(i, kept[j])] / root(kept[j])
        })
    }
}

/// The best pairs between two whitened bases, as coefficients.
pub(crate) struct Turns {
    /// Hx·U.
    pub x: Mat<f64>,
    /// Hy·V.
    pub y: Mat<f64>,
    /// d, descending.
    pub values: Vec<f64>,
}

/// The `count` largest pairs of HxᵀCHy = U·diag(d)·Vᵀ; an error if the decomposition does not converge.
pub(crate) fn turns(hx: &Mat<f64>, hy: &Mat<f64>, cross: MatRef<'_, f64>, count: usize) -> Result<Turns> {
    let matrix = times(times(hx.transpose(), cross).as_ref(), hy.as_ref());
    let Singular { u, values, v } = singular_on_host(&Leading { matrix, count })?;
    Ok(Turns { x: times(hx.as_ref(), u.as_ref()), y: times(hy.as_ref(), v.as_ref()), values })
}

/// The pairs that [`turns`] finds, for larger matrices, which `by` decomposes.
pub(crate) fn turns_by(
    by: &dyn Decompose,
    hx: &Mat<f64>,
    hy: &Mat<f64>,
    cross: MatRef<'_, f64>,
    count: usize,
) -> Result<Turns> {
    let matrix = times(times(hx.transpose(), cross).as_ref(), hy.as_ref());
    let Singular { u, values, v } = by.leading_singular(&[Leading { matrix, count }])?.swap_remove(0);
    let (x, y) = rayon::join(|| times(hx.as_ref(), u.as_ref()), || times(hy.as_ref(), v.as_ref()));
    Ok(Turns { x, y, values })
}

/// Replaces W by an orthonormal basis of its span in the metric B: WᵀBW = I. `products[0]` is B·W; the other
/// products are any linear images of W and are carried along. Columns that depend on others are dropped.
pub fn whiten(w: &mut Panel, products: &mut [&mut Panel]) -> Result<()> {
    for _ in 0..2 {
        let (h, smallest) = decompose(panels::symmetric_cross(w, products[0]).as_ref(), CUT)?;
        *w = panels::times(w, h.as_ref());
        products.iter_mut().for_each(|product| **product = panels::times(product, h.as_ref()));
        if smallest > ILL_CONDITIONED {
            break;
        }
    }
    Ok(())
}

/// Replaces W by an orthonormal basis that holds its span: WᵀW = I. This takes Householder QR, because the
/// Gram matrix of a panel squares its condition number, and power iterations make that large. If columns
/// depend on others, the basis holds directions beyond the span.
pub fn orthonormalize(w: &mut Panel) {
    *w = Panel::from_mat(w.as_mat().qr().compute_thin_Q().as_ref());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_mat, random_panel, relative_error};

    fn is_identity(m: MatRef<'_, f64>) -> bool {
        relative_error(m, Mat::<f64>::identity(m.nrows(), m.nrows()).as_ref()) < 1e-10
    }

    #[test]
    fn a_whitened_gram_matrix_is_the_identity() {
        let x = random_mat(50, 6, 1);
        let gram = x.transpose() * &x;
        let h = whitener(gram.as_ref()).unwrap();
        assert!(is_identity((h.transpose() * &gram * &h).as_ref()));
    }

    #[test]
    fn dependent_and_zero_columns_are_dropped() {
        let x = random_mat(50, 4, 2);
        let x = Mat::from_fn(50, 7, |i, j| match j {
            0..4 => x[(i, j)],
            4 => x[(i, 0)] + x[(i, 1)],
            5 => 0.0,
            _ => 1e6 * x[(i, 2)],
        });
        let gram = x.transpose() * &x;
        let h = whitener(gram.as_ref()).unwrap();
        assert_eq!(h.ncols(), 4);
        assert!(is_identity((h.transpose() * &gram * &h).as_ref()));
    }

    #[test]
    fn nearly_dependent_columns_come_out_orthonormal() {
        let (a, b) = (random_panel(2000, 5, 3), random_panel(2000, 5, 4));
        let mut w = panels::beside(&a, &a);
        (0..2000).for_each(|i| (0..5).for_each(|j| w.row_mut(i)[5 + j] += 1e-5 * b.row(i)[j]));
        orthonormalize(&mut w);
        assert_eq!(w.cols(), 10);
        assert!(is_identity(panels::cross(&w, &w).as_ref()));
    }

    #[test]
    fn a_failed_decomposition_is_an_error_and_not_an_empty_basis() {
        let gram = Mat::from_fn(3, 3, |i, j| if i == j { 1.0 } else { f64::NAN });
        assert!(matches!(whitener(gram.as_ref()), Err(Error::Factorization(_))));
        assert_eq!(whitener(Mat::<f64>::zeros(0, 0).as_ref()).unwrap().ncols(), 0);
    }
}
