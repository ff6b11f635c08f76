//! Decides whether a first line of numbers looks like labels (0, 1, 2, years, wavelengths) rather than
//! data.
//!
//! Each rule is one that data hardly ever meet by chance, because a false alarm costs the user a flag and a
//! missed header costs a wrong answer. The rules are listed in docs/files.md.

/// The fewest rows from which we conclude anything about the range of a column.
const FEW: usize = 5;
/// The least number of columns that may ascend in any steps. This many numbers in random order ascend less
/// than once in 700 times.
const MANY: usize = 6;

/// A number, and the number of decimals that it is written with.
#[derive(Clone, Copy)]
pub(super) struct Written {
    /// NaN if it is missing.
    pub(super) value: f64,
    pub(super) decimals: usize,
}

/// Whether these numbers look like labels of the columns whose next rows are `rows`.
pub(super) fn look_like_labels(first: &[Written], rows: &[Vec<Written>]) -> bool {
    if first.iter().any(|number| !number.value.is_finite()) {
        return false;
    }
    let values = |row: &[Written]| row.iter().map(|number| number.value).collect::<Vec<f64>>();
    is_written_otherwise(first, rows)
        || are_labels(&values(first), &rows.iter().map(|row| values(row)).collect::<Vec<_>>())
}

fn are_labels(first: &[f64], rows: &[Vec<f64>]) -> bool {
    counts_from_zero(first, rows)
        || is_progression(first) && !rows.iter().all(|row| is_progression(row))
        || is_whole(first) && rows.len() >= FEW && rows.iter().flatten().all(|&cell| cell.fract() != 0.0)
        || first.len() >= 2 && rows.len() >= FEW && is_far_from_all(first, rows)
}

/// Whether in every column the first number has far fewer decimals than each number below: 10 above 2.0 and
/// 3.25, or 2.50 above 0.7316. If all numbers below have equally many, one fewer is enough.
fn is_written_otherwise(first: &[Written], rows: &[Vec<Written>]) -> bool {
    let is_otherwise = |(column, label): (usize, &Written)| {
        let below = rows.iter().map(|row| row[column]).filter(|number| !number.value.is_nan());
        let decimals: Vec<usize> = below.map(|number| number.decimals).collect();
        let (Some(&low), Some(&high)) = (decimals.iter().min(), decimals.iter().max()) else { return false };
        label.decimals < low && (low == high || label.decimals * 2 <= low)
    };
    rows.len() >= FEW && first.iter().enumerate().all(is_otherwise)
}

/// Whether the line is 0, 1, 2 and so on, as pandas labels columns, and the rows hold other numbers.
fn counts_from_zero(first: &[f64], rows: &[Vec<f64>]) -> bool {
    let counts = first.iter().enumerate().all(|(place, &number)| number == place as f64);
    let could_be_data = |&cell: &f64| cell.fract() == 0.0 && (0.0..first.len() as f64).contains(&cell);
    let enough = if first.len() == 1 { FEW } else { 1 };
    counts && rows.len() >= enough && !rows.iter().flatten().filter(|cell| !cell.is_nan()).all(could_be_data)
}

/// Whether the numbers ascend, either in equal steps or, if they are many, in any steps.
fn is_progression(row: &[f64]) -> bool {
    let ascends = row.windows(2).all(|pair| pair[0] < pair[1]);
    let step = |pair: &[f64]| pair[1] - pair[0];
    let equal = row.windows(3).all(|three| {
        let (a, b) = (step(&three[..2]), step(&three[1..]));
        (a - b).abs() <= 1e-6 * (a.abs() + b.abs())
    });
    row.len() >= 3 && ascends && (equal || row.len() >= MANY)
}

fn is_whole(row: &[f64]) -> bool {
    row.iter().all(|number| number.fract() == 0.0)
}

/// Whether in every column the first number lies farther from the others than these lie from each other.
fn is_far_from_all(first: &[f64], rows: &[Vec<f64>]) -> bool {
    first.iter().enumerate().all(|(column, &number)| {
        let cells = rows.iter().map(|row| row[column]).filter(|cell| !cell.is_nan());
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        cells.for_each(|cell| (low, high) = (low.min(cell), high.max(cell)));
        low <= high && (number < low - (high - low) || number > high + (high - low))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(first: &[f64], rows: &[&[f64]]) -> bool {
        are_labels(first, &rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>())
    }

    /// Whether a text of one column begins with a label.
    fn column(text: &str) -> bool {
        let written = |number: &str| {
            let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            vec![Written { value: number.parse().unwrap(), decimals }]
        };
        let rows: Vec<Vec<Written>> = text.split(' ').map(written).collect();
        look_like_labels(&rows[0], &rows[1..])
    }

    #[test]
    fn labels_have_fewer_decimals_than_data() {
        assert!(column("10 2.0 3.25 9.5 1.0 7.125"));
        assert!(column("2.50 2.7316 1.8822 2.1457 3.0019 2.8333"));
        assert!(column("2.5 2.73 1.88 2.14 3.01 2.83"));
        assert!(!column("2.5 2.73 1.88 2.1 3.01 2.83"), "some number has as few");
        assert!(!column("2.50 2.73 1.88 2.14 3.01 2.83"));
        assert!(!column("10 2.0 3.25"), "too few rows");
        assert!(!column("1 2 3 4 2 1"));
    }

    #[test]
    fn labels_are_told_from_data() {
        let measured: Vec<&[f64]> =
            vec![&[0.5, 2.5], &[0.25, 1.5], &[0.75, 3.5], &[0.125, 2.25], &[0.3, 2.75], &[0.4, 1.25]];
        assert!(labels(&[0.0, 1.0], &measured), "pandas");
        assert!(labels(&[3.0, 7.0], &measured), "whole numbers above fractions");
        assert!(labels(
            &[2019.0, 2020.0],
            &[&[5.0, 7.0], &[1.0, 3.0], &[2.0, 9.0], &[8.0, 1.0], &[4.0, 4.0]]
        ));
        assert!(labels(&[1990.0, 1991.0, 1992.0], &[&[5.0, 7.0, 1.0]]));
        assert!(labels(&[400.5, 401.0, 401.5], &[&[5.0, 7.0, 1.0]]));
        assert!(labels(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], &[&[5.0, 7.0, 1.0, 2.0, 2.0, 2.0]]));
    }

    #[test]
    fn ordinary_first_rows_are_data() {
        assert!(!labels(&[1.0, 2.0], &[&[3.0, 4.0]]));
        assert!(!labels(&[0.0, 1.0], &[&[1.0, 1.0], &[0.0, 0.0]]));
        assert!(!labels(&[1.0, 2.0, 3.0], &[&[4.0, 5.0, 6.0]]));
        assert!(!labels(&[1.0, 2.0, 4.0], &[&[4.0, 5.0, 6.0]]));
        assert!(!labels(&[0.3, 1.2, 0.1], &[&[0.4, 5.0, 0.6]]));
        assert!(!labels(&[0.0], &[&[3.0]]));
    }
}
