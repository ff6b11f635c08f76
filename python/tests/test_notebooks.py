"""Notebooks of the documentation run, and print what was saved with them."""

import os
import sys

import pytest
from conftest import ROOT

nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))


def printed(notebook):
    """The text that each cell prints. Pictures differ from machine to machine."""
    return [
        "".join(
            output.get("text", "") for output in cell.get("outputs", []) if output.get("name") == "stdout"
        )
        for cell in notebook.cells
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path, tmp_path, monkeypatch):
    # The kernel is this Python, whatever is installed for others.
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", ""))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    notebook = nbformat.read(path, as_version=4)
    shown = printed(notebook)
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    assert printed(notebook) == shown
    drawn = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert len(drawn) >= 1


def test_there_is_a_notebook():
    assert NOTEBOOKS
