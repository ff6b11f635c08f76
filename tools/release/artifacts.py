"""The list of what was built: sizes, checksums, and limits on them."""

import hashlib
import tarfile
import zipfile

import workspace
from shell import Failed

MEGABYTE = 1_000_000
LARGEST_WHEEL, LARGEST_PROGRAM = 8 * MEGABYTE, 20 * MEGABYTE


def show():
    sums = workspace.DIST / "SHA256SUMS"
    files = sorted(path for path in workspace.DIST.iterdir() if path != sums)
    if not files:
        raise Failed(f"{workspace.DIST} is empty")
    lines = []
    for path in files:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        print(f"{path.stat().st_size:>12,}  {digest}  {path.name}")
        lines.append(f"{digest}  {path.name}\n")
        limit(path)
    sums.write_text("".join(lines))


def limit(path):
    size = path.stat().st_size
    if path.suffix == ".whl" and size > LARGEST_WHEEL:
        raise Failed(f"{path.name} has {size:,} bytes, {LARGEST_WHEEL:,} are allowed")
    program = unpacked_size(path)
    if program is not None:
        print(f"{program:>12,}  the program in it, stripped")
        if program > LARGEST_PROGRAM:
            raise Failed(f"the program in {path.name} has {program:,} bytes, {LARGEST_PROGRAM:,} are allowed")


def unpacked_size(path):
    """The size of the program in an archive of it."""
    name = path.name.removesuffix(".tar.gz").removesuffix(".zip")
    if path.suffix == ".zip":
        return zipfile.ZipFile(path).getinfo(f"{name}/lcca.exe").file_size
    if path.name.endswith(".tar.gz"):
        with tarfile.open(path) as files:
            return next((entry.size for entry in files if entry.name == f"{name}/lcca"), None)
    return None
