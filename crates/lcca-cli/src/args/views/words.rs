//! The arguments and flags of `lcca views words`.

use super::TieChoice;
use crate::args::CommonArgs;
use clap::Args;
use lcca_io::views::{Tokens, Window};
use std::path::PathBuf;

const WORDS_EXAMPLES: &str = "\
Examples:
  lcca views words corpus.txt -o views          each word and the next; lines are sentences
  lcca views words part*.txt.gz --lowercase --window 2:2 -o views
  lcca views words corpus.txt --window 1:1 --positions --y-top 10000 -o views
  lcca views words corpus.txt --merge -o views
  lcca fit views/x.safetensors views/y.safetensors --row-weights views/weights.npy -o model

x is the word, one-hot. y is its context: one-hot if the window has one position, otherwise the set
of the words around it, each once, at any position; with --positions the same word at another
distance is another column (-1:the, +1:the). Words that occur fewer than five times are left out
(--min-count). A row is dropped if its word or its whole context is not among the columns, and so
are columns without rows. Columns are ordered by how often their word occurs in the corpus. The
corpus is read twice and need not fit into memory.

The folder holds x.safetensors, y.safetensors, x_columns.tsv and y_columns.tsv (word and the number
of rows that have it), weights.npy with --merge, and views.json (settings and sizes).";

/// Pair the words of a corpus with the words around them.
#[derive(Args)]
#[command(after_help = WORDS_EXAMPLES)]
pub struct WordsArgs {
    /// Text files with one sentence per line (also .gz, .zst)
    #[arg(required = true, value_name = "CORPUS")]
    pub files: Vec<PathBuf>,
    /// Write the views to this folder, which must not exist
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// How many words before and after a word are its context
    #[arg(long, value_name = "L:R", default_value = "0:1")]
    pub window: Window,
    /// Tell the same word at different distances apart
    #[arg(long)]
    pub positions: bool,
    /// Let contexts reach across line ends, but never from one file into the next
    #[arg(long)]
    pub across_lines: bool,
    /// How a line becomes words: words, whitespace if punctuation is to stay, or any rule of `lcca views
    /// text`
    #[arg(long, value_name = "RULE", default_value = "words")]
    pub tokens: Tokens,
    /// Convert the corpus to lower case
    #[arg(long)]
    pub lowercase: bool,
    /// Keep the N most frequent words in x [default: all]
    #[arg(long, value_name = "N")]
    pub x_top: Option<usize>,
    /// Keep the N most frequent words in y
    #[arg(long, value_name = "N", default_value_t = 3000)]
    pub y_top: usize,
    /// Keep words that occur at least N times
    ///
    /// A word that occurs once is perfectly correlated with whatever stands beside it, so without a limit the
    /// first pairs are accidents. The default is that of word2vec; 1 keeps every word.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub min_count: u64,
    /// Which of equally frequent words comes first: by name, or the one that appeared first
    #[arg(long, value_enum, value_name = "ORDER", default_value = "name")]
    pub ties: TieChoice,
    /// Write equal rows once, with weights.npy for `lcca fit --row-weights`
    #[arg(long)]
    pub merge: bool,
    /// Replace invalid UTF-8 instead of refusing it
    #[arg(long)]
    pub lossy: bool,
    #[command(flatten)]
    pub common: CommonArgs,
}
