//! The arguments and flags of `lcca neighbors`.

use super::{CommonArgs, ContentChoice, SideChoice, ViewChoice};
use clap::Args;
use std::path::PathBuf;

const NEIGHBORS_EXAMPLES: &str = "\
Examples:
  lcca neighbors model house                   a word of x: the nearest words of x and of y
  lcca neighbors model house dog --in y        English words, the nearest French ones
  lcca neighbors model maison --view y --in x
  lcca neighbors model 17 -n 5 --json          a column of a model without names, from 0

Nearest is the largest cosine between the weights of two columns (or, with --what, between their
loadings). Both views live in one space, so columns of x and y can be compared. Lengths do not
count, and nothing is scaled by the correlations, which made no measurable difference. On
English-French sentences (ridge 0.01) the nearest French word of 181 common English ones is a
translation for 83% by weights and 70% by loadings at k = 20, for 92% and 90% at k = 100. With a
strong ridge loadings can be better: as good at 0.1, 93% against 76% at 1 (k = 50).";

/// Find the columns nearest to a column, in its own view and in the other.
#[derive(Args)]
#[command(after_help = NEIGHBORS_EXAMPLES)]
pub struct NeighborsArgs {
    /// A model written by `lcca fit`
    pub model: PathBuf,
    /// Names of columns, or numbers from 0 if columns have no names
    #[arg(required = true, value_name = "WORD")]
    pub words: Vec<String>,
    /// The view that has the words [default: x, then y]
    #[arg(long, value_enum, value_name = "VIEW")]
    pub view: Option<SideChoice>,
    /// The views to search for neighbors
    #[arg(long = "in", value_enum, value_name = "VIEW", default_value = "both")]
    pub search_in: ViewChoice,
    /// How many neighbors to show per view
    #[arg(short = 'n', value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub count: u32,
    /// The numbers by which columns are compared; vectors and weights have the same directions
    #[arg(long, value_enum, value_name = "WHAT", default_value = "weights")]
    pub what: ContentChoice,
    /// Compare the first N components only [default: all]
    #[arg(long, value_name = "N")]
    pub components: Option<usize>,
    #[command(flatten)]
    pub common: CommonArgs,
}
