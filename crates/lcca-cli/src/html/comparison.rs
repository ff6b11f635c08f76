//! The page about a comparison of methods.

use super::chart::{Chart, Series};
use super::element::{self, Column};
use super::escape;
use super::page::Page;
use crate::compare::result::{Comparison, Run, Setting};
use crate::compare::table;
use crate::text::grouped;
use serde_json::Map;

/// The page needs no script besides the one that draws charts.
const SCRIPT: &str = "";

pub fn html(comparison: &Comparison) -> String {
    let by_index = comparison.settings.iter().map(|setting| by_index(comparison, setting));
    let charts: Vec<Chart> = [captured(comparison)].into_iter().chain(by_index).collect();
    let title = format!("{} and {}: methods compared", comparison.x, comparison.y);
    let main = [time_section(), index_section(comparison), table_section(comparison)].concat();
    let markup = format!("{}<main>\n{main}</main>\n{}", header(comparison), element::footer());
    Page { title: &title, markup: &markup, charts: &charts, data: Map::new(), script: SCRIPT }.html()
}

fn header(comparison: &Comparison) -> String {
    let best = &comparison.best;
    let (class, ended) = if best.converged {
        ("converged", "from a fit that converged")
    } else {
        ("open", "from a fit that did not converge")
    };
    let verdict = format!("Everything is compared with \u{201c}{}\u{201d}, {ended}.", best.label);
    let name = escape::text(&format!("{} and {}", comparison.x, comparison.y));
    let figures = [
        (format!("{:.4}", best.total), format!("{}, of {} at most", best.label, comparison.k)),
        (grouped(comparison.rows as u64), "rows".into()),
        (grouped(comparison.x_cols as u64), "columns of X".into()),
        (grouped(comparison.y_cols as u64), "columns of Y".into()),
    ];
    format!(
        "<header>\n<p class=\"kind\">Methods of canonical correlation analysis</p>\n<h1>{name}</h1>\n\
         <p class=\"verdict {}\">{}</p>\n{}{}</header>\n",
        class,
        escape::text(&verdict),
        element::figures(&figures),
        element::paragraph(&table::sizes(comparison))
    )
}

fn time_section() -> String {
    let explanation = "Every run is a point, those of the calibration included. Further left is faster, further up is better.";
    let chart = element::chart("captured", "Captured correlation against CPU seconds of all threads.");
    element::section("time", "What a second buys", &(element::paragraph(explanation) + &chart))
}

/// All runs of all methods.
fn captured(comparison: &Comparison) -> Chart {
    let series = |(name, runs): (&'static str, Vec<&Run>)| Series {
        name,
        points: runs.iter().map(|run| (run.cpu_seconds, run.total)).collect(),
        dashed: false,
    };
    Chart {
        id: "captured".into(),
        description: "captured correlation of every run against its CPU seconds".into(),
        x_label: "CPU seconds",
        y_label: "captured",
        x_counts: false,
        x_log: true,
        y_log: false,
        y_ends: None,
        limit: Some((comparison.best.total, comparison.best.label.to_string())),
        series: comparison.by_method().into_iter().map(series).collect(),
    }
}

fn index_section(comparison: &Comparison) -> String {
    let explanation = "At each setting the methods took the CPU time that L-CCA took. D-CCA and auto ran once, with their own parameters.";
    let chart = |setting: &Setting| {
        let [first, ..] = &setting.entries[..] else { return String::new() };
        let parameters = table::parameters(&comparison.runs[first.run].method);
        let seconds = table::seconds(setting.cpu_seconds);
        element::chart(
            &id(setting),
            &format!("Setting {}: L-CCA with {parameters}, {seconds} CPU seconds.", setting.id),
        )
    };
    let charts: String = comparison.settings.iter().map(chart).collect();
    element::section("index", "Correlation against index", &(element::paragraph(explanation) + &charts))
}

fn id(setting: &Setting) -> String {
    format!("setting-{}", setting.id)
}

/// Correlations of every method at one setting.
fn by_index(comparison: &Comparison, setting: &Setting) -> Chart {
    let curve = |name: &'static str, correlations: &[f64], dashed: bool| Series {
        name,
        points: correlations.iter().enumerate().map(|(i, &c)| ((i + 1) as f64, c)).collect(),
        dashed,
    };
    let runs = setting.entries.iter().map(|entry| entry.run).chain(comparison.once.iter().copied());
    let runs = runs.map(|run| &comparison.runs[run]).map(|run| curve(run.name, &run.correlations, false));
    let best = curve(comparison.best.label, &comparison.best.correlations, true);
    Chart {
        id: id(setting),
        description: format!("canonical correlation against index at setting {}, every method", setting.id),
        x_label: "index",
        y_label: "canonical correlation",
        x_counts: true,
        x_log: false,
        y_log: false,
        y_ends: Some((0.0, 1.0)),
        limit: None,
        series: runs.chain([best]).collect(),
    }
}

fn table_section(comparison: &Comparison) -> String {
    let class = |title: &str| if ["method", "parameters"].contains(&title) { "names" } else { "number" };
    let columns = table::HEADER.map(|title| Column { title, class: class(title) });
    let escaped = |row: Vec<String>| row.iter().map(|cell| escape::text(cell)).collect();
    let rows: Vec<Vec<String>> = table::rows(comparison).into_iter().map(escaped).collect();
    let table = element::table("Every method at every setting", &columns, &rows);
    element::section("numbers", "Numbers", &(table + &element::list(&table::notes(comparison))))
}
