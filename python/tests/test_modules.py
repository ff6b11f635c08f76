"""The modules of the package form layers: no module imports another that imports it in turn."""

import ast
import graphlib
from pathlib import Path

import pytest
from conftest import ROOT

PACKAGE = ROOT / "python" / "lcca"


def names():
    """The files of all modules, by dotted name."""
    files = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files


def imported(path: Path, modules):
    """The modules of the package that a file imports anywhere, also inside of functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            # `from lcca import _views` needs the module `lcca._views` rather than the package's own names.
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                yield submodule if submodule in modules else node.module


def graph():
    modules = names()
    known = {*modules, "lcca._lcca"}
    return {name: set(imported(path, known)) for name, path in modules.items()}


def test_no_module_imports_one_that_imports_it():
    edges = graph()
    assert "lcca._settings" in edges["lcca._cca"] and "lcca.dask._kept" in edges["lcca.dask._worker"]
    # The packages themselves only gather names; modules that use them as users do are above them.
    list(graphlib.TopologicalSorter(edges).static_order())


def test_a_cycle_would_be_noticed():
    edges = graph()
    edges["lcca._settings"].add("lcca._cca")
    with pytest.raises(graphlib.CycleError):
        list(graphlib.TopologicalSorter(edges).static_order())
