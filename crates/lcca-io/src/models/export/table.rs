//! A table with commas or tabs: a header, then one line per row with its name and its numbers. Names are
//! quoted if they need to be.

use super::formulas::Texts;
use super::named_rows::{Exported, NamedRows};
use crate::error::{Fault, Outcome, one_line};
use std::io::Write;

pub(super) fn write(out: &mut impl Write, rows: &NamedRows<'_>, delimiter: u8) -> Outcome<Exported> {
    let mut names = Texts::new(rows.formulas);
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    writer.write_record(rows.header()).map_err(failed)?;
    for row in 0..rows.rows {
        writer.write_field(&*names.cell(&rows.name(row))).map_err(failed)?;
        for number in rows.numbers(row) {
            writer.write_field(format!("{number:?}")).map_err(failed)?;
        }
        writer.write_record(None::<&[u8]>).map_err(failed)?;
    }
    writer.flush()?;
    Ok(Exported { formulas: names.left, ..Exported::default() })
}

pub(super) fn failed(error: csv::Error) -> Fault {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => Fault::Io(error),
        other => Fault::new(one_line(&format!("{other:?}"))),
    }
}
