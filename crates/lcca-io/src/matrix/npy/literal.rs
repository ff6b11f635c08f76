//! Python literals, as headers of array files are written: dictionaries, tuples, lists, texts, whole
//! numbers, `True`, `False` and `None`.
//!
//! This is the part of `ast.literal_eval` that NumPy's writers use. Any other literal is refused, and so is
//! a key that occurs twice, because Python would keep the last one and other readers keep the first.

use crate::error::{Fault, Outcome};

/// How deep values may be nested.
const DEEPEST: usize = 32;

/// A value of a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    Number(u64),
    Boolean(bool),
    None,
    Tuple(Vec<Literal>),
    List(Vec<Literal>),
    Dictionary(Vec<(String, Literal)>),
}

impl Literal {
    /// Parses a text that holds one value, with space around it.
    pub(super) fn parse(text: &str) -> Outcome<Literal> {
        let mut reader = Reader { rest: text };
        let value = reader.value(0)?;
        match reader.peek() {
            None => Ok(value),
            Some(_) => Err(reader.wrong("the end of the header")),
        }
    }
}

/// The rest of the text, which is still to be parsed.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// The next character that is not a space.
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    /// Moves past this character if it is the next one, and returns whether it was.
    fn takes(&mut self, character: char) -> bool {
        let is_next = self.peek() == Some(character);
        if is_next {
            self.next();
        }
        is_next
    }

    fn wrong(&mut self, expected: &str) -> Fault {
        const SHOWN: usize = 20;
        let found = match self.peek() {
            None => "its end".to_string(),
            Some(_) => format!("{:?}", self.rest.chars().take(SHOWN).collect::<String>()),
        };
        Fault::new(format!("the header is no Python dictionary: found {found}, expected {expected}"))
    }

    fn value(&mut self, depth: usize) -> Outcome<Literal> {
        if depth > DEEPEST {
            return Err(Fault::new(format!("the header is nested deeper than {DEEPEST} levels")));
        }
        match self.peek() {
            Some('{') => self.dictionary(depth),
            Some('(') => self.tuple(depth),
            Some('[') => {
                self.next();
                Ok(Literal::List(self.items(']', depth)?.0))
            }
            Some('\'' | '"') => Ok(Literal::Text(self.text()?)),
            Some('0'..='9') => self.number(),
            _ => self.word(),
        }
    }

    fn dictionary(&mut self, depth: usize) -> Outcome<Literal> {
        self.next();
        let mut entries: Vec<(String, Literal)> = Vec::new();
        while !self.takes('}') {
            let Some('\'' | '"') = self.peek() else { return Err(self.wrong("a key in quotes")) };
            let key = self.text()?;
            if entries.iter().any(|(other, _)| *other == key) {
                return Err(Fault::new(format!("the header has the field {key:?} twice, expected it once")));
            }
            if !self.takes(':') {
                return Err(self.wrong("a colon"));
            }
            entries.push((key, self.value(depth + 1)?));
            if !self.takes(',') && self.peek() != Some('}') {
                return Err(self.wrong("a comma or a closing brace"));
            }
        }
        Ok(Literal::Dictionary(entries))
    }

    /// Parses values in parentheses. They are a tuple, but one value without a comma is that value.
    fn tuple(&mut self, depth: usize) -> Outcome<Literal> {
        self.next();
        let (mut items, commas) = self.items(')', depth)?;
        Ok(match (items.pop(), commas) {
            (Some(only), 0) => only,
            (last, _) => Literal::Tuple(items.into_iter().chain(last).collect()),
        })
    }

    /// Parses the values up to a closing bracket, and returns them with the number of commas.
    fn items(&mut self, end: char, depth: usize) -> Outcome<(Vec<Literal>, usize)> {
        let (mut items, mut commas) = (Vec::new(), 0);
        while !self.takes(end) {
            items.push(self.value(depth + 1)?);
            if self.takes(',') {
                commas += 1;
            } else if self.peek() != Some(end) {
                return Err(self.wrong("a comma or a closing bracket"));
            }
        }
        Ok((items, commas))
    }

    fn text(&mut self) -> Outcome<String> {
        let quote = self.next();
        let mut text = String::new();
        loop {
            match self.next() {
                next if next == quote => return Ok(text),
                Some('\\') => match self.next() {
                    Some(escaped @ ('\\' | '\'' | '"')) => text.push(escaped),
                    _ => return Err(Fault::new("the header has an escape in a text, expected plain ones")),
                },
                Some('\n') | None => {
                    return Err(Fault::new("the header has a text without its closing quote"));
                }
                Some(other) => text.push(other),
            }
        }
    }

    /// Parses a whole number. An L may follow, because Python 2 wrote one behind long numbers.
    fn number(&mut self) -> Outcome<Literal> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        let rest = rest.strip_prefix('L').unwrap_or(rest);
        let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '.' || c == '_');
        match digits.parse().ok().filter(|_| ends) {
            Some(number) => {
                self.rest = rest;
                Ok(Literal::Number(number))
            }
            None => Err(self.wrong("a whole number below 2⁶⁴")),
        }
    }

    fn word(&mut self) -> Outcome<Literal> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let value = match &self.rest[..end] {
            "True" => Literal::Boolean(true),
            "False" => Literal::Boolean(false),
            "None" => Literal::None,
            _ => return Err(self.wrong("a value")),
        };
        self.rest = &self.rest[end..];
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Literal::*;

    fn parse(text: &str) -> Result<Literal, String> {
        Literal::parse(text).map_err(|fault| fault.at("f".as_ref()).to_string())
    }

    #[test]
    fn values_are_what_python_takes_them_for() {
        let text = |text: &str| Text(text.into());
        for (literal, expected) in [
            (" (3, 4) \n", Tuple(vec![Number(3), Number(4)])),
            ("(3,)", Tuple(vec![Number(3)])),
            ("(3)", Number(3)),
            ("()", Tuple(vec![])),
            ("[1, 'a',]", List(vec![Number(1), text("a")])),
            ("12L", Number(12)),
            (r#"'it\'s "here"'"#, text(r#"it's "here""#)),
            ("{'a': True, \"b\": None, }", Dictionary(vec![("a".into(), Boolean(true)), ("b".into(), None)])),
            ("{'a': \"'b': (1,)\"}", Dictionary(vec![("a".into(), text("'b': (1,)"))])),
            ("{}", Dictionary(vec![])),
        ] {
            assert_eq!(parse(literal), Ok(expected), "{literal}");
        }
    }

    #[test]
    fn everything_else_is_refused_in_one_line() {
        for (literal, part) in [
            ("{'a': 1, 'a': 2}", "has the field \"a\" twice"),
            ("{'a': 1} {'b': 2}", "found \"{'b': 2}\", expected the end"),
            ("{'a': 1", "found its end"),
            ("{'a': 'b", "without its closing quote"),
            ("{a: 1}", "expected a key in quotes"),
            ("{'a' 1}", "expected a colon"),
            ("(1 2)", "expected a comma"),
            ("(,)", "expected a value"),
            ("1.5", "expected a whole number"),
            ("1_000", "expected a whole number"),
            ("-1", "expected a value"),
            ("99999999999999999999", "below 2⁶⁴"),
            ("Trueish", "expected a value"),
            (r"'\x41'", "an escape"),
            ("", "found its end"),
            (&"(".repeat(1000), "nested deeper"),
        ] {
            let message = parse(literal).unwrap_err();
            assert!(message.contains(part) && message.lines().count() == 1, "{literal}: {message}");
        }
    }
}
