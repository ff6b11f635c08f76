//! What one cell of a table is: missing, a number or Boolean, or a text; and what kind of text, so that an error can say.

use crate::options::TableOptions;
use crate::text::real;

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    Missing,
    /// A number, finite or not; a Boolean is 1 or 0.
    Number(f64),
    Text,
}

/// What a text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// A date, perhaps with a time.
    Date,
    /// A number with separators, a currency or a percent sign.
    Formatted,
    Plain,
}

/// The texts that stand for a missing value.
pub(crate) struct MissingTexts {
    texts: Vec<Vec<u8>>,
    numbers: Vec<f64>,
}

impl MissingTexts {
    pub(crate) fn new(options: &TableOptions) -> Self {
        let texts: Vec<&str> = match &options.na {
            Some(listed) => listed.iter().map(String::as_str).collect(),
            None => TableOptions::DEFAULT_NA.to_vec(),
        };
        let numbers = texts.iter().filter_map(|text| real(text.as_bytes())).filter(|number| !number.is_nan());
        MissingTexts {
            numbers: numbers.collect(),
            texts: texts.iter().map(|text| text.trim().as_bytes().to_vec()).collect(),
        }
    }

    /// What a field is. Space around it does not count.
    pub(crate) fn cell(&self, field: &[u8]) -> Cell {
        let field = field.trim_ascii();
        match real(field) {
            Some(number) if number.is_nan() || self.numbers.contains(&number) => Cell::Missing,
            Some(number) => Cell::Number(number),
            None if field.is_empty() || self.texts.iter().any(|text| text == field) => Cell::Missing,
            None => boolean(field).map_or(Cell::Text, Cell::Number),
        }
    }

    /// Whether a text of a file that also has missing values stands for one.
    pub(crate) fn is_missing(&self, text: &str) -> bool {
        let text = text.trim().as_bytes();
        text.is_empty() || self.texts.iter().any(|missing| missing == text)
    }

    /// A number of a file that has numbers and no texts: NaN if it is missing.
    pub(crate) fn number(&self, number: f64) -> f64 {
        if self.numbers.contains(&number) { f64::NAN } else { number }
    }
}

fn boolean(field: &[u8]) -> Option<f64> {
    match field {
        b"TRUE" | b"True" | b"true" => Some(1.0),
        b"FALSE" | b"False" | b"false" => Some(0.0),
        _ => None,
    }
}

/// What a text looks like.
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

/// Day, month and year in any order with one separator between them, and perhaps a time: 2020-01-31, 31.01.2020,
/// 1/31/20, 31-Jan-2020, 2020-01-31T12:00:00Z.
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

/// 1,234.5 and 1.234,5 and 1 234 and $5 and 12%.
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
        for missing in ["", " ", "NA", " NaN ", "nan", "null", "None", ".", "#N/A", "<NA>"] {
            assert_eq!(texts.cell(missing.as_bytes()), Cell::Missing, "{missing:?}");
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
        assert_eq!(
            ["-9", "-9.0", "?", "", "nan"].map(|field| texts.cell(field.as_bytes())),
            [Cell::Missing; 5]
        );
        assert_eq!(texts.cell(b"NA"), Cell::Text);
        assert!(texts.number(-9.0).is_nan() && texts.number(9.0) == 9.0);
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
