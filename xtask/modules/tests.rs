//! The check of this workspace, and tests of the checker on small made-up crates.

use crate::scope::Crate;
use crate::{CRATES, cycles, listing, read};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn the_modules_of_every_crate_form_layers() {
    let mut failures = String::new();
    for (name, root) in CRATES {
        let cycles = cycles(&read(root).unwrap());
        failures.extend(cycles.iter().map(|cycle| format!("{name}: {cycle}\n")));
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// The first cells of the rows of a table in a file's own documentation that lists files; `None` if there is
/// no such table.
fn listed(text: &str) -> Option<BTreeSet<String>> {
    let documented = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let mut rows = documented.skip_while(|line| !line.ends_with("| holds |")).skip(2).peekable();
    rows.peek()?;
    let name = |row: &str| row.split('`').nth(1).map(str::to_owned);
    Some(rows.take_while(|row| row.starts_with('|')).filter_map(name).collect())
}

/// The modules beside a `mod.rs`, without those that exist for tests alone.
fn held(file: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(file.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let modules = entries.filter(|path| path.is_dir() || path.extension().is_some_and(|e| e == "rs"));
    let names = modules.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned());
    names.filter(|name| !["mod", "tests"].contains(&name.as_str())).collect()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn folders_list_the_files_that_they_hold() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("crates");
    let mut lists = 0;
    for file in files_below(&crates).into_iter().filter(|file| file.ends_with("mod.rs")) {
        if let Some(listed) = listed(&std::fs::read_to_string(&file).unwrap()) {
            assert_eq!(listed, held(&file), "{}", file.display());
            lists += 1;
        }
    }
    assert!(lists > 20, "only {lists} folders list their files");
}

/// A crate of these files; the first is its root.
fn made_up(files: &[(&str, &str)]) -> Crate {
    let read = |name: &str| files.iter().find(|(file, _)| *file == name).map(|(_, text)| (*text).to_owned());
    Crate::parse(files[0].0, &read).unwrap()
}

fn cycles_of(files: &[(&str, &str)]) -> String {
    cycles(&made_up(files)).join("\n")
}

/// The files that `a.rs` uses, in a crate whose other modules are fixed.
fn used_by_a(a: &str) -> String {
    let files = [
        ("lib.rs", "mod a; mod b; mod c; pub use c::deep::Deep; pub use b::*;"),
        ("a.rs", a),
        ("b.rs", "pub struct B; pub enum E { One } pub fn f() {} pub const LIMIT: u8 = 1;"),
        ("c/mod.rs", "pub mod deep; pub fn c() {} pub use crate::b::f as g;"),
        ("c/deep.rs", "pub struct Deep; pub fn deep() {}"),
    ];
    let text = listing("made-up", &made_up(&files), true);
    let line = text.lines().find(|line| line.trim_start().starts_with("a ")).unwrap_or_default();
    line.split_once("-> ").map_or("", |(_, used)| used).to_owned()
}

#[test]
fn every_way_to_write_a_path_is_an_edge() {
    for (code, used) in [
        ("use crate::b::B;", "b"),
        ("use crate::b::B as C; fn f(_: C) {}", "b"),
        ("use crate::{b::{B, E}, c::{self, deep::{Deep, deep}}};", "b, c::deep"),
        ("use super::c; fn f() { c::deep::deep() }", "c::deep"),
        ("fn f() { crate::c::deep::deep() }", "c::deep"),
        ("fn f() { self::super::c::c() }", "c"),
        ("mod inner { fn f() { super::super::c::c() } }", "c"),
        ("fn f() { use crate::b::E::*; }", "b"),
        ("fn f(x: u8) { match x { crate::b::LIMIT => {} _ => {} } }", "b"),
        ("fn f() -> Vec<Box<dyn Fn(crate::b::B)>> { Vec::new() }", "b"),
        ("fn f() { println!(\"{}\", crate::c::c()) }", "c"),
        ("macro_rules! m { () => { $crate::c::c() } }", "c"),
        ("#[derive(Debug)] struct A { #[serde(with = \"crate::b::B\")] x: u8 }", "b"),
        ("impl super::c::deep::Deep { }", "c::deep"),
        ("#[cfg(not(test))] use crate::b::B;", "b"),
        ("#[cfg(any(test, feature = \"laws\"))] use crate::b::B;", "b"),
    ] {
        assert_eq!(used_by_a(code), used, "{code}");
    }
}

#[test]
fn re_exports_lead_to_the_file_that_defines_the_item() {
    for (code, used) in [
        ("use crate::Deep;", "c::deep"),
        ("use crate::B;", "b"),
        ("use crate::c::g;", "b"),
        ("use crate::*; fn f(_: Deep) {}", "c::deep"),
        ("use super::c::*; fn f() { g() }", "b"),
        ("pub use crate::b::B; fn f(_: B) {}", "b"),
    ] {
        assert_eq!(used_by_a(code), used, "{code}");
    }
}

#[test]
fn declarations_tests_variables_and_other_crates_are_no_edges() {
    for code in [
        "pub use crate::b::B;",
        "pub(crate) use super::c::deep;",
        "use crate::c;",
        "use crate::*;",
        "#[cfg(test)] mod tests { use crate::b::B; }",
        "#[cfg(all(test, unix))] use crate::b::B;",
        "#[test] fn t() { crate::c::c() }",
        "impl A { #[cfg(test)] fn t() { crate::c::c() } }",
        "use ::b::B; use std::c::deep::Deep;",
        "pub use crate::b::f; fn g(f: u8) -> u8 { f + 1 }",
        "pub use crate::b::f; fn g(x: X) { println!(\"{}\", x.f) }",
        "/// See [`crate::b::B`].\nstruct A;",
    ] {
        assert_eq!(used_by_a(code), "", "{code}");
    }
}

#[test]
fn a_layered_crate_passes() {
    let text = cycles_of(&[
        ("lib.rs", "mod low; mod high; pub use high::High;"),
        ("low.rs", "pub struct Low;"),
        ("high/mod.rs", "mod part; pub use part::Part; use crate::low::Low; pub struct High(Part, Low);"),
        ("high/part.rs", "use crate::low::Low; pub struct Part(Low);"),
    ]);
    assert_eq!(text, "");
}

#[test]
fn a_cycle_through_a_re_export_is_found_and_each_edge_has_its_line() {
    let text = cycles_of(&[
        ("lib.rs", "mod a; mod b; pub use a::A;"),
        ("a.rs", "\npub struct A(crate::b::B);"),
        ("b.rs", "pub struct B;\n\n\nfn f(_: crate::A) {}"),
    ]);
    assert!(text.contains("cycle among files (a, b)"), "{text}");
    assert!(text.contains("a -> b  (a.rs:2: crate::b::B)\n"), "{text}");
    assert!(text.contains("b -> a  (b.rs:4: crate::A)\n"), "{text}");
}

#[test]
fn a_parent_and_a_child_that_use_each_other_are_a_cycle() {
    let text = cycles_of(&[
        ("lib.rs", "mod a;"),
        ("a.rs", "mod part; pub struct A; fn f() { part::f() }"),
        ("a/part.rs", "pub fn f() { super::A; }"),
    ]);
    assert!(text.contains("a -> a::part") && text.contains("a::part -> a"), "{text}");
}

#[test]
fn folders_that_use_each_other_are_a_cycle_even_if_their_files_are_not() {
    let text = cycles_of(&[
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "mod one; pub mod two;"),
        ("a/one.rs", "use crate::b::f;"),
        ("a/two.rs", "pub fn g() {}"),
        ("b.rs", "pub fn f() { crate::a::two::g() }"),
    ]);
    assert!(!text.contains("cycle among files"), "{text}");
    assert!(text.contains("cycle among children of lib (a, b)"), "{text}");
}

#[test]
fn a_cycle_in_tests_is_none() {
    let text = cycles_of(&[
        ("lib.rs", "mod a; mod b; #[cfg(test)] mod testing;"),
        ("a.rs", "use crate::b::B; pub struct A(B);"),
        ("b.rs", "pub struct B; #[cfg(test)] mod tests { use crate::a::A; use super::*; fn f(_: A) {} }"),
        ("testing.rs", "this is not parsed"),
    ]);
    assert_eq!(text, "");
}

#[test]
fn the_shortest_of_several_cycles_is_named() {
    let text = cycles_of(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "pub fn a() { crate::b::b() }"),
        ("b.rs", "pub fn b() { crate::c::c() }"),
        ("c.rs", "pub fn c() { crate::a::a(); crate::b::b() }"),
    ]);
    assert!(text.contains("(a, b, c)"), "{text}");
    assert!(text.contains("c -> b") && !text.contains("c -> a"), "{text}");
}
