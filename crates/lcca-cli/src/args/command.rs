//! The program itself and the list of its commands.

use super::views::ViewsArgs;
use super::{
    BootstrapArgs, CompareArgs, CompletionsArgs, ConvertArgs, DemoArgs, ExportArgs, FitArgs, InfoArgs,
    ManArgs, NeighborsArgs, PlotArgs, ReferenceArgs, ReportArgs, RunCcaArgs, SampleArgs, ScoreArgs,
    TransformArgs,
};
use clap::{Parser, Subcommand};

/// Canonical correlation analysis on huge sparse data.
///
/// Two files hold two views of the same rows: words and contexts, English and French, URLs and hosts. lcca
/// finds the directions of each view that correlate most with the other view.
#[derive(Parser)]
#[command(name = "lcca", version, propagate_version = true, after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  lcca demo                                    see it work on generated data
  lcca sample                                  small data sets to try things on
  lcca fit x.npz y.npz -k 20 -o model          train
  lcca score model x_test.npz y_test.npz       correlations on rows the model has not seen
  lcca bootstrap model x.npz y.npz -n 200      intervals and stability from resamples
  lcca transform model --x x.npz -o zx.npy     canonical variables
  lcca report model x.npz y.npz -o report.html the results as a page for any browser
  lcca plot circle model -o circle.svg         one picture: scree, circle, heatmap, cim, biplot, …
  lcca compare x.npz y.npz -o comparison       the paper's experiment on your data
  lcca views text pairs.tsv --x en --y fr -o d two views from raw texts, for lcca fit
  lcca neighbors model house                   the columns nearest to a column, in both views
  lcca export model -o words.vec               weights or word vectors for other programs
  lcca convert x.mtx.gz x.safetensors          the store that opens at once and needs no memory

Files: SciPy .npz, NumPy .npy, MatrixMarket .mtx, svmlight .svm, tables .csv .tsv .parquet .arrow,
folders with matrix.mtx, the store .safetensors; text formats and .npy also as .gz or .zst.
- in place of a matrix is standard input, whose format its first bytes tell.

The words that lcca prints (pair, objective, captured total, residual, pass, work, missing) are
explained in docs/glossary.md.";

#[derive(Subcommand)]
pub enum Command {
    Demo(DemoArgs),
    Fit(Box<FitArgs>),
    Transform(TransformArgs),
    Score(ScoreArgs),
    Bootstrap(BootstrapArgs),
    Export(ExportArgs),
    Neighbors(NeighborsArgs),
    Plot(PlotArgs),
    Report(ReportArgs),
    RunCca(RunCcaArgs),
    Compare(Box<CompareArgs>),
    Views(ViewsArgs),
    Convert(ConvertArgs),
    Info(InfoArgs),
    Sample(SampleArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    #[command(hide = true)]
    Reference(ReferenceArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn check(command: &clap::Command) {
        // clap wraps longer lines at this width, which breaks the columns of lists.
        let help = command.get_after_help().map(|help| help.to_string()).unwrap_or_default();
        for line in help.lines() {
            assert!(line.chars().count() <= 100, "{}: {line}", command.get_name());
        }
        for flag in command.get_arguments() {
            assert!(flag.get_help().is_some(), "{}: {}", command.get_name(), flag.get_id());
        }
        command.get_subcommands().for_each(check);
    }

    /// The column at which the explanations of the program's own examples begin, even if little room is
    /// left before them.
    const EXPLANATION: usize = 45;

    /// The words of an example, without its redirected output and without its explanation.
    fn words(example: &str) -> Vec<String> {
        let command = example.split("  ").next().and_then(|command| command.split(['>', '|']).next());
        command
            .unwrap_or_default()
            .split_whitespace()
            .map(|word| word.trim_matches('\'').to_string())
            .collect()
    }

    fn parse_examples(command: &clap::Command) {
        let help = command.get_after_help().map(|help| help.to_string()).unwrap_or_default();
        for line in
            help.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| line.starts_with("lcca "))
        {
            let end = if command.get_name() == "lcca" { EXPLANATION.min(line.len()) } else { line.len() };
            let parsed = Arguments::try_parse_from(words(&line[..end]));
            assert!(
                parsed.is_ok(),
                "{line}: {}",
                parsed.err().map(|error| error.to_string()).unwrap_or_default()
            );
        }
        command.get_subcommands().for_each(parse_examples);
    }

    #[test]
    fn every_example_can_be_typed() {
        parse_examples(&Arguments::command());
    }

    /// A doc comment on a variant of [`Command`] would hide the long help of its arguments.
    #[test]
    fn what_is_written_about_a_command_is_in_its_help() {
        let program = Arguments::command();
        for command in program.get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
        }
        for (name, said) in [
            ("bootstrap", "with replacement"),
            ("plot", "need no script"),
            ("report", "in plain words"),
            ("run-cca", "singular vectors"),
        ] {
            let about = program.find_subcommand(name).and_then(clap::Command::get_long_about);
            assert!(about.is_some_and(|about| about.to_string().contains(said)), "{name}");
        }
    }

    #[test]
    fn every_flag_has_help_and_no_example_is_wrapped() {
        let command = Arguments::command();
        command.clone().debug_assert();
        check(&command);
    }
}
