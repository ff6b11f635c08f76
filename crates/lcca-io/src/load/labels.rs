//! Reads one label per row, such as families, subjects or documents, from a text file with one label per
//! line, a `.npy` file of one column, or a `.csv` or `.tsv` table of two columns, the names of rows and
//! their labels.

use super::loaded::Loaded;
use super::read::read_matrix_with;
use crate::error::{Fault, Outcome, Result};
use crate::input::lines::open_text;
use crate::matrix::options::ReadOptions;
use crate::parts::names::Names;
use crate::tables::matching::{Align, Labeled, RowLabels, match_rows};
use crate::words::remark::Remark;
use std::io::BufRead;
use std::path::Path;

/// Reads one label per row. Labels are texts that are compared as they are; there is no header.
pub fn read_labels(path: &Path) -> Result<Vec<String>> {
    read(path, false)
}

/// Reads one label per row as [`read_labels`] does, but a label may be empty, and quotes around one are
/// left out.
pub fn read_labels_or_blanks(path: &Path) -> Result<Vec<String>> {
    let unquoted = |label: String| match label.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.to_string(),
        None => label,
    };
    Ok(read(path, true)?.into_iter().map(unquoted).collect())
}

/// A table of the names of rows and their labels.
pub struct NamedLabels {
    names: Vec<String>,
    labels: Vec<String>,
}

impl NamedLabels {
    /// Reads a `.csv` or `.tsv` file in which every line has two fields; `None` for any other file.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        if extension != "csv" && extension != "tsv" {
            return Ok(None);
        }
        let all = lines(path, true).map_err(|fault| fault.at(path))?;
        let separators: &[u8] = if extension == "tsv" { b"\t" } else { b",;\t" };
        Ok(separators.iter().find_map(|&separator| two_columns(&all, separator)))
    }

    /// The labels of the rows of a view's file, matched by its row names, and remarks about the matching. A
    /// first line that names no row of the view is a header.
    pub fn of_rows(mut self, view: &Loaded, path: &Path, align: Align) -> Result<(Vec<String>, Vec<Remark>)> {
        let RowLabels::Named(names) = view.labels()? else {
            let message =
                "has two columns, expected one label per line: X has no row names that the first could be";
            return Err(Fault::new(message).at(path));
        };
        if self.names.first().is_some_and(|first| !names.iter().any(|name| name == first)) {
            self.names.remove(0);
            self.labels.remove(0);
        }
        let own = RowLabels::Named(Names::new(&self.names));
        let own_rows = self.names.len();
        let own = Labeled { path, called: "the labels", rows: own_rows, labels: &own, may_have_more: true };
        let all = RowLabels::Named(names);
        let matched = match_rows([view.labeled("X", &all), own], align)?;
        let labels = match matched.rows {
            Some([_, rows]) => rows.into_iter().map(|row| self.labels[row].clone()).collect(),
            None => self.labels,
        };
        Ok((labels, matched.remarks))
    }
}

/// The two fields of each line; `None` if a line has another number of fields.
fn two_columns(lines: &[String], separator: u8) -> Option<NamedLabels> {
    let mut found = NamedLabels { names: Vec::new(), labels: Vec::new() };
    for line in lines {
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.has_headers(false).delimiter(separator).from_reader(line.as_bytes());
        let record = reader.records().next()?.ok().filter(|record| record.len() == 2)?;
        found.names.push(record[0].trim().to_string());
        found.labels.push(record[1].trim().to_string());
    }
    (!lines.is_empty()).then_some(found)
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
