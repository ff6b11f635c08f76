"""What the documentation site is made of. Building it is `cargo xtask docs`, which also checks links."""

import json
import re
import subprocess
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools" / "docs"))

import generated
from navigation import TABS, listed, navigation
from site_links import problems
from sources import relinked, site_path


def test_a_new_page_is_listed_and_a_missing_one_is_not():
    found = navigation(["index.md", "gallery/digits.md", "brand-new.md", "benchmarks/peers.md"])
    assert found == [
        {"Start": ["index.md", {"Gallery": ["gallery/digits.md"]}]},
        {"Reference": [{"More": ["brand-new.md"]}]},
    ]


def test_a_reader_chooses_among_five_tabs():
    assert len(TABS) == 5 and len(navigation([*listed(), "brand-new.md"])) == 5


def test_search_works_from_a_folder_without_another_server():
    # tools/docs/site_search.py searches the built site in a browser.
    settings = (ROOT / "mkdocs.yml").read_text()
    polyfill = re.search(r"polyfills: \[(\S+)\]", settings)[1]
    assert (
        "\n  - offline\n" in settings and "iframe-worker" in polyfill and (ROOT / "docs" / polyfill).exists()
    )


def test_every_listed_page_exists_or_is_generated_or_awaited():
    made = {"reference.md", "api.md", "benchmarks/index.md", "gallery/digits.md"}
    made |= {site_path(page.name) for page in ROOT.glob("*.md")}
    awaited = {"gpu.md", "plots.md", "security.md", "support.md", "code_of_conduct.md"}
    pages = listed()
    assert len(pages) == len(set(pages))
    assert [
        page for page in pages if page not in made | awaited and not (ROOT / "docs" / page).exists()
    ] == []


def test_links_follow_files_into_the_site():
    text = (
        "[a](../ARCHITECTURE.md#the-map) ![b](word-map.svg) [c](../bench/results/peers.csv) "
        "[d](https://tatoeba.org) [e](#here)"
    )
    expected = (
        "[a](architecture.md#the-map) ![b](word-map.svg) [c](benchmarks/peers.csv) "
        "[d](https://tatoeba.org) [e](#here)"
    )
    assert relinked(text, "docs/text.md") == expected
    assert relinked("[a](../text.md)", "docs/gallery/index.md") == "[a](../text.md)"
    assert relinked("[a](docs/text.md)", "README.md") == "[a](text.md)"
    assert relinked("```text\n[a](nowhere.md)\n```", "README.md") == "```text\n[a](nowhere.md)\n```"
    for broken in ("[a](nowhere.md)", "[a](../Cargo.toml)"):
        with pytest.raises(SystemExit):
            relinked(broken, "docs/text.md")


def test_the_reference_is_what_the_program_prints(program):
    assert generated.reference() == program("reference")


def test_the_api_has_every_public_name():
    import lcca

    page = generated.api()
    for name in set(lcca.__all__) - set(generated.CONSTANTS):
        assert f"::: lcca.{name}\n" in page
    for name in (
        "lcca.datasets.load_countries", "lcca.plot.correlations", "lcca.sc.run_cca", "lcca.dask.from_parquet"
    ):
        assert f"::: {name}\n" in page


def test_the_list_of_benchmarks_has_every_result():
    page = generated.benchmarks()
    for result in (ROOT / "bench" / "results").iterdir():
        assert f"({result.name})" in page, result


def test_a_notebook_becomes_a_page_with_its_outputs():
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {
            "cell_type": "code",
            "source": "1 + 1",
            "outputs": [
                {"data": {"text/plain": "2"}},
                {"data": {"image/png": "AAAA", "text/plain": "<Figure>"}},
            ],
        },
    ]
    page = generated.notebook(json.loads(json.dumps({"cells": cells})), "n.ipynb")
    for part in (
        "# Title\ntext",
        "[n.ipynb](n.ipynb)",
        "```python\n1 + 1\n```",
        "```text\n2\n```",
        "base64,AAAA",
    ):
        assert part in page
    assert "<Figure>" not in page


def test_broken_links_and_foreign_files_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top"></h1><a href="b.html#there">b</a><a href="#top">t</a><script '
        'src="https://cdn.example/x.js"></script>'
    )
    (tmp_path / "b.html").write_text(
        '<a href="a.html#no">a</a><img src="none.png"><a href="https://tatoeba.org">far</a>'
    )
    found = list(problems(tmp_path))
    wanted = ["a.html: loads", "a.html: b.html#there", "b.html: a.html#no", "b.html: none.png"]
    assert [any(line.startswith(start) for line in found) for start in wanted] == [True] * 4
    assert len(found) == 4


def test_the_check_of_links_fails_on_a_broken_one(tmp_path):
    (tmp_path / "a.html").write_text('<a href="none.html">n</a>')
    done = subprocess.run(
        [sys.executable, ROOT / "tools/docs/site_links.py", tmp_path], capture_output=True, text=True,
        check=False,
    )
    assert done.returncode == 1 and "there is no such file" in done.stdout


def test_tools_say_how_texts_are_encoded():
    """The default differs between systems."""
    for tool in [*(ROOT / "tools/docs").glob("*.py"), *(ROOT / "tools/data").glob("*.py")]:
        for line in tool.read_text(encoding="utf-8").splitlines():
            assert not re.search(r"\b(read_text|write_text)\(", line) or "encoding=" in line, (
                f"{tool.name}: {line.strip()}"
            )


def test_tools_of_two_folders_have_different_names():
    """Tests import them by name, all in one process."""
    names = [
        {tool.stem for tool in (ROOT / "tools" / folder).glob("*.py")}
        for folder in ("docs", "release", "data")
    ]
    assert sum(map(len, names)) == len(set.union(*names))
