//! `lcca reference`: every command and flag as one page of Markdown, for the documentation.

use super::flag_text::{default, help, spelled, values};
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
    // This fills in the usages, and the flags that clap adds by itself.
    job.program.build();
    let mut page = String::from(INTRODUCTION);
    describe(&job.program, 2, &mut page);
    Ok(output::print(&page)?)
}

/// Writes a command and those below it. `level` is the level of the command's heading.
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
    let help = help(arg);
    let mut text = format!("- `{}`: {}", spelled(arg), escaped(&help).replace("\n\n", "\n\n    "));
    let values: Vec<String> = values(arg).iter().map(|value| format!("`{value}`")).collect();
    if !values.is_empty() {
        text.push_str(&format!(" [values: {}]", values.join(", ")));
    }
    if let Some(default) = default(arg) {
        text.push_str(&format!(" [default: `{default}`]"));
    }
    text.push('\n');
    text
}

/// Escapes text so that Markdown takes no sign in it for its own.
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
