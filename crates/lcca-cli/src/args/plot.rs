//! The arguments and flags of `lcca plot`.

use super::{CommonArgs, ModelRowsArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const PLOT_EXAMPLES: &str = "\
Examples, of a model alone:
  lcca plot scree model -o scree.svg                   the correlation of every component
  lcca plot circle model --axes 1,2 -o circle.svg      columns at their correlations with two
  lcca plot loadings model --component 3 -o bars.svg   the strongest columns of one component
  lcca plot heatmap model -o heatmap.svg               columns against components
  lcca plot cim model --top 40 -o cim.svg              columns of X against columns of Y

Of rows:
  lcca plot scores model x.npz y.npz --label labels.txt -o scores.svg
  lcca plot biplot model x.csv y.csv --label diet.csv -o biplot.html

How sure the correlations are, in one picture:
  lcca bootstrap model x.npz y.npz -n 200 --json > bootstrap.json
  lcca score model x_test.npz y_test.npz --permutations 999 --json > scores.json
  lcca plot scree model --bootstrap bootstrap.json --scores scores.json -o scree.svg

Every picture with a word on how to read it: docs/plots.md. All of them on one page: lcca report.";

/// Draw one picture of a model: correlations, columns or rows, as an .svg or .html file.
///
/// Files need no script and fetch nothing. They are light or dark as the reader's screen is. An .html file
/// also has a drawing for narrow screens and says how to read the picture.
#[derive(Args)]
#[command(after_help = PLOT_EXAMPLES)]
pub struct PlotArgs {
    /// What to draw
    #[arg(value_enum)]
    pub picture: PictureChoice,
    /// A model written by `lcca fit`
    pub model: PathBuf,
    /// Rows of the first view: needed for scores and biplot, shown in scree
    #[arg(requires = "y")]
    pub x: Option<PathBuf>,
    /// The same rows of the second view
    pub y: Option<PathBuf>,
    /// Write the picture to this file; it is SVG or HTML by the ending of the name
    #[arg(long, short, value_name = "FILE.svg|FILE.html")]
    pub output: PathBuf,
    /// The two components of circle, scores and biplot, from 1; with one, scores draws X against Y [default:
    /// 1,2]
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub axes: Vec<u32>,
    /// The component of loadings, from 1 [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub component: Option<u32>,
    /// The first components that scree, heatmap and cim take [default: all; 20 in a heatmap]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub components: Option<u32>,
    /// The columns of each view that are drawn or named: the strongest [default: 15; 20 as bars, 30 in cim, 8
    /// in a biplot]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub top: Option<u32>,
    /// Color the rows of scores and biplot by this file: one label per row of X
    ///
    /// A text file with one label per line, as `lcca views text --label` writes labels.txt, a .npy file of
    /// one column, or a .csv or .tsv file of two columns, row names and labels, which is put in the order of
    /// X by name. If there is one line more than rows, the first is a header. Without this flag, labels.txt
    /// beside views that `lcca views` wrote is taken.
    #[arg(long, value_name = "FILE", requires = "x")]
    pub label: Option<PathBuf>,
    /// Draw the intervals of this file into scree, printed by `lcca bootstrap --json`
    #[arg(long, value_name = "FILE")]
    pub bootstrap: Option<PathBuf>,
    /// Draw the p-values of this file into scree, printed by `lcca score --permutations N --json`
    #[arg(long, value_name = "FILE")]
    pub scores: Option<PathBuf>,
    /// The width of an .svg file in pixels; text stays as large [default: 720]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(300..=2000))]
    pub width: Option<u32>,
    #[command(flatten)]
    pub rows: ModelRowsArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// The pictures.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PictureChoice {
    /// The correlation of every component, with all that is known about how sure it is
    Scree,
    /// Columns of both views at their correlations with two components
    Circle,
    /// The columns that correlate most with one component, as bars
    Loadings,
    /// Columns of both views against components
    Heatmap,
    /// Columns of X against columns of Y, by what the components say about them (a clustered image map)
    Cim,
    /// Rows at their canonical variables, colored by label
    Scores,
    /// Rows as points and columns as lines in one picture
    Biplot,
}
