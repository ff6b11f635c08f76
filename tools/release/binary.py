"""The program as an archive with its manual pages, completions and licenses."""

import gzip
import io
import pathlib
import subprocess
import tarfile
import zipfile

import readme
import workspace
from shell import ZIG, cargo, empty, run, tool

# As old as the wheels: manylinux2014.
GLIBC = "2.17"
TEXTS = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]
SHELLS = {
    "bash": "lcca.bash", "zsh": "_lcca", "fish": "lcca.fish", "powershell": "_lcca.ps1", "elvish": "lcca.elv"
}


def build(target=None):
    target = target or workspace.host()
    # Stripped by a flag of the last step, so that dependencies stay those of other builds in that folder.
    build = {"CARGO_TARGET_DIR": workspace.BUILD.resolve()}
    words = [
        "rustc", "--release", "--locked", "--quiet", "--package", workspace.program()["name"], "--bin",
        "lcca",
    ]
    if target.endswith("linux-gnu"):
        run(
            tool("cargo-zigbuild"), *words, "--target", f"{target}.{GLIBC}", "--", "-C", "strip=symbols",
            env=ZIG | build,
        )
    else:
        cargo(*words, "--target", target, "--", "-C", "strip=symbols", env=build)
    name = "lcca.exe" if "windows" in target else "lcca"
    program = workspace.BUILD / target / "release" / name
    files = {name: program.read_bytes()} | {text: pathlib.Path(text).read_bytes() for text in TEXTS}
    if target == workspace.host():
        files |= generated(program)
    archive = pack(f"lcca-{workspace.version()}-{target}", files, "windows" in target)
    if target == workspace.host():
        home = empty("target/release-program")
        unpack(archive, home)
        readme.shell(next(home.glob("*/lcca*")))


def generated(program):
    """What the program knows about itself: a manual page per command, and completions for every shell."""
    files = {}
    for shell, name in SHELLS.items():
        files[f"completions/{name}"] = subprocess.run(
            [program, "completions", shell], check=True, stdout=subprocess.PIPE
        ).stdout
    folder = empty("target/release-man")
    run(program, "man", "--output", folder)
    return files | {f"man/{page.name}": page.read_bytes() for page in folder.iterdir()}


def pack(name, files, as_zip):
    """An archive that is the same bytes for the same contents."""
    workspace.DIST.mkdir(parents=True, exist_ok=True)
    memory = io.BytesIO()
    if as_zip:
        with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in sorted(files.items()):
                archive.writestr(zipfile.ZipInfo(f"{name}/{path}"), content, zipfile.ZIP_DEFLATED)
        (path := workspace.DIST / f"{name}.zip").write_bytes(memory.getvalue())
        return path
    with tarfile.open(fileobj=memory, mode="w") as archive:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size, entry.mode = len(content), 0o755 if path.startswith("lcca") else 0o644
            archive.addfile(entry, io.BytesIO(content))
    (path := workspace.DIST / f"{name}.tar.gz").write_bytes(gzip.compress(memory.getvalue(), mtime=0))
    return path


def unpack(archive, folder):
    if archive.suffix == ".zip":
        zipfile.ZipFile(archive).extractall(folder)
    else:
        with tarfile.open(archive) as files:
            files.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
