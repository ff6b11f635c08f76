//! Turns two columns of texts into two bags of tokens, in one pass over the file.

use super::bag::{Bag, Bagging};
use super::finish::{MadeView, finish};
use super::input::{self, Batch, Row, TextInput};
use crate::error::{Fault, Result};
use crate::safe::parallel::in_order;
use std::borrow::Cow;

/// Settings of the texts and of how they become views.
#[derive(Clone, Debug, PartialEq)]
pub struct TextSettings {
    /// The files of the texts.
    pub input: TextInput,
    /// How each view's texts become rows.
    pub views: [Bagging; 2],
    /// Whether broken UTF-8 is replaced and not refused.
    pub lossy: bool,
}

/// Two views of the same rows.
#[non_exhaustive]
pub struct TextViews {
    /// x and y.
    pub views: [MadeView; 2],
    /// One line per row if labels were requested, and empty otherwise.
    pub labels: Vec<u8>,
    /// The number of rows.
    pub rows: u64,
}

/// The bags of one batch, or of all batches up to now.
#[derive(Default)]
struct Bags {
    views: [Bag; 2],
    labels: Vec<u8>,
    rows: u64,
}

/// Makes the views. `progress` gets the number of rows read up to then.
pub fn text_views(settings: &TextSettings, progress: &dyn Fn(u64)) -> Result<TextViews> {
    let (path, labeled) = match &settings.input {
        TextInput::Table { path, columns, .. } => (path, columns[2].is_some()),
        TextInput::Lines { x, .. } => (x, false),
    };
    let mut all = Bags::default();
    let next = input::open(&settings.input)?;
    in_order(
        next,
        |batch| bags(&*batch, settings, labeled),
        |batch| {
            for ((view, more), how) in all.views.iter_mut().zip(batch.views).zip(&settings.views) {
                view.append(more, how);
            }
            all.labels.extend(batch.labels);
            all.rows += batch.rows;
            progress(all.rows);
            Ok(())
        },
    )?;
    if all.rows == 0 {
        return Err(Fault::new("has no rows").at(path));
    }
    let [x, y] = all.views;
    let x = finish(x, &settings.views[0], "x").map_err(|fault| fault.at(path))?;
    let y = finish(y, &settings.views[1], "y").map_err(|fault| fault.at(path))?;
    let views = [x, y];
    Ok(TextViews { views, labels: all.labels, rows: all.rows })
}

fn bags(batch: &dyn Batch, settings: &TextSettings, labeled: bool) -> Result<Bags> {
    let mut bags = Bags::default();
    let mut scratch = Vec::new();
    batch.for_each(&mut |row: Row<'_>| {
        for side in 0..2 {
            let text = decoded(&row, side, batch, settings.lossy)?;
            bags.views[side].push(&text, &settings.views[side], &mut scratch);
        }
        if labeled {
            push_line(&mut bags.labels, &decoded(&row, 2, batch, settings.lossy)?);
        }
        bags.rows += 1;
        Ok(())
    })?;
    Ok(bags)
}

fn decoded<'a>(row: &Row<'a>, index: usize, batch: &dyn Batch, lossy: bool) -> Result<Cow<'a, str>> {
    match (std::str::from_utf8(row.texts[index]), lossy) {
        (Ok(text), _) => Ok(text.into()),
        (Err(_), true) => Ok(String::from_utf8_lossy(row.texts[index])),
        (Err(_), false) => Err(input::broken_text(row.line).at(batch.path(index))),
    }
}

/// Adds a text as one line: any line ends in it become spaces.
pub(crate) fn push_line(lines: &mut Vec<u8>, text: &str) {
    lines.extend(text.bytes().map(|byte| if byte == b'\n' || byte == b'\r' { b' ' } else { byte }));
    lines.push(b'\n');
}
