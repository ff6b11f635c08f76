//! The tasks that people and CI run: `cargo xtask test`, `cargo xtask bench`, `cargo xtask experiment`.
//!
//! Standard library only, so that it builds in a second on a bare machine.

mod bench;
mod browser;
mod data;
mod docs;
mod experiment;
mod kernels;
mod package;
mod python;
mod release;
mod step;
mod test;
mod zstd;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, io};

const HELP: &str = "\
cargo xtask test                    format, lints, data, tests, module layers, docs, the Python package: everything CI checks
cargo xtask bench kernel [FLAGS]    XᵀX·B compared with SciPy and MKL; FLAGS go to bench/kernel.py, try --help
cargo xtask bench fits              lcca on real data, every method; results in bench/results
cargo xtask bench default [FLAGS]   the requirements on the default method; FLAGS go to bench/default.py, try --help
cargo xtask bench texts             descriptions in two languages: passes, seconds, and what is missing against truths
cargo xtask bench claims [FLAGS]    are claims of convergence true? FLAGS go to bench/claims.py, try --help
cargo xtask bench peers [FLAGS]     lcca compared with other CCA software; FLAGS go to bench/peers.py, try --help
cargo xtask bench python [FLAGS]    the Python package compared with the program and its peers; FLAGS go to bench/python.py
cargo xtask bench gpu               the program on a GPU: packs what the other machine needs into target/gpu, see bench/gpu.py
cargo xtask bench dask [FLAGS]      the same fits on a cluster of processes on this machine; FLAGS go to bench/cluster.py
cargo xtask experiment words|paths|features  the paper's experiments on real data; results in docs/experiments
cargo xtask modules [CRATE]...      which modules use which, lowest layer first; --files for every source file
cargo xtask fuzz [FLAGS]            damaged inputs for every reader; --minutes N, --runs N, --target T, --seed S
cargo xtask fuzz --differential [FLAGS]  legal files, each read by lcca and by its format's own library; --files N, --format F, --seed S
cargo xtask soak [ROUNDS]           kills at random moments, full disks, read-only folders; 1,000 rounds unless told
cargo xtask test --gpu              the tests on the GPU of this machine
cargo xtask kernels                 compile the CUDA kernels; needed only if they were changed
cargo xtask python                  build the Python package into target/python-package and run its tests
cargo xtask docs                    build the documentation site into target/site and check its links
cargo xtask release --dry-run       package, build, check and install everything of a release; --help lists the steps
cargo xtask help                    this text

Environments, data and builds are kept under target/ and reused.";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match enter_root().map_err(|e| e.to_string()).and_then(|()| run(&args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the repository's root the working folder: paths in every task are relative to it.
fn enter_root() -> io::Result<()> {
    let xtask =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    env::set_current_dir(xtask.parent().unwrap_or(Path::new(".")))
}

fn run(args: &[String]) -> Result<(), String> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        [] | ["help" | "-h" | "--help"] => {
            println!("{HELP}");
            Ok(())
        }
        ["test"] => test::run(),
        ["test", "--gpu"] => kernels::test(),
        ["kernels"] => kernels::compile(&[]),
        ["docs"] => docs::build(),
        ["modules", ref rest @ ..] => modules(rest),
        ["python"] => package::test(env::var_os("LCCA_DATA").map(PathBuf::from).as_deref()),
        ["fuzz", "--differential", ref flags @ ..] => package::differential(flags),
        ["fuzz", ref flags @ ..] => fuzz(flags),
        ["soak"] => soak("1000"),
        ["soak", rounds] => soak(rounds),
        ["bench", name, ref flags @ ..] => bench::run(name, flags),
        ["release", ref flags @ ..] => release::run(flags),
        ["experiment", name] => experiment::run(name),
        _ => Err(format!("`{}` is not a task\n\n{HELP}", words.join(" "))),
    }
}

/// The module check has dependencies, which only examples and tests of this package may use.
fn modules(arguments: &[&str]) -> Result<(), String> {
    step::run(step::cargo("run --release --quiet --package xtask --example modules --").args(arguments))
}

/// Damaged inputs for every reader.
fn fuzz(flags: &[&str]) -> Result<(), String> {
    step::run(step::cargo("run --release --quiet --package lcca-fuzz --").args(flags))
}

/// The kill test of the program with more rounds than the tests have.
fn soak(rounds: &str) -> Result<(), String> {
    let mut test = step::cargo("test --release --package lcca-cli --test kill -- --nocapture");
    step::run(test.env("LCCA_SOAK", rounds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_task_is_named() {
        for (line, named) in [
            ("tset", "`tset`"),
            ("test all", "`test all`"),
            ("bench krnl", "`krnl`"),
            ("experiment x", "`x`"),
        ] {
            let args: Vec<String> = line.split(' ').map(String::from).collect();
            let error = run(&args).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }
}
