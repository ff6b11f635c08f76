//! Which orders of the rows are as likely as the observed one, if the views are independent.
//!
//! Independent rows may take any order. The members of a family or the visits of a subject may not, because
//! they are alike in both views. They may change places with each other, or whole families may change places
//! with families of the same size.

use crate::error::{Error, Result};
use crate::fit::folds::groups::Groups;
use crate::random;
use rand_chacha::ChaCha8Rng;

/// Which rows may change places.
#[derive(Clone, Copy, Debug, Default)]
pub enum Exchange<'a> {
    /// All rows.
    #[default]
    Rows,
    /// Rows of the same group.
    Within(&'a Groups),
    /// Whole groups of the same size. The rows of a group keep their order.
    Whole(&'a Groups),
}

/// The orders of some rows.
pub(in crate::fit) enum Orders {
    All(usize),
    /// Units of each class change places; all units of a class have the same number of rows.
    Classes {
        rows: usize,
        classes: Vec<Vec<Vec<u32>>>,
    },
}

impl Orders {
    /// The orders of the `kept` ones of `rows` rows, numbered by their place among these.
    pub fn new(exchange: Exchange<'_>, rows: usize, kept: &[usize]) -> Result<Self> {
        let (groups, is_whole) = match exchange {
            Exchange::Rows => return Ok(Orders::All(kept.len())),
            Exchange::Within(groups) => (groups, false),
            Exchange::Whole(groups) => (groups, true),
        };
        groups.check(rows)?;
        let mut members = vec![Vec::new(); groups.count()];
        kept.iter().enumerate().for_each(|(place, &row)| members[groups.of(row) as usize].push(place as u32));
        let classes =
            if is_whole { by_size(groups, members) } else { members.into_iter().map(singles).collect() };
        let classes: Vec<Vec<Vec<u32>>> = classes.into_iter().filter(|units| units.len() > 1).collect();
        if classes.is_empty() {
            let value = format!("{} groups of {rows} rows", groups.count());
            let expected = if is_whole {
                "at least two groups of the same size that can change places"
            } else {
                "at least one group with two rows that can change places"
            };
            return Err(Error::Setting { name: "the exchange of rows", value, expected });
        }
        Ok(Orders::Classes { rows: kept.len(), classes })
    }

    /// The number of rows that are put in order.
    pub fn rows(&self) -> usize {
        match self {
            Orders::All(rows) | Orders::Classes { rows, .. } => *rows,
        }
    }

    /// Writes a random order: the row that comes to each place.
    pub fn draw(&self, order: &mut [u32], random: &mut ChaCha8Rng) {
        match self {
            Orders::All(_) => random::order(order, random),
            Orders::Classes { classes, .. } => {
                order.iter_mut().zip(0..).for_each(|(row, place)| *row = place);
                let mut from = Vec::new();
                for units in classes {
                    from.resize(units.len(), 0);
                    random::order(&mut from, random);
                    for (to, &from) in units.iter().zip(&from) {
                        let moved = to.iter().zip(&units[from as usize]);
                        moved.for_each(|(&place, &row)| order[place as usize] = row);
                    }
                }
            }
        }
    }
}

/// Every row is a unit of its own.
fn singles(rows: Vec<u32>) -> Vec<Vec<u32>> {
    rows.into_iter().map(|row| vec![row]).collect()
}

/// Groups by their size. A group of which not all rows were kept stays in its place: its rows have no
/// partners elsewhere.
fn by_size(groups: &Groups, members: Vec<Vec<u32>>) -> Vec<Vec<Vec<u32>>> {
    let mut sizes = vec![0; groups.count()];
    (0..groups.rows()).for_each(|row| sizes[groups.of(row) as usize] += 1);
    let mut classes: Vec<Vec<Vec<u32>>> = vec![Vec::new(); groups.rows() + 1];
    for (members, &size) in members.into_iter().zip(&sizes) {
        if members.len() == size {
            classes[size].push(members);
        }
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(exchange: Exchange<'_>, kept: &[usize], rows: usize) -> Vec<Vec<u32>> {
        let orders = Orders::new(exchange, rows, kept).unwrap();
        let draw = |index| {
            let mut order = vec![0; orders.rows()];
            orders.draw(&mut order, &mut random::generator(1, random::Purpose::Permutations, index));
            order
        };
        (0..200).map(draw).collect()
    }

    #[test]
    fn rows_stay_in_their_group_or_groups_move_as_wholes() {
        let groups = Groups::new([0, 0, 1, 1, 1, 2, 2, 3]);
        let all: Vec<usize> = (0..8).collect();
        for order in draws(Exchange::Within(&groups), &all, 8) {
            assert!((0..8).all(|place| groups.of(place) == groups.of(order[place] as usize)));
        }
        let whole = draws(Exchange::Whole(&groups), &all, 8);
        for order in &whole {
            assert_eq!(order[2..5], [2, 3, 4]);
            assert_eq!(order[7], 7);
            assert!([[0, 1, 5, 6], [5, 6, 0, 1]].contains(&[order[0], order[1], order[5], order[6]]));
        }
        assert!(whole.iter().any(|order| order[0] == 5) && whole.iter().any(|order| order[0] == 0));
    }

    #[test]
    fn groups_that_lost_a_row_stay_and_places_are_those_of_kept_rows() {
        let groups = Groups::new([0, 0, 1, 1, 2, 2, 3, 3]);
        let kept = [0, 1, 2, 4, 5, 6, 7];
        for order in draws(Exchange::Whole(&groups), &kept, 8) {
            assert_eq!(order[2], 2);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6]);
        }
    }

    #[test]
    fn groups_of_which_nothing_can_move_are_refused() {
        let refused =
            |exchange: Exchange<'_>| Orders::new(exchange, 3, &[0, 1, 2]).err().unwrap().to_string();
        let (apart, uneven, short) = (Groups::new([0, 1, 2]), Groups::new([0, 0, 1]), Groups::new([0, 0]));
        assert!(refused(Exchange::Within(&apart)).contains("at least one group with two rows"));
        assert!(refused(Exchange::Whole(&uneven)).contains("at least two groups of the same size"));
        assert!(refused(Exchange::Whole(&short)).contains("expected 3, found 2"));
    }
}
