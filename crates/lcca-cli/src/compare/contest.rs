//! Runs the experiment: the best possible first, then what runs once, then each setting.
//!
//! At each setting L-CCA runs first, and the others are calibrated until their own CPU time agrees with its. Every number
//! that is reported comes from a run that was made; measuring what it found is not part of its time.

use super::best;
use super::calibrate::{Outcome, Point, calibrate};
use super::knob::{Knob, most_components};
use super::measure::{Measured, steadily};
use super::result::{Comparison, Distance, Distances, Entry, Run, Setting};
use crate::failure::Failure;
use lcca::data::{Centred, InMemory, Pair, Shape, Side};
use lcca::fit::Model;
use lcca::matrix::Panel;
use lcca::method::{Method, Settings};
use lcca::metric;

/// How far CPU times may differ and still agree, relative.
pub const AGREEMENT: f64 = 0.1;

/// What to compare.
pub struct Plan {
    /// File names of the views.
    pub files: [String; 2],
    /// Everything but the method.
    pub settings: Settings,
    pub asked: Asked,
    /// Iterations of L-CCA and G-CCA, singular vectors of L-CCA.
    pub t1: usize,
    pub k_pc: usize,
    /// Iterations of D-CCA.
    pub d_cca_t1: usize,
    pub rivals: Rivals,
    /// When the best possible counts as found, and when it is given up.
    pub best_tol: f64,
    pub best_passes: Option<f64>,
    pub quiet: bool,
}

/// The settings: L-CCA's gradient steps, or the CPU time to take.
pub enum Asked {
    Steps(Vec<usize>),
    CpuSeconds(Vec<f64>),
}

/// Which methods run besides L-CCA.
pub struct Rivals {
    pub g_cca: bool,
    pub rp_cca: bool,
    pub d_cca: bool,
    pub auto: bool,
}

/// The experiment while it runs.
struct Contest<'a> {
    plan: &'a Plan,
    pair: &'a InMemory,
    /// The pair as correlations are taken of it: centred, or as it is.
    seen: &'a dyn Pair,
    /// Weights of the best possible subspaces.
    truth: [Panel; 2],
    runs: Vec<Run>,
}

/// Runs everything, on the current rayon pool.
pub fn contest(pair: &InMemory, plan: &Plan) -> Result<Comparison, Failure> {
    match plan.settings.center {
        true => compare(pair, &Centred::new(pair)?, plan),
        false => compare(pair, pair, plan),
    }
}

fn compare(pair: &InMemory, seen: &dyn Pair, plan: &Plan) -> Result<Comparison, Failure> {
    let (best, truth) = best::best(pair, seen, plan)?;
    let mut contest = Contest { plan, pair, seen, truth, runs: Vec::new() };
    let once = contest.once()?;
    let settings = (0..plan.asked.len()).map(|at| contest.setting(at)).collect::<Result<_, _>>()?;
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
        runs,
        version,
    })
}

impl Contest<'_> {
    /// What has no parameter to calibrate.
    fn once(&mut self) -> Result<Vec<usize>, Failure> {
        let rivals = &self.plan.rivals;
        let d_cca = ("D-CCA", Method::DCca { t1: self.plan.d_cca_t1 }, rivals.d_cca);
        let wanted = [d_cca, ("auto", Method::Auto, rivals.auto)].into_iter().filter(|(.., wanted)| *wanted);
        wanted.map(|(name, method, _)| self.run(name, method, name)).collect()
    }

    fn setting(&mut self, at: usize) -> Result<Setting, Failure> {
        let plan = self.plan;
        let l_cca = Knob::Ling { t1: plan.t1, k_pc: plan.k_pc };
        let (cpu_seconds_asked, first) = match &plan.asked {
            Asked::CpuSeconds(asked) => (Some(asked[at]), self.calibrated(l_cca, asked[at], at)?),
            Asked::Steps(steps) => {
                let label = self.label(at, l_cca, 1);
                let run = self.run(l_cca.name(), l_cca.method(steps[at]), &label)?;
                (None, Entry { run, ratio: 1.0, outcome: Outcome::Agrees })
            }
        };
        let cpu_seconds = self.runs[first.run].cpu_seconds;
        let mut entries = vec![first];
        for knob in self.knobs() {
            entries.push(self.calibrated(knob, cpu_seconds, at)?);
        }
        Ok(Setting { id: at + 1, cpu_seconds_asked, cpu_seconds, entries })
    }

    /// The methods that are brought to L-CCA's CPU time.
    fn knobs(&self) -> Vec<Knob> {
        let plan = self.plan;
        let most = most_components(self.pair.shape(), &plan.settings, rayon::current_num_threads());
        let all = [
            (Knob::Gradient { t1: plan.t1 }, plan.rivals.g_cca),
            (Knob::Components { most }, plan.rivals.rp_cca),
        ];
        all.into_iter().filter(|(_, wanted)| *wanted).map(|(knob, _)| knob).collect()
    }

    /// The run of a method that takes about `target` seconds; what it took at other settings is made use of.
    fn calibrated(&mut self, knob: Knob, target: f64, at: usize) -> Result<Entry, Failure> {
        let search = knob.search(target, AGREEMENT, self.plan.settings.k);
        let mut points = self.points(knob.name());
        let mut tries = 0;
        let (parameter, outcome) = calibrate(&search, &mut points, |parameter| {
            tries += 1;
            let label = self.label(at, knob, tries);
            let run = self.run(knob.name(), knob.method(parameter), &label)?;
            Ok::<f64, Failure>(self.runs[run].cpu_seconds)
        })?;
        let run = self.run(knob.name(), knob.method(parameter), "")?;
        Ok(Entry { run, ratio: self.runs[run].cpu_seconds / target, outcome })
    }

    fn points(&self, name: &str) -> Vec<Point> {
        let runs = self.runs.iter().filter(|run| run.name == name);
        runs.map(|run| Point { parameter: Knob::parameter(&run.method), seconds: run.cpu_seconds }).collect()
    }

    fn label(&self, at: usize, knob: Knob, attempt: usize) -> String {
        let again = if attempt > 1 { format!(", try {attempt}") } else { String::new() };
        format!("setting {} of {}: {}{again}", at + 1, self.plan.asked.len(), knob.name())
    }

    /// The index of the run of this method: the one there is, or a new one.
    fn run(&mut self, name: &'static str, method: Method, label: &str) -> Result<usize, Failure> {
        if let Some(known) = self.runs.iter().position(|run| run.name == name && run.method == method) {
            return Ok(known);
        }
        let settings = Settings { method, ..self.plan.settings.clone() };
        let measured = steadily(self.pair, &settings, label, self.plan.quiet)?;
        let run = self.judge(name, &measured)?;
        if !self.plan.quiet {
            crate::progress::leave(&super::table::line(label, &run));
        }
        self.runs.push(run);
        Ok(self.runs.len() - 1)
    }

    /// What a fit found, measured on the rows by two passes that are not part of its time.
    fn judge(&self, name: &'static str, measured: &Measured) -> Result<Run, Failure> {
        let Measured { fit, cpu_seconds, repeats } = measured;
        let Model { x, y, settings, .. } = &fit.model;
        let correlations = metric::captured(self.seen, &x.weights, &y.weights)?;
        let distance = |side, weights, truth| {
            metric::principal_sines(self.seen, side, weights, truth).map(|sines| Distance::of(&sines))
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

impl Asked {
    pub fn len(&self) -> usize {
        match self {
            Asked::Steps(steps) => steps.len(),
            Asked::CpuSeconds(seconds) => seconds.len(),
        }
    }
}
