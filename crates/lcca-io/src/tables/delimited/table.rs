//! Reads the first lines of a table, and then all of it.

use super::decimal::commas_are_decimal;
use super::records::Records;
use super::separator::{check_separator, said_separator, separator};
use super::split::{Splitter, lines_in};
use crate::error::{Fault, Outcome, Remedy};
use crate::input::lines::{LineBatch, LineReader};
use crate::input::text::quoted;
use crate::matrix::missing::Filling;
use crate::matrix::options::TableOptions;
use crate::parts::names::Names;
use crate::safe::parallel::in_order;
use crate::tables::table::{
    Cell, Cells, Columns, Finished, Kind, Layout, MissingTexts, SAMPLED_ROWS, Sample, Target, Where,
    check_distinct, find_index, finish, first_line_names, not_a_number, sampled_kind,
};
use crate::words::numbers::grouped;
use crate::words::remark::Remark;
use csv::ByteRecord;

/// The most cells of a sample. Very wide tables are sampled in fewer rows, so that memory holds no more
/// cells than these.
const SAMPLED_CELLS: usize = 1 << 20;
/// The message for a text in an encoding of one byte per letter.
const NOT_UTF8: &str = "is not UTF-8; convert the file, for example with iconv -f latin1 -t utf-8";
/// The number of lines that are searched for the separator.
const SEPARATED_LINES: usize = 10;

/// A table of which the first lines have been read.
pub(crate) struct Table {
    records: Records,
    texts: MissingTexts,
    layout: Layout,
    /// The rows of the sample, to be parsed like the others.
    sampled: LineBatch,
    guessed_index: bool,
    remarks: Vec<Remark>,
}

impl Table {
    /// Reads the first lines, which tell how to read the others.
    pub(crate) fn open(
        mut lines: LineReader,
        named_separator: u8,
        options: &TableOptions,
        target: Option<&Target>,
    ) -> Outcome<Self> {
        let mut remarks = Vec::new();
        let head = lines.peek(SEPARATED_LINES)?;
        if head.iter().any(|line| line.contains(&0)) {
            return Err(Fault::new(
                "holds bytes that are 0, as UTF-16 without a mark does: save it as UTF-8",
            ));
        }
        let delimiter = match options.delimiter {
            Some(delimiter) => {
                let said = said_separator(delimiter)?;
                check_separator(&head, said, options, target)?;
                said
            }
            None => separator(&head, named_separator, options.decimal)?,
        };
        if options.delimiter.is_none() && delimiter != named_separator {
            remarks.push(Remark::Separated { by: char::from(delimiter) });
        }
        let mut records = Records::new(lines, delimiter);
        let (sample, first_bytes, rest) = sample(&mut records)?;
        let mut options = options.clone();
        if let Some(decimal) = options.decimal.filter(|&decimal| decimal == char::from(delimiter)) {
            let message =
                format!("has {decimal:?} between its fields and before decimals: it can be one of them");
            return Err(Fault::new(message).remedied_by(Remedy::SayDelimiter));
        }
        // Where commas separate fields, a comma within quotes may stand between choices, such as "1,4" in a
        // survey.
        if options.decimal.is_none() && delimiter != b',' && commas_are_decimal(&sample) {
            options.decimal = Some(',');
            remarks.push(Remark::DecimalCommas);
        }
        let options = &options;
        let texts = MissingTexts::new(options);
        let header = match options.header {
            Some(header) => header,
            None => first_line_names(&sample, &texts)?,
        };
        if !header && sample.first.len() != sample.fields() {
            return Err(ragged_first(&sample));
        }
        let names = header.then(|| names(&sample)).transpose()?;
        let (columns, rows) = (
            Columns { names: names.as_deref(), count: sample.fields() },
            sample.rows.len() + usize::from(!header),
        );
        let options = &columns.settle(options, target);
        let index = find_index(columns, &options.index, options.columns.as_deref(), |column| {
            (sample.evidence(column, !header, &texts), rows)
        })?;
        let guessed_index = index.is_some_and(|(_, guessed)| guessed);
        let index = index.map(|(column, _)| column);
        let layout = Layout::new(columns, index.into_iter().collect(), options, target, |column, label| {
            sampled_kind(label, &sample.evidence(column, !header, &texts), &options.categorical)
        })?;
        let sampled = if header { rest } else { first_bytes.followed_by(rest) };
        let index_name = index.filter(|_| guessed_index).map(|column| match &names {
            Some(names) => names[column].clone(),
            None => (column + 1).to_string(),
        });
        let guessed_header = options.header.is_none().then_some(header);
        if guessed_header.is_some() || index_name.is_some() {
            remarks.push(Remark::Guessed { header: guessed_header, index: index_name });
        }
        Ok(Table { records, texts, layout, sampled, guessed_index, remarks })
    }

    /// The names of the columns, if the first line has them. The indicators of categories are not among
    /// them, because they are known only once all rows are.
    pub(crate) fn names(&self) -> Option<Names> {
        let names = self.layout.columns.iter().map(|column| column.name.as_str());
        self.layout.named.then(|| Names::new(names))
    }

    pub(crate) fn read(self, filling: Filling<'_>, target: Option<&Target>) -> Outcome<Finished> {
        let Table { mut records, texts, layout, sampled, guessed_index, remarks } = self;
        let mut sampled = Some(sampled);
        let mut all = Cells::new(&layout);
        let mut blank = Vec::new();
        let delimiter = records.delimiter;
        let unlimited = target.is_some();
        in_order(
            || match sampled.take() {
                Some(batch) => Ok(Some(batch)),
                None => records.batch(),
            },
            |batch| parse(&batch, &layout, &texts, delimiter),
            |more: Parsed| {
                if more.cells.rows > 0 {
                    all.append(blank_rows(&std::mem::take(&mut blank), &layout, &texts)?);
                }
                blank.extend(more.blank);
                all.append(more.cells);
                if unlimited { Ok(()) } else { all.check_categories(&layout) }
            },
        )?;
        let mut finished = finish(all, &layout, filling, target)?;
        if let (true, Some(names)) = (guessed_index, &finished.row_names) {
            let label = match remarks.last() {
                Some(Remark::Guessed { index: Some(index), .. }) => index.as_str(),
                _ => "",
            };
            check_distinct(names.iter(), label)?;
        }
        finished.remarks.splice(0..0, remarks);
        Ok(finished)
    }
}

/// Reads the first line and the rows of the sample, and returns them with the bytes of each.
fn sample(records: &mut Records) -> Outcome<(Sample, LineBatch, LineBatch)> {
    let (first_bytes, first_line, first) = records.one()?.ok_or_else(|| Fault::new("is empty"))?;
    let rows = (SAMPLED_CELLS / first.len().max(1)).clamp(5, SAMPLED_ROWS);
    let mut sample = Sample { line: first_line, first, rows: Vec::new() };
    let start = first_line + lines_in(&first_bytes);
    let (mut bytes, mut next) = (Vec::new(), start);
    while sample.rows.len() < rows {
        let Some((more, line, record)) = records.one()? else { break };
        // Blank lines are kept as such, so that lines are counted right.
        bytes.extend(std::iter::repeat_n(b'\n', (line - next) as usize));
        next = line + lines_in(&more);
        bytes.extend(more);
        sample.rows.push((line, record));
    }
    if let Some((line, row)) = sample.rows.iter().find(|(_, row)| row.len() != sample.fields()) {
        return Err(ragged(*line, row.len(), sample.fields()));
    }
    Ok((sample, LineBatch::new(first_bytes, first_line), LineBatch::new(bytes, start)))
}

/// The names of all columns. If R left out the name above the row names, that name is empty.
fn names(sample: &Sample) -> Outcome<Vec<String>> {
    let (named, fields) = (sample.first.len(), sample.fields());
    if sample.rows.is_empty() {
        return Err(Fault::new("has names of columns and no rows"));
    }
    let text =
        |field: &[u8]| String::from_utf8(field.to_vec()).map_err(|_| Fault::line(sample.line, NOT_UTF8));
    let mut names = sample.first.iter().map(text).collect::<Outcome<Vec<String>>>()?;
    if named + 1 == fields {
        names.insert(0, String::new());
    } else if named != fields {
        let (named, fields) = (grouped(named as u64), grouped(fields as u64));
        return Err(Fault::line(sample.line, format!("names {named} columns, the first row has {fields}")));
    }
    Ok(names)
}

fn ragged_first(sample: &Sample) -> Fault {
    let (found, expected) = (grouped(sample.first.len() as u64), grouped(sample.fields() as u64));
    Fault::line(sample.line, format!("has {found} fields, expected {expected} as in the rows below it"))
}

fn ragged(line: u64, found: usize, expected: usize) -> Fault {
    let (found, expected) = (grouped(found as u64), grouped(expected as u64));
    Fault::line(line, format!("has {found} fields, expected {expected} as in the first row"))
}

/// The cells of some rows, and the blank lines after them.
struct Parsed {
    cells: Cells,
    blank: Vec<u64>,
}

fn parse(batch: &LineBatch, layout: &Layout, texts: &MissingTexts, delimiter: u8) -> Outcome<Parsed> {
    let mut parsed = Parsed { cells: Cells::new(layout), blank: Vec::new() };
    let mut records = Splitter::new(batch.bytes(), delimiter, batch.first());
    let mut record = ByteRecord::new();
    while let Some(line) = records.next(&mut record) {
        if records.was_blank() {
            parsed.blank.push(line);
            continue;
        }
        if record.len() != layout.fields {
            return Err(ragged(line, record.len(), layout.fields));
        }
        if !parsed.blank.is_empty() {
            let blank = std::mem::take(&mut parsed.blank);
            parsed.cells.append(blank_rows(&blank, layout, texts)?);
        }
        parse_row(&record, line, layout, texts, &mut parsed.cells)?;
    }
    Ok(parsed)
}

/// Makes rows of blank lines, which are not at the end of the file. If there is only one column, each is a
/// missing value; otherwise blank lines are not rows.
fn blank_rows(lines: &[u64], layout: &Layout, texts: &MissingTexts) -> Outcome<Cells> {
    let mut cells = Cells::new(layout);
    let empty = ByteRecord::from(vec![""]);
    for &line in lines.iter().filter(|_| layout.fields == 1) {
        parse_row(&empty, line, layout, texts, &mut cells)?;
    }
    Ok(cells)
}

fn parse_row(
    record: &ByteRecord,
    line: u64,
    layout: &Layout,
    texts: &MissingTexts,
    cells: &mut Cells,
) -> Outcome<()> {
    let (mut category, mut complete) = (0, true);
    for (place, column) in layout.columns.iter().enumerate() {
        let field = record.get(column.source).unwrap_or_default();
        let cell = match texts.cell(field) {
            Cell::Word if column.kind == Kind::Number => Cell::Missing,
            cell => cell,
        };
        if cell == Cell::Missing {
            cells.gaps.count(Where::Line(line), place, field.trim_ascii(), complete);
            complete = false;
        }
        match (column.kind, cell) {
            (Kind::Number, Cell::Number(number)) if number.is_finite() => cells.numbers.push(number),
            (Kind::Number, Cell::Missing | Cell::Word) => cells.numbers.push(f64::NAN),
            (Kind::Number, Cell::Number(_)) => {
                let message = format!("{}: {} is not a finite number", column.label, quoted(field));
                return Err(Fault::line(line, message));
            }
            (Kind::Number, Cell::Text) => return Err(not_a_number(line, &column.label, field)),
            (Kind::Category, cell) => {
                let text = (cell != Cell::Missing).then(|| utf8(field, line)).transpose()?;
                cells.codes[category].push(text);
                category += 1;
            }
        }
    }
    if let Some(&index) = layout.index.first() {
        cells.row_names.push(utf8(record.get(index).unwrap_or_default(), line)?);
    }
    cells.rows += 1;
    Ok(())
}

fn utf8(field: &[u8], line: u64) -> Outcome<&str> {
    std::str::from_utf8(field.trim_ascii()).map_err(|_| Fault::line(line, NOT_UTF8))
}
