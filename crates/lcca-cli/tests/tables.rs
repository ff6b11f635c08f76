//! Reads tables as people have them, from the command line: guesses are printed, unclear cases are refused,
//! and nothing is silently wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{Folder, gap, numbers};
use serde_json::Value;

const ROWS: usize = 60;

/// A number that looks random, but is equal on every machine.
fn noise(seed: usize) -> f64 {
    let mut state = seed as u64 * 0x9e37_79b9_7f4a_7c15 + 1;
    (0..3).for_each(|_| state = (state ^ state >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9));
    (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

/// The numbers of a row: three of X, two of Y, all related.
fn row(row: usize) -> [f64; 5] {
    let shared = noise(row);
    [1, 2, 3, 4, 5].map(|column| ((shared + noise(row * 7 + column * 1000)) * 1e4).round() / 1e4)
}

/// A table of some columns of the rows, in the given order, with or without a column of names.
fn table(names: &str, columns: std::ops::Range<usize>, order: &[usize], named: bool) -> String {
    let line = |&index: &usize| {
        let cells: Vec<String> = row(index)[columns.clone()].iter().map(f64::to_string).collect();
        let name = if named { format!("s{index:03},") } else { String::new() };
        format!("{name}{}\n", cells.join(","))
    };
    format!("{names}\n{}", order.iter().map(line).collect::<String>())
}

/// A folder with X and Y with names of rows, Y in another order; and with both without names in one order.
fn folder() -> Folder {
    let folder = Folder::new();
    let order: Vec<usize> = (0..ROWS).collect();
    let shuffled: Vec<usize> = (0..ROWS).map(|row| row * 37 % ROWS).collect();
    folder.write("x.csv", table("a,b,c", 0..3, &order, false));
    folder.write("y.csv", table("d,e", 3..5, &order, false));
    folder.write("xi.csv", table("id,a,b,c", 0..3, &order, true));
    folder.write("yi.csv", table("id,d,e", 3..5, &shuffled, true));
    folder
}

fn correlations(folder: &Folder, line: &str) -> Vec<f64> {
    numbers(&folder.json(line), "correlations")
}

/// A table with some lines changed.
fn edited(folder: &Folder, from: &str, to: &str, edit: impl Fn(usize, &str) -> String) {
    let text = String::from_utf8(folder.read(from)).unwrap();
    folder
        .write(to, text.lines().enumerate().map(|(line, text)| edit(line, text) + "\n").collect::<String>());
}

#[test]
fn shuffled_rows_are_aligned_by_name() {
    let folder = folder();
    let expected = correlations(&folder, "fit x.csv y.csv -k 2");
    assert!(gap(&correlations(&folder, "fit xi.csv yi.csv -k 2"), &expected) < 1e-12);
    let ran = folder.run("fit xi.csv yi.csv -k 2").done();
    let guess = "xi.csv: first line taken as names, column \"id\" as row names";
    assert!(
        ran.stderr.contains(guess) && ran.stderr.contains("rows of Y brought into the order of X by name"),
        "{ran:?}"
    );
    assert!(folder.run("fit xi.csv yi.csv -k 2 --quiet").done().stderr.is_empty());
    assert!(gap(&correlations(&folder, "fit xi.csv yi.csv -k 2 --align none"), &expected) > 0.01);
    let reading = folder.json("fit xi.csv yi.csv -k 2")["reading"].clone();
    assert!(reading.as_array().unwrap().iter().any(|remark| remark["remark"] == "aligned"), "{reading}");
    for name in ["xi", "yi"] {
        folder.run(&format!("convert {name}.csv {name}.lcca")).done();
    }
    assert!(gap(&correlations(&folder, "fit xi.lcca yi.lcca -k 2"), &expected) < 1e-12, "stores");
}

#[test]
fn rows_that_only_one_view_has_are_counted_and_named() {
    let folder = folder();
    edited(
        &folder,
        "yi.csv",
        "other.csv",
        |line, text| if line == 1 { format!("zz{}", &text[4..]) } else { text.into() },
    );
    let needles = ["1 of its 60 rows are not in other.csv (\"s000\")", "(\"zz\")", "--align common"];
    folder.refuses("fit xi.csv other.csv -k 2", &needles);
    let ran = folder.run("fit xi.csv other.csv -k 2 --align common").done();
    assert!(
        ran.stderr.contains("59 rows are in both views; 1 only in X and 1 only in Y left out"),
        "{ran:?}"
    );
    edited(&folder, "yi.csv", "twice.csv", |line, text| {
        if line == 1 { format!("s001{}", &text[4..]) } else { text.into() }
    });
    for align in ["", " --align common"] {
        let line = format!("fit xi.csv twice.csv -k 2 --y-index id{align}");
        let refused = folder.run(&line);
        folder.refuses(&line, &["the row name \"s001\" occurs in rows", "--align none"]);
        assert!(!refused.stderr.contains("--align common"), "{refused:?}");
    }
}

#[test]
fn the_same_ids_in_another_order_are_aligned() {
    let folder = folder();
    let expected = correlations(&folder, "fit x.csv y.csv -k 2");
    for (from, to) in [("xi.csv", "xn.csv"), ("yi.csv", "yn.csv")] {
        edited(&folder, from, to, |line, text| match line {
            0 => text.replacen("id", "patient_id", 1),
            _ => text.replacen('s', "7", 1),
        });
    }
    assert!(gap(&correlations(&folder, "fit xn.csv yn.csv -k 2 -o model"), &expected) < 1e-12);
    let ran = folder.run("fit xn.csv yn.csv -k 2").done();
    let remark = "column \"patient_id\" names the rows of X (--index none if it is data)";
    assert!(ran.stderr.contains(remark) && ran.stderr.contains("brought into the order"), "{ran:?}");
    assert!(!ran.stderr.contains("taken as data") && !ran.stderr.contains("correlates perfectly"), "{ran:?}");
    let names = folder.json("info model")["x_names"].clone();
    assert!(!names.to_string().contains("patient_id"), "{names}");
    let trained = correlations(&folder, "score model xn.csv yn.csv");
    assert!(gap(&trained, &expected) < 1e-9, "{trained:?}");
    let as_data = folder.json("fit xn.csv yn.csv -k 2 --index none");
    assert_eq!(as_data["x_cols"], 4);
    edited(
        &folder,
        "yn.csv",
        "other.csv",
        |line, text| {
            if line == 1 { text.replacen('7', "8", 1) } else { text.into() }
        },
    );
    let needles = ["column \"patient_id\" holds a different whole number", "say which", "--index none"];
    folder.refuses("fit xn.csv other.csv -k 2", &needles);
    folder.run("fit xn.csv other.csv -k 2 --align common").done();
}

#[test]
fn a_count_of_rows_on_one_side_is_asked_about() {
    let folder = folder();
    edited(&folder, "y.csv", "counted.csv", |line, text| match line {
        0 => format!(",{text}"),
        line => format!("{},{text}", line - 1),
    });
    let needles = [
        "counted.csv: its rows are numbered 0, 1, 2, …, and those of xi.csv have other names (\"s000\", …)",
        "say which; --align common keeps the rows that both have, --align none pairs rows by position",
    ];
    folder.refuses("fit xi.csv counted.csv -k 2", &needles);
    let expected = correlations(&folder, "fit x.csv y.csv -k 2");
    assert!(gap(&correlations(&folder, "fit xi.csv counted.csv -k 2 --align none"), &expected) < 1e-12);
    // These numbers are in another order, so they are names.
    let order: Vec<usize> = (0..ROWS).map(|row| row * 7 % ROWS).collect();
    let lines: Vec<String> = order
        .iter()
        .map(|&index| {
            format!("{index},{}", row(index)[..3].iter().map(f64::to_string).collect::<Vec<_>>().join(","))
        })
        .collect();
    folder.write("turned.csv", format!(",a,b,c\n{}\n", lines.join("\n")));
    assert!(gap(&correlations(&folder, "fit turned.csv counted.csv -k 2"), &expected) < 1e-12);
}

#[test]
fn weights_and_covariates_find_their_rows_by_name() {
    let folder = folder();
    let shuffled: Vec<usize> = (0..ROWS).map(|row| row * 7 % ROWS).collect();
    let one = |name: &str, header: &str, order: &[usize], value: &dyn Fn(usize) -> f64| {
        let lines: String = order.iter().map(|&row| format!("s{row:03},{}\n", value(row))).collect();
        folder.write(name, format!("{header}\n{lines}"));
    };
    let order: Vec<usize> = (0..ROWS).collect();
    let (weight, age) = (|row: usize| 1.0 + (row % 5) as f64, |row: usize| noise(row + 999));
    one("w.csv", "id,weight", &order, &weight);
    one("wt.csv", "id,weight", &shuffled, &weight);
    one("z.csv", "id,age", &order, &age);
    one("zt.csv", "id,age", &shuffled, &age);
    for (line, turned) in [
        ("fit xi.csv yi.csv -k 2 --row-weights w.csv", "fit xi.csv yi.csv -k 2 --row-weights wt.csv"),
        ("fit xi.csv yi.csv -k 2 --covariates z.csv", "fit xi.csv yi.csv -k 2 --covariates zt.csv"),
    ] {
        let expected = correlations(&folder, line);
        assert!(gap(&correlations(&folder, turned), &expected) < 1e-12, "{turned}");
        let ran = folder.run(turned).done();
        let what = if line.contains("weights") { "the row weights" } else { "the covariates" };
        assert!(ran.stderr.contains(&format!("rows of {what} brought into the order of X")), "{ran:?}");
    }
    let plain = folder.run("fit xi.csv yi.csv -k 2 --row-weights w.csv").done();
    assert!(!plain.stderr.contains("row weights brought"), "{plain:?}");
}

#[test]
fn what_used_to_be_silently_wrong_is_refused_or_right() {
    let folder = folder();
    let first = |cell: &'static str| {
        move |line: usize, text: &str| {
            let rest = text.split_once(',').unwrap().1;
            if line == 1 { format!("{cell},{rest}") } else { text.to_string() }
        }
    };
    for (cell, needle) in [
        (
            "NA",
            "line 2: column \"a\": the value is missing (\"NA\"); 1 value is missing in 1 row; --missing \
             drop",
        ),
        ("", "line 2: column \"a\": the value is missing"),
        ("2020-01-31", "line 2: column \"a\": expected a number, found \"2020-01-31\", a date"),
        ("\"1,234.5\"", "line 2: column \"a\": expected a number, found \"1,234.5\", which has separators"),
        ("x", "line 2: column \"a\": expected a number, found \"x\"; --na"),
    ] {
        edited(&folder, "x.csv", "bad.csv", first(cell));
        folder.refuses("fit bad.csv y.csv", &["bad.csv: ", needle]);
        folder.refuses("convert bad.csv new.lcca", &["bad.csv: ", needle]);
    }
    edited(&folder, "x.csv", "bad.csv", |line, text| if line == 0 { "0,1,2".into() } else { text.into() });
    folder.refuses(
        "fit bad.csv y.csv",
        &["bad.csv: line 1: holds numbers that look like labels", "--header yes"],
    );
    folder.run("fit bad.csv y.csv --header yes").done();
    edited(
        &folder,
        "xi.csv",
        "bad.csv",
        |line, text| if line == 0 { "s999,1,2,3".into() } else { text.into() },
    );
    folder.refuses("fit bad.csv y.csv", &["bad.csv: line 1: holds texts and numbers", "--header no"]);
    let headerless = folder.json("info bad.csv --header no");
    assert_eq!((&headerless["rows"], &headerless["cols"]), (&61.into(), &3.into()));
    folder.write("words.csv", "name,city\nann,york\nbob,bath\n");
    folder.refuses("fit words.csv y.csv", &["words.csv: line 1: holds texts, and so do all rows below it"]);
}

#[test]
fn dropping_and_filling_equal_doing_it_by_hand() {
    let folder = folder();
    let gaps = |line: usize, text: &str| {
        let rest = text.split_once(',').unwrap().1;
        if [3, 10].contains(&line) { format!("NA,{rest}") } else { text.to_string() }
    };
    edited(&folder, "x.csv", "gaps.csv", gaps);
    let without = |from: &str, to: &str| {
        let text = String::from_utf8(folder.read(from)).unwrap();
        let kept = text.lines().enumerate().filter(|(line, _)| ![3, 10].contains(line));
        folder.write(to, kept.map(|(_, text)| format!("{text}\n")).collect::<String>());
    };
    without("x.csv", "xd.csv");
    without("y.csv", "yd.csv");
    let weights: String = (0..ROWS).map(|row| format!("{}\n", 1 + row % 3)).collect();
    folder.write("w.csv", &weights);
    let kept = weights.lines().enumerate().filter(|(row, _)| ![2, 9].contains(row));
    folder.write("wd.csv", kept.map(|(_, text)| format!("{text}\n")).collect::<String>());
    for (line, by_hand) in [
        ("fit gaps.csv y.csv --missing drop", "fit xd.csv yd.csv"),
        ("fit y.csv gaps.csv --y-missing drop", "fit yd.csv xd.csv"),
        ("fit gaps.csv y.csv --missing drop --row-weights w.csv", "fit xd.csv yd.csv --row-weights wd.csv"),
    ] {
        assert!(gap(&correlations(&folder, line), &correlations(&folder, by_hand)) < 1e-12, "{line}");
    }
    let ran = folder.run("fit gaps.csv y.csv --missing drop").done();
    assert!(ran.stderr.contains("2 rows with missing values left out of both views, 58 left"), "{ran:?}");
    let observed: Vec<f64> =
        (0..ROWS).filter(|row| ![2, 9].contains(row)).map(|index| row(index)[0]).collect();
    let mean = observed.iter().sum::<f64>() / observed.len() as f64;
    edited(&folder, "gaps.csv", "filled.csv", |_, text| text.replace("NA", &mean.to_string()));
    let filled = correlations(&folder, "fit gaps.csv y.csv --missing mean");
    assert!(gap(&filled, &correlations(&folder, "fit filled.csv y.csv")) < 1e-12);
}

#[test]
fn categories_equal_indicators_made_by_hand() {
    let folder = folder();
    let color = |line: usize| ["red", "green", "blue"][line * line % 3];
    edited(&folder, "x.csv", "cat.csv", |line, text| {
        format!("{text},{}", if line == 0 { "color" } else { color(line) })
    });
    edited(&folder, "x.csv", "hand.csv", |line, text| match line {
        0 => format!("{text},color=green,color=red"),
        line => format!("{text},{},{}", u8::from(color(line) == "green"), u8::from(color(line) == "red")),
    });
    let by_hand = correlations(&folder, "fit hand.csv y.csv");
    assert!(gap(&correlations(&folder, "fit cat.csv y.csv -o model"), &by_hand) < 1e-12);
    assert!(folder.run("fit cat.csv y.csv").done().stderr.contains("column \"color\" taken as 2 categories"));
    folder.refuses("fit cat.csv y.csv --categorical error", &["column \"color\": holds texts (\"green\")"]);
    folder.run("score model cat.csv y.csv").done();
}

#[test]
fn one_table_is_both_views() {
    let folder = folder();
    let order: Vec<usize> = (0..ROWS).collect();
    folder.write("t.csv", table("id,gene_a,gene_b,gene_c,fat,protein", 0..5, &order, true));
    let expected = correlations(&folder, "fit x.csv y.csv -k 2");
    let line = "fit t.csv t.csv --x-columns gene_* --y-columns fat,protein -k 2";
    assert!(gap(&correlations(&folder, line), &expected) < 1e-12);
    folder.refuses("fit t.csv t.csv --x-columns lipid_*", &["t.csv: there is no column \"lipid_*\""]);
}

#[test]
fn rows_for_a_model_are_picked_by_name() {
    let folder = folder();
    let color = |line: usize| ["red", "green", "blue"][line % 3];
    edited(&folder, "xi.csv", "train.csv", |line, text| {
        format!("{text},{}", if line == 0 { "color" } else { color(line) })
    });
    folder.run("fit train.csv yi.csv -k 2 -o model").done();
    let expected = correlations(&folder, "score model train.csv yi.csv");
    // The columns are in another order, with one that the model does not have.
    edited(&folder, "train.csv", "turned.csv", |_, text| {
        let fields: Vec<&str> = text.split(',').collect();
        format!(
            "{},{},{},{},{},{}",
            fields[0],
            fields[4],
            fields[3],
            fields[1],
            fields[2],
            fields[1].replace('a', "extra")
        )
    });
    assert!(gap(&correlations(&folder, "score model turned.csv yi.csv"), &expected) < 1e-12);
    let ran = folder.run("score model turned.csv yi.csv").done();
    assert!(ran.stderr.contains("1 column that the model does not have left out: \"extra\""), "{ran:?}");
    edited(&folder, "train.csv", "lacking.csv", |_, text| text.rsplit_once(',').unwrap().0.into());
    let needle = "lacks 3 of the model's 6 columns: \"color=blue\", \"color=green\", \"color=red\"";
    folder.refuses("score model lacking.csv yi.csv", &["lacking.csv: ", needle]);
    edited(&folder, "train.csv", "new.csv", |line, text| {
        if line == 2 { text.replace("blue", "pink") } else { text.into() }
    });
    let ran = folder.run("transform model --x new.csv -o z.csv").done();
    assert!(ran.stderr.contains("a category that the model does not have, such as \"pink\""), "{ran:?}");
}

#[test]
fn rows_for_a_model_find_each_other_by_a_spare_id() {
    let folder = folder();
    // The names of the rows are numbers, and only the name of their column tells that they are not data.
    for name in ["xi", "yi"] {
        edited(&folder, &format!("{name}.csv"), &format!("{name}n.csv"), |line, text| {
            if line == 0 { text.into() } else { text.replacen('s', "7", 1) }
        });
    }
    folder.run("fit xin.csv yin.csv -k 2 --index id -o model").done();
    let trained = correlations(&folder, "score model xin.csv yin.csv --index id");
    assert!(gap(&correlations(&folder, "score model xin.csv yin.csv"), &trained) < 1e-12);
}

#[test]
fn the_extension_of_an_output_is_honored_or_refused() {
    let folder = folder();
    folder.run("fit xi.csv yi.csv -k 2 -o model").done();
    for name in ["z.npy", "z.csv", "z.tsv", "z.parquet"] {
        folder.run(&format!("transform model --x xi.csv -o {name} --quiet")).done();
    }
    let text = String::from_utf8(folder.read("z.csv")).unwrap();
    assert!(text.starts_with(",x1,x2\ns000,"), "{text}");
    let numbers = |name: &str| {
        folder.run(&format!("convert {name} copy.lcca --quiet")).done();
        common::data::columns(&folder.path("copy.lcca"))
    };
    let expected = numbers("z.npy");
    for name in ["z.csv", "z.tsv", "z.parquet"] {
        assert_eq!(numbers(name), expected, "{name}");
    }
    for name in ["z.npz", "z.arrow", "z.xlsx", "z"] {
        let needle = "expected .npy, .csv, .tsv or .parquet";
        folder.refuses(&format!("transform model --x xi.csv -o {name}"), &[name, needle]);
    }
    folder.refuses("report model -o r.pdf", &["r.pdf: a report is an HTML page, expected .html or .htm"]);
}

#[test]
fn a_text_column_elsewhere_does_not_block_a_parquet_file() {
    let folder = folder();
    folder.run("fit xi.csv yi.csv -k 2 -o model").done();
    folder.run("transform model --x xi.csv -o zx.parquet").done();
    folder.run("transform model --y yi.csv -o zy.parquet").done();
    let aligned = folder.json("fit zx.parquet zy.parquet -k 2");
    let remarks: Vec<Value> = aligned["reading"].as_array().unwrap().clone();
    assert!(remarks.iter().any(|remark| remark["remark"] == "aligned"), "{remarks:?}");
    folder.refuses("fit zx.parquet zy.parquet --index none", &["column \"name\": holds texts"]);
    let picked = "fit zx.parquet zy.parquet --index none --x-columns x* --y-columns y1,y2 -k 2";
    folder.run(picked).done();
}

#[test]
fn flags_say_how_a_text_is_written() {
    let folder = folder();
    let expected = correlations(&folder, "fit x.csv y.csv -k 2");
    for name in ["x", "y"] {
        edited(&folder, &format!("{name}.csv"), &format!("{name}.txt"), |_, text| {
            text.replace(',', "|").replace('.', ",")
        });
    }
    folder.refuses("fit x.txt y.txt", &["x.txt: may hold anything", "--delimiter tab"]);
    let said = "fit x.txt y.txt -k 2 --delimiter | --decimal ,";
    assert!(gap(&correlations(&folder, said), &expected) < 1e-12);
    let alone = "fit x.txt y.csv -k 2 --x-delimiter | --x-decimal ,";
    assert!(gap(&correlations(&folder, alone), &expected) < 1e-12);
    let ran = folder.run("fit x.txt y.txt -k 2 --delimiter |").done();
    assert!(ran.stderr.contains("x.txt: numbers have decimal commas"), "{ran:?}");
    folder.refuses("info x.txt --delimiter ab", &["expected one character, tab or space"]);
    folder.refuses("info x.txt --decimal ;", &["expected . or ,"]);
}

#[test]
fn a_name_for_two_columns_is_refused_before_anything_is_fitted() {
    let folder = folder();
    edited(&folder, "x.csv", "twice.csv", |line, text| if line == 0 { "a,b,a".into() } else { text.into() });
    let needles = ["twice.csv: columns 1 and 3 are both called \"a\"", "by its number"];
    folder.refuses("fit twice.csv y.csv -o new", &needles);
    folder.run("fit twice.csv y.csv --x-columns 2,3 -k 1 -o model").done();
    folder.run("transform model --x twice.csv --columns 2,3 -o z.csv").done();
}

#[test]
fn a_category_that_is_called_none_is_one() {
    let folder = folder();
    edited(&folder, "x.csv", "bags.csv", |line, text| {
        format!("{text},{}", if line == 0 { "bags" } else { ["None", "Driver", "Both"][line * line % 3] })
    });
    let ran = folder.run("fit bags.csv y.csv").done();
    let remark = "column \"bags\" taken as 2 categories, \"None\" among them (--na None if it";
    assert!(ran.stderr.contains(remark), "{ran:?}");
    folder.refuses("fit bags.csv y.csv --na None", &["column \"bags\": the value is missing (\"None\"); 20"]);
}

/// Writes two tables with the same ids in different orders; `columns` stand before the data of each row.
fn tables_with_ids(folder: &Folder, names: [&str; 2], columns: impl Fn(usize, usize) -> String) {
    let data = |id: usize| format!("{:.4},{:.4}", (id as f64 * 0.7).sin(), (id as f64 * 1.3).cos());
    let table = |names: &str, order: &dyn Fn(usize) -> usize| {
        let rows = (0..40).map(|row| format!("{},{}\n", columns(row, order(row)), data(order(row))));
        format!("{names},a,b\n{}", rows.collect::<String>())
    };
    folder.write("x.csv", table(names[0], &|row| row + 100));
    folder.write("y.csv", table(names[1], &|row| (row * 7) % 40 + 100));
}

#[test]
fn a_column_that_only_counts_does_not_hide_one_that_names() {
    let folder = Folder::new();
    tables_with_ids(&folder, ["index,patient_id", "index,patient_id"], |row, id| format!("{row},{id}"));
    let json = folder.json("fit x.csv y.csv -k 1 --hold-out no");
    assert!(numbers(&json, "correlations")[0] > 0.999, "{json}");
}

#[test]
fn names_of_ids_may_differ_in_case() {
    let folder = Folder::new();
    tables_with_ids(&folder, ["Patient_ID", "patient_id"], |_, id| id.to_string());
    let json = folder.json("fit x.csv y.csv -k 1 --hold-out no");
    assert!(numbers(&json, "correlations")[0] > 0.999, "{json}");
}

#[test]
fn rows_that_were_fitted_without_their_ids_are_scored_without_them() {
    let folder = Folder::new();
    tables_with_ids(&folder, ["patient_id", "patient_id"], |_, id| id.to_string());
    let ran =
        folder.run("fit x.csv y.csv -k 1 --x-columns a,b --y-columns a,b --hold-out no -o model").done();
    let said =
        "column \"patient_id\" is not read; if it names the rows, make it the index (--index patient_id)";
    assert!(ran.stderr.contains(said), "{ran:?}");
    let fitted = numbers(&folder.json("info model"), "correlations")[0];
    let scored = numbers(&folder.json("score model x.csv y.csv"), "correlations")[0];
    assert!((fitted - scored).abs() < 1e-9, "{fitted} {scored}");
}

#[test]
fn commas_are_between_fields_or_before_decimals() {
    let folder = Folder::new();
    folder.write("one.csv", "a\n1,0\n4,7\n7,4\n2,5\n");
    folder.write("y.csv", "b\n1\n2\n3\n5\n");
    folder.run("fit one.csv y.csv -k 1 --x-decimal , -o model").refused(2, &["one.csv", "--delimiter"]);
    folder.write("survey.csv", "a,multi\n0,\"1,4\"\n1,\"2,5\"\n0,\"1,2\"\n3,\"2,3\"\n");
    let ran = folder.run("fit survey.csv y.csv -k 1 --x-columns multi -o model");
    assert!(!ran.stderr.contains("decimal commas"), "{ran:?}");
}
