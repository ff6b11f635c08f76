//! A preconditioner for all of B − A: frequent columns are factorized, the others meet a polynomial.
//!
//! B − A = diag(ρ) + FᵀF with F = [X, −Y] and ρ the ridge: one ridge least-squares matrix of the stacked
//! views, in whose norm convergence does not depend on gaps. Scaled to a unit diagonal and with the frequent
//! columns c before the others r,
//!
//! ```text
//! [ C  Eᵀ ]   [ I       0 ] [ C  0 ] [ I  C⁻¹Eᵀ ]
//! [ E  R  ] = [ E·C⁻¹   I ] [ 0  S ] [ 0  I     ],     S = R − E·C⁻¹·Eᵀ
//! ```
//!
//! C is factorized densely (`coarse`), and q(R) with a Chebyshev polynomial q stands for S⁻¹. Whatever C, E
//! and a positive q are, the product is symmetric and positive definite, so it can precondition LOBPCG; its
//! odd degree keeps q positive even above the interval that it is made for. R is applied through the entries
//! of rare columns alone, which are a small part of all entries.
//!
//! Scaled to a unit diagonal, columns differ by how many others they meet, so that the frequent ones are
//! those with the most entries. On TF-IDF those of the largest variance took up to a third more passes.
//!
//! Cost: two solutions with C, about two thirds of a pass for E and Eᵀ, and `degree` products with the rare
//! entries, which are chosen to cost about as much as the rest of the iteration.

use super::coarse::Coarse;
use super::coarse_factor::Precision;
use super::inverse::Inverse;
use crate::data::{Ask, Cut, InMemory, Pair, Side, Source};
use crate::error::Result;
use crate::fit::pairs::cost::{iteration, product};
use crate::fit::pairs::eigenproblem::Trust;
use crate::fit::pairs::problem::Problem;
use crate::matrix::{LANES, Panel};
use crate::outcome::Decision;
use crate::{panels, random};
use faer::Mat;
use rayon::prelude::*;

/// The least and the largest degree, both odd. On descriptions as TF-IDF degrees of 5, 9, 15 and 25 took 24,
/// 17, 14 and 12 passes.
const DEGREES: [usize; 2] = [3, 31];
/// The interval of a polynomial of degree d begins at this share of its end, divided by d²: that is how far
/// it reaches.
const SPAN: f64 = 2.0;
/// The largest eigenvalue is found by this many steps of the power method with so many columns, and taken
/// somewhat larger.
const STEPS: usize = 12;
const COLUMNS: usize = 8;
const LARGER: f64 = 1.1;

/// (B − A)⁻¹, nearly.
///
/// Inside, weights are those of the columns as they are stored, with the sign of their view: then products
/// with the entries need no other factors.
pub(in crate::fit) struct TwoLevel {
    block: Coarse,
    /// The frequent columns of each view, ascending, and the others.
    columns: [Vec<u32>; 2],
    others: [Vec<u32>; 2],
    /// The other columns as X, the frequent ones as Y.
    parts: InMemory,
    /// Means of the parts' columns, if they are subtracted.
    means: Option<[Vec<f64>; 2]>,
    /// 1/√ of the diagonal of B of the frequent columns, with their factors and the signs of their views, and
    /// without.
    frequent: [Vec<f64>; 2],
    /// What turns weights of the other columns as they are stored into theirs: 1/factor, with the sign of
    /// their view.
    rare: Vec<f64>,
    /// The inverse diagonal of B of the other columns and their ridge, for weights as they are stored.
    inverse: Vec<f64>,
    ridge: Vec<f64>,
    /// The scaled ridge that is the least.
    least: f64,
    interval: [f64; 2],
    degree: usize,
}

impl TwoLevel {
    /// With about `size` frequent columns; `None` if the entries are out of reach or the block cannot be
    /// factorized.
    ///
    /// Over Gram matrices it saved one pass in eight and cost a quarter of the time, so that it serves passes
    /// over rows alone.
    pub fn new(problem: &Problem<'_>, inverse: &[Vec<f64>; 2], size: usize) -> Result<Option<Self>> {
        if problem.joint.is_some() || problem.space.is_remote() || problem.identities() != [false, false] {
            return Ok(None);
        }
        let Some(composition) = problem.pair.composition() else { return Ok(None) };
        let shape = problem.pair.shape();
        let columns = frequent(problem, inverse, size)?;
        let cut = Cut::new(shape, columns.each_ref().map(Vec::as_slice));
        let Some(parts) = cut.apply(&composition)? else { return Ok(None) };
        let Some(block) = Coarse::new(problem, inverse, columns.clone(), Precision::Any)? else {
            return Ok(None);
        };
        if !block.can_grow() {
            return Ok(None);
        }
        let of_parts = |number: &dyn Fn(usize, usize) -> f64| {
            [&cut.others, &columns].map(|columns| {
                let of_view =
                    |view: usize| columns[view].iter().map(move |&column| number(view, column as usize));
                of_view(0).chain(of_view(1)).collect::<Vec<f64>>()
            })
        };
        let means = composition.means.map(|means| of_parts(&|view, column| means[view][column]));
        let factor = |view: usize, column: usize| {
            let sign = if view == 0 { 1.0 } else { -1.0 };
            sign * composition.factors[view].map_or(1.0, |factors| factors[column])
        };
        let over = |number: f64| if number != 0.0 { number.recip() } else { 0.0 };
        let ridges = problem.ridges();
        let root = |view: usize, column: usize| inverse[view][column].sqrt();
        let [_, scaled] = of_parts(&|view, column| root(view, column) * factor(view, column));
        let [_, roots] = of_parts(&root);
        let [rare, _] = of_parts(&|view, column| over(factor(view, column)));
        let [diagonal, _] = of_parts(&|view, column| inverse[view][column] * factor(view, column).powi(2));
        let [ridge, _] = of_parts(&|view, column| ridges[view] * over(factor(view, column)).powi(2));
        let shares = ridge.iter().zip(&diagonal).map(|(ridge, inverse)| ridge * inverse);
        let mut level = TwoLevel {
            block,
            columns,
            others: cut.others,
            parts,
            means,
            frequent: [scaled, roots],
            least: shares.filter(|&share| share > 0.0).fold(f64::INFINITY, f64::min),
            rare,
            inverse: diagonal,
            ridge,
            interval: [1.0, 1.0],
            degree: 1,
        };
        level.degree = level.affordable_degree(problem)?;
        level.interval = level.spectrum(problem.settings.seed)?;
        Ok(Some(level))
    }

    /// The degree at which products with rare entries take about as long as the rest of an iteration.
    fn affordable_degree(&self, problem: &Problem<'_>) -> Result<usize> {
        let [least, most] = DEGREES;
        let entries = self.parts.moments(Side::X)?.count.iter().sum::<u64>();
        let product = product(problem, entries as f64, self.ridge.len());
        Ok(((iteration(problem)? / product) as usize).clamp(least, most) | 1)
    }

    /// The interval for the polynomial.
    fn spectrum(&self, seed: u64) -> Result<[f64; 2]> {
        let rows = self.ridge.len();
        let roots: Vec<f64> = self.inverse.iter().map(|inverse| inverse.sqrt()).collect();
        let mut v = random::normal_panel(rows, COLUMNS, seed, random::Purpose::Spectrum);
        panels::scale_rows(&mut v, &roots);
        let mut next = Panel::zeros(rows, COLUMNS);
        let mut top = 1.0f64;
        for _ in 0..STEPS {
            let lengths = panels::weighted_column_dots(&v, &v, |row| {
                if self.inverse[row] > 0.0 { self.inverse[row].recip() } else { 0.0 }
            });
            let inverse = |&square: &f64| if square > 0.0 { square.sqrt().recip() } else { 0.0 };
            panels::scale_columns(&mut v, &lengths.iter().map(inverse).collect::<Vec<_>>());
            self.product_into(Side::X, Side::X, &v, &mut next)?;
            self.add_ridge(&mut next, &v);
            top = panels::column_dots(&v, &next).into_iter().fold(top, f64::max);
            panels::scale_rows(&mut next, &self.inverse);
            std::mem::swap(&mut v, &mut next);
        }
        let (top, least) = (LARGER * top, if self.least.is_finite() { self.least } else { 0.0 });
        Ok([(SPAN * top / (self.degree * self.degree) as f64).min(top / 2.0).max(least.min(top / 2.0)), top])
    }

    /// B ← C⁻¹B; returns bᵀC⁻¹b of each column.
    fn solve(&self, b: &mut Panel) -> Vec<f64> {
        let mut mat: Mat<f64> = b.as_mat().to_owned();
        let squares = self.block.solve_scaled(&mut mat).unwrap_or_else(|| vec![0.0; b.cols()]);
        b.as_mat_mut().copy_from(&mat);
        squares
    }

    /// The block of FᵀF between two parts, times W.
    fn product(&self, source: Side, target: Side, w: &Panel) -> Result<Panel> {
        let mut out = Panel::zeros(self.parts.shape().cols(target), w.cols());
        self.product_into(source, target, w, &mut out)?;
        Ok(out)
    }

    fn product_into(&self, source: Side, target: Side, w: &Panel, out: &mut Panel) -> Result<()> {
        out.clear();
        let offset = self.means.as_ref().map(|means| panels::weighted_sum(w, &means[source as usize]));
        let from = Source { panel: w, offset: offset.as_ref().map(Panel::lines) };
        self.parts.pass(&mut Ask::new().shifted_source(source, from).to(target, out))
    }

    /// q(R)·V: Chebyshev's iteration for R·U = V from U = 0 (Saad 2003, algorithm 12.1). V is what is left in
    /// the end.
    fn polynomial(&self, rest: &mut Panel) -> Result<Panel> {
        let [low, top] = self.interval;
        let (middle, half) = ((top + low) / 2.0, (top - low) / 2.0);
        let s = middle / half;
        let mut last = 1.0 / s;
        let mut step = rest.clone();
        panels::scale_rows(&mut step, &self.inverse);
        panels::scale_columns(&mut step, &vec![1.0 / middle; rest.cols()]);
        let mut sum = step.clone();
        let mut product = Panel::zeros(rest.rows(), rest.cols());
        for _ in 1..self.degree {
            self.product_into(Side::X, Side::X, &step, &mut product)?;
            let next = 1.0 / (2.0 * s - last);
            self.advance([rest, &mut step, &mut sum], &product, [next * last, 2.0 * next / half]);
            last = next;
        }
        Ok(sum)
    }

    /// One step: the product with it leaves the rest, and what is left gives the next. All in one sweep over
    /// memory.
    fn advance(&self, [rest, step, sum]: [&mut Panel; 3], product: &Panel, [kept, more]: [f64; 2]) {
        let stride = rest.lines_per_row().max(1);
        let [rest, step, sum] = [rest, step, sum].map(|panel| panel.lines_mut().par_chunks_mut(stride));
        let factors = self.ridge.par_iter().zip(&self.inverse);
        let rows = rest.zip(step).zip(sum).zip(product.lines().par_chunks(stride)).zip(factors);
        rows.with_min_len(1024).for_each(|((((rest, step), sum), product), (ridge, inverse))| {
            for (((rest, step), sum), product) in rest.iter_mut().zip(step).zip(sum).zip(product) {
                for lane in 0..LANES {
                    rest.0[lane] -= product.0[lane] + ridge * step.0[lane];
                    step.0[lane] = kept * step.0[lane] + more * inverse * rest.0[lane];
                    sum.0[lane] += step.0[lane];
                }
            }
        });
    }

    /// Adds diag(ρ)·V.
    fn add_ridge(&self, out: &mut Panel, v: &Panel) {
        let stride = v.lines_per_row().max(1);
        let rows = out.lines_mut().par_chunks_mut(stride).zip(v.lines().par_chunks(stride)).zip(&self.ridge);
        rows.with_min_len(1024).for_each(|((out, v), ridge)| {
            for (out, v) in out.iter_mut().zip(v) {
                out.0.iter_mut().zip(&v.0).for_each(|(out, v)| *out += ridge * v);
            }
        });
    }
}

impl Inverse for TwoLevel {
    fn apply(&self, [x, y]: [&mut Panel; 2]) -> Result<Vec<f64>> {
        let [scaled, roots] = &self.frequent;
        let mut frequent = picked([x, y], &self.columns);
        let mut rare = picked([x, y], &self.others);
        panels::scale_rows(&mut rare, &self.rare);
        panels::scale_rows(&mut frequent, roots);
        let mut squares = self.solve(&mut frequent);
        let mut weights = frequent.clone();
        panels::scale_rows(&mut weights, scaled);
        panels::subtract(&mut rare, &self.product(Side::Y, Side::X, &weights)?);
        let before = rare.clone();
        let mut solved = self.polynomial(&mut rare)?;
        for (square, more) in squares.iter_mut().zip(panels::column_dots(&before, &solved)) {
            *square += more;
        }
        let mut back = self.product(Side::X, Side::Y, &solved)?;
        panels::scale_rows(&mut back, scaled);
        self.solve(&mut back);
        panels::subtract(&mut frequent, &back);
        panels::scale_rows(&mut frequent, roots);
        panels::scale_rows(&mut solved, &self.rare);
        place(&frequent, &self.columns, [x, y]);
        place(&solved, &self.others, [x, y]);
        Ok(squares)
    }

    fn trust(&self) -> Trust {
        Trust::Measured
    }

    fn decision(&self) -> Decision {
        Decision::TwoLevels { columns: self.block.size() as u64, degree: self.degree as u64 }
    }
}

/// About `size` columns with the most entries, ascending in each view.
fn frequent(problem: &Problem<'_>, inverse: &[Vec<f64>; 2], size: usize) -> Result<[Vec<u32>; 2]> {
    let mut columns: Vec<(u64, usize, u32)> = Vec::new();
    for side in Side::BOTH {
        let view = side as usize;
        let varying = (0u32..).zip(&problem.pair.moments(side)?.count).zip(&inverse[view]);
        let varying = varying.filter(|(_, inverse)| **inverse > 0.0);
        columns.extend(varying.map(|((column, &entries), _)| (entries, view, column)));
    }
    let size = size.min(columns.len());
    if size < columns.len() {
        columns.select_nth_unstable_by(size, |a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    }
    let mut chosen = [Vec::new(), Vec::new()];
    columns[..size].iter().for_each(|&(_, view, column)| chosen[view].push(column));
    chosen.iter_mut().for_each(|columns| columns.sort_unstable());
    Ok(chosen)
}

/// Some rows of X and then of Y.
fn picked(views: [&Panel; 2], columns: &[Vec<u32>; 2]) -> Panel {
    let mut out = Panel::zeros(columns[0].len() + columns[1].len(), views[0].cols());
    let stride = out.lines_per_row().max(1);
    let all: Vec<(usize, u32)> =
        (0..2).flat_map(|view| columns[view].iter().map(move |&column| (view, column))).collect();
    out.lines_mut().par_chunks_mut(stride).zip(&all).with_min_len(1024).for_each(|(out, &(view, column))| {
        out.copy_from_slice(&views[view].lines()[column as usize * stride..][..stride]);
    });
    out
}

/// Puts rows back where [`picked`] took them from.
fn place(rows: &Panel, columns: &[Vec<u32>; 2], views: [&mut Panel; 2]) {
    let stride = rows.lines_per_row().max(1);
    let mut from = rows.lines().chunks_exact(stride);
    for (view, columns) in views.into_iter().zip(columns) {
        let lines = view.lines_mut();
        for (&column, row) in columns.iter().zip(from.by_ref()) {
            lines[column as usize * stride..][..stride].copy_from_slice(row);
        }
    }
}
