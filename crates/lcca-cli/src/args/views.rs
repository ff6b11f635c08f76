//! What can be typed after `lcca views`.

use super::Common;
use clap::{Args, Subcommand, ValueEnum};
use lcca_io::views::{Selection, TableFormat, Ties, Tokens, Window};
use std::path::PathBuf;

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

const TEXT_EXAMPLES: &str = "\
Examples:
  lcca views text pairs.tsv --no-header --x 1 --y 2 --lowercase -o views
  lcca views text posts.jsonl.gz --x title --y body --label topic --top 20000 -o views
  lcca views text english.txt french.txt --lowercase -o views
  lcca views text paths.txt --no-header --x 1 --y 1 --x-tokens folders --y-tokens basename --lowercase=y -o views
  lcca fit views/x.safetensors views/y.safetensors --ridge 0.01 -o model

Tokens:
  words       runs of letters, digits and underscores, in any script
  whitespace  what stands between white space
  chars:N     every N characters in a row
  path        the parts of a path: usr/share/doc/a.gz is usr, share, doc, a.gz
  folders     the same without the last
  prefixes    every folder above a path: usr, usr/share, usr/share/doc
  basename    runs of ASCII letters and digits in the last part of a path
  alnum       runs of ASCII letters and digits
  split:C     what stands between one character, such as split:,
  whole       the text as it is: a category

The folder holds x.safetensors and y.safetensors (columns named by their tokens, most frequent first), x_columns.tsv and
y_columns.tsv (token and how many rows hold it), labels.txt where asked for, and views.json (settings and sizes).";

/// Two columns of texts, or two files of lines, as bags of tokens.
#[derive(Args)]
#[command(after_help = TEXT_EXAMPLES)]
pub struct TextArgs {
    /// A file with columns (.tsv, .csv, .jsonl, these also .gz, .zst; .parquet; - is standard input), or two files whose lines belong together
    #[arg(required = true, num_args = 1..=2, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The column of x: its name, or its number from 1
    #[arg(long, value_name = "COL")]
    pub x: Option<String>,
    /// The column of y, likewise
    #[arg(long, value_name = "COL")]
    pub y: Option<String>,
    /// A column to write to labels.txt, one line a row
    #[arg(long, value_name = "COL")]
    pub label: Option<String>,
    /// Folder to write, which must not be there
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// The first line is a row, not the names of the columns
    #[arg(long)]
    pub no_header: bool,
    /// The format, where the file's name does not say
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<FormatArg>,
    /// How texts become tokens; see below
    #[arg(long, value_name = "RULE", default_value = "words")]
    pub tokens: Tokens,
    /// The same for x alone
    #[arg(long, value_name = "RULE")]
    pub x_tokens: Option<Tokens>,
    /// The same for y alone
    #[arg(long, value_name = "RULE")]
    pub y_tokens: Option<Tokens>,
    /// Bring texts into lower case first; --lowercase=x or =y for one view alone
    #[arg(long, value_enum, value_name = "VIEW", num_args = 0..=1, require_equals = true, default_missing_value = "both")]
    pub lowercase: Option<Which>,
    /// What an entry is
    #[arg(long, value_enum, value_name = "KIND", default_value = "binary")]
    pub values: ValuesArg,
    #[command(flatten)]
    pub keep: KeepArgs,
    /// Hash tokens into 2^B columns with signs (scikit-learn's FeatureHasher); such columns have no names
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=30),
          conflicts_with_all = ["min_count", "max_share", "skip", "top", "x_top", "y_top"])]
    pub hash_bits: Option<u32>,
    /// Replace broken UTF-8 instead of refusing it
    #[arg(long)]
    pub lossy: bool,
    #[command(flatten)]
    pub common: Common,
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

const WORDS_EXAMPLES: &str = "\
Examples:
  lcca views words corpus.txt -o views                       each word against the next, lines are sentences
  lcca views words part*.txt.gz --lowercase --window 2:2 -o views
  lcca views words corpus.txt --window 1:1 --positions --y-top 10000 -o views
  lcca views words corpus.txt --merge -o views
  lcca fit views/x.safetensors views/y.safetensors --row-weights views/weights.npy -o model

x is the word, one-hot. y is its context: one-hot where that is one neighbour, else the set of the words around it, each
once, wherever they stand; with --positions the same word at another distance is another column (-1:the, +1:the). A row
is dropped where its word or its whole context is not among the columns, and so are columns without rows. Columns are in
the order of how often their word occurs in the corpus. The corpus is read twice and need not fit into memory.

The folder holds x.safetensors, y.safetensors, x_columns.tsv and y_columns.tsv (word and in how many rows it is),
weights.npy with --merge, and views.json (settings and sizes).";

/// The words of a corpus and the words around them.
#[derive(Args)]
#[command(after_help = WORDS_EXAMPLES)]
pub struct WordsArgs {
    /// Text files, one sentence a line (also .gz, .zst)
    #[arg(required = true, value_name = "CORPUS")]
    pub files: Vec<PathBuf>,
    /// Folder to write, which must not be there
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// How many words before and after are the context
    #[arg(long, value_name = "L:R", default_value = "0:1")]
    pub window: Window,
    /// Tell the same word at different distances apart
    #[arg(long)]
    pub positions: bool,
    /// Contexts reach across line ends (never from one file into the next)
    #[arg(long)]
    pub across_lines: bool,
    /// How a line becomes words: whitespace, words, or any rule of `lcca views text`
    #[arg(long, value_name = "RULE", default_value = "whitespace")]
    pub tokens: Tokens,
    /// Bring the corpus into lower case
    #[arg(long)]
    pub lowercase: bool,
    /// Keep the N most frequent words in x [default: all]
    #[arg(long, value_name = "N")]
    pub x_top: Option<usize>,
    /// Keep the N most frequent words in y
    #[arg(long, value_name = "N", default_value_t = 3000)]
    pub y_top: usize,
    /// Keep words that occur at least N times
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub min_count: u64,
    /// Which of equally frequent words comes first: by name, or the one that appeared first
    #[arg(long, value_enum, value_name = "ORDER", default_value = "name")]
    pub ties: TiesArg,
    /// Write equal rows once, with weights.npy for `lcca fit --row-weights`
    #[arg(long)]
    pub merge: bool,
    /// Replace broken UTF-8 instead of refusing it
    #[arg(long)]
    pub lossy: bool,
    #[command(flatten)]
    pub common: Common,
}

const COLUMNS_EXAMPLES: &str = "\
Examples:
  lcca views columns urls.svm --x first:35% --y last:35% --boolean-only --top 20000 --rows 400000 -o views
  lcca views columns m.npz --x 0..5000,7000..8000 --y 5000..7000 -o views
  lcca views columns cells.safetensors --x 'gene_*' --y 'protein_*' -o views

Columns are parts with commas between them:
  first:35%   last:100     a share or a number of columns from either end
  0..5000     17           from one number to another, which is not included; or a single one; counted from 0
  'gene_*'                 names, where columns have them: * is anything, ? one character

Columns keep their order, and their names; where they have none, their numbers become their names. How frequent a column is,
is how many of the rows have an entry in it.

The folder holds x.safetensors, y.safetensors, x_columns.tsv and y_columns.tsv (name and entries), and views.json.";

/// One matrix cut into two by columns.
#[derive(Args)]
#[command(after_help = COLUMNS_EXAMPLES)]
pub struct ColumnsArgs {
    /// Any matrix lcca reads
    pub matrix: PathBuf,
    /// Columns of x
    #[arg(long, value_name = "COLUMNS")]
    pub x: Selection,
    /// Columns of y
    #[arg(long, value_name = "COLUMNS")]
    pub y: Selection,
    /// Folder to write, which must not be there
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Take the first N rows only
    #[arg(long, value_name = "N")]
    pub rows: Option<usize>,
    /// Drop columns with values other than 0 and 1
    #[arg(long)]
    pub boolean_only: bool,
    /// Keep columns with at least N entries
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub min_count: u64,
    /// Drop the N most frequent columns of each view
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip: usize,
    /// Keep the N most frequent of the others
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Columns of the matrix, for svmlight files, which do not say [default: the largest seen]
    #[arg(long, value_name = "N")]
    pub cols: Option<usize>,
    /// svmlight files count columns from 0, not 1
    #[arg(long)]
    pub zero_based: bool,
    #[command(flatten)]
    pub common: Common,
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
