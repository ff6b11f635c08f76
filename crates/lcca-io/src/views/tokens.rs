//! Splits a text into its tokens, by one of a few plain rules. Every rule depends only on the text, and
//! keeps the order.

use std::borrow::Cow;
use std::str::FromStr;

/// The rule by which a text becomes tokens. `Display` and `FromStr` use the names that [`Tokens::RULES`]
/// lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// Runs of Unicode letters, digits and underscores.
    Words,
    /// Runs of characters between ASCII white space.
    Whitespace,
    /// Every run of this many characters; a shorter text is one token.
    Chars(usize),
    /// The parts of a path.
    Path,
    /// The parts of a path without the last.
    Folders,
    /// Every folder above a path: `usr`, `usr/share`.
    Prefixes,
    /// Runs of ASCII letters and digits in the last part of a path.
    Basename,
    /// Runs of ASCII letters and digits.
    Alnum,
    /// The parts between separators, without white space around them.
    Split(char),
    /// The whole text.
    Whole,
}

impl Tokens {
    /// The names of the rules, for messages.
    pub const RULES: &'static str =
        "words, whitespace, chars:N, path, folders, prefixes, basename, alnum, split:C or whole";

    /// Calls `visit` with every token.
    pub fn for_each(self, text: &str, mut visit: impl FnMut(&str)) {
        let mut keep = |token: &str| {
            if !token.is_empty() {
                visit(token);
            }
        };
        match self {
            Tokens::Words => text.split(|c: char| !c.is_alphanumeric() && c != '_').for_each(keep),
            Tokens::Whitespace => text.split_ascii_whitespace().for_each(keep),
            Tokens::Chars(length) => runs(text, length, keep),
            Tokens::Path => text.split('/').for_each(keep),
            Tokens::Folders => text
                .rsplit_once('/')
                .into_iter()
                .for_each(|(folder, _)| folder.split('/').for_each(&mut keep)),
            Tokens::Prefixes => text.match_indices('/').for_each(|(end, _)| keep(&text[..end])),
            Tokens::Basename => alnum(text.rsplit_once('/').map_or(text, |(_, name)| name), keep),
            Tokens::Alnum => alnum(text, keep),
            Tokens::Split(separator) => text.split(separator).map(str::trim).for_each(keep),
            Tokens::Whole => keep(text),
        }
    }
}

fn alnum(text: &str, visit: impl FnMut(&str)) {
    text.split(|c: char| !c.is_ascii_alphanumeric()).for_each(visit);
}

fn runs(text: &str, length: usize, mut visit: impl FnMut(&str)) {
    let starts = || text.char_indices().map(|(start, _)| start);
    let ends = starts().chain([text.len()]).skip(length);
    let mut any = false;
    for (start, end) in starts().zip(ends) {
        any = true;
        visit(&text[start..end]);
    }
    if !any {
        visit(text);
    }
}

/// The text in lower case by Unicode's rules. It is not copied if it is ASCII without upper case letters.
pub(crate) fn lowercase(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        Cow::Owned(text.to_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

impl FromStr for Tokens {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        Ok(match typed.split_once(':').unwrap_or((typed, "")) {
            ("words", "") => Tokens::Words,
            ("whitespace", "") => Tokens::Whitespace,
            ("path", "") => Tokens::Path,
            ("folders", "") => Tokens::Folders,
            ("prefixes", "") => Tokens::Prefixes,
            ("basename", "") => Tokens::Basename,
            ("alnum", "") => Tokens::Alnum,
            ("whole", "") => Tokens::Whole,
            ("chars", length) => match length.parse() {
                Ok(length @ 1..=64) => Tokens::Chars(length),
                _ => {
                    return Err(format!(
                        "{typed:?} has no length from 1 to 64, expected one such as chars:3"
                    ));
                }
            },
            ("split", separator) if separator.chars().count() == 1 => {
                Tokens::Split(separator.chars().next().unwrap_or(','))
            }
            _ => return Err(format!("expected {}", Tokens::RULES)),
        })
    }
}

impl std::fmt::Display for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Tokens::Chars(length) => write!(f, "chars:{length}"),
            Tokens::Split(separator) => write!(f, "split:{separator}"),
            other => f.write_str(&format!("{other:?}").to_lowercase()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(rule: &str, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        let rule: Tokens = rule.parse().unwrap();
        rule.for_each(text, |token| tokens.push(token.to_string()));
        assert_eq!(rule.to_string().parse(), Ok(rule));
        tokens
    }

    #[test]
    fn every_rule_does_what_its_name_says() {
        assert_eq!(tokens("words", "L'été, c_3 & don't!"), ["L", "été", "c_3", "don", "t"]);
        assert_eq!(tokens("whitespace", " a,b\tc\u{a0}d "), ["a,b", "c\u{a0}d"]);
        assert_eq!(tokens("chars:3", "été!"), ["été", "té!"]);
        assert_eq!(tokens("chars:3", "ab"), ["ab"]);
        assert_eq!(tokens("path", "usr/share//doc/a.gz"), ["usr", "share", "doc", "a.gz"]);
        assert_eq!(tokens("folders", "usr/share/doc/a.gz"), ["usr", "share", "doc"]);
        assert_eq!(tokens("prefixes", "usr/share/a.gz"), ["usr", "usr/share"]);
        assert_eq!(tokens("basename", "usr/lib64/libX-1.so.é2"), ["libX", "1", "so", "2"]);
        assert_eq!(tokens("alnum", "a/b-c"), ["a", "b", "c"]);
        assert_eq!(tokens("split:,", "red, green,,blue "), ["red", "green", "blue"]);
        assert_eq!(tokens("whole", "one two"), ["one two"]);
        for rule in ["words", "chars:2", "path", "folders", "whole", "split:;"] {
            assert_eq!(tokens(rule, ""), [""; 0], "{rule}");
        }
    }

    #[test]
    fn rules_that_make_no_sense_are_refused() {
        for rule in ["", "word", "chars", "chars:0", "chars:x", "split:", "split:ab", "words:3"] {
            assert!(rule.parse::<Tokens>().is_err(), "{rule}");
        }
    }
}
