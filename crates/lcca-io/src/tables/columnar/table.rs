//! Reads a whole file as a matrix, one group of rows at a time.

use super::broken::guarded;
use super::file::ParquetFile;
use crate::error::{Fault, Outcome};
use crate::matrix::missing::Filling;
use crate::matrix::options::TableOptions;
use crate::safe::memory;
use crate::tables::table::{
    Cells, ColumnType, Columns, Evidence, Finished, Kind, Layout, MissingTexts, SAMPLED_ROWS, Target,
    TypedTable, Where, finish, refuse,
};
use parquet::file::reader::FileReader;

impl ParquetFile {
    /// Reads the columns that are asked for as a matrix.
    pub(crate) fn read(
        &self,
        options: &TableOptions,
        filling: Filling<'_>,
        target: Option<&Target>,
    ) -> Outcome<Finished> {
        guarded(|| read_all(self, options, filling, target))
    }

    /// Judges the first rows of a column, and returns the evidence with the number of rows.
    fn evidence(&self, column: usize) -> Outcome<(Evidence, usize)> {
        let column = &self.columns[column];
        if column.holds.column_type() != ColumnType::Texts {
            return Ok((Evidence::default(), 0));
        }
        let mut texts = Vec::new();
        for group in 0..self.groups() {
            let rows = self.rows(group).min(SAMPLED_ROWS - texts.len());
            let more = self.reading(group, column)?.texts(rows);
            texts.extend(more.map_err(|fault| in_column(fault, &column.name))?);
            if texts.len() == SAMPLED_ROWS {
                break;
            }
        }
        Ok((Evidence::of_texts(&texts), texts.len()))
    }
}

fn read_all(
    file: &ParquetFile,
    options: &TableOptions,
    filling: Filling<'_>,
    target: Option<&Target>,
) -> Outcome<Finished> {
    let names: Vec<String> = file.columns.iter().map(|column| column.name.clone()).collect();
    let options = &Columns { names: Some(&names), count: names.len() }.settle(options, target);
    let table = TypedTable { names: &names, pandas_index: &file.pandas_index() };
    let index = table.index(options, |column| file.evidence(column))?;
    let layout = table.layout(index, options, target, |column| file.columns[column].holds.column_type())?;
    let rows = usize::try_from(file.file.metadata().file_metadata().num_rows()).unwrap_or(0);
    memory::check_cells(rows, layout.columns.len())?;
    let missing = MissingTexts::new(options);
    let mut all = Cells::new(&layout);
    for group in 0..file.groups() {
        all.append(read_group(file, group, &layout, &missing, all.rows)?);
        if target.is_none() {
            all.check_categories(&layout)?;
        }
    }
    table.complete(finish(all, &layout, filling, target)?, &layout, options)
}

fn read_group(
    file: &ParquetFile,
    group: usize,
    layout: &Layout,
    missing: &MissingTexts,
    rows_before: usize,
) -> Outcome<Cells> {
    let rows = file.rows(group);
    memory::check_cells(rows_before.saturating_add(rows), layout.columns.len().max(1))?;
    let mut cells = Cells::new(layout);
    let mut columns = Vec::with_capacity(layout.count(Kind::Number));
    let mut category = 0;
    for column in &layout.columns {
        let stored = &file.columns[column.source];
        let labeled = |fault: Fault| fault.within(&column.label);
        if column.kind == Kind::Number && stored.holds.column_type() != ColumnType::Numbers {
            return Err(refuse(&column.label, "holds no plain numbers, expected them"));
        }
        let mut reading = file.reading(group, stored)?;
        if column.kind == Kind::Number {
            columns.push(reading.numbers(rows).map_err(labeled)?);
        } else {
            let texts = reading.texts(rows).map_err(labeled)?;
            let present = |text: &Option<String>| text.clone().filter(|text| !missing.is_missing(text));
            texts.iter().for_each(|text| cells.codes[category].push(present(text).as_deref()));
            category += 1;
        }
    }
    cells.take_rows(layout, &columns, rows, missing, |row| Where::Row((rows_before + row + 1) as u64));
    let level = |&level: &usize| {
        let column = &file.columns[level];
        file.reading(group, column)?.texts(rows).map_err(|fault| in_column(fault, &column.name))
    };
    cells.name_rows(&layout.index.iter().map(level).collect::<Outcome<Vec<_>>>()?);
    Ok(cells)
}

fn in_column(fault: Fault, name: &str) -> Fault {
    fault.within(&format!("column {name:?}"))
}
