//! Tests `--device` as on machines without a GPU; on a machine with one, the GPU is hidden.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::data::{X_COLS, Y_COLS, sparse, topics};
use common::{Folder, Ran, lcca, numbers};
use serde_json::json;

/// The number of rows whose fit is worth moving to a GPU.
#[cfg(target_os = "linux")]
const WORTHWHILE_ROWS: usize = 280_000;

fn folder() -> Folder {
    let folder = Folder::new();
    let [x, y] = topics(200, X_COLS, Y_COLS, 1);
    folder.write_matrix("x.npz", &sparse(X_COLS, &x));
    folder.write_matrix("y.npz", &sparse(Y_COLS, &y));
    folder
}

/// Runs the program with all GPUs hidden.
fn without_gpu(folder: &Folder, line: &str) -> Ran {
    Ran::output(lcca(&folder.path("."), line).env("CUDA_VISIBLE_DEVICES", "-1"))
}

#[test]
fn a_gpu_that_is_insisted_on_and_missing_is_one_line() {
    let folder = folder();
    folder.run("fit x.npz y.npz -k 2 -o model --quiet").done();
    // The input of the first line does not exist, so it shows that the GPU is checked before hours of
    // reading.
    for line in [
        "fit nowhere.npz y.npz --device cuda",
        "fit x.npz y.npz --device cuda:7 --device-memory 8GiB",
        "bootstrap model x.npz y.npz -n 3 --device cuda:0",
        "score model nowhere.npz y.npz --permutations 9 --device cuda",
    ] {
        let ran = without_gpu(&folder, line);
        ran.refused(2, &["--device cuda"]);
        assert!(ran.stderr.contains("no NVIDIA driver") || ran.stderr.contains("no GPU"), "{ran:?}");
    }
}

/// Drivers that cannot be used, as libraries that lack functions or report an error.
#[cfg(target_os = "linux")]
const DRIVERS: [(&str, &str, &str); 4] = [
    ("empty", "", "it has no function cuInit"),
    (
        "mismatched",
        r#"
        #[unsafe(no_mangle)] pub extern "C" fn cuInit(_: u32) -> i32 { 803 }
        #[unsafe(no_mangle)] pub extern "C" fn cuDriverGetVersion(_: *mut i32) -> i32 { 803 }
        #[unsafe(no_mangle)] pub unsafe extern "C" fn cuGetErrorString(_: i32, out: *mut *const u8) -> i32 {
            unsafe { *out = c"driver and library do not match".as_ptr().cast() };
            0
        }"#,
        "the NVIDIA driver does not start: driver and library do not match",
    ),
    (
        "old",
        r#"
        #[unsafe(no_mangle)] pub extern "C" fn cuInit(_: u32) -> i32 { 0 }
        #[unsafe(no_mangle)] pub unsafe extern "C" fn cuDriverGetVersion(out: *mut i32) -> i32 { unsafe { *out = 10020 }; 0 }
        #[unsafe(no_mangle)] pub extern "C" fn cuGetErrorString(_: i32, _: *mut *const u8) -> i32 { 1 }"#,
        "for CUDA 10.2, expected 11.8 or later",
    ),
    (
        "partial",
        r#"
        #[unsafe(no_mangle)] pub extern "C" fn cuInit(_: u32) -> i32 { 0 }
        #[unsafe(no_mangle)] pub unsafe extern "C" fn cuDriverGetVersion(out: *mut i32) -> i32 { unsafe { *out = 12000 }; 0 }
        #[unsafe(no_mangle)] pub extern "C" fn cuGetErrorString(_: i32, _: *mut *const u8) -> i32 { 1 }"#,
        "it has no function cuCtxSetCurrent",
    ),
];

/// Compiles a driver of this name.
#[cfg(target_os = "linux")]
fn compile_driver(folder: &Folder, name: &str, source: &str) {
    let [place, code] = [folder.path(name), folder.path("driver.rs")];
    std::fs::create_dir(&place).unwrap();
    std::fs::write(&code, source).unwrap();
    let compiler = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let mut compile = std::process::Command::new(compiler);
    compile.args(["--edition", "2024", "--crate-type", "cdylib", "-C", "panic=abort", "-o"]);
    let done = compile.arg(place.join("libcuda.so.1")).arg(&code).status().unwrap();
    assert!(done.success(), "{name}");
}

/// Runs the program with the driver of this name.
#[cfg(target_os = "linux")]
fn with_driver(folder: &Folder, name: &str, line: &str) -> Ran {
    Ran::output(lcca(&folder.path("."), line).env("LD_LIBRARY_PATH", folder.path(name)))
}

/// Checks a driver that accepts all calls while its kernels do nothing: a fit would find no pair.
#[test]
#[cfg(target_os = "linux")]
fn a_gpu_that_computes_nothing_is_not_believed() {
    let folder = folder();
    compile_driver(&folder, "idle", include_str!("common/idle_driver.rs"));
    let run = |line: &str| with_driver(&folder, "idle", line);
    run("fit x.npz y.npz -k 2 --method lobpcg --device cuda -o model")
        .refused(3, &["--device cuda: Idle GPU computes 1 where 7 is right", "use --device cpu"]);
    assert!(!folder.path("model").exists());
    let wide = topics(WORTHWHILE_ROWS, X_COLS, Y_COLS, 1);
    folder.write_views(["many_x.npz", "many_y.npz"], &wide);
    let fit = "fit many_x.npz many_y.npz -k 20 --method lobpcg --tol 0.1 --no-structure --hold-out no";
    let text = run(&format!("{fit} --device auto")).done().stdout;
    assert!(
        text.contains("no GPU was used") && text.contains("Idle GPU computes 1 where 7 is right"),
        "{text}"
    );
    let correlations =
        |device: &str| numbers(&run(&format!("{fit} --json -q {device}")).done().json(), "correlations");
    assert_eq!(correlations("--device auto"), correlations(""));
}

#[test]
#[cfg(target_os = "linux")]
fn a_driver_that_cannot_be_used_is_one_line() {
    let folder = folder();
    for (name, source, expected) in DRIVERS {
        compile_driver(&folder, name, source);
        let run = |line: &str| with_driver(&folder, name, line);
        run("fit x.npz y.npz -k 2 --device cuda").refused(2, &["--device cuda", expected]);
        let auto = run("fit x.npz y.npz -k 2 --device auto --method lobpcg --json -q").done().json();
        assert_eq!(auto["decisions"].as_array().unwrap().last().unwrap()["decision"], "ran-without-gpu");
    }
}

#[test]
fn auto_goes_on_without_a_gpu_and_says_why() {
    let folder = folder();
    let fit =
        |flags: &str| without_gpu(&folder, &format!("fit x.npz y.npz -k 2 --json -q {flags}")).done().json();
    let (cpu, auto) = (fit(""), fit("--device auto"));
    assert_eq!(numbers(&cpu, "correlations"), numbers(&auto, "correlations"));
    let last = |fit: &serde_json::Value| fit["decisions"].as_array().unwrap().last().unwrap().clone();
    assert_ne!(last(&cpu)["decision"], "ran-without-gpu");
    assert_eq!(
        (&last(&auto)["decision"], &last(&auto)["reason"]["why"]),
        (&"ran-without-gpu".into(), &"nothing-to-compute".into())
    );
    let iterated = fit("--device auto --method lobpcg");
    assert_eq!(last(&iterated)["reason"]["why"], "too-little");
    let text =
        without_gpu(&folder, "fit x.npz y.npz -k 2 --device auto --device-memory 1GB -o model").done().stdout;
    assert!(
        text.contains(
            "no GPU was used: only LOBPCG, Gram matrices of dense rows and permutation tests are \
            computed there"
        ),
        "{text}"
    );
    let text = without_gpu(&folder, "bootstrap model x.npz y.npz -n 3 --device auto").done().stdout;
    assert!(text.contains("no GPU was used"), "{text}");
    let score = |flags: &str| without_gpu(&folder, &format!("score model x.npz y.npz -q {flags}")).done();
    let test = |device: &str| score(&format!("--json --permutations 19 {device}")).json();
    let (cpu, auto) = (test(""), test("--device auto"));
    assert_eq!(numbers(&cpu, "p_adjusted"), numbers(&auto, "p_adjusted"));
    assert_eq!((&cpu["decisions"], &last(&auto)["reason"]["why"]), (&json!([]), &"too-little".into()));
    let text = score("--permutations 19 --device auto").stdout;
    assert!(text.contains("no GPU was used: it takes about 2e4 operations"), "{text}");
    // The page holds the command that repeats the fit.
    folder.run("report model -o report.html").done();
    assert!(String::from_utf8(folder.read("report.html")).unwrap().contains("device-memory"));
}

#[test]
fn what_makes_no_sense_on_a_device_is_refused() {
    let folder = folder();
    folder.refuses("fit x.npz y.npz --device gpu", &["--device", "expected cpu, cuda, cuda:N"]);
    folder.refuses("fit x.npz y.npz --device cuda:", &["expected cpu, cuda"]);
    folder.refuses("fit x.npz y.npz --device-memory 1GB", &["--device cuda or --device auto"]);
    folder.refuses("fit x.npz y.npz --device auto --device-memory much", &["--device-memory is much"]);
    folder.refuses("score model x.npz y.npz --device auto", &["--device auto", "add --permutations"]);
    folder.refuses("fit x.npz y.npz --device cuda --method l-cca", &["--method l-cca runs on the CPU only"]);
}
