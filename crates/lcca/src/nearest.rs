//! Similar columns of the data: cosines between rows of p×k panels, which have one row per column of the
//! data.
//!
//! Each query takes p·k operations. Nothing is kept between queries.

use crate::matrix::Panel;
use std::cmp::Ordering;

/// A row of a panel and its score in a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The row.
    pub row: usize,
    /// The cosine or the entry by which the row was chosen.
    pub score: f64,
}

/// The `count` rows with the largest cosine with `vector`, largest first and equal ones in order. Rows of
/// zeros are left out, because they have no direction. If `vector` is zero, the result is empty.
pub fn nearest(panel: &Panel, vector: &[f64], count: usize) -> Vec<Scored> {
    let length = norm(vector);
    let cosine = |row: usize| {
        let candidate = panel.row(row);
        let lengths = length * norm(candidate);
        (lengths > 0.0).then(|| Scored { row, score: (dot(candidate, vector) / lengths).clamp(-1.0, 1.0) })
    };
    largest((0..panel.rows()).filter_map(cosine).collect(), count, |scored| scored.score)
}

/// The `count` rows with the largest absolute entries in one column of the panel, largest first and equal
/// ones in order. Zeros are left out.
pub fn leading(panel: &Panel, column: usize, count: usize) -> Vec<Scored> {
    let entries = (0..panel.rows()).map(|row| Scored { row, score: panel.row(row)[column] });
    largest(entries.filter(|entry| entry.score != 0.0).collect(), count, |entry| entry.score.abs())
}

/// Scales every row to length one. Rows of zeros stay as they are.
pub fn normalize_rows(panel: &mut Panel) {
    for row in 0..panel.rows() {
        let numbers = panel.row_mut(row);
        let length = norm(numbers);
        if length > 0.0 {
            numbers.iter_mut().for_each(|number| *number /= length);
        }
    }
}

/// The `count` largest by `size`, in order. They are selected first, so that not all rows have to be
/// sorted.
fn largest(mut all: Vec<Scored>, count: usize, size: impl Fn(&Scored) -> f64) -> Vec<Scored> {
    let order = |a: &Scored, b: &Scored| match size(b).total_cmp(&size(a)) {
        Ordering::Equal => a.row.cmp(&b.row),
        other => other,
    };
    if count < all.len() {
        all.select_nth_unstable_by(count, order);
        all.truncate(count);
    }
    all.sort_unstable_by(order);
    all
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The Euclidean length. Numbers are divided by the largest first, so that no square overflows or vanishes.
fn norm(numbers: &[f64]) -> f64 {
    let size = numbers.iter().fold(0.0f64, |size, number| size.max(number.abs()));
    if size == 0.0 { 0.0 } else { size * numbers.iter().map(|n| (n / size).powi(2)).sum::<f64>().sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(rows: &[[f64; 2]]) -> Panel {
        Panel::from_fn(rows.len(), 2, |i, j| rows[i][j])
    }

    fn rows(scored: &[Scored]) -> Vec<usize> {
        scored.iter().map(|scored| scored.row).collect()
    }

    #[test]
    fn length_does_not_count_and_direction_does() {
        let panel = panel(&[[0.0, 0.0], [3.0, 4.0], [-3.0, -4.0], [1e-200, 0.0], [6.0, 8.0], [0.0, 5.0]]);
        let all = nearest(&panel, &[30.0, 40.0], 9);
        assert_eq!(rows(&all), [1, 4, 5, 3, 2]);
        let expected = [1.0, 1.0, 0.8, 0.6, -1.0];
        assert!(all.iter().zip(expected).all(|(scored, cosine)| (scored.score - cosine).abs() < 1e-15));
        assert_eq!(rows(&nearest(&panel, &[30.0, 40.0], 2)), [1, 4]);
        assert!(nearest(&panel, &[0.0, 0.0], 9).is_empty());
    }

    #[test]
    fn entries_lead_by_size_and_keep_their_sign() {
        let panel = panel(&[[1.0, 0.0], [-3.0, 0.0], [2.0, 7.0], [3.0, 0.0]]);
        let largest = leading(&panel, 0, 3);
        assert_eq!(rows(&largest), [1, 3, 2]);
        assert_eq!(largest[0].score, -3.0);
        assert_eq!(rows(&leading(&panel, 1, 3)), [2]);
    }

    #[test]
    fn rows_get_length_one_or_stay_zero() {
        let mut panel = panel(&[[3.0, -4.0], [0.0, 0.0], [1e-300, 0.0]]);
        normalize_rows(&mut panel);
        let expected = [[0.6, -0.8], [0.0, 0.0], [1.0, 0.0]];
        assert!(
            (0..3).all(|row| panel.row(row).iter().zip(expected[row]).all(|(a, b)| (a - b).abs() < 1e-15))
        );
    }
}
