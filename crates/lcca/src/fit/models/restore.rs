//! Turns a fit to a reduced problem into a fit to the problem that it stands for.

use super::fitted::Fit;
use super::model::View;
use crate::data::{Reduced, Shape};
use crate::matrix::Panel;
use crate::method::Settings;

/// The settings of the reduced problem: a relative ridge is relative to all columns, empty ones included.
pub(in crate::fit) fn reduced_settings(settings: &Settings, all: Shape, reduced: Shape) -> Settings {
    Settings {
        ridge_x: settings.ridge_x * reduced.x_cols as f64 / all.x_cols as f64,
        ridge_y: settings.ridge_y * reduced.y_cols as f64 / all.y_cols as f64,
        ..settings.clone()
    }
}

/// Puts weights, loadings and means back in their columns; empty columns have weight 0.
pub(in crate::fit) fn restore(fit: &mut Fit, reduced: &Reduced, all: Shape, settings: &Settings) {
    let [x, y] = &reduced.columns;
    if let Some(columns) = x {
        spread(&mut fit.model.x, columns, all.x_cols);
        fit.regressions.x = spread_panel(&fit.regressions.x, columns, all.x_cols);
    }
    if let Some(columns) = y {
        spread(&mut fit.model.y, columns, all.y_cols);
        fit.regressions.y = spread_panel(&fit.regressions.y, columns, all.y_cols);
        fit.regressions.y_on_x = spread_panel(&fit.regressions.y_on_x, columns, all.y_cols);
    }
    fit.model.rows = all.rows as u64;
    fit.model.settings = settings.clone();
    fit.decisions.splice(..0, reduced.decisions.iter().cloned());
}

/// Puts weights back in their columns.
pub(in crate::fit) fn restore_weights(weights: &mut [Panel; 2], reduced: &Reduced, all: Shape) {
    for ((weights, columns), all) in weights.iter_mut().zip(&reduced.columns).zip([all.x_cols, all.y_cols]) {
        if let Some(columns) = columns {
            *weights = spread_panel(weights, columns, all);
        }
    }
}

/// Picks the weights of the columns that were kept.
pub(in crate::fit) fn reduce_weights(weights: &mut [Panel; 2], reduced: &Reduced) {
    for (weights, columns) in weights.iter_mut().zip(&reduced.columns) {
        if let Some(columns) = columns {
            let picked = |i: usize, j: usize| weights.row(columns[i] as usize)[j];
            *weights = Panel::from_fn(columns.len(), weights.cols(), picked);
        }
    }
}

fn spread(view: &mut View, columns: &[u32], all: usize) {
    view.weights = spread_panel(&view.weights, columns, all);
    view.loadings = spread_panel(&view.loadings, columns, all);
    if let Some(mean) = &mut view.mean {
        let mut spread = vec![0.0; all];
        columns.iter().zip(&*mean).for_each(|(&column, &value)| spread[column as usize] = value);
        *mean = spread;
    }
}

fn spread_panel(small: &Panel, columns: &[u32], all: usize) -> Panel {
    let mut panel = Panel::zeros(all, small.cols());
    for (row, &column) in columns.iter().enumerate() {
        panel.row_mut(column as usize).copy_from_slice(small.row(row));
    }
    panel
}
