//! Panels in single precision at first, and in double precision from some moment on.
//!
//! Panels take half the memory in single precision, and less time. Its rounding errors do not show in the
//! first iterations, because these are far from the answer of the fit. The loop says when precision is
//! needed, and refines the panels that it goes on with.

use super::{Advance, Reduction, RowFactors, Space, Tall};
use crate::data::Counting;
use crate::decompose::Decompose;
use crate::error::Result;
use crate::matrix::Panel;
use faer::{Mat, MatRef};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Panels of one space until [`Space::become_precise`], then those of the other.
pub(crate) struct Mixed<'a> {
    rough: &'a dyn Space,
    precise: &'a dyn Space,
    is_precise: AtomicBool,
}

impl<'a> Mixed<'a> {
    /// Pairs the panels of `precise` with those in single precision beside them; `None` if it has none.
    pub fn beside(precise: &'a dyn Space) -> Option<Self> {
        precise.single().map(|rough| Mixed { rough, precise, is_precise: AtomicBool::new(false) })
    }

    /// The space in which panels are made now.
    fn now(&self) -> &'a dyn Space {
        if self.is_rough() { self.rough } else { self.precise }
    }

    /// The space in which a panel was made.
    fn of(&self, panel: &Tall) -> &'a dyn Space {
        if self.rough.holds(panel) { self.rough } else { self.precise }
    }
}

impl Space for Mixed<'_> {
    fn is_remote(&self) -> bool {
        self.precise.is_remote()
    }

    fn is_rough(&self) -> bool {
        !self.is_precise.load(Relaxed)
    }

    fn become_precise(&self) {
        self.is_precise.store(true, Relaxed);
    }

    fn refined(&self, panel: Tall) -> Result<Tall> {
        if self.is_rough() || !self.rough.holds(&panel) {
            return Ok(panel);
        }
        self.precise.upload(self.rough.take(panel)?)
    }

    fn decompositions(&self) -> &dyn Decompose {
        self.precise.decompositions()
    }

    fn upload(&self, panel: Panel) -> Result<Tall> {
        self.now().upload(panel)
    }

    fn download(&self, panel: &Tall) -> Result<Panel> {
        self.of(panel).download(panel)
    }

    fn take(&self, panel: Tall) -> Result<Panel> {
        self.of(&panel).take(panel)
    }

    fn change_on_host(
        &self,
        panel: &mut Tall,
        change: &mut dyn FnMut(&mut Panel) -> Result<()>,
    ) -> Result<()> {
        self.of(panel).change_on_host(panel, change)
    }

    fn row_factors(&self, factors: Vec<f64>) -> Result<RowFactors> {
        self.precise.row_factors(factors)
    }

    fn zeros(&self, rows: usize, cols: usize) -> Result<Tall> {
        self.now().zeros(rows, cols)
    }

    fn pass(
        &self,
        pair: &Counting<'_>,
        sources: [Option<&Tall>; 2],
        targets: [[Option<&mut Tall>; 2]; 2],
    ) -> Result<()> {
        let space = sources.iter().flatten().next().map_or_else(|| self.now(), |source| self.of(source));
        space.pass(pair, sources, targets)
    }

    fn add_scaled(&self, out: &mut Tall, factor: f64, a: &Tall) -> Result<()> {
        self.of(a).add_scaled(out, factor, a)
    }

    fn cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>> {
        a.first().map_or_else(|| self.now(), |a| self.of(a)).cross(a, b)
    }

    fn symmetric_cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>> {
        a.first().map_or_else(|| self.now(), |a| self.of(a)).symmetric_cross(a, b)
    }

    fn reduce(&self, wanted: &[Reduction<'_>]) -> Result<Vec<Mat<f64>>> {
        let panel = wanted.iter().find_map(Reduction::panel);
        panel.map_or_else(|| self.now(), |panel| self.of(panel)).reduce(wanted)
    }

    fn multiply(&self, w: &mut Tall, m: MatRef<'_, f64>) -> Result<()> {
        self.of(w).multiply(w, m)
    }

    fn advance(
        &self,
        w: &mut Tall,
        p: &mut Tall,
        t: &Tall,
        coefficients: [MatRef<'_, f64>; 3],
    ) -> Result<()> {
        self.of(t).advance(w, p, t, coefficients)
    }

    fn advance_all(&self, panels: &mut [Advance<'_>], coefficients: [MatRef<'_, f64>; 3]) -> Result<()> {
        let space = panels.first().map_or_else(|| self.now(), |first| self.of(first.t));
        space.advance_all(panels, coefficients)
    }

    fn difference(&self, out: &mut Tall, a: &Tall, factors: &[f64], b: &Tall) -> Result<()> {
        self.of(a).difference(out, a, factors, b)
    }

    fn scale_rows(&self, a: &mut Tall, factors: &RowFactors) -> Result<()> {
        self.of(a).scale_rows(a, factors)
    }

    fn weighted_squares(&self, a: &Tall, weights: &RowFactors) -> Result<Vec<f64>> {
        self.of(a).weighted_squares(a, weights)
    }

    fn row_squares(&self, a: &Tall) -> Result<Vec<f64>> {
        self.of(a).row_squares(a)
    }

    fn activity(&self, w: &Tall, r: &Tall, inverse: &RowFactors) -> Result<Option<Vec<f64>>> {
        self.of(w).activity(w, r, inverse)
    }

    fn largest_entries(&self, a: &Tall) -> Result<Vec<f64>> {
        self.of(a).largest_entries(a)
    }

    fn cosines(&self, a: &Tall, rows: &[f64], columns: &[f64]) -> Result<Tall> {
        self.of(a).cosines(a, rows, columns)
    }

    fn without_rows(&self, factors: &RowFactors, rows: &[u32]) -> Result<Option<RowFactors>> {
        self.precise.without_rows(factors, rows)
    }

    fn select(&self, a: &Tall, columns: &[usize]) -> Result<Tall> {
        self.of(a).select(a, columns)
    }

    fn rows(&self, a: &Tall, rows: &[u32]) -> Result<Panel> {
        self.of(a).rows(a, rows)
    }

    fn put_rows(&self, a: &mut Tall, rows: &[u32], values: &Panel) -> Result<()> {
        self.of(a).put_rows(a, rows, values)
    }
}
