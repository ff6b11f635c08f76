//! A word against the words around it. x is the word, one-hot. y is its context, one-hot if that is one
//! neighbor, and otherwise a set of words. Takes two passes over the corpus: one counts words, one writes
//! rows.
//!
//! A row is dropped if its word or its whole context is not among the columns, and then columns without
//! rows are dropped. Memory holds the vocabulary and, if equal rows are merged, each distinct row once.
//! Other rows go through files.

use super::corpus::{Corpus, Counted};
use super::keep::Keep;
use super::rows::{Merged, RowSink, Rows, Spooled};
use super::spool::Spool;
use super::window::{Sliding, Window};
use crate::error::{Fault, Outcome, Remedy, Result};
use crate::parts::names::Names;
use crate::safe::folder::OutputFolder;
use lcca::matrix::{Buffer, Matrix, OneHotRows, SparseRows, Values};
use std::path::Path;

/// How a corpus becomes two views.
#[derive(Clone, Debug, PartialEq)]
pub struct WordSettings {
    /// The words.
    pub corpus: Corpus,
    /// The context of a word.
    pub window: Window,
    /// Whether a word at another distance is another column.
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
#[non_exhaustive]
pub struct WordView {
    /// The rows.
    pub matrix: Matrix,
    /// The words. If the distance makes another column, the distance comes before the word.
    pub names: Names,
    /// How often each column occurs. A merged row counts as often as it occurred.
    pub counts: Vec<u64>,
}

/// Both views.
#[non_exhaustive]
pub struct WordViews {
    /// x and y.
    pub views: [WordView; 2],
    /// How often each row occurred, if equal rows were merged.
    pub weights: Option<Vec<f64>>,
    /// The number of words in the corpus.
    pub tokens: u64,
    /// The number of distinct words in the corpus.
    pub distinct: u64,
}

const DROPPED: u32 = u32::MAX;

/// Makes the views. Temporary files are put into `folder` and removed. `progress` gets the number of words
/// counted up to then.
pub fn word_views(
    settings: &WordSettings,
    folder: &OutputFolder,
    progress: &dyn Fn(u64),
) -> Result<WordViews> {
    let failed = |fault: Fault| fault.at(&settings.corpus.files[0]);
    let vocabulary = Vocabulary::choose(settings, settings.corpus.count(progress)?).map_err(failed)?;
    let rows = if settings.merge {
        fill(settings, &vocabulary, Merged::default())?
    } else {
        fill(settings, &vocabulary, Spooled::create(folder)?)?
    };
    if rows.x.is_empty() {
        let message = "no row is left: no word kept in x has a word kept in y around it";
        return Err(failed(Fault::new(message)));
    }
    let x = Used::new(&counts(&rows.x, None, rows.weights.as_deref(), vocabulary.chosen[0].len()));
    let y = Used::new(&counts(&rows.y, Some(&rows.ends), rows.weights.as_deref(), vocabulary.contexts));
    let x_ids = x.renumber(&rows.x, &folder.path("x.spool"))?;
    let y_ids = y.renumber(&rows.y, &folder.path("y.spool"))?;
    let y_matrix = match settings.window.places() {
        1 => one_hot(y.columns.len(), y_ids),
        _ => sets(y.columns.len(), rows.ends, y_ids),
    };
    let x_matrix = one_hot(x.columns.len(), x_ids).map_err(failed)?;
    let x_view = x.view(x_matrix, |column| vocabulary.word(0, column).to_string());
    let y_view = y.view(y_matrix.map_err(failed)?, |column| vocabulary.context(settings, column));
    let (tokens, distinct) = (vocabulary.counted.tokens, vocabulary.counted.words.len() as u64);
    Ok(WordViews { views: [x_view, y_view], weights: rows.weights, tokens, distinct })
}

/// The counted words, and those among them that are columns.
struct Vocabulary {
    counted: Counted,
    /// The words of x and of y, in the order of the columns.
    chosen: [Vec<u32>; 2],
    /// The number of columns of y, each of which is a word, or a word at a distance.
    contexts: usize,
}

impl Vocabulary {
    fn choose(settings: &WordSettings, counted: Counted) -> Outcome<Self> {
        let choose =
            |keep: &Keep| keep.choose(&counted.counts, counted.tokens, |number| counted.words.name(number));
        let chosen = [choose(&settings.x), choose(&settings.y)];
        if let Some(side) = chosen.iter().position(Vec::is_empty) {
            let (view, words) = (["x", "y"][side], counted.words.len());
            let least = settings.x.min_count;
            let message =
                format!("{view}: no word is left of {words}, none occurs {least} times: keep more of them");
            return Err(Fault::new(message).remedied_by(Remedy::KeepMoreWords));
        }
        let places = if settings.positions { settings.window.places() } else { 1 };
        let contexts = places.saturating_mul(chosen[1].len());
        if contexts >= u32::MAX as usize {
            return Err(lcca::Error::TooManyColumns { cols: contexts }.into());
        }
        Ok(Vocabulary { counted, chosen, contexts })
    }

    fn word(&self, side: usize, column: usize) -> &str {
        self.counted.words.name(self.chosen[side][column])
    }

    fn context(&self, settings: &WordSettings, column: usize) -> String {
        let words = self.chosen[1].len();
        let word = self.word(1, column % words);
        if settings.positions {
            format!("{:+}:{word}", settings.window.distance(column / words))
        } else {
            word.to_string()
        }
    }
}

/// Writes the rows, in the second pass.
fn fill(settings: &WordSettings, vocabulary: &Vocabulary, mut sink: impl RowSink) -> Result<Rows> {
    let words = &vocabulary.counted.words;
    let [x, y] = [0, 1].map(|side| numbered(&vocabulary.chosen[side], words.len()));
    let stride = if settings.positions { vocabulary.chosen[1].len() } else { 0 };
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
        if context.is_empty() {
            return Ok(());
        }
        sink.push(x[word as usize], &context)
    };
    settings.corpus.numbers(words, settings.across_lines, |number| sliding.push(number, &mut visit))?;
    sink.finish()
}

/// The column of each word, or [`DROPPED`].
fn numbered(chosen: &[u32], words: usize) -> Vec<u32> {
    let mut column = vec![DROPPED; words];
    chosen.iter().zip(0..).for_each(|(&number, index)| column[number as usize] = index);
    column
}

fn one_hot(cols: usize, ids: Buffer<u32>) -> Outcome<Matrix> {
    Ok(OneHotRows::new(cols, ids)?.into())
}

fn sets(cols: usize, ends: Buffer<u64>, ids: Buffer<u32>) -> Outcome<Matrix> {
    Ok(SparseRows::new(cols, ends, ids, Values::Ones)?.into())
}

/// How often each column occurs in the rows. `ends` has the offsets of rows that hold several columns.
fn counts(ids: &Buffer<u32>, ends: Option<&Buffer<u64>>, weights: Option<&[f64]>, cols: usize) -> Vec<u64> {
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

/// The columns that at least one row holds.
struct Used {
    columns: Vec<usize>,
    counts: Vec<u64>,
    /// The new number of each old column.
    to: Vec<u32>,
}

impl Used {
    fn new(counts: &[u64]) -> Self {
        let columns: Vec<usize> = (0..counts.len()).filter(|&column| counts[column] > 0).collect();
        let mut to = vec![DROPPED; counts.len()];
        columns.iter().zip(0..).for_each(|(&column, index)| to[column] = index);
        Used { counts: columns.iter().map(|&column| counts[column]).collect(), columns, to }
    }

    fn renumber(&self, ids: &Buffer<u32>, file: &Path) -> Result<Buffer<u32>> {
        if self.columns.len() == self.to.len() {
            return Ok(ids.clone());
        }
        let mut spool = Spool::create(file)?;
        ids.iter().try_for_each(|id| spool.push(self.to[id as usize]))?;
        spool.finish()
    }

    fn view(self, matrix: Matrix, name: impl Fn(usize) -> String) -> WordView {
        WordView {
            matrix,
            names: Names::new(self.columns.iter().map(|&column| name(column))),
            counts: self.counts,
        }
    }
}
