//! The comparison's figures: correlation against index, and captured total against CPU time.

use super::result::{Comparison, Run, Setting};
use super::table::seconds;
use super::tunable::time_value;
use crate::failure::Failure;
use crate::plot::{Chart, Curve, Figure, Scale};

/// Correlation against index, one panel per setting, as in the paper.
pub fn correlations(comparison: &Comparison) -> Figure {
    Figure { panels: comparison.settings.iter().map(|setting| setting_panel(comparison, setting)).collect() }
}

fn setting_panel(comparison: &Comparison, setting: &Setting) -> Chart {
    let runs = setting.entries.iter().map(|entry| entry.run).chain(comparison.once.iter().copied());
    let curves = runs.map(|run| &comparison.runs[run]).map(|run| curve(run.name, &run.correlations, false));
    let best = curve(comparison.best.label, &comparison.best.correlations, true);
    let t2 = time_value(&comparison.runs[setting.entries[0].run].method);
    let title = format!("{}: L-CCA t2 {t2}, {} CPU s", setting.id, seconds(setting.cpu_seconds));
    by_index(title, curves.chain([best]).collect())
}

/// A panel of correlations against their index.
pub fn by_index(title: String, curves: Vec<Curve>) -> Chart {
    Chart {
        title,
        x_label: "index".into(),
        y_label: "canonical correlation".into(),
        x_scale: Scale::Linear,
        y_from_0_to_1: true,
        curves,
    }
}

/// One method's correlations.
pub fn curve(name: &str, correlations: &[f64], dashed: bool) -> Curve {
    let points = correlations.iter().enumerate().map(|(i, &c)| ((i + 1) as f64, c)).collect();
    Curve { name: name.into(), points, dashed }
}

/// Captured total against CPU time. Every run is a point, and every method a curve.
pub fn captured(comparison: &Comparison) -> Figure {
    let points = |runs: &[&Run]| runs.iter().map(|run| (run.cpu_seconds, run.total)).collect();
    let curve =
        |(name, runs): (&str, Vec<&Run>)| Curve { name: name.into(), points: points(&runs), dashed: false };
    let mut curves: Vec<Curve> = comparison.by_method().into_iter().map(curve).collect();
    let times = comparison.runs.iter().map(|run| run.cpu_seconds);
    let (first, last) = times.fold((f64::INFINITY, 0.0f64), |(low, high), s| (low.min(s), high.max(s)));
    let best = &comparison.best;
    let points = vec![(first, best.total), (last, best.total)];
    curves.push(Curve { name: best.label.into(), points, dashed: true });
    let chart = Chart {
        title: "Captured correlation, every run".into(),
        x_label: "CPU seconds".into(),
        y_label: format!("captured, of {}", comparison.k),
        x_scale: Scale::Logarithmic,
        y_from_0_to_1: true,
        curves,
    };
    Figure { panels: vec![chart] }
}

/// The names and contents of a figure's files.
pub fn files(name: &str, figure: &Figure) -> Result<[(String, Vec<u8>); 2], Failure> {
    let png = figure.png().map_err(Failure::Machine)?;
    Ok([(format!("{name}.svg"), figure.svg().into_bytes()), (format!("{name}.png"), png)])
}
