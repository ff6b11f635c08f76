//! One label per row: families, subjects, documents. A text file with one label per line, or a `.npy` file of one column.

use crate::error::{Fault, Outcome, Result};
use crate::lines::open_text;
use crate::options::ReadOptions;
use crate::read::read_matrix_with;
use std::io::BufRead;
use std::path::Path;

/// Reads one label per row. Labels are texts that are compared as they are; there is no header.
pub fn read_labels(path: &Path) -> Result<Vec<String>> {
    read(path, false)
}

/// As [`read_labels`], but a label may be empty, and quotes around one are left out.
pub fn read_labels_or_blanks(path: &Path) -> Result<Vec<String>> {
    let unquoted = |label: String| match label.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.to_string(),
        None => label,
    };
    Ok(read(path, true)?.into_iter().map(unquoted).collect())
}

fn read(path: &Path, may_be_empty: bool) -> Result<Vec<String>> {
    let is_numbers = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("npy"));
    if !is_numbers {
        return lines(path, may_be_empty).map_err(|fault| fault.at(path));
    }
    let matrix = read_matrix_with(path, &ReadOptions::default())?.matrix;
    if matrix.cols() != 1 {
        let found = format!("{} columns, expected one column of labels", matrix.cols());
        return Err(Fault::new(found).at(path));
    }
    let mut labels = vec![0.0; matrix.rows()];
    (0..matrix.rows()).for_each(|row| matrix.for_each(row, |_, value| labels[row] = value));
    Ok(labels.iter().map(f64::to_string).collect())
}

fn lines(path: &Path, may_be_empty: bool) -> Outcome<Vec<String>> {
    let mut labels = Vec::new();
    for line in open_text(path)?.lines() {
        let line = line?;
        let label = line.trim();
        if label.is_empty() && !may_be_empty {
            return Err(Fault::new(format!("line {} is empty, expected a label", labels.len() + 1)));
        }
        labels.push(label.to_string());
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_lines_and_an_empty_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("families.txt");
        std::fs::write(&path, "a\r\nb \na\n").unwrap();
        assert_eq!(read_labels(&path).unwrap(), ["a", "b", "a"]);
        std::fs::write(&path, "a\n\n\"b\"\n").unwrap();
        assert_eq!(read_labels_or_blanks(&path).unwrap(), ["a", "", "b"]);
        assert!(read_labels(&path).unwrap_err().to_string().contains("line 2 is empty"));
        assert!(read_labels(&folder.path().join("none.txt")).is_err());
    }
}
