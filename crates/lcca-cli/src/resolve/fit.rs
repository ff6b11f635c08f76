//! `lcca fit`

use super::device::DeviceJob;
use super::method::method;
use super::problem::{self, max_passes};
use super::reading::{ViewReading, check_normalization, table_flags};
use super::session::Session;
use crate::args::{self, FitArgs, PairCount};
use crate::failure::Failure;
use lcca::data::Shape;
use lcca::fit::TRIED;
use lcca::matrix::Normalize;
use lcca::method::Settings;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub struct FitJob {
    pub x: PathBuf,
    pub y: PathBuf,
    /// The options for reading X and Y and for pairing their rows.
    pub reading: ViewReading,
    pub row_weights: Option<PathBuf>,
    pub covariates: Option<PathBuf>,
    pub output: Option<PathBuf>,
    pub ridge_search: Option<RidgeSearch>,
    pub hold_out: HoldOutRule,
    pub certify: bool,
    pub resume: Option<Resume>,
    pub device: DeviceJob,
    pub strict: bool,
    /// Typed flags that are not settings of the engine, but are needed to repeat the fit.
    pub flags: Vec<String>,
    pub session: Session,
    /// A file with one label per row; rows with the same label are held out together.
    pub fold_groups: Option<PathBuf>,
    /// Whether to fit as many pairs as held-out rows can prove.
    pub finds_pairs: bool,
    pub wilks: bool,
    /// The requested number of pairs; `None` lets the data decide.
    pairs: Option<usize>,
    /// All settings except the number of pairs, which is still missing.
    settings: Settings,
}

/// The ridges that cross-validation chooses from.
pub struct RidgeSearch {
    pub ridges: Vec<f64>,
    pub folds: usize,
    pub rule: RidgeRule,
    pub figure: Option<FigureFile>,
}

/// The rule that decides whether rows are held out before the fit to all of them.
#[derive(Clone, Copy)]
pub enum HoldOutRule {
    /// Holds rows out if training correlations would mislead and it takes little time.
    Auto,
    No,
    /// Holds out this share of the rows.
    Share(f64),
}

impl HoldOutRule {
    /// This rule, but `No` instead of `Auto`, for a fit that held rows out for another choice already.
    pub fn unless_auto(self) -> Self {
        match self {
            HoldOutRule::Auto => HoldOutRule::No,
            asked => asked,
        }
    }
}

/// The rule that takes one of the ridges.
#[derive(Clone, Copy)]
pub enum RidgeRule {
    /// The largest ridge within one standard error of the best.
    Simplest,
    Best,
}

pub struct FigureFile {
    pub path: PathBuf,
    pub format: FigureFormat,
}

#[derive(Clone, Copy)]
pub enum FigureFormat {
    Svg,
    Png,
}

/// A state file that the fit is saved to and resumed from.
pub struct Resume {
    pub path: PathBuf,
    /// The least time between two saves.
    pub every: Duration,
}

impl FitJob {
    pub fn new(args: FitArgs) -> Result<Self, Failure> {
        let mut settings = problem::settings(&args.problem, method(&args.method)?)?;
        settings.oversample = args.method.oversample;
        settings.power = args.method.power;
        settings.tol = args.tol;
        settings.max_passes = max_passes(args.max_passes)?;
        settings.structure = !args.no_structure;
        let (pairs, finds_pairs) = match args.k {
            Some(PairCount::Given(pairs)) => (Some(pairs), false),
            Some(PairCount::Auto) => (None, true),
            None => (None, false),
        };
        if finds_pairs && args.resume.is_some() {
            let message =
                "-k auto fits twice and --resume keeps the state of one fit: use one of them at a time";
            return Err(Failure::Usage(message.into()));
        }
        let device = DeviceJob::new(&args.device)?;
        device.check(&settings)?;
        let reading = ViewReading::new(&args.reading);
        for (normalize, options) in settings.normalization().into_iter().zip(&reading.options) {
            check_normalization(normalize, options)?;
        }
        Ok(FitJob {
            reading,
            ridge_search: ridge_search(&args)?,
            hold_out: hold_out(&args)?,
            resume: resume(&args)?,
            flags: flags(&args).into_iter().chain(device.flags(&args.device)).collect(),
            device,
            x: args.x,
            y: args.y,
            row_weights: args.problem.row_weights,
            covariates: args.covariates,
            output: args.output,
            certify: args.certify,
            strict: args.strict,
            session: Session::new(args.common),
            fold_groups: args.fold_groups,
            finds_pairs,
            wilks: args.wilks,
            pairs,
            settings,
        })
    }

    /// How rows of X and of Y are normalized before the fit.
    pub fn normalization(&self) -> [Normalize; 2] {
        self.settings.normalization()
    }

    /// The settings for data of this shape.
    pub fn settings(&self, shape: Shape) -> Settings {
        let mut settings = self.settings.clone();
        settings.k = if self.finds_pairs {
            TRIED.min(problem::most_pairs(shape))
        } else {
            problem::pairs(self.pairs, shape)
        };
        settings
    }
}

fn ridge_search(args: &FitArgs) -> Result<Option<RidgeSearch>, Failure> {
    let figure = args.path_figure.as_deref().map(figure_file).transpose()?;
    if args.ridge_path.is_empty() {
        return Ok(None);
    }
    let rule = match args.select {
        args::RidgeRule::Simplest => RidgeRule::Simplest,
        args::RidgeRule::Best => RidgeRule::Best,
    };
    Ok(Some(RidgeSearch { ridges: args.ridge_path.clone(), folds: args.folds, rule, figure }))
}

/// `--hold-out`: a share, `auto` or `no`. It does not go with `--resume`, because a state file does not
/// keep the state of two fits.
fn hold_out(args: &FitArgs) -> Result<HoldOutRule, Failure> {
    let typed = args.hold_out.trim();
    let share = match typed {
        "auto" if args.resume.is_some() => return Ok(HoldOutRule::No),
        "auto" => return Ok(HoldOutRule::Auto),
        "no" => return Ok(HoldOutRule::No),
        typed => typed.parse::<f64>().ok().filter(|share| *share > 0.0 && *share < 1.0),
    };
    let Some(share) = share else {
        return Err(Failure::Usage(format!(
            "--hold-out is {typed}, expected a share of the rows between 0 and 1, such as 0.2, or auto or no"
        )));
    };
    if args.resume.is_some() {
        let message =
            "--hold-out fits twice and --resume keeps the state of one fit: use one of them at a time";
        return Err(Failure::Usage(message.into()));
    }
    Ok(HoldOutRule::Share(share))
}

fn figure_file(path: &Path) -> Result<FigureFile, Failure> {
    let format = match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => FigureFormat::Svg,
        Some("png") => FigureFormat::Png,
        _ => {
            let path = path.display();
            return Err(Failure::Usage(format!("{path}: expected a figure that ends in .svg or .png")));
        }
    };
    Ok(FigureFile { path: path.into(), format })
}

fn resume(args: &FitArgs) -> Result<Option<Resume>, Failure> {
    let Some(path) = args.resume.clone() else { return Ok(None) };
    let typed = args.save_every;
    let every = Duration::try_from_secs_f64(typed).map_err(|_| {
        Failure::Usage(format!("--save-every is {typed}, expected a number of seconds that is not negative"))
    })?;
    Ok(Some(Resume { path, every }))
}

/// Flags that change the rows that are read or the work that is done, but are not settings of the engine.
fn flags(args: &FitArgs) -> Vec<String> {
    let typed = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let with_value = [
        ("--row-weights", typed(&args.problem.row_weights)),
        ("--covariates", typed(&args.covariates)),
        ("--x-cols", args.reading.x_cols.map(|cols| cols.to_string())),
        ("--y-cols", args.reading.y_cols.map(|cols| cols.to_string())),
        ("--memory", args.problem.memory.clone()),
        ("--fold-groups", typed(&args.fold_groups)),
        ("--hold-out", Some(args.hold_out.clone()).filter(|typed| typed != "auto")),
    ];
    let mut flags = Vec::new();
    for (flag, value) in with_value {
        flags.extend(value.into_iter().flat_map(|value| [flag.to_string(), value]));
    }
    flags.extend(table_flags(&args.reading.tables));
    flags.extend(args.certify.then(|| "--certify".to_string()));
    flags
}
