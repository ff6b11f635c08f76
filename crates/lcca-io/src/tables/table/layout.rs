//! The layout of a table: which columns are read, and as which type.

use super::cell::{TextKind, is_decimal, text_kind};
use super::index::{Columns, called_alike, is_called_like_id};
use super::kind::Kind;
use super::sample::Evidence;
use super::target::Target;
use crate::error::{Fault, Outcome, Remedy};
use crate::input::text::quoted;
use crate::matrix::options::{Categorical, Index, TableOptions};
use crate::words::remark::Remark;
use hashbrown::HashMap;

/// A column that is read.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// The place of the column among all columns of the file.
    pub(crate) source: usize,
    /// The name of the column, or its number from 1 if it has none.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The name of the column in messages.
    pub(crate) label: String,
    /// Whether its name is like that of a column of row names, and the caller has not decided if it is one.
    pub(crate) may_name_rows: bool,
}

/// The columns of a table that are read, and the uses of the others.
pub(crate) struct Layout {
    /// The number of columns in the file, read or not.
    pub(crate) fields: usize,
    /// The columns that name the rows: none, one, or the levels of pandas's index.
    pub(crate) index: Vec<usize>,
    pub(crate) columns: Vec<Column>,
    /// Whether the columns have names.
    pub(crate) named: bool,
    /// Columns of the file that a model does not have.
    pub(crate) ignored: Vec<String>,
    /// The column that was taken as row names, because a model does not have it and its name is like that
    /// of row names.
    spare_index: Option<String>,
    /// A column whose name is like that of row names, and that was not asked for.
    unread_id: Option<String>,
    /// The name of the one column that names the rows, if columns have names.
    pub(crate) index_name: Option<String>,
}

impl Layout {
    /// Lays out the columns of a table. Each is of the type that a model has it as or, without a model, of
    /// the type that `kind` gives.
    pub(crate) fn new(
        columns: Columns<'_>,
        index: Vec<usize>,
        options: &TableOptions,
        target: Option<&Target>,
        kind: impl Fn(usize, &str) -> Outcome<Kind>,
    ) -> Outcome<Self> {
        let chosen = columns.choose(options.columns.as_deref(), &index)?;
        let name = |source: usize| match columns.names {
            Some(names) => names[source].clone(),
            None => (source + 1).to_string(),
        };
        let is_named = columns.names.is_some();
        let label = |name: &str| if is_named { format!("column {name:?}") } else { format!("column {name}") };
        let target = target.filter(|_| is_named);
        let forced = |source: usize| match &options.categorical {
            Categorical::Columns(typed) => columns.is_among(source, typed),
            _ => false,
        };
        let is_asked_for = |name: &String| options.columns.as_ref().is_some_and(|typed| typed.contains(name));
        let mut layout = Layout {
            fields: columns.count,
            index,
            columns: Vec::new(),
            named: columns.names.is_some(),
            ignored: Vec::new(),
            spare_index: None,
            unread_id: None,
            index_name: None,
        };
        if is_named && target.is_none() && options.index == Index::Guess && layout.index.is_empty() {
            let is_unread = |source: &usize| !chosen.contains(source) && is_called_like_id(&name(*source));
            layout.unread_id = (0..columns.count).find(is_unread).map(name);
        }
        for source in chosen {
            let name = name(source);
            let kind = match target {
                Some(target) => target.kind(&name),
                None if forced(source) => Some(Kind::Category),
                None => Some(kind(source, &label(&name))?),
            };
            match kind {
                Some(kind) => {
                    let may_name_rows = is_named
                        && target.is_none()
                        && options.index == Index::Guess
                        && is_called_like_id(&name)
                        && !is_asked_for(&name);
                    layout.columns.push(Column { source, label: label(&name), name, kind, may_name_rows });
                }
                // The rows of both views are matched by such a column, as they may have been in training.
                None if layout.index.is_empty()
                    && options.index == Index::Guess
                    && !options.skips_ids
                    && is_called_like_id(&name) =>
                {
                    layout.index = vec![source];
                    layout.spare_index = Some(name);
                }
                None => layout.ignored.push(name),
            }
        }
        layout.index_name = match layout.index[..] {
            [index] if is_named => Some(name(index)),
            _ => None,
        };
        let names = layout.columns.iter().map(|column| column.name.as_str());
        if is_named && !target.is_some_and(|target| target.is_same(names)) {
            layout.check_names()?;
        }
        if let Some(target) = target {
            let known: Vec<(&str, Kind)> =
                layout.columns.iter().map(|column| (column.name.as_str(), column.kind)).collect();
            target.check_covered(&known)?;
        }
        Ok(layout)
    }

    /// Refuses two columns of one name.
    fn check_names(&self) -> Outcome<()> {
        let mut seen = HashMap::with_capacity(self.columns.len());
        for column in &self.columns {
            if let Some(first) = seen.insert(column.name.as_str(), column.source) {
                return Err(called_alike([first, column.source], &column.name));
            }
        }
        Ok(())
    }

    /// Whether the rows are named by a column that the model does not have.
    pub(crate) fn took_spare_index(&self) -> bool {
        self.spare_index.is_some()
    }

    /// Remarks about columns that are not the model's.
    pub(crate) fn remarks(&self) -> Vec<Remark> {
        const SHOWN: usize = 3;
        let first = self.ignored.iter().take(SHOWN).cloned().collect();
        let columns = self.ignored.len();
        let index = self.spare_index.clone();
        let guessed = index.map(|index| Remark::Guessed { header: None, index: Some(index) });
        let unread = self.unread_id.clone().map(|column| Remark::IdNotRead { column });
        guessed
            .into_iter()
            .chain(unread)
            .chain((columns > 0).then_some(Remark::NotInModel { columns, first }))
            .collect()
    }

    /// The number of columns of this type.
    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.columns.iter().filter(|column| column.kind == kind).count()
    }
}

/// The type of a column of texts and numbers, judged by a sample.
pub(crate) fn sampled_kind(label: &str, evidence: &Evidence, categorical: &Categorical) -> Outcome<Kind> {
    let Some((line, text)) = &evidence.first_text else { return Ok(Kind::Number) };
    if evidence.numbers > 0 {
        return Err(not_a_number(*line, label, text));
    }
    let found = quoted(text);
    if evidence.dates == evidence.texts {
        return Err(refuse(label, &format!("holds dates ({found}), expected numbers or categories")));
    }
    if evidence.formatted == evidence.texts {
        let message =
            format!("holds numbers with separators or units ({found}), expected plain ones such as 1234.5");
        let fault = refuse(label, &message);
        return Err(if is_decimal(text) { fault.remedied_by(Remedy::SayDecimal) } else { fault });
    }
    if *categorical == Categorical::Error {
        return Err(refuse(label, &format!("holds texts ({found}), expected numbers")));
    }
    Ok(Kind::Category)
}

/// The error for a text in a column of numbers.
pub(crate) fn not_a_number(line: u64, label: &str, found: &[u8]) -> Fault {
    let kind = match text_kind(found) {
        TextKind::Date => ", a date",
        TextKind::Formatted => ", which has separators or units",
        TextKind::Plain => "",
    };
    let message = format!("{label}: expected a number, found {}{kind}", quoted(found));
    let remedy = if is_decimal(found) { Remedy::SayDecimal } else { Remedy::SayWhatTextsAre };
    Fault::line(line, message).remedied_by(remedy)
}

/// The error for a column that cannot be part of a matrix.
pub(crate) fn refuse(label: &str, message: &str) -> Fault {
    Fault::new(message).within(label).remedied_by(Remedy::LeaveColumnOut)
}
