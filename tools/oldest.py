"""The oldest versions that the Python package promises to work with, as requirements for pip.

pyproject.toml is the one home of these numbers: every `name>=version` there becomes `name==version`. Tests
need a few packages more, whose lower bounds are in python/requirements.txt. `python3 tools/oldest.py` prints
the list; `cargo xtask test` runs the package's tests with it.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What tests use besides the package's own dependencies.
TESTED_WITH = ("pandas", "polars", "pyarrow", "pytest")
_BOUND = re.compile(r"([A-Za-z0-9_.-]+)(\[[^]]*\])?>=([0-9][0-9.]*)")


def declared(project: str) -> list[str]:
    """The requirements of the package and of its extras, at their lower bounds."""
    tables = project.split("[project]", 1)[1].split("\n[tool.", 1)[0]
    quoted = re.findall(r'"([^"]*>=[^"]*)"', re.sub(r"requires-python.*", "", tables))
    return [pinned(text) for text in quoted]


def tested_with(requirements: str) -> list[str]:
    """The other packages that tests need, at their lower bounds."""
    return [pinned(line) for line in requirements.splitlines() if line.split(">=")[0] in TESTED_WITH]


def pinned(requirement: str) -> str:
    """A requirement at its lower bound; without a lower bound there is no oldest version."""
    bound = _BOUND.match(requirement)
    if bound is None:
        raise ValueError(f"{requirement!r} has no lower bound, expected name>=version")
    name, extras, version = bound.groups()
    return f"{name}{extras or ''}=={version}"


def main() -> None:
    """Prints one requirement per line."""
    project, requirements = ROOT / "pyproject.toml", ROOT / "python" / "requirements.txt"
    lines = declared(project.read_text("utf-8")) + tested_with(requirements.read_text("utf-8"))
    sys.stdout.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
