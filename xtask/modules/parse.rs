//! From source text to modules: finds the files, and in them definitions, imports and references.

use crate::scope::{Crate, Glob, Import, Module, Reference};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::HashSet;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Meta, UseTree, Visibility};

/// Parses the file of module `number`; the files of its children lie in `folder`.
pub fn file(
    source: &mut Crate,
    number: usize,
    folder: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<(), String> {
    let name = source.modules[number].file.clone();
    let text = read(&name).ok_or_else(|| format!("{name}: no such file"))?;
    let parsed = syn::parse_file(&text).map_err(|error| {
        let line = error.span().start().line;
        format!("{name}:{line}: {error}")
    })?;
    items(source, number, folder, &parsed.items, read)
}

fn items(
    source: &mut Crate,
    number: usize,
    folder: &str,
    items: &[Item],
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<(), String> {
    for item in items.iter().filter(|item| counts(attributes(item))) {
        if let Item::Mod(module) = item {
            child(source, number, folder, module, read)?;
        } else {
            source.modules[number].items.extend(defined_name(item));
            Collector { module: &mut source.modules[number], locals: Vec::new() }.visit_item(item);
        }
    }
    Ok(())
}

/// Adds `mod x;` or `mod x { … }`.
fn child(
    source: &mut Crate,
    parent: usize,
    folder: &str,
    module: &syn::ItemMod,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<(), String> {
    let name = unraw(&module.ident);
    let below = join(folder, &name);
    if let Some((_, content)) = &module.content {
        let inline = source.add(parent, &name, source.modules[parent].file.clone());
        return items(source, inline, &below, content, read);
    }
    let given = module.attrs.iter().find_map(path_attribute).map(|path| join(folder, &path));
    let candidates =
        given.map_or_else(|| vec![format!("{below}.rs"), format!("{below}/mod.rs")], |file| vec![file]);
    let file_name = candidates
        .iter()
        .find(|file| read(file).is_some())
        .ok_or_else(|| format!("{}: no file for `mod {name}`", source.modules[parent].file))?;
    let number = source.add(parent, &name, file_name.clone());
    file(source, number, &below, read)
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The file that `#[path = "…"]` names.
fn path_attribute(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &meta.value else { return None };
    meta.path.is_ident("path").then(|| text.value())
}

fn unraw(ident: &syn::Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

/// Returns whether the item can be part of a build other than a test.
fn counts(attributes: &[Attribute]) -> bool {
    let excluded = |attribute: &Attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("cfg") => {
            list.parse_args::<Meta>().is_ok_and(|condition| truth(&condition) == Some(false))
        }
        _ => false,
    };
    !attributes.iter().any(excluded)
}

/// The value of a `cfg` condition outside of tests, or none if it depends on something else.
fn truth(condition: &Meta) -> Option<bool> {
    let list = match condition {
        Meta::Path(path) => return path.is_ident("test").then_some(false),
        Meta::NameValue(_) => return None,
        Meta::List(list) => list,
    };
    let parts =
        list.parse_args_with(syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated).ok()?;
    let values: Vec<Option<bool>> = parts.iter().map(truth).collect();
    let all = |wanted: bool| values.iter().all(|value| *value == Some(wanted)).then_some(wanted);
    let any = |wanted: bool| values.contains(&Some(wanted)).then_some(wanted);
    if list.path.is_ident("all") {
        any(false).or_else(|| all(true))
    } else if list.path.is_ident("any") {
        any(true).or_else(|| all(false))
    } else if list.path.is_ident("not") {
        values.first().copied().flatten().map(|value| !value)
    } else {
        None
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn defined_name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(unraw(ident))
}

/// Collects the imports and references of one item, including those inside function bodies.
struct Collector<'a> {
    module: &'a mut Module,
    /// The variables of the enclosing functions. Their names refer to no item.
    locals: Vec<HashSet<String>>,
}

impl Collector<'_> {
    fn refer(&mut self, path: Vec<String>, line: usize) {
        let is_local = path.len() == 1 && self.locals.iter().any(|names| names.contains(&path[0]));
        if !is_local {
            self.module.references.push(Reference { path, line });
        }
    }

    fn import(&mut self, tree: &UseTree, prefix: &[String], is_reexport: bool) {
        match tree {
            UseTree::Path(path) => {
                let longer = [prefix, &[unraw(&path.ident)]].concat();
                self.import(&path.tree, &longer, is_reexport);
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, prefix, is_reexport));
            }
            UseTree::Glob(glob) => {
                let line = glob.star_token.spans[0].start().line;
                self.module.globs.push(Glob { path: prefix.to_vec() });
                // Naming a module uses nothing of it, but `use Enum::*` uses the enum.
                self.module.references.push(Reference { path: prefix.to_vec(), line });
            }
            UseTree::Name(name) => self.import_name(prefix, &name.ident, &name.ident, is_reexport),
            UseTree::Rename(rename) => self.import_name(prefix, &rename.ident, &rename.rename, is_reexport),
        }
    }

    fn import_name(&mut self, prefix: &[String], last: &syn::Ident, name: &syn::Ident, is_reexport: bool) {
        let mut path = prefix.to_vec();
        // `use a::{self}` imports `a`, under its own name unless it is renamed.
        if last != "self" || prefix.is_empty() {
            path.push(unraw(last));
        }
        let name = if name == "self" { path[path.len() - 1].clone() } else { unraw(name) };
        if !is_reexport {
            self.module.references.push(Reference { path: path.clone(), line: last.span().start().line });
        }
        self.module.imports.push(Import { name, path });
    }

    /// Finds paths among the tokens of a macro, whose grammar is its own.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_punct = |index: usize, mark: char| matches!(tokens.get(index), Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
        let mut index = 0;
        while index < tokens.len() {
            let start = index;
            index += 1;
            let ident = match &tokens[start] {
                TokenTree::Group(group) => {
                    self.tokens(group.stream());
                    continue;
                }
                TokenTree::Ident(ident) => ident,
                TokenTree::Punct(_) | TokenTree::Literal(_) => continue,
            };
            let mut path = vec![unraw(ident)];
            while is_punct(index, ':') && is_punct(index + 1, ':') {
                let Some(TokenTree::Ident(next)) = tokens.get(index + 2) else { break };
                path.push(unraw(next));
                index += 3;
            }
            // A name after a dot is a field or a method, and one after `::` belongs to another crate.
            let follows = |mark| start > 0 && is_punct(start - 1, mark);
            let is_range = start > 1 && is_punct(start - 2, '.');
            if (!follows('.') || is_range) && !follows(':') {
                self.refer(path, ident.span().start().line);
            }
        }
    }

    /// Runs `visit` on a function whose variables are `names`.
    fn within(&mut self, names: HashSet<String>, visit: impl FnOnce(&mut Self)) {
        self.locals.push(names);
        visit(self);
        self.locals.pop();
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if counts(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            self.import(&item.tree, &[], !matches!(item.vis, Visibility::Inherited));
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.within(variables(|names| names.visit_item_fn(item)), |this| visit::visit_item_fn(this, item));
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        let attributes = match item {
            syn::ImplItem::Const(item) => &item.attrs,
            syn::ImplItem::Fn(item) => &item.attrs,
            syn::ImplItem::Type(item) => &item.attrs,
            _ => return visit::visit_impl_item(self, item),
        };
        if counts(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        let names = variables(|names| names.visit_impl_item_fn(item));
        self.within(names, |this| visit::visit_impl_item_fn(this, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if counts(&item.attrs) {
            let names = variables(|names| names.visit_trait_item_fn(item));
            self.within(names, |this| visit::visit_trait_item_fn(this, item));
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if counts(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        if counts(&variant.attrs) {
            visit::visit_variant(self, variant);
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if counts(&local.attrs) {
            visit::visit_local(self, local);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none()
            && let Some(first) = path.segments.first()
        {
            let names = path.segments.iter().map(|segment| unraw(&segment.ident)).collect();
            self.refer(names, first.ident.span().start().line);
        }
        visit::visit_path(self, path);
    }

    /// In a pattern, a constant's name looks like a variable's; case tells them apart.
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        let name = unraw(&pattern.ident);
        if is_constant(&name) {
            self.refer(vec![name], pattern.ident.span().start().line);
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        self.visit_path(&invocation.path);
        self.tokens(invocation.tokens.clone());
    }

    /// Derived code reads paths in attributes, some of them as strings: `#[serde(with = "crate::hex")]`.
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let Meta::List(list) = &attribute.meta else { return };
        for path in quoted_paths(list.tokens.clone()) {
            let line = path.segments.first().map_or(0, |segment| segment.ident.span().start().line);
            let mut names: Vec<String> = path.segments.iter().map(|segment| unraw(&segment.ident)).collect();
            self.module.references.push(Reference { path: names.clone(), line });
            // `with` names a module for its functions.
            names.push("serialize".to_owned());
            self.module.references.push(Reference { path: names, line });
        }
        if !list.path.is_ident("derive") && !list.path.is_ident("cfg") {
            self.tokens(list.tokens.clone());
        }
    }
}

fn is_constant(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn quoted_paths(tokens: TokenStream) -> Vec<syn::Path> {
    let mut paths = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() != Delimiter::None => {
                paths.extend(quoted_paths(group.stream()));
            }
            TokenTree::Literal(literal) => {
                let text = syn::parse_str::<syn::LitStr>(&literal.to_string());
                let spanned = text.map(|text| syn::LitStr::new(&text.value(), literal.span()));
                paths.extend(spanned.and_then(|text| text.parse::<syn::Path>()));
            }
            _ => {}
        }
    }
    paths
}

/// Names bound by the patterns that `visit` walks over.
fn variables(visit: impl FnOnce(&mut Variables)) -> HashSet<String> {
    let mut variables = Variables(HashSet::new());
    visit(&mut variables);
    variables.0
}

struct Variables(HashSet<String>);

impl<'ast> Visit<'ast> for Variables {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        let name = unraw(&pattern.ident);
        if !is_constant(&name) {
            self.0.insert(name);
        }
        visit::visit_pat_ident(self, pattern);
    }
}
