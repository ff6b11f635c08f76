//! The comparison as tables for people, for a page and for spreadsheets.

use super::calibrate::Outcome;
use super::result::{Best, Comparison, Entry, Run, Setting};
use super::tunable::{WIDEST_SKETCH, reason, time_parameter, time_value};
use crate::text::{self, grouped, view_sizes};
use lcca::method::Method;
use std::fmt::Write as _;

/// The mark of times that do not agree.
const MARK: &str = "†";

/// The parameters that have a column in compare.csv.
const CSV_PARAMETERS: [&str; 5] = ["t1", "t2", "k-pc", "k-rpcca", "sketch-rows"];

/// A method's parameters, such as "t1 5, t2 7, k_pc 100".
pub fn parameters(method: &Method) -> String {
    let settings = method.settings();
    let texts = settings
        .map(|(parameter, value)| format!("{} {}", column_name(parameter.name), parameter.format(value)));
    texts.collect::<Vec<_>>().join(", ")
}

/// A parameter as the paper and the columns of tables spell it.
fn column_name(parameter: &str) -> String {
    parameter.replace('-', "_")
}

/// Seconds with three significant digits.
pub fn seconds(seconds: f64) -> String {
    let decimals = (2 - seconds.max(1e-4).log10().floor() as i32).max(0) as usize;
    format!("{seconds:.decimals$}")
}

/// One finished run, printed while the comparison goes on.
pub fn line(label: &str, run: &Run) -> String {
    let parameters = parameters(&run.method);
    format!("{label} ({parameters}): {} CPU s, captured {:.4}", seconds(run.cpu_seconds), run.total)
}

/// The titles of the columns of [`rows`].
pub const HEADER: [&str; 8] =
    ["setting", "method", "parameters", "CPU s", "captured", "of best", "distance X", "distance Y"];

/// One row per method and setting, the best possible last.
pub fn rows(comparison: &Comparison) -> Vec<Vec<String>> {
    let shown = comparison.shown().map(|(entry, run)| text_row(comparison, entry, run));
    shown.chain([best_row(&comparison.best)]).collect()
}

/// The comparison as text for the terminal.
pub fn text(comparison: &Comparison) -> String {
    let notes: String = notes(comparison).iter().map(|note| format!("{note}\n")).collect();
    format!("{}\n\n{}\n{notes}", sizes(comparison), text::table(&HEADER, &rows(comparison)))
}

fn text_row(comparison: &Comparison, entry: Option<(&Setting, &Entry)>, run: &Run) -> Vec<String> {
    vec![
        setting_id(entry),
        run.name.to_string(),
        parameters(&run.method),
        format!("{}{}", seconds(run.cpu_seconds), entry.map_or("", |(_, entry)| mark(entry))),
        format!("{:.4}", run.total),
        format!("{:.1}%", 100.0 * run.total / comparison.best.total),
        format!("{:.3}", run.distance.x.largest),
        format!("{:.3}", run.distance.y.largest),
    ]
}

fn best_row(best: &Best) -> Vec<String> {
    let cells = [
        "",
        best.label,
        &format!("tolerance {:.0e}", best.tol),
        &seconds(best.cpu_seconds),
        &format!("{:.4}", best.total),
        "100.0%",
        "0",
        "0",
    ];
    cells.map(String::from).into()
}

/// The number of the setting; empty for a method that ran once.
fn setting_id(entry: Option<(&Setting, &Entry)>) -> String {
    entry.map_or(String::new(), |(setting, _)| setting.id.to_string())
}

fn mark(entry: &Entry) -> &'static str {
    if entry.outcome == Outcome::Agrees { "" } else { MARK }
}

/// The data and the settings of the comparison.
pub fn sizes(comparison: &Comparison) -> String {
    let Comparison { rows, x_cols, y_cols, k, center, ridge_x, ridge_y, threads, .. } = comparison;
    let sizes = view_sizes(*rows as u64, *x_cols as u64, *y_cols as u64);
    let ridge = match (*ridge_x, *ridge_y) {
        (0.0, 0.0) => "no ridge".to_string(),
        (x, y) if x == y => format!("ridge {x}"),
        (x, y) => format!("ridge {x} and {y}"),
    };
    let centered = if *center { "centered" } else { "not centered" };
    format!("{sizes}, k = {k}, {centered}, {ridge}; threads: {threads}")
}

/// The facts that a reader must know to interpret the numbers.
pub fn notes(comparison: &Comparison) -> Vec<String> {
    let best = &comparison.best;
    let mut notes = vec![
        "Captured is the sum of the canonical correlations between the two fitted subspaces, on the rows \
         themselves. CPU \
         seconds are those of all threads in the run shown; short runs are repeated up to three times, and the least time is given."
            .to_string(),
    ];
    notes.extend(comparison.shown().filter_map(|(entry, run)| disagreement(comparison, entry?, run)));
    if comparison.sketch_left_out {
        let columns = grouped((comparison.x_cols + comparison.y_cols) as u64);
        let widest = grouped(WIDEST_SKETCH as u64);
        notes.push(format!(
            "Sketch was left out: the views have {columns} columns together, and more than {widest} are too \
             many for its \
             dense solve."
        ));
    }
    let verdict = if best.converged { "converged" } else { "did not converge" };
    let missing = best.missing;
    notes.push(format!(
        "{}: {} at tolerance {:.0e}, {verdict}, about {missing:.0e} of the total may be missing.",
        best.label,
        best.chosen.name(),
        best.tol
    ));
    if comparison.ridge_x > 0.0 || comparison.ridge_y > 0.0 {
        let note = "With a ridge, the exact answer does not capture the most: others may capture more and \
            fit worse.";
        notes.push(note.into());
    }
    notes.push(distance_note(comparison));
    notes
}

fn distance_note(comparison: &Comparison) -> String {
    let best = &comparison.best;
    let gap = best.next.map_or(String::new(), |next| {
        format!(" Value {} of the objective is {:.6}, the next {next:.6}.", comparison.k, best.last)
    });
    let warning = if comparison.is_degenerate() {
        " They are so close that many subspaces are as good: distances mean little here."
    } else {
        ""
    };
    let label = best.label;
    format!("Distance is the sine of the largest angle between a subspace and the {label} one.{gap}{warning}")
}

/// The reason why the CPU time of a run is not the requested one; `None` if it is.
fn disagreement(comparison: &Comparison, (setting, entry): (&Setting, &Entry), run: &Run) -> Option<String> {
    let parameter = column_name(time_parameter(&run.method)?);
    let why = reason(&parameter, entry.outcome)?;
    let (ratio, id) = (entry.ratio, setting.id);
    let within = 100.0 * comparison.agreement;
    Some(format!(
        "{MARK} setting {id}, {}: {ratio:.2} of the requested time, not within {within:.0}%: {why}.",
        run.name
    ))
}

/// The analogue of the paper's table 1, with the results.
pub fn markdown(comparison: &Comparison) -> String {
    let mut page = format!("`{}` and `{}`: {}\n\n", comparison.x, comparison.y, sizes(comparison));
    page += &settings_table(comparison);
    page.push('\n');
    page += &runs_table(comparison);
    page.push('\n');
    notes(comparison).iter().for_each(|note| page += &format!("- {note}\n"));
    page
}

/// One row per setting, as in the paper.
fn settings_table(comparison: &Comparison) -> String {
    let Some(first) = comparison.settings.first() else { return String::new() };
    let runs = |setting: &Setting| -> Vec<(Entry, &Run)> {
        setting.entries.iter().map(|entry| (*entry, &comparison.runs[entry.run])).collect()
    };
    let mut header = vec!["setting".to_string()];
    header.extend(runs(first).iter().map(|(_, run)| {
        format!("{} {}", run.name, column_name(time_parameter(&run.method).unwrap_or_default()))
    }));
    for title in ["CPU s", "captured"] {
        header.extend(runs(first).iter().map(|(_, run)| format!("{} {title}", run.name)));
    }
    let row = |setting: &Setting| {
        let runs = runs(setting);
        let mut row = vec![setting.id.to_string()];
        row.extend(runs.iter().map(|(_, run)| time_value(&run.method).to_string()));
        row.extend(runs.iter().map(|(entry, run)| format!("{}{}", seconds(run.cpu_seconds), mark(entry))));
        row.extend(runs.iter().map(|(_, run)| format!("{:.4}", run.total)));
        row
    };
    markdown_table(&header, comparison.settings.iter().map(row))
}

/// One row per method and setting, with distances.
fn runs_table(comparison: &Comparison) -> String {
    let header = "setting|method|parameters|CPU s|captured|of best|distance X|distance Y|mean X|mean Y";
    let header: Vec<String> = header.split('|').map(String::from).collect();
    let row = |(entry, run): (Option<(&Setting, &Entry)>, &Run)| {
        let mut row = text_row(comparison, entry, run);
        let distance = &run.distance;
        row.extend([distance.x, distance.y].map(|distance| format!("{:.3}", distance.root_mean_square)));
        row
    };
    let best = best_row(&comparison.best).into_iter().chain(["0".into(), "0".into()]).collect();
    markdown_table(&header, comparison.shown().map(row).chain([best]))
}

fn markdown_table(header: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = String::new();
    let _ = writeln!(table, "| {} |", header.join(" | "));
    let _ = writeln!(table, "|{}", "---|".repeat(header.len()));
    rows.for_each(|row| table += &format!("| {} |\n", row.join(" | ")));
    table
}

/// One line per method and setting; a method that ran once has no setting.
pub fn csv(comparison: &Comparison) -> String {
    let mut text = format!(
        "setting,method,{},cpu_seconds,repeats,of_asked,agrees,captured,passes,gram_passes,work,distance_x,distance_y,\
         mean_distance_x,mean_distance_y\n",
        CSV_PARAMETERS.map(column_name).join(",")
    );
    for (entry, run) in comparison.shown() {
        let setting = setting_id(entry);
        let agreement = match entry {
            Some((_, entry)) => format!("{},{}", entry.ratio, entry.outcome == Outcome::Agrees),
            None => ",".into(),
        };
        let Run { name, cpu_seconds, repeats, total, passes, gram_passes, work, distance, .. } = run;
        let (x, y) = (distance.x, distance.y);
        // The cell of a parameter that the method does not have is empty.
        let parameters =
            CSV_PARAMETERS.map(|name| run.method.get(name).map_or(String::new(), |value| value.to_string()));
        let _ = writeln!(
            text,
            "{setting},{name},{},{cpu_seconds},{repeats},{agreement},{total},{passes},{gram_passes},{work},{},{},{},{}",
            parameters.join(","),
            x.largest,
            y.largest,
            x.root_mean_square,
            y.root_mean_square
        );
    }
    text
}

/// One line per correlation.
pub fn correlations_csv(comparison: &Comparison) -> String {
    let mut text = "setting,method,index,correlation\n".to_string();
    let mut add = |setting: &str, name: &str, correlations: &[f64]| {
        for (i, correlation) in correlations.iter().enumerate() {
            let _ = writeln!(text, "{setting},{name},{},{correlation}", i + 1);
        }
    };
    for (entry, run) in comparison.shown() {
        add(&setting_id(entry), run.name, &run.correlations);
    }
    add("", comparison.best.label, &comparison.best.correlations);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_three_significant_digits() {
        assert_eq!(
            [0.0123, 0.123_45, 1.234_5, 12.345, 123.45, 1234.5].map(seconds),
            ["0.0123", "0.123", "1.23", "12.3", "123", "1234"]
        );
    }
}
