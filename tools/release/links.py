"""python tools/release/links.py HOME TAG: gives the README's links to files of the
repository their whole address.

Registries show the README by itself, where `docs/files.md` leads nowhere. The workflow `release` runs this in
its own checkouts before it builds; it changes README.md, and is no part of a dry run.
"""

import pathlib
import re
import sys

LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<path>[^)\s:#][^)\s:]*)\)")


def absolute(markdown, home, tag):
    """The text with links to pages and pictures of that tag. Blocks of code stay as they are."""
    prose = markdown.split("```")
    prose[::2] = [LINK.sub(lambda found: link(found, home.rstrip("/"), tag), part) for part in prose[::2]]
    return "```".join(prose)


def link(found, home, tag):
    kind = "raw" if found["image"] else "blob"
    return f"{found['image']}[{found['text']}]({home}/{kind}/{tag}/{found['path']})"


if __name__ == "__main__":
    readme = pathlib.Path("README.md")
    readme.write_text(absolute(readme.read_text("utf-8"), *sys.argv[1:]), "utf-8")
