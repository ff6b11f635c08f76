"""Checks the built site: every link and picture leads to a file, every anchor exists,
and nothing is loaded from other servers.

    python tools/docs/site_links.py target/site
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Made by rustdoc, which checks its own links.
ELSEWHERE = "rustdoc"
LOADING = {"script": "src", "img": "src", "iframe": "src"}


class Page(HTMLParser):
    """The anchors of a page, the places it links to, and the files it loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors |= {attrs[key] for key in ("id", "name") if attrs.get(key)}
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        if tag == "link" and attrs.get("href") and "canonical" not in attrs.get("rel", ""):
            self.loaded.append(attrs["href"])
        if tag in LOADING and attrs.get(LOADING[tag]):
            self.loaded.append(attrs[LOADING[tag]])


def problems(site):
    """One line per broken link."""
    files = [file for file in site.rglob("*.html") if file.relative_to(site).parts[0] != ELSEWHERE]
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in files}
    for file, page in sorted(pages.items()):
        name = file.relative_to(site)
        for link in page.loaded:
            if urlsplit(link).scheme in ("http", "https") or link.startswith("//"):
                yield f"{name}: loads {link}"
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                yield f"{name}: {link}: there is no such file"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{name}: {link}: there is no such anchor"


def main():
    site = Path(sys.argv[1]).resolve()
    # The page for addresses that do not exist has absolute links, for servers.
    found = sorted(set(line for line in problems(site) if not line.startswith("404.html")))
    print("\n".join(found) or f"{sum(1 for _ in site.rglob('*.html'))} pages, no broken links")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
