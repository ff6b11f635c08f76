//! Resamples as row weights: how often each row was drawn. Nothing is copied.

use crate::data::{InMemory, Pair};
use crate::error::{Error, Result};
use crate::fit::folds::groups::Groups;
use crate::random;
use rand::RngExt;

/// Draws units with replacement: rows, or whole groups of rows.
pub(in crate::fit) struct Urn<'a> {
    pair: &'a InMemory,
    units: Units,
    seed: u64,
}

enum Units {
    Rows(Vec<u32>),
    Groups(Vec<Vec<u32>>),
}

impl<'a> Urn<'a> {
    /// An urn of the rows of positive weight, or of their groups.
    pub fn new(pair: &'a InMemory, groups: Option<&Groups>, seed: u64) -> Result<Self> {
        let rows = pair.shape().rows;
        let counts = |row: usize| pair.weight(row) > 0.0;
        let units = match groups {
            None => Units::Rows((0..rows as u32).filter(|&row| counts(row as usize)).collect()),
            Some(groups) => {
                groups.check(rows)?;
                Units::Groups(groups.members(counts))
            }
        };
        let urn = Urn { pair, units, seed };
        if urn.count() < 2 {
            let (value, expected) = (urn.count().to_string(), "at least 2 to draw from");
            let name = if groups.is_some() { "the number of groups" } else { "the number of rows" };
            return Err(Error::Setting { name, value, expected });
        }
        Ok(urn)
    }

    /// All rows, with their own weights.
    pub fn pair(&self) -> &'a InMemory {
        self.pair
    }

    /// The number of rows or groups in the urn.
    pub fn count(&self) -> usize {
        match &self.units {
            Units::Rows(rows) => rows.len(),
            Units::Groups(groups) => groups.len(),
        }
    }

    /// The rows as the `index`-th resample weighs them: each unit as often as it was drawn.
    pub fn draw(&self, index: usize) -> Result<InMemory> {
        let mut random = random::generator(self.seed, random::Purpose::Bootstrap, index as u64);
        let count = self.count();
        let mut times = vec![0u32; count];
        (0..count).for_each(|_| times[random.random_range(0..count)] += 1);
        let mut weights = vec![0.0; self.pair.shape().rows];
        let mut set = |row: u32, times: u32| {
            weights[row as usize] = f64::from(times) * self.pair.weight(row as usize);
        };
        match &self.units {
            Units::Rows(rows) => rows.iter().zip(&times).for_each(|(&row, &times)| set(row, times)),
            Units::Groups(groups) => {
                let rows = groups.iter().zip(&times);
                rows.for_each(|(rows, &times)| rows.iter().for_each(|&row| set(row, times)));
            }
        }
        self.pair.reweighted(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{from_dense, random_mat};

    fn pair(rows: usize) -> InMemory {
        let view = |seed| from_dense(random_mat(rows, 2, seed).as_ref());
        InMemory::new(view(1), view(2)).unwrap()
    }

    fn weights(resample: &InMemory) -> Vec<f64> {
        (0..resample.shape().rows).map(|row| resample.weight(row)).collect()
    }

    #[test]
    fn as_many_rows_are_drawn_as_there_are_and_groups_are_drawn_whole() {
        let pair = pair(60);
        let urn = Urn::new(&pair, None, 3).unwrap();
        let drawn = weights(&urn.draw(5).unwrap());
        assert_eq!(drawn.iter().sum::<f64>(), 60.0);
        assert!(drawn.contains(&0.0) && drawn.contains(&2.0));
        assert_eq!(drawn, weights(&urn.draw(5).unwrap()));
        assert_ne!(drawn, weights(&urn.draw(6).unwrap()));
        let groups = Groups::new((0..60).map(|row| row % 20));
        let drawn = weights(&Urn::new(&pair, Some(&groups), 3).unwrap().draw(5).unwrap());
        assert_eq!(drawn.iter().sum::<f64>(), 60.0);
        assert!((0..20).all(|row| drawn[row] == drawn[row + 20] && drawn[row] == drawn[row + 40]));
    }

    #[test]
    fn rows_of_weight_zero_are_never_drawn_and_weights_multiply() {
        let pair =
            pair(40).weighted((0..40).map(|row| f64::from(row % 3)).collect::<Vec<_>>().into()).unwrap();
        let urn = Urn::new(&pair, None, 1).unwrap();
        assert_eq!(urn.count(), 26);
        let drawn = weights(&urn.draw(0).unwrap());
        assert!((0..40).all(|row| drawn[row] % f64::from(row as u32 % 3).max(1.0) == 0.0));
        assert!((0..40).step_by(3).all(|row| drawn[row] == 0.0));
    }

    #[test]
    fn one_group_and_groups_of_other_rows_are_refused() {
        let pair = pair(10);
        let refused = |groups: Groups| Urn::new(&pair, Some(&groups), 0).err().unwrap().to_string();
        assert!(refused(Groups::new([0; 10])).contains("the number of groups is 1"));
        assert!(refused(Groups::new([0; 9])).contains("expected 10, found 9"));
    }
}
