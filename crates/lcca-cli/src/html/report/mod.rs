//! The page about one fitted model.
//!
//! Its size is kept: the parts every page has are put together first, for fewer components where they are too large, and
//! then as many columns as still fit are stored for the search.

mod components;
mod given;
mod search;
mod settings;
mod summary;
mod trace;

pub use given::Given;

use super::element;
use super::page::{LIMIT, Page};
use crate::provenance::{Outcome, outcome_in};
use components::Components;
use lcca::data::Side;
use lcca::fit::Model;
use lcca_io::{ModelNames, Names};
use serde_json::{Map, Value, json};

const SCRIPT: &str = include_str!("../../../assets/report.js");
/// Components shown, at most; a component's number must fit a byte.
const COMPONENTS: usize = 200;
/// What the search should get at least, in bytes, before components are left out.
const FOR_SEARCH: usize = 300_000;
/// Characters of a name; longer ones are cut.
const NAME: usize = 60;

/// Everything a report is made from.
pub struct Subject<'s> {
    /// What the model is called.
    pub name: &'s str,
    pub model: &'s Model,
    pub names: &'s ModelNames,
    pub provenance: &'s Map<String, Value>,
    /// What the model makes of rows that were given.
    pub given: Option<&'s Given>,
}

impl Subject<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let mut components = Components::of(self, self.model.pairs().min(COMPONENTS));
        let mut room = self.room(&components);
        while room < FOR_SEARCH && components.shown > 1 {
            components.shown /= 2;
            room = self.room(&components);
        }
        self.page(&components, Some(room))
    }

    /// What is left of the limit by a page without the search.
    fn room(&self, components: &Components) -> usize {
        LIMIT.saturating_sub(self.page(components, None).len())
    }

    fn page(&self, components: &Components, search_room: Option<usize>) -> String {
        let outcome = outcome_in(self.provenance);
        let columns = search_room.map(|room| search::columns(self, components.shown, room));
        let trace = trace::charts(self, outcome.as_ref());
        let charts: Vec<_> = [components.chart(self)].into_iter().chain(trace).collect();
        let markup = self.markup(components, columns.as_ref(), outcome.as_ref());
        let data = json!({
            "components": components.json(self),
            "given": self.given.map(|given| given.json(components.shown)),
            "search": columns.map(|columns| columns.json()),
        });
        let data = data.as_object().cloned().unwrap_or_default();
        let title = format!("{}: canonical correlations", self.name);
        Page { title: &title, markup: &markup, charts: &charts, data, script: SCRIPT }.html()
    }

    fn markup(
        &self,
        components: &Components,
        columns: Option<&search::Found>,
        outcome: Option<&Outcome>,
    ) -> String {
        let main = [
            components.overview(self),
            components.explorer(self),
            columns.map(search::Found::section).unwrap_or_default(),
            trace::section(outcome),
            settings::section(self),
        ];
        let header = summary::header(self, outcome);
        format!("{header}<main>\n{}</main>\n{}", main.concat(), element::footer())
    }

    fn column_names(&self, side: Side) -> Option<&Names> {
        match side {
            Side::X => self.names.x.as_ref(),
            Side::Y => self.names.y.as_ref(),
        }
    }

    /// What a column is called, or its number.
    fn column(&self, side: Side, column: usize) -> String {
        match self.column_names(side) {
            Some(names) => shortened(names.get(column), NAME),
            None => format!("column {column}"),
        }
    }
}

/// At most `most` characters, on one line; what is cut is shown as cut, what is empty as empty.
fn shortened(text: &str, most: usize) -> String {
    let clean = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let kept: String = text.chars().take(most).map(clean).collect();
    match text.chars().nth(most) {
        Some(_) => kept + "…",
        None if kept.trim().is_empty() => format!("“{kept}”"),
        None => kept,
    }
}

/// A number of few digits; a dash where there is none.
fn decimal(value: f64, digits: usize) -> String {
    if value.is_finite() { format!("{value:.digits$}").replace('-', "\u{2212}") } else { "–".into() }
}

/// A small share, as 3.1e-5 is written on paper.
fn small(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        decimal(value, 0)
    } else {
        format!("{value:.1e}").replace('-', "\u{2212}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_and_cleaned() {
        assert_eq!(shortened("abcdef", 3), "abc…");
        assert_eq!(shortened("ab\u{1b}\n", 60), "ab\u{fffd}\u{fffd}");
        assert_eq!([shortened("", 5), shortened(" ", 5), shortened("é", 1)], ["“”", "“ ”", "é"]);
    }

    #[test]
    fn numbers_have_a_true_minus_and_odd_ones_a_dash() {
        assert_eq!(
            [decimal(-0.5, 2), decimal(f64::NAN, 2), small(3.14e-5), small(0.0)],
            ["−0.50", "–", "3.1e−5", "0"]
        );
    }
}
