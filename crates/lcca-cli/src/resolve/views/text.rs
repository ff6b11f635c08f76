//! `lcca views text`

use super::ties::ties;
use crate::args::ViewChoice;
use crate::args::views::{FormatChoice, TextArgs, ValueChoice};
use crate::failure::Failure;
use crate::resolve::session::Session;
use lcca::data::Side;
use lcca_io::views::{Amounts, Bagging, Columns, Keep, TableFormat, TextInput, TextSettings};
use std::path::PathBuf;

/// The default of `--min-count`: tokens of fewer rows are dropped, because a token of a single row says
/// nothing about others.
const DEFAULT_MIN_COUNT: u64 = 2;

pub struct TextViewsJob {
    /// One file with columns, or one file of lines per view.
    pub files: Vec<PathBuf>,
    pub settings: TextSettings,
    /// The number of rows of which one is held out; `None` holds out none.
    pub hold_out: Option<usize>,
    pub output: PathBuf,
    pub session: Session,
}

impl TextViewsJob {
    pub fn new(args: TextArgs) -> Result<Self, Failure> {
        if let Some(share) = args.keep.max_share.filter(|share| !(*share > 0.0 && *share <= 1.0)) {
            return Err(Failure::Usage(format!(
                "--max-share is {share}, expected a number above 0 and at most 1"
            )));
        }
        let views = Side::BOTH.map(|side| bagging(&args, side));
        let settings = TextSettings { input: input(&args)?, views, lossy: args.lossy };
        Ok(TextViewsJob {
            files: args.files,
            settings,
            hold_out: args.hold_out.map(|every| every as usize),
            output: args.output,
            session: Session::new(args.common),
        })
    }
}

/// The input: one file with named columns, or two files of lines.
fn input(args: &TextArgs) -> Result<TextInput, Failure> {
    if let [x, y] = &args.files[..] {
        let columns = [("--x", &args.x), ("--y", &args.y), ("--label", &args.label)];
        return match columns.iter().find(|(_, typed)| typed.is_some()) {
            Some((flag, _)) => {
                Err(Failure::Usage(format!("{flag} names a column, expected one file with columns, not two")))
            }
            None => Ok(TextInput::Lines { x: x.clone(), y: y.clone() }),
        };
    }
    let (Some(x), Some(y)) = (&args.x, &args.y) else {
        return Err(Failure::Usage(
            "expected --x and --y, the columns of one file, or two files of lines".into(),
        ));
    };
    let format = args.format.map(|typed| match typed {
        FormatChoice::Tsv => TableFormat::Tsv,
        FormatChoice::Csv => TableFormat::Csv,
        FormatChoice::Jsonl => TableFormat::JsonLines,
        FormatChoice::Parquet => TableFormat::Parquet,
    });
    Ok(TextInput::Table {
        path: args.files[0].clone(),
        format,
        header: !args.no_header,
        columns: [Some(x.clone()), Some(y.clone()), args.label.clone()],
    })
}

/// The way to make one view from its texts. The flags of the view come first, then those of both views.
fn bagging(args: &TextArgs, side: Side) -> Bagging {
    let keep = &args.keep;
    let (tokens, top, skip, lowercase) = match side {
        Side::X => (args.x_tokens, keep.x_top, keep.x_skip, ViewChoice::X),
        Side::Y => (args.y_tokens, keep.y_top, keep.y_skip, ViewChoice::Y),
    };
    let keep = Keep {
        min_count: keep.min_count.unwrap_or(DEFAULT_MIN_COUNT),
        max_share: keep.max_share,
        skip: skip.unwrap_or(keep.skip),
        top: top.or(keep.top),
        ties: ties(keep.ties),
    };
    Bagging {
        tokens: tokens.unwrap_or(args.tokens),
        lowercase: args.lowercase.is_some_and(|typed| typed == lowercase || typed == ViewChoice::Both),
        amounts: match args.values {
            ValueChoice::Binary => Amounts::Binary,
            ValueChoice::Count => Amounts::Count,
            ValueChoice::TfIdf => Amounts::TfIdf,
        },
        columns: args.hash_bits.map_or(Columns::Tokens(keep), Columns::Hashed),
    }
}
