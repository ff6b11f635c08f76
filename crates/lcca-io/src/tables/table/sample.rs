//! The first lines of a table, from which options that the caller leaves open are guessed.

use super::cell::{Cell, MissingTexts, TextKind, text_kind};
use csv::ByteRecord;
use std::collections::HashSet;

/// The number of rows that are looked at before anything is decided.
pub(crate) const SAMPLED_ROWS: usize = 100;

/// The first line and some rows after it, each with the number of its line.
pub(crate) struct Sample {
    /// The number of the first line.
    pub(crate) line: u64,
    pub(crate) first: ByteRecord,
    pub(crate) rows: Vec<(u64, ByteRecord)>,
}

/// Counts of the sampled cells of a column, by their type.
#[derive(Default)]
pub(crate) struct Evidence {
    pub(crate) numbers: usize,
    pub(crate) texts: usize,
    /// Words such as `NA`, which are texts among texts, and otherwise missing.
    pub(crate) words: usize,
    pub(crate) dates: usize,
    pub(crate) formatted: usize,
    /// The number of different texts and words.
    pub(crate) distinct: usize,
    /// The first text, with its line.
    pub(crate) first_text: Option<(u64, Vec<u8>)>,
}

impl Sample {
    /// The number of fields per row.
    pub(crate) fn fields(&self) -> usize {
        self.rows.first().map_or(self.first.len(), |(_, row)| row.len())
    }

    /// The cells of a column below the first line.
    pub(crate) fn cells(&self, column: usize) -> impl Iterator<Item = (u64, &[u8])> {
        self.rows.iter().map(move |(line, row)| (*line, row.get(column).unwrap_or_default()))
    }

    /// Counts the cells of a column in the sampled rows and, if the first line is a row, in that line.
    pub(crate) fn evidence(&self, column: usize, first_is_row: bool, texts: &MissingTexts) -> Evidence {
        let first = first_is_row.then(|| (self.line, self.first.get(column).unwrap_or_default()));
        let mut evidence = Evidence::default();
        let mut seen = HashSet::new();
        for (line, field) in first.into_iter().chain(self.cells(column)) {
            match texts.cell(field) {
                Cell::Missing => {}
                Cell::Number(number) if number.is_finite() => evidence.numbers += 1,
                // `Inf` counts as a word too, because it may be one among texts.
                Cell::Word | Cell::Number(_) => {
                    evidence.words += 1;
                    seen.insert(field);
                }
                Cell::Text => {
                    evidence.texts += 1;
                    seen.insert(field);
                    match text_kind(field) {
                        TextKind::Date => evidence.dates += 1,
                        TextKind::Formatted => evidence.formatted += 1,
                        TextKind::Plain => {}
                    }
                    evidence.first_text.get_or_insert_with(|| (line, field.to_vec()));
                }
            }
        }
        evidence.distinct = seen.len();
        evidence
    }
}

impl Evidence {
    /// Counts the texts of a column, of which `None` is missing.
    pub(crate) fn of_texts(texts: &[Option<String>]) -> Self {
        let present: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
        let of_kind = |kind| present.iter().filter(|text| text_kind(text.as_bytes()) == kind).count();
        Evidence {
            texts: present.len(),
            dates: of_kind(TextKind::Date),
            formatted: of_kind(TextKind::Formatted),
            distinct: present.iter().collect::<HashSet<_>>().len(),
            ..Evidence::default()
        }
    }

    /// Whether the column could name the rows: it holds only different texts, and no dates or numbers with
    /// separators.
    pub(crate) fn could_name_rows(&self, rows: usize) -> bool {
        let all = self.texts + self.words == rows && self.distinct == rows;
        self.texts > 0 && all && self.dates == 0 && self.formatted == 0
    }
}
