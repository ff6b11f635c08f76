//! Everything that decides a fit besides the data.

use crate::matrix::Normalize;
use crate::method::{Algorithm, Method};
use crate::side::Side;

/// Whether columns are divided by their standard deviations before the fit. It is done implicitly, and
/// weights come back in the units of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// If something depends on units, that is a ridge or a method of principal components or gradient steps:
    /// every view of measurements is scaled. Columns of zeros and ones stay as they are, and so do views
    /// whose other columns are mostly zero, such as counts.
    #[default]
    Auto,
    /// Every column that is not constant.
    Yes,
    /// No column.
    No,
}

impl Scale {
    /// How models of earlier versions were fitted.
    fn of_earlier_versions() -> Self {
        Scale::No
    }
}

/// How the length of a view's weights is measured: the matrix B in wᵀBw = 1. It is chosen for each view by
/// itself, so that views may differ: [`Metric::Pls`] on one side and [`Metric::Cca`] on the other is
/// redundancy analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// B = C + λI: canonical correlations.
    #[default]
    Cca,
    /// B = I: covariances, so that two such views are the singular value decomposition of XᵀY (PLS-SVD).
    Pls,
    /// B = diag C: covariances of columns that were divided by their standard deviations (diagonal CCA).
    Diagonal,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Metric; 3] = [Metric::Cca, Metric::Pls, Metric::Diagonal];

    /// The name, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Cca => "cca",
            Metric::Pls => "pls",
            Metric::Diagonal => "diagonal",
        }
    }

    /// The metric of that name.
    pub fn named(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Whether this is the metric of canonical correlations. Files do not mention it, as those of earlier
    /// versions do not.
    pub fn is_cca(&self) -> bool {
        *self == Metric::Cca
    }
}

/// What canonical variables are scaled to over the training rows, in a view with the metric of CCA.
/// Correlations do not depend on it. The other metrics fix the lengths of weights, so their variables have
/// the unit of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variables {
    /// wᵀBw = 1, with B = C + λI a sum over rows: length one, or less with a ridge. R's `cancor` does the
    /// same.
    #[default]
    UnitLength,
    /// The same with B divided by the sum of the rows' weights: variance one, or less with a ridge, whatever
    /// the number of rows.
    UnitVariance,
}

impl Variables {
    /// The choice of that name.
    pub fn named(name: &str) -> Option<Variables> {
        match name {
            "unit-length" => Some(Variables::UnitLength),
            "unit-variance" => Some(Variables::UnitVariance),
            _ => None,
        }
    }

    /// Whether this is the default. Files do not mention it, as those of earlier versions do not.
    fn is_unit_length(&self) -> bool {
        *self == Variables::UnitLength
    }
}

/// Everything that decides a fit besides the data. The same settings, data and thread count give the same
/// bits.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Settings {
    /// The method and its parameters.
    pub method: Method,
    /// The number of pairs of canonical variables.
    pub k: usize,
    /// Ridge of X, relative: C + λ·(tr C/p)·I.
    pub ridge_x: f64,
    /// Ridge of Y, relative like that of X.
    pub ridge_y: f64,
    /// How the length of X's weights is measured.
    #[serde(default, skip_serializing_if = "Metric::is_cca")]
    pub metric_x: Metric,
    /// How the length of Y's weights is measured.
    #[serde(default, skip_serializing_if = "Metric::is_cca")]
    pub metric_y: Metric,
    /// How rows of X were normalized before the fit, which does not do it itself: see `InMemory::normalized`.
    /// A model keeps it so that new rows can be treated alike.
    #[serde(default, skip_serializing_if = "Normalize::is_no")]
    pub normalize_x: Normalize,
    /// How rows of Y were normalized before the fit.
    #[serde(default, skip_serializing_if = "Normalize::is_no")]
    pub normalize_y: Normalize,
    /// What canonical variables are scaled to over the training rows.
    #[serde(default, skip_serializing_if = "Variables::is_unit_length")]
    pub variables: Variables,
    /// Subtract column means. This is done implicitly; nothing is densified.
    pub center: bool,
    /// Divide columns by their standard deviations, or by their root mean squares if they are not centered.
    #[serde(default = "Scale::of_earlier_versions")]
    pub scale: Scale,
    /// Extra columns carried by the randomized SVD and by block methods; `None` lets each choose.
    pub oversample: Option<usize>,
    /// Power iterations of the randomized SVD.
    pub power: usize,
    /// Seed of every random number.
    pub seed: u64,
    /// Bytes that factorizations may take.
    pub memory: u64,
    /// What may be missing from the objective's total, relative to it, for the fit to count as converged.
    pub tol: f64,
    /// No iteration begins after this many passes.
    pub max_passes: Option<f64>,
    /// Look for structure that makes the problem smaller: one-hot views, equal rows, empty columns, small
    /// Gram matrices.
    pub structure: bool,
}

impl Settings {
    /// `method` for `k` pairs, everything else at its default.
    ///
    /// ```
    /// use lcca::method::{Method, Settings};
    ///
    /// let settings = Settings::new(Method::auto(), 20).ridge(0.01).center(false).tol(1e-6);
    /// assert_eq!((settings.ridge_x, settings.ridge_y), (0.01, 0.01));
    /// ```
    pub fn new(method: Method, k: usize) -> Self {
        Settings {
            method,
            k,
            ridge_x: 0.0,
            ridge_y: 0.0,
            metric_x: Metric::Cca,
            metric_y: Metric::Cca,
            normalize_x: Normalize::No,
            normalize_y: Normalize::No,
            variables: Variables::UnitLength,
            center: true,
            scale: Scale::Auto,
            oversample: None,
            power: 2,
            seed: 0,
            memory: 4 << 30,
            tol: 1e-4,
            max_passes: None,
            structure: true,
        }
    }

    /// The same ridge for both views.
    pub fn ridge(self, ridge: f64) -> Self {
        self.ridges(ridge, ridge)
    }

    /// A ridge for each view.
    pub fn ridges(self, ridge_x: f64, ridge_y: f64) -> Self {
        Settings { ridge_x, ridge_y, ..self }
    }

    /// The ridge of one view.
    pub fn ridge_of(&self, side: Side) -> f64 {
        match side {
            Side::X => self.ridge_x,
            Side::Y => self.ridge_y,
        }
    }

    /// The same metric for both views.
    pub fn metric(self, metric: Metric) -> Self {
        self.metrics(metric, metric)
    }

    /// A metric for each view.
    pub fn metrics(self, metric_x: Metric, metric_y: Metric) -> Self {
        Settings { metric_x, metric_y, ..self }
    }

    /// The metric of one view.
    pub fn metric_of(&self, side: Side) -> Metric {
        match side {
            Side::X => self.metric_x,
            Side::Y => self.metric_y,
        }
    }

    /// Whether both views have the metric of canonical correlations, so that objective values are at most 1.
    pub fn is_cca(&self) -> bool {
        self.metric_x.is_cca() && self.metric_y.is_cca()
    }

    /// How rows of each view were normalized before the fit.
    pub fn normalized(self, [normalize_x, normalize_y]: [Normalize; 2]) -> Self {
        Settings { normalize_x, normalize_y, ..self }
    }

    /// How rows of X and of Y were normalized before the fit.
    pub fn normalization(&self) -> [Normalize; 2] {
        [self.normalize_x, self.normalize_y]
    }

    /// What canonical variables are scaled to over the training rows.
    pub fn variables(self, variables: Variables) -> Self {
        Settings { variables, ..self }
    }

    /// What the weights of one view are multiplied by, if wᵀBw = 1, to give the variables that are wanted.
    /// `weight` is that of all rows.
    pub fn unit_of_variables(&self, side: Side, weight: f64) -> f64 {
        let is_scaled = self.metric_of(side).is_cca() && self.variables == Variables::UnitVariance;
        if is_scaled { weight.sqrt() } else { 1.0 }
    }

    /// Whether column means are subtracted.
    pub fn center(self, center: bool) -> Self {
        Settings { center, ..self }
    }

    /// Whether columns are divided by their standard deviations.
    pub fn scale(self, scale: Scale) -> Self {
        Settings { scale, ..self }
    }

    /// Extra columns for block methods; `None` lets each choose.
    pub fn oversample(self, oversample: Option<usize>) -> Self {
        Settings { oversample, ..self }
    }

    /// Power iterations of the randomized SVD.
    pub fn power(self, power: usize) -> Self {
        Settings { power, ..self }
    }

    /// Seed of every random number.
    pub fn seed(self, seed: u64) -> Self {
        Settings { seed, ..self }
    }

    /// Bytes that factorizations may take.
    pub fn memory(self, memory: u64) -> Self {
        Settings { memory, ..self }
    }

    /// The relative tolerance.
    pub fn tol(self, tol: f64) -> Self {
        Settings { tol, ..self }
    }

    /// The limit on passes; `None` is no limit of the user's.
    pub fn max_passes(self, max_passes: Option<f64>) -> Self {
        Settings { max_passes, ..self }
    }

    /// Whether structure is looked for.
    pub fn structure(self, structure: bool) -> Self {
        Settings { structure, ..self }
    }

    /// The passes that a fit with these settings takes, for progress bars. Views of lower rank or a limit on
    /// passes take fewer. How many an iteration to a tolerance takes is not known beforehand; 100 stands for
    /// it.
    pub fn planned_passes(&self) -> f64 {
        let svd = (self.power + 1) as f64;
        let passes = match self.method.algorithm() {
            Algorithm::Auto | Algorithm::Lobpcg | Algorithm::ShiftInvert => 100.0,
            Algorithm::Gram => 1.0,
            Algorithm::Exact | Algorithm::Sketch => 2.0,
            Algorithm::PrincipalComponents => svd + 2.0,
            Algorithm::Alternating => self.method.alternating().map_or(0.0, |(t1, solver)| {
                // The random start, a pass per half step and what the solver takes, and the pass that
                // measures the result.
                2.0 + solver.passes_to_prepare(self.power) + t1 as f64 * (2.0 + solver.passes_to_solve())
            }),
        };
        self.max_passes.map_or(passes, |most| passes.min(most + 1.0))
    }
}
