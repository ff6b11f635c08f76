//! Turns all cells of a table into a matrix with names. Categories become indicator columns, and columns
//! for a model are put into its order.

use super::cell::is_usual_word;
use super::cells::{Cells, Codes, MOST_CATEGORIES, NO_CODE, too_many};
use super::kind::Kind;
use super::layout::{Column, Layout, refuse};
use super::target::Target;
use crate::error::{Fault, Outcome, Remedy};
use crate::matrix::assemble::{self, Assembled, SPARSE_SHARE, check_shape, dense_or_sparse};
use crate::matrix::missing::Filling;
use crate::matrix::options::Missing;
use crate::matrix::values::Growing;
use crate::parts::names::Names;
use crate::tables::matching::IdColumn;
use crate::words::remark::Remark;
use hashbrown::HashSet;

/// A table as a matrix.
pub(crate) struct Finished {
    pub(crate) assembled: Assembled,
    pub(crate) names: Option<Names>,
    pub(crate) row_names: Option<Names>,
    /// Whether an index that is not stored counts the rows.
    pub(crate) counted: bool,
    /// Columns that may name the rows.
    pub(crate) ids: Vec<IdColumn>,
    /// The name of the column that names the rows.
    pub(crate) index_name: Option<String>,
    pub(crate) remarks: Vec<Remark>,
}

/// The columns of the matrix that a column of the table becomes.
enum Slots {
    Number(usize),
    /// One column per category, unless the model does not have it. `all` lists all of them, for a row whose
    /// category is missing.
    Category {
        of_codes: Vec<Option<usize>>,
        all: Vec<usize>,
    },
}

/// Makes the matrix. Rows with missing values are left out if `filling` says so.
pub(crate) fn finish(
    cells: Cells,
    layout: &Layout,
    filling: Filling<'_>,
    target: Option<&Target>,
) -> Outcome<Finished> {
    let target = target.filter(|_| layout.named);
    if filling.missing == Missing::Error
        && let Some(fault) = cells.gaps.fault(layout)
    {
        return Err(fault);
    }
    let mut remarks = layout.remarks();
    let (slots, names) = match target {
        Some(target) => (model_slots(&cells, layout, target, &mut remarks), Some(target.names().clone())),
        None => own_slots(&cells, layout, &mut remarks)?,
    };
    let ids = if target.is_none() { numeric_ids(&cells, layout) } else { Vec::new() };
    remarks.extend(ids.iter().map(|id| Remark::NumericId { column: id.name.clone() }));
    let width = names.as_ref().map_or(layout.columns.len(), Names::len);
    check_shape(cells.rows, width)?;
    let Cells { numbers, codes, row_names, rows, gaps } = cells;
    let in_order =
        slots.iter().enumerate().all(|(place, slot)| matches!(slot, Slots::Number(to) if *to == place));
    let mut assembled = if in_order && slots.len() == width {
        dense_or_sparse(numbers, rows, width, filling)?
    } else {
        spread(&Source { numbers: &numbers, codes: &codes, slots: &slots, rows, width }, filling)?
    };
    // The counts of the cells are kept, because a missing category is one missing value, although it makes
    // several indicators missing.
    (assembled.gaps.cells, assembled.gaps.rows) = (gaps.cells, gaps.rows);
    let row_names = (!layout.index.is_empty()).then(|| row_names.into_names());
    let index_name = layout.index_name.clone();
    Ok(Finished { assembled, names, row_names, counted: false, ids, index_name, remarks })
}

/// The columns of the matrix in the order of the table, with categories in alphabetical order.
fn own_slots(
    cells: &Cells,
    layout: &Layout,
    remarks: &mut Vec<Remark>,
) -> Outcome<(Vec<Slots>, Option<Names>)> {
    let (mut slots, mut names) = (Vec::with_capacity(layout.columns.len()), Vec::new());
    let mut codes = cells.codes.iter();
    for column in &layout.columns {
        if column.kind == Kind::Number {
            slots.push(Slots::Number(names.len()));
            names.push(column.name.clone());
            continue;
        }
        let Some(codes) = codes.next() else { continue };
        check_categories(column, codes)?;
        let categories = codes.texts.len();
        let words = codes.texts.iter().filter(|text| is_usual_word(text.as_bytes())).cloned().collect();
        remarks.push(Remark::Categories { column: column.name.clone(), categories, words });
        let mut order: Vec<usize> = (0..categories).collect();
        order.sort_by_key(|&code| &codes.texts[code]);
        let mut of_codes = vec![None; categories];
        let all = (names.len()..names.len() + categories).collect();
        for code in order {
            of_codes[code] = Some(names.len());
            names.push(format!("{}={}", column.name, codes.texts[code]));
        }
        slots.push(Slots::Category { of_codes, all });
    }
    if !cells.codes.is_empty() {
        check_distinct_names(&names)?;
    }
    let named = layout.named || !cells.codes.is_empty();
    Ok((slots, named.then(|| Names::new(names))))
}

/// Refuses a column whose name is also that of an indicator of a category.
fn check_distinct_names(names: &[String]) -> Outcome<()> {
    let mut seen = HashSet::with_capacity(names.len());
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        Some(name) => {
            Err(Fault::new(format!("two columns would be called {name:?}, one of them a category's"))
                .remedied_by(Remedy::TellColumnsApart))
        }
        None => Ok(()),
    }
}

fn check_categories(column: &Column, codes: &Codes) -> Outcome<()> {
    let texts = codes.texts.len();
    let present = codes.of_rows.iter().filter(|&&code| code != NO_CODE).count();
    if texts == 0 && !codes.of_rows.is_empty() {
        // Such a column would become no columns at all, so that its missing values would be lost.
        return Err(refuse(&column.label, "has no value at all, expected numbers or categories"));
    }
    if texts > MOST_CATEGORIES || texts > 1 && texts * 2 > present {
        return Err(too_many(&column.label, &codes.texts[0], texts));
    }
    Ok(())
}

/// The columns of the matrix in the places that a model has for them.
fn model_slots(cells: &Cells, layout: &Layout, target: &Target, remarks: &mut Vec<Remark>) -> Vec<Slots> {
    if target.is_same(layout.columns.iter().map(|column| column.name.as_str())) {
        return (0..layout.columns.len()).map(Slots::Number).collect();
    }
    let mut codes = cells.codes.iter();
    let mut slots = Vec::with_capacity(layout.columns.len());
    for column in &layout.columns {
        if column.kind == Kind::Number {
            slots.extend(target.place(&column.name).map(Slots::Number));
            continue;
        }
        let Some(codes) = codes.next() else { continue };
        let prefix = format!("{}=", column.name);
        let place = |text: &String| target.place(&format!("{prefix}{text}"));
        let of_codes: Vec<Option<usize>> = codes.texts.iter().map(place).collect();
        let is_new = |code: u32| of_codes.get(code as usize).is_some_and(Option::is_none);
        let cells = codes.of_rows.iter().filter(|&&code| is_new(code)).count() as u64;
        if let Some(first) = of_codes.iter().position(Option::is_none) {
            let first = codes.texts[first].clone();
            remarks.push(Remark::NewCategories { column: column.name.clone(), cells, first });
        }
        let all = target.names().iter().enumerate().filter(|(_, name)| name.starts_with(&prefix));
        let all = all.map(|(place, _)| place).collect();
        slots.push(Slots::Category { of_codes, all });
    }
    slots
}

/// The columns of different whole numbers whose names are like those of row names.
fn numeric_ids(cells: &Cells, layout: &Layout) -> Vec<IdColumn> {
    let width = layout.count(Kind::Number);
    let numeric = layout.columns.iter().filter(|column| column.kind == Kind::Number).enumerate();
    let numbers = |place: usize| (0..cells.rows).map(move |row| cells.numbers.get(row * width + place));
    let is_id = |place: usize| {
        let mut seen = HashSet::with_capacity(cells.rows);
        cells.rows > 1 && numbers(place).all(|number| number.fract() == 0.0 && seen.insert(number.to_bits()))
    };
    numeric
        .filter(|(place, column)| column.may_name_rows && is_id(*place))
        .map(|(place, column)| IdColumn {
            name: column.name.clone(),
            numbers: Names::new(numbers(place).map(|number| number.to_string())),
        })
        .collect()
}

/// The cells of a table, and their places in the matrix.
struct Source<'a> {
    numbers: &'a Growing,
    codes: &'a [Codes],
    slots: &'a [Slots],
    rows: usize,
    width: usize,
}

impl Source<'_> {
    /// The entries of a row that are not zero, in the order of the matrix.
    fn row(&self, row: usize, entries: &mut Vec<(u32, f64)>) {
        entries.clear();
        let numeric = self.slots.len() - self.codes.len();
        let (mut number, mut codes) = (row * numeric, self.codes.iter());
        for slot in self.slots {
            match slot {
                Slots::Number(to) => {
                    let value = self.numbers.get(number);
                    number += 1;
                    if value != 0.0 {
                        entries.push((*to as u32, value));
                    }
                }
                Slots::Category { of_codes, all } => {
                    match codes.next().map_or(NO_CODE, |codes| codes.of_rows[row]) {
                        NO_CODE => entries.extend(all.iter().map(|&to| (to as u32, f64::NAN))),
                        code => entries.extend(of_codes[code as usize].map(|to| (to as u32, 1.0))),
                    }
                }
            }
        }
        entries.sort_unstable_by_key(|&(to, _)| to);
    }
}

/// Puts numbers and indicators into their places, in the storage that takes less memory.
fn spread(source: &Source<'_>, filling: Filling<'_>) -> Outcome<Assembled> {
    let mut entries = Vec::new();
    let mut total = 0;
    for row in 0..source.rows {
        source.row(row, &mut entries);
        total += entries.len();
    }
    let cells = source.rows as f64 * source.width as f64;
    let mut values = Growing::new();
    if cells - total as f64 >= SPARSE_SHARE * cells {
        let (mut ends, mut columns) = (vec![0u64], Vec::with_capacity(total));
        for row in 0..source.rows {
            source.row(row, &mut entries);
            columns.extend(entries.iter().map(|&(to, _)| to));
            entries.iter().for_each(|&(_, value)| values.push(value));
            ends.push(columns.len() as u64);
        }
        return assemble::sparse(source.width, ends.into(), columns.into(), values.into_values(), filling);
    }
    let mut dense = vec![0.0; source.width];
    for row in 0..source.rows {
        source.row(row, &mut entries);
        dense.fill(0.0);
        entries.iter().for_each(|&(to, value)| dense[to as usize] = value);
        dense.iter().for_each(|&value| values.push(value));
    }
    dense_or_sparse(values, source.rows, source.width, filling)
}
