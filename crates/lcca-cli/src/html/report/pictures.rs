//! The pictures of columns and rows, which `lcca plot` also writes.

use super::subject::Subject;
use crate::figures;
use crate::html::element::{self, Section};

/// The names in a correlation circle, the rows of heatmaps, and the lines of a biplot, per view.
const NAMED: usize = 15;
const IN_HEATMAP: usize = 20;
const IN_CIM: usize = 30;
const IN_BIPLOT: usize = 8;
/// The most components in a heatmap.
const MOST_COMPONENTS: usize = 20;

/// The pictures of columns: the circle, and both heatmaps.
pub fn columns(subject: &Subject<'_>, shown: usize) -> Option<Section> {
    let (columns, pairs) = (subject.columns(), shown);
    let mut content = String::new();
    if pairs == 0 {
        return None;
    }
    if pairs > 1 {
        content += "<h3>Columns and the first two components</h3>\n";
        content += &element::figure("circle", &figures::circle(columns, [0, 1], NAMED));
    } else {
        content += &element::remark("With one component there is no correlation circle.");
    }
    content += "<h3>Columns and all components</h3>\n";
    let illustration = figures::heatmap(columns, pairs.min(MOST_COMPONENTS), IN_HEATMAP);
    content += &element::figure("heatmap", &illustration);
    content += "<h3>Columns of X and columns of Y</h3>\n";
    content += &element::figure("cim", &figures::cim(columns, pairs, IN_CIM));
    Some(Section { id: "columns", title: "Columns", markup: content })
}

/// The pictures of rows, if some were given: their scores, and the biplot.
pub fn rows(subject: &Subject<'_>, shown: usize) -> Option<Section> {
    let given = subject.given.filter(|_| shown > 0)?;
    let axes: Vec<usize> = (0..shown.min(2)).collect();
    let mut content = element::figure("scores", &figures::scores(given, &axes));
    if let [a, b] = axes[..] {
        content += "<h3>Rows and columns together</h3>\n";
        content += &element::figure("biplot", &figures::biplot(subject.columns(), given, [a, b], IN_BIPLOT));
    }
    if given.labels.is_none() {
        let hint = "Rows can be colored by what is known about them: `--label FILE`, with one label per row.";
        content += &element::hint(hint);
    }
    Some(Section { id: "rows", title: "Rows", markup: content })
}
