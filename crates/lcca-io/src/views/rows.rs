//! Rows of a word and its context before they become matrices: either all of them, or each distinct one
//! once with a weight.

use super::spool::Spool;
use crate::error::Result;
use crate::safe::folder::OutputFolder;
use lcca::matrix::Buffer;
use std::collections::HashMap;

/// The rows of both views.
pub(crate) struct Rows {
    /// One column per row.
    pub(crate) x: Buffer<u32>,
    /// The offset of each row's part of `y`, and the end of the last.
    pub(crate) ends: Buffer<u64>,
    pub(crate) y: Buffer<u32>,
    pub(crate) weights: Option<Vec<f64>>,
}

/// A place for rows.
pub(crate) trait RowSink {
    fn push(&mut self, x: u32, y: &[u32]) -> Result<()>;
    fn finish(self) -> Result<Rows>;
}

/// All rows in their order, written to files.
pub(crate) struct Spooled {
    x: Spool<u32>,
    ends: Spool<u64>,
    y: Spool<u32>,
    end: u64,
}

impl Spooled {
    pub(crate) fn create(folder: &OutputFolder) -> Result<Self> {
        let mut ends = Spool::create(&folder.path("ends.spool"))?;
        ends.push(0)?;
        let [x, y] = ["x_rows.spool", "y_rows.spool"].map(|name| Spool::create(&folder.path(name)));
        Ok(Spooled { x: x?, ends, y: y?, end: 0 })
    }
}

impl RowSink for Spooled {
    fn push(&mut self, x: u32, y: &[u32]) -> Result<()> {
        self.x.push(x)?;
        self.end += y.len() as u64;
        self.ends.push(self.end)?;
        y.iter().try_for_each(|&column| self.y.push(column))
    }

    fn finish(self) -> Result<Rows> {
        Ok(Rows { x: self.x.finish()?, ends: self.ends.finish()?, y: self.y.finish()?, weights: None })
    }
}

/// Each distinct row once, in the order of its columns, with the number of times it occurred.
#[derive(Default)]
pub(crate) struct Merged {
    times: HashMap<Box<[u32]>, u64>,
    row: Vec<u32>,
}

impl RowSink for Merged {
    fn push(&mut self, x: u32, y: &[u32]) -> Result<()> {
        self.row.clear();
        self.row.push(x);
        self.row.extend(y);
        match self.times.get_mut(&self.row[..]) {
            Some(times) => *times += 1,
            None => drop(self.times.insert(self.row[..].into(), 1)),
        }
        Ok(())
    }

    fn finish(self) -> Result<Rows> {
        let mut rows: Vec<(Box<[u32]>, u64)> = self.times.into_iter().collect();
        rows.sort_unstable();
        let (mut x, mut ends, mut y) = (Vec::new(), vec![0], Vec::new());
        for (row, _) in &rows {
            x.push(row[0]);
            y.extend(&row[1..]);
            ends.push(y.len() as u64);
        }
        let weights = Some(rows.iter().map(|&(_, times)| times as f64).collect());
        Ok(Rows { x: x.into(), ends: ends.into(), y: y.into(), weights })
    }
}
