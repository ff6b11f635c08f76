//! Rows at their canonical variables, colored by label: two components in either view, or one component in
//! both views.

use super::given_rows::GivenRows;
use super::illustration::Illustration;
use crate::picture::CloudPanel;
use crate::shown::decimal;

/// Shows one component as X against Y, and two components as one panel per view.
pub fn scores(given: &GivenRows, axes: &[usize]) -> Illustration {
    let points = |views: [usize; 2], components: [usize; 2]| {
        given.variable(views[0], components[0]).zip(given.variable(views[1], components[1])).collect()
    };
    let (panels, what) = match *axes {
        [a, b, ..] => {
            let panel = |(view, name): (usize, &str)| CloudPanel {
                title: format!("Rows in {name}"),
                x_label: format!("variable {} of {name}", a + 1),
                y_label: format!("variable {} of {name}", b + 1),
                components: [a, b],
                points: points([view, view], [a, b]),
                arrows: Vec::new(),
            };
            let panels = ["X", "Y"].into_iter().enumerate().map(panel).collect();
            (panels, format!("The canonical variables {} and {} of either view", a + 1, b + 1))
        }
        _ => {
            let a = axes.first().copied().unwrap_or(0);
            let panel = CloudPanel {
                title: format!("Correlation on these rows {}", decimal(given.scores.correlations[a], 4)),
                x_label: format!("variable {} of X", a + 1),
                y_label: format!("variable {} of Y", a + 1),
                components: [a, a],
                points: points([0, 1], [a, a]),
                arrows: Vec::new(),
            };
            (vec![panel], format!("The pair of canonical variables {}", a + 1))
        }
    };
    let caption = format!("{what} on {}, one point per row{}.", given.count(), given.colored());
    Illustration::new(given.cloud(caption.clone(), panels), caption)
}
