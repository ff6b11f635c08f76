//! Resolves a path as written to the module that defines the item it names, through imports, re-exports and
//! globs.

use crate::scope::Crate;
use std::collections::{BTreeSet, HashSet};

/// A thing that a path names. One name may stand for several, for example a module and a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Module(usize),
    /// An item, identified by the module that defines it.
    Item(usize),
}

/// The modules that define the items that `path`, written in `module`, names. Naming a module uses nothing in
/// it.
pub fn definitions(source: &Crate, module: usize, path: &[String]) -> BTreeSet<usize> {
    let mut resolver = Resolver { source, active: HashSet::new() };
    let targets = resolver.path(module, path);
    let items = targets.into_iter().filter_map(|target| match target {
        Target::Item(module) => Some(module),
        Target::Module(_) => None,
    });
    items.collect()
}

struct Resolver<'a> {
    source: &'a Crate,
    /// The names that are being looked up. They are kept because `pub use fit::fit` would otherwise look
    /// for `fit` in itself forever.
    active: HashSet<(usize, String)>,
}

impl Resolver<'_> {
    fn path(&mut self, module: usize, path: &[String]) -> BTreeSet<Target> {
        let Some((first, rest)) = path.split_first() else { return BTreeSet::new() };
        let parent = self.source.modules[module].parent;
        let mut targets = match first.as_str() {
            "crate" => BTreeSet::from([Target::Module(0)]),
            "self" => BTreeSet::from([Target::Module(module)]),
            "super" => parent.map(Target::Module).into_iter().collect(),
            name => self.name(module, name),
        };
        for name in rest {
            targets = targets.into_iter().flat_map(|target| self.below(target, name)).collect();
        }
        targets
    }

    /// The targets of `name` inside `target`. Variants and associated items belong to the item itself.
    fn below(&mut self, target: Target, name: &str) -> BTreeSet<Target> {
        match (target, name) {
            (Target::Item(_), _) => BTreeSet::from([target]),
            (Target::Module(module), "super") => {
                self.source.modules[module].parent.map(Target::Module).into_iter().collect()
            }
            (Target::Module(module), _) => self.name(module, name),
        }
    }

    /// The targets of `name` in `module`. Explicit names hide names from globs.
    fn name(&mut self, module: usize, name: &str) -> BTreeSet<Target> {
        let key = (module, name.to_owned());
        if !self.active.insert(key.clone()) {
            let children = &self.source.modules[module].children;
            return children.get(name).copied().map(Target::Module).into_iter().collect();
        }
        let scope = &self.source.modules[module];
        let mut targets = BTreeSet::new();
        targets.extend(scope.children.get(name).copied().map(Target::Module));
        targets.extend(scope.items.contains(name).then_some(Target::Item(module)));
        for import in scope.imports.iter().filter(|import| import.name == name) {
            targets.extend(self.path(module, &import.path));
        }
        if targets.is_empty() {
            for glob in &scope.globs {
                for target in self.path(module, &glob.path) {
                    // A glob over an enum adds no names, because its variants are not listed.
                    if let Target::Module(from) = target {
                        targets.extend(self.name(from, name));
                    }
                }
            }
        }
        self.active.remove(&key);
        targets
    }
}
