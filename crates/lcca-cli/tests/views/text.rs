//! `lcca views text`

use super::{bytes, column_names, rows, words};
use crate::common::data::Dice;
use crate::common::formats::{gzip, zstandard};
use crate::common::{Folder, Ran};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;

const PAIRS: &str = "en\tfr\tid\n\
    Go, go!\tVa !\t1\n\
    The cat\tLe chat\t2\n\
    the dog\tLe chien, le chien\t3\n\
    A cat goes\tUn chat va\t4\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("pairs.tsv", PAIRS);
    folder
}

#[test]
fn texts_become_sets_of_words_most_frequent_first() {
    let folder = folder();
    let facts = folder.json("views text pairs.tsv --x en --y 2 --label id --lowercase -o d --min-count 1");
    assert_eq!(column_names(&folder, "d/x.safetensors"), ["cat", "the", "a", "dog", "go", "goes"]);
    assert_eq!(column_names(&folder, "d/y.safetensors"), ["chat", "le", "va", "chien", "un"]);
    assert_eq!(words(&folder, "d/x.safetensors"), ["go", "cat the", "the dog", "cat a goes"]);
    assert_eq!(words(&folder, "d/y.safetensors"), ["va", "chat le", "le chien", "chat va un"]);
    assert_eq!(folder.read("d/labels.txt"), b"1\n2\n3\n4\n");
    assert_eq!(folder.read("d/x_columns.tsv"), b"cat\t2\nthe\t2\na\t1\ndog\t1\ngo\t1\ngoes\t1\n");
    assert_eq!(
        (&facts["rows"], &facts["x"]["cols"], &facts["y"]["tokens"]),
        (&4.into(), &6.into(), &10.into())
    );
    let written: serde_json::Value = serde_json::from_slice(&folder.read("d/views.json")).unwrap();
    assert_eq!(written, facts);
}

#[test]
fn rare_frequent_and_excess_words_are_dropped() {
    let folder = folder();
    folder.run("views text pairs.tsv --x en --y fr --lowercase -o two").done();
    assert_eq!(column_names(&folder, "two/x.safetensors"), ["cat", "the"]);
    assert_eq!(words(&folder, "two/x.safetensors"), ["", "cat the", "the", "cat"]);
    folder
        .run("views text pairs.tsv --x en --y fr --lowercase --min-count 1 --skip 1 --top 3 --y-top 2 -o top")
        .done();
    assert_eq!(column_names(&folder, "top/x.safetensors"), ["the", "a", "dog"]);
    assert_eq!(column_names(&folder, "top/y.safetensors"), ["le", "va"]);
    folder
        .run("views text pairs.tsv --x en --y fr --lowercase --min-count 1 --x-skip 1 --top 3 -o each")
        .done();
    assert_eq!(column_names(&folder, "each/x.safetensors"), ["the", "a", "dog"]);
    assert_eq!(column_names(&folder, "each/y.safetensors")[1..], ["le", "va"]);
    folder
        .run(
            "views text pairs.tsv --x en --y fr --lowercase=x --min-count 1 --max-share 0.3 --ties first \
        -o rare",
        )
        .done();
    assert_eq!(column_names(&folder, "rare/x.safetensors"), ["go", "dog", "a", "goes"]);
    assert_eq!(column_names(&folder, "rare/y.safetensors"), ["Va", "chien", "le", "Un", "va"]);
}

#[test]
fn every_format_and_packing_gives_the_same_views() {
    let folder = folder();
    let texts: Vec<[&str; 3]> =
        PAIRS.lines().map(|line| line.split('\t').collect::<Vec<_>>().try_into().unwrap()).collect();
    let csv: String = texts.iter().map(|[x, y, id]| format!("\"{x}\",\"{y}\",{id}\r\n")).collect();
    let json: String = texts[1..]
        .iter()
        .map(|[x, y, id]| format!("{{\"id\":{id},\"fr\":\"{y}\",\"en\":\"{x}\"}}\n\n"))
        .collect();
    folder.write("pairs.csv", format!("\u{feff}{csv}"));
    folder.write("pairs.jsonl", &json);
    folder.write("pairs.tsv.gz", gzip(PAIRS.as_bytes()));
    folder.write("pairs.tsv.zst", zstandard(PAIRS.as_bytes()));
    folder.write("unnamed", PAIRS);
    folder.run("views text pairs.tsv --x en --y fr --label id -o expected").done();
    let expected = bytes(&folder, "expected");
    assert_eq!(expected.len(), 5);
    for (i, file) in ["pairs.csv", "pairs.jsonl", "pairs.tsv.gz", "pairs.tsv.zst", "unnamed --format tsv"]
        .iter()
        .enumerate()
    {
        folder.run(&format!("views text {file} --x en --y fr --label id -o d{i}")).done();
        assert!(bytes(&folder, &format!("d{i}")) == expected, "{file}");
    }
    let mut typed = folder.command("views text - --x en --y fr --label id -o typed");
    Ran::output(typed.stdin(File::open(folder.path("pairs.tsv")).unwrap())).done();
    assert!(bytes(&folder, "typed") == expected);
}

#[test]
fn lines_of_two_files_are_rows() {
    let folder = folder();
    let column = |index: usize| {
        PAIRS
            .lines()
            .skip(1)
            .map(|line| format!("{}\n", line.split('\t').nth(index).unwrap()))
            .collect::<String>()
    };
    folder.write("en.txt", column(0));
    folder.write("fr.txt.gz", gzip(column(1).as_bytes()));
    folder.run("views text en.txt fr.txt.gz -o lines").done();
    folder.run("views text pairs.tsv --x en --y fr -o table").done();
    assert!(bytes(&folder, "lines") == bytes(&folder, "table"));
}

#[test]
fn quoted_fields_hold_commas_quotes_and_lines() {
    let folder = Folder::new();
    folder.write("q.csv", "x,y\n\"one, \"\"two\"\"\nthree\",a\nfour,\"b\nc\"\n");
    folder.run("views text q.csv --x x --y y --min-count 1 -o d --label y").done();
    assert_eq!(words(&folder, "d/x.safetensors"), ["one three two", "four"]);
    assert_eq!(folder.read("d/labels.txt"), b"a\nb c\n");
}

#[test]
fn counts_weights_and_hashes_are_values() {
    let folder = folder();
    folder.run("views text pairs.tsv --x en --y fr --lowercase --min-count 1 --values count -o count").done();
    assert_eq!(rows(&folder, "count/x.safetensors")[0], [("go".to_string(), 2.0)]);
    assert_eq!(
        rows(&folder, "count/y.safetensors")[2],
        [("le".to_string(), 2.0), ("chien".to_string(), 2.0)]
    );
    folder.run("views text pairs.tsv --x en --y fr --lowercase --min-count 1 --values tf-idf -o tf").done();
    let row = &rows(&folder, "tf/y.safetensors")[2];
    let [le, chien] = [2.0 * ((5.0 / 3.0f64).ln() + 1.0), 2.0 * ((5.0 / 2.0f64).ln() + 1.0)];
    assert!(
        (row[0].1 - le / le.hypot(chien)).abs() < 1e-7 && (row[1].1 - chien / le.hypot(chien)).abs() < 1e-7,
        "{row:?}"
    );
    folder.run("views text pairs.tsv --x en --y fr --lowercase --hash-bits 10 -o hash").done();
    let hashed = lcca_io::read_matrix(&folder.path("hash/x.safetensors")).unwrap().matrix;
    let mut entries = Vec::new();
    hashed.for_each(2, |column, value| entries.push((column, value)));
    // scikit-learn: FeatureHasher(1024, input_type="string").transform([["the", "dog"]])
    assert_eq!((hashed.cols(), entries), (1024, HASHED.to_vec()));
}

const HASHED: [(usize, f64); 2] = [(158, -1.0), (549, -1.0)];

/// Thousands of lines, because several threads should have several batches each.
fn many_lines() -> String {
    let mut dice = Dice(7);
    let mut text = String::new();
    for _ in 0..30_000 {
        for view in 0..2 {
            let words = 1 + dice.below(9);
            let word = |dice: &mut Dice| format!("w{} ", dice.below(400) * dice.below(40));
            text += &(0..words).map(|_| word(&mut dice)).collect::<String>();
            text.push(if view == 0 { '\t' } else { '\n' });
        }
    }
    text
}

#[test]
fn the_views_are_those_of_a_slow_twin_whatever_the_number_of_threads() {
    let folder = Folder::new();
    let text = many_lines();
    folder.write("many.tsv", &text);
    for threads in [1, 2, 7] {
        folder
            .run(&format!(
                "views text many.tsv --no-header --x 1 --y 2 --min-count 3 --threads {threads} -o t{threads}"
            ))
            .done();
    }
    assert!(bytes(&folder, "t1") == bytes(&folder, "t2") && bytes(&folder, "t1") == bytes(&folder, "t7"));
    for (side, store) in ["t1/x.safetensors", "t1/y.safetensors"].iter().enumerate() {
        let sets: Vec<BTreeSet<&str>> = text
            .lines()
            .map(|line| line.split('\t').nth(side).unwrap().split_whitespace().collect())
            .collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        sets.iter().flatten().for_each(|word| *counts.entry(word).or_default() += 1);
        let mut columns: Vec<&str> = counts.keys().copied().filter(|word| counts[word] >= 3).collect();
        columns.sort_by_key(|word| (std::cmp::Reverse(counts[word]), *word));
        assert_eq!(column_names(&folder, store), columns);
        let position: BTreeMap<&str, usize> = columns.iter().copied().zip(0..).collect();
        for (set, row) in sets.iter().zip(words(&folder, store)) {
            let mut expected: Vec<&str> =
                set.iter().copied().filter(|word| position.contains_key(word)).collect();
            expected.sort_by_key(|word| position[word]);
            assert_eq!(row, expected.join(" "));
        }
    }
}

#[test]
fn names_go_from_views_into_the_model() {
    let folder = Folder::new();
    folder.write("many.tsv", many_lines());
    folder.run("views text many.tsv --no-header --x 1 --y 2 --top 30 -o d").done();
    folder.run("fit d/x.safetensors d/y.safetensors -k 2 -o model").done();
    let names = lcca_io::read_model_names(&folder.path("model")).unwrap();
    assert_eq!(names.x, lcca_io::read_names(&folder.path("d/x.safetensors")).unwrap());
    let info = folder.json("info model");
    assert_eq!(info["x_names"][0], column_names(&folder, "d/x.safetensors")[0].as_str());
    assert!(folder.run("info d/x.safetensors").done().stdout.contains("columns named \"w0\", "));
    folder.run("convert d/x.safetensors again.safetensors").done();
    assert_eq!(folder.read("again.safetensors"), folder.read("d/x.safetensors"));
}
