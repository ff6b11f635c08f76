//! The canonical variables of one component at a time; the script draws them.

use crate::figures::GivenRows;
use crate::html::{element, pack};
use serde_json::{Value, json};

/// The data of the script: one component after the other, because it shows one at a time.
pub fn json(given: &GivenRows, components: usize) -> Value {
    let packed =
        |view: usize| (0..components).map(|j| pack::numbers(given.variable(view, j))).collect::<Vec<_>>();
    let labels = given.labels.as_ref().map(|labels| {
        let (legend, groups) = labels.groups(0);
        let groups: Vec<u8> = groups.into_iter().map(|group| legend[group].1 as u8).collect();
        pack::bytes(&groups)
    });
    json!({
        "rows": given.sample,
        "correlations": given.scores.correlations[..components],
        "x": packed(0),
        "y": packed(1),
        "looks": labels,
    })
}

/// The empty figure that the script draws the scatter plot into.
pub fn figure(given: &GivenRows) -> String {
    let colored =
        given.labels.as_ref().map(|labels| format!(", colored by {}", labels.source)).unwrap_or_default();
    let caption = format!("The pair of canonical variables on {}, one dot per row{colored}.", given.count());
    element::scripted_figure("scatter", &caption)
}
