//! The canonical variables of one component at a time; the script draws them.

use crate::figures::{GivenRows, RowLabels};
use crate::html::{element, pack};
use crate::picture::{FEW, NAMED, OTHERS, RADIUS, marker};
use crate::shown::shortened;
use serde_json::{Value, json};

/// The most characters of a row's name next to its point, and of a label in the legend.
const LONGEST_NAME: usize = 24;

/// The data of the script, one component after the other, because the script shows one at a time.
pub fn json(given: &GivenRows, components: usize) -> Value {
    let packed =
        |view: usize| (0..components).map(|j| pack::numbers(given.variable(view, j))).collect::<Vec<_>>();
    let labels = given.labels.as_ref().map(RowLabels::groups);
    let looks = labels.as_ref().map(|(legend, groups)| {
        let looks: Vec<u8> = groups.iter().map(|&group| legend[group].1 as u8).collect();
        pack::bytes(&looks)
    });
    let entry = |(name, look): (String, usize)| (shortened(&name, LONGEST_NAME), look);
    let legend: Vec<_> = labels.into_iter().flat_map(|(legend, _)| legend).map(entry).collect();
    json!({
        "rows": given.sample,
        "areTraining": given.are_training,
        "correlations": given.scores.correlations[..components],
        "x": packed(0),
        "y": packed(1),
        "looks": looks,
        "legend": legend,
        "others": OTHERS,
        "areFew": given.sample.len() <= FEW,
        "shapes": (0..=OTHERS).map(|look| marker(look, (0.0, 0.0), RADIUS)).collect::<Vec<_>>(),
        "names": names(given),
        "titles": given.titles(),
    })
}

/// The names of the rows, if they are few: they stand next to their points, as in the pictures of rows.
fn names(given: &GivenRows) -> Option<Vec<String>> {
    let names = given.names.as_ref().filter(|names| names.len() <= NAMED)?;
    Some(names.iter().map(|name| shortened(name, LONGEST_NAME)).collect())
}

/// The empty figure that the script draws the scatter plot into.
pub fn figure(given: &GivenRows) -> String {
    let (count, colored) = (given.count(), given.colored());
    let caption = format!("The pair of canonical variables on {count}, one point per row{colored}.");
    element::scripted_figure("scatter", &caption)
}
