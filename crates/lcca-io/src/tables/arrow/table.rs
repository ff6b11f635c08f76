//! Reads a whole file as a matrix, one batch of rows at a time.

use super::batch::{Batch, Cursor, broken};
use super::column::layout;
use super::file::ArrowFile;
use crate::error::{Fault, Outcome};
use crate::matrix::missing::Filling;
use crate::matrix::options::TableOptions;
use crate::safe::memory;
use crate::tables::arrow_fields::{Holds, Kind as Number, Values, holds, words};
use crate::tables::table::{
    Cells, ColumnType, Columns, Evidence, Finished, Kind, Layout, MissingTexts, SAMPLED_ROWS, Target,
    TypedTable, Where, finish, refuse,
};
use std::collections::HashMap;

/// A file and the values that its dictionaries list.
struct Reading<'a> {
    file: &'a ArrowFile,
    holds: Vec<Holds>,
    dictionaries: HashMap<i64, Listed>,
}

/// The values that a dictionary lists.
struct Listed {
    texts: Vec<Option<String>>,
    /// The listed values as numbers; NaN is missing. Empty if they are texts.
    numbers: Vec<f64>,
}

impl ArrowFile {
    /// Reads the columns that are asked for as a matrix.
    pub(crate) fn read(
        &self,
        options: &TableOptions,
        filling: Filling<'_>,
        target: Option<&Target>,
    ) -> Outcome<Finished> {
        let names = self.all_names()?;
        let mut reading = Reading {
            file: self,
            holds: self.all_fields()?.into_iter().map(holds).collect(),
            dictionaries: HashMap::new(),
        };
        reading.dictionaries = reading.read_dictionaries()?;
        let options = &Columns { names: Some(&names), count: names.len() }.settle(options, target);
        let table = TypedTable { names: &names, pandas_index: &self.pandas_index()? };
        let mut index = table.index(options, |column| reading.evidence(column))?;
        if index.len() > 1 && index.iter().any(|&level| !reading.holds[level].can_be_written()) {
            index.clear();
        }
        let layout = table.layout(index, options, target, |column| match reading.holds[column] {
            Holds::Values(values) | Holds::Dictionary { values, .. } => match values {
                Values::Numbers(_) => ColumnType::Numbers,
                Values::Texts(_) => ColumnType::Texts,
            },
            Holds::Timestamps => ColumnType::Other(words::DATES),
            Holds::Other(what) => ColumnType::Other(what),
        })?;
        let missing = MissingTexts::new(options);
        let blocks = self.batches()?;
        let mut all = Cells::new(&layout);
        for block in 0..blocks.len {
            let batch = self.batch(blocks, block)?;
            all.append(reading.cells(&batch, &layout, &missing, all.rows)?);
            if target.is_none() {
                all.check_categories(&layout)?;
            }
        }
        table.complete(finish(all, &layout, filling, target)?, &layout, options)
    }
}

impl Reading<'_> {
    fn read_dictionaries(&self) -> Outcome<HashMap<i64, Listed>> {
        let mut dictionaries = HashMap::new();
        let Some(blocks) = self.file.dictionaries()? else { return Ok(dictionaries) };
        for block in 0..blocks.len {
            let (id, batch) = self.file.dictionary(blocks, block)?;
            let values = self.holds.iter().find_map(|holds| match holds {
                Holds::Dictionary { id: own, values, .. } if *own == id => Some(*values),
                _ => None,
            });
            if let Some(values) = values {
                let cursor = Cursor::default();
                let (texts, numbers) = match values {
                    Values::Texts(layout) => (batch.texts(&cursor, layout)?, Vec::new()),
                    Values::Numbers(kind) => (batch.written(&cursor, kind)?, batch.numbers(&cursor, kind)?),
                };
                dictionaries.insert(id, Listed { texts, numbers });
            }
        }
        Ok(dictionaries)
    }

    /// Where each column of a batch begins.
    fn cursors(&self, batch: &Batch<'_>) -> Outcome<Vec<Cursor>> {
        let mut cursor = Cursor::default();
        let mut cursors = Vec::with_capacity(self.holds.len());
        for field in self.file.all_fields()? {
            cursors.push(cursor.clone());
            let layout = layout(field).ok_or_else(|| broken("a column is of an unknown type"))?;
            batch.skip(&mut cursor, &layout)?;
        }
        Ok(cursors)
    }

    /// The texts of a column; numbers are written out.
    fn texts(&self, batch: &Batch<'_>, cursor: &Cursor, holds: Holds) -> Outcome<Vec<Option<String>>> {
        match holds {
            Holds::Values(Values::Texts(layout)) => batch.texts(cursor, layout),
            Holds::Values(Values::Numbers(kind)) => batch.written(cursor, kind),
            Holds::Timestamps => batch.written(cursor, Number::Signed(8)),
            Holds::Dictionary { id, places, .. } => {
                look_up(&batch.numbers(cursor, places)?, &self.listed(id)?.texts, None)
            }
            Holds::Other(_) => Err(Fault::new("a column holds neither texts nor numbers")),
        }
    }

    /// The numbers of a column that holds some; NaN is missing.
    fn numbers(&self, batch: &Batch<'_>, cursor: &Cursor, holds: Holds) -> Outcome<Option<Vec<f64>>> {
        match holds {
            Holds::Values(Values::Numbers(kind)) => batch.numbers(cursor, kind).map(Some),
            Holds::Dictionary { id, places, values: Values::Numbers(_) } => {
                look_up(&batch.numbers(cursor, places)?, &self.listed(id)?.numbers, f64::NAN).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn listed(&self, id: i64) -> Outcome<&Listed> {
        self.dictionaries.get(&id).ok_or_else(|| broken("a dictionary is missing"))
    }

    /// Judges the first rows of a column, and returns the evidence with the number of rows.
    fn evidence(&self, column: usize) -> Outcome<(Evidence, usize)> {
        let holds = self.holds[column];
        let blocks = self.file.batches()?;
        let of_texts = matches!(
            holds,
            Holds::Values(Values::Texts(_)) | Holds::Dictionary { values: Values::Texts(_), .. }
        );
        if !of_texts {
            return Ok((Evidence::default(), 0));
        }
        let mut texts = Vec::new();
        for block in 0..blocks.len {
            let batch = self.file.batch(blocks, block)?;
            texts.extend(self.texts(&batch, &self.cursors(&batch)?[column], holds)?);
            if texts.len() >= SAMPLED_ROWS {
                break;
            }
        }
        texts.truncate(SAMPLED_ROWS);
        Ok((Evidence::of_texts(&texts), texts.len()))
    }

    fn cells(
        &self,
        batch: &Batch<'_>,
        layout: &Layout,
        missing: &MissingTexts,
        rows_before: usize,
    ) -> Outcome<Cells> {
        let cursors = self.cursors(batch)?;
        memory::check_cells(rows_before.saturating_add(batch.rows), layout.columns.len())?;
        let mut cells = Cells::new(layout);
        let mut columns = Vec::with_capacity(layout.count(Kind::Number));
        let mut category = 0;
        for column in &layout.columns {
            let (cursor, holds) = (&cursors[column.source], self.holds[column.source]);
            let in_column = |fault: Fault| fault.within(&column.label);
            match column.kind {
                Kind::Number => match self.numbers(batch, cursor, holds).map_err(in_column)? {
                    Some(numbers) => columns.push(numbers),
                    None => return Err(refuse(&column.label, "holds no plain numbers, expected them")),
                },
                Kind::Category => {
                    let texts = self.texts(batch, cursor, holds).map_err(in_column)?;
                    let present =
                        |text: &Option<String>| text.clone().filter(|text| !missing.is_missing(text));
                    texts.iter().for_each(|text| cells.codes[category].push(present(text).as_deref()));
                    category += 1;
                }
            }
        }
        cells.take_rows(layout, &columns, batch.rows, missing, |row| {
            Where::Row((rows_before + row + 1) as u64)
        });
        let level = |&level: &usize| self.texts(batch, &cursors[level], self.holds[level]);
        cells.name_rows(&layout.index.iter().map(level).collect::<Outcome<Vec<_>>>()?);
        Ok(cells)
    }
}

/// The listed value of each place; NaN is missing.
fn look_up<T: Clone>(places: &[f64], listed: &[T], missing: T) -> Outcome<Vec<T>> {
    let value = |&place: &f64| match listed.get(place as usize).filter(|_| place >= 0.0) {
        _ if place.is_nan() => Ok(missing.clone()),
        Some(value) => Ok(value.clone()),
        None => Err(broken("a value lies outside of its dictionary")),
    };
    places.iter().map(value).collect()
}
