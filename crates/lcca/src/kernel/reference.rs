//! The slow twins, which specify [`gather`](super::gather) and [`scatter`](super::scatter) entry by entry.

use crate::matrix::{LANES, Line, Matrix};
use std::ops::Range;

fn gather(view: &Matrix, rows: Range<usize>, w: &[Line], stride: usize, z: &mut [Line]) {
    z.fill(Line([0.0; LANES]));
    for (i, row) in rows.enumerate() {
        for lane in 0..stride * LANES {
            let (line, lane) = (lane / LANES, lane % LANES);
            view.for_each(row, |column, value| {
                z[i * stride + line].0[lane] += value * w[column * stride + line].0[lane];
            });
        }
    }
}

fn scatter(view: &Matrix, rows: Range<usize>, z: &[Line], stride: usize, p: &mut [Line]) {
    for (i, row) in rows.enumerate() {
        for lane in 0..stride * LANES {
            let (line, lane) = (lane / LANES, lane % LANES);
            view.for_each(row, |column, value| {
                p[column * stride + line].0[lane] += value * z[i * stride + line].0[lane];
            });
        }
    }
}

mod tests {
    use super::*;
    use crate::testing;
    use proptest::prelude::*;

    fn noise(len: usize, seed: u64) -> Vec<Line> {
        let panel = testing::random_panel(len, LANES, seed);
        panel.lines().to_vec()
    }

    /// The number of every column counted from the end, and the panel in that order.
    fn backwards(cols: usize, stride: usize, panel: &[Line]) -> (Vec<u32>, Vec<Line>) {
        let numbers = (0..cols as u32).rev().collect();
        (numbers, panel.chunks(stride).rev().flatten().copied().collect())
    }

    proptest! {
        #[test]
        fn fast_kernels_do_what_their_slow_twins_do(
            view in testing::any_matrix(1..40, 1..30),
            stride in 1usize..10,
            first in 0usize..40,
            seed in 0u64..1000,
        ) {
            let rows = first.min(view.rows() - 1)..view.rows();
            let w = noise(view.cols() * stride, seed);
            let z0 = noise(rows.len() * stride, seed + 1);
            let p0 = noise(view.cols() * stride, seed + 2);
            let (mut fast, mut slow) = (z0.clone(), z0.clone());
            crate::kernel::gather(&view, rows.clone(), &w, stride, &mut fast);
            gather(&view, rows.clone(), &w, stride, &mut slow);
            prop_assert_eq!(&fast, &slow);
            let single: Vec<f32> = w.iter().flat_map(|line| line.0).map(|number| number as f32).collect();
            let rounded: Vec<Line> =
                single.chunks(LANES).map(|line| Line(std::array::from_fn(|l| f64::from(line[l])))).collect();
            crate::kernel::gather_single(&view, rows.clone(), &single, stride, &mut fast);
            gather(&view, rows.clone(), &rounded, stride, &mut slow);
            prop_assert_eq!(&fast, &slow);
            let (mut fast, mut slow) = (p0.clone(), p0.clone());
            crate::kernel::scatter(&view, rows.clone(), &z0, stride, &mut fast, None);
            scatter(&view, rows.clone(), &z0, stride, &mut slow);
            prop_assert_eq!(&fast, &slow);
            if !matches!(view, Matrix::Dense(_)) {
                let (numbers, mut renumbered) = backwards(view.cols(), stride, &p0);
                crate::kernel::scatter(&view, rows, &z0, stride, &mut renumbered, Some(&numbers));
                prop_assert_eq!(backwards(view.cols(), stride, &renumbered).1, slow);
            }
        }
    }
}
