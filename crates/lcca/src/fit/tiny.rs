//! CCA of a handful of columns, of which only the best pair is wanted.
//!
//! Thousands of such problems are solved before the first iteration, and a general decomposition spends most
//! of its time on preparing itself. These are plain loops over arrays: Jacobi's rotations whiten both metrics
//! and decompose the whitened product. A device that does the same operations in the same order gets the same
//! bits.

use crate::space::MOST_GROWN;
use crate::whiten::{CUT, inverse_root};

/// Most columns of a view.
pub(super) const MOST: usize = MOST_GROWN;

/// Rounds of rotations. Five are usual.
const SWEEPS: usize = 20;
/// Entries that are not above this share of the trace count as zero.
const NEGLIGIBLE: f64 = 1e-17;

/// A matrix of which the leading rows and columns count.
pub(super) type Square = [[f64; MOST]; MOST];

/// B of both views and A, each on some columns.
#[derive(Default)]
pub(super) struct Tiny {
    /// Columns of each view.
    pub sizes: [usize; 2],
    /// B of each view, of which the lower triangle is read.
    pub metrics: [Square; 2],
    pub cross: Square,
}

/// A pair of directions, each of length 1 in its metric.
#[derive(Default)]
pub(super) struct BestPair {
    pub objective: f64,
    pub weights: [[f64; MOST]; 2],
}

impl Tiny {
    /// The best pair; all zeros if there is none, and `None` if a number is not finite.
    pub fn best_pair(&self) -> Option<BestPair> {
        let [p, q] = self.sizes;
        let (hx, r) = whitener(&self.metrics[0], p)?;
        let (hy, s) = whitener(&self.metrics[1], q)?;
        // K = Hxᵀ·A·Hy and KᵀK, whose first eigenvector is the right one of K.
        let half: Square = from_fn(p, s, |i, b| sum(q, |j| self.cross[i][j] * hy[j][b]));
        let k: Square = from_fn(r, s, |a, b| sum(p, |i| hx[i][a] * half[i][b]));
        let mut squares: Square = from_fn(s, s, |b, d| sum(r, |a| k[a][b] * k[a][d]));
        let vectors = diagonalize(&mut squares, s);
        let first = (1..s).fold(0, |first, b| if squares[b][b] > squares[first][first] { b } else { first });
        let left: [f64; MOST] = std::array::from_fn(|a| sum(s, |b| k[a][b] * vectors[b][first]));
        let objective = sum(r, |a| left[a] * left[a]).sqrt();
        if !objective.is_finite() {
            return None;
        }
        if r == 0 || s == 0 || objective == 0.0 {
            return Some(BestPair::default());
        }
        let x = std::array::from_fn(|i| sum(r, |a| hx[i][a] * (left[a] / objective)));
        let y = std::array::from_fn(|j| sum(s, |b| hy[j][b] * vectors[b][first]));
        Some(BestPair { objective, weights: [x, y] })
    }
}

/// Σ of the terms, from the first to the last.
fn sum(count: usize, term: impl Fn(usize) -> f64) -> f64 {
    (0..count).fold(0.0, |sum, i| sum + term(i))
}

fn from_fn(rows: usize, cols: usize, entry: impl Fn(usize, usize) -> f64) -> Square {
    let mut m = Square::default();
    for (i, row) in m.iter_mut().enumerate().take(rows) {
        row.iter_mut().enumerate().take(cols).for_each(|(j, out)| *out = entry(i, j));
    }
    m
}

/// H with HᵀBH = I on the directions whose share of the spectrum of B, scaled to a unit diagonal, is above
/// [`CUT`], and how many these are.
fn whitener(b: &Square, size: usize) -> Option<(Square, usize)> {
    let scale: [f64; MOST] = std::array::from_fn(|i| if i < size { inverse_root(b[i][i]) } else { 0.0 });
    let mut unit = from_fn(size, size, |i, j| {
        let (i, j) = (i.max(j), i.min(j));
        scale[i] * b[i][j] * scale[j]
    });
    if unit.iter().flatten().any(|entry| !entry.is_finite()) {
        return None;
    }
    let vectors = diagonalize(&mut unit, size);
    let largest = (0..size).fold(0.0, |largest: f64, k| largest.max(unit[k][k]));
    let (mut h, mut count) = (Square::default(), 0);
    for k in (0..size).filter(|&k| largest > 0.0 && unit[k][k] / largest > CUT) {
        let root = unit[k][k].sqrt();
        (0..size).for_each(|i| h[i][count] = scale[i] * vectors[i][k] / root);
        count += 1;
    }
    Some((h, count))
}

/// Jacobi's rotations: a symmetric matrix becomes diagonal. Returns the eigenvectors as columns.
fn diagonalize(a: &mut Square, size: usize) -> Square {
    let mut vectors: Square = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    let negligible = NEGLIGIBLE * sum(size, |i| a[i][i].abs());
    for _ in 0..SWEEPS {
        let mut is_diagonal = true;
        for p in 0..size {
            for q in p + 1..size {
                if a[p][q].abs() > negligible {
                    is_diagonal = false;
                    rotate(a, &mut vectors, size, [p, q]);
                }
            }
        }
        if is_diagonal {
            break;
        }
    }
    vectors
}

/// Turns two axes so that their entry becomes zero.
fn rotate(a: &mut Square, vectors: &mut Square, size: usize, [p, q]: [usize; 2]) {
    let off = a[p][q];
    let theta = (a[q][q] - a[p][p]) / (2.0 * off);
    let root = (theta * theta + 1.0).sqrt();
    let t = if theta >= 0.0 { 1.0 / (theta + root) } else { 1.0 / (theta - root) };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    a[p][p] -= t * off;
    a[q][q] += t * off;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    for i in (0..size).filter(|&i| i != p && i != q) {
        let (x, y) = (a[i][p], a[i][q]);
        let (turned, other) = (c * x - s * y, s * x + c * y);
        (a[i][p], a[p][i], a[i][q], a[q][i]) = (turned, turned, other, other);
    }
    for row in vectors.iter_mut().take(size) {
        let (x, y) = (row[p], row[q]);
        (row[p], row[q]) = (c * x - s * y, s * x + c * y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_mat;
    use crate::whiten::{Turns, turns, whitener as general_whitener};
    use faer::Mat;

    fn block(m: &Mat<f64>) -> Square {
        from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)])
    }

    /// The best pair and that of general decompositions.
    fn compare(x: &Mat<f64>, y: &Mat<f64>) {
        let (bx, by, cross) = (x.transpose() * x, y.transpose() * y, x.transpose() * y);
        let tiny =
            Tiny { sizes: [x.ncols(), y.ncols()], metrics: [block(&bx), block(&by)], cross: block(&cross) };
        let found = tiny.best_pair().unwrap();
        let (hx, hy) = (general_whitener(bx.as_ref()).unwrap(), general_whitener(by.as_ref()).unwrap());
        let Turns { x: u, y: v, values } = turns(&hx, &hy, cross.as_ref(), 1).unwrap();
        assert!((found.objective - values[0]).abs() < 1e-10, "{} {}", found.objective, values[0]);
        // The directions themselves, up to one sign, as columns may depend on each other.
        for (data, weights, expected) in [(x, &found.weights[0], &u), (y, &found.weights[1], &v)] {
            let own = data * Mat::from_fn(data.ncols(), 1, |i, _| weights[i]);
            let expected = data * expected;
            let cosine = (own.transpose() * &expected)[(0, 0)].abs();
            assert!((cosine - 1.0).abs() < 1e-8, "{cosine}");
        }
    }

    #[test]
    fn the_best_pair_is_that_of_general_decompositions() {
        for (seed, [p, q]) in [[1, 1], [2, 1], [1, 5], [3, 3], [6, 6], [5, 6]].into_iter().enumerate() {
            compare(&random_mat(40, p, seed as u64), &random_mat(40, q, 100 + seed as u64));
        }
    }

    #[test]
    fn columns_that_nearly_or_quite_depend_on_others_do_no_harm() {
        let (base, noise) = (random_mat(40, 6, 1), random_mat(40, 6, 2));
        for share in [1e-3, 0.0] {
            let x = Mat::from_fn(40, 5, |i, j| base[(i, j % 3)] + share * noise[(i, j)]);
            compare(&x, &random_mat(40, 4, 3));
        }
    }

    #[test]
    fn nothing_correlates_with_nothing_and_what_is_not_finite_is_said() {
        let mut tiny = Tiny { sizes: [2, 1], ..Tiny::default() };
        let none = tiny.best_pair().unwrap();
        assert!(none.objective == 0.0 && none.weights == [[0.0; MOST]; 2]);
        tiny.metrics[0][1][0] = f64::NAN;
        assert!(tiny.best_pair().is_none());
    }
}
