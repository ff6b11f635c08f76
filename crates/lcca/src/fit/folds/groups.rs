//! Rows that belong together: the members of a family, the visits of a subject, the sentences of a document.
//!
//! Such rows are not independent. They are resampled together, held out together, and exchanged within their
//! group or as whole groups.

use crate::error::{Error, Result};
use std::collections::HashMap;
use std::hash::Hash;

/// The group of each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    of_row: Vec<u32>,
    count: usize,
}

impl Groups {
    /// Rows with equal labels form a group. Groups are numbered in the order in which they appear.
    ///
    /// ```
    /// let groups = lcca::fit::Groups::new(["Smith", "Jones", "Smith"]);
    /// assert_eq!((groups.rows(), groups.count()), (3, 2));
    /// ```
    pub fn new<T: Eq + Hash>(labels: impl IntoIterator<Item = T>) -> Self {
        let mut numbers = HashMap::new();
        let mut number = |label: T| {
            let next = numbers.len() as u32;
            *numbers.entry(label).or_insert(next)
        };
        let of_row: Vec<u32> = labels.into_iter().map(&mut number).collect();
        Groups { count: numbers.len(), of_row }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.of_row.len()
    }

    /// The number of groups.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The group of a row.
    pub(in crate::fit) fn of(&self, row: usize) -> u32 {
        self.of_row[row]
    }

    /// The rows of each group, among those that are wanted; groups without such a row are left out.
    pub(in crate::fit) fn members(&self, is_wanted: impl Fn(usize) -> bool) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.count];
        for (row, &group) in self.of_row.iter().enumerate().filter(|&(row, _)| is_wanted(row)) {
            members[group as usize].push(row as u32);
        }
        members.retain(|rows| !rows.is_empty());
        members
    }

    /// An error unless there is one label per row.
    pub(in crate::fit) fn check(&self, rows: usize) -> Result<()> {
        if self.rows() == rows {
            return Ok(());
        }
        Err(Error::Length { what: "groups, one per row", expected: rows, found: self.rows() })
    }
}
