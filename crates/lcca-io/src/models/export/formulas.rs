//! Texts that spreadsheets take for formulas, in tables of text.

use std::borrow::Cow;

/// How to write texts that spreadsheets take for formulas, in `.csv` and `.tsv` files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulas {
    /// Write them as they are, because other programs expect that.
    #[default]
    Kept,
    /// Put an apostrophe before them.
    Quoted,
}

/// Writes texts, and counts those that are left for a spreadsheet to run.
pub(super) struct Texts {
    formulas: Formulas,
    /// The number of texts that were written although they begin like a formula.
    pub left: usize,
}

impl Texts {
    pub fn new(formulas: Formulas) -> Self {
        Texts { formulas, left: 0 }
    }

    /// The text as it is written into a cell.
    pub fn cell<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        if !text.starts_with(['=', '+', '-', '@', '\t', '\r', '|', '%']) {
            return text.into();
        }
        match self.formulas {
            Formulas::Quoted => format!("'{text}").into(),
            Formulas::Kept => {
                self.left += 1;
                text.into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_quoted_or_counted() {
        let cells = ["=1+1", "a=b", "", "@x", "|cmd"];
        let mut kept = Texts::new(Formulas::Kept);
        assert_eq!((cells.map(|cell| kept.cell(cell).into_owned()), kept.left), (cells.map(String::from), 3));
        let mut quoted = Texts::new(Formulas::Quoted);
        let written = cells.map(|cell| quoted.cell(cell).into_owned());
        assert_eq!((written, quoted.left), (["'=1+1", "a=b", "", "'@x", "'|cmd"].map(String::from), 0));
    }
}
