"""Draws docs/report.png anew, the top of a report in a browser: screenshot.py CHROMIUM

Run it after `cargo build --release`, with a Python that has playwright.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = """sample sentences
views text sample/pairs.tsv --x english --y french --lowercase --hold-out 10 -o views
fit views/x.safetensors views/y.safetensors -k 8 --ridge 0.01 -o sentences
report sentences views/x_test.safetensors views/y_test.safetensors -o report.html"""

with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    for line in COMMANDS.splitlines():
        subprocess.run(
            [
                ROOT / "target/release/lcca", *line.split(),
                *([] if line.startswith("sample") else ["--quiet"]),
            ],
            cwd=folder,
            check=True,
        )
    browser = playwright.chromium.launch(
        executable_path=shutil.which(sys.argv[1]), args=["--no-sandbox", "--disable-gpu"]
    )
    page = browser.new_page(viewport={"width": 1240, "height": 1900})
    page.goto((pathlib.Path(folder) / "report.html").as_uri())
    page.screenshot(path=ROOT / "docs/report.png")
    browser.close()
