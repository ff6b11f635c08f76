//! One step of a task: a command that is printed before it runs, timed, and named if it fails.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, io};

/// A command of the cargo that started this program, with `args` split at spaces.
pub fn cargo(args: &str) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    command.args(args.split(' '));
    command
}

/// The file with the seconds of every step so far, one line each, which shows where the time goes.
const SECONDS: &str = "target/steps.tsv";

/// Begins the file of seconds anew.
pub fn forget_seconds() {
    let _ = fs::remove_file(SECONDS);
}

/// Adds a step to the file of seconds. A task goes on if that fails.
fn remember_seconds(line: &str, seconds: f64) {
    let file = OpenOptions::new().create(true).append(true).open(SECONDS);
    let _ = file.and_then(|mut file| writeln!(file, "{seconds:.1}\t{line}"));
}

/// Runs a command to its end and shows its output.
pub fn run(command: &mut Command) -> Result<(), String> {
    let line = spelled(command);
    eprintln!("==> {line}");
    let start = Instant::now();
    let status = command.stdin(Stdio::null()).status().map_err(|e| format!("`{line}` did not start: {e}"))?;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("    {seconds:.1} s");
    remember_seconds(&line, seconds);
    if status.success() { Ok(()) } else { Err(format!("`{line}` failed ({status})")) }
}

/// The message about a file that cannot be read or written.
pub fn failed(path: &Path, error: io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Returns whether a command runs and succeeds. Its output is not shown.
pub fn works(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Prints something worth reading that is not a failure.
pub fn note(text: &str) {
    eprintln!("    note: {text}");
}

/// Sets an environment variable of the command, or makes sure that it is not inherited if there is no value.
pub fn set_or_remove<'a>(
    command: &'a mut Command,
    variable: &str,
    value: Option<impl AsRef<OsStr>>,
) -> &'a mut Command {
    match value {
        Some(value) => command.env(variable, value),
        None => command.env_remove(variable),
    }
}

/// The command as one would type it, environment variables first.
fn spelled(command: &Command) -> String {
    let variables = command.get_envs();
    let set = variables.filter_map(|(name, value)| Some(format!("{}={}", quoted(name), quoted(value?))));
    let program = match Path::new(command.get_program()).file_stem() {
        Some(stem) if stem == "cargo" => "cargo".into(),
        _ => quoted(command.get_program()),
    };
    set.chain([program]).chain(command.get_args().map(quoted)).collect::<Vec<_>>().join(" ")
}

fn quoted(text: &OsStr) -> String {
    let text = text.to_string_lossy();
    if text.is_empty() || text.contains(char::is_whitespace) { format!("'{text}'") } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_named_as_typed() {
        let error = run(Command::new("false").env("FLAGS", "-D warnings").args(["a", "b c"])).unwrap_err();
        assert!(error.starts_with("`FLAGS='-D warnings' false a 'b c'` failed"), "{error}");
        assert_eq!(spelled(&cargo("doc --no-deps")), "cargo doc --no-deps");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut Command::new("no-such-program")).unwrap_err();
        assert!(error.starts_with("`no-such-program` did not start"), "{error}");
        assert!(!works(&mut Command::new("no-such-program")));
    }
}
