"""The README, run as it is written by somebody who has only what was built:
the program, or the Python package."""

import os
import pathlib
import subprocess
import sys
import tempfile

from shell import Failed, run

# What a page consists of is known by the tests of pages.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python/tests"))
import page_files  # noqa: E402
import pages  # noqa: E402

README = pathlib.Path("README.md")


def shell(program):
    """Runs the README's commands with this program in an empty folder,
    and compares what they print with what is shown."""
    run(program, "--version")
    if os.name == "nt":
        return print("    the README's commands are for shells of Unix")
    blocks = [
        block
        for block in pages.blocks(README.resolve())
        if block.reason is None and block.kind in ("sh", "console")
    ]
    if not blocks:
        raise Failed("the README has no command to run")
    path = os.pathsep.join([str(pathlib.Path(program).resolve().parent), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as folder:
        page_files.PREPARE["README.md"](pathlib.Path(folder))
        for block in blocks:
            if block.kind == "sh":
                ran(block.code, folder, path)
                continue
            for command, shown in pages.commands(block.code):
                if not pages.matches(shown, printed := ran(command, folder, path)):
                    raise Failed(
                        f"{block}: `{command}` prints other things than the README shows:\n{printed}"
                    )


def ran(script, folder, path):
    print("==> README:", script.strip(), flush=True)
    env = os.environ | {"PATH": path}
    words = ["sh", "-ec", script]
    done = subprocess.run(
        words, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        raise Failed(f"the README's `{script.strip()}` failed:\n{done.stdout}")
    return done.stdout


def python(interpreter):
    """Runs the README's Python examples in an empty folder and compares what they print."""
    if ">>> " not in README.read_text("utf-8"):
        raise Failed("the README has no Python to run")
    with tempfile.TemporaryDirectory() as folder:
        flags = ["-o", "NORMALIZE_WHITESPACE", "-o", "ELLIPSIS"]
        run(interpreter, "-m", "doctest", *flags, README.resolve(), cwd=folder)
        run(
            interpreter,
            "-c",
            "import lcca; print('lcca', lcca.__version__, 'from', lcca.__file__)",
            cwd=folder,
        )
