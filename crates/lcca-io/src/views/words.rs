//! A word against the words around it: x is the word, one-hot; y is its context, one-hot where that is one neighbour and
//! a set of words otherwise. Two passes over the corpus: words are counted, then rows written.
//!
//! A row whose word or whose whole context is not among the columns is dropped, and then columns without rows are.
//! Memory holds the vocabulary and, where equal rows are merged, each different row once; rows go through files.

use super::corpus::{Corpus, Counted};
use super::keep::Keep;
use super::rows::{Merged, RowSink, Rows, Spooled};
use super::window::{Sliding, Window};
use crate::error::{Fault, Result};
use crate::{Names, OutputFolder};
use lcca::matrix::{Buffer, Matrix, OneHotRows, SparseRows, Values};

/// What to make of a corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct WordSettings {
    /// The words.
    pub corpus: Corpus,
    /// The context of a word.
    pub window: Window,
    /// Whether the same word at another distance is another column.
    pub positions: bool,
    /// Whether contexts reach across lines.
    pub across_lines: bool,
    /// Which words are columns of x.
    pub x: Keep,
    /// Which words are columns of y.
    pub y: Keep,
    /// Whether equal rows become one with a weight.
    pub merge: bool,
}

/// One view of words.
pub struct WordView {
    /// The rows.
    pub matrix: Matrix,
    /// The words, with their distance where that counts.
    pub names: Names,
    /// How often each column occurs, merged rows counted as often as they were there.
    pub counts: Vec<u64>,
}

/// Both views.
pub struct WordViews {
    /// x and y.
    pub views: [WordView; 2],
    /// How often each row was there, where equal rows were merged.
    pub weights: Option<Vec<f64>>,
    /// Words in the corpus.
    pub tokens: u64,
    /// Different words in the corpus.
    pub distinct: u64,
}

const DROPPED: u32 = u32::MAX;

/// Makes the views; files that are needed meanwhile are put into `folder` and removed. `progress` is told how many
/// words have been counted.
pub fn word_views(
    settings: &WordSettings,
    folder: &OutputFolder,
    progress: &dyn Fn(u64),
) -> Result<WordViews> {
    let counted = settings.corpus.count(progress)?;
    let choose =
        |keep: &Keep| keep.choose(&counted.counts, counted.tokens, |number| counted.words.name(number));
    let chosen = [choose(&settings.x), choose(&settings.y)];
    let empty = |what: &str| {
        let message = format!(
            "{what}: no word is left of {}: keep more (--min-count, --skip, --top)",
            counted.words.len()
        );
        Fault::new(message).at(&settings.corpus.files[0])
    };
    for (chosen, what) in chosen.iter().zip(["x", "y"]) {
        if chosen.is_empty() {
            return Err(empty(what));
        }
    }
    let places = if settings.positions { settings.window.places() } else { 1 };
    let cols = places.saturating_mul(chosen[1].len());
    if cols >= u32::MAX as usize {
        return Err(Fault::from(lcca::Error::TooManyColumns { cols }).at(&settings.corpus.files[0]));
    }
    let rows = match settings.merge {
        true => fill(settings, &counted, &chosen, Merged::default())?,
        false => fill(settings, &counted, &chosen, Spooled::create(folder)?)?,
    };
    if rows.x.is_empty() {
        return Err(Fault::new("no row is left: no word kept in x has a word kept in y around it")
            .at(&settings.corpus.files[0]));
    }
    finish(settings, &counted, &chosen, rows, folder)
}

/// The second pass.
fn fill(
    settings: &WordSettings,
    counted: &Counted,
    chosen: &[Vec<u32>; 2],
    mut sink: impl RowSink,
) -> Result<Rows> {
    let [x, y] = [0, 1].map(|side| numbered(&chosen[side], counted.words.len()));
    let stride = if settings.positions { chosen[1].len() } else { 0 };
    let mut sliding = Sliding::new(settings.window);
    let mut context: Vec<u32> = Vec::new();
    let mut visit = |word: u32, around: &mut dyn Iterator<Item = (usize, u32)>| {
        if x[word as usize] == DROPPED {
            return Ok(());
        }
        context.clear();
        let kept =
            around.map(|(place, word)| (place, y[word as usize])).filter(|&(_, column)| column != DROPPED);
        context.extend(kept.map(|(place, column)| (place * stride) as u32 + column));
        context.sort_unstable();
        context.dedup();
        match context.is_empty() {
            true => Ok(()),
            false => sink.push(x[word as usize], &context),
        }
    };
    settings
        .corpus
        .numbers(&counted.words, settings.across_lines, |number| sliding.push(number, &mut visit))?;
    sink.finish()
}

/// The column of each word, or that it has none.
fn numbered(chosen: &[u32], words: usize) -> Vec<u32> {
    let mut column = vec![DROPPED; words];
    chosen.iter().zip(0..).for_each(|(&number, at)| column[number as usize] = at);
    column
}

fn finish(
    settings: &WordSettings,
    counted: &Counted,
    chosen: &[Vec<u32>; 2],
    rows: Rows,
    folder: &OutputFolder,
) -> Result<WordViews> {
    let places = if settings.positions { settings.window.places() } else { 1 };
    let word = |side: usize, column: usize| counted.words.name(chosen[side][column]);
    let placed = |column: usize| match settings.positions {
        false => word(1, column).to_string(),
        true => format!(
            "{:+}:{}",
            settings.window.distance(column / chosen[1].len()),
            word(1, column % chosen[1].len())
        ),
    };
    let x_counts = counts(&rows.x, None, &rows.weights, chosen[0].len());
    let y_counts = counts(&rows.y, Some(&rows.ends), &rows.weights, places * chosen[1].len());
    let (x, y) = (used(&x_counts), used(&y_counts));
    let [x_ids, y_ids] = [(&rows.x, &x, "x.spool"), (&rows.y, &y, "y.spool")]
        .map(|(ids, used, name)| renumbered(ids, used, folder, name));
    let failed = |fault: Fault| fault.at(&settings.corpus.files[0]);
    let one_hot = |cols: usize, ids: Buffer<u32>| {
        OneHotRows::new(cols, ids).map(Matrix::from).map_err(|error| failed(error.into()))
    };
    let x_matrix = one_hot(x.columns.len(), x_ids?)?;
    let y_matrix = match settings.window.places() {
        1 => one_hot(y.columns.len(), y_ids?)?,
        _ => sets(y.columns.len(), rows.ends, y_ids?).map_err(failed)?,
    };
    let x_view = WordView {
        matrix: x_matrix,
        names: Names::new(x.columns.iter().map(|&c| word(0, c))),
        counts: x.counts,
    };
    let y_view = WordView {
        matrix: y_matrix,
        names: Names::new(y.columns.iter().map(|&c| placed(c))),
        counts: y.counts,
    };
    Ok(WordViews {
        views: [x_view, y_view],
        weights: rows.weights,
        tokens: counted.tokens,
        distinct: counted.words.len() as u64,
    })
}

fn sets(cols: usize, ends: Buffer<u64>, ids: Buffer<u32>) -> crate::error::Outcome<Matrix> {
    Ok(SparseRows::new(cols, ends, ids, Values::Ones)?.into())
}

/// How often each column occurs in rows; `ends` where rows hold several, from 0.
fn counts(
    ids: &Buffer<u32>,
    ends: Option<&Buffer<u64>>,
    weights: &Option<Vec<f64>>,
    cols: usize,
) -> Vec<u64> {
    let mut counts = vec![0u64; cols];
    let Some(weights) = weights else {
        ids.iter().for_each(|id| counts[id as usize] += 1);
        return counts;
    };
    let ids = ids.as_slice();
    for (row, &weight) in weights.iter().enumerate() {
        let span = match ends.map(Buffer::as_slice) {
            Some(ends) if !ends.is_empty() => ends[row].get() as usize..ends[row + 1].get() as usize,
            _ => row..row + 1,
        };
        ids[span].iter().for_each(|id| counts[id.get() as usize] += weight as u64);
    }
    counts
}

/// Columns that some row holds.
struct Used {
    columns: Vec<usize>,
    counts: Vec<u64>,
    /// The new number of each old one.
    to: Vec<u32>,
}

fn used(counts: &[u64]) -> Used {
    let columns: Vec<usize> = (0..counts.len()).filter(|&column| counts[column] > 0).collect();
    let mut to = vec![DROPPED; counts.len()];
    columns.iter().zip(0..).for_each(|(&column, at)| to[column] = at);
    Used { counts: columns.iter().map(|&column| counts[column]).collect(), columns, to }
}

fn renumbered(ids: &Buffer<u32>, used: &Used, folder: &OutputFolder, name: &str) -> Result<Buffer<u32>> {
    if used.columns.len() == used.to.len() {
        return Ok(ids.clone());
    }
    let mut spool = super::spool::Spool::create(&folder.path(name))?;
    ids.iter().try_for_each(|id| spool.push(used.to[id as usize]))?;
    spool.finish()
}
