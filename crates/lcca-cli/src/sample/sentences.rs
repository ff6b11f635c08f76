//! Generated English sentences with French translations that are free at times, and a corpus of the English
//! ones.
//!
//! Subjects, objects, places and times are drawn by Zipf's law, so some words are frequent and some are
//! rare. A translator who leaves things out or mixes them up keeps the canonical correlations below one, as
//! real translators do.

use super::lexicon::{Person, Phrase, SUBJECTS, Subject, TIMES, TOPICS, Topic};
use crate::demo::wheel::{Wheel, below, chance, zipf};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::fmt::Write as _;

/// How often, in thousandths, a sentence says where and when.
const HAS_PLACE: u64 = 600;
const HAS_TIME: u64 = 600;
/// How often, in thousandths, the translation leaves the place or the time out.
const LEFT_OUT: u64 = 60;
/// How often, in thousandths, the translation has another subject, object or time.
const MIXED_UP: u64 = 40;

/// A table with the columns `english` and `french`, one pair of sentences per line.
pub fn sentence_pairs(rows: usize, seed: u64) -> String {
    let mut writer = Writer::new(seed);
    let mut text = String::from("english\tfrench\n");
    for _ in 0..rows {
        let (english, french) = writer.pair();
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}\t{}", sentence(&english), sentence(&french));
    }
    text
}

/// English sentences in lower case without punctuation, one per line.
pub fn corpus(rows: usize, seed: u64) -> String {
    let mut writer = Writer::new(seed);
    let mut text = String::new();
    for _ in 0..rows {
        text.push_str(&writer.pair().0.join(" ").to_lowercase());
        text.push('\n');
    }
    text
}

/// The distributions that sentences are drawn from.
struct Writer {
    rng: ChaCha8Rng,
    subjects: Wheel,
    topics: Wheel,
    times: Wheel,
}

impl Writer {
    fn new(seed: u64) -> Self {
        let wheel = |items: usize| Wheel::new((0..items).map(|rank| zipf(rank, 3)));
        Writer {
            rng: ChaCha8Rng::seed_from_u64(seed),
            subjects: wheel(SUBJECTS.len()),
            topics: wheel(TOPICS.len()),
            times: wheel(TIMES.len()),
        }
    }

    /// The phrases of a sentence and of its translation.
    fn pair(&mut self) -> (Vec<&'static str>, Vec<String>) {
        let subject = &SUBJECTS[self.subjects.draw(&mut self.rng)];
        let topic = &TOPICS[self.topics.draw(&mut self.rng)];
        let object = self.one_of(topic.objects);
        let mut english =
            vec![subject.phrase.0, topic.english[usize::from(subject.person == Person::She)], object.0];
        let translated = if self.happens(MIXED_UP) { self.one_of(topic.objects) } else { object };
        let who = if self.happens(MIXED_UP) { &SUBJECTS[self.subjects.draw(&mut self.rng)] } else { subject };
        let mut french = vec![subject_and_verb(who, topic), translated.1.to_string()];
        if self.happens(HAS_PLACE) {
            let place = self.one_of(topic.places);
            english.push(place.0);
            if !self.happens(LEFT_OUT) {
                french.push(place.1.to_string());
            }
        }
        if self.happens(HAS_TIME) {
            let time = TIMES[self.times.draw(&mut self.rng)];
            english.push(time.0);
            let other = if self.happens(MIXED_UP) { TIMES[self.times.draw(&mut self.rng)] } else { time };
            if !self.happens(LEFT_OUT) {
                french.push(other.1.to_string());
            }
        }
        (english, french)
    }

    fn happens(&mut self, per_mille: u64) -> bool {
        chance(&mut self.rng, per_mille)
    }

    /// One of a few phrases. The earlier of two draws is taken, so early phrases are more frequent.
    fn one_of(&mut self, phrases: &[Phrase]) -> Phrase {
        let mut draw = || below(&mut self.rng, phrases.len() as u64) as usize;
        phrases[draw().min(draw())]
    }
}

/// The French subject with its verb; "je" loses its vowel before another one.
fn subject_and_verb(subject: &Subject, topic: &Topic) -> String {
    let verb = topic.french[subject.person as usize];
    if subject.person == Person::I && verb.starts_with(['a', 'é']) {
        return format!("j'{verb}");
    }
    format!("{} {verb}", subject.phrase.1)
}

/// The phrases with a capital letter at the start and a period at the end.
fn sentence<T: AsRef<str>>(phrases: &[T]) -> String {
    let text = phrases.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(" ");
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_the_same_on_every_machine_and_read_well() {
        let text = sentence_pairs(3, 1);
        assert_eq!(text, sentence_pairs(3, 1));
        assert_ne!(text, sentence_pairs(3, 2));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "english\tfrench");
        assert_eq!(lines[1..], FIRST_THREE);
    }

    const FIRST_THREE: [&str; 3] = [
        "We eat cheese in the kitchen on Monday.\tNous mangeons du fromage dans la cuisine le lundi.",
        "We drink juice at the restaurant often.\tNous buvons du jus souvent.",
        "I eat rice.\tJe mange du riz.",
    ];

    #[test]
    fn every_pair_has_two_sentences_and_every_word_of_the_lexicon_occurs() {
        let text = sentence_pairs(20_000, 1);
        assert_eq!(text.lines().count(), 20_001);
        assert!(text.lines().all(|line| line.split('\t').count() == 2));
        let phrases = TOPICS.iter().flat_map(|topic| topic.objects.iter().chain(topic.places)).chain(&TIMES);
        for (english, french) in phrases {
            assert!(text.contains(english) && text.contains(french), "{english} {french}");
        }
        assert!(text.contains("J'achète") && !text.contains("Je achète") && !text.contains("Je écris"));
    }

    #[test]
    fn the_corpus_is_lower_case_words() {
        let text = corpus(100, 1);
        assert_eq!(text.lines().count(), 100);
        assert!(text.chars().all(|c| c.is_ascii_lowercase() || c == ' ' || c == '\n'), "{text}");
    }
}
