//! The character between fields: the one that the extension says, or another if the first lines leave no doubt.

use crate::error::{Fault, Outcome, Remedy};
use crate::table::is_decimal;
use crate::text::real;

/// What else is looked for.
const OTHERS: [u8; 4] = [b';', b'\t', b',', b'|'];

/// The separator of a text that begins with these lines. Another than the named one is taken if no line has the named
/// one between fields, every line has the other, and all equally often: once more below a header of R.
pub(super) fn separator(lines: &[Vec<u8>], named: u8) -> Outcome<u8> {
    let Some(first) = lines.first().filter(|first| count(first, named) == 0) else { return Ok(named) };
    for other in OTHERS.into_iter().filter(|&other| other != named && count(first, other) > 0) {
        let counts: Vec<usize> = lines.iter().map(|line| count(line, other)).collect();
        let below = counts.get(1).copied().unwrap_or(counts[0]);
        if counts[1..].iter().all(|&count| count == below) && (counts[0] == below || counts[0] + 1 == below) {
            return Ok(other);
        }
    }
    let words: Vec<&[u8]> = first.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let second = lines.get(1).unwrap_or(first);
    let numbers = second.split(u8::is_ascii_whitespace).filter(|word| real(word).is_some()).count();
    if words.len() > 1 && numbers > 1 {
        let message = format!("has fields between spaces, expected them between {}", called(named));
        return Err(Fault::line(1, message).remedied_by(Remedy::SayDelimiter));
    }
    Ok(named)
}

/// Refuses a text whose fields are between something else than what was said, if its first lines leave no doubt. Commas
/// may stand before the decimals of a table with one column.
pub(super) fn check_separator(lines: &[Vec<u8>], said: u8, of_fit: bool) -> Outcome<()> {
    let Ok(found) = separator(lines, said) else { return Ok(()) };
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

/// How often a separator stands outside of quotes.
fn count(line: &[u8], separator: u8) -> usize {
    let mut quoted = false;
    line.iter()
        .filter(|&&byte| {
            quoted ^= byte == b'"';
            byte == separator && !quoted
        })
        .count()
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
        separator(&lines.iter().map(|line| line.as_bytes().to_vec()).collect::<Vec<_>>(), named).ok()
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
}
