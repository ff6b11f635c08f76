//! Finds the column that names the rows, and the columns to read.

use super::sample::Evidence;
use super::target::Target;
use crate::error::{Fault, Outcome, Remedy};
use crate::matrix::options::{Index, TableOptions};
use crate::parts::pattern::matches;

/// The names of all columns of a table, and their number.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    pub(crate) names: Option<&'a [String]>,
    pub(crate) count: usize,
}

impl Columns<'_> {
    /// The column of this name or, if no column has it, of this number from 1. A name that two columns have
    /// is an error.
    pub(crate) fn find(self, typed: &str) -> Outcome<usize> {
        let mut named = self.names.unwrap_or_default().iter().enumerate().filter(|(_, name)| *name == typed);
        let by_name = named.next().map(|(column, _)| column);
        if let (Some(first), Some((second, _))) = (by_name, named.next()) {
            return Err(called_alike([first, second], typed));
        }
        let by_number = || typed.parse().ok().filter(|number| (1..=self.count).contains(number));
        by_name.or_else(|| by_number().map(|number: usize| number - 1)).ok_or_else(|| self.absent(typed))
    }

    fn absent(self, typed: &str) -> Fault {
        const SHOWN: usize = 10;
        let expected = match self.names {
            None => format!("a number from 1 to {}, for the columns have no names", self.count),
            Some(names) => {
                let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
                let more = if names.len() > SHOWN { ", …" } else { "" };
                format!("one of {}{more}", shown.join(", "))
            }
        };
        Fault::new(format!("there is no column {typed:?}, expected {expected}"))
    }

    /// The options, after checking whether an index that may be absent is there. Because the index may be
    /// given by a number, which says less than a name, it is not taken if the model has that column as
    /// data, or if the table has no other.
    pub(crate) fn settle(self, options: &TableOptions, target: Option<&Target>) -> TableOptions {
        let is_data = |column: usize| {
            let name = self.names.and_then(|names| names.get(column));
            let is_in_model = |name: &String| target.is_some_and(|target| target.kind(name).is_some());
            self.count < 2 || name.is_some_and(is_in_model)
        };
        let index = match &options.index {
            Index::IfPresent(typed) if self.find(typed).is_ok_and(|column| !is_data(column)) => {
                Index::Column(typed.clone())
            }
            Index::IfPresent(_) => Index::Guess,
            said => said.clone(),
        };
        options.clone().index(index)
    }

    /// The columns to read, in the order of the table: all but the index or, if some are asked for, those
    /// that match.
    pub(crate) fn choose(self, wanted: Option<&[String]>, index: &[usize]) -> Outcome<Vec<usize>> {
        let Some(wanted) = wanted else {
            return Ok((0..self.count).filter(|column| !index.contains(column)).collect());
        };
        let mut chosen = vec![false; self.count];
        for typed in wanted {
            if !typed.contains(['*', '?']) || self.names.is_some_and(|names| names.contains(typed)) {
                chosen[self.find(typed)?] = true;
                continue;
            }
            let mut any = false;
            for (column, name) in self.names.unwrap_or_default().iter().enumerate() {
                if !index.contains(&column) && matches(typed, name) {
                    chosen[column] = true;
                    any = true;
                }
            }
            if !any {
                return Err(self.absent(typed));
            }
        }
        Ok((0..self.count).filter(|&column| chosen[column]).collect())
    }

    /// Whether one of the patterns or names is this column.
    pub(crate) fn is_among(self, column: usize, typed: &[String]) -> bool {
        let name = self.names.and_then(|names| names.get(column)).map_or("", String::as_str);
        typed.iter().any(|typed| matches(typed, name) || self.find(typed).is_ok_and(|found| found == column))
    }
}

/// The error for two columns of one name, because a model or an option could mean either.
pub(crate) fn called_alike([first, second]: [usize; 2], name: &str) -> Fault {
    let (first, second) = (first + 1, second + 1);
    let message = format!("columns {first} and {second} are both called {name:?}, expected different names");
    Fault::new(message).remedied_by(Remedy::TellColumnsApart)
}

/// The column that names the rows, and whether that is a guess.
pub(crate) fn find_index(
    columns: Columns<'_>,
    index: &Index,
    wanted: Option<&[String]>,
    evidence: impl FnOnce(usize) -> (Evidence, usize),
) -> Outcome<Option<(usize, bool)>> {
    match index {
        Index::None => Ok(None),
        Index::Column(typed) => Ok(Some((columns.find(typed)?, false))),
        Index::Guess | Index::IfPresent(_) => {
            // A first column that the caller asks for by name is data.
            let first = columns.names.and_then(|names| names.first());
            let is_wanted = wanted.is_some_and(|wanted| {
                wanted.iter().any(|typed| first.map_or(typed == "1", |first| first == typed))
            });
            let (evidence, rows) = evidence(0);
            let unnamed = first.is_some_and(|name| name.trim().is_empty() || name == "Unnamed: 0");
            let names_rows = columns.count > 1 && (unnamed || rows > 0 && evidence.could_name_rows(rows));
            Ok((names_rows && !is_wanted).then_some((0, true)))
        }
    }
}

/// Refuses a guessed index whose texts repeat.
pub(crate) fn check_distinct<'a>(names: impl Iterator<Item = &'a str>, column: &str) -> Outcome<()> {
    let mut seen = hashbrown::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            let message = format!(
                "column {column:?}: was taken as row names, but {name:?} occurs more than once: say which \
                 column names the rows, or that none does"
            );
            return Err(Fault::new(message).remedied_by(Remedy::SayIndex));
        }
    }
    Ok(())
}

/// Whether the name of a column is like that of a column of row names.
pub fn is_called_like_id(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "id", "ids", "index", "row", "sample", "subject", "patient", "record", "case", "key", "barcode",
        "uuid",
    ];
    let name = name.trim().to_lowercase();
    NAMES.contains(&name.as_str())
        || ["_id", " id", ".id", "-id"].iter().any(|end| name.ends_with(end))
        || NAMES.iter().any(|base| name == format!("{base}id") || name == format!("{base}_number"))
}
