//! The arguments and flags of `lcca views text`.

use super::{FormatChoice, KeepArgs, ValueChoice};
use crate::args::{CommonArgs, ViewChoice};
use clap::Args;
use lcca_io::views::Tokens;
use std::path::PathBuf;

const TEXT_EXAMPLES: &str = "\
Examples:
  lcca views text pairs.tsv --no-header --x 1 --y 2 --lowercase -o views
  lcca views text posts.jsonl.gz --x title --y body --label topic --top 20000 -o views
  lcca views text english.txt french.txt --lowercase -o views
  lcca views text paths.txt --no-header --x 1 --y 1 --x-tokens folders --y-tokens basename -o views
  lcca views text pairs.tsv --no-header --x 1 --y 2 --lowercase --hold-out 10 -o views
  lcca fit views/x.safetensors views/y.safetensors --ridge 0.01 -o model
  lcca score model views/x_test.safetensors views/y_test.safetensors

Tokens:
  words       runs of letters, digits and underscores, in any script
  whitespace  the parts between white space
  chars:N     every N characters in a row
  path        the parts of a path: usr/share/doc/a.gz is usr, share, doc, a.gz
  folders     the same without the last part
  prefixes    every folder above a path: usr, usr/share, usr/share/doc
  basename    runs of ASCII letters and digits in the last part of a path
  alnum       runs of ASCII letters and digits
  split:C     the parts between one character, such as split:,
  whole       the text as it is: a category

The folder holds x.safetensors and y.safetensors (columns named by their tokens, most frequent
first), x_columns.tsv and y_columns.tsv (token and the number of rows that have it), labels.txt if
--label is given, and views.json (settings and sizes); with --hold-out also x_test.safetensors,
y_test.safetensors and labels_test.txt.";

/// Make bags of tokens from two columns of texts, or from two files of lines.
#[derive(Args)]
#[command(after_help = TEXT_EXAMPLES)]
pub struct TextArgs {
    /// A file with columns (.tsv, .csv, .jsonl, these also .gz, .zst; .parquet; - is standard input), or two
    /// files whose lines belong together
    #[arg(required = true, num_args = 1..=2, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The column of x: its name, or its number from 1
    #[arg(long, value_name = "COL")]
    pub x: Option<String>,
    /// The column of y: its name, or its number from 1
    #[arg(long, value_name = "COL")]
    pub y: Option<String>,
    /// Write this column to labels.txt, one line per row
    #[arg(long, value_name = "COL")]
    pub label: Option<String>,
    /// Write the views to this folder, which must not exist
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Read the first line as a row instead of the names of the columns
    #[arg(long)]
    pub no_header: bool,
    /// The format of the file [default: by its extension]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<FormatChoice>,
    /// How texts become tokens; see below
    #[arg(long, value_name = "RULE", default_value = "words")]
    pub tokens: Tokens,
    /// How texts of x become tokens [default: the value of --tokens]
    #[arg(long, value_name = "RULE")]
    pub x_tokens: Option<Tokens>,
    /// How texts of y become tokens [default: the value of --tokens]
    #[arg(long, value_name = "RULE")]
    pub y_tokens: Option<Tokens>,
    /// Convert texts to lower case first; --lowercase=x or =y for one view alone
    #[arg(long, value_enum, value_name = "VIEW", num_args = 0..=1, require_equals = true, default_missing_value = "both")]
    pub lowercase: Option<ViewChoice>,
    /// The value of an entry
    #[arg(long, value_enum, value_name = "KIND", default_value = "binary")]
    pub values: ValueChoice,
    #[command(flatten)]
    pub keep: KeepArgs,
    /// Hash tokens into 2^B columns with signs (scikit-learn's FeatureHasher); such columns have no names
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=30),
          conflicts_with_all = ["min_count", "max_share", "skip", "x_skip", "y_skip", "top", "x_top", "y_top"])]
    pub hash_bits: Option<u32>,
    /// Hold out rows 1, N+1, 2N+1 and so on: they go to x_test and y_test, the others to x and y
    ///
    /// Columns are chosen from all rows, so that both parts have the same columns; x_columns.tsv counts all
    /// rows as well.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub hold_out: Option<u32>,
    /// Replace invalid UTF-8 instead of refusing it
    #[arg(long)]
    pub lossy: bool,
    #[command(flatten)]
    pub common: CommonArgs,
}
