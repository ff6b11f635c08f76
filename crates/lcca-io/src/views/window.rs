//! Visits each word with the words around it, in a stream of word numbers.

/// The number that ends a sentence. No word has it.
pub(crate) const BREAK: u32 = u32::MAX;

/// The context of a word: the numbers of words on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The number of words before.
    pub left: usize,
    /// The number of words after.
    pub right: usize,
}

impl Window {
    /// The number of places of a context.
    pub fn places(self) -> usize {
        self.left + self.right
    }

    /// The distance of a place from the word: -1 is the word before it, 1 the word after it.
    pub fn distance(self, place: usize) -> i64 {
        let distance = place as i64 - self.left as i64;
        if distance < 0 { distance } else { distance + 1 }
    }
}

impl std::str::FromStr for Window {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        const MOST: usize = 1000;
        let sides = typed.split_once(':').and_then(|(l, r)| Some((l.parse().ok()?, r.parse().ok()?)));
        match sides {
            Some((left, right)) if left + right > 0 && left <= MOST && right <= MOST => {
                Ok(Window { left, right })
            }
            _ => Err("expected LEFT:RIGHT, how many words before and after, such as 0:1 or 2:2".into()),
        }
    }
}

/// The words of a sentence that wait for their context, or are part of that of others.
pub(crate) struct Sliding {
    window: Window,
    words: Vec<u32>,
    /// The index of the first word that has not been handed over.
    next: usize,
}

impl Sliding {
    pub(crate) fn new(window: Window) -> Self {
        Sliding { window, words: Vec::new(), next: 0 }
    }

    /// Takes the next word, or [`BREAK`]. `visit` gets a word and every (place, word) of its context.
    pub(crate) fn push<E>(
        &mut self,
        word: u32,
        visit: &mut impl FnMut(u32, &mut dyn Iterator<Item = (usize, u32)>) -> Result<(), E>,
    ) -> Result<(), E> {
        if word == BREAK {
            while self.next < self.words.len() {
                self.hand_over(visit)?;
            }
            self.words.clear();
            self.next = 0;
            return Ok(());
        }
        self.words.push(word);
        if self.next + self.window.right < self.words.len() {
            self.hand_over(visit)?;
        }
        self.forget();
        Ok(())
    }

    fn hand_over<E>(
        &mut self,
        visit: &mut impl FnMut(u32, &mut dyn Iterator<Item = (usize, u32)>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Window { left, right } = self.window;
        let (index, words) = (self.next, &self.words);
        let before =
            (0..left).filter(|place| index + place >= left).map(|place| (place, words[index + place - left]));
        let after = (1..=right).filter_map(|step| Some((left + step - 1, *words.get(index + step)?)));
        self.next += 1;
        visit(words[index], &mut before.chain(after))
    }

    /// Drops words that are too far back for any context. This moves the others, so it is done rarely.
    fn forget(&mut self) {
        const MANY: usize = 1 << 16;
        if self.next > MANY + self.window.left {
            self.words.drain(..self.next - self.window.left);
            self.next = self.window.left;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contexts(window: &str, words: &[u32]) -> Vec<(u32, Vec<(i64, u32)>)> {
        let window: Window = window.parse().unwrap();
        let (mut sliding, mut contexts) = (Sliding::new(window), Vec::new());
        let mut visit = |word, around: &mut dyn Iterator<Item = (usize, u32)>| {
            contexts.push((word, around.map(|(place, word)| (window.distance(place), word)).collect()));
            Ok::<(), ()>(())
        };
        words.iter().chain([&BREAK]).for_each(|&word| sliding.push(word, &mut visit).unwrap());
        contexts
    }

    #[test]
    fn contexts_end_with_their_sentence() {
        let next = contexts("0:1", &[1, 2, BREAK, BREAK, 3]);
        assert_eq!(next, [(1, vec![(1, 2)]), (2, vec![]), (3, vec![])]);
        let around = contexts("1:2", &[1, 2, 3]);
        assert_eq!(around, [(1, vec![(1, 2), (2, 3)]), (2, vec![(-1, 1), (1, 3)]), (3, vec![(-1, 2)])]);
    }

    #[test]
    fn a_long_stream_forgets_nothing_it_needs() {
        let words: Vec<u32> = (0..300_000).collect();
        for (index, (word, around)) in contexts("3:2", &words).iter().enumerate() {
            let expected = [-3i64, -2, -1, 1, 2].map(|d| (d, index as i64 + d));
            let expected =
                expected.iter().filter(|(_, w)| (0..300_000).contains(w)).map(|&(d, w)| (d, w as u32));
            assert!(*word == index as u32 && around.iter().copied().eq(expected), "{index}");
        }
    }

    #[test]
    fn windows_are_typed_as_left_and_right() {
        assert_eq!("2:3".parse(), Ok(Window { left: 2, right: 3 }));
        for typed in ["", "1", "0:0", "a:1", "-1:2", "1:99999"] {
            assert!(typed.parse::<Window>().is_err(), "{typed}");
        }
    }
}
