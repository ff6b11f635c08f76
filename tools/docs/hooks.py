"""What MkDocs does not do by itself: pages from elsewhere, links between files of the repository,
rustdoc beside the pages."""

import shutil
import sys
from pathlib import Path

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))

import generated
from navigation import navigation
from sources import ROOT, relinked

RUSTDOC = ROOT / "target/doc"
# What the site has and the repository has not. These are no links of Markdown,
# because pages in the repository would have them too.
MORE = {
    "start-shell.md": 'Every flag is in the <a href="reference.html">reference of the command line</a>.',
    "command-line.md": 'Every flag is in the <a href="reference.html">reference of the command line</a>.',
    "start-python.md": 'Every class and function is in the <a href="api.html">Python API</a>.',
    "python.md": 'Every class and function is in the <a href="api.html">Python API</a>.',
    "start-rust.md": (
        'The reference of the crates: <a href="rustdoc/lcca/index.html">lcca</a>, '
        '<a href="rustdoc/lcca_io/index.html">lcca-io</a>.'
    ),
    "rust.md": (
        'The reference of the crates: <a href="rustdoc/lcca/index.html">lcca</a>, '
        '<a href="rustdoc/lcca_io/index.html">lcca-io</a>.'
    ),
    "measurements.md": 'All committed results: <a href="benchmarks/index.html">benchmarks</a>.',
}


def on_files(files, config, **_):
    for path, content in generated.pages().items():
        files.append(File.generated(config, path, content=content))
    config.nav = navigation(file.src_uri for file in files.documentation_pages())
    return files


def on_page_markdown(markdown, page, **_):
    if page.file.generated_by is None:
        markdown = relinked(markdown, f"docs/{page.file.src_uri}")
    # Sessions are highlighted as what they are. Python blocks of the pages begin with a prompt,
    # because tests run them.
    markdown = markdown.replace("```python\n>>>", "```pycon\n>>>")
    more = MORE.get(page.file.src_uri)
    return f"{markdown}\n\n{more}\n" if more else markdown


def on_post_build(config, **_):
    if RUSTDOC.exists():
        shutil.copytree(RUSTDOC, Path(config.site_dir) / "rustdoc", dirs_exist_ok=True)
