//! Parameters of methods as plain data: names, defaults, ranges and one line of help.
//!
//! Flags, options, help and error texts about a parameter all follow from its [`Parameter`].

use crate::error::{Error, Result};
use std::ops::Index;

/// The most parameters that one method has.
const MOST: usize = 6;

/// One parameter of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// The name, words joined by hyphens: `k-pc`.
    pub name: &'static str,
    /// The meaning of the parameter, as one line of help.
    pub help: &'static str,
    /// The value if none is given, which for a choice is the index of the default.
    pub default: usize,
    /// The smallest value.
    pub least: usize,
    /// The values by name if the parameter is a choice; empty if it is a number.
    pub choices: &'static [&'static str],
    /// The values that an error says were expected.
    pub expected: &'static str,
}

impl Parameter {
    /// A number that is at least `least`.
    pub(crate) const fn number(
        name: &'static str,
        default: usize,
        least: usize,
        expected: &'static str,
        help: &'static str,
    ) -> Self {
        Parameter { name, help, default, least, choices: &[], expected }
    }

    /// The value that a text stands for: a number, or the name of a choice.
    pub fn parse(&self, text: &str) -> Result<usize> {
        let refused = || Error::Setting { name: self.name, value: text.to_string(), expected: self.expected };
        if self.choices.is_empty() {
            text.parse().map_err(|_| refused())
        } else {
            self.choices.iter().position(|choice| *choice == text).ok_or_else(refused)
        }
    }

    /// The text that [`Parameter::parse`] takes for a value.
    pub fn format(&self, value: usize) -> String {
        self.choices.get(value).map_or_else(|| value.to_string(), |choice| choice.to_string())
    }

    /// Whether a value is in range.
    pub(crate) fn check(&self, value: usize) -> Result<()> {
        let in_range = value >= self.least && (self.choices.is_empty() || value < self.choices.len());
        if in_range {
            return Ok(());
        }
        Err(Error::Setting { name: self.name, value: value.to_string(), expected: self.expected })
    }
}

/// The values of some parameters, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Names and values; the entries after the last one are empty.
    entries: [(&'static str, usize); MOST],
    count: usize,
}

impl Values {
    /// The defaults of some parameters.
    ///
    /// # Panics
    /// If there are more parameters than a method may have.
    pub fn defaults<'p>(parameters: impl IntoIterator<Item = &'p Parameter>) -> Self {
        let mut values = Values::default();
        for parameter in parameters {
            values.entries[values.count] = (parameter.name, parameter.default);
            values.count += 1;
        }
        values
    }

    /// The value of a parameter; `None` if there is none with that name.
    pub fn get(&self, name: &str) -> Option<usize> {
        self.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
    }

    /// Sets a value; `false` if there is no parameter with that name.
    pub fn set(&mut self, name: &str, value: usize) -> bool {
        let entry = self.entries[..self.count].iter_mut().find(|entry| entry.0 == name);
        entry.map(|entry| entry.1 = value).is_some()
    }

    /// The names and values, in the order of the parameters.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, usize)> + '_ {
        self.entries[..self.count].iter().copied()
    }
}

/// # Panics
/// If there is no parameter of that name: a method asked for a parameter that its description does not list.
impl Index<&str> for Values {
    type Output = usize;

    fn index(&self, name: &str) -> &usize {
        let entry = self.entries[..self.count].iter().find(|entry| entry.0 == name);
        entry.map(|entry| &entry.1).unwrap_or_else(|| panic!("no parameter {name} among {self:?}"))
    }
}
