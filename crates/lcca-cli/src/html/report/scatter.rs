//! The canonical variables of one component at a time; the script draws them.

use crate::figures::GivenRows;
use crate::html::{element, pack};
use crate::picture::{FEW, OTHERS, marker};
use serde_json::{Value, json};

/// The data of the script: one component after the other, because it shows one at a time.
pub fn json(given: &GivenRows, components: usize) -> Value {
    let packed =
        |view: usize| (0..components).map(|j| pack::numbers(given.variable(view, j))).collect::<Vec<_>>();
    let labels = given.labels.as_ref().map(|labels| {
        let (legend, groups) = labels.groups();
        let groups: Vec<u8> = groups.into_iter().map(|group| legend[group].1 as u8).collect();
        pack::bytes(&groups)
    });
    json!({
        "rows": given.sample,
        "correlations": given.scores.correlations[..components],
        "x": packed(0),
        "y": packed(1),
        "looks": labels,
        "others": OTHERS,
        "shapes": shapes(given),
        "titles": given.titles(),
    })
}

/// The shapes of few rows by the numbers of their looks, as in the pictures of rows; many rows are dots.
fn shapes(given: &GivenRows) -> Option<Vec<String>> {
    let shape = |look: usize| marker(look, (0.0, 0.0), 3.4);
    (given.sample.len() <= FEW).then(|| (0..=OTHERS).map(shape).collect())
}

/// The empty figure that the script draws the scatter plot into.
pub fn figure(given: &GivenRows) -> String {
    let (count, colored) = (given.count(), given.colored());
    let caption = format!("The pair of canonical variables on {count}, one point per row{colored}.");
    element::scripted_figure("scatter", &caption)
}
