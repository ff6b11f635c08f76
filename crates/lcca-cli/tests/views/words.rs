//! `lcca views words`

use super::{bytes, column_names, words};
use crate::common::data::Dice;
use crate::common::{Folder, gap, numbers};
use std::fs;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("c.txt", "the cat sat\n\nthe dog sat on the cat\nOn\n");
    folder
}

#[test]
fn a_row_is_a_word_and_the_next() {
    let folder = folder();
    let facts = folder.json("views words c.txt --min-count 1 -o d");
    assert_eq!(words(&folder, "d/x.safetensors"), ["the", "cat", "the", "dog", "sat", "on", "the"]);
    assert_eq!(words(&folder, "d/y.safetensors"), ["cat", "sat", "dog", "sat", "on", "the", "cat"]);
    assert_eq!(column_names(&folder, "d/x.safetensors"), ["the", "cat", "sat", "dog", "on"]);
    assert_eq!(folder.read("d/x_columns.tsv"), b"the\t3\ncat\t1\nsat\t1\ndog\t1\non\t1\n");
    assert_eq!(
        (&facts["tokens"], &facts["distinct"], &facts["x"]["storage"]),
        (&10.into(), &6.into(), &"one-hot".into())
    );
    let mut files: Vec<String> = bytes(&folder, "d").into_keys().collect();
    files.sort();
    assert_eq!(files, ["x.safetensors", "x_columns.tsv", "y.safetensors", "y_columns.tsv"]);
}

#[test]
fn rows_outside_the_vocabulary_are_dropped_and_then_columns() {
    let folder = folder();
    folder.run("views words c.txt --min-count 1 --across-lines --lowercase --y-top 2 -o d").done();
    // The two most frequent words are "the" (3 times) and, by name, "cat" of those that occur twice.
    assert_eq!(words(&folder, "d/x.safetensors"), ["the", "sat", "on", "the"]);
    assert_eq!(words(&folder, "d/y.safetensors"), ["cat", "the", "the", "cat"]);
    assert_eq!(column_names(&folder, "d/x.safetensors"), ["the", "on", "sat"]);
}

#[test]
fn wider_windows_are_sets_or_positions() {
    let folder = folder();
    folder.run("views words c.txt --min-count 1 --window 1:2 -o sets").done();
    assert_eq!(words(&folder, "sets/x.safetensors")[..4], ["the", "cat", "sat", "the"]);
    assert_eq!(words(&folder, "sets/y.safetensors")[..4], ["cat sat", "the sat", "cat", "sat dog"]);
    folder.run("views words c.txt --min-count 1 --window 1:1 --positions -o places").done();
    assert_eq!(words(&folder, "places/y.safetensors")[..4], ["+1:cat", "-1:the +1:sat", "-1:cat", "+1:dog"]);
}

#[test]
fn rare_words_are_left_out_unless_they_are_wanted() {
    let folder = Folder::new();
    let frequent = "the cat sat on the mat\n".repeat(5);
    folder.write("c.txt", format!("{frequent}isbn 978 the cat\n"));
    let run = folder.run("views words c.txt -o usual").done();
    let line = "of 7 distinct words those that occur at least 5 times are kept (--min-count)";
    assert!(run.stderr.contains(line), "{run:?}");
    for view in ["usual/x.safetensors", "usual/y.safetensors"] {
        let names = column_names(&folder, view);
        assert!(
            names.iter().any(|name| name == "cat") && !names.iter().any(|name| name == "978"),
            "{names:?}"
        );
    }
    folder.run("views words c.txt --min-count 1 -o all").done();
    assert!(column_names(&folder, "all/x.safetensors").iter().any(|name| name == "isbn"));
}

/// A corpus is split like texts: a word with a comma after it is the same word.
#[test]
fn words_are_split_as_texts_are() {
    let folder = Folder::new();
    folder.write("c.txt", "The cat, the dog.\n\"The cat\" sat!\n");
    folder.write("t.tsv", "a\tb\nThe cat, the dog.\tx\n\"The cat\" sat!\tx\n");
    let facts = folder.json("views words c.txt --min-count 1 -o d");
    let text = folder.json("views text t.tsv --x a --y b --min-count 1 -o t");
    assert_eq!(facts["settings"]["tokens"], "words");
    assert!(text.to_string().contains("\"words\""), "{text}");
    assert_eq!(words(&folder, "d/x.safetensors"), ["The", "cat", "the", "The", "cat"]);
    folder.run("views words c.txt --min-count 1 --tokens whitespace -o raw").done();
    assert_eq!(words(&folder, "raw/x.safetensors"), ["The", "cat,", "the", "\"The", "cat\""]);
}

/// Sentences of few words, so that many rows are equal.
fn corpus() -> String {
    let mut dice = Dice(3);
    let line = |_| {
        (0..1 + dice.below(12)).map(|_| format!("w{} ", dice.below(25) * dice.below(4))).collect::<String>()
            + "\n"
    };
    (0..20_000).map(line).collect()
}

#[test]
fn merged_rows_with_weights_are_the_same_data() {
    let folder = Folder::new();
    folder.write("c.txt", corpus());
    for flags in ["", "--window 2:1"] {
        let merged = folder.json(&format!("views words c.txt --min-count 1 --merge -o merged {flags}"));
        let plain = folder.json(&format!("views words c.txt --min-count 1 -o plain {flags}"));
        assert!(merged["rows"].as_u64() < plain["rows"].as_u64());
        assert_eq!(merged["weight"].as_f64(), plain["rows"].as_f64());
        let fit = |from: &str, flags: &str| {
            let fit = folder
                .json(&format!("fit {from}/x.safetensors {from}/y.safetensors -k 5 --tol 1e-8 {flags}"));
            numbers(&fit, "correlations")
        };
        assert!(gap(&fit("merged", "--row-weights merged/weights.npy"), &fit("plain", "")) < 1e-6);
        assert_eq!(folder.read("merged/x_columns.tsv"), folder.read("plain/x_columns.tsv"));
        assert_eq!(folder.read("merged/y_columns.tsv"), folder.read("plain/y_columns.tsv"));
        ["merged", "plain"].iter().for_each(|name| fs::remove_dir_all(folder.path(name)).unwrap());
    }
}

#[test]
fn threads_change_nothing_and_files_are_read_one_after_another() {
    let folder = Folder::new();
    let text = corpus();
    let (front, back) = text.split_at(text.len() / 3);
    let cut = front.rfind('\n').unwrap() + 1;
    folder.write("all.txt", &text);
    folder.write("front.txt", &text[..cut]);
    folder.write("back.txt", format!("{}{back}", &front[cut..]));
    folder.run("views words all.txt --min-count 1 --window 1:1 --threads 1 -o one").done();
    folder.run("views words all.txt --min-count 1 --window 1:1 --threads 5 -o five").done();
    folder.run("views words front.txt back.txt --min-count 1 --window 1:1 -o two").done();
    assert!(
        bytes(&folder, "one") == bytes(&folder, "five") && bytes(&folder, "one") == bytes(&folder, "two")
    );
}

#[test]
fn pairs_are_those_of_a_slow_twin() {
    let folder = Folder::new();
    let text = corpus();
    folder.write("c.txt", &text);
    folder.run("views words c.txt --min-count 1 -o d").done();
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let pairs: Vec<(String, String)> = lines
        .flat_map(|line| {
            line.windows(2).map(|pair| (pair[0].to_string(), pair[1].to_string())).collect::<Vec<_>>()
        })
        .collect();
    let rows: Vec<(String, String)> =
        words(&folder, "d/x.safetensors").into_iter().zip(words(&folder, "d/y.safetensors")).collect();
    assert!(rows == pairs);
}
