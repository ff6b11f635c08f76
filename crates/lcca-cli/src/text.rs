//! Numbers and tables as text for people.

use lcca::data::Cost;
use lcca_io::legible;
pub use lcca_io::numbers::{count, grouped, p_value};
use std::fmt::Write as _;

/// The number of entries in words: "1 entry", "2 entries".
pub fn count_entries(entries: u64) -> String {
    if entries == 1 { "1 entry".into() } else { format!("{} entries", grouped(entries)) }
}

/// The sizes of views in words: "100 rows × (40 + 30 columns)".
pub fn view_sizes(rows: u64, x_cols: u64, y_cols: u64) -> String {
    format!("{} × ({} + {} columns)", count(rows, "row"), grouped(x_cols), grouped(y_cols))
}

/// Passes over the rows, and over Gram matrices if there are any.
pub fn passes(cost: &Cost) -> String {
    pass_count(cost.passes) + &gram_passes(cost.gram_passes)
}

/// The number of passes in words: "1 pass", "2.5 passes".
pub fn pass_count(passes: f64) -> String {
    format!("{passes} {}", if passes == 1.0 { "pass" } else { "passes" })
}

/// Passes over Gram matrices as the end of a list; empty if there are none.
pub fn gram_passes(passes: f64) -> String {
    if passes == 0.0 { String::new() } else { format!(" and {passes} over Gram matrices") }
}

/// Bytes as MiB or GiB.
pub fn bytes(number: u64) -> String {
    let mebibytes = number as f64 / (1 << 20) as f64;
    if mebibytes < 1024.0 { format!("{mebibytes:.0} MiB") } else { format!("{:.1} GiB", mebibytes / 1024.0) }
}

/// The most characters of a cell, because names in files may have any length.
const WIDEST_CELL: usize = 60;

/// A table with columns of equal width and numbers aligned at the right. The first column and columns
/// without a heading, which hold remarks, are aligned at the left. Very long cells are cut.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let cut = |cell: &str| legible(cell, WIDEST_CELL);
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| cut(cell)).collect()).collect();
    let header: Vec<String> = header.iter().map(|cell| cut(cell)).collect();
    let width = |j: usize| {
        let cells = rows.iter().map(|row| row[j].chars().count());
        cells.chain([header[j].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut text = String::new();
    for row in std::iter::once(&header).chain(&rows) {
        let mut line = String::new();
        for (j, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[j] - cell.chars().count());
            let _ = match (j, header[j].as_str()) {
                (0, _) => write!(line, "{cell}{pad}"),
                (_, "") => write!(line, "  {cell}{pad}"),
                _ => write!(line, "  {pad}{cell}"),
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pass_is_no_plural() {
        let [one, more] = [1.0, 2.5].map(pass_count);
        assert_eq!(
            (one + &gram_passes(0.0), more + &gram_passes(3.0)),
            ("1 pass".into(), "2.5 passes and 3 over Gram matrices".into())
        );
    }

    #[test]
    fn table_columns_line_up() {
        let text = table(&["name", "x"], &[vec!["a".into(), "10".into()], vec!["longer".into(), "9".into()]]);
        assert_eq!(text, "name     x\na       10\nlonger   9\n");
        let remarks =
            table(&["x", ""], &[vec!["1".into(), "best".into()], vec!["2".into(), "also tried".into()]]);
        assert_eq!(remarks, "x\n1  best\n2  also tried\n");
    }
}
