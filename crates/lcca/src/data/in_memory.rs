//! Both views at hand, in memory or in mapped files.
//!
//! The rows are cut into one part a thread, of about equal numbers of entries. Each part adds into its own panels
//! (the first straight into the caller's), which are then summed in a fixed order: the same thread count gives the
//! same bits. The extra panels are kept between passes, so that a warm pass allocates nothing.

use super::{
    Ask, GramEstimate, GramMatrix, JointGram, Moments, Pair, Reduced, Shape, Side, Source, Triangle,
    dense_gram, gram, triangle,
};
use crate::error::{Error, Result};
use crate::kernel;
use crate::matrix::{Buffer, Line, Matrix, Panel, zeroed_lines};
use bytemuck::Zeroable;
use faer::Mat;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, OnceLock};

/// The most parts the rows are cut into: each costs up to four panels.
const MOST_PARTS: usize = 16;
/// Cache lines of z that a block of rows may fill: 16 KiB stay in the first-level cache.
const BLOCK_LINES: usize = 256;
/// Lines of the products that one thread sums at a time.
const SUM_LINES: usize = 4096;

/// Two views whose rows can be read here.
pub struct InMemory {
    views: [Matrix; 2],
    weights: Option<Buffer<f64>>,
    moments: [OnceLock<Moments>; 2],
    scratch: Mutex<Vec<Scratch>>,
}

/// What a pass needs besides the caller's panels.
#[derive(Default)]
struct Scratch {
    spans: Vec<Range<usize>>,
    parts: Vec<Part>,
}

#[derive(Default)]
struct Part {
    z: Vec<Line>,
    /// `sums[target][source]`
    sums: [[Vec<Line>; 2]; 2],
}

impl InMemory {
    /// Two views with the same rows; at least one row.
    pub fn new(x: Matrix, y: Matrix) -> Result<Self> {
        if x.rows() != y.rows() {
            return Err(Error::RowsDiffer { x: x.rows(), y: y.rows() });
        }
        if x.rows() == 0 {
            return Err(Error::NoRows);
        }
        Ok(InMemory { views: [x, y], weights: None, moments: Default::default(), scratch: Mutex::default() })
    }

    /// Multiplies each row's contribution by its weight, as if the row occurred that often.
    pub fn weighted(self, weights: Buffer<f64>) -> Result<Self> {
        let rows = self.views[0].rows();
        if weights.len() != rows {
            return Err(Error::Length { what: "row weights", expected: rows, found: weights.len() });
        }
        let bad = weights.iter().enumerate().find(|(_, w)| !(w.is_finite() && *w >= 0.0));
        match bad {
            Some((row, value)) => Err(Error::Weight { row, value }),
            None => Ok(InMemory { weights: Some(weights), moments: Default::default(), ..self }),
        }
    }

    /// One view.
    pub fn view(&self, side: Side) -> &Matrix {
        &self.views[side as usize]
    }

    /// The weight of a row; 1 where rows have none.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights.as_slice()[row].get())
    }

    /// Neither view is dense, and rows can be numbered in 32 bits.
    fn has_sparse_gram(&self) -> bool {
        let sparse = self.views.iter().all(|view| !matches!(view, Matrix::Dense(_)));
        sparse && self.views[0].rows() <= u32::MAX as usize
    }

    /// Adds the rows of `span` into `sums`.
    fn run(
        &self,
        span: Range<usize>,
        sources: [Option<Source<'_>>; 2],
        z: &mut Vec<Line>,
        sums: &mut Sums<'_>,
    ) {
        let stride = sources.iter().flatten().map(|s| s.panel.lines_per_row()).max().unwrap_or(1).max(1);
        let block = (BLOCK_LINES / stride).max(8);
        z.resize(block * stride, Line::zeroed());
        for start in span.clone().step_by(block) {
            let rows = start..(start + block).min(span.end);
            for source in Side::BOTH {
                self.run_block(rows.clone(), source, sources[source as usize], z, sums);
            }
        }
    }

    fn run_block(
        &self,
        rows: Range<usize>,
        side: Side,
        source: Option<Source<'_>>,
        z: &mut [Line],
        sums: &mut Sums<'_>,
    ) {
        let Some(Source { panel, offset }) = source else { return };
        let stride = panel.lines_per_row();
        let z = &mut z[..rows.len() * stride];
        kernel::gather(self.view(side), rows.clone(), panel.lines(), stride, z);
        let weight = self.weights.as_ref().map(|_| |i: usize| self.weight(rows.start + i));
        kernel::adjust(z, stride, offset, weight);
        for target in Side::BOTH {
            if let Some(sum) = &mut sums[target as usize][side as usize] {
                kernel::scatter(self.view(target), rows.clone(), z, stride, sum);
            }
        }
    }
}

/// Where a part adds its products: `sums[target][source]`.
type Sums<'a> = [[Option<&'a mut [Line]>; 2]; 2];

impl Pair for InMemory {
    fn shape(&self) -> Shape {
        Shape { rows: self.views[0].rows(), x_cols: self.views[0].cols(), y_cols: self.views[1].cols() }
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        Ok(self.moments[side as usize].get_or_init(|| {
            let mut spans = Vec::new();
            // Remembered, so the cut must not depend on how many threads happen to ask first.
            let entries = entries_before(self.view(side), self.shape().rows);
            let parts = (entries / (4 * self.view(side).cols().max(1) as u64)).clamp(1, MOST_PARTS as u64);
            cut(&self.views, parts as usize, &mut spans);
            let view = self.view(side);
            let part = |rows: &Range<usize>| match view.is_all_ones() && self.weights.is_none() {
                true => Moments::by_counting(view, rows.clone()),
                false => Moments::of(view, rows.clone(), |row| self.weight(row)),
            };
            let parts: Vec<Moments> = spans.par_iter().map(part).collect();
            let mut sum = Moments::zero(self.view(side).cols());
            parts.iter().for_each(|part| sum.add(part));
            sum
        }))
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        ask.assert_fits(self.shape());
        let mut scratch = self.scratch.lock().unwrap_or_else(|e| e.into_inner()).pop().unwrap_or_default();
        scratch.prepare(&self.views, ask);
        let used = |side: Side| ask.source_of(side).filter(|s| s.panel.cols() > 0 && ask.wants(side));
        let sources = Side::BOTH.map(used);
        let Scratch { spans, parts } = &mut scratch;
        let [first, others @ ..] = &mut parts[..] else { return Ok(()) };
        let z = &mut first.z;
        let mut caller = products(ask);
        rayon::join(
            || self.run(spans[0].clone(), sources, z, &mut caller),
            || {
                others.par_iter_mut().zip(&spans[1..]).with_max_len(1).for_each(|(part, span)| {
                    let Part { z, sums } = part;
                    let mut sums = sums.each_mut().map(|from| from.each_mut().map(|lines| non_empty(lines)));
                    self.run(span.clone(), sources, z, &mut sums);
                });
            },
        );
        sum_parts(&mut caller, others);
        self.scratch.lock().unwrap_or_else(|e| e.into_inner()).push(scratch);
        Ok(())
    }

    fn is_one_hot(&self, side: Side) -> bool {
        matches!(self.view(side), Matrix::OneHot(_))
    }

    fn reduced(&self) -> Result<Option<Reduced>> {
        Reduced::of(&self.views, [self.moments(Side::X)?, self.moments(Side::Y)?], self.weights.as_ref())
    }

    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        gram::of(self.view(side), self.weights.as_ref(), limit)
    }

    fn joint_gram_estimate(&self) -> Result<Option<GramEstimate>> {
        Ok(self.has_sparse_gram().then(|| GramEstimate::of(&self.views)))
    }

    fn joint_gram(&self, limit: u64) -> Result<Option<JointGram>> {
        if !self.has_sparse_gram() {
            return Ok(None);
        }
        let moments = [self.moments(Side::X)?, self.moments(Side::Y)?];
        JointGram::of(&self.views, moments, &|row| self.weight(row), limit).map(Some)
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        dense_gram::of(&self.views, self.weights.as_ref(), means.as_ref().map(|means| &means[..]), limit)
    }

    fn triangle(&self, limit: u64) -> Result<Triangle> {
        triangle::of(&self.views, self.weights.as_ref(), limit)
    }
}

impl Scratch {
    /// Cuts the rows and lays out zeroed panels for all parts but the first.
    fn prepare(&mut self, views: &[Matrix; 2], ask: &Ask<'_>) {
        let parts = rayon::current_num_threads().min(MOST_PARTS).min(views[0].rows()).max(1);
        if self.spans.len() != parts {
            cut(views, parts, &mut self.spans);
            self.parts.resize_with(parts, Part::default);
        }
        let lines = |target: Side, source: Side| match ask.source_of(source) {
            Some(s) if ask.wants_product(target, source) => {
                s.panel.lines_per_row() * views[target as usize].cols()
            }
            _ => 0,
        };
        self.parts[1..].par_iter_mut().with_max_len(1).for_each(|part| {
            for (target, source) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let sum = &mut part.sums[target][source];
                let count = lines(Side::BOTH[target], Side::BOTH[source]);
                if sum.capacity() < count {
                    *sum = zeroed_lines(count);
                } else {
                    sum.clear();
                    sum.resize(count, Line::zeroed());
                }
            }
        });
    }
}

/// The caller's panels, `[target][source]`.
fn products<'b>(ask: &'b mut Ask<'_>) -> Sums<'b> {
    ask.targets_mut().map(|from| from.map(|out| out.map(Panel::lines_mut)))
}

fn non_empty(lines: &mut [Line]) -> Option<&mut [Line]> {
    (!lines.is_empty()).then_some(lines)
}

/// Adds every part's panels to the caller's, part after part.
fn sum_parts(caller: &mut Sums<'_>, parts: &[Part]) {
    for (target, source) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let Some(out) = &mut caller[target][source] else { continue };
        out.par_chunks_mut(SUM_LINES).enumerate().for_each(|(chunk, out)| {
            let at = chunk * SUM_LINES;
            parts.iter().for_each(|part| kernel::add(out, &part.sums[target][source][at..at + out.len()]));
        });
    }
}

/// Cuts the rows into `parts` spans of about equal numbers of entries.
fn cut(views: &[Matrix; 2], parts: usize, spans: &mut Vec<Range<usize>>) {
    let rows = views[0].rows();
    let load = |row: usize| row as u64 + views.iter().map(|view| entries_before(view, row)).sum::<u64>();
    let total = load(rows);
    spans.clear();
    let mut start = 0;
    for part in 1..=parts {
        let goal = total * part as u64 / parts as u64;
        let end = if part == parts { rows } else { first_row(start, rows, |row| load(row) >= goal) };
        spans.push(start..end);
        start = end;
    }
}

/// Stored entries of the rows before `row`; a one-hot row counts as one.
fn entries_before(view: &Matrix, row: usize) -> u64 {
    match view {
        Matrix::Sparse(m) => m.offsets().as_slice()[row].get() - m.offsets().as_slice()[0].get(),
        Matrix::OneHot(_) => row as u64,
        Matrix::Dense(m) => row as u64 * m.cols() as u64,
    }
}

/// The first row in `from..to` that is `enough`, or `to`.
fn first_row(mut from: usize, mut to: usize, enough: impl Fn(usize) -> bool) -> usize {
    while from < to {
        let middle = from + (to - from) / 2;
        if enough(middle) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    from
}
