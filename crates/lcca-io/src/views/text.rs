//! Two columns of texts to two bags of tokens, in one pass over the file.

use super::bag::{Bag, Bagging};
use super::finish::{MadeView, finish};
use super::input::{self, Batch, Row, TextInput};
use super::parallel::in_order;
use crate::error::{Fault, Result};
use std::borrow::Cow;

/// What to make of which texts.
#[derive(Clone, Debug, PartialEq)]
pub struct TextSettings {
    /// Where the texts are.
    pub input: TextInput,
    /// How each view's texts become rows.
    pub views: [Bagging; 2],
    /// Replace broken UTF-8 instead of refusing it.
    pub lossy: bool,
}

/// Two views of the same rows.
pub struct TextViews {
    /// x and y.
    pub views: [MadeView; 2],
    /// A line for every row, where labels were asked for.
    pub labels: Vec<u8>,
    /// How many rows.
    pub rows: u64,
}

/// What one batch, or all so far, came to.
#[derive(Default)]
struct Bags {
    views: [Bag; 2],
    labels: Vec<u8>,
    rows: u64,
}

/// Makes the views. `progress` is told how many rows have been read.
pub fn text_views(settings: &TextSettings, progress: &dyn Fn(u64)) -> Result<TextViews> {
    let (path, labelled) = match &settings.input {
        TextInput::Table { path, columns, .. } => (path, columns[2].is_some()),
        TextInput::Lines { x, .. } => (x, false),
    };
    let mut all = Bags::default();
    let next = input::open(&settings.input)?;
    in_order(
        next,
        |batch| bags(&*batch, settings, labelled),
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
    let made = |bag, how, what| finish(bag, how, what).map_err(|fault| fault.at(path));
    let views = [made(x, &settings.views[0], "x")?, made(y, &settings.views[1], "y")?];
    Ok(TextViews { views, labels: all.labels, rows: all.rows })
}

fn bags(batch: &dyn Batch, settings: &TextSettings, labelled: bool) -> Result<Bags> {
    let mut bags = Bags::default();
    let mut scratch = Vec::new();
    batch.for_each(&mut |row: Row<'_>| {
        for at in 0..2 {
            let text = decoded(&row, at, batch, settings.lossy)?;
            bags.views[at].push(&text, &settings.views[at], &mut scratch);
        }
        if labelled {
            push_line(&mut bags.labels, &decoded(&row, 2, batch, settings.lossy)?);
        }
        bags.rows += 1;
        Ok(())
    })?;
    Ok(bags)
}

fn decoded<'a>(row: &Row<'a>, at: usize, batch: &dyn Batch, lossy: bool) -> Result<Cow<'a, str>> {
    match (std::str::from_utf8(row.texts[at]), lossy) {
        (Ok(text), _) => Ok(text.into()),
        (Err(_), true) => Ok(String::from_utf8_lossy(row.texts[at])),
        (Err(_), false) => Err(input::utf8(row.line).at(batch.path(at))),
    }
}

/// A line stays one, whatever it holds.
pub(crate) fn push_line(lines: &mut Vec<u8>, text: &str) {
    lines.extend(text.bytes().map(|byte| if byte == b'\n' || byte == b'\r' { b' ' } else { byte }));
    lines.push(b'\n');
}
