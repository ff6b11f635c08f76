//! Bad input is refused: one line that names the file and the place, exit code 2, nothing written.

use crate::common::Folder;
use crate::common::formats::gzip;
use std::fs;

/// Checks that the command is refused and leaves no folder, neither the requested one nor a hidden one.
fn refuses(folder: &Folder, line: &str, needles: &[&str]) {
    folder.refuses(&format!("{line} -o made"), needles);
    let parent = folder.path("made").parent().unwrap().to_path_buf();
    let folders = fs::read_dir(parent).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(folders.count(), 0, "{line}");
}

/// Checks that `lcca views text` refuses a file of this name and contents.
fn refuses_text(name: &str, bytes: impl AsRef<[u8]>, flags: &str, needles: &[&str]) {
    let folder = Folder::new();
    folder.write(name, bytes);
    let needles = [&[name], needles].concat();
    refuses(&folder, &format!("views text {name} {flags}"), &needles);
}

#[test]
fn broken_texts_are_named_by_line() {
    let by_name = "--x a --y b";
    refuses_text("t.tsv", b"a\tb\nx\ty\nx\t\xff\n", by_name, &["line 3: is not UTF-8; --lossy"]);
    refuses_text("t.csv", b"a,b\n\"x\n\",y\nx,\xff\n", by_name, &["line 4: is not UTF-8"]);
    refuses_text("t.tsv", "a\tb\nx\ty\n\nx\ty\n", by_name, &["line 3: has 1 field, expected 2"]);
    refuses_text("t.csv", "a,b\nx,y\nx,y,z\n", by_name, &["line 3: has 3 fields, expected 2"]);
    refuses_text(
        "t.jsonl",
        "{\"a\":\"x\",\"b\":\"y\"}\n{\"a\":\"x\"\n",
        by_name,
        &["line 2: expected a JSON object"],
    );
    refuses_text("t.jsonl", "{\"a\":\"x\",\"b\":\"y\"}\n[1]\n", by_name, &["line 2: expected a JSON object"]);
    refuses_text(
        "t.jsonl",
        "{\"a\":\"x\",\"b\":\"y\"}\n{\"a\":\"x\"}\n",
        by_name,
        &["line 2: there is no \"b\""],
    );
    refuses_text("t.jsonl", "{\"a\":\"x\",\"b\":{}}\n", by_name, &["line 1: \"b\" is an object"]);
    let cut = &gzip("a\tb\n".repeat(1000).as_bytes())[..20];
    refuses_text("t.tsv.gz", cut, by_name, &["truncated or corrupt gzip stream"]);
}

#[test]
fn columns_that_are_not_there_are_told_with_those_that_are() {
    let text = "a\tb\nx\ty\n";
    refuses_text(
        "t.tsv",
        text,
        "--x c --y b",
        &["line 1: there is no column \"c\", expected one of \"a\", \"b\" or a number from 1 to 2"],
    );
    refuses_text("t.tsv", text, "--x a --y 3", &["no column \"3\""]);
    refuses_text("t.tsv", text, "--x a --y b --label c", &["no column \"c\""]);
    refuses_text(
        "t.tsv",
        text,
        "--x a --y 2 --no-header",
        &["no column \"a\", expected a number from 1 to 2"],
    );
    refuses_text("t.csv", "a,b\nx,y\n", "--x 0 --y b", &["no column \"0\""]);
}

#[test]
fn texts_without_rows_or_tokens_make_no_views() {
    let by_name = "--x a --y b";
    refuses_text("t.tsv", "", by_name, &["is empty"]);
    refuses_text("t.tsv", "a\tb\n", by_name, &["has no rows"]);
    refuses_text("t.csv", "a,b\n", by_name, &["has no rows"]);
    refuses_text("t.jsonl", "\n\n", by_name, &["has no rows"]);
    refuses_text("t.tsv", "a\tb\n?\tword\n", by_name, &["x: no text has a token, in 1 rows"]);
    refuses_text(
        "t.tsv",
        "a\tb\nu\tv\nu\tw\n",
        by_name,
        &["y: no column is left of 2 different tokens in 2 rows", "in 1 of them"],
    );
    refuses_text("t.tsv", "a\tb\nu\tv\n", "--x a --y b --min-count 1 --skip 1", &["no column is left"]);
    refuses_text("t.dat", "a\tb\nu\tv\n", by_name, &["has no known extension", "--format"]);
}

#[test]
fn lines_that_do_not_pair_up_are_refused() {
    let folder = Folder::new();
    folder.write("x.txt", "a\nb\nc\n");
    folder.write("y.txt", "a\nb\n");
    folder.write("z.txt", b"a\n\xff\nb\n");
    refuses(&folder, "views text x.txt y.txt", &["x.txt: line 3: y.txt ends before it"]);
    refuses(&folder, "views text y.txt x.txt", &["x.txt: line 3: y.txt ends before it"]);
    refuses(&folder, "views text x.txt z.txt", &["z.txt: line 2: is not UTF-8"]);
    refuses(&folder, "views text x.txt nowhere.txt", &["nowhere.txt: No such file"]);
    refuses(&folder, "views text x.txt y.txt --x 1", &["--x names a column, expected one file"]);
    refuses(&folder, "views text x.txt --x 1", &["expected --x and --y"]);
}

#[test]
fn what_was_mistyped_is_told() {
    let folder = Folder::new();
    folder.write("t.tsv", "a\tb\nu\tv\n");
    let start = "views text t.tsv --x a --y b";
    for (flags, needle) in [
        ("--tokens sentences", "expected words, whitespace"),
        ("--x-tokens chars:0", "chars:3"),
        ("--max-share 0", "--max-share is 0, expected"),
        ("--max-share 1.5", "--max-share is 1.5, expected"),
        ("--hash-bits 40", "expected 1 to 30"),
        ("--hash-bits 10 --top 5", "cannot be used with"),
        ("--values some", "tf-idf"),
    ] {
        refuses(&folder, &format!("{start} {flags}"), &[needle]);
    }
    refuses(&folder, "views words t.tsv --window 0:0", &["LEFT:RIGHT"]);
    refuses(&folder, "views words -", &["read twice"]);
}

#[test]
fn a_folder_that_is_there_stays() {
    let folder = Folder::new();
    folder.write("t.tsv", "a\tb\nu\tv\n");
    folder.write("made", "precious");
    folder.refuses(
        "views text t.tsv --x a --y b --min-count 1 -o made",
        &["made: exists, expected a new folder"],
    );
    folder.refuses("views text t.tsv --x a --y b --min-count 1 -o no/where", &["folder no does not exist"]);
    fs::create_dir(folder.path("full")).unwrap();
    folder.write("full/mine", "precious");
    folder.refuses("views text t.tsv --x a --y b --min-count 1 -o full", &["full: exists and is not empty"]);
    assert_eq!(folder.read("full/mine"), b"precious");
}

#[test]
fn a_corpus_needs_words_that_stand_together() {
    let folder = Folder::new();
    folder.write("empty.txt", "");
    folder.write("blank.txt", " \n\n");
    folder.write("one.txt", "word\n");
    folder.write("apart.txt", "some\nwords\n");
    folder.write("broken.txt", b"a b\nc \xff d\n");
    refuses(&folder, "views words empty.txt", &["empty.txt: is empty"]);
    refuses(&folder, "views words blank.txt", &["blank.txt: 0 words in the corpus, expected two"]);
    refuses(&folder, "views words one.txt", &["one.txt: 1 words in the corpus, expected two"]);
    refuses(&folder, "views words apart.txt --min-count 1", &["apart.txt: no row is left"]);
    refuses(&folder, "views words apart.txt --min-count 2", &["apart.txt: x: no word is left of 2"]);
    refuses(&folder, "views words broken.txt", &["broken.txt: line 2: is not UTF-8"]);
    refuses(&folder, "views words apart.txt nowhere.txt", &["nowhere.txt: No such file"]);
    folder.run("views words apart.txt --min-count 1 --across-lines -o fine").done();
}

#[test]
fn columns_that_mean_nothing_are_refused() {
    let folder = Folder::new();
    folder.write("m.svm", "1 1:2 2:1\n1 3:1\n");
    for (flags, needles) in [
        ("--x 0..9 --y 1", ["m.svm: x: columns 0..9 are requested, expected at most 3", ""]),
        ("--x 0 --y gene_*", ["m.svm: y: the columns have no names", "gene_*"]),
        ("--x first:20% --y 1", ["x: first:20% is no column of 3", ""]),
        ("--x 0 --y 1 --boolean-only", ["x: no column is left of 1 (1 are not Boolean)", ""]),
        ("--x 0 --y 1 --skip 5", ["x: no column is left of 1", "--skip"]),
        ("--x 0 --y 1 --rows 0", ["0 rows are requested", ""]),
        ("--x 2..1 --y 1", ["2..1 holds no column", ""]),
    ] {
        refuses(&folder, &format!("views columns m.svm --cols 3 {flags}"), &needles);
    }
    refuses(&folder, "views columns m.svm --x 0", &["--y"]);
}
