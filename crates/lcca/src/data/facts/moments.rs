//! Column sums, squared norms and counts.

use crate::error::Result;
use crate::matrix::{Buffer, ColumnSums, DenseRows, DenseValues, Matrix, Packed, Reader, zeros};
use bytemuck::{Pod, Zeroable};
use pulp::NullaryFnOnce;
use rayon::prelude::*;

/// The number of parts of the rows whose entries are counted by one thread each.
const PARTS: usize = 32;
/// The number of columns that one thread handles at a time, if each takes a few operations.
pub(crate) const COLUMNS: usize = 1 << 14;

/// Sums over the rows for each column of a view. If rows are weighted, the sums are too.
#[derive(Debug, Default, PartialEq)]
pub struct Moments {
    /// The sum of the row weights; the number of rows if they have none.
    pub weight: f64,
    /// The sum of each column.
    pub sum: Vec<f64>,
    /// The sum of squares of each column: the diagonal of XᵀX.
    pub square: Vec<f64>,
    /// The number of stored entries of each column.
    pub count: Vec<u64>,
    /// The number of entries of each column that are not zero. In dense storage they are fewer than the
    /// stored ones.
    pub nonzero: Vec<u64>,
}

/// Threads share the copy, because fresh memory takes longer to get from the system than to fill.
impl Clone for Moments {
    fn clone(&self) -> Self {
        let ((sum, square), (count, nonzero)) = rayon::join(
            || rayon::join(|| self.sum.clone(), || self.square.clone()),
            || rayon::join(|| self.count.clone(), || self.nonzero.clone()),
        );
        Moments { weight: self.weight, sum, square, count, nonzero }
    }
}

impl Moments {
    /// The moments of no rows.
    pub fn zero(cols: usize) -> Self {
        let (sum, square) = (vec![0.0; cols], vec![0.0; cols]);
        Moments { weight: 0.0, sum, square, count: vec![0; cols], nonzero: vec![0; cols] }
    }

    /// The moments of a view whose entries are all one, if rows have no weights. Counting the entries is
    /// enough.
    pub(in crate::data) fn by_counting(view: &Matrix) -> Self {
        Moments::of_counts(view.rows(), &count_columns(view))
    }

    /// The moments of `rows` rows of ones, from the number of entries in each column.
    pub fn of_counts<T: Copy + Sync + TryInto<u64>>(rows: usize, counts: &[T]) -> Self {
        let count = |&count: &T| count.try_into().unwrap_or(u64::MAX);
        let counts = || counts.par_iter().with_min_len(COLUMNS);
        let whole = || counts().map(count).collect();
        let numbers = || counts().map(|entries| count(entries) as f64).collect();
        let ((sum, square), (count, nonzero)) =
            rayon::join(|| rayon::join(numbers, numbers), || rayon::join(whole, whole));
        Moments { weight: rows as f64, sum, square, count, nonzero }
    }

    /// The moments of rows in the memory of a device, which sums them up there; `None` if the rows are on the
    /// host.
    pub(in crate::data) fn elsewhere(
        rows: &DenseRows,
        weights: Option<&Buffer<f64>>,
    ) -> Result<Option<Self>> {
        let Some((device, numbers)) = rows.elsewhere() else { return Ok(None) };
        let numbers_of = |weights: &Buffer<f64>| weights.iter().collect::<Vec<f64>>();
        let sums = device.column_sums(numbers, rows.cols(), weights.map(numbers_of).as_deref())?;
        Ok(Some(Moments::of_dense(rows.rows(), sums, weights)))
    }

    /// The moments of `rows` dense rows, from the sums of their columns.
    pub fn of_dense(rows: usize, sums: ColumnSums, weights: Option<&Buffer<f64>>) -> Self {
        let ColumnSums { sum, square, nonzero } = sums;
        let (mut weight, mut lost) = (0.0, 0.0);
        match weights {
            Some(weights) => weights.iter().for_each(|w| add_compensated(&mut weight, &mut lost, w)),
            None => weight = rows as f64,
        }
        let count = vec![rows as u64; sum.len()];
        Moments { weight: weight + lost, sum, square, count, nonzero }
    }

    /// The moments of `rows` of `view`. Sums are compensated, because a small difference of large sums
    /// decides whether a column varies at all.
    pub(in crate::data) fn new(
        view: &Matrix,
        rows: impl Iterator<Item = usize>,
        weight: impl Fn(usize) -> f64,
    ) -> Self {
        match view {
            Matrix::Dense(view) => Moments::of_dense_rows(view, rows, weight),
            Matrix::Sparse(_) | Matrix::OneHot(_) => Moments::of_entries(view, rows, weight),
        }
    }

    fn of_dense_rows(
        view: &DenseRows,
        rows: impl Iterator<Item = usize>,
        weight: impl Fn(usize) -> f64,
    ) -> Self {
        let (mut moments, mut lost) = (Moments::zero(view.cols()), Moments::zero(view.cols()));
        let mut count = 0;
        let none;
        let origin = match view.origin() {
            Some(origin) => origin,
            None => {
                none = vec![0.0; view.cols()];
                &none
            }
        };
        for row in rows {
            let w = weight(row);
            add_compensated(&mut moments.weight, &mut lost.weight, w);
            count += 1;
            let row = row * view.cols()..(row + 1) * view.cols();
            match view.values() {
                DenseValues::F32(values) => moments.add_row(&mut lost, w, &values.as_slice()[row], origin),
                DenseValues::F64(values) => moments.add_row(&mut lost, w, &values.as_slice()[row], origin),
            }
        }
        moments.add(&lost);
        moments.count.fill(count);
        moments
    }

    /// Keeps the sums of a column side by side, because an entry then waits for memory only once.
    fn of_entries(view: &Matrix, rows: impl Iterator<Item = usize>, weight: impl Fn(usize) -> f64) -> Self {
        let (mut sums, reader) = (zeros::<ColumnSum>(view.cols()), Reader::new(view));
        let (mut total, mut lost) = (0.0, 0.0);
        for row in rows {
            let w = weight(row);
            add_compensated(&mut total, &mut lost, w);
            reader.for_each(row, |column, value| sums[column].add(w, value));
        }
        Moments {
            weight: total + lost,
            sum: sums.iter().map(|column| column.sum + column.lost_sum).collect(),
            square: sums.iter().map(|column| column.square + column.lost_square).collect(),
            count: sums.iter().map(|column| column.count).collect(),
            nonzero: sums.iter().map(|column| column.nonzero).collect(),
        }
    }

    /// The moments of all rows from those of parts of them, added in the order of the parts.
    pub(in crate::data) fn total(parts: &[Moments], cols: usize) -> Self {
        let columns = || (0..cols).into_par_iter().with_min_len(COLUMNS);
        let numbers = |of: fn(&Moments) -> &[f64]| -> Vec<f64> {
            columns().map(|j| parts.iter().fold(0.0, |sum, part| sum + of(part)[j])).collect()
        };
        let counts = |of: fn(&Moments) -> &[u64]| -> Vec<u64> {
            columns().map(|j| parts.iter().map(|part| of(part)[j]).sum()).collect()
        };
        Moments {
            weight: parts.iter().fold(0.0, |sum, part| sum + part.weight),
            sum: numbers(|part| &part.sum),
            square: numbers(|part| &part.square),
            count: counts(|part| &part.count),
            nonzero: counts(|part| &part.nonzero),
        }
    }

    /// Adds a dense row after subtracting the origin; its entries are counted already.
    fn add_row<T: Copy + Into<f64>>(
        &mut self,
        lost: &mut Moments,
        w: f64,
        row: &[Packed<T>],
        origin: &[f64],
    ) {
        pulp::Arch::new().dispatch(AddRow { moments: self, lost, w, row, origin });
    }

    /// Adds the moments of other rows of the same columns.
    pub fn add(&mut self, other: &Moments) {
        self.weight += other.weight;
        self.sum.iter_mut().zip(&other.sum).for_each(|(a, b)| *a += b);
        self.square.iter_mut().zip(&other.square).for_each(|(a, b)| *a += b);
        self.count.iter_mut().zip(&other.count).for_each(|(a, b)| *a += b);
        self.nonzero.iter_mut().zip(&other.nonzero).for_each(|(a, b)| *a += b);
    }

    /// The moments of columns from which `origin` is subtracted, whether entries are stored or not.
    pub(in crate::data) fn about(&self, origin: &[f64]) -> Moments {
        let weight = self.weight;
        let columns = self.sum.iter().zip(&self.square).zip(origin);
        let moved = |((sum, square), o): ((&f64, &f64), &f64)| {
            (sum - weight * o, square - o * (2.0 * sum - weight * o))
        };
        let (sum, square) = columns.map(moved).unzip();
        Moments { weight, sum, square, count: self.count.clone(), nonzero: self.nonzero.clone() }
    }

    /// Column means.
    pub fn mean(&self) -> Vec<f64> {
        self.sum.par_iter().with_min_len(COLUMNS).map(|sum| sum / self.weight).collect()
    }

    /// The sum of squares of a centered column. If its variance is lost in rounding, it counts as constant
    /// and gets 0.
    pub fn centered_square(&self, column: usize) -> f64 {
        let (sum, square) = (self.sum[column], self.square[column]);
        let centered = square - sum * (sum / self.weight);
        // Both terms carry a relative error of a few 1e-16; 1e-13 leaves room for sums over many rows.
        if centered > 1e-13 * square { centered } else { 0.0 }
    }

    /// The approximate share of a column's sum of squares that is left after centering; 1 if the column is
    /// empty. Its logarithm says how many digits centering costs.
    pub(crate) fn left_by_centering(&self, column: usize) -> f64 {
        let (sum, square) = (self.sum[column], self.square[column]);
        if square > 0.0 { (1.0 - sum * (sum / self.weight) / square).max(0.0) } else { 1.0 }
    }

    /// The moments of the centered columns.
    pub fn centered(&self) -> Moments {
        let (square, (count, nonzero)) = rayon::join(
            || self.centered_squares(),
            || rayon::join(|| self.count.clone(), || self.nonzero.clone()),
        );
        Moments { weight: self.weight, sum: vec![0.0; self.sum.len()], square, count, nonzero }
    }

    /// The sums of squares of all centered columns.
    pub(crate) fn centered_squares(&self) -> Vec<f64> {
        let columns = (0..self.sum.len()).into_par_iter().with_min_len(COLUMNS);
        columns.map(|column| self.centered_square(column)).collect()
    }

    /// The moments of columns that are multiplied by `factors`, one per column.
    pub fn scaled(&self, factors: &[f64]) -> Moments {
        let times = |numbers: &[f64], power: i32| -> Vec<f64> {
            numbers.iter().zip(factors).map(|(number, factor)| number * factor.powi(power)).collect()
        };
        let (sum, square) = (times(&self.sum, 1), times(&self.square, 2));
        Moments { weight: self.weight, sum, square, count: self.count.clone(), nonzero: self.nonzero.clone() }
    }

    /// The moments of some of the columns, in the given order.
    pub(in crate::data) fn select(&self, columns: &[u32]) -> Moments {
        fn pick<T: Copy>(numbers: &[T], columns: &[u32]) -> Vec<T> {
            columns.iter().map(|&column| numbers[column as usize]).collect()
        }
        Moments {
            weight: self.weight,
            sum: pick(&self.sum, columns),
            square: pick(&self.square, columns),
            count: pick(&self.count, columns),
            nonzero: pick(&self.nonzero, columns),
        }
    }

    /// tr(XᵀX).
    pub fn trace(&self) -> f64 {
        self.square.iter().sum()
    }
}

/// The sums of one column, and the parts of them that rounding took away.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct ColumnSum {
    sum: f64,
    lost_sum: f64,
    square: f64,
    lost_square: f64,
    count: u64,
    nonzero: u64,
}

impl ColumnSum {
    #[inline(always)]
    fn add(&mut self, w: f64, value: f64) {
        add_compensated(&mut self.sum, &mut self.lost_sum, w * value);
        add_compensated(&mut self.square, &mut self.lost_square, w * value * value);
        self.count += 1;
        self.nonzero += u64::from(value != 0.0);
    }
}

/// Adds a dense row. It is a struct because its loops are compiled for the processor that they run on.
struct AddRow<'a, T> {
    moments: &'a mut Moments,
    lost: &'a mut Moments,
    w: f64,
    row: &'a [Packed<T>],
    origin: &'a [f64],
}

impl<T: Copy + Into<f64>> NullaryFnOnce for AddRow<'_, T> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        let AddRow { moments, lost, w, row, origin } = self;
        let sums = moments.sum.iter_mut().zip(&mut lost.sum).zip(row).zip(origin);
        sums.for_each(|(((sum, lost), v), o)| add_compensated(sum, lost, w * (v.get().into() - o)));
        let squares = moments.square.iter_mut().zip(&mut lost.square).zip(row).zip(origin);
        squares.for_each(|(((square, lost), v), o)| {
            let value = v.get().into() - o;
            add_compensated(square, lost, w * value * value);
        });
        let counts = moments.nonzero.iter_mut().zip(row).zip(origin);
        counts.for_each(|((count, v), o)| *count += u64::from(v.get().into() != *o));
    }
}

/// sum ← sum + term, adding the part that rounding took away to `lost`. This is Knuth's two-sum: the
/// compiler can add several columns at a time because it has no branch.
#[inline(always)]
fn add_compensated(sum: &mut f64, lost: &mut f64, term: f64) {
    let new = *sum + term;
    let added = new - *sum;
    *lost += (*sum - (new - added)) + (term - added);
    *sum = new;
}

/// The number of stored entries of each column.
pub(in crate::data) fn count_columns(view: &Matrix) -> Vec<usize> {
    let reader = Reader::new(view);
    // Each part has counts of its own, which are worth adding up only if its entries outnumber them.
    let parts = (view.entries() as usize / (4 * view.cols().max(1))).clamp(1, PARTS);
    let count_part = |part: usize| {
        let mut counts = vec![0u32; view.cols()];
        for row in view.rows() * part / parts..view.rows() * (part + 1) / parts {
            reader.for_each(row, |column, _| counts[column] += 1);
        }
        counts
    };
    let parts: Vec<Vec<u32>> = (0..parts).into_par_iter().with_max_len(1).map(count_part).collect();
    let count = |column: usize| parts.iter().map(|part| part[column] as usize).sum();
    (0..view.cols()).into_par_iter().with_min_len(COLUMNS).map(count).collect()
}
