//! How X-columns and Y-columns go together through the components, as mixOmics' `cim` of a regularized CCA
//! shows it (González, Lê Cao, Davis and Déjean, BioData Mining 5:19, 2012).
//!
//! The similarity of two columns is the inner product of their correlations with the sums zⱼ = uⱼ + vⱼ of
//! the canonical variables. If there is no ridge, a column x that correlates by lⱼ with uⱼ correlates by
//! ρⱼ·lⱼ with vⱼ. Its correlation with zⱼ is then lⱼ·√((1 + ρⱼ)/2), which needs no rows. With a ridge this
//! is an approximation.

use super::columns::ColumnNames;
use super::illustration::Illustration;
use super::order::by_similarity;
use crate::picture::{Grid, GridRow, Picture, Svg};
use lcca::data::Side;

/// The strongest columns of both views. The width decides how many of them are drawn.
pub struct Cim {
    views: [Vec<Column>; 2],
}

struct Column {
    name: String,
    /// The column's correlations with zⱼ.
    correlations: Vec<f64>,
}

pub fn cim(columns: ColumnNames<'_>, components: usize, most: usize) -> Illustration {
    let model = columns.model;
    let shown: Vec<usize> = (0..components).collect();
    let view = |side: Side| {
        let loadings = &model.view(side).loadings;
        let strongest = columns.strongest(side, &shown, most).into_iter();
        let column = |column: usize| Column {
            name: columns.name(side, column),
            correlations: shown
                .iter()
                .map(|&j| loadings.row(column)[j] * shrink(model.correlations[j]))
                .collect(),
        };
        strongest.map(column).collect()
    };
    let count = if components == 1 {
        "the first component".into()
    } else {
        format!("the first {components} components")
    };
    let caption = format!(
        "How columns of X (rows) and columns of Y go together through {count}: the inner product of their \
         correlations with the \
         sums of the canonical variables, 1 at most. Green columns rise together, purple ones against each other. These are \
         the columns with the largest correlations, in an order that puts similar ones side by side."
    );
    Illustration::new(Cim { views: Side::BOTH.map(view) }, caption)
}

/// The factor that turns a column's correlation with u into its correlation with u + v, if u and v
/// correlate by ρ.
pub fn shrink(correlation: f64) -> f64 {
    ((1.0 + correlation.clamp(-1.0, 1.0)) / 2.0).sqrt()
}

impl Picture for Cim {
    fn draw(&self, width: f64) -> Svg {
        let [x, y] = [0, 1].map(|view| &self.views[view][..self.views[view].len().min(Grid::room(width))]);
        let similarity = |a: &Column, b: &Column| -> f64 {
            a.correlations.iter().zip(&b.correlations).map(|(a, b)| a * b).sum()
        };
        let rows: Vec<Vec<f64>> = x.iter().map(|a| y.iter().map(|b| similarity(a, b)).collect()).collect();
        let turned: Vec<Vec<f64>> = y.iter().map(|b| x.iter().map(|a| similarity(a, b)).collect()).collect();
        let (row_order, column_order) = (by_similarity(&rows), by_similarity(&turned));
        let row = |&i: &usize| GridRow {
            name: x[i].name.clone(),
            color: 0,
            values: column_order.iter().map(|&j| rows[i][j]).collect(),
        };
        let grid = Grid {
            description:
                "heatmap: columns of X against columns of Y, by their similarity through the components"
                    .into(),
            title: "Columns of X (rows) against columns of Y".into(),
            scale_label: "similarity".into(),
            rows: row_order.iter().map(row).collect(),
            columns: column_order.iter().map(|&j| y[j].name.clone()).collect(),
            column_color: Some(1),
            turned: true,
            is_linked: false,
        };
        grid.draw(width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_with_a_sum_follow_from_those_with_one_variable() {
        // x = u and v = 0.6 u + 0.8 e, so x correlates by 1.6 / √3.2 with u + v.
        assert!((shrink(0.6) - 1.6 / 3.2f64.sqrt()).abs() < 1e-15);
        assert_eq!((shrink(1.0), shrink(1.0 + 1e-15)), (1.0, 1.0));
    }
}
