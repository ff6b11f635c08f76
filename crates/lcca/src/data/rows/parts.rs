//! A pass over rows that can be read directly, in one piece or several.
//!
//! All rows together are cut into one part per thread, of about equal numbers of entries. Each part adds
//! into its own panels (the first straight into the caller's). The same thread count gives the same bits,
//! because the panels are then summed in a fixed order. A warm pass allocates nothing, because the extra
//! panels are kept between passes. If a view is wide, a part's panels have rows only for the columns that
//! its rows hold; if that is still too much, there are fewer parts.

use super::paired_rows::{PairedRows, Sums};
use super::touched::Touched;
use crate::data::facts::ask::{Ask, Source};
use crate::kernel;
use crate::matrix::{Line, Panel, zeroed_lines};
use crate::side::{Shape, Side};
use bytemuck::Zeroable;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The most rows that the panels of all parts together may have, as a multiple of the rows of the caller's
/// panels.
const MOST_COPIES: usize = 3;
/// The number of rows of panels that may be laid out in any case: a quarter of a gigabyte for 32 columns.
const FEW_ROWS: usize = 1 << 20;
/// The number of cache lines of the products that one thread sums at a time: 256 KiB, a share of the
/// second-level cache.
const SUM_LINES: usize = 4096;

/// One piece of the rows.
pub(in crate::data) trait Piece: Sync {
    fn rows(&self) -> &PairedRows;
}

/// The memory that a pass needs besides the caller's panels.
#[derive(Default)]
pub(in crate::data) struct Scratch {
    /// The number of threads that the rows were cut for.
    threads: usize,
    spans: Vec<Range<usize>>,
    parts: Vec<Part>,
}

#[derive(Default)]
struct Part {
    z: Vec<Line>,
    /// `sums[target][source]`
    sums: [[Vec<Line>; 2]; 2],
    /// For each view, the columns that have rows in the panels; `None` if all have.
    touched: [Option<Touched>; 2],
}

/// One pass over all pieces, which have the same columns.
pub(in crate::data) fn pass<P: Piece>(pieces: &[P], kept: &Mutex<Vec<Scratch>>, ask: &mut Ask<'_>) {
    let mut scratch = kept.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
    scratch.prepare(pieces, ask);
    let sources =
        Side::BOTH.map(|side| ask.source_of(side).filter(|s| s.panel.cols() > 0 && ask.wants(side)));
    let Scratch { spans, parts, .. } = &mut scratch;
    let [first, others @ ..] = &mut parts[..] else { return };
    let z = &mut first.z;
    let mut caller = products(ask);
    rayon::join(
        || add_span(pieces, spans[0].clone(), sources, z, &mut caller, [None, None]),
        || {
            others.par_iter_mut().zip(&spans[1..]).with_max_len(1).for_each(|(part, span)| {
                let Part { z, sums, touched } = part;
                let mut sums = sums.each_mut().map(|from| from.each_mut().map(|lines| non_empty(lines)));
                let places = touched.each_ref().map(|t| t.as_ref().map(|t| &t.places[..]));
                add_span(pieces, span.clone(), sources, z, &mut sums, places);
            });
        },
    );
    for (target, source) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        if let (Some(out), Some(from)) = (&mut caller[target][source], sources[source]) {
            sum_parts(out, from.panel.lines_per_row(), others, target, source);
        }
    }
    kept.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
}

/// The rows of `span`, which counts through all pieces, as rows of each piece.
fn rows_of_pieces<P: Piece>(
    pieces: &[P],
    span: Range<usize>,
) -> impl Iterator<Item = (&PairedRows, Range<usize>)> {
    let mut before = 0;
    pieces.iter().map(Piece::rows).filter_map(move |piece| {
        let rows = piece.shape().rows;
        let here = |row: usize| row.saturating_sub(before).min(rows);
        let own = here(span.start)..here(span.end);
        before += rows;
        (!own.is_empty()).then_some((piece, own))
    })
}

/// Adds the rows of `span`, which counts through all pieces, into `sums`.
fn add_span<P: Piece>(
    pieces: &[P],
    span: Range<usize>,
    sources: [Option<Source<'_>>; 2],
    z: &mut Vec<Line>,
    sums: &mut Sums<'_>,
    places: [Option<&[u32]>; 2],
) {
    for (piece, rows) in rows_of_pieces(pieces, span) {
        piece.add_products(rows, sources, z, sums, places);
    }
}

impl Scratch {
    /// Cuts the rows and lays out zeroed panels for all parts but the first.
    fn prepare<P: Piece>(&mut self, pieces: &[P], ask: &Ask<'_>) {
        let threads = rayon::current_num_threads();
        if self.threads != threads {
            self.cut_rows(pieces, threads);
            self.threads = threads;
        }
        let Some(shape) = pieces.first().map(|piece| piece.rows().shape()) else { return };
        self.parts[1..].par_iter_mut().with_max_len(1).for_each(|part| {
            for (target, source) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let lines = match ask.source_of(Side::BOTH[source]) {
                    Some(s) if ask.wants_product(Side::BOTH[target], Side::BOTH[source]) => {
                        s.panel.lines_per_row()
                    }
                    _ => 0,
                };
                let count = lines * part.rows_of_sums(shape, target);
                let sum = &mut part.sums[target][source];
                if sum.capacity() < count {
                    *sum = zeroed_lines(count);
                } else {
                    sum.clear();
                    sum.resize(count, Line::zeroed());
                }
            }
        });
    }

    /// Cuts the rows into one part per thread, or into fewer if the parts would take too much memory.
    fn cut_rows<P: Piece>(&mut self, pieces: &[P], threads: usize) {
        let Some(shape) = pieces.first().map(|piece| piece.rows().shape()) else { return };
        let rows = pieces.iter().map(|piece| piece.rows().shape().rows).sum::<usize>();
        let allowed = (MOST_COPIES * (shape.x_cols + shape.y_cols)).max(FEW_ROWS);
        let mut parts = threads.min(rows).max(1);
        loop {
            cut(pieces, parts, &mut self.spans);
            let of_span = |span: &Range<usize>| Part {
                touched: Side::BOTH.map(|side| Touched::new(rows_of_pieces(pieces, span.clone()), side)),
                ..Part::default()
            };
            self.parts = vec![Part::default()];
            self.parts.par_extend(self.spans[1..].par_iter().with_max_len(1).map(of_span));
            let laid_out = |part: &Part| part.rows_of_sums(shape, 0) + part.rows_of_sums(shape, 1);
            if parts <= 2 || self.parts[1..].iter().map(laid_out).sum::<usize>() <= allowed {
                return;
            }
            parts = parts.div_ceil(2);
        }
    }
}

impl Part {
    /// The number of rows of the panels that take products with one view.
    fn rows_of_sums(&self, shape: Shape, target: usize) -> usize {
        match &self.touched[target] {
            Some(touched) => touched.columns.len(),
            None => shape.cols(Side::BOTH[target]),
        }
    }
}

/// The caller's panels, `[target][source]`.
fn products<'b>(ask: &'b mut Ask<'_>) -> Sums<'b> {
    ask.targets_mut().map(|from| from.map(|out| out.map(Panel::lines_mut)))
}

fn non_empty(lines: &mut [Line]) -> Option<&mut [Line]> {
    (!lines.is_empty()).then_some(lines)
}

/// Adds every part's panel to the caller's, one part after another.
fn sum_parts(out: &mut [Line], stride: usize, parts: &[Part], target: usize, source: usize) {
    let height = (SUM_LINES / stride).max(1);
    out.par_chunks_mut(height * stride).enumerate().for_each(|(chunk, out)| {
        let first = chunk * height;
        for part in parts {
            let sum = &part.sums[target][source];
            let Some(touched) = &part.touched[target] else {
                kernel::add(out, &sum[first * stride..][..out.len()]);
                continue;
            };
            let before = |column: usize| touched.columns.partition_point(|&c| (c as usize) < column);
            for place in before(first)..before(first + out.len() / stride) {
                let row = touched.columns[place] as usize - first;
                kernel::add(&mut out[row * stride..][..stride], &sum[place * stride..][..stride]);
            }
        }
    });
}

/// Cuts the rows of all pieces into `parts` spans of about equal numbers of entries.
pub(in crate::data) fn cut<P: Piece>(pieces: &[P], parts: usize, spans: &mut Vec<Range<usize>>) {
    let rows = pieces.iter().map(|piece| piece.rows().shape().rows).sum();
    let total = load(pieces, rows);
    spans.clear();
    let mut start = 0;
    for part in 1..=parts {
        let goal = total * part as u64 / parts as u64;
        let end = if part == parts { rows } else { first_row(start, rows, |row| load(pieces, row) >= goal) };
        spans.push(start..end);
        start = end;
    }
}

/// The approximate work of the rows before `row`: one per row and one per stored entry.
fn load<P: Piece>(pieces: &[P], row: usize) -> u64 {
    let (mut before, mut load) = (0, row as u64);
    for piece in pieces.iter().map(Piece::rows) {
        let own = row.saturating_sub(before).min(piece.shape().rows);
        load += Side::BOTH.iter().map(|&side| piece.entries_before(side, own)).sum::<u64>();
        before += piece.shape().rows;
    }
    load
}

/// The first row in `from..to` that is `enough`, by bisection; `to` if none is.
pub(in crate::data) fn first_row(mut from: usize, mut to: usize, enough: impl Fn(usize) -> bool) -> usize {
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
