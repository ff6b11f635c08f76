//! The rule by which rows are matched, case by case, from tables in text files and from stores.

use crate::support::*;
use lcca_io::{Align, Index, Loaded, ReadOptions, TableOptions, name_rows, pair_rows, read_matrix_with};
use serde_json::Value;
use std::path::Path;

const ROWS: usize = 6;

/// A table of one column that holds 0, 10, 20 and so on, with row names as the case lists them.
fn text(labels: &Value, separator: char) -> String {
    let names: Option<(String, Vec<String>)> = match labels {
        Value::String(_) => Some((String::new(), (0..ROWS).map(|row| row.to_string()).collect())),
        Value::Array(names) => Some((String::new(), names.iter().map(plain).collect())),
        Value::Object(ids) => {
            let (column, numbers) = ids.iter().next().unwrap();
            Some((column.clone(), numbers.as_array().unwrap().iter().map(plain).collect()))
        }
        _ => None,
    };
    let line = |row: usize| match &names {
        Some((_, names)) => format!("{}{separator}{}\n", names[row], row * 10),
        None => format!("{}\n", row * 10),
    };
    let header = names.as_ref().map_or("v\n".into(), |(column, _)| format!("{column}{separator}v\n"));
    header + &(0..ROWS).map(line).collect::<String>()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

fn read(path: &Path, labels: &Value) -> Loaded {
    // The index is given, because names that occur twice are refused as a guess, long before they are
    // compared.
    let said = |index: &str| Index::Column(index.into());
    let index = if labels.is_array() { said("1") } else { Index::Guess };
    let table = TableOptions::default().header(true).index(index);
    read_matrix_with(path, &ReadOptions::default().table(table)).unwrap()
}

fn align(case: &Value) -> Align {
    match case["align"].as_str() {
        Some("common") => Align::Common,
        Some("none") => Align::None,
        _ => Align::Auto,
    }
}

/// The rows that belong together, as the numbers in the columns tell.
fn pairs(views: [Loaded; 2], align: Align) -> Result<(Vec<[usize; 2]>, Vec<String>), String> {
    let named = name_rows(views, ["X", "Y"], align).map_err(|error| error.to_string());
    let ([x, y], mut remarks) = named?;
    let paired = pair_rows([&x, &y], align).map_err(|error| error.to_string())?;
    remarks.extend(paired.remarks);
    let [x, y] = paired.matrices.each_ref().map(dense);
    assert!(x.iter().chain(&y).all(|row| row.len() == 1), "{x:?} {y:?}");
    let row = |row: &Vec<f64>| row[0] as usize / 10;
    let pairs = x.iter().zip(&y).map(|(x, y)| [row(x), row(y)]).collect();
    Ok((pairs, remarks.iter().map(lcca_io::wording::remark).collect()))
}

fn check(route: &str, case: &Value, views: [Loaded; 2]) {
    let name = format!("{route}: {}", case["case"]);
    let expected: Vec<[usize; 2]> = match &case["pairs"] {
        Value::Array(pairs) => serde_json::from_value(Value::Array(pairs.clone())).unwrap(),
        _ => (0..ROWS).map(|row| [row, row]).collect(),
    };
    match (pairs(views, align(case)), case["error"].as_str()) {
        (Ok((found, remarks)), None) => {
            assert_eq!(found, expected, "{name}");
            let said = case["remark"].as_str();
            assert!(
                said.is_none_or(|said| remarks.iter().any(|found| found.contains(said))),
                "{name}: {remarks:?}"
            );
        }
        (Err(message), Some(expected)) => assert!(message.contains(expected), "{name}: {message}"),
        (found, expected) => panic!("{name}: {found:?}, expected {expected:?}"),
    }
}

#[test]
fn rows_find_each_other_by_one_rule() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("pairing_cases.json")).unwrap();
    for case in &cases {
        let sides = [&case["x"], &case["y"]];
        for (name, separator) in [("t.csv", ','), ("t.tsv", '\t')] {
            let views = sides.map(|labels| read(&file(name, text(labels, separator)).path, labels));
            check(name, case, views);
        }
        // Cases with columns that may name rows are left out, because stores keep only the numbers of such
        // columns.
        if sides.iter().all(|labels| !labels.is_object()) {
            let views = sides.map(|labels| {
                let loaded = read(&file("t.csv", text(labels, ',')).path, labels);
                let store = scratch("t.lcca");
                let (columns, rows) = (loaded.names().unwrap(), loaded.row_names().unwrap());
                lcca_io::write_with_names(&store.path, &loaded.matrix, columns.as_ref(), rows.as_ref())
                    .unwrap();
                lcca_io::read_matrix(&store.path).unwrap()
            });
            check("store", case, views);
        }
    }
}

#[test]
fn names_that_occur_twice_are_the_same_rows_if_both_views_have_them_in_the_same_order() {
    let labels: Value = serde_json::json!(["a", "a", "b", "b", "c", "c"]);
    let views = [&labels, &labels].map(|labels| read(&file("t.csv", text(labels, ',')).path, labels));
    assert_eq!(pairs(views, Align::Auto).unwrap().0, [0, 1, 2, 3, 4, 5].map(|row| [row, row]));
}
