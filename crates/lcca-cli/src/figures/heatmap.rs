//! The heatmap of columns against components.

use super::columns::ColumnNames;
use super::illustration::Illustration;
use crate::picture::{Grid, GridRow};
use lcca::data::Side;

/// Shows the strongest columns of either view against the first components.
pub fn heatmap(columns: ColumnNames<'_>, components: usize, most: usize) -> Illustration {
    let mut rows = Vec::new();
    for (color, side) in Side::BOTH.into_iter().enumerate() {
        let loadings = &columns.model.view(side).loadings;
        let mut strongest = columns.taking_turns(side, components, most);
        // Columns that are strongest in the same component stand together.
        let lead = |column: usize| {
            let row = &loadings.row(column)[..components];
            (0..components)
                .max_by(|&a, &b| row[a].abs().total_cmp(&row[b].abs()).then(b.cmp(&a)))
                .unwrap_or(0)
        };
        strongest.sort_by(|&a, &b| {
            let value = |column: usize| loadings.row(column).get(lead(column)).copied().unwrap_or(0.0);
            lead(a).cmp(&lead(b)).then(value(b).total_cmp(&value(a))).then(a.cmp(&b))
        });
        rows.push(GridRow { name: format!("Columns of {side}"), color, values: Vec::new() });
        rows.extend(strongest.into_iter().map(|column| GridRow {
            name: columns.name(side, column),
            color,
            values: loadings.row(column)[..components].to_vec(),
        }));
    }
    let grid = Grid {
        description: "heatmap: the strongest columns of X and Y against components".into(),
        title: "Component".into(),
        scale_label: "correlation".into(),
        rows,
        columns: (1..=components).map(|i| i.to_string()).collect(),
        column_color: None,
        turned: false,
        is_linked: true,
    };
    let caption = "The correlation of a column with the component of its own view: green if they rise \
        together, purple if one \
                   falls while the other rises. Each component has its strongest columns here, as far as there is room; columns are \
                   ordered by the component in which they are strongest.";
    Illustration::new(grid, caption.into())
}
