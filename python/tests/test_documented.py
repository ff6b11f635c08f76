"""Every public name of the package has a docstring that says what it is, and what it takes is described."""

import ast
import inspect

import pytest
from conftest import ROOT

PACKAGE = ROOT / "python" / "lcca"
SOURCES = sorted(path for path in PACKAGE.rglob("*.py"))


def undocumented(tree, prefix=""):
    """Public classes, functions and methods without a docstring."""
    for node in tree.body:
        if not isinstance(
            node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) or node.name.startswith("_"):
            continue
        if ast.get_docstring(node) is None and not is_inherited(node):
            yield prefix + node.name
        if isinstance(node, ast.ClassDef):
            yield from undocumented(node, f"{node.name}.")


def is_inherited(node):
    """Setters repeat what their property says, and overloads what their function says."""
    names = [getattr(decorator, "attr", getattr(decorator, "id", "")) for decorator in node.decorator_list]
    return bool({"setter", "overload"} & set(names))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_public_names_have_docstrings(path):
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree), f"{path} does not say what it is"
    if not path.stem.startswith("_") or path.stem == "__init__":
        assert list(undocumented(tree)) == []


def test_what_is_exported_is_documented_down_to_its_methods():
    import lcca

    missing = []
    for name in set(lcca.__all__) - {"METHODS", "__version__", "cuda", "datasets"}:
        item = getattr(lcca, name)
        members = [(name, item)]
        if inspect.isclass(item):
            members += [
                (f"{name}.{key}", value)
                for key, value in vars(item).items()
                if not key.startswith("_") and callable(value)
            ]
        missing += [key for key, value in members if not inspect.getdoc(value)]
    assert missing == []


def parameters(function):
    return [
        name
        for name in inspect.signature(function).parameters
        if name not in ("self", "args", "kwargs", "params", "parameters")
    ]


@pytest.mark.parametrize("name", ["CCA", "CCACV", "PLSSVD", "TwoViews"])
def test_every_parameter_of_an_estimator_is_described(name):
    import lcca

    item = getattr(lcca, name)
    text = inspect.getdoc(item)
    # CCACV says that the others are those of CCA.
    others = parameters(lcca.CCA.__init__) if name == "CCACV" else []
    missing = [
        parameter
        for parameter in parameters(item.__init__)
        if parameter not in text and parameter not in others
    ]
    assert missing == []
