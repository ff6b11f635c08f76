"""Pages of the documentation as what they are made of: blocks of code in the order in
which a reader runs them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(
    r"^ *(?:<!-- not run: (?P<reason>.+?) -->\n+)?"
    r"(?P<indent> *)```(?P<kind>\S*)[^\n]*\n(?P<code>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)
# What varies from machine to machine: seconds, memory, sizes of files,
# and numbers that are zero but for rounding.
VARYING = re.compile(r"\b\d+(\.\d+)? s\b|\b\d+(\.\d+)? (MiB|kB|MB)\b|\b\d\.\de-(0[7-9]|1\d)\b")
# Blocks that show something: output, contents of files, formulas.
SHOWN = ("text", "json", "csv")


@dataclass
class Block:
    """A block of code, and why it is not run if it is not."""

    page: str
    line: int
    kind: str
    code: str
    reason: str | None

    def __str__(self):
        return f"{self.page}:{self.line}"


def pages():
    """Every page of the site that people write, and the README."""
    folder = ROOT / "docs"
    return [
        *sorted(ROOT.glob("*.md")),
        *sorted(page for page in folder.rglob("*.md") if "experiments/" not in page.as_posix()),
    ]


def blocks(path):
    """The blocks of a page, in order."""
    text = path.read_text()
    return [
        Block(
            path.relative_to(ROOT).as_posix(), text.count("\n", 0, found.start("code")), found["kind"],
            found["code"], found["reason"],
        )
        for found in FENCE.finditer(text)
    ]


def unfenced(path):
    """Lines that Markdown takes for code because they are indented, outside lists and fences."""
    text = FENCE.sub(lambda found: re.sub(r"[^\n]", "", found[0]), path.read_text())
    lines = text.split("\n")
    return [
        i + 1
        for i, line in enumerate(lines)
        if line.startswith("    ") and line.strip() and not lines[i - 1].strip()
    ]


def commands(console):
    """The commands of a block with prompts, each with the output that is shown below it."""
    parts = re.split(r"^\$ ", console, flags=re.MULTILINE)
    assert not parts[0].strip(), f"output before the first command: {parts[0]}"
    return [part.partition("\n")[::2] for part in parts[1:]]


def matches(shown, printed):
    """Whether output is as shown. A line `…` stands for any lines, `…` within a line for any characters."""
    shown, printed = (VARYING.sub("~", re.sub(r" +", " ", text)).rstrip() for text in (shown, printed))
    pattern = "".join(
        r"(?:.*\n)*" if line == "…" else re.escape(line).replace("…", ".*") + r" *\n"
        for line in shown.split("\n")
    )
    return re.fullmatch(pattern, printed + "\n") is not None
