//! Damaged inputs for every reader: `cargo xtask fuzz --minutes 5`, or `--runs 100000`, `--target arrow`,
//! `--seed 7`.
//!
//! Each target runs in a process of its own. It takes a seed of the corpus, damages it, repairs what would
//! stop a reader before its parser (checksums, packings), and hands it over as a file. A panic, an abort, ten
//! seconds without an answer and a demand for more than 2 GB that is not refused with an error are failures;
//! their inputs are kept in `target/fuzz`. The same seed gives the same inputs.

#![allow(clippy::unwrap_used, reason = "a tool for developers may stop at a broken machine")]

mod allocator;
mod arguments;
mod corpus;
#[path = "../../crates/lcca-cli/src/cpu_time.rs"]
mod cpu_time;
mod mutate;
mod packing;
mod parquet_seeds;
mod random;
mod repair;
#[path = "../../crates/lcca-cli/src/sizes.rs"]
mod sizes;
mod targets;
mod worker;

use arguments::Arguments;
use std::process::{Command, ExitCode};
use targets::TARGETS;

#[global_allocator]
static ALLOCATOR: allocator::Limited = allocator::Limited;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("fuzz: {message}");
            return ExitCode::from(2);
        }
    };
    match &arguments.worker {
        Some(target) => worker::run(target, &arguments),
        None => run_all(&arguments),
    }
}

/// Runs one process after another, so that the name of a target that dies is known.
fn run_all(arguments: &Arguments) -> ExitCode {
    let wanted = |name: &&str| arguments.target.as_ref().is_none_or(|target| target == name);
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).filter(wanted).collect();
    if names.is_empty() {
        eprintln!("fuzz: no such target; there are {}", TARGETS.map(|target| target.name).join(", "));
        return ExitCode::from(2);
    }
    let mut failed = Vec::new();
    for name in &names {
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--worker", name])
            .args(arguments.for_worker(names.len()))
            .status()
            .unwrap();
        if !status.success() {
            let kept = worker::keep_last_input(name);
            eprintln!("fuzz: {name} failed ({status}); the input is {}", kept.display());
            failed.push(*name);
        }
    }
    worker::remove_scratch();
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
