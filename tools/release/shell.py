"""Commands that are printed before they run, and what was not done and why."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

import workspace

NOT_DONE = []


class Failed(Exception):
    """Why the release cannot go on, in one line."""


def run(*words, capture=False, **options):
    """Runs a command to its end, and returns what it printed if that is asked for."""
    words = [str(word) for word in words]
    print("==>", shlex.join(words), flush=True)
    start = time.monotonic()
    options["env"] = os.environ | {name: str(value) for name, value in options.pop("env", {}).items()}
    result = subprocess.run(words, stdout=subprocess.PIPE if capture else None, text=True, **options)
    print(f"    {time.monotonic() - start:.1f} s", flush=True)
    if result.returncode != 0:
        raise Failed(f"`{shlex.join(words)}` failed ({result.returncode})")
    return result.stdout


def not_done(what, why, everywhere=False):
    """Leaves something out, loudly. On a forge's machines that is a failure, unless no machine can do it."""
    if os.environ.get("CI") == "true" and not everywhere:
        raise Failed(f"{what}: {why}")
    NOT_DONE.append(f"{what}: {why}")
    print(f"    not done: {what}: {why}", flush=True)


def outcome(name, seconds, missing):
    """One line per step. A step that left something out has not simply passed."""
    told = "passed" if not missing else "NOT DONE: " + "; ".join(missing)
    return f"{name:12} {seconds:5.0f} s  {told}"


def cargo(*words, **options):
    return run(os.environ.get("CARGO", "cargo"), *words, **options)


def python(*words, **options):
    """This environment's Python."""
    return run(sys.executable, *words, **options)


# By which linkers of other systems are found: Zig is a module of this Python.
ZIG = {"CARGO_ZIGBUILD_PYTHON_PATH": sys.executable}


def tool(name):
    """A program of this environment."""
    return pathlib.Path(sys.executable).parent / name


def cargo_tool(name, version):
    """A cargo subcommand: the installed one, or one that is built under target/ once."""
    if installed := shutil.which(name):
        return pathlib.Path(installed)
    home = pathlib.Path("target/tools").resolve()
    program = home / "bin" / (name + (".exe" if os.name == "nt" else ""))
    if not program.exists():
        # Debug builds take half the time to build, and nobody waits for what these tools do.
        cargo("install", "--debug", "--locked", "--quiet", "--root", home, "--version", version, name)
    return program


def forget_builds():
    """Removes what this project's own crates were built into. All files of a package have the same date, by
    which Cargo cannot tell that they are not those of its last build."""
    names = [word for member in workspace.members() for word in ("--package", member["name"])]
    cargo("clean", "--release", "--quiet", "--target-dir", workspace.BUILD, *names)


def empty(folder):
    """The folder, with nothing in it."""
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
