//! The character between fields: the one that the extension says, or another if the first lines leave no doubt.

use crate::error::{Fault, Outcome, Remedy};
use crate::table::is_decimal;
use crate::text::{quoted, real};

/// What else is looked for.
const OTHERS: [u8; 4] = [b';', b'\t', b',', b'|'];

/// The separator of a text that begins with these lines, whose numbers have decimals after `decimal` if the caller says.
///
/// Another than the named one is taken if no line has the named one between fields, every line has the other, and all
/// equally often: once more below a header of R. Commas before decimals are not between fields.
pub(super) fn separator(lines: &[Vec<u8>], named: u8, decimal: Option<char>) -> Outcome<u8> {
    let records = records(lines);
    let Some(first) = records.first() else { return Ok(named) };
    let before_decimals = |other: u8| {
        let fields = || records.iter().flat_map(|record| record.split(move |&byte| byte == other));
        named == b','
            && decimal != Some('.')
            && fields().all(|field| !field.contains(&b',') || is_decimal(unquoted(field)))
    };
    let others = OTHERS.into_iter().filter(|&other| other != named && decimal != Some(char::from(other)));
    for other in others.filter(|&other| count(first, other) > 0) {
        let counts: Vec<usize> = records.iter().map(|record| count(record, other)).collect();
        let below = counts.get(1).copied().unwrap_or(counts[0]);
        let are_equal =
            counts[1..].iter().all(|&count| count == below) && (counts[0] == below || counts[0] + 1 == below);
        if !are_equal || count(first, named) > 0 && !before_decimals(other) {
            continue;
        }
        if other == b',' && decimal.is_none() && records.iter().all(|record| is_decimal(unquoted(record))) {
            let message = format!(
                "has one comma ({}), which is either between two fields or before decimals: say which",
                quoted(first)
            );
            return Err(Fault::line(1, message).remedied_by(Remedy::SayDecimal));
        }
        return Ok(other);
    }
    if count(first, named) > 0 {
        return Ok(named);
    }
    let words: Vec<&[u8]> = first.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let second = records.get(1).unwrap_or(first);
    let numbers = second.split(u8::is_ascii_whitespace).filter(|word| real(word).is_some()).count();
    if words.len() > 1 && numbers > 1 {
        let message = format!("has fields between spaces, expected them between {}", called(named));
        return Err(Fault::line(1, message).remedied_by(Remedy::SayDelimiter));
    }
    Ok(named)
}

/// Lines put together where a quoted field goes on in the next one. What is left open at the end is left out, unless it
/// is all there is: then some quote means nothing.
fn records(lines: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut records: Vec<Vec<u8>> = Vec::new();
    let mut is_open = false;
    for line in lines {
        match records.last_mut().filter(|_| is_open) {
            Some(record) => record.extend(b"\n".iter().chain(line)),
            None => records.push(line.clone()),
        }
        is_open ^= line.iter().filter(|&&byte| byte == b'"').count() % 2 == 1;
    }
    if is_open && records.len() == 1 {
        return lines.to_vec();
    }
    records.truncate(records.len() - usize::from(is_open));
    records
}

fn unquoted(field: &[u8]) -> &[u8] {
    field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\"")).unwrap_or(field)
}

/// Refuses a text whose fields are between something else than what was said, if its first lines leave no doubt. Commas
/// may stand before the decimals of a table with one column.
pub(super) fn check_separator(lines: &[Vec<u8>], said: u8, of_fit: bool) -> Outcome<()> {
    // A comma that was said to stand before decimals is looked for between fields as well.
    let Ok(found) = separator(lines, said, None) else { return Ok(()) };
    let is_number = |line: &Vec<u8>| is_decimal(line);
    let is_one_column = || {
        let (first, below) = (&lines[0], &lines[1..]);
        (count(first, b',') == 0 || is_number(first)) && below.iter().all(is_number)
    };
    if found == said || found == b',' && is_one_column() {
        return Ok(());
    }
    let whose = if of_fit { "as in the files that the model was fitted to" } else { "as was said" };
    let message = format!("has {} between its fields, expected {} {whose}", called(found), called(said));
    Err(Fault::line(1, message).remedied_by(Remedy::SayDelimiter))
}

/// The separator that the caller says. It has to be told from numbers and quotes.
pub(super) fn said_separator(said: char) -> Outcome<u8> {
    let is_possible = said.is_ascii_punctuation() && !"\"+-.".contains(said) || matches!(said, ' ' | '\t');
    match u8::try_from(said).ok().filter(|_| is_possible) {
        Some(separator) => Ok(separator),
        None => Err(Fault::new(format!(
            "fields cannot be between {said:?}, expected a tab, a space or a mark such as ; or |"
        ))),
    }
}

/// How often a separator stands outside of quotes. A quote within a field, as in `5" pipe`, is an inch and opens nothing.
fn count(line: &[u8], separator: u8) -> usize {
    let (mut quoted, mut before) = (false, separator);
    let mut outside = 0;
    for &byte in line {
        let may_open = before == b'"' || OTHERS.contains(&before) || before == separator;
        quoted ^= byte == b'"' && (quoted || may_open);
        outside += usize::from(byte == separator && !quoted);
        before = byte;
    }
    outside
}

/// The separator in words.
pub(super) fn called(separator: u8) -> String {
    match separator {
        b'\t' => "tabs".into(),
        b';' => "semicolons".into(),
        b',' => "commas".into(),
        b'|' => "bars".into(),
        b' ' => "spaces".into(),
        other => format!("{:?}", char::from(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str], named: u8) -> Option<u8> {
        of_decimal(lines, named, None)
    }

    fn of_decimal(lines: &[&str], named: u8, decimal: Option<char>) -> Option<u8> {
        let lines: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        separator(&lines, named, decimal).ok()
    }

    #[test]
    fn a_said_separator_that_is_nowhere_is_refused_if_another_is_everywhere() {
        let check = |lines: &[&str], said: u8| {
            let lines: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
            check_separator(&lines, said, true).is_ok()
        };
        assert!(!check(&["a,b", "1,2"], b';') && !check(&["a;b", "1,5;2,5"], b'|'));
        assert!(check(&["w", "1,5", "2,5"], b';') && check(&["1,5", "2,5"], b';'), "decimal commas");
        assert!(check(&["a", "1"], b';') && check(&["a;b", "1;2"], b';') && check(&[], b';'));
    }

    #[test]
    fn another_separator_is_taken_if_there_is_no_doubt() {
        assert_eq!(of(&["a;b", "1;2"], b','), Some(b';'));
        assert_eq!(of(&["a;b", "1,5;2,5"], b','), Some(b';'));
        assert_eq!(of(&["a;b", "r;1;2", "s;3;4"], b','), Some(b';'));
        assert_eq!(of(&["a\tb", "1\t2"], b','), Some(b'\t'));
        assert_eq!(of(&["a|b", "1|2"], b','), Some(b'|'));
        assert_eq!(of(&["a,b", "1,2"], b'\t'), Some(b','));
        assert_eq!(of(&["a,b", "1,2"], b','), Some(b','));
        assert_eq!(of(&["a;b", "1"], b','), Some(b','));
        assert_eq!(of(&["\"a;b\"", "1"], b','), Some(b','));
        assert_eq!(of(&["a", "1"], b','), Some(b','));
        assert_eq!(of(&["a b", "1 2"], b','), None);
    }

    #[test]
    fn quoted_fields_may_hold_line_ends() {
        assert_eq!(of(&["a;b", "1;\"two", "lines\"", "2;x", "3;\"open"], b','), Some(b';'));
        assert_eq!(of(&["5\" pipe;b", "1;2", "3;4"], b','), Some(b';'));
    }

    #[test]
    fn commas_before_decimals_are_not_between_fields() {
        assert_eq!(of(&["1,5;2,5", "3;4,25"], b','), Some(b';'));
        assert_eq!(of(&["\"1,5\"\t2,5", "3\t4,25"], b','), Some(b'\t'));
        assert_eq!(of_decimal(&["1,5;2,5", "3,5;4,25"], b',', Some('.')), Some(b','));
        assert_eq!(of(&["a;b,1", "c;d,2"], b','), Some(b','));
        assert_eq!(of(&["a,1,5;2", "b,3,5;4"], b','), Some(b','));
    }

    #[test]
    fn one_comma_per_line_of_a_file_that_should_have_none_could_be_either() {
        let lines = ["1,5", "-2,25"];
        assert_eq!(of(&lines, b'\t'), None);
        assert_eq!(of_decimal(&lines, b'\t', Some(',')), Some(b'\t'));
        assert_eq!(of_decimal(&lines, b'\t', Some('.')), Some(b','));
        assert_eq!(of(&["1,5", "2,-5"], b'\t'), Some(b','));
    }
}
