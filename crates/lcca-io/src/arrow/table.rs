//! All of a file as a matrix, one batch of rows at a time.

use super::batch::{Batch, Cursor, broken};
use super::column::{Holds, Kind as NumberKind, TIMESTAMP, holds, layout};
use super::file::ArrowFile;
use crate::error::{Fault, Outcome};
use crate::memory;
use crate::missing::Filling;
use crate::options::TableOptions;
use crate::table::{
    Cells, ColumnType, Columns, Evidence, Finished, Kind, Layout, MissingTexts, SAMPLED_ROWS, Target,
    TypedTable, Where, finish, refuse,
};
use std::collections::HashMap;

/// A file and what its dictionaries list.
struct Reading<'a> {
    file: &'a ArrowFile,
    holds: Vec<Holds>,
    dictionaries: HashMap<i64, Vec<Option<String>>>,
}

impl ArrowFile {
    /// The columns that are asked for as a matrix.
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
        let options = &Columns { names: Some(&names), count: names.len() }.settle(options);
        let table = TypedTable { names: &names, pandas_index: &self.pandas_index()? };
        let mut index = table.index(options, |column| reading.evidence(column))?;
        if index.len() > 1 && index.iter().any(|&level| !reading.holds[level].can_be_written()) {
            index.clear();
        }
        let layout = table.layout(index, options, target, |column| match reading.holds[column] {
            Holds::Numbers(_) => ColumnType::Numbers,
            Holds::Texts(_) | Holds::Dictionary { .. } => ColumnType::Texts,
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
        Ok(table.complete(finish(all, &layout, filling, target)?, &layout, options))
    }
}

impl Reading<'_> {
    fn read_dictionaries(&self) -> Outcome<HashMap<i64, Vec<Option<String>>>> {
        let mut dictionaries = HashMap::new();
        let Some(blocks) = self.file.dictionaries()? else { return Ok(dictionaries) };
        for block in 0..blocks.len {
            let (id, batch) = self.file.dictionary(blocks, block)?;
            let of_texts = self.holds.iter().find_map(|holds| match holds {
                Holds::Dictionary { id: own, texts, .. } if *own == id => Some(*texts),
                _ => None,
            });
            if let Some(texts) = of_texts {
                dictionaries.insert(id, batch.texts(&Cursor::default(), texts)?);
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
            Holds::Texts(texts) => batch.texts(cursor, texts),
            Holds::Numbers(_) | Holds::Other(TIMESTAMP) => {
                let kind = if let Holds::Numbers(kind) = holds { kind } else { NumberKind::Signed(8) };
                let numbers = batch.numbers(cursor, kind)?;
                Ok(numbers.into_iter().map(|n| (!n.is_nan()).then(|| n.to_string())).collect())
            }
            Holds::Dictionary { id, numbers, .. } => {
                let texts = self.dictionaries.get(&id).ok_or_else(|| broken("a dictionary is missing"))?;
                let text = |number: f64| match texts.get(number as usize).filter(|_| number >= 0.0) {
                    _ if number.is_nan() => Ok(None),
                    Some(text) => Ok(text.clone()),
                    None => Err(broken("a text lies outside of its dictionary")),
                };
                batch.numbers(cursor, numbers)?.into_iter().map(text).collect()
            }
            Holds::Other(_) => Err(Fault::new("a column holds neither texts nor numbers")),
        }
    }

    /// What the first rows of a column are, and how many there are.
    fn evidence(&self, column: usize) -> Outcome<(Evidence, usize)> {
        let holds = self.holds[column];
        let blocks = self.file.batches()?;
        if blocks.len == 0 || !matches!(holds, Holds::Texts(_) | Holds::Dictionary { .. }) {
            return Ok((Evidence::default(), 0));
        }
        let batch = self.file.batch(blocks, 0)?;
        let mut texts = self.texts(&batch, &self.cursors(&batch)?[column], holds)?;
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
            match (column.kind, holds) {
                (Kind::Number, Holds::Numbers(kind)) => {
                    columns.push(batch.numbers(cursor, kind).map_err(in_column)?);
                }
                (Kind::Number, _) => return Err(refuse(&column.label, "holds texts, expected numbers")),
                (Kind::Category, holds) => {
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
