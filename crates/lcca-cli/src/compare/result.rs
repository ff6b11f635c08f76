//! What a comparison found, as plain data: compare.json is this, and tables, figures and pages are made from it alone.

use super::calibrate::Outcome;
use lcca::method::Method;
use serde::Serialize;

/// Everything.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// File names of the views.
    pub x: String,
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
    /// How far CPU times may differ and still agree, relative.
    pub agreement: f64,
    pub best: Best,
    /// One panel of the figure each.
    pub settings: Vec<Setting>,
    /// What runs at parameters of its own, once: indices of runs.
    pub once: Vec<usize>,
    /// Every run, those of the calibration included.
    pub runs: Vec<Run>,
    pub version: &'static str,
}

/// What every method is held against: the default method at a tight tolerance.
#[derive(Clone, Debug, Serialize)]
pub struct Best {
    /// What it may be called.
    pub label: &'static str,
    /// The canonical correlations between the two subspaces, and their sum.
    pub correlations: Vec<f64>,
    pub total: f64,
    /// The objective's k-th value and the one after it: the closer they are, the less the subspace is determined.
    pub last: f64,
    pub next: Option<f64>,
    pub converged: bool,
    /// An estimate of what is missing from the total.
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
    /// From 1.
    pub id: usize,
    /// What was asked for, where it was a time.
    pub cpu_seconds_asked: Option<f64>,
    /// What L-CCA took, which the others are to take.
    pub cpu_seconds: f64,
    /// L-CCA first.
    pub entries: Vec<Entry>,
}

/// One method at one setting.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// The index of its run.
    pub run: usize,
    /// Its CPU time in units of the one it was to take.
    pub ratio: f64,
    /// Whether the times agree, and why not.
    pub outcome: Outcome,
}

/// One measured fit.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// What people call the method.
    pub name: &'static str,
    pub method: Method,
    /// The canonical correlations between the two subspaces found, and their sum.
    pub correlations: Vec<f64>,
    pub total: f64,
    pub cpu_seconds: f64,
    /// How often it was run; the CPU time is the least of all.
    pub repeats: usize,
    pub converged: bool,
    pub passes: f64,
    pub gram_passes: f64,
    pub work: f64,
    /// From the best possible subspaces.
    pub distance: Distances,
}

/// How far the subspace of either view is from the best possible one.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Distances {
    pub x: Distance,
    pub y: Distance,
}

/// Between two subspaces, from the sines of their principal angles: 0 where they are the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distance {
    /// The sine of the largest angle: the distance of the paper's theorems.
    pub largest: f64,
    /// The root of the mean of the squared sines.
    pub root_mean_square: f64,
}

impl Distance {
    pub fn of(sines: &[f64]) -> Self {
        let mean = sines.iter().map(|sine| sine * sine).sum::<f64>() / sines.len().max(1) as f64;
        Distance { largest: sines.iter().copied().fold(0.0, f64::max), root_mean_square: mean.sqrt() }
    }
}

impl Comparison {
    /// The k-th and next values are so close that the best subspace is hardly determined, and distances from it mean little.
    pub fn is_degenerate(&self) -> bool {
        self.best.next.is_some_and(|next| self.best.last - next < 1e-4 * self.best.last)
    }

    /// The methods that are shown, in their order, each with all its runs, the fastest first.
    pub fn by_method(&self) -> Vec<(&'static str, Vec<&Run>)> {
        let mut methods: Vec<(&'static str, Vec<&Run>)> = Vec::new();
        for (_, Run { name, .. }) in self.kept() {
            if methods.iter().all(|(known, _)| known != name) {
                let mut runs: Vec<&Run> = self.runs.iter().filter(|run| run.name == *name).collect();
                runs.sort_by(|a, b| a.cpu_seconds.total_cmp(&b.cpu_seconds));
                methods.push((name, runs));
            }
        }
        methods
    }

    /// The runs that count, with their setting: all methods at each setting, then what ran once.
    pub fn kept(&self) -> impl Iterator<Item = (Option<(&Setting, &Entry)>, &Run)> {
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
        let distance = Distance::of(&[0.0, 0.6, 0.8]);
        assert_eq!(distance.largest, 0.8);
        assert!((distance.root_mean_square - (1.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(Distance::of(&[]), Distance { largest: 0.0, root_mean_square: 0.0 });
    }
}
