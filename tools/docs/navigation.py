"""The order of the pages. A page that does not exist yet is left out, and one that is not listed stands under More."""

SECTIONS = [
    ("Start", ["index.md", "start-shell.md", "start-python.md", "start-rust.md"]),
    ("Gallery", ["gallery/index.md", "gallery/translations.md", "gallery/folders.md", "gallery/word-vectors.md", "gallery/digits.md"]),
    ("For you", ["single-cell.md", "imaging-genetics.md", "text.md", "embeddings.md", "python-coming-from.md"]),
    ("Concepts", ["concepts.md", "glossary.md", "ridge.md", "inference.md", "covariates.md", "metrics.md"]),
    (
        "Guides",
        ["command-line.md", "views.md", "files.md", "plots.md", "python.md", "python-tutorial.md", "rust.md", "scaling.md", "gpu.md", "comparing.md", "data.md"],
    ),
    ("Reference", ["reference.md", "api.md", "methods.md"]),
    ("How it works", ["how-it-works.md", "coarse-block.md", "architecture.md"]),
    ("Measurements", ["measurements.md", "benchmarks/index.md", "experiments.md"]),
    ("Project", ["overview.md", "contributing.md", "changelog.md", "security.md", "support.md", "code_of_conduct.md"]),
]

# Pages that others link to and that need no place of their own in the list.
LINKED = ("benchmarks/", "experiments/")


def navigation(pages):
    """Sections of those pages that exist, as MkDocs wants them."""
    pages = set(pages)
    known = {page for _, listed in SECTIONS for page in listed}
    sections = [{title: [page for page in listed if page in pages]} for title, listed in SECTIONS]
    others = sorted(page for page in pages - known if not page.startswith(LINKED))
    return [section for section in [*sections, {"More": others}] if any(section.values())]
