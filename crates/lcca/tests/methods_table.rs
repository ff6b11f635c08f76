//! The tables of methods and parameters in docs/methods.md follow from the descriptions of the methods.

use lcca::method::{Method, Parameter};
use std::fs;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/methods.md");

#[test]
fn the_documentation_lists_every_method_and_parameter() {
    let page = fs::read_to_string(PAGE).expect("docs/methods.md");
    for table in [methods(), parameters()] {
        assert!(page.contains(&table), "docs/methods.md should contain this table:\n\n{table}");
    }
}

fn methods() -> String {
    let rows = Method::specs().iter().map(|spec| {
        let mut flags: Vec<String> = spec.parameters().map(flag).collect();
        flags.dedup();
        format!("| `{}` | {} | {} |\n", spec.name, spec.summary, flags.join(" "))
    });
    "| `--method` | what it computes | parameters |\n|---|---|---|\n".to_string() + &rows.collect::<String>()
}

fn parameters() -> String {
    let rows = Method::parameters().into_iter().map(|(parameter, names)| {
        let defaults = names.iter().map(|name| format!("{} ({name})", default(name, parameter)));
        format!(
            "| {} | {} | {} |\n",
            flag(parameter),
            parameter.help,
            defaults.collect::<Vec<_>>().join(", ")
        )
    });
    "| parameter | meaning | default |\n|---|---|---|\n".to_string() + &rows.collect::<String>()
}

/// The default of one method for a parameter that several methods share.
fn default(method: &str, parameter: &Parameter) -> String {
    let spec = Method::named(method).expect("a method").spec();
    let own = spec.parameters().find(|own| own.name == parameter.name).expect("a parameter of the method");
    own.format(own.default)
}

fn flag(parameter: &Parameter) -> String {
    format!("`--{}`", parameter.name)
}
