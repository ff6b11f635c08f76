"""Whether the code compiles for other systems and with the oldest Rust. It is not run there:
that needs such machines."""

import pathlib
import shutil
import subprocess
import sys

import workspace
from shell import cargo, not_done, run

# Rust's name of a target, and Zig's, whose C compiler serves the few parts that are written in C.
TARGETS = {
    "aarch64-unknown-linux-gnu": "aarch64-linux-gnu",
    "x86_64-pc-windows-gnu": "x86_64-windows-gnu",
    "aarch64-apple-darwin": "aarch64-macos",
    "x86_64-apple-darwin": "x86_64-macos",
}


def others():
    if not shutil.which("rustup"):
        return not_done("other systems", "there is no rustup to install their libraries")
    for target, zig in TARGETS.items():
        if subprocess.run(["rustup", "target", "add", target], capture_output=True).returncode != 0:
            not_done(target, f"`rustup target add {target}` failed")
            continue
        under = target.replace("-", "_")
        env = {
            f"CC_{under}": compiler(zig), f"AR_{under}": compiler(zig, "ar"),
            "CARGO_TARGET_DIR": workspace.BUILD.resolve(),
        }
        # What the workflows test on such machines, tests included.
        cargo("check", "--locked", "--quiet", "--workspace", "--all-targets", "--target", target, env=env)


def compiler(target, tool="cc"):
    """A script that is Zig's C compiler for a target, or its archiver."""
    path = pathlib.Path(f"target/tools/zig-{tool}-{target}").resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    # Rust's builds name targets in their own way, which Zig does not know.
    keep = (
        'for word; do shift; case "$word" in --target=*) ;; *) set -- "$@" "$word";; esac; done\n'
        if tool == "cc"
        else ""
    )
    flags = f"-target {target}" if tool == "cc" else ""
    path.write_text(f'#!/bin/sh\n{keep}exec "{sys.executable}" -m ziglang {tool} {flags} "$@"\n')
    path.chmod(0o755)
    return path


def oldest_rust():
    version = workspace.oldest_rust()
    install = ["rustup", "toolchain", "install", version, "--profile", "minimal"]
    if not shutil.which("rustup") or subprocess.run(install, capture_output=True).returncode != 0:
        return not_done(f"Rust {version}", "rustup cannot install it")
    # In a folder of its own, as every build of a release.
    env = {"CARGO_TARGET_DIR": workspace.BUILD.resolve()}
    run(
        "rustup", "run", version, "cargo", "check", "--locked", "--quiet", "--workspace", "--all-targets",
        env=env,
    )
