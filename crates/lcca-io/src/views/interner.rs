//! Strings numbered in the order in which they first appear. Each is stored once.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

#[derive(Default)]
pub(crate) struct Interner {
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
    text: String,
    ends: Vec<usize>,
}

impl Interner {
    /// The number of a string; a new string gets the next number.
    pub(crate) fn intern(&mut self, string: &str) -> u32 {
        let hash = self.hasher.hash_one(string);
        let (text, ends) = (&self.text, &self.ends);
        if let Some(&number) = self.numbers.find(hash, |&number| slice(text, ends, number) == string) {
            return number;
        }
        let number = self.ends.len() as u32;
        self.text.push_str(string);
        self.ends.push(self.text.len());
        let (text, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        self.numbers.insert_unique(hash, number, |&number| hasher.hash_one(slice(text, ends, number)));
        number
    }

    /// The number of a string, if it was interned before.
    pub(crate) fn get(&self, string: &str) -> Option<u32> {
        self.numbers.find(self.hasher.hash_one(string), |&number| self.name(number) == string).copied()
    }

    pub(crate) fn name(&self, number: u32) -> &str {
        slice(&self.text, &self.ends, number)
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|number| self.name(number))
    }
}

fn slice<'a>(text: &'a str, ends: &[usize], number: u32) -> &'a str {
    let index = number as usize;
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &text[start..ends[index]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_first_appearance() {
        let mut interner = Interner::default();
        let numbers: Vec<u32> = ["b", "", "a", "b", "", "é"].iter().map(|s| interner.intern(s)).collect();
        assert_eq!(numbers, [0, 1, 2, 0, 1, 3]);
        assert_eq!(interner.names().collect::<Vec<_>>(), ["b", "", "a", "é"]);
        assert_eq!((interner.get("a"), interner.get("c")), (Some(2), None));
    }
}
