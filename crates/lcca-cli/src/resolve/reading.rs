//! How files are read: what they do not say themselves, and what is not left to guesses.

use crate::args::{AlignChoice, MissingChoice, ModelRowsArgs, ReadingArgs, TableArgs, ViewTableArgs, YesNo};
use crate::failure::Failure;
use lcca::matrix::Normalize;
use lcca_io::{Align, Categorical, Index, Missing, ReadOptions, TableOptions};

/// How two views are read and their rows paired.
pub struct ViewReading {
    /// X and Y.
    pub options: [ReadOptions; 2],
    pub align: Align,
}

impl ViewReading {
    /// The typed flags of a command that fits.
    pub fn new(args: &ReadingArgs) -> Self {
        ViewReading::with_cols(&args.tables, [args.x_cols, args.y_cols])
    }

    /// The typed flags of a command that applies a model, which knows the columns.
    pub fn of_model(args: &ModelRowsArgs) -> Self {
        ViewReading::with_cols(&args.tables, [None, None])
    }

    fn with_cols(args: &ViewTableArgs, [x_cols, y_cols]: [Option<usize>; 2]) -> Self {
        let files = &args.files;
        let x = Typed {
            header: args.x_header.or(files.header),
            index: args.x_index.as_ref().or(files.index.as_ref()),
            na: args.x_na.as_ref().or(files.na.as_ref()),
            columns: args.x_columns.as_ref(),
            missing: args.x_missing.or(args.missing),
            categorical: args.x_categorical.as_ref().or(files.categorical.as_ref()),
            delimiter: args.x_delimiter.or(files.delimiter),
            decimal: args.x_decimal.or(files.decimal),
        };
        let y = Typed {
            header: args.y_header.or(files.header),
            index: args.y_index.as_ref().or(files.index.as_ref()),
            na: args.y_na.as_ref().or(files.na.as_ref()),
            columns: args.y_columns.as_ref(),
            missing: args.y_missing.or(args.missing),
            categorical: args.y_categorical.as_ref().or(files.categorical.as_ref()),
            delimiter: args.y_delimiter.or(files.delimiter),
            decimal: args.y_decimal.or(files.decimal),
        };
        let options = |cols, typed: Typed<'_>| {
            ReadOptions::default().cols(cols).zero_based(files.zero_based).table(typed.options())
        };
        let align = match args.align {
            AlignChoice::Auto => Align::Auto,
            AlignChoice::Common => Align::Common,
            AlignChoice::None => Align::None,
        };
        ViewReading { options: [options(x_cols, x), options(y_cols, y)], align }
    }
}

/// Refuses gaps that are filled in by means if rows are normalized: a model's means are those of normalized rows.
pub fn check_normalization(normalize: Normalize, options: &ReadOptions) -> Result<(), Failure> {
    if normalize.is_no() || options.table.missing != Missing::Mean {
        return Ok(());
    }
    let message = "--missing mean fills in values that rows are then normalized with; with --normalize-rows, use --missing drop";
    Err(Failure::Usage(message.into()))
}

/// Options for one matrix.
pub fn read_options(cols: Option<usize>, args: &TableArgs) -> ReadOptions {
    let file = &args.file;
    let typed = Typed {
        header: file.header,
        index: file.index.as_ref(),
        na: file.na.as_ref(),
        columns: args.columns.as_ref(),
        missing: args.missing,
        categorical: file.categorical.as_ref(),
        delimiter: file.delimiter,
        decimal: file.decimal,
    };
    ReadOptions::default().cols(cols).zero_based(file.zero_based).table(typed.options())
}

/// What was typed about one table.
struct Typed<'a> {
    header: Option<YesNo>,
    index: Option<&'a String>,
    na: Option<&'a Vec<String>>,
    columns: Option<&'a Vec<String>>,
    missing: Option<MissingChoice>,
    categorical: Option<&'a Vec<String>>,
    delimiter: Option<char>,
    decimal: Option<char>,
}

impl Typed<'_> {
    fn options(self) -> TableOptions {
        let index = match self.index.map(String::as_str) {
            None => Index::Guess,
            Some("none") => Index::None,
            Some(column) => Index::Column(column.into()),
        };
        let missing = match self.missing {
            None | Some(MissingChoice::Error) => Missing::Error,
            Some(MissingChoice::Drop) => Missing::Drop,
            Some(MissingChoice::Mean) => Missing::Mean,
        };
        let categorical = match self.categorical.map(Vec::as_slice) {
            None => Categorical::Auto,
            Some([one]) if one == "auto" => Categorical::Auto,
            Some([one]) if one == "error" => Categorical::Error,
            Some(columns) => Categorical::Columns(columns.to_vec()),
        };
        TableOptions::default()
            .header(self.header.map(|header| header == YesNo::Yes))
            .index(index)
            .na(self.na.cloned())
            .columns(self.columns.cloned())
            .missing(missing)
            .categorical(categorical)
            .delimiter(self.delimiter)
            .decimal(self.decimal)
    }
}

/// The typed flags about files, as they would be typed again.
pub fn table_flags(args: &ViewTableArgs) -> Vec<String> {
    let yes_no =
        |typed: Option<YesNo>| typed.map(|typed| if typed == YesNo::Yes { "yes" } else { "no" }.to_string());
    let list = |typed: &Option<Vec<String>>| typed.as_ref().map(|typed| typed.join(","));
    let missing = |typed: Option<MissingChoice>| {
        typed.map(|typed| match typed {
            MissingChoice::Error => "error".to_string(),
            MissingChoice::Drop => "drop".to_string(),
            MissingChoice::Mean => "mean".to_string(),
        })
    };
    let delimiter = |typed: Option<char>| {
        typed.map(|typed| match typed {
            '\t' => "tab".to_string(),
            ' ' => "space".to_string(),
            other => other.to_string(),
        })
    };
    let align = match args.align {
        AlignChoice::Auto => None,
        AlignChoice::Common => Some("common".to_string()),
        AlignChoice::None => Some("none".to_string()),
    };
    let typed = [
        ("--header", yes_no(args.files.header)),
        ("--x-header", yes_no(args.x_header)),
        ("--y-header", yes_no(args.y_header)),
        ("--index", args.files.index.clone()),
        ("--x-index", args.x_index.clone()),
        ("--y-index", args.y_index.clone()),
        ("--na", list(&args.files.na)),
        ("--x-na", list(&args.x_na)),
        ("--y-na", list(&args.y_na)),
        ("--x-columns", list(&args.x_columns)),
        ("--y-columns", list(&args.y_columns)),
        ("--missing", missing(args.missing)),
        ("--x-missing", missing(args.x_missing)),
        ("--y-missing", missing(args.y_missing)),
        ("--categorical", list(&args.files.categorical)),
        ("--x-categorical", list(&args.x_categorical)),
        ("--y-categorical", list(&args.y_categorical)),
        ("--delimiter", delimiter(args.files.delimiter)),
        ("--x-delimiter", delimiter(args.x_delimiter)),
        ("--y-delimiter", delimiter(args.y_delimiter)),
        ("--decimal", args.files.decimal.map(String::from)),
        ("--x-decimal", args.x_decimal.map(String::from)),
        ("--y-decimal", args.y_decimal.map(String::from)),
        ("--align", align),
    ];
    let zero_based = args.files.zero_based.then(|| "--zero-based".to_string());
    let flags = typed.into_iter().filter_map(|(flag, value)| Some([flag.to_string(), value?])).flatten();
    zero_based.into_iter().chain(flags).collect()
}
