//! The problem to solve, and the settings of the engine that follow from it.

use crate::args::{MetricChoice, NormalizeChoice, ProblemArgs, ScaleChoice};
use crate::failure::Failure;
use crate::{machine, sizes};
use lcca::data::Shape;
use lcca::matrix::Normalize;
use lcca::method::{Method, Metric, Scale, Settings};

/// The default number of pairs, if the data have as many.
const DEFAULT_PAIRS: usize = 20;

/// `--no-center`, `--scale`, metrics, ridges, seed and memory, as settings for one pair, because the number
/// of pairs depends on the data.
pub fn settings(args: &ProblemArgs, method: Method) -> Result<Settings, Failure> {
    let mut settings = Settings::new(method, 1);
    settings.center = !args.no_center;
    settings.scale = match args.scale {
        ScaleChoice::Auto => Scale::Auto,
        ScaleChoice::Yes => Scale::Yes,
        ScaleChoice::No => Scale::No,
    };
    settings.metric_x = metric(args.metric);
    settings.metric_y = metric(args.metric_y.unwrap_or(args.metric));
    settings.normalize_x = normalize(args.normalize_rows);
    settings.normalize_y = normalize(args.normalize_rows_y.unwrap_or(args.normalize_rows));
    settings.ridge_x = args.ridge;
    settings.ridge_y = args.ridge_y.unwrap_or(args.ridge);
    settings.seed = args.seed;
    settings.memory = memory(args.memory.as_deref())?;
    Ok(settings)
}

/// `--memory`, or half of the machine's memory.
pub fn memory(typed: Option<&str>) -> Result<u64, Failure> {
    match typed {
        None => Ok(machine::half_of_memory()),
        Some(typed) => sizes::parse_bytes(typed).ok_or_else(|| {
            Failure::Usage(format!("--memory is {typed}, expected a size such as 500MB or 8GiB"))
        }),
    }
}

/// `--normalize-rows` as a setting of the engine.
pub fn normalize(choice: NormalizeChoice) -> Normalize {
    match choice {
        NormalizeChoice::No => Normalize::No,
        NormalizeChoice::Length => Normalize::Length,
        NormalizeChoice::Sum => Normalize::Sum,
        NormalizeChoice::Log1p => Normalize::Log1p,
    }
}

fn metric(choice: MetricChoice) -> Metric {
    match choice {
        MetricChoice::Cca => Metric::Cca,
        MetricChoice::Pls => Metric::Pls,
        MetricChoice::Diagonal => Metric::Diagonal,
    }
}

/// The most pairs that data of this shape can have.
pub fn most_pairs(shape: Shape) -> usize {
    shape.rows.min(shape.x_cols).min(shape.y_cols)
}

/// The requested number of pairs, or the default for data of this shape.
pub fn pairs(requested: Option<usize>, shape: Shape) -> usize {
    requested.unwrap_or(DEFAULT_PAIRS.min(most_pairs(shape)))
}

/// `--max-passes`, which must be a number that is not negative.
pub fn max_passes(typed: Option<f64>) -> Result<Option<f64>, Failure> {
    match typed {
        Some(passes) if passes.is_nan() || passes < 0.0 => {
            Err(Failure::Usage(format!("--max-passes is {passes}, expected a number that is not negative")))
        }
        passes => Ok(passes),
    }
}
