//! `lcca reference`: every command and flag as one page of Markdown, for the documentation.

use crate::failure::Failure;
use crate::output;
use crate::resolve::ReferenceJob;
use clap::{Arg, Command};
use std::fmt::Write as _;

const INTRODUCTION: &str = "\
# Command line reference

Everything that can be typed, as `lcca COMMAND --help` prints it. This page is written by the program itself.

";

pub fn run(mut job: ReferenceJob) -> Result<(), Failure> {
    // Fills in usages and the flags that clap adds by itself.
    job.program.build();
    let mut page = String::from(INTRODUCTION);
    describe(&job.program, 2, &mut page);
    Ok(output::print(&page)?)
}

/// Writes a command and those below it. `level` is the level of its heading.
fn describe(command: &Command, level: usize, page: &mut String) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    // Writing to a string does not fail.
    let _ = writeln!(page, "{} {name}\n\n{}\n\n```text\n{usage}\n```\n", "#".repeat(level), escaped(&about));
    let visible: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_hide_set()).collect();
    for (title, is_listed) in [("Arguments", true), ("Flags", false)] {
        let lines: String =
            visible.iter().filter(|arg| arg.is_positional() == is_listed).map(|arg| item(arg)).collect();
        if !lines.is_empty() {
            let _ = writeln!(page, "**{title}**\n\n{lines}");
        }
    }
    if let Some(help) = command.get_after_help() {
        let _ = writeln!(page, "```text\n{help}\n```\n");
    }
    let below =
        command.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help");
    below.for_each(|command| describe(command, (level + 1).min(4), page));
}

/// One argument or flag as an item of a list.
fn item(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = format!("- `{}`: {}", spelled(arg), escaped(&help).replace("\n\n", "\n\n    "));
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set() && arg.get_action().takes_values())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !values.is_empty() {
        text.push_str(&format!(" [values: {}]", values.join(", ")));
    }
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if !defaults.is_empty() && arg.get_action().takes_values() {
        text.push_str(&format!(" [default: `{}`]", defaults.join(" ")));
    }
    text.push('\n');
    text
}

/// The argument as it is typed: `-k, --components <K>`.
fn spelled(arg: &Arg) -> String {
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let names: Vec<String> = [short, long].into_iter().flatten().collect();
    let takes_values = arg.is_positional() || arg.get_action().takes_values();
    let values = arg.get_value_names().filter(|_| takes_values).unwrap_or_default();
    let values: Vec<String> = values.iter().map(|value| format!("<{value}>")).collect();
    let parts = [names.join(", "), values.join(" ")];
    parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Text whose signs are not taken for Markdown.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut is_code = false;
    for character in text.chars() {
        is_code ^= character == '`';
        if !is_code && matches!(character, '*' | '_' | '<' | '|') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
