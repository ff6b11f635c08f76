//! `lcca fit --ridge-path`: the ridge that does best on rows held out.

use crate::args::{FitArgs, Select};
use crate::failure::Failure;
use crate::plot::{Chart, Curve, Figure, Scale};
use crate::progress::FitProgress;
use crate::report;
use crate::save::save;
use lcca::data::InMemory;
use lcca::fit::{Selection, cross_validate, planned_passes};
use lcca::method::Settings;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// How the ridges did, and which was taken.
pub struct Chosen {
    selection: Selection,
    at: usize,
}

/// Tries every ridge and puts the chosen one into the settings; nothing where no path was asked for.
pub fn choose(args: &FitArgs, pair: &InMemory, settings: &mut Settings) -> Result<Option<Chosen>, Failure> {
    if args.ridge_path.is_empty() {
        return Ok(None);
    }
    let fits = (args.folds * args.ridge_path.len()) as f64;
    let progress = FitProgress::new("folds", fits * planned_passes(settings), args.common.quiet);
    let selection = cross_validate(pair, settings, &args.ridge_path, args.folds, &progress)?;
    progress.finish();
    let at = match args.select {
        Select::Simplest => selection.simplest,
        Select::Best => selection.best,
    };
    (settings.ridge_x, settings.ridge_y) = (selection.ridges[at], selection.ridges[at]);
    let chosen = Chosen { selection, at };
    args.path_figure.as_ref().map_or(Ok(()), |path| chosen.draw(path))?;
    Ok(Some(chosen))
}

/// Whether the figure can be drawn is known before the fits.
pub fn check_figure(path: &Path) -> Result<(), Failure> {
    match extension(path) {
        Some("svg" | "png") => Ok(()),
        _ => Err(Failure::Usage(format!("{}: expected a figure that ends in .svg or .png", path.display()))),
    }
}

fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(|extension| extension.to_str())
}

impl Chosen {
    pub fn object(&self) -> Value {
        let Selection { ridges, scores, mean, error, best, simplest, converged } = &self.selection;
        json!({
            "ridges": ridges,
            "mean": mean,
            "standard_error": error,
            "scores": scores,
            "best": ridges[*best],
            "simplest": ridges[*simplest],
            "chosen": ridges[self.at],
            "converged": converged,
        })
    }

    /// Places of the ridges, the smallest first.
    fn ascending(&self) -> Vec<usize> {
        let ridges = &self.selection.ridges;
        let mut order: Vec<usize> = (0..ridges.len()).collect();
        order.sort_by(|&a, &b| ridges[a].total_cmp(&ridges[b]));
        order
    }

    /// Where the best of several ridges is the first or the last, a better one may lie beyond.
    fn at_an_end(&self) -> Option<&'static str> {
        let (order, best) = (self.ascending(), self.selection.best);
        match order[..] {
            [smallest, .., _] if smallest == best => Some("smallest tried: a smaller one may do better"),
            [.., _, largest] if largest == best => Some("largest tried: a larger one may do better"),
            _ => None,
        }
    }

    /// A line for each ridge.
    pub fn text(&self) -> String {
        let Selection { ridges, scores, mean, error, best, converged, .. } = &self.selection;
        let remark = |at: usize| match (at == self.at, at == *best) {
            (true, true) => "best, chosen",
            (true, false) => "chosen: the largest within one standard error of the best",
            (false, true) => "best",
            (false, false) => "",
        };
        let order = self.ascending();
        let row = |&at: &usize| {
            vec![
                ridges[at].to_string(),
                format!("{:.6}", mean[at]),
                format!("{:.6}", error[at]),
                remark(at).into(),
            ]
        };
        let rows: Vec<Vec<String>> = order.iter().map(row).collect();
        let mut text = format!("mean correlation on rows held out, {} folds:\n\n", scores.len());
        text += &report::table(&["ridge", "held out", "± error", ""], &rows);
        text += &self.at_an_end().map(|more| format!("\nthe best ridge is the {more}\n")).unwrap_or_default();
        if !converged {
            let _ = writeln!(text, "\nsome of these fits did not converge");
        }
        text + "\n"
    }

    fn draw(&self, path: &Path) -> Result<(), Failure> {
        let figure = Figure { panels: vec![self.chart()] };
        let bytes = match extension(path) {
            Some("png") => {
                figure.png().map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?
            }
            _ => figure.svg().into_bytes(),
        };
        save(path, &bytes)
    }

    fn chart(&self) -> Chart {
        let Selection { ridges, mean, error, .. } = &self.selection;
        let order = self.ascending();
        let curve = |name: &str, dashed: bool, shift: f64| Curve {
            name: name.into(),
            points: order.iter().map(|&at| (ridges[at], mean[at] + shift * error[at])).collect(),
            dashed,
        };
        let mut curves = vec![curve("held out", false, 0.0)];
        curves.extend([-1.0, 1.0].map(|side| curve("± one standard error", true, side)));
        let at = self.at;
        curves.push(Curve { name: "chosen".into(), points: vec![(ridges[at], mean[at])], dashed: false });
        Chart {
            title: "Mean correlation on rows held out".into(),
            x_label: "ridge".into(),
            y_label: "mean canonical correlation".into(),
            x_scale: Scale::Logarithmic,
            whole: false,
            curves,
        }
    }
}
