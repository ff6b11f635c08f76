"""Where files of the repository are in the site, and links that lead there."""

import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = "bench/results/"
LINK = re.compile(r"(\]\()([^)\s#]+)?(#[^)\s]*)?(\))")
FENCE = re.compile(r"^(```.*?^```)", re.DOTALL | re.MULTILINE)


def site_path(source):
    """The path in the site of a file of the repository, or None if the site does not have it."""
    if source == "README.md":
        return "overview.md"
    if source.startswith("docs/"):
        return source.removeprefix("docs/").replace(".ipynb", ".md")
    if source.startswith(RESULTS):
        return "benchmarks/" + source.removeprefix(RESULTS)
    if "/" not in source and source.endswith(".md"):
        return source.lower()
    return None


def relinked(text, source):
    """The page `source` with its links pointing to where files are in the site.
    Links to other files become plain text."""
    here = posixpath.dirname(site_path(source))

    def link(match):
        target = match[2]
        if target is None or re.match(r"[a-z]+:", target):
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if not (ROOT / path).exists():
            raise SystemExit(f"{source}: there is no {path}")
        placed = site_path(path)
        if placed is None:
            raise SystemExit(f"{source}: {path} is not part of the site: name the file without a link")
        return f"{match[1]}{posixpath.relpath(placed, here or '.')}{match[3] or ''}{match[4]}"

    parts = FENCE.split(text)
    return "".join(part if i % 2 else LINK.sub(link, part) for i, part in enumerate(parts))
