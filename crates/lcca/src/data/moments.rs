//! Column sums, squared norms and counts.

use crate::matrix::{DenseValues, Matrix, Packed};

/// What one reading of a view says about its columns. With row weights, sums are weighted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moments {
    /// Sum of the row weights; the number of rows where there are none.
    pub weight: f64,
    /// Sum of each column.
    pub sum: Vec<f64>,
    /// Sum of squares of each column: the diagonal of XᵀX.
    pub square: Vec<f64>,
    /// Stored entries of each column.
    pub count: Vec<u64>,
}

impl Moments {
    pub(super) fn zero(cols: usize) -> Self {
        Moments { weight: 0.0, sum: vec![0.0; cols], square: vec![0.0; cols], count: vec![0; cols] }
    }

    /// Of `rows` of a view whose entries are all one, where rows have no weights: counting is enough.
    pub(super) fn by_counting(view: &Matrix, rows: std::ops::Range<usize>) -> Self {
        let mut count = vec![0u64; view.cols()];
        let weight = rows.len() as f64;
        rows.for_each(|row| view.for_each(row, |column, _| count[column] += 1));
        let sum: Vec<f64> = count.iter().map(|&count| count as f64).collect();
        Moments { weight, square: sum.clone(), sum, count }
    }

    /// Of `rows` of `view`. Sums are compensated: whether a column varies at all is a small difference of large sums.
    pub(super) fn of(view: &Matrix, rows: std::ops::Range<usize>, weight: impl Fn(usize) -> f64) -> Self {
        let (mut moments, mut lost) = (Moments::zero(view.cols()), Moments::zero(view.cols()));
        for row in rows {
            let w = weight(row);
            add_compensated(&mut moments.weight, &mut lost.weight, w);
            if let Matrix::Dense(m) = view {
                let row = row * m.cols()..(row + 1) * m.cols();
                match m.values() {
                    DenseValues::F32(values) => moments.add_row(&mut lost, w, &values.as_slice()[row]),
                    DenseValues::F64(values) => moments.add_row(&mut lost, w, &values.as_slice()[row]),
                }
                continue;
            }
            view.for_each(row, |column, value| {
                add_compensated(&mut moments.sum[column], &mut lost.sum[column], w * value);
                add_compensated(&mut moments.square[column], &mut lost.square[column], w * value * value);
                moments.count[column] += 1;
            });
        }
        moments.add(&lost);
        moments
    }

    /// Adds a row with every entry, all columns alike.
    fn add_row<T: Copy + Into<f64>>(&mut self, lost: &mut Moments, w: f64, row: &[Packed<T>]) {
        let sums = self.sum.iter_mut().zip(&mut lost.sum).zip(row);
        sums.for_each(|((sum, lost), v)| add_compensated(sum, lost, w * v.get().into()));
        let squares = self.square.iter_mut().zip(&mut lost.square).zip(row);
        squares.for_each(|((square, lost), v)| {
            let value: f64 = v.get().into();
            add_compensated(square, lost, w * value * value);
        });
        self.count.iter_mut().for_each(|count| *count += 1);
    }

    /// Adds the moments of other rows of the same view.
    pub fn add(&mut self, other: &Moments) {
        self.weight += other.weight;
        self.sum.iter_mut().zip(&other.sum).for_each(|(a, b)| *a += b);
        self.square.iter_mut().zip(&other.square).for_each(|(a, b)| *a += b);
        self.count.iter_mut().zip(&other.count).for_each(|(a, b)| *a += b);
    }

    /// Column means.
    pub fn mean(&self) -> Vec<f64> {
        self.sum.iter().map(|sum| sum / self.weight).collect()
    }

    /// The moments of the centred columns. A column whose variance is lost in rounding counts as constant: 0.
    pub fn centred(&self) -> Moments {
        let about_mean = |(sum, square): (&f64, &f64)| {
            let centred = square - sum * (sum / self.weight);
            if centred > 1e-13 * square { centred } else { 0.0 }
        };
        Moments {
            weight: self.weight,
            sum: vec![0.0; self.sum.len()],
            square: self.sum.iter().zip(&self.square).map(about_mean).collect(),
            count: self.count.clone(),
        }
    }

    /// tr(XᵀX).
    pub fn trace(&self) -> f64 {
        self.square.iter().sum()
    }
}

/// sum ← sum + term, with what rounding took away collected in `lost` (Knuth's two-sum: no branch, so that columns can be
/// added several at a time).
#[inline(always)]
fn add_compensated(sum: &mut f64, lost: &mut f64, term: f64) {
    let new = *sum + term;
    let added = new - *sum;
    *lost += (*sum - (new - added)) + (term - added);
    *sum = new;
}
