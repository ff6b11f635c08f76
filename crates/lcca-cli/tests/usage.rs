//! Help, completions, the stream that each output goes to, and exit codes.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::data::{Rows, X_COLS, Y_COLS, dense, svmlight, topics};
use common::formats::Csr;
use common::{Folder, Ran, gap, number, numbers};
use lcca::method::Method;
use lcca::outcome::Note;
use lcca_io::{FitRecord, Recorded, wording};
use serde_json::Value;
use std::process::Stdio;

/// Every command and subcommand, such as "fit" and "views text", as the help lists them.
fn commands() -> Vec<String> {
    let commands = subcommands("");
    for known in ["fit", "completions", "views", "views text"] {
        assert!(commands.iter().any(|command| command == known), "{commands:?}");
    }
    commands
}

fn subcommands(parent: &str) -> Vec<String> {
    let help = Folder::new().run(&format!("{parent} --help")).done().stdout;
    let Some((_, list)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let list = list.split("\n\n").next().unwrap();
    // Names are indented by two spaces, and continued descriptions by more.
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty() && *name != "help");
    let names = names.map(|name| format!("{parent} {name}").trim().to_string());
    names.flat_map(|name| [vec![name.clone()], subcommands(&name)].concat()).collect()
}

/// The keys of a fit's JSON object that other programs may rely on.
const KEYS: [&str; 21] = [
    "method",
    "chosen",
    "why",
    "decisions",
    "notes",
    "rows",
    "x_cols",
    "y_cols",
    "k",
    "correlations",
    "objective",
    "residuals",
    "total",
    "converged",
    "passes",
    "work",
    "seconds",
    "peak_rss_bytes",
    "seed",
    "threads",
    "version",
];

#[test]
fn every_command_explains_itself_with_an_example() {
    let folder = Folder::new();
    for command in commands() {
        for flag in ["--help", "-h"] {
            let help = folder.run(&format!("{command} {flag}")).done();
            assert!(help.stderr.is_empty(), "{help:?}");
            assert!(help.stdout.contains(&format!("Usage: lcca {command}")), "{help:?}");
            assert!(help.stdout.contains("Example"), "{help:?}");
            assert!(help.stdout.contains(&format!("  lcca {command} ")), "{help:?}");
        }
    }
}

#[test]
fn the_first_help_names_every_command_and_format() {
    let help = Folder::new().run("--help").done().stdout;
    for command in commands().iter().filter(|command| !command.contains(' ')) {
        assert!(help.contains(&format!("\n  {command} ")), "{command}");
    }
    let formats = [".npz", ".npy", ".mtx", ".svm", ".safetensors", ".gz", ".zst"];
    formats.iter().for_each(|format| assert!(help.contains(format), "{format}"));
}

#[test]
fn every_method_is_explained_in_the_help_of_fit() {
    let help = Folder::new().run("fit --help").done().stdout;
    for method in Method::names() {
        assert!(help.contains(&format!("\n  {method} ")), "{method}: {help}");
    }
}

#[test]
fn a_sketch_says_what_is_proved_and_claims_no_convergence() {
    let folder = Folder::with_views(400, 3);
    let fit = |sums: &str| {
        folder
            .run(&format!("fit x.npz y.npz -k 2 --hold-out no --method sketch --sketch-rows {sums}"))
            .done()
            .stdout
    };
    let text = fit("200");
    for part in ["400 rows were put into 200 random sums", "nothing is proved", "not converged"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let all = fit("400");
    assert!(!all.contains("sums") && all.contains("\nconverged"), "{all}");
}

#[test]
fn nothing_typed_shows_the_help() {
    let ran = Folder::new().run("");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("Usage: lcca") && ran.stdout.is_empty(), "{ran:?}");
}

#[test]
fn the_version_is_printed() {
    let folder = Folder::new();
    for line in ["--version", "-V", "fit --version"] {
        assert!(folder.run(line).done().stdout.trim_end().ends_with(env!("CARGO_PKG_VERSION")), "{line}");
    }
}

#[test]
fn completions_know_the_commands_of_every_shell() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&format!("completions {shell}")).done();
        assert!(script.stderr.is_empty(), "{script:?}");
        for word in commands().iter().flat_map(|command| command.split(' ')) {
            assert!(script.stdout.contains(word), "{shell}: {word}");
        }
        assert!(script.stdout.contains("row-weights"), "{shell}");
    }
}

#[cfg(unix)]
#[test]
fn bash_accepts_its_completions() {
    let folder = Folder::new();
    folder.write("script", folder.run("completions bash").done().stdout);
    let syntax = std::process::Command::new("bash").arg("-n").arg(folder.path("script")).output();
    match syntax {
        Ok(checked) => assert!(checked.status.success() && checked.stderr.is_empty(), "{checked:?}"),
        Err(_) => println!("skipped: no bash here"),
    }
}

#[test]
fn json_is_one_object_with_the_documented_keys_and_nothing_else() {
    let folder = Folder::with_views(300, 1);
    for method in Method::names() {
        let more = if method == "rp-cca" { "--k-rpcca 20" } else { "" };
        let ran =
            folder.run(&format!("fit x.npz y.npz -k 3 --seed 5 --threads 2 --json --method {method} {more}"));
        let ran = ran.done();
        assert_eq!(ran.stdout.lines().count(), 1, "{ran:?}");
        let object = ran.json();
        KEYS.iter().for_each(|key| assert!(!object[key].is_null(), "{key}: {object}"));
        assert_eq!(object["method"], method);
        assert_eq!(object["version"], env!("CARGO_PKG_VERSION"));
        for (key, value) in [
            ("rows", 300.0),
            ("x_cols", X_COLS as f64),
            ("y_cols", Y_COLS as f64),
            ("k", 3.0),
            ("seed", 5.0),
            ("threads", 2.0),
        ] {
            assert_eq!(number(&object, key), value, "{key}");
        }
        for list in ["correlations", "objective", "residuals"] {
            assert_eq!(numbers(&object, list).len(), 3, "{list}");
        }
        assert!(number(&object["seconds"], "load") >= 0.0 && number(&object["seconds"], "fit") >= 0.0);
        let sum: f64 = numbers(&object, "correlations").iter().sum();
        assert!((number(&object, "total") - sum).abs() < 1e-6, "{method}: {sum} {object}");
    }
}

#[test]
fn every_command_that_reports_prints_one_object_under_json() {
    let folder = Folder::with_views(100, 2);
    folder.write("t.tsv", "a b\tc\nb\tc d\na\td\n");
    let lines = [
        "demo",
        "fit x.npz y.npz -k 2 -o model",
        "score model x.npz y.npz",
        "bootstrap model x.npz y.npz -n 3",
        "run-cca x.npz x.npz -k 2 -o cells",
        "transform model --x x.npz -o zx.npy",
        "convert x.npz x.safetensors",
        "info model",
        "info x.npz",
        "export model -o x.vec",
        "neighbors model 3",
        "plot scree model -o scree.svg",
        "report model -o report.html",
        "compare x.npz y.npz -k 2 --k-pc 3 --l-cca-t2 1 -o compared",
        "views text t.tsv --no-header --x 1 --y 2 --min-count 1 -o text",
        "views words t.tsv --min-count 1 -o words",
        "views columns x.npz --x 0..20 --y 20..40 -o columns",
    ];
    for command in commands() {
        // The list is complete except for these commands, which report nothing.
        let reports = !["completions", "man", "sample", "views"].contains(&command.as_str());
        assert_eq!(lines.iter().any(|line| line.starts_with(&command) && reports), reports, "{command}");
    }
    for line in lines {
        let ran = folder.run(&format!("{line} --json --quiet")).done();
        assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (1, ""), "{line}: {ran:?}");
        ran.json();
    }
}

#[test]
fn results_go_to_standard_output_and_remarks_to_standard_error() {
    let folder = Folder::with_views(300, 1);
    let ran = folder.run("fit x.npz y.npz -k 3 --method d-cca --t1 1 -o model").done();
    assert!(ran.stdout.contains("correlation") && ran.stdout.contains("captured total"), "{ran:?}");
    assert!(ran.stdout.contains("not converged"), "{ran:?}");
    assert_eq!(ran.stderr.matches("not converged").count(), 1, "{ran:?}");
    assert!(!ran.stderr.contains("captured"), "{ran:?}");
    let ran = folder.run("score model x.npz y.npz").done();
    assert!(ran.stdout.contains("correlation") && ran.stderr.is_empty(), "{ran:?}");
    let ran = folder.run("transform model --x x.npz -o zx.npy").done();
    assert!(ran.stdout.is_empty() && ran.stderr.contains("written to zx.npy"), "{ran:?}");
}

#[test]
fn quiet_leaves_standard_error_empty() {
    let folder = Folder::with_views(300, 1);
    folder.write("x.svm", svmlight(&topics(300, X_COLS, Y_COLS, 1)[0]));
    for line in [
        "fit x.svm y.npz -k 3 --method d-cca --t1 1 -o model",
        "score model x.svm y.npz",
        "transform model --x x.svm -o zx.npy",
        "convert x.svm x.npz",
        "info x.svm",
        "info model",
    ] {
        assert_eq!(folder.run(&format!("{line} --quiet")).done().stderr, "", "{line}");
        assert_eq!(folder.run(&format!("{line} -q")).done().stderr, "", "{line}");
    }
}

#[test]
fn a_failure_is_printed_even_if_remarks_are_not() {
    let folder = Folder::with_views(60, 1);
    folder.refuses("fit x.npz nowhere.npz --quiet", &["nowhere.npz"]);
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let folder = Folder::with_views(100, 1);
    folder.run("fit x.npz y.npz -k 2 -o model").done();
    for line in [
        "fit x.npz y.npz -k 2",
        "fit x.npz y.npz -k 2 --json",
        "score model x.npz y.npz",
        "info model",
        "completions bash",
        "--help",
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = folder.command(line);
        let child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
        assert!(!ran.stderr.contains("ipe"), "{line}: {ran:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure_of_the_machine() {
    let folder = Folder::with_views(100, 1);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let ran = Ran::output(folder.command("fit x.npz y.npz -k 2 --quiet").stdout(full));
    ran.refused(3, &["standard output", "No space left"]);
}

#[test]
fn strict_tells_whether_the_tolerance_was_reached() {
    let folder = Folder::with_views(300, 1);
    let fit = |flags: &str| folder.run(&format!("fit x.npz y.npz -k 3 --json {flags}"));
    for (flags, converged) in [
        ("--method als --t1 1", false),
        ("--method als --t1 1 --tol 1e9", true),
        ("--method exact", true),
        ("--method exact --tol 0", false),
    ] {
        let ran = fit(&format!("{flags} --strict -o model"));
        assert_eq!(ran.code, Some(if converged { 0 } else { 1 }), "{flags}: {ran:?}");
        assert_eq!(ran.json()["converged"], converged, "{flags}");
        assert!(folder.path("model").exists(), "the answer is written either way");
        assert_eq!(ran.stderr.contains("not converged"), !converged, "{ran:?}");
        assert_eq!(fit(flags).code, Some(0), "{flags}");
        std::fs::remove_file(folder.path("model")).unwrap();
    }
}

#[test]
fn conjugate_gradients_are_another_way_to_the_same_answer() {
    let folder = Folder::with_views(300, 1);
    let fit = |flags: &str| {
        folder.json(&format!("fit x.npz y.npz -k 3 --method als --t1 40 --ridge 0.01 --tol 1e-9 {flags}"))
    };
    let (cholesky, cg) = (fit("--inner cholesky"), fit("--inner cg -o model"));
    assert_eq!(fit("")["correlations"], cholesky["correlations"], "it is the default");
    assert!(gap(&numbers(&cholesky, "correlations"), &numbers(&cg, "correlations")) < 1e-7);
    let settings = &folder.json("info model")["settings"]["method"];
    assert_eq!((&settings["name"], &settings["inner"]["cg"]["t2"]), (&"als".into(), &500.into()));
    let capped = fit("--inner cg --t2 1");
    assert!(number(&capped, "passes") < number(&cg, "passes"), "{capped}");
}

#[test]
fn parameters_of_conjugate_gradients_belong_to_them() {
    let folder = Folder::with_views(60, 1);
    for (flags, needle) in [
        ("--method d-cca --inner cg", "--inner is no parameter of d-cca"),
        ("--inner cholesky", "--inner is no parameter of auto"),
        ("--method als --t2 9", "--t2 is no parameter of als with inner cholesky"),
        ("--method als --inner cg --k-pc 9", "--k-pc is no parameter of als with inner cg"),
        ("--method als --inner cg --t2 0", "t2 is 0"),
    ] {
        folder.refuses(&format!("fit x.npz y.npz -k 2 {flags}"), &[needle]);
    }
    assert_eq!(folder.run("fit x.npz y.npz --method als --inner lu").code, Some(2));
}

#[test]
fn a_certificate_bounds_every_pair_and_says_what_it_rests_on() {
    let folder = Folder::with_views(300, 1);
    let exact = numbers(&folder.json("fit x.npz y.npz -k 10 --method exact --ridge 0.01"), "objective");
    let plain = folder.json("fit x.npz y.npz -k 3 --method als --t1 2 --ridge 0.01 -o plain");
    let fit = folder.json("fit x.npz y.npz -k 3 --method als --t1 2 --ridge 0.01 -o model --certify");
    assert!(plain["certified"].is_null());
    let [plain_model, model] =
        ["plain", "model"].map(|model| lcca_io::read_model(&folder.path(model)).unwrap());
    assert!(plain_model.0 == model.0 && model.1["outcome"]["certified"] == fit["certified"]);
    let certified = &fit["certified"];
    assert_eq!(certified["kind"], "rigorous");
    assert!(number(certified, "passes") > 0.0 && number(&fit, "passes") == number(&plain, "passes"));
    for (theta, bound) in numbers(&fit, "objective").iter().zip(numbers(certified, "bounds")) {
        assert!(exact.iter().any(|d| (d - theta).abs() <= bound), "{theta} {bound} {exact:?}");
    }
    let text = folder.run("fit x.npz y.npz -k 3 --certify").done().stdout;
    assert!(text.contains("± bound") && text.contains("conditional"), "{text}");
    assert!(text.contains("compared with the exact answer, "), "{text}");
    assert!(!folder.run("fit x.npz y.npz -k 3").done().stdout.contains("bound"));
}

/// Writes views that hold a shared variable in the difference of two columns that are nearly equal.
fn hidden_in_a_difference(folder: &Folder) {
    let noise = |i: usize, seed: usize| ((i * 7919 + seed * 104_729) % 1013) as f64 / 1013.0 - 0.5;
    for (name, own) in [("x.svm", 1), ("y.svm", 2)] {
        let row = |i: usize| {
            let (carrier, shared) = (noise(i * i + 3 * i, own), noise(i * i * i, 5));
            let columns = [noise(i * i, 3) + 2.0 * noise(i, 6 + own), carrier, carrier + 1e-5 * shared];
            format!("0 1:{:e} 2:{:e} 3:{:e}\n", columns[0], columns[1], columns[2])
        };
        folder.write(name, (1..400).map(row).collect::<String>());
    }
}

#[test]
fn a_certificate_withdraws_a_wrong_claim_of_convergence() {
    let folder = Folder::new();
    hidden_in_a_difference(&folder);
    let truth = numbers(&folder.json("fit x.svm y.svm -k 1 --method exact"), "correlations")[0];
    let line = "fit x.svm y.svm -k 1 --method g-cca --t1 40 --strict --json";
    let (plain, certified) = (folder.run(line), folder.run(&format!("{line} --certify")));
    assert_eq!((plain.code, certified.code), (Some(0), Some(1)), "{plain:?} {certified:?}");
    let (plain, object) = (plain.json(), certified.json());
    let missing = truth - numbers(&plain, "correlations")[0];
    assert!(
        missing > 0.1 && plain["converged"] == true && object["converged"] == false,
        "{missing} {object}"
    );
    let gain = number(&object["certified"], "gain");
    assert!(gain > 1e-3 && gain <= missing + 1e-9, "{gain} {missing}");
    folder.run("fit x.svm y.svm -k 1 --method g-cca --t1 40 --certify -o model").done();
    let notes = notes(&folder, "model");
    let early = notes.iter().find(|note| matches!(note, Note::StoppedTooEarly { .. })).unwrap();
    assert!(certified.stderr.contains(&wording::note(early)), "{certified:?}");
}

/// The notes that a model keeps of its fit.
fn notes(folder: &Folder, model: &str) -> Vec<Note> {
    let (_, provenance) = lcca_io::read_model(&folder.path(model)).unwrap();
    let known = |note| match note {
        Recorded::Known(note) => note,
        other => panic!("{other:?}"),
    };
    FitRecord::from_provenance(&provenance).unwrap().notes.into_iter().map(known).collect()
}

#[test]
fn advice_after_a_fit_that_did_not_converge_never_names_the_method_that_ran() {
    let folder = Folder::with_views(300, 1);
    let advice = |flags: &str| {
        let ran = folder.run(&format!("fit x.npz y.npz -k 3 {flags}")).done();
        let line = ran.stderr.lines().find(|line| line.contains("not converged")).unwrap().to_string();
        ["--method auto", "--max-passes", "--tol"].map(|flag| line.contains(flag))
    };
    assert_eq!(advice("--tol 0"), [false, false, true]);
    assert_eq!(advice("--tol 0 --max-passes 9"), [false, true, true]);
    assert_eq!(advice("--method d-cca --t1 1"), [true, false, false]);
    assert_eq!(advice("--method d-cca --t1 9 --max-passes 3"), [true, true, false]);
}

#[test]
fn duplicates_in_a_row_are_summed_and_reported_once() {
    let folder = Folder::new();
    let twice = Csr {
        shape: [4, 4],
        indptr: vec![0, 3, 4, 6, 7],
        indices: vec![0, 3, 0, 1, 2, 2, 3],
        data: vec![1.0, 2.0, 3.0, 1.0, 0.5, 0.25, 1.0],
    };
    let summed = Csr {
        shape: [4, 4],
        indptr: vec![0, 2, 3, 4, 5],
        indices: vec![0, 3, 1, 2, 3],
        data: vec![4.0, 2.0, 1.0, 0.75, 1.0],
    };
    folder.write("twice.npz", twice.bytes());
    folder.write("summed.npz", summed.bytes());
    let fit = |x: &str| folder.run(&format!("fit {x} summed.npz -k 2 --method exact --json")).done();
    let (from_twice, from_summed) = (fit("twice.npz"), fit("summed.npz"));
    let said = "lcca: twice.npz: 2 duplicate entries were summed\n";
    assert_eq!(from_twice.stderr.strip_prefix(said), Some(from_summed.stderr.as_str()));
    for list in ["correlations", "objective"] {
        assert!(gap(&numbers(&from_twice.json(), list), &numbers(&from_summed.json(), list)) < 1e-12);
    }
    let info = folder.run("info twice.npz").done();
    assert!(
        info.stdout.contains("2 duplicate entries were summed") && info.stdout.contains("5 entries"),
        "{info:?}"
    );
}

#[test]
fn only_the_pairs_that_exist_are_returned_and_a_note_says_so() {
    let folder = Folder::new();
    let [x, y] = topics(200, 3, 3, 4);
    // Every column stands there twice, so six columns have rank three.
    let doubled = |rows: &Rows| -> Rows {
        rows.iter().map(|row| row.iter().flat_map(|&(j, v)| [(2 * j, v), (2 * j + 1, v)]).collect()).collect()
    };
    folder.write_matrix("x.npy", &dense(6, &doubled(&x)));
    folder.write_matrix("y.npy", &dense(6, &doubled(&y)));
    for method in ["exact", "als"] {
        let ran = folder.run(&format!("fit x.npy y.npy -k 5 --method {method} --json -o model")).done();
        let object = ran.json();
        assert_eq!(number(&object, "k"), 3.0, "{method}: {object}");
        assert_eq!(numbers(&object, "correlations").len(), 3);
        let fewer = Note::FewerPairs { pairs: 3, requested: 5 };
        assert_eq!(notes(&folder, "model"), std::slice::from_ref(&fewer), "{method}");
        let sentence = wording::note(&fewer);
        assert_eq!(object["notes"], Value::from(vec![sentence.clone()]), "{method}");
        assert_eq!(ran.stderr.matches(&sentence).count(), 1, "{method}: {ran:?}");
        assert_eq!(number(&folder.json("info model"), "k"), 3.0);
        assert_eq!(numbers(&folder.json("score model x.npy y.npy"), "correlations").len(), 3);
    }
}

#[test]
fn the_default_number_of_pairs_is_what_the_data_allow() {
    let folder = Folder::new();
    let [x, y] = topics(100, 6, 5, 4);
    folder.write_matrix("x.npy", &dense(6, &x));
    folder.write_matrix("y.npy", &dense(5, &y));
    assert_eq!(number(&folder.json("fit x.npy y.npy --method exact"), "k"), 5.0);
    assert_eq!(number(&Folder::with_views(300, 1).json("fit x.npz y.npz --method exact"), "k"), 20.0);
}

#[test]
fn flags_say_what_svmlight_files_do_not() {
    let folder = Folder::with_views(3, 1);
    folder.write("x.svm", "0 0:1 2:1\n0 1:2\n0 3:1\n");
    let info = folder.json("info x.svm --zero-based");
    assert_eq!(number(&info, "cols"), 4.0);
    folder.run("convert x.svm wide.npz --zero-based --cols 9").done();
    assert_eq!(number(&folder.json("info wide.npz"), "cols"), 9.0);
    let fit = folder.json("fit x.svm y.npz -k 1 --zero-based --x-cols 9 --no-center --method exact");
    assert_eq!(number(&fit, "x_cols"), 9.0);
}

#[test]
fn views_that_do_not_correlate_at_all_are_an_answer() {
    let folder = Folder::new();
    folder.write("x.svm", "0 1:1\n0 1:-1\n0 1:1\n0 1:-1\n");
    folder.write("y.svm", "0 1:1\n0 1:1\n0 1:-1\n0 1:-1\n");
    for method in Method::names() {
        let fit = folder.json(&format!("fit x.svm y.svm -k 1 --method {method} -o model"));
        assert!(number(&fit, "total").abs() < 1e-12, "{method}: {fit}");
        assert_eq!(number(&folder.json("info model"), "k"), number(&fit, "k"), "{method}");
        folder.run("score model x.svm y.svm").done();
    }
}
