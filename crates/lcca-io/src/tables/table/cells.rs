//! Collects the cells of a table as they arrive, batch after batch: numbers row after row, categories as
//! codes, names of rows.

use super::cell::MissingTexts;
use super::kind::Kind;
use super::layout::Layout;
use crate::error::{Fault, Outcome, Remedy};
use crate::input::text::quoted;
use crate::matrix::values::Growing;
use crate::parts::names::NameList;
use crate::words::numbers::{count, grouped};
use hashbrown::HashMap;

/// The most different texts that a column of categories may have.
pub(crate) const MOST_CATEGORIES: usize = 1_000;
/// The code of a missing category.
pub(crate) const NO_CODE: u32 = u32::MAX;

/// The place of a row in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// A line, from 1.
    Line(u64),
    /// A row, from 1.
    Row(u64),
}

/// The cells of some rows.
pub(crate) struct Cells {
    /// The columns of numbers, row after row; NaN is a missing value.
    pub(crate) numbers: Growing,
    /// The columns of categories.
    pub(crate) codes: Vec<Codes>,
    pub(crate) row_names: NameList,
    pub(crate) rows: usize,
    pub(crate) gaps: CellGaps,
}

/// Counts of missing cells.
#[derive(Clone, Default)]
pub(crate) struct CellGaps {
    pub(crate) cells: u64,
    pub(crate) rows: u64,
    /// The first missing cell: its place, its column as numbered in the layout, and its contents.
    first: Option<(Where, usize, String)>,
}

/// A column of categories: the number of each row's text in the order of their first appearance.
#[derive(Default)]
pub(crate) struct Codes {
    pub(crate) of_rows: Vec<u32>,
    pub(crate) texts: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Codes {
    pub(crate) fn push(&mut self, text: Option<&str>) {
        let code = text.map_or(NO_CODE, |text| self.code(text));
        self.of_rows.push(code);
    }

    fn code(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.numbers.get(text) {
            return code;
        }
        let code = self.texts.len() as u32;
        self.texts.push(text.into());
        self.numbers.insert(text.into(), code);
        code
    }

    fn append(&mut self, more: Codes) {
        let to: Vec<u32> = more.texts.iter().map(|text| self.code(text)).collect();
        self.of_rows
            .extend(more.of_rows.iter().map(|&code| if code == NO_CODE { code } else { to[code as usize] }));
    }
}

impl CellGaps {
    /// Counts a missing cell. `found` is its contents, and `is_first` says that it is the first of its row.
    pub(crate) fn count(&mut self, place: Where, column: usize, found: &[u8], is_first: bool) {
        self.cells += 1;
        self.rows += u64::from(is_first);
        let found = || if found.is_empty() { String::new() } else { format!(" ({})", quoted(found)) };
        self.first.get_or_insert_with(|| (place, column, found()));
    }

    /// The error that names the first missing cell.
    pub(crate) fn fault(&self, layout: &Layout) -> Option<Fault> {
        let (place, column, found) = self.first.as_ref()?;
        let all = format!("{} missing in {}", count(self.cells, "value"), count(self.rows, "row"));
        let all = if self.cells == 1 {
            all.replacen("value", "value is", 1)
        } else {
            all.replacen("values", "values are", 1)
        };
        let label = &layout.columns[*column].label;
        let missing = format!("the value is missing{found}; {all}");
        let fault = match place {
            Where::Line(line) => Fault::line(*line, format!("{label}: {missing}")),
            Where::Row(row) => Fault::new(format!("{label}: row {row}: {missing}")),
        };
        Some(fault.remedied_by(Remedy::SettleMissing))
    }
}

impl Cells {
    /// Names the rows by the texts of one column, or of several columns that are the levels of an index.
    pub(crate) fn name_rows(&mut self, levels: &[Vec<Option<String>>]) {
        let Some(first) = levels.first() else { return };
        for row in 0..first.len() {
            let texts: Vec<&str> =
                levels.iter().map(|level| level[row].as_deref().unwrap_or_default()).collect();
            self.row_names.push(&texts.join(", "));
        }
    }

    pub(crate) fn new(layout: &Layout) -> Self {
        Cells {
            numbers: Growing::new(),
            codes: (0..layout.count(Kind::Category)).map(|_| Codes::default()).collect(),
            row_names: NameList::default(),
            rows: 0,
            gaps: CellGaps::default(),
        }
    }

    /// Adds the rows of the next batch.
    pub(crate) fn append(&mut self, more: Cells) {
        self.numbers.append(more.numbers);
        self.codes.iter_mut().zip(more.codes).for_each(|(codes, more)| codes.append(more));
        self.row_names.append(more.row_names);
        self.rows += more.rows;
        self.gaps.cells += more.gaps.cells;
        self.gaps.rows += more.gaps.rows;
        self.gaps.first = self.gaps.first.take().or(more.gaps.first);
    }

    /// Takes rows that arrive column after column. Their categories must have been pushed before.
    pub(crate) fn take_rows(
        &mut self,
        layout: &Layout,
        columns: &[Vec<f64>],
        rows: usize,
        missing: &MissingTexts,
        place: impl Fn(usize) -> Where,
    ) {
        let (number, category) = (|kind| kind == Kind::Number, |kind| kind == Kind::Category);
        let places = |wanted: fn(Kind) -> bool| -> Vec<usize> {
            (0..layout.columns.len()).filter(|&place| wanted(layout.columns[place].kind)).collect()
        };
        let (numeric, categorical) = (places(number), places(category));
        for row in 0..rows {
            let mut complete = true;
            for (column, &to) in columns.iter().zip(&numeric) {
                let number = missing.number(column[row]);
                self.numbers.push(number);
                if number.is_nan() {
                    self.gaps.count(place(row), to, b"", complete);
                    complete = false;
                }
            }
            for (codes, &to) in self.codes.iter().zip(&categorical) {
                if codes.of_rows[row] == NO_CODE {
                    self.gaps.count(place(row), to, b"", complete);
                    complete = false;
                }
            }
        }
        self.rows += rows;
    }

    /// Refuses a column with more texts than categories may have, before all of them are in memory.
    pub(crate) fn check_categories(&self, layout: &Layout) -> Outcome<()> {
        let categorical = layout.columns.iter().filter(|column| column.kind == Kind::Category);
        match categorical.zip(&self.codes).find(|(_, codes)| codes.texts.len() > MOST_CATEGORIES) {
            Some((column, codes)) => Err(too_many(&column.label, &codes.texts[0], codes.texts.len())),
            None => Ok(()),
        }
    }
}

/// The error for a column that holds texts rather than categories.
pub(crate) fn too_many(label: &str, first: &str, texts: usize) -> Fault {
    let found = quoted(first.as_bytes());
    let (texts, most) = (grouped(texts as u64), grouped(MOST_CATEGORIES as u64));
    let message = format!(
        "holds texts ({found}), {texts} different ones, expected numbers or categories: at most {most} and \
         half as many as rows"
    );
    super::layout::refuse(label, &message)
}
