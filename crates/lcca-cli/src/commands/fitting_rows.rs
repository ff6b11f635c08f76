//! Rows that a model can be applied to: as wide as the model's view, and with the same names of columns.
//!
//! The same width alone does not make them the same columns, so names are compared one by one if both the model and the
//! file have them.

use crate::failure::Failure;
use crate::load;
use lcca::data::Side;
use lcca::matrix::Matrix;
use lcca_io::{ModelFile, Names, ReadOptions};
use std::path::Path;

/// A model and the path it was opened by.
pub struct ModelSource<'a> {
    pub path: &'a Path,
    pub file: &'a ModelFile,
}

impl ModelSource<'_> {
    /// Reads rows of one view, or says in what way they are not the model's.
    pub fn read_rows(
        &self,
        path: &Path,
        side: Side,
        zero_based: bool,
        quiet: bool,
    ) -> Result<Matrix, Failure> {
        let expected = self.file.model.view(side).weights.rows();
        let numbers = self.column_numbers(side)?;
        // A file that does not state its width has the model's, unless the model knows its columns by number.
        let cols = (numbers.is_none() && !lcca_io::says_its_width(path)).then_some(expected);
        let options = ReadOptions::default().cols(cols).zero_based(zero_based);
        let loaded = load::matrix(path, &options, quiet)?;
        if let Some(numbers) = numbers
            && loaded.matrix.cols() != expected
            && loaded.names()?.is_none()
        {
            return Ok(lcca_io::columns_by_number(&loaded.matrix, &numbers, path)?);
        }
        if loaded.matrix.cols() != expected {
            return Err(Failure::Usage(format!(
                "{} has {} columns, expected {expected}, the width of {side} in {}",
                path.display(),
                loaded.matrix.cols(),
                self.path.display()
            )));
        }
        if let Some(names) = loaded.names()? {
            self.check_names(path, side, &names)?;
        }
        Ok(loaded.matrix)
    }

    /// The numbers of the model's columns in files that are wider, if the model was fitted without their empty columns.
    fn column_numbers(&self, side: Side) -> Result<Option<Vec<usize>>, Failure> {
        let names = self.file.names()?;
        let names = if side == Side::X { names.x } else { names.y };
        Ok(names.as_ref().and_then(lcca_io::column_numbers))
    }

    fn check_names(&self, path: &Path, side: Side, names: &Names) -> Result<(), Failure> {
        let model_names = self.file.names()?;
        let Some(expected) = (if side == Side::X { model_names.x } else { model_names.y }) else {
            return Ok(());
        };
        let Some(column) = names.first_difference(&expected) else { return Ok(()) };
        let difference = if is_reordered(names, &expected) {
            "the names are the same in another order"
        } else {
            "the names are not the same"
        };
        Err(Failure::Usage(format!(
            "{}: column {column} (from 0) is {:?}, expected {:?} as in {side} of {}: {difference}",
            path.display(),
            shortened_name(names, column),
            shortened_name(&expected, column),
            self.path.display()
        )))
    }
}

/// Whether two lists have the same names; called only once a difference is known, because it sorts both.
fn is_reordered(a: &Names, b: &Names) -> bool {
    let sorted = |names: &Names| {
        let mut names: Vec<String> = names.iter().map(str::to_string).collect();
        names.sort_unstable();
        names
    };
    sorted(a) == sorted(b)
}

/// The name of a column, cut to a length that fits a message; empty if there is no such column.
fn shortened_name(names: &Names, column: usize) -> String {
    const LONGEST: usize = 60;
    let name = if column < names.len() { names.get(column) } else { "" };
    if name.chars().count() > LONGEST {
        name.chars().take(LONGEST).chain(['…']).collect()
    } else {
        name.into()
    }
}
