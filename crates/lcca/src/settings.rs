//! Everything that decides a fit besides the data.

use crate::matrix::Normalize;
use crate::method::{Algorithm, Method};
use crate::side::Side;

/// Whether columns are divided by their standard deviations before the fit. The division is implicit, and
/// weights come back in the units of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Scales every view of measurements if something depends on units: a ridge, or a method of principal
    /// components or gradient steps. Columns of zeros and ones stay as they are, and so do views whose
    /// other columns are mostly zero, such as counts.
    #[default]
    Auto,
    /// Scales every column that is not constant.
    Yes,
    /// Scales no column.
    No,
}

impl Scale {
    /// The choice with which models of earlier versions were fitted.
    fn of_earlier_versions() -> Self {
        Scale::No
    }
}

/// The matrix B in wᵀBw = 1, which measures the length of a view's weights. Views may differ, because each
/// has its own choice: [`Metric::Pls`] on one side and [`Metric::Cca`] on the other is redundancy analysis.
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

    /// The metric with that name.
    pub fn named(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Whether this is the metric of canonical correlations. Files do not mention it, because those of
    /// earlier versions do not.
    pub fn is_cca(&self) -> bool {
        *self == Metric::Cca
    }
}

/// The scale of canonical variables over the training rows, in a view with the metric of CCA. Correlations
/// do not depend on it. The other metrics fix the lengths of weights, so their variables have the unit of
/// the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variables {
    /// Variables with wᵀBw = 1, where B = C + λI is a sum over rows: length one, or less with a ridge. R's
    /// `cancor` does the same.
    #[default]
    UnitLength,
    /// Variables with wᵀBw = 1, where B = C + λI is divided by the sum of the rows' weights: variance one
    /// for any number of rows, or less with a ridge.
    UnitVariance,
}

impl Variables {
    /// The choice with that name.
    pub fn named(name: &str) -> Option<Variables> {
        match name {
            "unit-length" => Some(Variables::UnitLength),
            "unit-variance" => Some(Variables::UnitVariance),
            _ => None,
        }
    }

    /// Whether this is the default. Files do not mention it, because those of earlier versions do not.
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
    /// The ridge of X, relative: C + λ·(tr C/p)·I.
    pub ridge_x: f64,
    /// The ridge of Y, relative to tr C/p like that of X.
    pub ridge_y: f64,
    /// The measure of the length of X's weights.
    #[serde(default, skip_serializing_if = "Metric::is_cca")]
    pub metric_x: Metric,
    /// The measure of the length of Y's weights.
    #[serde(default, skip_serializing_if = "Metric::is_cca")]
    pub metric_y: Metric,
    /// The normalization of the rows of X. A fit does not normalize: see `InMemory::normalized`. A model
    /// keeps the choice so that new rows can be treated alike.
    #[serde(default, skip_serializing_if = "Normalize::is_no")]
    pub normalize_x: Normalize,
    /// The normalization of the rows of Y, which is done before the fit.
    #[serde(default, skip_serializing_if = "Normalize::is_no")]
    pub normalize_y: Normalize,
    /// The scale of canonical variables over the training rows.
    #[serde(default, skip_serializing_if = "Variables::is_unit_length")]
    pub variables: Variables,
    /// Subtract column means. This is done implicitly; nothing is densified.
    pub center: bool,
    /// Divide columns by their standard deviations, or by their root mean squares if they are not centered.
    #[serde(default = "Scale::of_earlier_versions")]
    pub scale: Scale,
    /// Extra columns carried by the randomized SVD and by block methods; `None` lets each choose.
    pub oversample: Option<usize>,
    /// The number of power iterations of the randomized SVD.
    pub power: usize,
    /// The seed of every random number.
    pub seed: u64,
    /// The bytes that factorizations may take.
    pub memory: u64,
    /// The share of the objective's total that may be missing for the fit to count as converged.
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

    /// Sets the ridge of both views.
    pub fn ridge(self, ridge: f64) -> Self {
        self.ridges(ridge, ridge)
    }

    /// Sets a ridge for each view.
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

    /// Sets the metric of both views.
    pub fn metric(self, metric: Metric) -> Self {
        self.metrics(metric, metric)
    }

    /// Sets a metric for each view.
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

    /// Records how rows of each view were normalized before the fit.
    pub fn normalized(self, [normalize_x, normalize_y]: [Normalize; 2]) -> Self {
        Settings { normalize_x, normalize_y, ..self }
    }

    /// The normalizations of the rows of X and of Y before the fit.
    pub fn normalization(&self) -> [Normalize; 2] {
        [self.normalize_x, self.normalize_y]
    }

    /// Sets the scale of canonical variables over the training rows.
    pub fn variables(self, variables: Variables) -> Self {
        Settings { variables, ..self }
    }

    /// The factor for the weights of one view, scaled to wᵀBw = 1, that gives the variables that are
    /// wanted. `weight` is that of all rows.
    pub fn unit_of_variables(&self, side: Side, weight: f64) -> f64 {
        let is_scaled = self.metric_of(side).is_cca() && self.variables == Variables::UnitVariance;
        if is_scaled { weight.sqrt() } else { 1.0 }
    }

    /// Sets whether column means are subtracted.
    pub fn center(self, center: bool) -> Self {
        Settings { center, ..self }
    }

    /// Sets whether columns are divided by their standard deviations.
    pub fn scale(self, scale: Scale) -> Self {
        Settings { scale, ..self }
    }

    /// Sets the number of extra columns for block methods; `None` lets each choose.
    pub fn oversample(self, oversample: Option<usize>) -> Self {
        Settings { oversample, ..self }
    }

    /// Sets the number of power iterations of the randomized SVD.
    pub fn power(self, power: usize) -> Self {
        Settings { power, ..self }
    }

    /// Sets the seed of every random number.
    pub fn seed(self, seed: u64) -> Self {
        Settings { seed, ..self }
    }

    /// Sets the bytes that factorizations may take.
    pub fn memory(self, memory: u64) -> Self {
        Settings { memory, ..self }
    }

    /// Sets the relative tolerance.
    pub fn tol(self, tol: f64) -> Self {
        Settings { tol, ..self }
    }

    /// Sets the limit on passes; `None` is no limit of the user's.
    pub fn max_passes(self, max_passes: Option<f64>) -> Self {
        Settings { max_passes, ..self }
    }

    /// Sets whether structure is looked for.
    pub fn structure(self, structure: bool) -> Self {
        Settings { structure, ..self }
    }

    /// The number of passes that a fit with these settings takes, for progress bars. Views of lower rank or
    /// a limit on passes take fewer. An iteration to a tolerance counts as 100, because the number is not
    /// known beforehand.
    pub fn planned_passes(&self) -> f64 {
        let svd = (self.power + 1) as f64;
        let passes = match self.method.algorithm() {
            Algorithm::Auto | Algorithm::Lobpcg | Algorithm::ShiftInvert => 100.0,
            Algorithm::Gram => 1.0,
            Algorithm::Exact | Algorithm::Sketch => 2.0,
            Algorithm::PrincipalComponents => svd + 2.0,
            Algorithm::Alternating => self.method.alternating().map_or(0.0, |(t1, solver)| {
                // The random start, one pass per half step plus those of the solver, and the pass that
                // measures the result.
                2.0 + solver.passes_to_prepare(self.power) + t1 as f64 * (2.0 + solver.passes_to_solve())
            }),
        };
        self.max_passes.map_or(passes, |most| passes.min(most + 1.0))
    }
}
