//! Selects columns of a matrix: by place, by share, or by patterns of names.

use crate::error::{Fault, Outcome};
use crate::parts::names::Names;
use crate::parts::pattern::matches;
use std::ops::Range;
use std::str::FromStr;

/// Columns, written as parts with commas between them: `first:35%`, `last:100`, `0..5000` (from 0, the end
/// not included), `17`, or a pattern of names in which `*` stands for anything and `?` for one character.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    typed: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    First(Amount),
    Last(Amount),
    Range(Range<usize>),
    Named(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Amount {
    Columns(usize),
    Percent(f64),
}

impl Amount {
    fn columns(self, cols: usize) -> usize {
        match self {
            Amount::Columns(columns) => columns.min(cols),
            Amount::Percent(percent) => (percent / 100.0 * cols as f64).floor() as usize,
        }
    }
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let parts = typed.split(',').map(part).collect::<Result<Vec<Part>, String>>()?;
        Ok(Selection { typed: typed.into(), parts })
    }
}

impl std::fmt::Display for Selection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.typed)
    }
}

fn part(typed: &str) -> Result<Part, String> {
    if let Some(amount) = typed.strip_prefix("first:") {
        return Ok(Part::First(self::amount(amount)?));
    }
    if let Some(amount) = typed.strip_prefix("last:") {
        return Ok(Part::Last(self::amount(amount)?));
    }
    if let Ok(column) = typed.parse::<usize>() {
        return Ok(Part::Range(column..column.saturating_add(1)));
    }
    match typed.split_once("..").map(|(from, to)| (from.parse(), to.parse())) {
        Some((Ok(from), Ok(to))) if from < to => Ok(Part::Range(from..to)),
        Some((Ok(from), Ok(to))) => Err(format!("{from}..{to} holds no column")),
        _ if typed.is_empty() => {
            Err("expected columns such as first:35%, last:100, 0..5000 or a pattern of names".into())
        }
        _ => Ok(Part::Named(typed.into())),
    }
}

fn amount(typed: &str) -> Result<Amount, String> {
    let percent = typed.strip_suffix('%').and_then(|share| share.parse().ok()).map(Amount::Percent);
    match percent.or_else(|| typed.parse().ok().map(Amount::Columns)) {
        Some(Amount::Percent(share)) if !(share > 0.0 && share <= 100.0) => {
            Err(format!("{share}% is no share, expected more than 0% and at most 100%"))
        }
        Some(Amount::Columns(0)) => Err("0 columns, expected one or more".into()),
        Some(amount) => Ok(amount),
        None => Err(format!("{typed:?} is no number of columns, expected one such as 100 or 35%")),
    }
}

impl Selection {
    /// Whether each column is selected.
    pub(crate) fn select(&self, cols: usize, names: Option<&Names>) -> Outcome<Vec<bool>> {
        let mut selected = vec![false; cols];
        for part in &self.parts {
            match part {
                Part::First(amount) => selected[..amount.columns(cols)].fill(true),
                Part::Last(amount) => selected[cols - amount.columns(cols)..].fill(true),
                Part::Range(range) if range.end <= cols => selected[range.clone()].fill(true),
                Part::Range(range) => {
                    let Range { start, end } = range;
                    let message = format!("columns {start}..{end} are requested, expected at most {cols}");
                    return Err(Fault::new(message));
                }
                Part::Named(pattern) => by_name(pattern, names, &mut selected)?,
            }
        }
        if !selected.contains(&true) {
            return Err(Fault::new(format!("{} is no column of {cols}", self.typed)));
        }
        Ok(selected)
    }
}

fn by_name(pattern: &str, names: Option<&Names>, selected: &mut [bool]) -> Outcome<()> {
    let names = names.ok_or_else(|| {
        Fault::new(format!("the columns have no names, expected numbers and not {pattern:?}"))
    })?;
    let mut any = false;
    for (name, selected) in names.iter().zip(selected) {
        let matches = matches(pattern, name);
        *selected |= matches;
        any |= matches;
    }
    if !any {
        return Err(Fault::new(format!("no column has a name like {pattern:?}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(typed: &str) -> Result<Vec<usize>, String> {
        let names = Names::new((0..10).map(|number| format!("gene_{number}")));
        let selected = typed
            .parse::<Selection>()?
            .select(10, Some(&names))
            .map_err(|fault| fault.at("m".as_ref()).to_string())?;
        Ok((0..10).filter(|&column| selected[column]).collect())
    }

    #[test]
    fn columns_are_selected_by_place_share_and_name() {
        assert_eq!(columns("first:35%").unwrap(), [0, 1, 2]);
        assert_eq!(columns("last:2").unwrap(), [8, 9]);
        assert_eq!(columns("0..2,7..9,5").unwrap(), [0, 1, 5, 7, 8]);
        assert_eq!(columns("gene_3,*_9").unwrap(), [3, 9]);
        assert_eq!(columns("first:99").unwrap().len(), 10);
    }

    #[test]
    fn selections_of_no_column_are_refused() {
        let cases = [
            "",
            "first:0",
            "first:x",
            "last:0%",
            "last:101%",
            "3..3",
            "8..11",
            "11",
            "gene",
            "first:1%",
            "0..2,",
        ];
        for typed in cases {
            assert!(columns(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn patterns_match_whole_names() {
        let yes = [("*", ""), ("a*c", "abbc"), ("a*b*c", "axbxbc"), ("?é", "aé"), ("**x", "xxx"), ("a", "a")];
        let no = [("a", "ab"), ("a*c", "abcd"), ("?", ""), ("a*b*c", "acb"), ("", "a")];
        assert!(yes.iter().all(|(pattern, name)| matches(pattern, name)));
        assert!(!no.iter().any(|(pattern, name)| matches(pattern, name)));
    }
}
