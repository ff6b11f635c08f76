"""The README, run as it is written by somebody who has only what was built: the program, or the Python package."""

import os
import pathlib
import re
import shutil
import tempfile

from shell import Failed, run

BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```", re.M | re.S)


def shell(program):
    """Runs the commands in the README's shell examples with this program, in an empty folder."""
    script = []
    for language, text in BLOCK.findall(pathlib.Path("README.md").read_text("utf-8")):
        if language == "sh":
            script.append(text)
        else:
            script += [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    commands = [line for line in "\n".join(script).splitlines() if line.startswith("lcca ")]
    if not commands:
        raise Failed("the README has no command to run")
    if os.name == "nt":
        run(program, "--version")
        return
    path = os.pathsep.join([str(pathlib.Path(program).resolve().parent), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as folder:
        link_repository(folder)
        run("sh", "-euc", "\n".join(script), cwd=folder, env={"PATH": path})
        run("sh", "-euc", "lcca --version", cwd=folder, env={"PATH": path})


def python(interpreter):
    """Runs the README's Python examples and compares what they print."""
    with tempfile.TemporaryDirectory() as folder:
        link_repository(folder)
        flags = ["-o", "NORMALIZE_WHITESPACE", "-o", "ELLIPSIS"]
        run(interpreter, "-m", "doctest", *flags, "README.md", cwd=folder)
        run(interpreter, "-c", "import lcca; print('lcca', lcca.__version__, 'from', lcca.__file__)", cwd=folder)


def link_repository(folder):
    """The README is read in a clone. Its files are there, but what the commands write stays out of it."""
    if os.name == "nt":
        # Links need privileges there. The Python examples write nothing.
        shutil.copytree("crates/lcca/src", pathlib.Path(folder) / "crates/lcca/src")
        shutil.copy("README.md", folder)
        return
    for entry in pathlib.Path.cwd().iterdir():
        if entry.name not in ("target", ".git", "python"):
            (pathlib.Path(folder) / entry.name).symlink_to(entry)
