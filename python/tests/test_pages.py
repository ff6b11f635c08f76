"""Every block of code on every page runs, in the order of the page and in a folder of its own,
and prints what is shown."""

import doctest
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from conftest import ROOT
from page_files import PREPARE
from pages import SHOWN, blocks, commands, matches, pages, unfenced

# Blocks that tests cannot run; the reason stands beside each. New ones need a better excuse than these.
NOT_RUN = 5
RUN_BY_RUSTDOC = ("docs/rust.md", "docs/start-rust.md")


def names(paths):
    return [path.relative_to(ROOT).as_posix() for path in paths]


@pytest.fixture
def environment(tmp_path):
    """The environment of commands: the program and this Python come first."""
    program = Path(os.environ.get("LCCA_PROGRAM", ROOT / "target/release/lcca"))
    if not program.exists():
        assert os.environ.get("CI") != "true", f"there is no {program}"
        pytest.skip(f"{program} does not exist: cargo build --release makes it")
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "lcca").symlink_to(program)
    path = os.pathsep.join([str(folder), os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    return os.environ | {"PATH": path, "MPLBACKEND": "Agg"}


def run_shell(block, script, environment):
    """Runs a script as a reader would, and returns all that appears."""
    words = ["bash", "-e", "-c", script]
    done = subprocess.run(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == 0, f"{block}: {script}\n{done.stdout}"
    return done.stdout


def run_console(block, environment):
    for command, shown in commands(block.code):
        printed = run_shell(block, command, environment)
        assert matches(shown, printed), f"{block}: $ {command}\n--- shown\n{shown}\n--- printed\n{printed}"


def run_session(block, variables):
    """Runs a block of Python: a session whose output is compared, or a script."""
    if ">>> " not in block.code:
        exec(compile(block.code, str(block), "exec"), variables)
        return
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(block.code, {}, str(block), block.page, block.line)
    test.globs = variables
    lines = []
    result = doctest.DocTestRunner(optionflags=flags).run(test, out=lines.append, clear_globs=False)
    assert result.failed == 0, "".join(lines)


@pytest.mark.parametrize("path", pages(), ids=names(pages()))
def test_every_block_of_the_page_runs(path, environment, tmp_path, monkeypatch):
    page = path.relative_to(ROOT).as_posix()
    to_run = [block for block in blocks(path) if block.reason is None and block.kind not in (*SHOWN, "rust")]
    if not to_run:
        return
    folder = tmp_path / "page"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("PATH", environment["PATH"])
    PREPARE.get(page, lambda folder: None)(folder)
    variables = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for block in to_run:
            match block.kind:
                case "sh":
                    run_shell(block, block.code, environment)
                case "console":
                    run_console(block, environment)
                case "python":
                    run_session(block, variables)
                case other:
                    pytest.fail(
                        f"{block}: nobody runs blocks of {other!r}; what is only shown is one of {SHOWN}"
                    )
    check_pictures(path, folder)


def check_pictures(path, folder):
    """Pictures of the gallery and of the page about pictures are what the code beside them draws. With
    LCCA_PICTURES set, those of the page are drawn anew."""
    if path.parent.name != "gallery" and path.name != "plots.md":
        return
    shown = re.findall(r"!\[[^]]*\]\(([^)]+)\)", path.read_text())
    for picture in shown:
        drawn, committed = folder / Path(picture).name, path.parent / picture
        assert drawn.exists(), f"{path}: no block draws {picture}"
        if os.environ.get("LCCA_PICTURES"):
            committed.parent.mkdir(exist_ok=True)
            shutil.copy(drawn, committed)
        if drawn.suffix == ".svg":
            assert same_drawing(drawn.read_text(), committed.read_text()), (
                f"{path}: {picture} is not what the program draws now; set LCCA_PICTURES"
            )


def same_drawing(a, b):
    """Whether two drawings are the same but for rounding errors,
    which may move a point by a fraction of a pixel."""
    number = re.compile(r"-?\d+\.?\d*")
    places = [[float(found) for found in number.findall(drawing)] for drawing in (a, b)]
    texts = [number.sub("#", drawing) for drawing in (a, b)]
    return texts[0] == texts[1] and all(abs(x - y) < 0.5 for x, y in zip(*places, strict=True))


def test_drawings_that_differ_are_told_apart():
    assert same_drawing('<line x1="10.1"/>', '<line x1="10"/>')
    assert not same_drawing('<line x1="10.1"/>', '<line x1="11"/>')
    assert not same_drawing("<text>a</text>", "<text>b</text>")


def test_what_is_not_run_is_rare_and_says_why():
    skipped = [block for path in pages() for block in blocks(path) if block.reason is not None]
    assert len(skipped) <= NOT_RUN, [str(block) for block in skipped]
    assert all(len(block.reason) > 10 for block in skipped)


def test_no_code_hides_from_the_tests():
    for path in pages():
        assert not unfenced(path), f"{path}: lines {unfenced(path)} are indented: fence them"
        for block in blocks(path):
            if block.kind in SHOWN:
                assert not block.code.startswith(("$ ", ">>> ", "lcca ", "import ")), f"{block} is code"
            if block.kind == "rust":
                assert block.page in RUN_BY_RUSTDOC, f"{block}: rustdoc does not see this page"


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a 1\n…\nb", "a 1\nx\ny\nb\n", True),
        ("a 1\n…\nb", "a 2\nx\nb\n", False),
        ("took 0.10 s, 3.1e-15", "took 12.34 s, 8.0e-16", True),
        ("pair 1: 0.82…", "pair 1: 0.8248", True),
        ("0.8248", "0.8249", False),
        ("a", "a\nb", False),
    ],
)
def test_output_is_compared_but_for_what_varies(shown, printed, same):
    assert matches(shown, printed) is same
