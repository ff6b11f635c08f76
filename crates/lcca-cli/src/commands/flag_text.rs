//! Arguments and flags as text, for manual pages and the documentation.

use clap::Arg;

/// An argument as users type it: `-k, --components <K>`.
pub fn spelled(arg: &Arg) -> String {
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let names: Vec<String> = [short, long].into_iter().flatten().collect();
    let takes_values = arg.is_positional() || arg.get_action().takes_values();
    let values = arg.get_value_names().filter(|_| takes_values).unwrap_or_default();
    let values: Vec<String> = values.iter().map(|value| format!("<{value}>")).collect();
    let parts = [names.join(", "), values.join(" ")];
    parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// The long help of an argument.
pub fn help(arg: &Arg) -> String {
    arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default()
}

/// The values that an argument accepts, if they are a list.
pub fn values(arg: &Arg) -> Vec<String> {
    let values = arg.get_possible_values();
    let shown = values.iter().filter(|value| !value.is_hide_set() && arg.get_action().takes_values());
    shown.map(|value| value.get_name().to_string()).collect()
}

/// The value that an argument has if it is left out.
pub fn default(arg: &Arg) -> Option<String> {
    let values: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    (!values.is_empty() && arg.get_action().takes_values()).then(|| values.join(" "))
}
