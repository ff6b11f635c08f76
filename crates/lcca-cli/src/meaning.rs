//! What was typed, as settings of the engine.

use crate::args::{CompareArgs, FitArgs, MethodArgs, ProblemArgs, RIVALS};
use crate::compare::contest::{Asked, Plan, Rivals};
use crate::failure::Failure;
use crate::machine;
use lcca::data::Shape;
use lcca::method::{Inner, Method, Settings};
use std::path::Path;
use std::time::Duration;

/// Pairs looked for where none are asked for.
const DEFAULT_K: usize = 20;

/// `k` pairs of a problem by a method.
fn of_problem(problem: &ProblemArgs, method: Method, k: usize) -> Result<Settings, Failure> {
    Ok(Settings {
        center: !problem.no_center,
        ridge_x: problem.ridge,
        ridge_y: problem.ridge_y.unwrap_or(problem.ridge),
        seed: problem.seed,
        memory: memory(problem.memory.as_deref())?,
        ..Settings::new(method, k)
    })
}

/// The settings of a fit to data of this shape.
pub fn settings(args: &FitArgs, shape: Shape) -> Result<Settings, Failure> {
    let limit = shape.rows.min(shape.x_cols).min(shape.y_cols);
    Ok(Settings {
        oversample: args.method.oversample,
        power: args.method.power,
        tol: args.tol,
        max_passes: max_passes(args.max_passes)?,
        structure: !args.no_structure,
        ..of_problem(&args.problem, method(&args.method)?, args.k.unwrap_or(DEFAULT_K.min(limit)))?
    })
}

/// What to compare on data of this shape. Whatever can be refused is refused before anything long begins.
pub fn plan(args: &CompareArgs, shape: Shape) -> Result<Plan, Failure> {
    let Shape { rows, x_cols, y_cols } = shape;
    let limit = rows.min(x_cols).min(y_cols);
    let k = args.k.unwrap_or(DEFAULT_K.min(limit));
    if k == 0 || k > limit {
        return Err(lcca::Error::ComponentsOutOfRange { k, limit, rows, x_cols, y_cols }.into());
    }
    for (name, value) in [("t1", args.t1), ("d-cca-t1", args.d_cca_t1)] {
        if value == 0 {
            return Err(Failure::Usage(format!("--{name} is 0, expected at least 1 iteration")));
        }
    }
    let wanted = |name: &str| args.methods.is_empty() || args.methods.iter().any(|typed| typed == name);
    let [g_cca, rp_cca, d_cca, auto] = RIVALS.map(wanted);
    let file =
        |path: &Path| path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    Ok(Plan {
        files: [file(&args.x), file(&args.y)],
        settings: of_problem(&args.problem, Method::Auto, k)?,
        asked: asked(args)?,
        t1: args.t1,
        k_pc: args.k_pc,
        d_cca_t1: args.d_cca_t1,
        rivals: Rivals { g_cca, rp_cca, d_cca, auto },
        best_tol: args.best_tol,
        best_passes: max_passes(args.max_passes)?,
        quiet: args.common.quiet,
    })
}

/// The settings of a comparison: what was typed, or those of the paper's word experiment.
fn asked(args: &CompareArgs) -> Result<Asked, Failure> {
    if let Some(seconds) = args.cpu_seconds.iter().find(|seconds| !(seconds.is_finite() && **seconds > 0.0)) {
        let expected = "expected seconds above 0 with commas between";
        return Err(Failure::Usage(format!("--cpu-seconds has {seconds}, {expected}")));
    }
    if args.l_cca_t2.contains(&0) {
        return Err(Failure::Usage("--l-cca-t2 has 0, expected at least 1 gradient step".into()));
    }
    Ok(match (args.cpu_seconds.is_empty(), args.l_cca_t2.is_empty()) {
        (false, _) => Asked::CpuSeconds(args.cpu_seconds.clone()),
        (true, false) => Asked::Steps(args.l_cca_t2.clone()),
        (true, true) => Asked::Steps(vec![7, 38, 115]),
    })
}

fn method(args: &MethodArgs) -> Result<Method, Failure> {
    let name = args.method.as_str();
    let mut method =
        Method::from_name(name).ok_or_else(|| Failure::Usage(format!("there is no method {name}")))?;
    let refused = |parameter: &str, method: &Method| {
        let method = method.full_name();
        Failure::Usage(format!("--{parameter} is no parameter of {method}; leave it out"))
    };
    if let Some(inner) = args.inner.as_deref().and_then(Inner::from_name) {
        method.set_inner(inner).map_err(|_| refused("inner", &method))?;
    }
    let typed = [("t1", args.t1), ("t2", args.t2), ("k-pc", args.k_pc), ("k-rpcca", args.k_rpcca)];
    for (parameter, value) in typed {
        if let Some(value) = value {
            method.set(parameter, value).map_err(|_| refused(parameter, &method))?;
        }
    }
    Ok(method)
}

fn max_passes(typed: Option<f64>) -> Result<Option<f64>, Failure> {
    match typed {
        Some(passes) if passes.is_nan() || passes < 0.0 => {
            Err(Failure::Usage(format!("--max-passes is {passes}, expected a number that is not negative")))
        }
        passes => Ok(passes),
    }
}

/// The time between two savings of a fit's state.
pub fn save_every(typed: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(typed).map_err(|_| {
        Failure::Usage(format!("--save-every is {typed}, expected a number of seconds that is not negative"))
    })
}

fn memory(typed: Option<&str>) -> Result<u64, Failure> {
    let Some(typed) = typed else { return Ok(machine::half_of_memory()) };
    machine::parse_bytes(typed)
        .ok_or_else(|| Failure::Usage(format!("--memory is {typed}, expected a size such as 500MB or 8GiB")))
}
