"""The order of the pages. A page that does not exist yet is left out,
and one that is not listed stands under More."""

# Tabs; what stands in a tab is a page, or a group of pages with a title.
TABS = [
    (
        "Start",
        [
            "index.md",
            "start-shell.md",
            "start-python.md",
            "start-rust.md",
            (
                "Gallery",
                [
                    "gallery/index.md", "gallery/translations.md", "gallery/folders.md",
                    "gallery/word-vectors.md", "gallery/digits.md",
                ],
            ),
        ],
    ),
    (
        "Your data",
        [
            "tables.md", "single-cell.md", "imaging-genetics.md", "text.md", "embeddings.md",
            "python-coming-from.md",
        ],
    ),
    (
        "Guides",
        [
            "command-line.md", "views.md", "files.md", "plots.md", "python.md", "python-tutorial.md",
            "rust.md", "scaling.md", "gpu.md", "comparing.md", "data.md",
        ],
    ),
    (
        "Concepts",
        [
            "concepts.md",
            "glossary.md",
            "ridge.md",
            "inference.md",
            "covariates.md",
            "metrics.md",
            (
                "How it works",
                [
                    "how-it-works.md", "preconditioner.md", "certificates.md", "architecture.md",
                    "decisions/default-method.md", "decisions/choices.md",
                ],
            ),
        ],
    ),
    (
        "Reference",
        [
            "reference.md",
            "api.md",
            "methods.md",
            ("Measurements", ["measurements.md", "benchmarks/index.md", "experiments.md"]),
            (
                "Project",
                [
                    "overview.md", "contributing.md", "changelog.md", "security.md", "support.md",
                    "code_of_conduct.md",
                ],
            ),
        ],
    ),
]

# Pages that others link to and that need no place of their own in the list.
LINKED = ("benchmarks/", "experiments/")


def listed():
    """All pages of all tabs."""
    return [
        page
        for _, entries in TABS
        for entry in entries
        for page in ([entry] if isinstance(entry, str) else entry[1])
    ]


def navigation(pages):
    """Tabs of those pages that exist, as MkDocs wants them. What is not listed is the
    last group of the last tab."""
    pages = set(pages)
    others = sorted(page for page in pages - set(listed()) if not page.startswith(LINKED))
    *first, (title, entries) = TABS
    tabs = [*first, (title, [*entries, ("More", others)])]
    return [{title: found} for title, entries in tabs if (found := _existing(entries, pages))]


def _existing(entries, pages):
    """The entries whose pages exist, without groups that have none."""
    found = []
    for entry in entries:
        if isinstance(entry, str):
            found += [entry] if entry in pages else []
        elif group := [page for page in entry[1] if page in pages]:
            found.append({entry[0]: group})
    return found
