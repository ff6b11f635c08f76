//! The result of a comparison as plain data. compare.json holds it, and tables, figures and pages are made
//! from it alone.

use super::calibrate::Outcome;
use lcca::method::Method;
use serde::Serialize;

/// The whole result of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The file name of X.
    pub x: String,
    /// The file name of Y.
    pub y: String,
    pub rows: usize,
    pub x_cols: usize,
    pub y_cols: usize,
    pub k: usize,
    pub center: bool,
    pub ridge_x: f64,
    pub ridge_y: f64,
    pub seed: u64,
    pub threads: usize,
    /// The relative difference up to which CPU times agree.
    pub agreement: f64,
    pub best: Best,
    /// One panel of the figure per setting.
    pub settings: Vec<Setting>,
    /// The indices of the runs of methods that have nothing to calibrate, and run once.
    pub once: Vec<usize>,
    /// Whether the sketch was wanted but left out because the views are too wide for it.
    pub sketch_left_out: bool,
    /// All runs, including those of the calibration.
    pub runs: Vec<Run>,
    pub version: &'static str,
}

/// The result that every method is compared with: the default method at a tight tolerance.
#[derive(Clone, Debug, Serialize)]
pub struct Best {
    /// The name of this result in tables and figures.
    pub label: &'static str,
    /// The canonical correlations between the two subspaces.
    pub correlations: Vec<f64>,
    /// The sum of the correlations.
    pub total: f64,
    /// The k-th value of the objective.
    pub last: f64,
    /// The value of the objective after the k-th, if the data have one: the closer the two are, the less
    /// the subspace is determined.
    pub next: Option<f64>,
    pub converged: bool,
    /// An estimate of the share of the total that is missing.
    pub missing: f64,
    pub tol: f64,
    pub chosen: Method,
    pub why: String,
    pub cpu_seconds: f64,
    pub passes: f64,
    pub gram_passes: f64,
}

/// One CPU time at which methods are compared.
#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    /// The number of the setting, from 1.
    pub id: usize,
    /// The requested time, if the setting is a time.
    pub cpu_seconds_asked: Option<f64>,
    /// The time that L-CCA took and the others should take.
    pub cpu_seconds: f64,
    /// One entry per method, L-CCA first.
    pub entries: Vec<Entry>,
}

/// A method at a setting.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Entry {
    /// The index of the entry's run.
    pub run: usize,
    /// The CPU time of the run divided by the time that it should take.
    pub ratio: f64,
    /// Whether the times agree, or why they do not.
    pub outcome: Outcome,
}

/// One measured fit.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// The method's name in the paper.
    pub name: &'static str,
    pub method: Method,
    /// The canonical correlations between the two fitted subspaces.
    pub correlations: Vec<f64>,
    /// The sum of the correlations.
    pub total: f64,
    pub cpu_seconds: f64,
    /// How often the fit ran; the CPU time is the least of all repeats.
    pub repeats: usize,
    pub converged: bool,
    pub passes: f64,
    pub gram_passes: f64,
    pub work: f64,
    /// The distances from the best possible subspaces.
    pub distance: Distances,
}

/// The distance of each view's subspace from the best possible one.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Distances {
    pub x: Distance,
    pub y: Distance,
}

/// The distance between two subspaces, from the sines of their principal angles: 0 if they are the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distance {
    /// The sine of the largest angle: the distance of the paper's theorems.
    pub largest: f64,
    /// The root of the mean of the squared sines.
    pub root_mean_square: f64,
}

impl Distance {
    pub fn from_sines(sines: &[f64]) -> Self {
        let mean = sines.iter().map(|sine| sine * sine).sum::<f64>() / sines.len().max(1) as f64;
        Distance { largest: sines.iter().copied().fold(0.0, f64::max), root_mean_square: mean.sqrt() }
    }
}

impl Comparison {
    /// Whether the k-th and next values are close enough that the best subspace is hardly determined.
    /// Distances from it mean little then.
    pub fn is_degenerate(&self) -> bool {
        self.best.next.is_some_and(|next| self.best.last - next < 1e-4 * self.best.last)
    }

    /// The methods in the order of the tables, each with all its runs, the fastest first.
    pub fn by_method(&self) -> Vec<(&'static str, Vec<&Run>)> {
        let mut methods: Vec<(&'static str, Vec<&Run>)> = Vec::new();
        for (_, Run { name, .. }) in self.shown() {
            if methods.iter().all(|(known, _)| known != name) {
                let mut runs: Vec<&Run> = self.runs.iter().filter(|run| run.name == *name).collect();
                runs.sort_by(|a, b| a.cpu_seconds.total_cmp(&b.cpu_seconds));
                methods.push((name, runs));
            }
        }
        methods
    }

    /// The runs shown in tables, with their setting: all methods at each setting, then those that ran once.
    pub fn shown(&self) -> impl Iterator<Item = (Option<(&Setting, &Entry)>, &Run)> {
        let in_settings = self.settings.iter().flat_map(move |setting| {
            setting.entries.iter().map(move |entry| (Some((setting, entry)), &self.runs[entry.run]))
        });
        in_settings.chain(self.once.iter().map(|&run| (None, &self.runs[run])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_is_the_largest_sine_and_the_mean_is_of_squares() {
        let distance = Distance::from_sines(&[0.0, 0.6, 0.8]);
        assert_eq!(distance.largest, 0.8);
        assert!((distance.root_mean_square - (1.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(Distance::from_sines(&[]), Distance { largest: 0.0, root_mean_square: 0.0 });
    }
}
