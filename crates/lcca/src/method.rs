//! A method and its parameters as plain data. No other module knows which methods there are.
//!
//! A method is a [`Spec`] and the values of its parameters. Command-line flags, Python options, help, the
//! tables in the documentation, planned passes and error texts all follow from the specs, so that a new
//! parameter is described once.

use crate::error::{Error, Result};
use crate::parameter::Values;
use crate::solve::{ALTERNATING, Alternating, Solver, SolverSpec};
use std::fmt;
use std::sync::LazyLock;

mod stored;

pub use crate::parameter::Parameter;
pub use crate::settings::{Metric, Scale, Settings, Variables};

/// The computation behind a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Algorithm {
    /// Chooses the exact way that suits the data.
    Auto,
    /// Block LOBPCG on the generalized eigenproblem of CCA.
    Lobpcg,
    /// LOBPCG with (B − A)⁻¹ as its preconditioner.
    ShiftInvert,
    /// Classical CCA from dense Gram matrices.
    Gram,
    /// Classical CCA by QR and SVD (Björck & Golub 1973).
    Exact,
    /// Classical CCA of random sums of rows (Avron et al. 2014).
    Sketch,
    /// Exact CCA between leading principal components.
    PrincipalComponents,
    /// Alternating least squares (Lu & Foster, Algorithms 1 and 4).
    Alternating,
}

/// The description of a method.
#[derive(Debug)]
#[non_exhaustive]
pub struct Spec {
    /// The name of the method.
    pub name: &'static str,
    /// A summary of the method, in one line.
    pub summary: &'static str,
    /// The computation behind the method.
    pub algorithm: Algorithm,
    /// The parameters that the method has with any solver.
    own: Vec<Parameter>,
    /// The least-squares solvers to choose from, the default first; empty unless the method alternates.
    solvers: &'static [&'static SolverSpec],
}

impl Spec {
    fn new(name: &'static str, algorithm: Algorithm, own: Vec<Parameter>, summary: &'static str) -> Self {
        Spec { name, summary, algorithm, own, solvers: &[] }
    }

    fn alternating(method: &'static Alternating) -> Self {
        let iterations = Parameter::number(
            "t1",
            method.t1,
            1,
            "at least 1 iteration",
            "iterations of alternating least squares",
        );
        let mut own = vec![iterations];
        if method.solvers.len() > 1 {
            own.push(inner_parameter(method.solvers));
        }
        let Alternating { name, summary, solvers, .. } = *method;
        Spec { name, summary, algorithm: Algorithm::Alternating, own, solvers }
    }

    /// Every parameter that the method can have with any of its solvers.
    pub fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.own.iter().chain(self.solvers.iter().flat_map(|solver| solver.parameters))
    }
}

/// The parameter that chooses among these solvers.
fn inner_parameter(solvers: &[&'static SolverSpec]) -> Parameter {
    // The short list of names is leaked, because that gives it the lifetime of the other names. It costs
    // nothing, because the list is built once per process.
    let names: Vec<&'static str> = solvers.iter().map(|solver| solver.name).collect();
    let choices: &'static [&'static str] = names.leak();
    let expected = "the name of a solver";
    let help = "how each least-squares problem is solved";
    Parameter { choices, ..Parameter::number(INNER, 0, 0, expected, help) }
}

/// The name of the parameter that chooses among several solvers.
const INNER: &str = "inner";

/// Every method.
static SPECS: LazyLock<Vec<Spec>> = LazyLock::new(|| {
    use Algorithm::{Auto, Exact, Gram, Lobpcg, PrincipalComponents, ShiftInvert, Sketch};
    let components = Parameter::number("k-rpcca", 500, 1, "at least k", "principal components of each view");
    let sums = Parameter::number(
        "sketch-rows",
        0,
        0,
        "a number of rows",
        "random sums of rows; 0 is 50 for each column of both views",
    );
    let mut specs = vec![
        Spec::new("auto", Auto, vec![], "the exact answer, by whichever of the exact ways suits the data"),
        Spec::new(
            "lobpcg",
            Lobpcg,
            vec![],
            "block LOBPCG on the eigenproblem of CCA, one pass per iteration",
        ),
        Spec::new(
            "shift-invert",
            ShiftInvert,
            vec![],
            "LOBPCG with one sparse Cholesky factor as preconditioner: few iterations, if the factor fits \
             the memory",
        ),
        Spec::new(
            "gram",
            Gram,
            vec![],
            "classical CCA from dense Gram matrices, for up to some thousand columns",
        ),
        Spec::new(
            "exact",
            Exact,
            vec![],
            "classical CCA by rank-revealing QR and SVD, for up to some thousand columns",
        ),
        Spec::new(
            "sketch",
            Sketch,
            vec![sums],
            "classical CCA of random sums of rows (CountSketch), for many rows and up to some thousand \
             columns",
        ),
        Spec::new(
            "rp-cca",
            PrincipalComponents,
            vec![components],
            "exact CCA between the leading principal components of each view",
        ),
    ];
    specs.extend(ALTERNATING.iter().map(Spec::alternating));
    specs
});

/// A way to compute CCA, with the values of its parameters.
///
/// ```
/// use lcca::method::Method;
///
/// let method = Method::named("l-cca").unwrap().with("t2", 7)?;
/// assert_eq!((method.get("t1"), method.get("t2"), method.get("k-pc")), (Some(5), Some(7), Some(100)));
/// assert!(method.with("k-rpcca", 7).is_err());
/// # Ok::<(), lcca::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Method {
    spec: &'static Spec,
    values: Values,
}

impl Method {
    /// The descriptions of all methods.
    pub fn specs() -> &'static [Spec] {
        &SPECS
    }

    /// The method with this name and its default parameters; `None` if there is none.
    pub fn named(name: &str) -> Option<Method> {
        SPECS.iter().find(|spec| spec.name == name).map(Method::default_of)
    }

    /// The names of all methods.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SPECS.iter().map(|spec| spec.name)
    }

    /// Every parameter of any method once, with the methods that have it.
    pub fn parameters() -> Vec<(&'static Parameter, Vec<&'static str>)> {
        let mut all: Vec<(&Parameter, Vec<&str>)> = Vec::new();
        for spec in SPECS.iter() {
            for parameter in spec.parameters() {
                match all.iter_mut().find(|(known, _)| known.name == parameter.name) {
                    None => all.push((parameter, vec![spec.name])),
                    Some((_, methods)) if methods.last() != Some(&spec.name) => methods.push(spec.name),
                    Some(_) => {}
                }
            }
        }
        all
    }

    fn default_of(spec: &'static Spec) -> Method {
        let solver = spec.solvers.first().map_or(&[][..], |solver| solver.parameters);
        Method { spec, values: Values::defaults(spec.own.iter().chain(solver)) }
    }

    /// # Panics
    /// If there is no such method or parameter: callers are the constructors below.
    fn preset(name: &'static str, values: &[(&'static str, usize)]) -> Method {
        let method = Method::named(name).unwrap_or_else(|| panic!("no method {name}"));
        let set = |method: Method, &(parameter, value): &(&'static str, usize)| method.with(parameter, value);
        values.iter().try_fold(method, set).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The default: the exact answer by whichever way suits the data.
    pub fn auto() -> Method {
        Method::preset("auto", &[])
    }

    /// Block LOBPCG.
    pub fn lobpcg() -> Method {
        Method::preset("lobpcg", &[])
    }

    /// LOBPCG with a factorized preconditioner.
    pub fn shift_invert() -> Method {
        Method::preset("shift-invert", &[])
    }

    /// Classical CCA from dense Gram matrices.
    pub fn gram() -> Method {
        Method::preset("gram", &[])
    }

    /// Classical CCA by QR and SVD.
    pub fn exact() -> Method {
        Method::preset("exact", &[])
    }

    /// Classical CCA of random sums of rows. If `rows` is 0, the fit chooses their number.
    pub fn sketch(rows: usize) -> Method {
        Method::preset("sketch", &[("sketch-rows", rows)])
    }

    /// Exact CCA between principal components.
    pub fn rp_cca(k_rpcca: usize) -> Method {
        Method::preset("rp-cca", &[("k-rpcca", k_rpcca)])
    }

    /// Alternating least squares, each solved by Cholesky factorization.
    pub fn als(t1: usize) -> Method {
        Method::preset("als", &[("t1", t1)])
    }

    /// D-CCA.
    pub fn d_cca(t1: usize) -> Method {
        Method::preset("d-cca", &[("t1", t1)])
    }

    /// G-CCA.
    pub fn g_cca(t1: usize, t2: usize) -> Method {
        Method::preset("g-cca", &[("t1", t1), ("t2", t2)])
    }

    /// L-CCA.
    pub fn l_cca(t1: usize, t2: usize, k_pc: usize) -> Method {
        Method::preset("l-cca", &[("t1", t1), ("t2", t2), ("k-pc", k_pc)])
    }

    /// The description of the method.
    pub fn spec(&self) -> &'static Spec {
        self.spec
    }

    /// The name of the method.
    pub fn name(&self) -> &'static str {
        self.spec.name
    }

    /// The computation behind the method.
    pub fn algorithm(&self) -> Algorithm {
        self.spec.algorithm
    }

    /// The value of a parameter, which for a choice is its index; `None` if the method has no such
    /// parameter.
    pub fn get(&self, parameter: &str) -> Option<usize> {
        self.values.get(parameter)
    }

    /// The parameters that the method has with its solver, and their values. With another solver it may
    /// have others.
    pub fn settings(&self) -> impl Iterator<Item = (&'static Parameter, usize)> + '_ {
        let solver = self.solver_spec().map_or(&[][..], |solver| solver.parameters);
        self.spec.own.iter().chain(solver).map(|parameter| (parameter, self.values[parameter.name]))
    }

    /// Sets one parameter; an error if the method has no such parameter.
    pub fn with(mut self, parameter: &'static str, value: usize) -> Result<Method> {
        if !self.values.set(parameter, value) {
            let expected = "a parameter of the method";
            return Err(Error::Setting { name: parameter, value: value.to_string(), expected });
        }
        if parameter == INNER {
            // Parameters of the new solver start at their defaults, because every solver has its own.
            let own = self.spec.own.iter().map(|parameter| (parameter.name, self.values[parameter.name]));
            let own: Vec<_> = own.collect();
            let Some(solver) = self.solver_spec() else {
                let expected = "the number of a solver";
                return Err(Error::Setting { name: INNER, value: value.to_string(), expected });
            };
            self.values = Values::defaults(self.spec.own.iter().chain(solver.parameters));
            own.into_iter().for_each(|(name, value)| {
                self.values.set(name, value);
            });
        }
        Ok(self)
    }

    /// Sets parameters from texts, in any order: numbers, or names of choices.
    pub fn configured<'t>(self, texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Result<Method> {
        let mut texts: Vec<(&str, &str)> = texts.into_iter().collect();
        // The solver is set first, because it decides which other parameters there are.
        texts.sort_by_key(|&(name, _)| name != INNER);
        texts.into_iter().try_fold(self, |method, (name, text)| {
            let known = method.settings().map(|(parameter, _)| parameter).find(|p| p.name == name);
            let Some(parameter) = known else {
                return Err(Error::NoSuchParameter {
                    parameter: name.to_string(),
                    method: method.to_string(),
                });
            };
            method.with(parameter.name, parameter.parse(text)?)
        })
    }

    /// The chosen solver, if the method alternates and the choice is one of its solvers.
    fn solver_spec(&self) -> Option<&'static SolverSpec> {
        self.spec.solvers.get(self.get(INNER).unwrap_or(0)).copied()
    }

    /// The iterations of the alternating loop and the solver inside it, if the method alternates.
    pub fn alternating(&self) -> Option<(usize, Solver)> {
        Some((self.get("t1")?, Solver::with_values(self.solver_spec()?, &self.values)))
    }

    /// Whether the answer depends on the units of columns even without a ridge. That is true of principal
    /// components and of steps along gradients.
    pub fn depends_on_scale(&self) -> bool {
        self.algorithm() == Algorithm::PrincipalComponents
            || self.solver_spec().is_some_and(|solver| solver.depends_on_scale)
    }

    /// Whether the parameters make sense for `k` pairs.
    pub(crate) fn check(&self, k: usize) -> Result<()> {
        for parameter in &self.spec.own {
            parameter.check(self.values[parameter.name])?;
        }
        if let Some((_, solver)) = self.alternating() {
            solver.check(k)?;
        }
        match self.get("k-rpcca") {
            Some(components) if components < k => {
                let value = components.to_string();
                Err(Error::Setting { name: "k-rpcca", value, expected: "at least k" })
            }
            _ => Ok(()),
        }
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Method) -> bool {
        self.name() == other.name() && self.values == other.values
    }
}

impl Eq for Method {}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())?;
        f.debug_map().entries(self.settings().map(|(p, value)| (p.name, p.format(value)))).finish()
    }
}

/// Writes the name, and the solver if there is a choice of them.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self.solver_spec() {
            Some(solver) if self.spec.solvers.len() > 1 => write!(f, " with {INNER} {}", solver.name),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        assert_eq!(Method::names().count(), 11);
        for name in Method::names() {
            assert_eq!(Method::named(name).unwrap().name(), name);
        }
        assert_eq!(Method::named("pca"), None);
    }

    #[test]
    fn a_parameter_of_another_method_is_refused() {
        let method = Method::named("d-cca").unwrap();
        assert_eq!(method.with("t1", 7).unwrap(), Method::d_cca(7));
        assert!(method.with("t2", 7).is_err());
        let error = method.configured([("t2", "7")]).unwrap_err().to_string();
        assert_eq!(error, "t2 is no parameter of d-cca");
    }

    #[test]
    fn only_als_has_an_inner_solver_and_only_conjugate_gradients_have_steps() {
        for spec in Method::specs() {
            let accepted = Method::default_of(spec).configured([("inner", "cg")]).is_ok();
            assert_eq!(accepted, spec.name == "als", "{}", spec.name);
        }
        let error = Method::als(30).configured([("t2", "7")]).unwrap_err().to_string();
        assert_eq!(error, "t2 is no parameter of als with inner cholesky");
        let method = Method::als(30).configured([("t2", "7"), ("inner", "cg")]).unwrap();
        assert_eq!((method.get("t1"), method.get("t2")), (Some(30), Some(7)));
        assert!(method.check(1).is_ok());
        assert!(method.with("t2", 0).unwrap().check(1).unwrap_err().to_string().contains("t2 is 0"));
        assert!(
            Method::als(30).configured([("inner", "qr")]).unwrap_err().to_string().contains("inner is qr")
        );
        assert!(Method::als(30).with("inner", 7).is_err());
    }

    #[test]
    fn every_parameter_is_described_and_in_range_by_default() {
        for (parameter, methods) in Method::parameters() {
            assert!(!parameter.help.is_empty() && !parameter.expected.is_empty(), "{parameter:?}");
            assert!(parameter.check(parameter.default).is_ok(), "{parameter:?}");
            assert_eq!(parameter.parse(&parameter.format(parameter.default)).unwrap(), parameter.default);
            assert!(!methods.is_empty());
        }
        let named = |name: &str| {
            Method::parameters().into_iter().find(|(p, _)| p.name == name).map(|(_, methods)| methods)
        };
        assert_eq!(named("t2").unwrap(), ["l-cca", "g-cca", "als"]);
        assert_eq!(named("k-rpcca").unwrap(), ["rp-cca"]);
    }
}
