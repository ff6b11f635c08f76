//! The outer product of a sparse row with itself, added to the lower triangle of a matrix.

use super::lines::add_scaled;
use crate::matrix::{LANES, Line};
use pulp::NullaryFnOnce;

/// A row as cache lines: most are zero, and `used` lists the others, ascending.
pub(crate) struct RowLines<'a> {
    pub lines: &'a [Line],
    pub used: &'a [usize],
}

/// Column j of `sum` ← column j + factorⱼ·row, from the cache line with entry j down, for each (j, factorⱼ)
/// in `columns`, ascending. The cache line of every j is a used one. `sum` has as many lines per column as
/// the row has, and begins with column `first`.
pub(crate) fn outer(row: RowLines<'_>, columns: &[(usize, f64)], first: usize, sum: &mut [Line]) {
    pulp::Arch::new().dispatch(Outer { row, columns, first, sum });
}

struct Outer<'a> {
    row: RowLines<'a>,
    columns: &'a [(usize, f64)],
    first: usize,
    sum: &'a mut [Line],
}

impl NullaryFnOnce for Outer<'_> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        let RowLines { lines, used } = self.row;
        let mut skipped = 0;
        for &(j, factor) in self.columns {
            while used[skipped] < j / LANES {
                skipped += 1;
            }
            let start = (j - self.first) * lines.len();
            let column = &mut self.sum[start..start + lines.len()];
            for &line in &used[skipped..] {
                // Copies are needed because the compiler does not see that the row is no part of the sum,
                // and would add single lanes.
                let (mut to, from) = (column[line], lines[line]);
                add_scaled(&mut to, factor, &from);
                column[line] = to;
            }
        }
    }
}
