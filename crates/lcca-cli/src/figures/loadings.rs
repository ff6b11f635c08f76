//! The columns that correlate most with one component, as bars.

use super::columns::{ColumnNames, largest};
use super::illustration::Illustration;
use crate::picture::{Bar, BarPanel, Bars};
use crate::shown::decimal;
use lcca::data::Side;

pub fn loadings(columns: ColumnNames<'_>, component: usize, most: usize) -> Illustration {
    let model = columns.model;
    let panel = |(color, side): (usize, Side)| {
        let loadings = &model.view(side).loadings;
        let bar =
            |column: usize| Bar { name: columns.name(side, column), value: loadings.row(column)[component] };
        BarPanel {
            title: format!("Columns of {side}"),
            color,
            bars: largest(loadings, component, most).into_iter().map(bar).collect(),
        }
    };
    let number = component + 1;
    let bars = Bars {
        description: format!("the columns that correlate most with component {number}"),
        panels: Side::BOTH.into_iter().enumerate().map(panel).collect(),
    };
    let caption = format!(
        "Component {number}, correlation {}: the columns of either view that correlate most with its \
         variable. Columns of the same \
         sign go together.",
        decimal(model.correlations[component], 4)
    );
    Illustration::new(bars, caption)
}
