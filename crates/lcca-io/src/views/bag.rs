//! Bags of tokens: the rows of one view as numbers of tokens, batch after batch.
//!
//! A bag takes four bytes per entry, eight per row, and every distinct token once. Values other than ones
//! take four more bytes per entry.

use super::interner::Interner;
use super::keep::Keep;
use super::murmur;
use super::tokens::{Tokens, lowercase};
use serde::Serialize;

/// The value of a token's entry in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Amounts {
    /// One, even if the token occurs more than once.
    #[default]
    Binary,
    /// How often the token occurs.
    Count,
    /// How often the token occurs times (ln((1 + n)/(1 + rows that hold it)) + 1), with rows scaled to
    /// length one.
    TfIdf,
}

/// The columns of a view.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Columns {
    /// One column per token.
    Tokens(Keep),
    /// Tokens hashed into two to this power columns, with signs.
    Hashed(u32),
}

/// How the texts of one view become rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Bagging {
    /// The rule that splits a text into tokens.
    pub tokens: Tokens,
    /// Whether to bring texts into lower case first.
    pub lowercase: bool,
    /// The values of entries.
    pub amounts: Amounts,
    /// The columns.
    pub columns: Columns,
}

impl Bagging {
    fn has_amounts(&self) -> bool {
        self.amounts != Amounts::Binary || matches!(self.columns, Columns::Hashed(_))
    }
}

/// Rows by token number. Within a row the numbers are distinct, in no order.
#[derive(Default)]
pub(crate) struct Bag {
    pub(crate) names: Interner,
    pub(crate) ids: Vec<u32>,
    /// One amount per entry of `ids`; empty if all values are ones.
    pub(crate) amounts: Vec<i32>,
    /// The end of each row in `ids`.
    pub(crate) ends: Vec<u64>,
    /// The number of rows that hold each token; not counted for hashed columns.
    pub(crate) rows_with: Vec<u64>,
    /// The number of tokens, repeated ones counted.
    pub(crate) tokens: u64,
}

impl Bag {
    /// Adds the row of a text. `row` is scratch space.
    pub(crate) fn push(&mut self, text: &str, how: &Bagging, row: &mut Vec<(u32, i32)>) {
        row.clear();
        let lowered = if how.lowercase { lowercase(text) } else { text.into() };
        how.tokens.for_each(&lowered, |token| row.push((self.names.intern(token), 1)));
        self.tokens += row.len() as u64;
        summed(row);
        if let Columns::Hashed(bits) = how.columns {
            self.hash(row, how, bits);
        } else {
            self.rows_with.resize(self.names.len(), 0);
            row.iter().for_each(|&(id, _)| self.rows_with[id as usize] += 1);
        }
        self.ids.extend(row.iter().map(|&(id, _)| id));
        if how.has_amounts() {
            self.amounts.extend(row.iter().map(|&(_, amount)| amount));
        }
        self.ends.push(self.ids.len() as u64);
    }

    fn hash(&self, row: &mut Vec<(u32, i32)>, how: &Bagging, bits: u32) {
        for (id, amount) in row.iter_mut() {
            let (column, negative) = murmur::column(self.names.name(*id), bits);
            let size = if how.amounts == Amounts::Binary { 1 } else { *amount };
            (*id, *amount) = (column, if negative { -size } else { size });
        }
        summed(row);
        row.retain(|&(_, amount)| amount != 0);
    }

    /// Appends the rows of the next batch. Token numbers are translated; hashed columns are not, because
    /// they mean the same in every batch.
    pub(crate) fn append(&mut self, batch: Bag, how: &Bagging) {
        let before = self.ids.len() as u64;
        match how.columns {
            Columns::Hashed(_) => self.ids.extend(batch.ids),
            Columns::Tokens(_) => {
                let numbers: Vec<u32> = batch.names.names().map(|name| self.names.intern(name)).collect();
                self.rows_with.resize(self.names.len(), 0);
                for (&number, rows) in numbers.iter().zip(&batch.rows_with) {
                    self.rows_with[number as usize] += rows;
                }
                self.ids.extend(batch.ids.iter().map(|&id| numbers[id as usize]));
            }
        }
        self.amounts.extend(batch.amounts);
        self.ends.extend(batch.ends.iter().map(|end| before + end));
        self.tokens += batch.tokens;
    }
}

/// Sorts a row by number, and adds up the amounts of equal numbers.
fn summed(row: &mut Vec<(u32, i32)>) {
    row.sort_unstable_by_key(|&(id, _)| id);
    row.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
}
