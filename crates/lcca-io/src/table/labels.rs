//! Whether a first line of numbers looks like labels (0, 1, 2, years, wavelengths) rather than data.
//!
//! Each rule is one that data hardly ever meet by chance, because a false alarm costs the user a flag and a missed header
//! costs a wrong answer. They are listed in docs/files.md.

/// The fewest rows that say something about the range of a column.
const FEW: usize = 5;
/// From so many columns on, numbers in random order ascend less than once in 700 times.
const MANY: usize = 6;

/// Whether these numbers look like labels of the columns whose next rows hold `rows`; NaN stands for missing.
pub(super) fn look_like_labels(first: &[f64], rows: &[Vec<f64>]) -> bool {
    if first.iter().any(|number| !number.is_finite()) {
        return false;
    }
    counts_from_zero(first, rows)
        || is_progression(first) && !rows.iter().all(|row| is_progression(row))
        || is_whole(first) && rows.len() >= FEW && rows.iter().flatten().all(|&cell| cell.fract() != 0.0)
        || first.len() >= 2 && rows.len() >= FEW && is_far_from_all(first, rows)
}

/// 0, 1, 2 and so on, as pandas labels columns, if the rows hold anything else.
fn counts_from_zero(first: &[f64], rows: &[Vec<f64>]) -> bool {
    let counts = first.iter().enumerate().all(|(place, &number)| number == place as f64);
    let could_be_data = |&cell: &f64| cell.fract() == 0.0 && (0.0..first.len() as f64).contains(&cell);
    let enough = if first.len() == 1 { FEW } else { 1 };
    counts && rows.len() >= enough && !rows.iter().flatten().filter(|cell| !cell.is_nan()).all(could_be_data)
}

/// Ascending: in equal steps, or many numbers in any steps.
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
        look_like_labels(first, &rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>())
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
