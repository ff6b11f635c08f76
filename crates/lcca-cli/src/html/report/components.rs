//! The components: their correlations, and for each the columns that matter most in either view.
//!
//! A column matters by its loading, which is its correlation with the canonical variable of its own view.
//! The second order is by weight, which the variable is computed with. In sparse text, for example, the
//! leading words are frequent by loading and rare by weight.

use super::scatter;
use super::subject::Subject;
use crate::escape;
use crate::figures::{self, Scree, largest};
use crate::html::element::{self, Column, Section};
use crate::shown::decimal;
use crate::text::grouped;
use lcca::data::Side;
use lcca::fit::View;
use lcca_io::FitRecord;
use rayon::prelude::*;
use serde_json::{Value, json};

/// The number of columns listed for one component.
const LISTED: usize = 15;
/// The number of columns listed per component in the overview.
const LEADING: usize = 6;

/// The columns with the largest numbers in every component, largest first.
struct Leaders {
    by_loading: Vec<Vec<usize>>,
    by_weight: Vec<Vec<usize>>,
}

pub struct Components {
    /// The number of components to show; it may be reduced later.
    pub shown: usize,
    x: Leaders,
    y: Leaders,
}

impl Components {
    pub fn new(subject: &Subject<'_>, shown: usize) -> Self {
        let leaders = |view: &View| Leaders {
            by_loading: (0..shown).into_par_iter().map(|j| largest(&view.loadings, j, LISTED)).collect(),
            by_weight: (0..shown).into_par_iter().map(|j| largest(&view.weights, j, LISTED)).collect(),
        };
        Components { shown, x: leaders(&subject.model.x), y: leaders(&subject.model.y) }
    }

    fn leaders(&self, side: Side) -> &Leaders {
        if side == Side::X { &self.x } else { &self.y }
    }

    /// All components with their correlations and leading columns.
    pub fn overview(&self, subject: &Subject<'_>, record: Option<&FitRecord>) -> Section {
        let numbers = self.numbers(subject, record);
        let number = |title| Column { title, class: "number" };
        let names = |title| Column { title, class: "names" };
        let mut columns = vec![number("component")];
        columns.extend(numbers.iter().map(|(title, _)| number(title)));
        columns.extend([names("leading columns of X"), names("leading columns of Y")]);
        let row = |j: usize| {
            let cells = numbers.iter().map(|(_, cells)| cells[j].clone());
            let leading = Side::BOTH.map(|side| self.leading(subject, side, j));
            [component_link(j)].into_iter().chain(cells).chain(leading).collect()
        };
        let rows: Vec<Vec<String>> = (0..self.shown).map(row).collect();
        let table = element::table("Every component and its leading columns", &columns, &rows);
        let known = Scree {
            model: subject.model,
            record,
            given: subject.given,
            certainty: subject.certainty,
            shown: self.shown,
        };
        let figure = element::figure("correlations", &figures::scree(&known));
        Section {
            id: "components",
            title: "Components",
            markup: self.explanation(subject) + &figure + &table,
        }
    }

    fn explanation(&self, subject: &Subject<'_>) -> String {
        let mut text = element::paragraph(
            "Each component is a pair of canonical variables, one of X and one of Y, that rise and fall \
             together. Leading columns \
             are those with the largest loadings: the correlations of a column with the variable of its view. Columns of \
             the same sign go together; a minus marks the others.",
        );
        subject
            .certainty
            .explanation(subject.given)
            .iter()
            .for_each(|line| text += &element::paragraph(line));
        let pairs = subject.model.pairs();
        if self.shown < pairs {
            text += &element::remark(&format!(
                "The first {} of {} components are shown.",
                self.shown,
                grouped(pairs as u64)
            ));
        }
        for side in Side::BOTH.into_iter().filter(|&side| subject.column_names(side).is_none()) {
            text +=
                &element::remark(&format!("The columns of {side} have no names; they are counted from 0."));
        }
        text
    }

    /// The numeric columns of the overview: their titles, and one cell per component.
    fn numbers(&self, subject: &Subject<'_>, record: Option<&FitRecord>) -> Vec<(&'static str, Vec<String>)> {
        let model = subject.model;
        let cells = |values: &[f64]| values.iter().map(|&v| decimal(v, 4)).collect::<Vec<_>>();
        let mut numbers = vec![("correlation", cells(&model.correlations))];
        if let Some(held_out) = record.and_then(|record| record.held_out.as_ref()) {
            let value = |j: usize| held_out.held_out.get(j).copied().unwrap_or(f64::NAN);
            numbers.push(("held out", (0..self.shown).map(|j| decimal(value(j), 4)).collect()));
        }
        // Rows of training have the correlations of training, so they get no column.
        if let Some(given) = subject.given.filter(|given| !given.are_training) {
            numbers.push(("given rows", cells(&given.scores.correlations)));
        }
        numbers.extend(subject.certainty.columns(subject.given));
        if !model.settings.is_cca() {
            let covariances = model.objective.iter().map(|&value| format!("{value:.4e}")).collect();
            numbers.push(("covariance", covariances));
        } else if model.settings.ridge_x > 0.0 || model.settings.ridge_y > 0.0 {
            numbers.push(("objective", cells(&model.objective)));
        }
        numbers
    }

    fn leading(&self, subject: &Subject<'_>, side: Side, j: usize) -> String {
        let loadings = &subject.model.view(side).loadings;
        let name = |&column: &usize| {
            let class = if loadings.row(column)[j] < 0.0 { "against" } else { "with" };
            format!("<bdi class=\"{class}\">{}</bdi>", escape::text(&subject.column(side, column)))
        };
        let listed = self.leaders(side).by_loading[j].iter().take(LEADING);
        listed.map(name).collect::<Vec<_>>().join(" ")
    }

    /// The empty tables and controls for one component at a time; the script fills them.
    pub fn explorer(&self, subject: &Subject<'_>) -> Section {
        let options: String =
            (1..=self.shown).map(|i| format!("<option value=\"{i}\">{i}</option>")).collect();
        let mut content = format!(
            "<div class=\"controls\"><label for=\"component\">Component</label> <select \
             id=\"component\">{options}</select> \
             <button type=\"button\" id=\"previous\" aria-label=\"previous component\">‹</button> \
             <button type=\"button\" id=\"next\" aria-label=\"next component\">›</button> \
             <label for=\"order\">ordered by</label> <select id=\"order\"><option \
                 value=\"loading\">loading</option>\
             <option value=\"weight\">weight</option></select></div>\n\
             <h3 id=\"chosen\" aria-live=\"polite\"></h3>\n<div class=\"sides explorer\">\n"
        );
        for (id, side) in [("leaders-x", Side::X), ("leaders-y", Side::Y)] {
            content += &format!(
                "<table class=\"leaders\" id=\"{id}\"><caption>Columns of {side}</caption></table>\n"
            );
        }
        content += &subject.given.map(scatter::figure).unwrap_or_default();
        content += "</div>\n";
        if subject.given.is_none() {
            let hint = "Give rows as well, `lcca report MODEL X Y`, to see the canonical variables.";
            content += &element::hint(hint);
        }
        Section { id: "component-by-component", title: "One component", markup: content }
    }

    pub fn json(&self, subject: &Subject<'_>) -> Value {
        let component = |j: usize| {
            json!({
                "correlation": subject.model.correlations[j],
                "x": self.leaders(Side::X).json(subject, Side::X, j),
                "y": self.leaders(Side::Y).json(subject, Side::Y, j),
            })
        };
        (0..self.shown).map(component).collect()
    }
}

impl Leaders {
    fn json(&self, subject: &Subject<'_>, side: Side, j: usize) -> Value {
        let View { loadings, weights, .. } = subject.model.view(side);
        let row = |&column: &usize| {
            json!([
                subject.column(side, column),
                rounded(loadings.row(column)[j]),
                rounded(weights.row(column)[j])
            ])
        };
        let rows = |columns: &[usize]| columns.iter().map(row).collect::<Vec<_>>();
        json!({ "loading": rows(&self.by_loading[j]), "weight": rows(&self.by_weight[j]) })
    }
}

/// A number with seven digits, because the page shows no more, and more would only make it larger.
fn rounded(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

/// A link that shows one component in the explorer.
fn component_link(j: usize) -> String {
    let i = j + 1;
    format!("<a href=\"#component-by-component\" data-component=\"{i}\">{i}</a>")
}
