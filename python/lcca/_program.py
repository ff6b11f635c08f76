"""The program `lcca`, which wheels do not contain: where it is, and how to run it."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence

_MISSING = (
    "the program lcca is neither beside this Python nor on PATH: "
    "cargo install --path crates/lcca-cli installs it, or set LCCA_PROGRAM to its path"
)


def find() -> str:
    """The path of the program: what LCCA_PROGRAM says, the one beside this Python, or the first on PATH.

    Returns
    -------
    str
        The path. If there is no program, a FileNotFoundError says how to install it.
    """
    chosen = os.environ.get("LCCA_PROGRAM")
    if chosen:
        return chosen
    found = shutil.which("lcca", path=sysconfig.get_path("scripts")) or shutil.which("lcca")
    if found is None:
        raise FileNotFoundError(_MISSING)
    return found


def run(words: Sequence[str], folder: str) -> None:
    """Runs the program quietly in a folder. What it refuses is a ValueError with its message."""
    done = subprocess.run(
        [find(), *words, "--quiet"], cwd=folder, capture_output=True, encoding="utf-8", errors="replace",
        check=False,
    )
    if done.returncode != 0:
        message = (
            done.stderr.strip().removeprefix("lcca: ")
            or f"lcca {words[0]} failed with exit code {done.returncode}"
        )
        raise (ValueError if done.returncode == 2 else RuntimeError)(message)


def main() -> int:
    """Runs the program with the words that were typed, in place of this process where the system can."""
    try:
        program = find()
        words = [program, *sys.argv[1:]]
        if os.name == "posix":
            os.execv(program, words)
        return subprocess.run(words, check=False).returncode
    except OSError as error:
        print(f"lcca: {error}", file=sys.stderr)
        return 2
