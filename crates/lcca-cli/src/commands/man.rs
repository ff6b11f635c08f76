//! `lcca man [COMMAND]`: manual pages in the language of `man`, from the definition that `--help` uses.

use super::flag_text::{default, help, spelled, values};
use crate::failure::Failure;
use crate::output::{self, remark};
use crate::text::count;
use crate::write_file::write_file;
use clap::{Arg, Command};
use std::fmt::Write as _;

pub fn run(job: &crate::resolve::ManJob) -> Result<(), Failure> {
    let Some(folder) = &job.folder else { return Ok(output::print(&page(&job.command))?) };
    std::fs::create_dir_all(folder).map_err(|source| lcca_io::Error::Io { path: folder.clone(), source })?;
    let mut commands = Vec::new();
    collect(&job.command, &mut commands);
    for command in &commands {
        write_file(&folder.join(format!("{}.1", title(command))), page(command).as_bytes())?;
    }
    remark!("{} written to {}", count(commands.len() as u64, "manual page"), folder.display());
    Ok(())
}

/// Collects a command and all commands below it.
fn collect<'a>(command: &'a Command, commands: &mut Vec<&'a Command>) {
    commands.push(command);
    below(command).for_each(|command| collect(command, commands));
}

fn below(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

/// The name of a command's page: `lcca-views-text`.
fn title(command: &Command) -> String {
    command.get_bin_name().unwrap_or(command.get_name()).replace(' ', "-")
}

fn page(command: &Command) -> String {
    let (title, version) = (title(command), env!("CARGO_PKG_VERSION"));
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let long = command.get_long_about().map(ToString::to_string).unwrap_or_else(|| about.clone());
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let mut page = format!(".TH \"{}\" 1 \"\" \"lcca {version}\" \"lcca manual\"\n", title.to_uppercase());
    // Writing to a string does not fail.
    let _ = write!(page, ".SH NAME\n{} \\- {}\n", escaped(&title), escaped(about.trim_end_matches('.')));
    let _ = write!(page, ".SH SYNOPSIS\n{}.SH DESCRIPTION\n{}", as_typed(usage), paragraphs(&long));
    let shown: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_hide_set()).collect();
    for (heading, are_positional) in [("ARGUMENTS", true), ("OPTIONS", false)] {
        let items: String =
            shown.iter().filter(|arg| arg.is_positional() == are_positional).map(|arg| item(arg)).collect();
        if !items.is_empty() {
            let _ = write!(page, ".SH {heading}\n{items}");
        }
    }
    let commands: String = below(command)
        .map(|command| {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            format!(".TP\n\\fB{}\\fR(1)\n{}", escaped(&self::title(command)), paragraphs(&about))
        })
        .collect();
    if !commands.is_empty() {
        let _ = write!(page, ".SH COMMANDS\n{commands}");
    }
    if let Some(help) = command.get_after_help() {
        let _ = write!(page, ".SH NOTES\n{}", as_typed(&help.to_string()));
    }
    if title != "lcca" {
        page.push_str(".SH SEE ALSO\n\\fBlcca\\fR(1)\n");
    }
    page
}

/// One argument or flag as an item of a page.
fn item(arg: &Arg) -> String {
    let mut text = help(arg);
    let values = values(arg);
    if !values.is_empty() {
        text.push_str(&format!(" [values: {}]", values.join(", ")));
    }
    if let Some(default) = default(arg) {
        text.push_str(&format!(" [default: {default}]"));
    }
    format!(".TP\n\\fB{}\\fR\n{}", escaped(&spelled(arg)), paragraphs(&text))
}

/// Running text. Its paragraphs keep the indentation of their item.
fn paragraphs(text: &str) -> String {
    let paragraphs: Vec<String> = text.split("\n\n").map(|paragraph| escaped(paragraph.trim())).collect();
    format!("{}\n", paragraphs.join("\n.sp\n"))
}

/// Lines that `man` must not fill.
fn as_typed(text: &str) -> String {
    format!(".nf\n{}\n.fi\n", escaped(text.trim_end()))
}

/// Escapes text so that `man` takes nothing in it for a command or a special sign.
fn escaped(text: &str) -> String {
    let line = |line: &str| {
        // A prime replaces the raised T, because fonts of terminals and printers do not have that letter.
        let line = line.replace('\\', "\\e").replace('-', "\\-").replace('ᵀ', "'");
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_a_command() {
        assert_eq!(escaped(".npy a-b\n'c\\n"), "\\&.npy a\\-b\n\\&'c\\en");
        assert_eq!(paragraphs("one\n\ntwo"), "one\n.sp\ntwo\n");
    }
}
