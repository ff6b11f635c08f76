//! Runs the experiment: the best possible first, then the methods that run once, then each setting.
//!
//! At each setting L-CCA runs first, and the others are calibrated until their CPU time agrees with that of
//! L-CCA. Every reported number comes from an actual run; judging a result is not part of its time.

use super::best::best;
use super::calibrate::{Outcome, Point, calibrate};
use super::measure::{Measured, measure_repeatedly};
use super::plan::{Plan, Targets};
use super::result::{Comparison, Distance, Distances, Entry, Run, Setting};
use super::table;
use super::tunable::{TunableMethod, most_components, time_value};
use crate::failure::Failure;
use crate::progress;
use lcca::data::{Centered, InMemory, Pair, Shape, Side};
use lcca::fit::Model;
use lcca::matrix::Panel;
use lcca::method::{Method, Settings};
use lcca::metric;

/// The largest relative difference of CPU times that agree.
const AGREEMENT: f64 = 0.1;

/// A running experiment.
struct Contest<'a> {
    plan: &'a Plan,
    pair: &'a InMemory,
    /// The pair that correlations are measured on, which is centered if the fits are.
    data: &'a dyn Pair,
    /// Weights of the best possible subspaces of X and Y.
    truth: [Panel; 2],
    runs: Vec<Run>,
}

/// Runs all methods at all settings, on the current rayon pool.
pub fn contest(pair: &InMemory, plan: &Plan) -> Result<Comparison, Failure> {
    if plan.settings.center { compare(pair, &Centered::new(pair)?, plan) } else { compare(pair, pair, plan) }
}

fn compare(pair: &InMemory, data: &dyn Pair, plan: &Plan) -> Result<Comparison, Failure> {
    let (best, truth) = best(pair, data, plan)?;
    let mut contest = Contest { plan, pair, data, truth, runs: Vec::new() };
    let once = contest.run_once()?;
    let settings = (0..plan.targets.len()).map(|index| contest.setting(index)).collect::<Result<_, _>>()?;
    let Shape { rows, x_cols, y_cols } = pair.shape();
    let [x, y] = plan.files.clone();
    let Settings { k, center, ridge_x, ridge_y, seed, .. } = plan.settings;
    let (threads, version) = (rayon::current_num_threads(), env!("CARGO_PKG_VERSION"));
    let (agreement, runs) = (AGREEMENT, contest.runs);
    Ok(Comparison {
        x,
        y,
        rows,
        x_cols,
        y_cols,
        k,
        center,
        ridge_x,
        ridge_y,
        seed,
        threads,
        agreement,
        best,
        settings,
        once,
        sketch_left_out: plan.optional_methods.sketch && TunableMethod::sketch(pair.shape()).is_none(),
        runs,
        version,
    })
}

impl Contest<'_> {
    /// Runs the methods that have no parameter to calibrate.
    fn run_once(&mut self) -> Result<Vec<usize>, Failure> {
        let optional = &self.plan.optional_methods;
        let methods = [
            ("D-CCA", Method::d_cca(self.plan.d_cca_t1), optional.d_cca),
            ("auto", Method::auto(), optional.auto),
        ];
        let requested = methods.into_iter().filter(|(.., requested)| *requested);
        requested.map(|(name, method, _)| self.run(name, method, name)).collect()
    }

    fn setting(&mut self, index: usize) -> Result<Setting, Failure> {
        let plan = self.plan;
        let l_cca = TunableMethod::l_cca(plan.t1, plan.k_pc);
        let (cpu_seconds_asked, first) = match &plan.targets {
            Targets::CpuSeconds(seconds) => {
                (Some(seconds[index]), self.calibrated(l_cca, seconds[index], index)?)
            }
            Targets::Steps(steps) => {
                let label = self.label(index, l_cca, 1);
                let run = self.run(l_cca.name, l_cca.with(steps[index])?, &label)?;
                (None, Entry { run, ratio: 1.0, outcome: Outcome::Agrees })
            }
        };
        let cpu_seconds = self.runs[first.run].cpu_seconds;
        let mut entries = vec![first];
        for method in self.tunable_methods() {
            entries.push(self.calibrated(method, cpu_seconds, index)?);
        }
        Ok(Setting { id: index + 1, cpu_seconds_asked, cpu_seconds, entries })
    }

    /// The methods that are calibrated to L-CCA's CPU time.
    fn tunable_methods(&self) -> Vec<TunableMethod> {
        let plan = self.plan;
        let most = most_components(self.pair.shape(), &plan.settings, rayon::current_num_threads());
        let optional = &plan.optional_methods;
        let all = [
            optional.g_cca.then(|| TunableMethod::g_cca(plan.t1)),
            optional.rp_cca.then(|| TunableMethod::rp_cca(plan.settings.k, most)),
            optional.sketch.then(|| TunableMethod::sketch(self.pair.shape())).flatten(),
        ];
        all.into_iter().flatten().collect()
    }

    /// The run of a method that takes about `target` seconds. The search starts from the method's runs at
    /// other settings.
    fn calibrated(&mut self, method: TunableMethod, target: f64, index: usize) -> Result<Entry, Failure> {
        let search = method.search(target, AGREEMENT);
        let mut points = self.points(method.name);
        let mut tries = 0;
        let (value, outcome) = calibrate(&search, &mut points, |value| {
            tries += 1;
            let label = self.label(index, method, tries);
            let run = self.run(method.name, method.with(value)?, &label)?;
            Ok::<f64, Failure>(self.runs[run].cpu_seconds)
        })?;
        let run = self.run(method.name, method.with(value)?, "")?;
        Ok(Entry { run, ratio: self.runs[run].cpu_seconds / target, outcome })
    }

    fn points(&self, name: &str) -> Vec<Point> {
        let runs = self.runs.iter().filter(|run| run.name == name);
        runs.map(|run| Point { parameter: time_value(&run.method), seconds: run.cpu_seconds }).collect()
    }

    fn label(&self, index: usize, method: TunableMethod, attempt: usize) -> String {
        let again = if attempt > 1 { format!(", try {attempt}") } else { String::new() };
        format!("setting {} of {}: {}{again}", index + 1, self.plan.targets.len(), method.name)
    }

    /// The index of this method's run: an earlier one with the same parameters, or a new one.
    fn run(&mut self, name: &'static str, method: Method, label: &str) -> Result<usize, Failure> {
        if let Some(known) = self.runs.iter().position(|run| run.name == name && run.method == method) {
            return Ok(known);
        }
        let mut settings = self.plan.settings.clone();
        settings.method = method;
        let measured = measure_repeatedly(self.pair, &settings, label, self.plan.quiet)?;
        let run = self.judge(name, &measured)?;
        if !self.plan.quiet {
            progress::print_line(&table::line(label, &run));
        }
        self.runs.push(run);
        Ok(self.runs.len() - 1)
    }

    /// Measures the result of a fit on the rows, in two passes that are not part of the fit's time.
    fn judge(&self, name: &'static str, measured: &Measured) -> Result<Run, Failure> {
        let Measured { fit, cpu_seconds, repeats } = measured;
        let Model { x, y, settings, .. } = &fit.model;
        let correlations = metric::captured(self.data, &x.weights, &y.weights)?;
        let distance = |side, weights, truth| {
            metric::principal_sines(self.data, side, weights, truth).map(|sines| Distance::from_sines(&sines))
        };
        Ok(Run {
            name,
            method: settings.method,
            total: correlations.iter().sum(),
            correlations,
            cpu_seconds: *cpu_seconds,
            repeats: *repeats,
            converged: fit.converged,
            passes: fit.cost.passes,
            gram_passes: fit.cost.gram_passes,
            work: fit.cost.work(settings.k),
            distance: Distances {
                x: distance(Side::X, &x.weights, &self.truth[0])?,
                y: distance(Side::Y, &y.weights, &self.truth[1])?,
            },
        })
    }
}
