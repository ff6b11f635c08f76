//! The modules of a crate as parsed: the items each one defines, the names it imports and the paths it uses.

use crate::parse;
use std::collections::{BTreeMap, BTreeSet};

/// One crate. Modules are numbered; the root is number 0 and a parent precedes its children.
#[derive(Default)]
pub struct Crate {
    pub modules: Vec<Module>,
}

/// One module: a source file, or `mod x { … }` inside one.
#[derive(Default)]
pub struct Module {
    /// The names from the root to this module.
    pub path: Vec<String>,
    pub file: String,
    pub parent: Option<usize>,
    pub children: BTreeMap<String, usize>,
    /// The names of the items defined here.
    pub items: BTreeSet<String>,
    pub imports: Vec<Import>,
    pub globs: Vec<Glob>,
    /// The paths in code and in private `use` declarations.
    pub references: Vec<Reference>,
}

/// `use path as name`, private or re-exported.
pub struct Import {
    pub name: String,
    pub path: Vec<String>,
}

/// `use path::*`
pub struct Glob {
    pub path: Vec<String>,
}

/// A path as written, without generic arguments, and its line.
pub struct Reference {
    pub path: Vec<String>,
    pub line: usize,
}

impl Crate {
    /// Parses the crate with the root file `root`. `read` returns the text of a file, or none if there is no
    /// such file.
    pub fn parse(root: &str, read: &dyn Fn(&str) -> Option<String>) -> Result<Self, String> {
        let mut source = Self::default();
        source.modules.push(Module { file: root.to_owned(), ..Module::default() });
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        parse::file(&mut source, 0, folder, read)?;
        Ok(source)
    }

    /// Adds a module below `parent` and returns its number.
    pub fn add(&mut self, parent: usize, name: &str, file: String) -> usize {
        let number = self.modules.len();
        let mut path = self.modules[parent].path.clone();
        path.push(name.to_owned());
        self.modules.push(Module { path, file, parent: Some(parent), ..Module::default() });
        self.modules[parent].children.insert(name.to_owned(), number);
        number
    }

    /// The module that stands for its source file: `module` itself, or the one around it if it is written
    /// inline.
    pub fn file_module(&self, module: usize) -> usize {
        let around =
            self.modules[module].parent.filter(|&p| self.modules[p].file == self.modules[module].file);
        around.map_or(module, |parent| self.file_module(parent))
    }

    /// The name of a module from the crate's root, `data::gram`; the root is called by its file, `lib` or
    /// `main`.
    pub fn name(&self, module: usize) -> String {
        let Module { path, file, .. } = &self.modules[module];
        let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".rs");
        if path.is_empty() { stem.to_owned() } else { path.join("::") }
    }
}
