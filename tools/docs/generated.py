"""Pages that are made of something else: the parser of the program, docstrings,
results of benchmarks, notebooks."""

import ast
import json
import os
import subprocess

from sources import RESULTS, ROOT, relinked, site_path


def pages():
    """The path in the site and the contents of every generated page and file."""
    made = {"reference.md": reference(), "api.md": api(), "benchmarks/index.md": benchmarks()}
    for source in sorted(ROOT.glob("*.md")):
        made[site_path(source.name)] = relinked(source.read_text(encoding="utf-8"), source.name)
    for source in sorted((ROOT / RESULTS).iterdir()):
        path = RESULTS + source.name
        is_page = source.suffix == ".md"
        made[site_path(path)] = (
            relinked(source.read_text(encoding="utf-8"), path) if is_page else source.read_bytes()
        )
    for source in sorted((ROOT / "docs").rglob("*.ipynb")):
        path = source.relative_to(ROOT).as_posix()
        made[site_path(path)] = relinked(
            notebook(json.loads(source.read_text(encoding="utf-8")), source.name), path
        )
        made[path.removeprefix("docs/")] = source.read_bytes()
    return made


def reference():
    """What the program says about itself."""
    program = os.environ.get("LCCA_PROGRAM", ROOT / "target/release/lcca")
    return subprocess.run([program, "reference"], capture_output=True, encoding="utf-8", check=True).stdout


def exported(module):
    """The public names of a module, which is not imported: its `__all__`, or what it defines."""
    file = ROOT / "python" / module.replace(".", "/")
    file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
    body = ast.parse(file.read_text(encoding="utf-8")).body
    for statement in body:
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", None) == "__all__":
            return ast.literal_eval(statement.value)
    defined = [item.name for item in body if isinstance(item, (ast.ClassDef, ast.FunctionDef))]
    return [name for name in defined if not name.startswith("_")]


MODULES = ("lcca", "lcca.cuda", "lcca.datasets", "lcca.plot", "lcca.sc", "lcca.dask")
# What readers look for first.
FIRST = ("CCA", "CCACV")
# They have no docstrings: a version, a tuple of names, and a module with a section of its own.
CONSTANTS = ("__version__", "METHODS", "cuda", "datasets")


def api():
    """Every public name of the Python package. MkDocs fills in the docstrings."""
    lines = [
        "# Python API",
        "",
        (
            "Every public class and function, from its docstring. "
            "[The guide](python.md) shows how they go together."
        ),
        "",
    ]
    for module in MODULES:
        lines += [f"## {module}", ""]
        for name in sorted(
            set(exported(module)) - set(CONSTANTS), key=lambda name: (name not in FIRST, name.lower())
        ):
            lines += [f"::: {module}.{name}", "    options:", "      heading_level: 3", ""]
    return "\n".join(lines)


def benchmarks():
    """The list of committed results: the heading and the first paragraph of each page, and its files."""
    lines = [
        "# Benchmarks",
        "",
        (
            "Results as they were committed, each with its machine and its numbers. "
            "[The summary](../measurements.md) compares them."
        ),
        "",
    ]
    for page in sorted((ROOT / RESULTS).glob("*.md")):
        heading, _, rest = page.read_text(encoding="utf-8").partition("\n")
        about = rest.strip().split("\n\n")[0].replace("\n", " ")
        lines += [f"## [{heading.removeprefix('# ')}]({page.name})", ""]
        if not about.startswith(("Machine", "|", "!")):
            lines += [about, ""]
        others = sorted(
            file.name
            for file in page.parent.iterdir()
            if file.stem.split("-")[0] == page.stem.split("-")[0] and file.suffix != ".md"
        )
        if others:
            lines += ["Numbers and figures: " + ", ".join(f"[{name}]({name})" for name in others), ""]
    return relinked(
        "\n".join(lines).replace("../measurements.md", "../../docs/measurements.md"), RESULTS + "index.md"
    )


def notebook(content, name):
    """A notebook as Markdown: texts, code, and the outputs that were saved with it."""
    parts = []
    for cell in content["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += [output for output in map(shown, cell["outputs"]) if output]
    parts.insert(1, f"This page is a notebook: [{name}]({name}).")
    return "\n\n".join(parts) + "\n"


def shown(output):
    """An output of a cell: a picture, or text."""
    data = output.get("data", {})
    if "image/png" in data:
        return (
            '<img alt="The picture that the cell above draws" '
            f'src="data:image/png;base64,{"".join(data["image/png"]).strip()}">'
        )
    text = "".join(output.get("text", data.get("text/plain", ""))).rstrip()
    return f"```text\n{text}\n```" if text else ""
