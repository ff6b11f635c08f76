"""Searches the built site as a reader does who opened it from a folder, without a server:

    python tools/docs/site_search.py target/site CHROMIUM

It needs a Python with playwright.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright


def main():
    site, chromium = Path(sys.argv[1]).resolve(), shutil.which(sys.argv[2])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        for start, expected in (("index.html", "ridge.html"), ("gallery/index.html", "../ridge.html")):
            page.goto((site / start).as_uri())
            page.click("input.md-search__input")
            page.keyboard.type("ridge")
            page.wait_for_selector(".md-search-result__link", timeout=20_000)
            found = page.eval_on_selector_all(".md-search-result__link", "all => all.map(link => link.href)")
            target = (site / start).parent.joinpath(expected).resolve().as_uri()
            assert any(link.startswith(target) for link in found), (start, found)
            print(f"{start}: {len(found)} places found")
        tabs = page.locator(".md-tabs__item").count()
        assert tabs == 5, f"{tabs} tabs"
        browser.close()


if __name__ == "__main__":
    main()
