//! `lcca fit --ridge-path`: finds the ridge that does best on held-out rows.

use crate::failure::Failure;
use crate::plot::{Chart, Curve, Figure, Scale};
use crate::progress::{FitProgress, Length};
use crate::resolve::{FigureFile, FigureFormat, RidgeRule, RidgeSearch};
use crate::text;
use crate::write_file::write_file;
use lcca::data::InMemory;
use lcca::fit::{Fit, Folds, Groups, Selection, cross_validate_on};
use lcca::method::Settings;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The scores of the ridges, and the ridge that was chosen.
pub struct RidgeChoice {
    selection: Selection,
    /// The index of the chosen ridge.
    chosen: usize,
}

/// Tries every ridge and puts the chosen one into the settings.
pub fn choose(
    search: &RidgeSearch,
    pair: &InMemory,
    groups: Option<&Groups>,
    settings: &mut Settings,
    quiet: bool,
) -> Result<RidgeChoice, Failure> {
    let fits = search.folds * search.ridges.len();
    let progress = FitProgress::new("folds", Length::Fits(fits), quiet);
    let folds = match groups {
        None => Folds::new(pair, search.folds, settings.seed)?,
        Some(groups) => Folds::grouped(pair, search.folds, groups, settings.seed)?,
    };
    let all: Vec<Settings> = search.ridges.iter().map(|&ridge| settings.clone().ridge(ridge)).collect();
    let selection = cross_validate_on(&folds, &all, Vec::new(), &|_| (), &progress)?;
    progress.finish();
    let chosen = match search.rule {
        RidgeRule::Simplest => selection.simplest,
        RidgeRule::Best => selection.best,
    };
    (settings.ridge_x, settings.ridge_y) = (selection.ridges[chosen], selection.ridges[chosen]);
    let choice = RidgeChoice { selection, chosen };
    if let Some(file) = &search.figure {
        choice.draw(file)?;
    }
    Ok(choice)
}

impl RidgeChoice {
    pub fn object(&self) -> Value {
        let selection = &self.selection;
        let ridges = &selection.ridges;
        json!({
            "ridges": ridges,
            "mean": selection.mean,
            "standard_error": selection.error,
            "scores": selection.scores,
            "best": ridges[selection.best],
            "simplest": ridges[selection.simplest],
            "chosen": ridges[self.chosen],
            "pooled": selection.pooled,
            "converged": selection.converged,
        })
    }

    /// Adds the held-out correlation of the chosen ridge to a fit, because a reader should not have to
    /// guess it.
    pub fn add_to(&self, fit: &mut Fit) {
        fit.add_cross_validated(self.selection.mean[self.chosen], self.selection.scores.len() as u64);
    }

    /// Indices of the ridges, the smallest ridge first.
    fn ascending(&self) -> Vec<usize> {
        let ridges = &self.selection.ridges;
        let mut order: Vec<usize> = (0..ridges.len()).collect();
        order.sort_by(|&a, &b| ridges[a].total_cmp(&ridges[b]));
        order
    }

    /// Advice if the best of several ridges is the first or the last, because a better one may lie beyond.
    fn end_of_range(&self) -> Option<&'static str> {
        let (order, best) = (self.ascending(), self.selection.best);
        match order[..] {
            [smallest, .., _] if smallest == best => Some("smallest tried: a smaller one may do better"),
            [.., _, largest] if largest == best => Some("largest tried: a larger one may do better"),
            _ => None,
        }
    }

    /// One line per ridge.
    pub fn text(&self) -> String {
        let selection = &self.selection;
        let remark = |i: usize| match (i == self.chosen, i == selection.best) {
            (true, true) => "best, chosen",
            (true, false) => "chosen: the largest within one standard error of the best",
            (false, true) => "best",
            (false, false) => "",
        };
        let row = |i: usize| {
            vec![
                selection.ridges[i].to_string(),
                format!("{:.6}", selection.mean[i]),
                format!("{:.6}", selection.error[i]),
                remark(i).into(),
            ]
        };
        let rows: Vec<Vec<String>> = self.ascending().into_iter().map(row).collect();
        let folds = selection.scores.len();
        let mut text = if selection.pooled {
            format!("mean correlation on held-out rows, {folds} folds of a few rows each, put together:\n\n")
        } else {
            format!("mean correlation on held-out rows, {folds} folds:\n\n")
        };
        text += &text::table(&["ridge", "held out", "± error", ""], &rows);
        if let Some(end) = self.end_of_range() {
            let _ = writeln!(text, "\nthe best ridge is the {end}");
        }
        if !selection.converged {
            let _ = writeln!(text, "\nsome of these fits did not converge");
        }
        text + "\n"
    }

    fn draw(&self, file: &FigureFile) -> Result<(), Failure> {
        let figure = Figure { panels: vec![self.chart()] };
        let bytes = match file.format {
            FigureFormat::Svg => figure.svg().into_bytes(),
            FigureFormat::Png => {
                figure.png().map_err(|error| Failure::Usage(format!("{}: {error}", file.path.display())))?
            }
        };
        write_file(&file.path, &bytes)
    }

    fn chart(&self) -> Chart {
        let Selection { ridges, mean, error, .. } = &self.selection;
        let order = self.ascending();
        let curve = |name: &str, dashed: bool, errors: f64| Curve {
            name: name.into(),
            points: order.iter().map(|&i| (ridges[i], mean[i] + errors * error[i])).collect(),
            dashed,
        };
        let mut curves = vec![curve("held out", false, 0.0)];
        curves.extend([-1.0, 1.0].map(|errors| curve("± one standard error", true, errors)));
        let chosen = (ridges[self.chosen], mean[self.chosen]);
        curves.push(Curve { name: "chosen".into(), points: vec![chosen], dashed: false });
        Chart {
            title: "Mean correlation on held-out rows".into(),
            x_label: "ridge".into(),
            y_label: "mean canonical correlation".into(),
            x_scale: Scale::Logarithmic,
            y_from_0_to_1: false,
            curves,
        }
    }
}
