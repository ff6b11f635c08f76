//! The pair that remains when a one-hot view is eliminated, as one pass over the rows of its Gram matrix.
//!
//! With G = Cᵀ for the columns c₁, c₂, … of the view that is gone, each against all columns of the view that
//! is kept, and E = (C + λI)⁻¹ of the view that is gone, which is diagonal but for centering,
//!
//! ```text
//! K·W = Σᵢ eᵢ·cᵢ(cᵢᵀW)
//! ```
//!
//! is a pass over weighted rows: no panel as high as the eliminated view is wide is ever written. Centering
//! subtracts n·μμᵀ from each block, which adds terms of rank two:
//!
//! ```text
//! u = Σᵢ eᵢμᵢcᵢ,  s = Σᵢ eᵢμᵢ²,  f = n/(1 − n·s)        μ of the view that is gone, ν of the one that is
//! kept g = νᵀW,  h = uᵀW − n·s·g K·W − n·u·g − n·ν·(uᵀW) + n²·s·ν·g + f·(u − n·s·ν)·h
//! ```

use crate::data::{Ask, InMemory, JointGram, Pair, Side};
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::solve::OneHot;
use faer::Mat;

/// Cyx(Cxx + λI)⁻¹Cxy of a pair whose X is one-hot, or Cxy(Cyy + λI)⁻¹Cyx if Y is the one-hot view.
pub(in crate::fit) struct Eliminated {
    /// The columns of the eliminated view, each a row of products with the columns of the other.
    rows: InMemory,
    centering: Option<Centering>,
}

/// The terms that centering adds.
struct Centering {
    /// u and ν, side by side.
    sides: Panel,
    /// n
    weight: f64,
    /// n·s
    share: f64,
    /// f
    factor: f64,
}

impl Eliminated {
    /// Takes the Gram matrices of both views, the solver of the view that is `gone` and the means of the
    /// other, if centered.
    pub fn new(joint: &JointGram, gone: Side, solver: &OneHot, kept_mean: Option<&[f64]>) -> Result<Self> {
        joint.bring()?;
        let block = joint.block(gone, gone.other());
        let rows = InMemory::new(block.clone(), block.clone())?.weighted(solver.inverse().to_vec().into())?;
        let centering = match (solver.centering(), kept_mean) {
            (Some((mean, factor)), Some(kept_mean)) => {
                let mut u = vec![0.0; kept_mean.len()];
                let mut share = 0.0;
                for (i, (mean, inverse)) in mean.iter().zip(solver.inverse()).enumerate() {
                    block.for_each(i, |j, value| u[j] += inverse * mean * value);
                    share += inverse * mean * mean;
                }
                let weight = joint.moments(gone).weight;
                let sides = Panel::from_fn(u.len(), 2, |i, j| [u[i], kept_mean[i]][j]);
                Some(Centering { sides, weight, share: weight * share, factor })
            }
            _ => None,
        };
        Ok(Eliminated { rows, centering })
    }

    /// out ← Cyx(Cxx + λI)⁻¹Cxy·w.
    pub fn apply(&self, w: &Panel, out: &mut Panel) -> Result<()> {
        out.clear();
        self.rows.pass(&mut Ask::new().source(Side::X, w).to(Side::X, out))?;
        if let Some(Centering { sides, weight: n, share, factor }) = &self.centering {
            let along = panels::cross(sides, w);
            let terms = Mat::from_fn(2, w.cols(), |i, j| {
                let (t, g) = (along[(0, j)], along[(1, j)]);
                let h = t - share * g;
                if i == 0 { factor * h - n * g } else { n * (share * g - t) - factor * share * h }
            });
            panels::add_product(out, sides, terms.as_ref());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Centered, JointGrams, Normal};
    use crate::matrix::{OneHotRows, SparseRows, Values};
    use crate::testing::{random_panel, relative_error, zipf_rows};

    /// Rows of one column each; every seventh row is empty if there are `gaps`.
    fn one_hot(rows: usize, cols: u32, gaps: bool) -> crate::matrix::Matrix {
        if !gaps {
            let columns: Vec<u32> = (0..rows as u32).map(|row| (row * row + row / 3) % cols).collect();
            return OneHotRows::new(cols as usize, columns.into()).unwrap().into();
        }
        let full = |row: usize| !row.is_multiple_of(7);
        let offsets: Vec<u64> =
            (0..=rows).map(|end| (0..end).filter(|&row| full(row)).count() as u64).collect();
        let columns: Vec<u32> =
            (0..rows).filter(|&row| full(row)).map(|row| (row * row) as u32 % cols).collect();
        SparseRows::new(cols as usize, offsets.into(), columns.into(), Values::Ones).unwrap().into()
    }

    #[test]
    fn one_pass_gives_what_two_passes_and_a_solve_give() {
        let (rows, w) = (200, random_panel(9, 5, 1));
        for (gaps, ridge, is_centered, gone) in [
            (false, 0.0, false, Side::X),
            (false, 0.0, true, Side::X),
            (false, 3.0, true, Side::Y),
            (true, 0.0, true, Side::X),
            (true, 2.0, true, Side::Y),
            (true, 2.0, false, Side::X),
        ] {
            let (own, other) = (one_hot(rows, 23, gaps), zipf_rows(rows, 9, 4, 2));
            let pair = match gone {
                Side::X => InMemory::new(own, other),
                Side::Y => InMemory::new(other, own),
            };
            let joint = pair.unwrap().joint_gram(u64::MAX).unwrap();
            let centered = Centered::new(&joint).unwrap();
            let seen: &dyn Pair = if is_centered { &centered } else { &joint };
            let kept = gone.other();
            let solver = OneHot::new(Normal::absolute(seen, gone, ridge)).unwrap();
            let mut across = Panel::zeros(23, 5);
            seen.pass(&mut Ask::new().source(kept, &w).to(gone, &mut across)).unwrap();
            solver.solve_in_place(&mut across);
            let mut expected = Panel::zeros(9, 5);
            seen.pass(&mut Ask::new().source(gone, &across).to(kept, &mut expected)).unwrap();
            let mean = is_centered.then(|| centered.mean(kept));
            let mut out = random_panel(9, 5, 3);
            Eliminated::new(&joint, gone, &solver, mean).unwrap().apply(&w, &mut out).unwrap();
            let error = relative_error(out.as_mat(), expected.as_mat());
            assert!(
                error < 1e-12,
                "gaps {gaps}, ridge {ridge}, centered {is_centered}, {gone:?} gone: {error}"
            );
        }
    }
}
