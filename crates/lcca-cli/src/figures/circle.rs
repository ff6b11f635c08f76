//! The correlation circle of two components.

use super::columns::ColumnNames;
use super::illustration::Illustration;
use crate::picture::{Disk, Spot};
use crate::text::grouped;
use lcca::data::Side;

/// The most columns of a view that are drawn, because more cannot be told apart.
const MOST_COLUMNS: usize = 1_500;

/// Draws columns of both views at their correlations with the variables of their own view. The `named`
/// strongest of each view have names.
pub fn circle(columns: ColumnNames<'_>, axes: [usize; 2], named: usize) -> Illustration {
    let model = columns.model;
    let views = Side::BOTH.map(|side| columns.strongest(side, &axes, MOST_COLUMNS));
    let longest = views.iter().map(Vec::len).max().unwrap_or(0);
    let mut spots = Vec::new();
    // The views take turns, because otherwise one of them could take the places of all names.
    for rank in 0..longest {
        for (view, side) in Side::BOTH.into_iter().enumerate() {
            let Some(&column) = views[view].get(rank) else { continue };
            let row = model.view(side).loadings.row(column);
            let name = (rank < named).then(|| columns.name(side, column));
            spots.push(Spot { x: row[axes[0]], y: row[axes[1]], view, name });
        }
    }
    let [a, b] = axes.map(|axis| axis + 1);
    let left_out = Side::BOTH.into_iter().zip(&views).filter_map(|(side, drawn)| {
        let all = model.view(side).loadings.rows();
        let (drawn, all_text) = (grouped(drawn.len() as u64), grouped(all as u64));
        (all > MOST_COLUMNS)
            .then(|| format!(" Of the {all_text} columns of {side}, the strongest {drawn} are drawn."))
    });
    let caption = format!(
        "Each point is a column at its correlations with components {a} and {b} of its own view. Columns \
         near the outer circle are \
         described by the two components; the inner circle is at 0.5. Columns in the same direction go together, columns \
         on opposite sides against each other. The strongest have names, as far as there is room.{}",
        left_out.collect::<String>()
    );
    let disk = Disk {
        description: format!(
            "correlation circle: columns of X and Y at their correlations with components {a} and {b}"
        ),
        x_label: format!("component {a}"),
        y_label: format!("component {b}"),
        components: axes,
        views: ["columns of X".into(), "columns of Y".into()],
        spots,
    };
    Illustration::new(disk, caption)
}
