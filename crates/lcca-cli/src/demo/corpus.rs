//! A generated text: words from a hidden chain of word classes, a stand-in for the Penn Treebank.
//!
//! X is the word, and Y the word after it. Word frequencies follow Zipf's law with a long tail of words
//! that occur once. Classes come in pairs that tend to alternate, some pairs strictly and some hardly, and
//! most pairs own no frequent word. Much of the correlation therefore lives in rare words, which neither
//! the leading principal components nor a few gradient steps reach. D-CCA is exact, because both Gram
//! matrices are diagonal.

use super::frequency::{Numbering, counts};
use super::wheel::{Wheel, below, chance, zipf};
use lcca::matrix::{Matrix, OneHotRows};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The number of words of the language; a text shows only some of them.
const LANGUAGE: usize = 30_000;
/// The next word is always one of this many, the most frequent ones.
const NEXT_WORDS: usize = 1_500;
/// The number of pairs of word classes in the hidden chain.
const PAIRS: usize = 24;
/// How often the strictest pair alternates, in thousandths.
const STRICTEST: u64 = 960;
/// How much less often each looser pair alternates, in thousandths.
const LOOSENING: u64 = 41;
/// How often, in thousandths, a word of any class replaces one of the current class.
const STRAY: u64 = 30;

/// The word and the word after it, for `tokens` tokens of generated text, as one-hot rows.
///
/// Only tokens followed by one of the 1,500 most frequent words make a row. A view has a column for each word
/// that occurs in it, from the most to the least frequent.
pub fn corpus(tokens: usize, seed: u64) -> (Matrix, Matrix) {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let text = Language::new(rng).text(tokens, rng);
    let rank = Numbering::by_frequency(&counts(text.iter().copied(), LANGUAGE), 1).new;
    let is_frequent = |word: usize| rank[word].is_some_and(|rank| (rank as usize) < NEXT_WORDS);
    let pairs = text.windows(2).filter(|pair| is_frequent(pair[1])).map(|pair| (pair[0], pair[1]));
    let (words, next): (Vec<usize>, Vec<usize>) = pairs.unzip();
    (one_hot(&words), one_hot(&next))
}

/// The words of the language, and which class tends to follow which.
struct Language {
    /// The classes of words. Class 2i alternates with class 2i + 1.
    classes: Vec<Class>,
    /// Draws the next class when a pair stops alternating.
    entry: Wheel,
    /// Draws a word of any class.
    any_word: Wheel,
}

struct Class {
    /// The words of the class, from the most to the least frequent.
    words: Vec<usize>,
    wheel: Wheel,
    /// How often the other class of the pair comes next, in thousandths.
    strictness: u64,
}

impl Language {
    fn new(rng: &mut impl Rng) -> Self {
        let mut members = vec![Vec::new(); 2 * PAIRS];
        (0..LANGUAGE).for_each(|word| members[below(rng, open_classes(word)) as usize].push(word));
        let classes: Vec<Class> =
            members.into_iter().enumerate().map(|(i, words)| Class::new(i, words)).collect();
        Language {
            entry: Wheel::new(classes.iter().map(Class::entry_weight)),
            any_word: Wheel::new((0..LANGUAGE).map(weight)),
            classes,
        }
    }

    fn text(&self, tokens: usize, rng: &mut impl Rng) -> Vec<usize> {
        let mut class = self.entry.draw(rng);
        let mut next_word = || {
            let alternates = chance(rng, self.classes[class].strictness);
            class = if alternates { class ^ 1 } else { self.entry.draw(rng) };
            if chance(rng, STRAY) { self.any_word.draw(rng) } else { self.classes[class].word(rng) }
        };
        (0..tokens).map(|_| next_word()).collect()
    }
}

impl Class {
    fn new(number: usize, words: Vec<usize>) -> Self {
        // Seven is prime to the number of pairs, so every degree of strictness is given once, to frequent
        // and rare classes alike.
        let looseness = (number / 2 * 7 + 16) % PAIRS;
        let wheel = Wheel::new(words.iter().copied().map(weight));
        Class { words, wheel, strictness: STRICTEST - LOOSENING * looseness as u64 }
    }

    /// How often the chain enters this pair. A pair keeps the chain for 1/(1 − strictness) words, so
    /// entering it that much less often leaves the frequencies of its words unchanged.
    fn entry_weight(&self) -> u64 {
        let mass: u64 = self.words.iter().copied().map(weight).sum();
        mass / 1000 * (1000 - self.strictness)
    }

    fn word(&self, rng: &mut impl Rng) -> usize {
        self.words[self.wheel.draw(rng)]
    }
}

/// The number of classes that the word of this rank may belong to, because class c has no word before rank
/// c³/40.
fn open_classes(word: usize) -> u64 {
    (0..2 * PAIRS as u64).take_while(|c| c * c * c / 40 <= word as u64).count() as u64
}

/// The weight of a word by Zipf's law, falling twice as steeply after the first thousands of words, as in
/// real vocabularies.
fn weight(word: usize) -> u64 {
    zipf(word, 1) / (5_000 + word as u64)
}

/// One-hot rows with a column for each word that occurs.
fn one_hot(words: &[usize]) -> Matrix {
    let numbering = Numbering::by_frequency(&counts(words.iter().copied(), LANGUAGE), 1);
    let columns: Vec<u32> = words.iter().filter_map(|&word| numbering.new[word]).collect();
    OneHotRows::new(numbering.kept, columns.into()).expect("columns are numbered from zero").into()
}

#[cfg(test)]
mod tests {
    use super::super::laws::{checksum, column_counts};
    use super::*;

    #[test]
    fn the_text_is_the_same_on_every_machine() {
        let (x, y) = corpus(20_000, 1);
        assert_eq!((checksum(&x), checksum(&y)), (3_300_699_306_812_626_431, 13_717_688_674_514_357_108));
        assert_ne!(checksum(&corpus(20_000, 2).0), checksum(&x));
    }

    #[test]
    fn every_row_is_one_word_and_the_next() {
        let (x, y) = corpus(20_000, 3);
        assert_eq!(x.rows(), y.rows());
        for view in [x, y] {
            assert_eq!(view.kind(), "one-hot");
            assert_eq!(view.entries(), view.rows() as u64);
        }
    }

    #[test]
    fn frequencies_fall_like_zipfs_law_down_to_words_seen_once() {
        let (x, y) = corpus(100_000, 4);
        let (x, y) = (column_counts(&x), column_counts(&y));
        for counts in [&x, &y] {
            assert!(counts.is_sorted_by(|a, b| a >= b) && !counts.contains(&0));
        }
        assert!(x[0] > 3_000 && x[x.len() / 2] <= 3 && x[x.len() - 1] == 1, "{} .. {}", x[0], x[x.len() / 2]);
        assert!((4..16).contains(&(x[0] / x[9])), "{} against {}", x[0], x[9]);
        assert!(y.len() == NEXT_WORDS && y[0] > 100 * y[NEXT_WORDS - 1]);
    }

    #[test]
    fn a_tiny_text_makes_a_matrix_too() {
        for tokens in [0, 1, 2] {
            let (x, y) = corpus(tokens, 5);
            assert_eq!((x.rows(), y.rows()), (tokens.saturating_sub(1), tokens.saturating_sub(1)));
        }
    }
}
