//! Prints which modules of a crate use which others. They must form layers: no module may use itself
//! through others.
//!
//! A node is a source file. An edge is a reference by path, resolved through re-exports to the file that
//! defines the item. `mod x;` and `pub use x::Y` are no edges, because they only declare, and code under
//! `#[cfg(test)]` does not count. On each level of the tree, sibling modules must form layers too; there a
//! folder with everything in it is one node.
//!
//! `cargo xtask modules` prints the layers; `cargo test` fails if there is a cycle and names a line for each
//! of its edges.

mod graph;
mod parse;
mod resolve;
mod scope;

#[cfg(test)]
mod tests;

use scope::Crate;
use std::path::Path;
use std::process::ExitCode;

/// The crates of this workspace and their root files.
const CRATES: [(&str, &str); 6] = [
    ("lcca", "crates/lcca/src/lib.rs"),
    ("lcca-io", "crates/lcca-io/src/lib.rs"),
    ("lcca-cuda", "crates/lcca-cuda/src/lib.rs"),
    ("lcca-cli", "crates/lcca-cli/src/main.rs"),
    ("lcca-python", "crates/lcca-python/src/lib.rs"),
    ("xtask", "xtask/src/main.rs"),
];

const HELP: &str = "\
cargo xtask modules [CRATE]...          one block per folder, one line per module: module -> the siblings it uses
cargo xtask modules --files [CRATE]...  one line per source file: file -> the files it uses";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flags, names): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|argument| argument.starts_with('-'));
    let is_known = |name: &&str| CRATES.iter().any(|(known, _)| known == name);
    if !names.iter().all(is_known) || !matches!(flags[..], [] | ["--files"]) {
        eprintln!("{HELP}");
        return ExitCode::FAILURE;
    }
    let chosen = CRATES.into_iter().filter(|(name, _)| names.is_empty() || names.contains(name));
    let results: Vec<_> = chosen.map(|(name, root)| show(name, root, !flags.is_empty())).collect();
    if results.iter().all(Result::is_ok) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the layers of a crate, and its cycles if there are any.
fn show(name: &str, root: &str, by_file: bool) -> Result<(), ()> {
    let source = read(root).map_err(|message| eprintln!("{message}"))?;
    print!("{}", listing(name, &source, by_file));
    let cycles = cycles(&source);
    cycles.iter().for_each(|cycle| eprintln!("{name}: {cycle}"));
    if cycles.is_empty() { Ok(()) } else { Err(()) }
}

/// Parses the crate with this root file, a path from the workspace's root.
fn read(root: &str) -> Result<Crate, String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    Crate::parse(root, &|file| std::fs::read_to_string(workspace.join(file)).ok())
}

/// The layers of a crate as text, the lowest first.
fn listing(name: &str, source: &Crate, by_file: bool) -> String {
    let graphs = if by_file { vec![graph::between_files(source)] } else { graph::between_siblings(source) };
    let blocks = graphs.iter().filter(|graph| graph.nodes.len() > 1);
    blocks.map(|graph| format!("{name}, {}\n{}\n", graph.title, graph.arrows())).collect()
}

/// Describes every cycle of the crate, one line per edge; empty if its modules form layers.
fn cycles(source: &Crate) -> Vec<String> {
    let graphs = std::iter::once(graph::between_files(source)).chain(graph::between_siblings(source));
    graphs.flat_map(|graph| graph.cycles()).collect()
}
