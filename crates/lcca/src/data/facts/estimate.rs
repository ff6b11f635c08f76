//! The number of entries that [X Y]ᵀ[X Y] would have, estimated from a sample of the rows.
//!
//! A row of r entries in both views contributes r(r + 1)/2 pairs of columns; the Gram matrix has an entry
//! for every pair that occurs. If s sampled rows have D different pairs, f of which occur once, the next
//! row adds new pairs at the rate f/s (Good & Turing), so D grows like s^(f/D), and n rows have about
//! D·(n/s)^(f/D). The estimate is on the high side, because the exponent falls as rows are added.

use crate::matrix::{Matrix, Reader, zeros};
use crate::side::Shape;
use rayon::prelude::*;

/// The number of pairs of columns at which the sample ends. It holds at most twice as many, because its
/// last row may add as many again; a row with more pairs than this is skipped.
const SAMPLE: f64 = 1e6;

/// The numbers of rows whose pairs one thread counts at a time, of rows whose pairs it collects at a time,
/// and of parts in which the pairs are compared.
const COUNTED: usize = 1 << 14;
const COLLECTED: usize = 1 << 10;
const PARTS: usize = 64;
/// The number of rows that one thread looks at before some of them are taken.
const LOOKED_AT: usize = 1 << 10;
/// The number of pairs that one thread puts into parts at a time, and the odd number that pairs are
/// multiplied by to spread them over the parts.
const PARTED: usize = 1 << 16;
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// With more pairs than this per entry, passes over the rows are cheaper, and no sample is needed to see
/// it.
const HOPELESS: f64 = 1000.0;

/// The cost of a multiplication that forms the matrix, as a share of the cost of an entry of the formed
/// matrix in a fit of few passes.
const FORMING: f64 = 0.02;

/// The cost of Gram mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GramEstimate {
    /// Entries of all four blocks, approximately.
    pub entries: f64,
    /// Multiplications to form them.
    pub work: f64,
    /// Entries that a pass over the rows touches: each three times.
    pub touched: f64,
}

impl GramEstimate {
    /// The bytes that forming the blocks takes: all four of them while they are put together, and a
    /// transposed view.
    pub fn bytes(&self) -> f64 {
        24.0 * self.entries + 4.0 * self.touched
    }
}

/// Counts over all rows, and the pairs of columns in a sample of them.
#[derive(Clone, Debug)]
pub struct GramSample {
    /// The number of rows in all.
    pub rows: usize,
    /// The number of rows whose pairs are in the sample.
    pub sampled_rows: usize,
    /// The number of pairs of columns in all rows.
    pub all: f64,
    /// The number of pairs in the row with the most.
    pub largest: f64,
    /// The number of stored entries of both views.
    pub stored: f64,
    /// The sampled pairs, row after row.
    pub pairs: Vec<u64>,
}

impl GramSample {
    /// Samples two views that are one of `pieces` pieces of the rows, and takes that share of the whole
    /// sample from them.
    pub(in crate::data) fn new(views: &[Matrix; 2], pieces: usize) -> Self {
        let [x, y] = views;
        let (rows, stored) = (x.rows(), (x.entries() + y.entries()) as f64);
        if let [Matrix::OneHot(_), Matrix::OneHot(_)] = views {
            // Two columns make three pairs.
            let (all, largest) = (3.0 * rows as f64, 3.0);
            return GramSample { rows, sampled_rows: 0, all, largest, stored, pairs: Vec::new() };
        }
        let readers = [Reader::new(x), Reader::new(y)];
        let counts = (0..rows).into_par_iter().with_min_len(COUNTED).map(|row| pairs_in(&readers, row));
        let (all, largest) = counts
            .fold(|| (0.0, 0.0f64), |(sum, most), pairs| (sum + pairs, most.max(pairs)))
            .reduce(|| (0.0, 0.0), |a, b| (a.0 + b.0, a.1.max(b.1)));
        let mut sample = GramSample { rows, sampled_rows: 0, all, largest, stored, pairs: Vec::new() };
        if !sample.is_hopeless() && !sample.is_decided() {
            sample.add_rows(&readers, x.cols(), SAMPLE / pieces.max(1) as f64);
        }
        sample
    }

    /// Takes rows evenly until they have about `enough` pairs.
    fn add_rows(&mut self, views: &[Reader<'_>; 2], x_cols: usize, enough: f64) {
        let step = ((self.all / enough).ceil() as usize).max(1);
        let (mut rows, mut pairs) = (Vec::new(), 0.0);
        let candidates = (0..self.rows).into_par_iter().step_by(step).with_min_len(LOOKED_AT);
        let candidates: Vec<(usize, f64)> = candidates.map(|row| (row, pairs_in(views, row))).collect();
        for (row, own) in candidates.into_iter().filter(|&(_, own)| own <= enough) {
            rows.push(row);
            pairs += own;
            if pairs > enough {
                break;
            }
        }
        self.sampled_rows = rows.len();
        let collected = rows.par_chunks(COLLECTED).map(|rows| {
            let (mut columns, mut pairs) = (Vec::new(), Vec::new());
            rows.iter().for_each(|&row| push_pairs(views, x_cols, row, &mut columns, &mut pairs));
            pairs
        });
        self.pairs = concatenated(&collected.collect::<Vec<_>>());
    }

    /// Whether the pairs outnumber the entries so far that Gram matrices cannot pay.
    fn is_hopeless(&self) -> bool {
        self.all > HOPELESS * self.stored
    }

    /// Whether rows are so short, as in one-hot views, that the blocks hold less than a pass touches even if
    /// no pair occurs twice.
    fn is_decided(&self) -> bool {
        self.apart() <= self.stored
    }

    /// The number of entries off the diagonals if no pair occurred twice.
    fn apart(&self) -> f64 {
        2.0 * (self.all - self.stored)
    }

    /// The sample of two pieces of the rows together.
    pub fn plus(mut self, other: Self) -> Self {
        self.pairs.extend(other.pairs);
        GramSample {
            rows: self.rows + other.rows,
            sampled_rows: self.sampled_rows + other.sampled_rows,
            all: self.all + other.all,
            largest: self.largest.max(other.largest),
            stored: self.stored + other.stored,
            pairs: self.pairs,
        }
    }

    /// The estimate for a pair of this shape.
    pub fn estimate(self, shape: Shape) -> GramEstimate {
        let width = (shape.x_cols + shape.y_cols) as f64;
        let most = (width + self.apart()).min(width * width);
        let entries = if self.sampled_rows == 0 { most } else { self.grown() };
        GramEstimate {
            // A single row contributes all its pairs, sampled or not.
            entries: entries.max(2.0 * self.largest).min(most),
            work: 2.0 * self.all,
            touched: 3.0 * self.stored,
        }
    }

    /// Twice the number of different pairs that all rows may be expected to have.
    fn grown(&self) -> f64 {
        let (different, once) = count(&self.pairs);
        let unseen = self.rows as f64 / self.sampled_rows.max(1) as f64;
        if different > 0.0 { 2.0 * different * unseen.powf(once / different) } else { 0.0 }
    }
}

impl GramEstimate {
    /// Whether passes over the joint Gram matrix are clearly cheaper than passes over the rows, even if
    /// only this share of the rows is different and equal ones are merged.
    pub(in crate::data) fn is_small(&self, share: f64) -> bool {
        self.entries + FORMING * self.work < share * self.touched
    }

    /// An estimate for two pieces of the rows together: pairs that occur in both are counted twice.
    pub(in crate::data) fn plus(self, other: Self, shape: Shape) -> Self {
        let width = (shape.x_cols + shape.y_cols) as f64;
        GramEstimate {
            entries: (self.entries + other.entries).min(width * width),
            work: self.work + other.work,
            touched: self.touched + other.touched,
        }
    }
}

fn pairs_in(views: &[Reader<'_>; 2], row: usize) -> f64 {
    let r: u64 = views.iter().map(|view| view.row_entries(row)).sum();
    (r * (r + 1) / 2) as f64
}

/// Appends the pairs of columns, of both views together, in which a row has entries. `columns` is scratch
/// memory.
fn push_pairs(
    [x, y]: &[Reader<'_>; 2],
    x_cols: usize,
    row: usize,
    columns: &mut Vec<u64>,
    pairs: &mut Vec<u64>,
) {
    columns.clear();
    x.for_each(row, |column, _| columns.push(column as u64));
    y.for_each(row, |column, _| columns.push((x_cols + column) as u64));
    for (i, first) in columns.iter().enumerate() {
        pairs.extend(columns[i..].iter().map(|second| first << 32 | second));
    }
}

/// All parts one after another, copied by several threads.
fn concatenated(parts: &[Vec<u64>]) -> Vec<u64> {
    let mut all = zeros(parts.iter().map(Vec::len).sum());
    let (mut rest, mut places) = (&mut all[..], Vec::with_capacity(parts.len()));
    for part in parts {
        let (place, after) = rest.split_at_mut(part.len());
        places.push(place);
        rest = after;
    }
    places.into_par_iter().zip(parts).for_each(|(place, part)| place.copy_from_slice(part));
    all
}

/// The number of different pairs, and the number of pairs that occur once. Each part is sorted by itself,
/// because equal pairs come into the same part.
fn count(pairs: &[u64]) -> (f64, f64) {
    let part_of = |pair: u64| (pair.wrapping_mul(SPREAD) >> (u64::BITS - PARTS.ilog2())) as usize;
    let parted = |pairs: &[u64]| {
        let mut parts: [Vec<u64>; PARTS] =
            std::array::from_fn(|_| Vec::with_capacity(pairs.len() / PARTS * 2));
        pairs.iter().for_each(|&pair| parts[part_of(pair)].push(pair));
        parts
    };
    let parted: Vec<[Vec<u64>; PARTS]> = pairs.par_chunks(PARTED).map(parted).collect();
    let of_part = |part: usize| {
        let mut pairs: Vec<u64> = parted.iter().flat_map(|parts| &parts[part]).copied().collect();
        pairs.sort_unstable();
        let (mut different, mut once) = (0u64, 0u64);
        for same in pairs.chunk_by(|a, b| a == b) {
            different += 1;
            once += u64::from(same.len() == 1);
        }
        (different, once)
    };
    let add = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1 + b.1);
    let (different, once) = (0..PARTS).into_par_iter().with_max_len(1).map(of_part).reduce(|| (0, 0), add);
    (different as f64, once as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{InMemory, JointGrams};
    use crate::testing::zipf_rows;

    #[test]
    fn the_estimate_is_near_what_is_formed() {
        for rows in [500, 60_000] {
            let views = [zipf_rows(rows, 300, 8, 1), zipf_rows(rows, 200, 5, 2)];
            let pair = InMemory::new(views[0].clone(), views[1].clone()).unwrap();
            let estimate = pair.estimate().unwrap().unwrap();
            let formed = pair.joint_gram(u64::MAX).unwrap().entries() as f64;
            assert!((0.7..2.0).contains(&(estimate.entries / formed)), "{estimate:?} against {formed}");
        }
    }

    #[test]
    fn equal_pairs_are_counted_once_whatever_the_parts() {
        let pairs: Vec<u64> = (0..300_000u64).map(|i| (((i * 7919) % 200_003) << 32) | (i % 3)).collect();
        let mut times = std::collections::HashMap::<u64, u64>::new();
        pairs.iter().for_each(|&pair| *times.entry(pair).or_default() += 1);
        let once = times.values().filter(|&&times| times == 1).count();
        assert_eq!(count(&pairs), (times.len() as f64, once as f64));
        assert_eq!(count(&[]), (0.0, 0.0));
    }

    #[test]
    fn samples_of_pieces_say_what_a_sample_of_all_rows_says() {
        let views = [zipf_rows(60_000, 300, 8, 1), zipf_rows(60_000, 200, 5, 2)];
        let piece = |rows: std::ops::Range<usize>| {
            std::sync::Arc::new(InMemory::new(views[0].slice(rows.clone()), views[1].slice(rows)).unwrap())
        };
        let pieces = (0..12).map(|i| piece(5000 * i..5000 * (i + 1))).collect();
        let pieces = crate::data::Pieces::new(pieces).unwrap().estimate().unwrap().unwrap();
        let whole = InMemory::new(views[0].clone(), views[1].clone()).unwrap();
        let whole = whole.estimate().unwrap().unwrap();
        assert!((0.9..1.1).contains(&(pieces.entries / whole.entries)), "{pieces:?} against {whole:?}");
        assert_eq!((pieces.work, pieces.touched), (whole.work, whole.touched));
    }

    #[test]
    fn one_row_with_very_many_entries_is_known_to_fill_the_gram_matrix_and_not_looked_into() {
        let rows: Vec<std::ops::Range<u32>> =
            std::iter::once(0..60_000).chain((0..400_000).map(|i| i..i + 20)).collect();
        let columns: Vec<u32> = rows.iter().cloned().flatten().collect();
        let ends = rows.iter().scan(0, |end, row| {
            *end += row.len() as u64;
            Some(*end)
        });
        let offsets: Vec<u64> = std::iter::once(0).chain(ends).collect();
        let wide = crate::matrix::SparseRows::new(
            400_020,
            offsets.into(),
            columns.into(),
            crate::matrix::Values::Ones,
        );
        let wide: Matrix = wide.unwrap().into();
        let pair = InMemory::new(wide, zipf_rows(400_001, 50, 2, 1)).unwrap();
        let estimate = pair.estimate().unwrap().unwrap();
        assert!(estimate.entries >= 3.6e9, "{estimate:?}");
    }
}
