//! Finds the character between fields: the one that the extension names, or another if the first lines
//! leave no doubt.

use crate::error::{Fault, Outcome, Remedy};
use crate::input::text::{quoted, real};
use crate::matrix::options::TableOptions;
use crate::tables::table::{Target, is_decimal};

/// The separators to look for besides the one that is named.
const OTHERS: [u8; 4] = [b';', b'\t', b',', b'|'];

/// The separator of a text that begins with these lines. `decimal` is the character before decimals, if the
/// caller gives it.
///
/// A separator other than the named one is taken if the first line does not have the named one between
/// fields, and every line has the other, all equally often. Commas before decimals are not between fields.
pub(super) fn separator(lines: &[Vec<u8>], named: u8, decimal: Option<char>) -> Outcome<u8> {
    let records = records(lines);
    let Some(first) = records.first() else { return Ok(named) };
    let are_decimal = |records: &[Vec<u8>], between: u8| {
        let fields = || records.iter().flat_map(|record| record.split(move |&byte| byte == between));
        decimal != Some('.') && fields().all(|field| !field.contains(&b',') || is_decimal(unquoted(field)))
    };
    let is_below_one_name = count(first, named) == 0 && separates(&records, named);
    let others = OTHERS.into_iter().filter(|&other| other != named && decimal != Some(char::from(other)));
    for other in others.filter(|&other| count(first, other) > 0 && separates(&records, other)) {
        let named_is_explained = count(first, named) == 0 || named == b',' && are_decimal(&records, other);
        let other_is_explained = other == b',' && is_below_one_name && are_decimal(&records[1..], named);
        if !named_is_explained || other_is_explained {
            continue;
        }
        if other == b',' && decimal.is_none() && records.iter().all(|record| is_decimal(unquoted(record))) {
            return Err(either_comma(first));
        }
        return Ok(other);
    }
    if count(first, named) > 0 || is_below_one_name {
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

/// Whether every record has the separator, and all equally often. The first line may have one less, because
/// R writes no name above the row names.
fn separates(records: &[Vec<u8>], separator: u8) -> bool {
    let mut counts = records.iter().map(|record| count(record, separator));
    let Some(first) = counts.next() else { return false };
    let below = counts.next().unwrap_or(first);
    below > 0 && (first == below || first + 1 == below) && counts.all(|count| count == below)
}

fn either_comma(line: &[u8]) -> Fault {
    let message = format!(
        "has one comma ({}), which is either between two fields or before decimals: say which",
        quoted(line)
    );
    Fault::line(1, message).remedied_by(Remedy::SayDecimal)
}

/// Puts lines together where a quoted field goes on in the next one. A record that is left open at the end
/// is dropped. If it is the only record, the lines are returned as they are, because then some quote has no
/// meaning.
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

/// Refuses a text whose separator differs from the one that the caller or the model gave, if its first
/// lines leave no doubt.
///
/// Below a name without a comma, or without a name, numbers such as `1,5` are one column. Below a name with
/// a comma they could be two, and the `decimal` option decides. If the delimiter comes from a model's
/// files, that option may come from them too, so it does not decide; instead the line is a name if the
/// model has a column of this name.
pub(super) fn check_separator(
    lines: &[Vec<u8>],
    said: u8,
    options: &TableOptions,
    target: Option<&Target>,
) -> Outcome<()> {
    let records = records(lines);
    let of_fit = options.delimiter_of_fit;
    let decimal = options.decimal.filter(|_| !of_fit);
    let found = match separator(lines, said, decimal) {
        Ok(found) if found != said && !separates(&records, said) => found,
        _ => return Ok(()),
    };
    let (first, below) = (&records[0], &records[1..]);
    if found == b',' && below.iter().all(|record| is_decimal(record)) {
        let is_column = |name: &str| target.is_some_and(|target| target.kind(name).is_some());
        if is_decimal(first) || of_fit && std::str::from_utf8(first).is_ok_and(is_column) {
            return Ok(());
        }
        if !of_fit && decimal.is_none() && !below.is_empty() {
            return Err(either_comma(first));
        }
    }
    let whose = if of_fit { "as in the files that the model was fitted to" } else { "as was said" };
    let message = format!("has {} between its fields, expected {} {whose}", called(found), called(said));
    Err(Fault::line(1, message).remedied_by(Remedy::SayDelimiter))
}

/// Checks the separator that the caller gives, which must not be part of numbers or quotes.
pub(super) fn said_separator(said: char) -> Outcome<u8> {
    let is_possible = said.is_ascii_punctuation() && !"\"+-.".contains(said) || matches!(said, ' ' | '\t');
    match u8::try_from(said).ok().filter(|_| is_possible) {
        Some(separator) => Ok(separator),
        None => Err(Fault::new(format!(
            "fields cannot be between {said:?}, expected a tab, a space or a mark such as ; or |"
        ))),
    }
}

/// How often a separator stands outside of quotes. A quote within a field opens nothing, because it may
/// mean an inch, as in `5" pipe`.
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

    fn check(lines: &[&str], options: &TableOptions, target: Option<&Target>) -> Result<(), String> {
        let lines: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        let said = options.delimiter.map_or(b',', |said| said as u8);
        check_separator(&lines, said, options, target).map_err(|fault| format!("{fault:?}"))
    }

    fn of_fit(delimiter: char) -> TableOptions {
        let mut options = TableOptions::default().delimiter(delimiter).decimal(',');
        options.delimiter_of_fit = true;
        options
    }

    #[test]
    fn a_said_separator_that_is_nowhere_is_refused_if_another_is_everywhere() {
        let said = |delimiter: char| TableOptions::default().delimiter(delimiter);
        for options in [of_fit, said] {
            let check = |lines: &[&str], said: char| check(lines, &options(said), None);
            assert!(check(&["a,b", "1,2"], ';').is_err() && check(&["a;b", "1,5;2,5"], '|').is_err());
            assert_eq!(check(&["w", "1,5", "2,5"], ';').and(check(&["1,5", "2,5"], ';')), Ok(()));
            assert_eq!(check(&["a", "1"], ';').and(check(&["a;b", "1;2"], ';')).and(check(&[], ';')), Ok(()));
        }
    }

    #[test]
    fn a_comma_in_the_name_of_one_column_is_what_decimals_say() {
        let lines = ["Weight, kg", "71,5", "80,25"];
        let said = TableOptions::default().delimiter('\t');
        assert!(check(&lines, &said, None).unwrap_err().contains("before decimals: say which"));
        assert_eq!(check(&lines, &said.clone().decimal(','), None), Ok(()));
        let point = check(&lines, &said.decimal('.'), None).unwrap_err();
        assert!(point.contains("has commas between its fields, expected tabs as was said"), "{point}");
        assert!(check(&lines, &of_fit('\t'), None).unwrap_err().contains("that the model was fitted to"));
        let model = Target::new(crate::parts::names::Names::new(["Weight, kg"]));
        assert_eq!(check(&lines, &of_fit('\t'), Some(&model)), Ok(()));
    }

    #[test]
    fn a_separator_may_be_missing_in_a_header_of_r_with_one_name() {
        let lines = ["com,ma", "r\t0,5", "s\t1,25"];
        assert_eq!(of(&lines, b'\t'), Some(b'\t'));
        assert_eq!(check(&lines, &of_fit('\t'), None), Ok(()));
        let texts = ["semi;colon", "r\tx;y", "s\ty;z"];
        assert_eq!(check(&texts, &TableOptions::default().delimiter('\t'), None), Ok(()));
        assert_eq!(of(&["x y", "row 1\t0.5", "row 2\t0.25"], b'\t'), Some(b'\t'));
        assert_eq!(of(&["name;note", "x;so, then", "y;now, or never"], b','), Some(b';'));
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
