//! Flags for reading tables, for one matrix and for two views. docs/files.md lists the properties that lcca
//! guesses.

use clap::{Args, ValueEnum};

/// Whether the first line holds names.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum YesNo {
    Yes,
    No,
}

/// What happens to missing values.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum MissingChoice {
    /// Refuse them
    Error,
    /// Leave their rows out, of both views
    Drop,
    /// Fill in the mean of the column, or the model's mean
    Mean,
}

/// How rows of two views find each other.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum AlignChoice {
    /// By name if both views have row names; both must have the same rows
    Auto,
    /// By name; leave out rows that only one view has
    Common,
    /// By position
    None,
}

/// What a file does not say about itself. For two views it goes for covariates and row weights as well.
#[derive(Args)]
pub struct FileArgs {
    /// Count the columns of svmlight files from 0 instead of 1; =no counts from 1 whatever a model remembers
    #[arg(
        long,
        value_name = "yes|no",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "yes",
        hide_possible_values = true
    )]
    pub zero_based: Option<YesNo>,
    /// Whether the first line of a CSV or TSV file names the columns [default: guessed]
    #[arg(long, value_name = "yes|no", hide_possible_values = true, help_heading = "Tables")]
    pub header: Option<YesNo>,
    /// The column that names the rows, by its name or number from 1, or none [default: guessed]
    #[arg(long, value_name = "COL|none", help_heading = "Tables")]
    pub index: Option<String>,
    /// The texts that stand for a missing value, with commas between [default: in columns of numbers NA, NaN,
    /// null and others]
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Tables"
    )]
    pub na: Option<Vec<String>>,
    /// Columns of few texts become one indicator column per text (auto) or are refused; columns named here
    /// are categories whatever they hold [default: auto]
    #[arg(long, value_name = "auto|error|COLUMNS", value_delimiter = ',', help_heading = "Tables")]
    pub categorical: Option<Vec<String>>,
    /// The character between the fields of a text: ',' or ';' or '|' or the like, tab, or space for any
    /// number of spaces [default: that of the extension, unless the first lines show another]
    #[arg(long, value_name = "CHAR|tab|space", value_parser = delimiter, help_heading = "Tables")]
    pub delimiter: Option<char>,
    /// The character before the decimals of numbers in a text, '.' or ',' [default: guessed]
    #[arg(long, value_name = ".|,", value_parser = decimal, help_heading = "Tables")]
    pub decimal: Option<char>,
}

/// A character, or the name of one that is hard to type.
fn delimiter(typed: &str) -> Result<char, String> {
    match typed {
        "tab" | "\\t" => Ok('\t'),
        "space" => Ok(' '),
        _ => typed.parse().map_err(|_| "expected one character, tab or space".to_string()),
    }
}

fn decimal(typed: &str) -> Result<char, String> {
    match typed {
        "." => Ok('.'),
        "," => Ok(','),
        _ => Err("expected . or ,".to_string()),
    }
}

/// How one matrix is understood.
#[derive(Args)]
pub struct TableArgs {
    #[command(flatten)]
    pub file: FileArgs,
    /// The columns to read: names or patterns such as 'gene_*', with commas between [default: all]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Tables")]
    pub columns: Option<Vec<String>>,
    /// What happens to missing values: refuse them, leave their rows out, or fill in the mean [default:
    /// error]
    #[arg(long, value_name = "error|drop|mean", hide_possible_values = true, help_heading = "Tables")]
    pub missing: Option<MissingChoice>,
}

/// How two views are understood.
#[derive(Args)]
pub struct ViewTableArgs {
    #[command(flatten)]
    pub files: FileArgs,
    /// What happens to missing values: refuse them, leave their rows out of both views, or fill in the mean
    /// [default: error]
    #[arg(long, value_name = "error|drop|mean", hide_possible_values = true, help_heading = "Tables")]
    pub missing: Option<MissingChoice>,
    /// How rows find each other: by name if both views have row names (auto), only those that both have
    /// (common), or by position (none) [default: auto]
    #[arg(long, value_name = "auto|common|none", hide_possible_values = true, help_heading = "Tables")]
    pub align: Option<AlignChoice>,
    /// The columns of X to read: names or patterns such as 'gene_*', with commas between [default: all]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Tables")]
    pub x_columns: Option<Vec<String>>,
    /// The columns of Y to read [default: all]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Tables")]
    pub y_columns: Option<Vec<String>>,
    /// As --header, for X alone
    #[arg(long, value_name = "yes|no", hide_possible_values = true, help_heading = "Tables")]
    pub x_header: Option<YesNo>,
    /// As --header, for Y alone
    #[arg(long, value_name = "yes|no", hide_possible_values = true, help_heading = "Tables")]
    pub y_header: Option<YesNo>,
    /// As --index, for X alone
    #[arg(long, value_name = "COL|none", help_heading = "Tables")]
    pub x_index: Option<String>,
    /// As --index, for Y alone
    #[arg(long, value_name = "COL|none", help_heading = "Tables")]
    pub y_index: Option<String>,
    /// As --na, for X alone
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Tables"
    )]
    pub x_na: Option<Vec<String>>,
    /// As --na, for Y alone
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Tables"
    )]
    pub y_na: Option<Vec<String>>,
    /// As --missing, for X alone
    #[arg(long, value_name = "error|drop|mean", hide_possible_values = true, help_heading = "Tables")]
    pub x_missing: Option<MissingChoice>,
    /// As --missing, for Y alone
    #[arg(long, value_name = "error|drop|mean", hide_possible_values = true, help_heading = "Tables")]
    pub y_missing: Option<MissingChoice>,
    /// As --categorical, for X alone
    #[arg(long, value_name = "auto|error|COLUMNS", value_delimiter = ',', help_heading = "Tables")]
    pub x_categorical: Option<Vec<String>>,
    /// As --categorical, for Y alone
    #[arg(long, value_name = "auto|error|COLUMNS", value_delimiter = ',', help_heading = "Tables")]
    pub y_categorical: Option<Vec<String>>,
    /// As --delimiter, for X alone
    #[arg(long, value_name = "CHAR|tab|space", value_parser = delimiter, help_heading = "Tables")]
    pub x_delimiter: Option<char>,
    /// As --delimiter, for Y alone
    #[arg(long, value_name = "CHAR|tab|space", value_parser = delimiter, help_heading = "Tables")]
    pub y_delimiter: Option<char>,
    /// As --decimal, for X alone
    #[arg(long, value_name = ".|,", value_parser = decimal, help_heading = "Tables")]
    pub x_decimal: Option<char>,
    /// As --decimal, for Y alone
    #[arg(long, value_name = ".|,", value_parser = decimal, help_heading = "Tables")]
    pub y_decimal: Option<char>,
}
