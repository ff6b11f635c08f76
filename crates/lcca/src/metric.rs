//! Measures of how good a subspace is, computed from weights: no n-sized matrix.

use crate::data::{Ask, Normal, Pair, Shape, Side};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::panels;
use crate::small::{self, times};
use crate::whiten::{whiten, whitener};
use faer::{Mat, MatRef};

/// The canonical correlations between span(XWx) and span(YWy), descending, from their Gram matrices and
/// `cross` = WxᵀXᵀYWy. Weights may be any basis, dependent columns included.
pub fn subspace_correlations(
    x_gram: MatRef<'_, f64>,
    y_gram: MatRef<'_, f64>,
    cross: MatRef<'_, f64>,
) -> Result<Vec<f64>> {
    let singular = singular_values(&whitened(x_gram, y_gram, cross)?, "WxᵀXᵀYWy")?;
    Ok(singular.into_iter().map(|d| d.min(1.0)).collect())
}

/// The sum of the [`subspace_correlations`], in half the time. Correlations below 1e-8 are not told from
/// zero.
pub(crate) fn captured_total(
    x_gram: MatRef<'_, f64>,
    y_gram: MatRef<'_, f64>,
    cross: MatRef<'_, f64>,
) -> Result<f64> {
    let whitened = whitened(x_gram, y_gram, cross)?;
    let squares = small::eigenvalues(times(whitened.transpose(), whitened.as_ref()).as_ref());
    let squares = squares.ok_or(Error::Factorization("WxᵀXᵀYWy"))?;
    Ok(squares.into_iter().map(|square| square.clamp(0.0, 1.0).sqrt()).sum())
}

/// The matrix `cross` between orthonormal bases of both spans.
fn whitened(x_gram: MatRef<'_, f64>, y_gram: MatRef<'_, f64>, cross: MatRef<'_, f64>) -> Result<Mat<f64>> {
    let (hx, hy) = rayon::join(|| whitener(x_gram), || whitener(y_gram));
    Ok(times(times(hx?.transpose(), cross).as_ref(), hy?.as_ref()))
}

/// The singular values of a small matrix, descending. A failed decomposition is an error, never "no
/// correlation".
fn singular_values(small_matrix: &Mat<f64>, what: &'static str) -> Result<Vec<f64>> {
    if small_matrix.nrows() == 0 || small_matrix.ncols() == 0 {
        return Ok(Vec::new());
    }
    small::singular_values(small_matrix.as_ref()).ok_or(Error::Factorization(what))
}

/// The correlation of column i of XWx with column i of YWy, from their Gram matrices and `cross` =
/// WxᵀXᵀYWy; 0 if a column is zero.
pub fn pair_correlations(
    x_gram: MatRef<'_, f64>,
    y_gram: MatRef<'_, f64>,
    cross: MatRef<'_, f64>,
) -> Vec<f64> {
    let correlation = |i: usize| {
        let length = (x_gram[(i, i)] * y_gram[(i, i)]).sqrt();
        if length > 0.0 { (cross[(i, i)] / length).clamp(-1.0, 1.0) } else { 0.0 }
    };
    (0..cross.nrows().min(cross.ncols())).map(correlation).collect()
}

/// The Gram matrices WxᵀXᵀXWx, WyᵀYᵀYWy and the cross product WxᵀXᵀYWy. One pass.
pub fn small_products(pair: &dyn Pair, wx: &Panel, wy: &Panel) -> Result<[Mat<f64>; 3]> {
    let Shape { x_cols, y_cols, .. } = pair.shape();
    let (mut xx, mut xy, mut yy) =
        (Panel::zeros(x_cols, wx.cols()), Panel::zeros(x_cols, wy.cols()), Panel::zeros(y_cols, wy.cols()));
    let ask = Ask::new().source(Side::X, wx).to(Side::X, &mut xx);
    pair.pass(&mut ask.source(Side::Y, wy).to(Side::X, &mut xy).to(Side::Y, &mut yy))?;
    Ok([panels::symmetric_cross(wx, &xx), panels::symmetric_cross(wy, &yy), panels::cross(wx, &xy)])
}

/// The paper's measure: canonical correlations between span(XWx) and span(YWy). Their sum is the captured
/// correlation. One pass.
pub fn captured(pair: &dyn Pair, wx: &Panel, wy: &Panel) -> Result<Vec<f64>> {
    let [x_gram, y_gram, cross] = small_products(pair, wx, wy)?;
    subspace_correlations(x_gram.as_ref(), y_gram.as_ref(), cross.as_ref())
}

/// Principal angles between span(XW₁) and span(XW₂) for one view, in radians, ascending. Small angles are as
/// accurate as large ones: they come from sines. Half a pass.
pub fn principal_angles(pair: &dyn Pair, side: Side, w1: &Panel, w2: &Panel) -> Result<Vec<f64>> {
    let (first, second) = bases(pair, side, w1, w2)?;
    angles(&first, &second)
}

/// The paper's definition 2: ‖H₁ − H₂‖₂ with H the projections on span(XW₁) and span(XW₂): the sine of the
/// largest principal angle, or 1 if the dimensions differ. Half a pass.
pub fn distance(pair: &dyn Pair, side: Side, w1: &Panel, w2: &Panel) -> Result<f64> {
    Ok(principal_sines(pair, side, w1, w2)?.last().copied().unwrap_or(0.0))
}

/// The sines of the principal angles between span(XW₁) and span(XW₂), ascending, one for each dimension of
/// the larger; 1 if the smaller has no direction left. The last is [`distance`]. Half a pass.
pub fn principal_sines(pair: &dyn Pair, side: Side, w1: &Panel, w2: &Panel) -> Result<Vec<f64>> {
    let (first, second) = bases(pair, side, w1, w2)?;
    let mut sines: Vec<f64> = angles(&first, &second)?.into_iter().map(f64::sin).collect();
    sines.resize(first.q.cols().max(second.q.cols()), 1.0);
    Ok(sines)
}

/// An orthonormal basis: weights Q with QᵀCQ = I, and C·Q.
struct Basis {
    q: Panel,
    cq: Panel,
}

fn bases(pair: &dyn Pair, side: Side, w1: &Panel, w2: &Panel) -> Result<(Basis, Basis)> {
    let both = panels::beside(w1, w2);
    let mut product = Panel::zeros(both.rows(), both.cols());
    Normal::absolute(pair, side, 0.0).apply(&both, &mut product)?;
    let basis = |w: &Panel, from: usize| -> Result<Basis> {
        let (mut q, mut cq) = (w.clone(), panels::columns(&product, from, from + w.cols()));
        whiten(&mut q, &mut [&mut cq])?;
        Ok(Basis { q, cq })
    };
    Ok((basis(w1, 0)?, basis(w2, w1.cols())?))
}

fn angles(first: &Basis, second: &Basis) -> Result<Vec<f64>> {
    let (large, small) = if first.q.cols() < second.q.cols() { (second, first) } else { (first, second) };
    let overlap = panels::cross(&large.q, &small.cq);
    let cosines = singular_values(&overlap, "the overlap of two subspaces")?;
    // Cosines descend while sines ascend. Each angle is taken from the smaller of the two, because that one
    // is accurate.
    let angle = |(c, s): (f64, f64)| if s < c { s.min(1.0).asin() } else { c.min(1.0).acos() };
    Ok(cosines.into_iter().zip(sines(large, small, overlap.as_ref())?).map(angle).collect())
}

/// The lengths of the remainders of the small basis after projecting on the large one, ascending.
fn sines(large: &Basis, small: &Basis, overlap: MatRef<'_, f64>) -> Result<Vec<f64>> {
    let (mut rest, mut c_rest) = (small.q.clone(), small.cq.clone());
    panels::subtract(&mut rest, &panels::times(&large.q, overlap));
    panels::subtract(&mut c_rest, &panels::times(&large.cq, overlap));
    let gram: Mat<f64> = panels::symmetric_cross(&rest, &c_rest);
    if gram.nrows() == 0 {
        return Ok(Vec::new());
    }
    let squares = gram.self_adjoint_eigenvalues(faer::Side::Lower);
    let squares = squares.map_err(|_| Error::Factorization("the overlap of two subspaces"))?;
    Ok(squares.into_iter().map(|s| s.max(0.0).sqrt()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_mat;

    #[test]
    fn the_captured_total_is_the_sum_of_the_correlations() {
        let shared = random_mat(60, 4, 1);
        let view = |seed: u64| {
            let noise = random_mat(60, 4, seed);
            // The last column depends on the others.
            Mat::from_fn(60, 5, |i, j| match j {
                4 => shared[(i, 0)] + 0.3 * (noise[(i, 0)] + noise[(i, 1)]) + shared[(i, 1)],
                _ => shared[(i, j)] + 0.3 * noise[(i, j)],
            })
        };
        let (x, y) = (view(2), view(3));
        let (xx, yy, xy) = (x.transpose() * &x, y.transpose() * &y, x.transpose() * &y);
        let products = (xx.as_ref(), yy.as_ref(), xy.as_ref());
        let all = subspace_correlations(products.0, products.1, products.2).unwrap();
        let total = captured_total(products.0, products.1, products.2).unwrap();
        assert_eq!(all.len(), 4);
        assert!((total - all.iter().sum::<f64>()).abs() < 1e-12);
        let none = Mat::<f64>::zeros(0, 0);
        assert_eq!(captured_total(none.as_ref(), none.as_ref(), none.as_ref()).unwrap(), 0.0);
    }
}
