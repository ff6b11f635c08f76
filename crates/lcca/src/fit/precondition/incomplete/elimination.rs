//! Eliminates rare columns one after the other, and leaves out small entries.

use super::scaled_grams::Scaled;
use crate::fit::precondition::coarse_factor::EPSILON;
use crate::matrix::{LANES, Line};

/// Lists of entries, one after the other.
pub(in crate::fit) struct Lists {
    starts: Vec<usize>,
    pub entries: Vec<(u32, f32)>,
}

impl Lists {
    pub fn of(&self, list: usize) -> &[(u32, f32)] {
        &self.entries[self.starts[list]..self.starts[list + 1]]
    }

    /// The entries by rows, of which there are `rows`.
    pub fn transposed(&self, rows: usize) -> Lists {
        let mut starts = vec![0; rows + 1];
        self.entries.iter().for_each(|&(row, _)| starts[row as usize + 1] += 1);
        (0..rows).for_each(|row| starts[row + 1] += starts[row]);
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); self.entries.len()];
        for column in 0..self.starts.len() - 1 {
            for &(row, value) in self.of(column) {
                entries[next[row as usize]] = (column as u32, value);
                next[row as usize] += 1;
            }
        }
        Lists { starts, entries }
    }

    /// `sum` less the products of a list with lines of `b`.
    #[inline(always)]
    pub fn less_products(&self, list: usize, mut sum: Line, b: &[Line]) -> Line {
        for &(place, value) in self.of(list) {
            let (value, other) = (f64::from(value), &b[place as usize]);
            (0..LANES).for_each(|lane| sum.0[lane] -= value * other.0[lane]);
        }
        sum
    }
}

/// L and V, by columns, and the inverse diagonal of L.
pub(in crate::fit) struct Eliminated {
    pub down: Lists,
    pub pivots: Vec<f64>,
}

const NO_COLUMN: u32 = u32::MAX;

/// Eliminates the first `rare` columns, each after subtracting the columns before that reach it. `None` if
/// that takes more multiplications than allowed or more than `most` entries.
pub(in crate::fit) fn eliminate(
    matrix: &Scaled<'_>,
    rare: usize,
    left_out: [f64; 2],
    work: f64,
    most: usize,
) -> Option<Eliminated> {
    let size = matrix.columns.len();
    let mut down = Lists { starts: vec![0], entries: Vec::new() };
    let mut pivots = Vec::with_capacity(rare);
    // Sums, and the column that touched each last; side by side, because they are read together.
    let mut sums = vec![(0.0, NO_COLUMN); size];
    let mut touched = Vec::new();
    // The columns whose next entry is in a row: a linked list for each row.
    let (mut first, mut next) = (vec![NO_COLUMN; rare], vec![NO_COLUMN; rare]);
    let mut next_entry: Vec<usize> = Vec::with_capacity(rare);
    let mut done = 0.0;
    for column in 0..rare {
        touched.clear();
        matrix.below(column, |place, value| {
            sums[place] = (value, column as u32);
            touched.push(place as u32);
        });
        let mut pivot = 1.0 + EPSILON;
        let mut before = first[column];
        while before != NO_COLUMN {
            let earlier = before as usize;
            let (start, end) = (next_entry[earlier], down.starts[earlier + 1]);
            let own = f64::from(down.entries[start].1);
            pivot -= own * own;
            for &(place, value) in &down.entries[start + 1..end] {
                let (sum, touched_by) = &mut sums[place as usize];
                if *touched_by != column as u32 {
                    (*sum, *touched_by) = (0.0, column as u32);
                    touched.push(place);
                }
                *sum -= own * f64::from(value);
            }
            done += (end - start) as f64;
            before = next[earlier];
            hang_on(earlier, start + 1, &down, &mut first, &mut next, &mut next_entry);
        }
        let pivot = pivot.max(matrix.floors[column]).sqrt();
        let is_kept = |&place: &u32| {
            let least = left_out[usize::from(place as usize >= rare)];
            sums[place as usize].0.abs() >= least
        };
        let mut kept: Vec<u32> = touched.iter().copied().filter(is_kept).collect();
        kept.sort_unstable();
        down.entries.extend(kept.iter().map(|&place| (place, (sums[place as usize].0 / pivot) as f32)));
        let start = down.starts[column];
        down.starts.push(down.entries.len());
        pivots.push(pivot.recip());
        next_entry.push(start);
        hang_on(column, start, &down, &mut first, &mut next, &mut next_entry);
        if done > work || down.entries.len() > most {
            return None;
        }
    }
    Some(Eliminated { down, pivots })
}

/// Puts a column on the list of the row of one of its entries, if that is the row of a rare column.
fn hang_on(
    column: usize,
    entry: usize,
    down: &Lists,
    first: &mut [u32],
    next: &mut [u32],
    next_entry: &mut [usize],
) {
    next_entry[column] = entry;
    if entry < down.starts[column + 1]
        && let Some(head) = first.get_mut(down.entries[entry].0 as usize)
    {
        next[column] = *head;
        *head = column as u32;
    }
}
