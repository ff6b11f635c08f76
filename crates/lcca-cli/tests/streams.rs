//! Standard input and output in place of files, names that promise a format, and manual pages.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::data::{X_COLS, svmlight, topics};
use common::{Folder, Ran};
use std::fs::File;
use std::process::Stdio;

const TABLE_X: &str = "name,a,b,c\nr1,1,0.5,2\nr2,0,1,1\nr3,2,0,3\nr4,1,3,1\nr5,0,2,2\nr6,4,1,0\nr7,3,3,1\n";
const TABLE_Y: &str = "name\tu\tv\nr1\t1\t2\nr2\t2\t1\nr3\t0\t3\nr4\t4\t1\nr5\t2\t2\nr6\t1\t5\nr7\t3\t1\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("x.csv", TABLE_X);
    folder.write("y.tsv", TABLE_Y);
    folder.run("fit x.csv y.tsv -k 2 --hold-out no -o model").done();
    folder
}

/// Runs a command that reads this file as its standard input.
fn fed(folder: &Folder, file: &str, line: &str) -> Ran {
    Ran::output(folder.command(line).stdin(File::open(folder.path(file)).unwrap()))
}

#[test]
fn a_table_goes_through_a_pipe_as_through_files() {
    let folder = folder();
    folder.run("transform model --x x.csv -o zx.tsv").done();
    let ran = fed(&folder, "x.csv", "transform model --x - -o -").done();
    assert_eq!(ran.stdout.as_bytes(), folder.read("zx.tsv"));
    assert!(ran.stdout.starts_with("\tx1\tx2\nr1\t"), "{ran:?}");
    assert!(ran.stderr.contains("7 rows written to standard output"), "{ran:?}");
    let quiet = fed(&folder, "x.csv", "transform model --x - -o - --quiet").done();
    assert_eq!((quiet.stdout, quiet.stderr.as_str()), (ran.stdout, ""));

    folder.run("export model -o weights.tsv").done();
    assert_eq!(folder.run("export model -o -").done().stdout.as_bytes(), folder.read("weights.tsv"));
}

#[test]
fn first_bytes_tell_the_format_of_standard_input() {
    let folder = Folder::with_views(60, 3);
    folder.write("x.svm", svmlight(&topics(60, X_COLS, X_COLS, 3)[0]));
    folder.write("t.csv", TABLE_X);
    folder.write("t.tsv", TABLE_Y);
    folder.run("convert x.npz x.mtx").done();
    folder.run("convert x.npz x.safetensors").done();
    for (file, flags) in [
        ("x.npz", ""),
        ("x.mtx", ""),
        ("x.safetensors", ""),
        ("x.svm", ""),
        ("t.csv", "--index name"),
        ("t.tsv", "--index name"),
    ] {
        folder.run(&format!("convert {file} file.mtx {flags}")).done();
        fed(&folder, file, &format!("convert - stream.mtx {flags}")).done();
        assert_eq!(folder.read("file.mtx"), folder.read("stream.mtx"), "{file}");
    }
}

#[test]
fn one_view_of_a_fit_may_be_standard_input() {
    let folder = folder();
    let whole = folder.run("fit x.csv y.tsv -k 2 --hold-out no --json --quiet").done().json();
    let ran = fed(&folder, "x.csv", "fit - y.tsv -k 2 --hold-out no --json --quiet").done().json();
    assert_eq!(ran["correlations"], whole["correlations"]);
    fed(&folder, "x.csv", "fit - - -k 1").refused(2, &["standard input", "only once"]);
    folder.write("empty", "");
    fed(&folder, "empty", "fit - y.tsv -k 1").refused(2, &["standard input is empty"]);
    fed(&folder, "empty", "info -").refused(2, &["-"]);
}

/// Streams are copied to a temporary file, so the message names the missing folder.
#[test]
#[cfg(unix)]
fn a_missing_folder_for_temporary_files_is_named() {
    let folder = folder();
    for line in ["transform model --x - -o z.tsv", "transform model --x x.csv -o -", "export model -o -"] {
        let mut command = folder.command(line);
        command.env("TMPDIR", folder.path("nowhere")).stdin(File::open(folder.path("x.csv")).unwrap());
        Ran::output(&mut command)
            .refused(2, &["-: needs a temporary file", "nowhere: it does not exist", "set TMPDIR"]);
    }
}

#[test]
fn what_is_no_stream_or_has_anothers_extension_is_refused() {
    let folder = folder();
    for (line, needles) in [
        ("fit x.csv y.tsv -o -", vec!["a model", "standard output"]),
        ("fit x.csv y.tsv -o model.csv", vec!["model.csv", ".safetensors", "lcca export"]),
        ("fit x.csv y.tsv -o model.JSON", vec!["model.JSON", ".safetensors"]),
        ("compare x.csv y.tsv -o -", vec!["a comparison", "folder"]),
        ("views columns x.csv --x 1 --y 2 -o -", vec!["two views", "folder"]),
        ("sample -o -", vec!["a sample", "folder"]),
        ("demo -o -", vec!["the demo", "folder"]),
        ("report model x.csv y.tsv -o -", vec!["a report", "expected a file"]),
        ("convert x.csv -", vec!["a matrix", "expected a file"]),
        ("convert x.csv x.foo", vec!["x.foo", "extension"]),
        ("transform model --x x.csv -o - --json", vec!["--json", "standard output"]),
        ("export model -o - --json", vec!["--json", "standard output"]),
        ("transform model --x x.csv -o zx.xlsx", vec!["zx.xlsx", ".csv"]),
    ] {
        folder.refuses(line, &needles);
    }
}

#[test]
fn a_reader_of_a_table_may_stop_early() {
    let folder = folder();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = folder.command("export model -o -");
    let ran = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(Ran::from(ran).code, Some(0));
}

/// Closes standard error, as in `lcca fit … 2>&1 | head -n 1`.
#[test]
fn work_goes_on_if_nobody_reads_what_is_said() {
    let folder = folder();
    for (line, code) in [
        ("fit x.csv y.tsv -k 2 --hold-out no -o again", 0),
        ("plot scree model -o scree.svg", 0),
        ("score model x.csv no-file.csv", 2),
        ("no-command", 2),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = folder.command(line);
        command.stdout(writer.try_clone().unwrap()).stderr(writer);
        assert_eq!(command.status().unwrap().code(), Some(code), "{line}");
    }
    assert!(folder.read("again") == folder.read("model") && folder.path("scree.svg").exists());
}

#[test]
fn every_command_has_a_manual_page_with_all_of_its_flags() {
    let folder = Folder::new();
    let ran = folder.run("man --output pages").done();
    assert!(ran.stderr.contains("manual pages written to pages"), "{ran:?}");
    let pages: Vec<String> = std::fs::read_dir(folder.path("pages"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    for expected in ["lcca.1", "lcca-fit.1", "lcca-man.1", "lcca-views.1", "lcca-views-text.1"] {
        assert!(pages.iter().any(|page| page == expected), "{pages:?}");
    }
    for page in &pages {
        let text = String::from_utf8(folder.read(&format!("pages/{page}"))).unwrap();
        let command = page.strip_suffix(".1").unwrap().strip_prefix("lcca").unwrap().replace('-', " ");
        let command = if command == " run cca" { " run-cca".into() } else { command };
        let help = folder.run(&format!("{} --help", command.trim())).done().stdout;
        let flags = help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 4);
        for flag in flags {
            let flag =
                flag.trim_end_matches(|c: char| !c.is_alphanumeric()).split(['=', '[']).next().unwrap();
            assert!(text.contains(&flag.replace('-', "\\-")), "{page}: {flag}");
        }
        // Only commands of the language begin with its sign.
        let known = [".TH ", ".SH ", ".TP", ".nf", ".fi", ".sp"];
        for line in text.lines().filter(|line| line.starts_with('.')) {
            assert!(known.iter().any(|known| line.starts_with(known)), "{page}: {line}");
        }
    }
    let printed = folder.run("man views text").done().stdout;
    assert_eq!(printed.as_bytes(), folder.read("pages/lcca-views-text.1"));
    // Pages are also found by their names.
    for line in ["man views-text", "man lcca-views-text"] {
        assert_eq!(folder.run(line).done().stdout, printed);
    }
    folder.run("man run-cca").done();
    folder.refuses("man fit-text", &["fit-text"]);
    folder.refuses("man fitt", &["fitt"]);
}
