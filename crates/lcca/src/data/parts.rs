//! A pass over rows that can be read here, in one piece or several.
//!
//! All rows together are cut into one part per thread, of about equal numbers of entries. Each part adds into its own
//! panels (the first straight into the caller's), which are then summed in a fixed order: the same thread count gives the
//! same bits. The extra panels are kept between passes, so that a warm pass allocates nothing.

use super::ask::{Ask, Source};
use super::paired_rows::{PairedRows, Sums};
use crate::kernel;
use crate::matrix::{Line, Panel, zeroed_lines};
use crate::side::Side;
use bytemuck::Zeroable;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The most parts the rows are cut into. Each costs up to four panels of memory.
pub(super) const MOST_PARTS: usize = 16;
/// Cache lines of the products that one thread sums at a time: 256 KiB, a share of the second-level cache.
const SUM_LINES: usize = 4096;

/// One piece of the rows.
pub(super) trait Piece: Sync {
    fn rows(&self) -> &PairedRows;
}

/// The memory that a pass needs besides the caller's panels.
#[derive(Default)]
pub(super) struct Scratch {
    spans: Vec<Range<usize>>,
    parts: Vec<Part>,
}

#[derive(Default)]
struct Part {
    z: Vec<Line>,
    /// `sums[target][source]`
    sums: [[Vec<Line>; 2]; 2],
}

/// One pass over all pieces, which have the same columns.
pub(super) fn pass<P: Piece>(pieces: &[P], kept: &Mutex<Vec<Scratch>>, ask: &mut Ask<'_>) {
    let mut scratch = kept.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
    scratch.prepare(pieces, ask);
    let sources =
        Side::BOTH.map(|side| ask.source_of(side).filter(|s| s.panel.cols() > 0 && ask.wants(side)));
    let Scratch { spans, parts } = &mut scratch;
    let [first, others @ ..] = &mut parts[..] else { return };
    let z = &mut first.z;
    let mut caller = products(ask);
    rayon::join(
        || add_span(pieces, spans[0].clone(), sources, z, &mut caller),
        || {
            others.par_iter_mut().zip(&spans[1..]).with_max_len(1).for_each(|(part, span)| {
                let Part { z, sums } = part;
                let mut sums = sums.each_mut().map(|from| from.each_mut().map(|lines| non_empty(lines)));
                add_span(pieces, span.clone(), sources, z, &mut sums);
            });
        },
    );
    sum_parts(&mut caller, others);
    kept.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
}

/// Adds the rows of `span`, counted through all pieces, into `sums`.
fn add_span<P: Piece>(
    pieces: &[P],
    span: Range<usize>,
    sources: [Option<Source<'_>>; 2],
    z: &mut Vec<Line>,
    sums: &mut Sums<'_>,
) {
    let mut before = 0;
    for piece in pieces.iter().map(Piece::rows) {
        let rows = piece.shape().rows;
        let here = |row: usize| row.saturating_sub(before).min(rows);
        let own = here(span.start)..here(span.end);
        if !own.is_empty() {
            piece.add_products(own, sources, z, sums);
        }
        before += rows;
    }
}

impl Scratch {
    /// Cuts the rows and lays out zeroed panels for all parts but the first.
    fn prepare<P: Piece>(&mut self, pieces: &[P], ask: &Ask<'_>) {
        let rows = pieces.iter().map(|piece| piece.rows().shape().rows).sum::<usize>();
        let parts = rayon::current_num_threads().min(MOST_PARTS).min(rows).max(1);
        if self.spans.len() != parts {
            cut(pieces, parts, &mut self.spans);
            self.parts.resize_with(parts, Part::default);
        }
        let Some(shape) = pieces.first().map(|piece| piece.rows().shape()) else { return };
        let lines = |target: Side, source: Side| match ask.source_of(source) {
            Some(s) if ask.wants_product(target, source) => s.panel.lines_per_row() * shape.cols(target),
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
            let first = chunk * SUM_LINES;
            let lines = first..first + out.len();
            parts.iter().for_each(|part| kernel::add(out, &part.sums[target][source][lines.clone()]));
        });
    }
}

/// Cuts the rows of all pieces into `parts` spans of about equal numbers of entries.
pub(super) fn cut<P: Piece>(pieces: &[P], parts: usize, spans: &mut Vec<Range<usize>>) {
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

/// About the work of the rows before `row`: one per row and one per stored entry.
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
pub(super) fn first_row(mut from: usize, mut to: usize, enough: impl Fn(usize) -> bool) -> usize {
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
