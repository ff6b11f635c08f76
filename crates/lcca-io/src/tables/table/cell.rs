//! One cell of a table: missing, a number or Boolean, or a text. The kind of a text is told too, so that an
//! error can name it.

use crate::input::text::real;
use crate::matrix::options::TableOptions;

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    Missing,
    /// A word such as `NA`: a missing value in a column of numbers, but a text like any other in a column
    /// of texts.
    Word,
    /// A number, finite or not; a Boolean is 1 or 0.
    Number(f64),
    Text,
}

/// The kind of a text, by its look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// A date, perhaps with a time.
    Date,
    /// A number with separators, a currency or a percent sign.
    Formatted,
    Plain,
}

/// The texts that stand for a missing value, and how numbers are written.
pub(crate) struct MissingTexts {
    /// The texts that the caller lists, which are missing in every column.
    texts: Vec<Vec<u8>>,
    numbers: Vec<f64>,
    /// Whether the usual words such as `NA` are missing in columns of numbers.
    usual: bool,
    /// The character before decimals.
    decimal: u8,
}

impl MissingTexts {
    pub(crate) fn new(options: &TableOptions) -> Self {
        let decimal = if options.decimal == Some(',') { b',' } else { b'.' };
        let listed = options.na.as_deref().unwrap_or_default();
        let numbers = listed.iter().filter_map(|text| number(text.trim().as_bytes(), decimal));
        MissingTexts {
            numbers: numbers.filter(|number| !number.is_nan()).collect(),
            texts: listed.iter().map(|text| text.trim().as_bytes().to_vec()).collect(),
            usual: options.na.is_none(),
            decimal,
        }
    }

    /// Classifies a field, without the space around it.
    pub(crate) fn cell(&self, field: &[u8]) -> Cell {
        let field = field.trim_ascii();
        match number(field, self.decimal) {
            Some(number) if self.numbers.contains(&number) => Cell::Missing,
            _ if self.is_listed(field) => Cell::Missing,
            Some(number) if number.is_nan() => Cell::Word,
            Some(number) => Cell::Number(number),
            None if self.usual && is_usual_word(field) => Cell::Word,
            None => boolean(field).map_or(Cell::Text, Cell::Number),
        }
    }

    fn is_listed(&self, field: &[u8]) -> bool {
        field.is_empty() || self.texts.iter().any(|text| text == field)
    }

    /// Whether a cell of a column of texts is missing, because it is empty or the caller lists its text.
    pub(crate) fn is_missing(&self, text: &str) -> bool {
        self.is_listed(text.trim().as_bytes())
    }

    /// A number of a file that stores numbers and no texts; NaN if it is missing.
    pub(crate) fn number(&self, number: f64) -> f64 {
        if self.numbers.contains(&number) { f64::NAN } else { number }
    }

    /// The number of digits that a number is written with after its decimal point or comma.
    pub(crate) fn decimals(&self, field: &[u8]) -> usize {
        let fraction = field.trim_ascii().split(|&byte| byte == self.decimal).nth(1).unwrap_or_default();
        fraction.iter().take_while(|byte| byte.is_ascii_digit()).count()
    }
}

/// Parses a number whose decimals come after this character.
fn number(field: &[u8], decimal: u8) -> Option<f64> {
    if decimal == b'.' {
        return real(field);
    }
    let mut text = [0; 64];
    if field.len() > text.len() || field.contains(&b'.') {
        return None;
    }
    let text = &mut text[..field.len()];
    text.copy_from_slice(field);
    if let Some(comma) = text.iter().position(|&byte| byte == decimal) {
        text[comma] = b'.';
    }
    real(text)
}

/// Whether a text is a number with either a comma or a point before its decimals.
pub(crate) fn is_decimal(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    [b'.', b','].into_iter().any(|decimal| number(field, decimal).is_some())
}

/// Whether a text is a word that usually stands for a missing value.
pub(crate) fn is_usual_word(field: &[u8]) -> bool {
    TableOptions::DEFAULT_NA.iter().any(|word| word.as_bytes() == field)
}

fn boolean(field: &[u8]) -> Option<f64> {
    match field {
        b"TRUE" | b"True" | b"true" => Some(1.0),
        b"FALSE" | b"False" | b"false" => Some(0.0),
        _ => None,
    }
}

/// The kind of a text.
pub(crate) fn text_kind(field: &[u8]) -> TextKind {
    let Ok(text) = std::str::from_utf8(field.trim_ascii()) else { return TextKind::Plain };
    if is_date(text) {
        TextKind::Date
    } else if is_formatted(text) {
        TextKind::Formatted
    } else {
        TextKind::Plain
    }
}

/// Whether a text is a date: day, month and year in any order with one separator between them, and perhaps
/// a time, such as 2020-01-31, 31.01.2020, 1/31/20, 31-Jan-2020, 2020-01-31T12:00:00Z.
fn is_date(text: &str) -> bool {
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    let is_time = time.is_empty() || time.contains(':') && time.starts_with(|c: char| c.is_ascii_digit());
    ['-', '/', '.'].into_iter().any(|separator| {
        let parts: Vec<&str> = date.split(separator).collect();
        let [a, b, c] = parts[..] else { return false };
        let digits = |part: &str, most: usize| {
            (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let short = |part: &str| digits(part, 2);
        let year = |part: &str| part.len() == 4 && digits(part, 4);
        is_time
            && (year(a) && (short(b) || is_month(b)) && short(c)
                || short(a) && (short(b) || is_month(b)) && (year(c) || short(c)))
    })
}

fn is_month(part: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let part = part.to_lowercase();
    MONTHS.iter().any(|month| part.starts_with(month)) && part.chars().all(char::is_alphabetic)
}

/// Whether a text is a number with marks, such as 1,234.5 and 1.234,5 and 1 234 and $5 and 12%.
fn is_formatted(text: &str) -> bool {
    const MARKS: [char; 11] = ['$', '€', '£', '¥', '%', ',', '.', '\'', ' ', '\u{a0}', '\u{202f}'];
    let rest = text.trim_start_matches(['+', '-', '(']).trim_end_matches(')');
    rest.contains(|c: char| c.is_ascii_digit())
        && rest.chars().all(|c| c.is_ascii_digit() || MARKS.contains(&c))
        && text.matches('.').count() <= 1 + text.matches(',').count() * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_missing_numbers_booleans_or_texts() {
        let texts = MissingTexts::new(&TableOptions::default());
        for word in ["NA", " NaN ", "nan", "null", "None", ".", "#N/A", "<NA>"] {
            assert_eq!(texts.cell(word.as_bytes()), Cell::Word, "{word:?}");
            assert!(!texts.is_missing(word), "{word:?}");
        }
        for missing in ["", " "] {
            assert_eq!(texts.cell(missing.as_bytes()), Cell::Missing, "{missing:?}");
            assert!(texts.is_missing(missing), "{missing:?}");
        }
        for (field, number) in [("1", 1.0), (" -2.5e3 ", -2500.0), ("TRUE", 1.0), ("false", 0.0)] {
            assert_eq!(texts.cell(field.as_bytes()), Cell::Number(number), "{field:?}");
        }
        for text in ["x", "1,5", "2020-01-31", "na", "T"] {
            assert_eq!(texts.cell(text.as_bytes()), Cell::Text, "{text:?}");
        }
    }

    #[test]
    fn listed_texts_replace_the_usual_ones() {
        let texts = MissingTexts::new(&TableOptions::default().na(vec!["-9".to_string(), "?".to_string()]));
        assert_eq!(["-9", "-9.0", "?", ""].map(|field| texts.cell(field.as_bytes())), [Cell::Missing; 4]);
        assert!(texts.is_missing("?") && !texts.is_missing("NA"));
        assert_eq!((texts.cell(b"NA"), texts.cell(b"nan")), (Cell::Text, Cell::Word));
        assert!(texts.number(-9.0).is_nan() && texts.number(9.0) == 9.0);
    }

    #[test]
    fn commas_before_decimals_are_read_if_that_is_how_numbers_are_written() {
        let texts = MissingTexts::new(&TableOptions::default().decimal(',').na(vec!["-9,5".to_string()]));
        for (field, cell) in [
            ("1,5", Cell::Number(1.5)),
            ("-2", Cell::Number(-2.0)),
            ("1,5e3", Cell::Number(1500.0)),
            ("1.5", Cell::Text),
            ("1.234,5", Cell::Text),
            ("1,2,3", Cell::Text),
            ("-9,5", Cell::Missing),
        ] {
            assert_eq!(texts.cell(field.as_bytes()), cell, "{field}");
        }
        assert_eq!([&b"1,50"[..], b"7", b"1,5e3"].map(|field| texts.decimals(field)), [2, 0, 1]);
    }

    #[test]
    fn dates_and_formatted_numbers_are_told_from_other_texts() {
        for date in
            ["2020-01-31", "31.01.2020", "1/31/20", "2020-01-31T12:30:00Z", "31-Jan-2020", "2020/1/3 9:00"]
        {
            assert_eq!(text_kind(date.as_bytes()), TextKind::Date, "{date}");
        }
        for number in ["1,234.5", "1.234,5", "12%", "$5", "€ 1.200,50", "1 234", "-1,5", "(1,200)"] {
            assert_eq!(text_kind(number.as_bytes()), TextKind::Formatted, "{number}");
        }
        for text in ["a", "v1.2.3", "AB-12-34", "10 mg", "1.2.3.4", "%", "S1"] {
            assert_eq!(text_kind(text.as_bytes()), TextKind::Plain, "{text}");
        }
    }
}
