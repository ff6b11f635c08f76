//! The columns that a model has. Rows for the model are read by these names.

use super::kind::Kind;
use crate::error::{Fault, Outcome};
use crate::parts::names::Names;
use crate::words::numbers::grouped;
use hashbrown::{HashMap, HashSet};

/// The columns of one view of a model.
pub(crate) struct Target {
    names: Names,
    places: HashMap<String, usize>,
    /// The columns of a table that the model knows by their categories.
    categorical: HashSet<String>,
}

impl Target {
    pub(crate) fn new(names: Names) -> Self {
        let mut places = HashMap::with_capacity(names.len());
        let mut categorical = HashSet::new();
        for (place, name) in names.iter().enumerate() {
            places.entry(name.to_string()).or_insert(place);
            // Every part before an equals sign counts, because both a category and a name may hold the
            // sign.
            categorical.extend(name.match_indices('=').map(|(end, _)| name[..end].to_string()));
        }
        Target { names, places, categorical }
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The type that the model has a column as, if it has it.
    pub(crate) fn kind(&self, column: &str) -> Option<Kind> {
        if self.places.contains_key(column) {
            Some(Kind::Number)
        } else {
            self.categorical.contains(column).then_some(Kind::Category)
        }
    }

    /// Whether these are the model's columns, one by one. If so, names that occur twice do no harm.
    pub(crate) fn is_same<'a>(&self, columns: impl ExactSizeIterator<Item = &'a str>) -> bool {
        columns.len() == self.names.len() && self.names.iter().eq(columns)
    }

    /// Refuses columns, all of different names, that leave any of the model's without numbers.
    pub(crate) fn check_covered(&self, columns: &[(&str, Kind)]) -> Outcome<()> {
        const SHOWN: usize = 3;
        if self.is_same(columns.iter().map(|(name, _)| *name)) {
            return Ok(());
        }
        if self.places.len() < self.names.len() {
            return Err(Fault::new("has other columns than the model, whose names are not all different"));
        }
        let numeric: HashSet<&str> =
            columns.iter().filter(|(_, kind)| *kind == Kind::Number).map(|(name, _)| *name).collect();
        let categorical: HashSet<&str> =
            columns.iter().filter(|(_, kind)| *kind == Kind::Category).map(|(name, _)| *name).collect();
        let is_covered = |name: &str| {
            numeric.contains(name)
                || name.match_indices('=').any(|(end, _)| categorical.contains(&name[..end]))
        };
        let absent: Vec<&str> = self.names.iter().filter(|name| !is_covered(name)).collect();
        if absent.is_empty() {
            return Ok(());
        }
        let shown: Vec<String> = absent.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
        let more = if absent.len() > SHOWN { ", …" } else { "" };
        let (count, all) = (grouped(absent.len() as u64), grouped(self.names.len() as u64));
        Err(Fault::new(format!("lacks {count} of the model's {all} columns: {}{more}", shown.join(", "))))
    }
}
