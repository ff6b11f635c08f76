//! A corpus of one or more files, which is read from beginning to end as often as needed: to count its
//! words, or to number them.

use super::input::broken_text;
use super::interner::Interner;
use super::tokens::{Tokens, lowercase};
use super::window::BREAK;
use crate::error::{Fault, Result};
use crate::input::lines::{LineBatch, LineReader};
use crate::safe::parallel::in_order;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The files of a corpus, and how their lines become words.
#[derive(Clone, Debug, PartialEq)]
pub struct Corpus {
    /// The files, read one after another. No context reaches from one file into the next.
    pub files: Vec<PathBuf>,
    /// How lines are split into words.
    pub tokens: Tokens,
    /// Whether to bring lines into lower case first.
    pub lowercase: bool,
    /// Whether broken UTF-8 is replaced and not refused.
    pub lossy: bool,
}

/// The words of a corpus and how often each occurs.
#[derive(Default)]
pub(crate) struct Counted {
    pub(crate) words: Interner,
    pub(crate) counts: Vec<u64>,
    pub(crate) tokens: u64,
}

impl Counted {
    fn add(&mut self, word: &str, count: u64) {
        let number = self.words.intern(word) as usize;
        self.counts.resize(self.words.len(), 0);
        self.counts[number] += count;
        self.tokens += count;
    }
}

impl Corpus {
    /// Makes one pass over all files.
    fn pass<T: Send>(
        &self,
        work: impl Fn(&Path, &LineBatch) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()>,
        mut end_of_file: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        for path in &self.files {
            let mut reader = LineReader::open(path).map_err(|fault| fault.at(path))?;
            let next = || reader.batch(usize::MAX).map_err(|fault| fault.at(path));
            in_order(next, |batch| work(path, &batch), &mut take)?;
            end_of_file()?;
        }
        Ok(())
    }

    fn for_each(&self, path: &Path, line: u64, bytes: &[u8], visit: impl FnMut(&str)) -> Result<()> {
        let text = match (std::str::from_utf8(bytes), self.lossy) {
            (Ok(text), _) => Cow::Borrowed(text),
            (Err(_), true) => String::from_utf8_lossy(bytes),
            (Err(_), false) => return Err(broken_text(line).at(path)),
        };
        if self.lowercase {
            self.tokens.for_each(&lowercase(&text), visit);
        } else {
            self.tokens.for_each(&text, visit);
        }
        Ok(())
    }

    /// Counts every word of the corpus, in order of first appearance. `progress` gets the number of tokens
    /// read up to then.
    pub(crate) fn count(&self, progress: &dyn Fn(u64)) -> Result<Counted> {
        let mut all = Counted::default();
        let work = |path: &Path, batch: &LineBatch| {
            let mut counted = Counted::default();
            let mut lines = batch.lines();
            lines.try_for_each(|(line, bytes)| {
                self.for_each(path, line, bytes, |word| counted.add(word, 1))
            })?;
            Ok(counted)
        };
        let take = |batch: Counted| {
            batch.words.names().zip(&batch.counts).for_each(|(word, &count)| all.add(word, count));
            progress(all.tokens);
            Ok(())
        };
        self.pass(work, take, || Ok(()))?;
        if all.tokens < 2 {
            let message = format!("{} words in the corpus, expected two or more", all.tokens);
            return Err(Fault::new(message).at(&self.files[0]));
        }
        Ok(all)
    }

    /// Visits the numbers of all words in order, with [`BREAK`] after each file and, unless contexts reach
    /// across lines, after each line.
    pub(crate) fn numbers(
        &self,
        words: &Interner,
        across_lines: bool,
        mut visit: impl FnMut(u32) -> Result<()>,
    ) -> Result<()> {
        let work = |path: &Path, batch: &LineBatch| {
            let mut numbers = Vec::new();
            for (line, bytes) in batch.lines() {
                // If the first pass did not see a word, the file has changed since. Such a word ends the
                // context.
                self.for_each(path, line, bytes, |word| numbers.push(words.get(word).unwrap_or(BREAK)))?;
                if !across_lines {
                    numbers.push(BREAK);
                }
            }
            Ok(numbers)
        };
        let visit = std::cell::RefCell::new(&mut visit);
        let take =
            |numbers: Vec<u32>| numbers.into_iter().try_for_each(|number| (visit.borrow_mut())(number));
        self.pass(work, take, || (visit.borrow_mut())(BREAK))
    }
}
