//! Panels in the order of elimination, in groups of as many columns as a line holds.

use super::scaled_grams::NOWHERE;
use crate::matrix::{LANES, Line, Panel};
use bytemuck::Zeroable;
use faer::Mat;
use rayon::prelude::*;

/// A panel of all columns in the order of elimination, cut into groups of as many columns as a line holds:
/// each stays in cache while it is solved for, and threads share them.
#[derive(Clone)]
pub(in crate::fit) struct Groups(pub Vec<Vec<Line>>);

impl Groups {
    pub fn of(mat: &Mat<f64>) -> Self {
        let line = |place: usize, group: usize| {
            let number = |lane: usize| {
                (group * LANES + lane < mat.ncols()).then(|| mat[(place, group * LANES + lane)])
            };
            Line(std::array::from_fn(|lane| number(lane).unwrap_or(0.0)))
        };
        let groups = 0..mat.ncols().div_ceil(LANES);
        Groups(groups.map(|group| (0..mat.nrows()).map(|place| line(place, group)).collect()).collect())
    }

    /// The rows of the given columns of both views, scaled.
    pub fn picked(views: [&Panel; 2], columns: &[(usize, u32)], scale: &[f64]) -> Self {
        let stride = views[0].lines_per_row();
        let group = |group: usize| {
            let rows = columns.iter().zip(scale);
            let lines = rows.map(|(&(view, column), &scale)| {
                times(views[view].lines()[column as usize * stride + group], scale)
            });
            lines.collect()
        };
        Groups((0..stride).into_par_iter().map(group).collect())
    }

    /// Replaces the panels of both views; columns that do not vary become zero.
    pub fn place(&self, places: &[Vec<u32>; 2], scale: &[f64], views: [&mut Panel; 2]) {
        let stride = self.0.len().max(1);
        for (panel, places) in views.into_iter().zip(places) {
            let rows = panel.lines_mut().par_chunks_mut(stride).zip(places).with_min_len(1024);
            rows.for_each(|(out, &place)| {
                if place == NOWHERE {
                    return out.fill(Line::zeroed());
                }
                let lines = out.iter_mut().zip(&self.0);
                lines.for_each(|(out, group)| *out = times(group[place as usize], scale[place as usize]));
            });
        }
    }

    pub fn to_mat(&self, cols: usize) -> Mat<f64> {
        self.rows_from(0, self.0.first().map_or(0, Vec::len)).subcols(0, cols).to_owned()
    }

    /// The rows from `start` on, up to `end`.
    pub fn rows_from(&self, start: usize, end: usize) -> Mat<f64> {
        Mat::from_fn(end - start, LANES * self.0.len(), |i, j| self.0[j / LANES][start + i].0[j % LANES])
    }

    pub fn put_rows(&mut self, start: usize, rows: &Mat<f64>) {
        for (g, group) in self.0.iter_mut().enumerate() {
            for (i, line) in group[start..].iter_mut().enumerate() {
                (0..LANES).for_each(|lane| line.0[lane] = rows[(i, g * LANES + lane)]);
            }
        }
    }

    /// PᵀB.
    pub fn products(&self, p: &Mat<f64>) -> Mat<f64> {
        let of_group = |group: &Vec<Line>| {
            let mut sums = vec![Line::zeroed(); p.ncols()];
            for (place, line) in group.iter().enumerate() {
                for (term, sum) in sums.iter_mut().enumerate() {
                    (0..LANES).for_each(|lane| sum.0[lane] += p[(place, term)] * line.0[lane]);
                }
            }
            sums
        };
        let sums: Vec<Vec<Line>> = self.0.par_iter().map(of_group).collect();
        Mat::from_fn(p.ncols(), LANES * sums.len(), |term, j| sums[j / LANES][term].0[j % LANES])
    }

    /// B ← B + Z·C.
    pub fn add_products(&mut self, z: &Mat<f64>, c: &Mat<f64>) {
        self.0.par_iter_mut().enumerate().for_each(|(g, group)| {
            for (place, line) in group.iter_mut().enumerate() {
                for term in 0..z.ncols() {
                    let factor = z[(place, term)];
                    (0..LANES).for_each(|lane| line.0[lane] += factor * c[(term, g * LANES + lane)]);
                }
            }
        });
    }

    /// The product of each column with the same column of another.
    pub fn dots(&self, other: &Groups) -> Vec<f64> {
        let of_group = |(a, b): (&Vec<Line>, &Vec<Line>)| {
            let mut sum = Line::zeroed();
            for (a, b) in a.iter().zip(b) {
                (0..LANES).for_each(|lane| sum.0[lane] += a.0[lane] * b.0[lane]);
            }
            sum.0
        };
        self.0.par_iter().zip(&other.0).flat_map_iter(of_group).collect()
    }
}

#[inline(always)]
pub(in crate::fit) fn times(mut line: Line, factor: f64) -> Line {
    line.0.iter_mut().for_each(|number| *number *= factor);
    line
}
