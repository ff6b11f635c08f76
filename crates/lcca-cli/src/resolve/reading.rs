//! The options for reading files: facts that a file does not hold, and choices that are not left to
//! guesses.

use crate::args::{AlignChoice, FileArgs, MissingChoice, ReadingArgs, TableArgs, ViewTableArgs, YesNo};
use crate::failure::Failure;
use lcca::matrix::Normalize;
use lcca_io::{Align, Categorical, Index, Loaded, Missing, ReadOptions, ReadingRecord};

/// The options for reading two views and for pairing their rows.
pub struct ViewReading {
    /// The options for X and for Y.
    pub options: [ReadOptions; 2],
    pub align: Align,
    /// The options for covariates and row weights.
    pub covariates: ReadOptions,
}

impl ViewReading {
    /// The options that the flags of a fitting command give.
    pub fn new(args: &ReadingArgs) -> Self {
        let mut reading = TypedReading::new(&args.tables).over(&ReadingRecord::default());
        [reading.options[0].cols, reading.options[1].cols] = [args.x_cols, args.y_cols];
        reading
    }

    /// The options for files that belong to the rows of X. Their column of row names has the name of that
    /// of X.
    pub fn covariates_of(&self, x: &Loaded) -> ReadOptions {
        let mut options = self.covariates.clone().with_index_of(x);
        let is_number =
            matches!(&options.table.index, Index::IfPresent(typed) if typed.parse::<usize>().is_ok());
        if is_number && x.index_name().is_some() {
            // The column of X has no name, and a column without a name is found by guessing.
            options.table.index = Index::Guess;
        }
        options
    }

    /// The options that a model remembers, once the views have been read.
    pub fn record(&self, [x, y]: [&Loaded; 2]) -> ReadingRecord {
        let [of_x, of_y] = self.options.clone();
        let views = [of_x.with_index_of(x), of_y.with_index_of(y)];
        ReadingRecord::new(views, self.align).with_covariates(self.covariates_of(x))
    }
}

/// The typed options for two views of rows for a model, which remembers the others.
pub struct TypedReading {
    views: [TypedFile; 2],
    /// The typed options for all files.
    all: TypedFile,
    align: Option<Align>,
}

impl TypedReading {
    pub fn new(args: &ViewTableArgs) -> Self {
        let files = &args.files;
        let all = TypedFile::of_files(files, args.missing);
        let x = TypedFile {
            zero_based: files.zero_based,
            header: args.x_header.or(files.header),
            index: args.x_index.clone().or(files.index.clone()),
            na: args.x_na.clone().or(files.na.clone()),
            columns: args.x_columns.clone(),
            missing: args.x_missing.or(args.missing),
            categorical: args.x_categorical.clone().or(files.categorical.clone()),
            delimiter: args.x_delimiter.or(files.delimiter),
            decimal: args.x_decimal.or(files.decimal),
        };
        let y = TypedFile {
            zero_based: files.zero_based,
            header: args.y_header.or(files.header),
            index: args.y_index.clone().or(files.index.clone()),
            na: args.y_na.clone().or(files.na.clone()),
            columns: args.y_columns.clone(),
            missing: args.y_missing.or(args.missing),
            categorical: args.y_categorical.clone().or(files.categorical.clone()),
            delimiter: args.y_delimiter.or(files.delimiter),
            decimal: args.y_decimal.or(files.decimal),
        };
        let align = args.align.map(|align| match align {
            AlignChoice::Auto => Align::Auto,
            AlignChoice::Common => Align::Common,
            AlignChoice::None => Align::None,
        });
        TypedReading { views: [x, y], all, align }
    }

    /// The typed options, completed by the remembered ones.
    pub fn over(&self, remembered: &ReadingRecord) -> ViewReading {
        let [x, y] = &self.views;
        ViewReading {
            options: [x.over(&remembered.x), y.over(&remembered.y)],
            align: self.align.unwrap_or(remembered.align),
            covariates: self.all.over_covariates(&remembered.covariates),
        }
    }
}

/// Refuses to fill gaps with means if rows are normalized, because a model's means are those of normalized
/// rows.
pub fn check_normalization(normalize: Normalize, options: &ReadOptions) -> Result<(), Failure> {
    if normalize.is_no() || options.table.missing != Missing::Mean {
        return Ok(());
    }
    let message = "--missing mean fills in values that rows are then normalized with; with --normalize-rows, \
        use --missing drop";
    Err(Failure::Usage(message.into()))
}

/// The options for one matrix.
pub fn read_options(cols: Option<usize>, args: &TableArgs) -> ReadOptions {
    TypedFile::new(args).over(&ReadOptions::default()).cols(cols)
}

/// The typed options for one file.
pub struct TypedFile {
    zero_based: Option<YesNo>,
    header: Option<YesNo>,
    index: Option<String>,
    na: Option<Vec<String>>,
    columns: Option<Vec<String>>,
    missing: Option<MissingChoice>,
    categorical: Option<Vec<String>>,
    delimiter: Option<char>,
    decimal: Option<char>,
}

impl TypedFile {
    pub fn new(args: &TableArgs) -> Self {
        TypedFile { columns: args.columns.clone(), ..TypedFile::of_files(&args.file, args.missing) }
    }

    /// The typed options for all files of a command.
    fn of_files(files: &FileArgs, missing: Option<MissingChoice>) -> Self {
        TypedFile {
            zero_based: files.zero_based,
            header: files.header,
            index: files.index.clone(),
            na: files.na.clone(),
            columns: None,
            missing,
            categorical: files.categorical.clone(),
            delimiter: files.delimiter,
            decimal: files.decimal,
        }
    }

    /// The typed options for covariates, completed by the remembered ones.
    pub fn over_covariates(&self, remembered: &ReadOptions) -> ReadOptions {
        self.over(remembered).for_covariates()
    }

    /// The typed options, completed by the remembered ones.
    pub fn over(&self, remembered: &ReadOptions) -> ReadOptions {
        let mut options = remembered.clone();
        let table = &mut options.table;
        if let Some(header) = self.header {
            table.header = Some(header == YesNo::Yes);
        }
        match self.index.as_deref() {
            None => {}
            Some("none") => table.index = Index::None,
            Some(column) => table.index = Index::Column(column.into()),
        }
        if self.na.is_some() {
            table.na.clone_from(&self.na);
        }
        if self.columns.is_some() {
            table.columns.clone_from(&self.columns);
        }
        match self.missing {
            None => {}
            Some(MissingChoice::Error) => table.missing = Missing::Error,
            Some(MissingChoice::Drop) => table.missing = Missing::Drop,
            Some(MissingChoice::Mean) => table.missing = Missing::Mean,
        }
        match self.categorical.as_deref() {
            None => {}
            Some([one]) if one == "auto" => table.categorical = Categorical::Auto,
            Some([one]) if one == "error" => table.categorical = Categorical::Error,
            Some(columns) => table.categorical = Categorical::Columns(columns.to_vec()),
        }
        if self.delimiter.is_some() {
            *table = std::mem::take(table).delimiter(self.delimiter);
        }
        table.decimal = self.decimal.or(table.decimal);
        match self.zero_based {
            Some(typed) => options.zero_based(typed == YesNo::Yes),
            None => options,
        }
    }
}

/// The typed flags for reading files, spelled for the command line.
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
    let align = args.align.map(|align| match align {
        AlignChoice::Auto => "auto".to_string(),
        AlignChoice::Common => "common".to_string(),
        AlignChoice::None => "none".to_string(),
    });
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
    let zero_based = args.files.zero_based.map(|typed| match typed {
        YesNo::Yes => "--zero-based".to_string(),
        YesNo::No => "--zero-based=no".to_string(),
    });
    let flags = typed.into_iter().filter_map(|(flag, value)| Some([flag.to_string(), value?])).flatten();
    zero_based.into_iter().chain(flags).collect()
}
