//! The page about a comparison of methods.

use super::element::{self, Column, Section};
use super::page::Page;
use crate::compare::result::{Comparison, Run, Setting};
use crate::compare::table;
use crate::escape;
use crate::figures::Illustration;
use crate::picture::{LineChart, Look, Point, Series, Vertical};
use crate::plot::looks;
use crate::text::grouped;

pub fn html(comparison: &Comparison) -> String {
    let title = format!("{} and {}: methods compared", comparison.x, comparison.y);
    let parts = [time_section(comparison), index_section(comparison), table_section(comparison)];
    let markup = format!("{}{}{}", header(comparison), element::sections(&parts), element::footer());
    Page { title: &title, markup: &markup, script: None }.html()
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

fn time_section(comparison: &Comparison) -> Section {
    let explanation = "Every run is a point, those of the calibration included. Further left is faster, \
        further up is better.";
    let caption = "Captured correlation against CPU seconds of all threads.";
    let figure = element::figure("captured", &Illustration::new(captured(comparison), caption.into()));
    Section { id: "time", title: "What a second buys", markup: element::paragraph(explanation) + &figure }
}

/// Captured total against CPU time: all runs of all methods.
fn captured(comparison: &Comparison) -> LineChart {
    let runs = comparison.by_method();
    let looks = looks(&runs.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let series = |((name, runs), look): ((&'static str, Vec<&Run>), usize)| Series {
        name: name.into(),
        look: Look::Solid(look),
        points: runs.iter().map(|run| Point::new(run.cpu_seconds, run.total)).collect(),
    };
    LineChart {
        description: "captured correlation of every run against its CPU seconds".into(),
        x_label: "CPU seconds",
        y_label: "captured".into(),
        x_counts: false,
        is_linked: false,
        x_log: true,
        vertical: Vertical::UpTo(comparison.k as f64),
        limit: Some((comparison.best.total, comparison.best.label.to_string())),
        series: runs.into_iter().zip(looks).map(series).collect(),
        row: None,
    }
}

fn index_section(comparison: &Comparison) -> Section {
    let explanation = "At each setting the methods took the CPU time that L-CCA took. D-CCA and auto ran \
        once, with their own parameters.";
    let chart = |setting: &Setting| {
        let [first, ..] = &setting.entries[..] else { return String::new() };
        let parameters = table::parameters(&comparison.runs[first.run].method);
        let seconds = table::seconds(setting.cpu_seconds);
        let caption = format!("Setting {}: L-CCA with {parameters}, {seconds} CPU seconds.", setting.id);
        element::figure(&id(setting), &Illustration::new(by_index(comparison, setting), caption))
    };
    let charts: String = comparison.settings.iter().map(chart).collect();
    Section {
        id: "index",
        title: "Correlation against index",
        markup: element::paragraph(explanation) + &charts,
    }
}

fn id(setting: &Setting) -> String {
    format!("setting-{}", setting.id)
}

/// Correlations of every method at one setting.
fn by_index(comparison: &Comparison, setting: &Setting) -> LineChart {
    let curve = |name: &str, correlations: &[f64], look: Look| Series {
        name: name.into(),
        look,
        points: correlations.iter().enumerate().map(|(i, &c)| Point::new((i + 1) as f64, c)).collect(),
    };
    let runs = setting.entries.iter().map(|entry| entry.run).chain(comparison.once.iter().copied());
    let runs: Vec<&Run> = runs.map(|run| &comparison.runs[run]).collect();
    let looks = looks(&runs.iter().map(|run| run.name).collect::<Vec<_>>());
    let solid =
        runs.iter().zip(looks).map(|(run, look)| curve(run.name, &run.correlations, Look::Solid(look)));
    let best = curve(comparison.best.label, &comparison.best.correlations, Look::Dashed);
    LineChart {
        description: format!("canonical correlation against index at setting {}, every method", setting.id),
        x_label: "index",
        y_label: "canonical correlation".into(),
        x_counts: true,
        is_linked: false,
        x_log: false,
        vertical: Vertical::Correlation,
        limit: None,
        series: solid.chain([best]).collect(),
        row: None,
    }
}

fn table_section(comparison: &Comparison) -> Section {
    let class = |title: &str| if ["method", "parameters"].contains(&title) { "names" } else { "number" };
    let columns = table::HEADER.map(|title| Column { title, class: class(title) });
    let escaped = |row: Vec<String>| row.iter().map(|cell| escape::text(cell)).collect();
    let rows: Vec<Vec<String>> = table::rows(comparison).into_iter().map(escaped).collect();
    let table = element::table("Every method at every setting", &columns, &rows);
    Section { id: "numbers", title: "Numbers", markup: table + &element::list(&table::notes(comparison)) }
}
