//! The zstd program, which the preparation of data calls. A Python package takes its place if it is not
//! installed.

use crate::step;
use std::path::Path;
use std::process::Command;
use std::{env, fs, path};

const STAND_IN: &str = "target/tools";

/// Lets `command` find a `zstd`.
pub fn on_path<'a>(command: &'a mut Command, python: &Path) -> Result<&'a mut Command, String> {
    if step::works(Command::new("zstd").arg("--version")) {
        return Ok(command);
    }
    let absolute = |path: &Path| path::absolute(path).map_err(|e| e.to_string());
    let (folder, python) = (absolute(Path::new(STAND_IN))?, absolute(python)?);
    let (program, script) = (folder.join("zstd"), absolute(Path::new("tools/zstd.py"))?);
    let text = format!("#!/bin/sh\nexec '{}' '{}' \"$@\"\n", python.display(), script.display());
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&program, text));
    written.and_then(|()| make_executable(&program)).map_err(|e| format!("{}: {e}", program.display()))?;
    let others = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([folder].into_iter().chain(env::split_paths(&others)));
    Ok(command.env("PATH", path.map_err(|e| e.to_string())?))
}

#[cfg(unix)]
fn make_executable(program: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(program, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}
