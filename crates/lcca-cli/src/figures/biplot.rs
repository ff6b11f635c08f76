//! Rows and columns in one picture: a row is at the mean of both views' variables, and a column is an
//! arrow.

use super::columns::ColumnNames;
use super::given_rows::GivenRows;
use super::illustration::Illustration;
use super::similarity::shrink;
use crate::picture::{Arrow, CloudPanel};
use lcca::data::Side;

/// Shows two components on the given rows, with the strongest columns of either view.
pub fn biplot(columns: ColumnNames<'_>, given: &GivenRows, axes: [usize; 2], most: usize) -> Illustration {
    let model = columns.model;
    let mean = |component: usize| {
        given.variable(0, component).zip(given.variable(1, component)).map(|(x, y)| (x + y) / 2.0)
    };
    let views = Side::BOTH.map(|side| columns.strongest(side, &axes, most));
    let mut arrows = Vec::new();
    for rank in 0..most {
        for (view, side) in Side::BOTH.into_iter().enumerate() {
            let Some(&column) = views[view].get(rank) else { continue };
            let row = model.view(side).loadings.row(column);
            let [x, y] = axes.map(|j| row[j] * shrink(model.correlations[j]));
            arrows.push(Arrow { x, y, view, name: columns.name(side, column) });
        }
    }
    let [a, b] = axes.map(|axis| axis + 1);
    let colored = given.colored();
    let caption = format!(
        "Points are {}{colored}, at the means of the canonical variables of X and Y. Lines are the strongest \
         columns, blue for X and \
         orange for Y: rows lie farther in the direction of a column the more they have of it. All lines are stretched by \
         one factor.",
        given.count()
    );
    let panel = CloudPanel {
        title: format!("Components {a} and {b}"),
        x_label: format!("component {a}"),
        y_label: format!("component {b}"),
        components: axes,
        points: mean(axes[0]).zip(mean(axes[1])).collect(),
        arrows,
    };
    let description =
        format!("biplot of components {a} and {b}: rows as points, the strongest columns as lines");
    Illustration::new(given.cloud(description, vec![panel]), caption)
}
