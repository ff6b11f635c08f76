//! What can be typed after `lcca views`.

mod columns;
mod text;
mod words;

pub use columns::ColumnsArgs;
pub use text::TextArgs;
pub use words::WordsArgs;

use clap::{Args, Subcommand, ValueEnum};
use lcca_io::views::{TableFormat, Ties};

/// Make two views from raw data.
#[derive(Args)]
pub struct ViewsArgs {
    #[command(subcommand)]
    pub command: ViewsCommand,
}

#[derive(Subcommand)]
pub enum ViewsCommand {
    /// Two columns of texts, or two files of lines, as bags of tokens
    Text(Box<TextArgs>),
    /// The words of a corpus and the words around them
    Words(Box<WordsArgs>),
    /// One matrix cut into two by columns
    Columns(Box<ColumnsArgs>),
}

/// Which tokens become columns. How frequent a token is, is how many rows hold it.
#[derive(Args)]
pub struct KeepArgs {
    /// Keep what at least N rows hold [default: 2]
    #[arg(long, value_name = "N")]
    pub min_count: Option<u64>,
    /// Drop what more than this share of the rows holds, such as 0.5
    #[arg(long, value_name = "SHARE")]
    pub max_share: Option<f64>,
    /// Drop the N most frequent
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip: usize,
    /// The same for x alone
    #[arg(long, value_name = "N")]
    pub x_skip: Option<usize>,
    /// The same for y alone
    #[arg(long, value_name = "N")]
    pub y_skip: Option<usize>,
    /// Keep the N most frequent of the others
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// The same for x alone
    #[arg(long, value_name = "N")]
    pub x_top: Option<usize>,
    /// The same for y alone
    #[arg(long, value_name = "N")]
    pub y_top: Option<usize>,
    /// Which of equally frequent tokens comes first: by name, or the one that appeared first
    #[arg(long, value_enum, value_name = "ORDER", default_value = "name")]
    pub ties: TiesArg,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum FormatArg {
    Tsv,
    Csv,
    Jsonl,
    Parquet,
}

impl From<FormatArg> for TableFormat {
    fn from(typed: FormatArg) -> Self {
        match typed {
            FormatArg::Tsv => TableFormat::Tsv,
            FormatArg::Csv => TableFormat::Csv,
            FormatArg::Jsonl => TableFormat::JsonLines,
            FormatArg::Parquet => TableFormat::Parquet,
        }
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Which {
    X,
    Y,
    Both,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ValuesArg {
    /// One, however often the token occurs
    Binary,
    /// How often the token occurs
    Count,
    /// Counts weighted by how rare the token is, rows scaled to length one
    TfIdf,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum TiesArg {
    Name,
    First,
}

impl From<TiesArg> for Ties {
    fn from(typed: TiesArg) -> Self {
        match typed {
            TiesArg::Name => Ties::Name,
            TiesArg::First => Ties::First,
        }
    }
}
