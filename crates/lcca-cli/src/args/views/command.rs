//! The kinds of raw data that views are made from.

use super::{ColumnsArgs, TextArgs, WordsArgs};
use clap::{Args, Subcommand};

const VIEWS_EXAMPLES: &str = "\
Examples:
  lcca views text pairs.tsv --x english --y french --lowercase -o views
  lcca views words corpus.txt -o views
  lcca views columns m.npz --x first:35% --y last:35% -o views";

/// Make two views from raw data: texts, a corpus, or one matrix.
#[derive(Args)]
#[command(after_help = VIEWS_EXAMPLES)]
pub struct ViewsArgs {
    #[command(subcommand)]
    pub command: ViewsCommand,
}

#[derive(Subcommand)]
pub enum ViewsCommand {
    Text(Box<TextArgs>),
    Words(Box<WordsArgs>),
    Columns(Box<ColumnsArgs>),
}
