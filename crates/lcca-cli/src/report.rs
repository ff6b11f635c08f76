//! Results on standard output: one JSON object, or text for people.

use lcca::data::Cost;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Prints, and is content when nobody reads to the end.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Prints one JSON object on a line of its own.
pub fn print_json(object: &Value) -> io::Result<()> {
    print(&format!("{object}\n"))
}

/// 1234567 as 1,234,567.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Passes over the rows, and over Gram matrices where there were any.
pub fn passes(cost: &Cost) -> String {
    match cost.gram_passes {
        0.0 => format!("{} passes", cost.passes),
        grams => format!("{} passes and {grams} over Gram matrices", cost.passes),
    }
}

/// Bytes as people read them.
pub fn bytes(number: u64) -> String {
    let mebibytes = number as f64 / (1 << 20) as f64;
    if mebibytes < 1024.0 { format!("{mebibytes:.0} MiB") } else { format!("{:.1} GiB", mebibytes / 1024.0) }
}

/// Columns of equal width, the first left-aligned and the others right-aligned.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |j: usize| {
        let cells = rows.iter().map(|row| row[j].chars().count());
        cells.chain([header[j].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut text = String::new();
    let head: Vec<String> = header.iter().map(|h| h.to_string()).collect();
    for row in std::iter::once(&head).chain(rows) {
        let mut line = String::new();
        for (j, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[j] - cell.chars().count());
            let _ = if j == 0 { write!(line, "{cell}{pad}") } else { write!(line, "  {pad}{cell}") };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        assert_eq!([0, 12, 999, 1000, 1_234_567].map(grouped), ["0", "12", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn table_columns_line_up() {
        let text = table(&["name", "x"], &[vec!["a".into(), "10".into()], vec!["longer".into(), "9".into()]]);
        assert_eq!(text, "name     x\na       10\nlonger   9\n");
    }
}
