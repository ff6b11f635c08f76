"""The Python package: wheels that serve every Python from the oldest on (abi3), and the sources."""

import os
import re
import time
import zipfile

import readme
import workspace
from shell import ZIG, Failed, empty, forget_builds, python, run, tool

# The oldest system that Rust's own libraries run on.
MANYLINUX = "manylinux2014"
BUILD = {"CARGO_TARGET_DIR": workspace.BUILD.resolve()}


def wheel(target=None):
    target = target or workspace.host()
    # Built apart, so that only this build's wheel is found here.
    folder = empty(f"target/release-wheels/{target}")
    flags = ["--zig", "--compatibility", MANYLINUX] if target.endswith("linux-gnu") else []
    run(
        tool("maturin"), "build", "--release", "--locked", "--quiet", "--target", target, "--out", folder,
        *flags, env=ZIG | BUILD,
    )
    (built,) = folder.glob("*.whl")
    if "-abi3-" not in built.name:
        raise Failed(f"{built.name} is for one Python only")
    leads_home(built)
    run(tool("twine"), "check", "--strict", built)
    run(tool("abi3audit"), "--strict", built)
    if target.endswith("linux-gnu"):
        oldest_linux(built)
    if target == workspace.host():
        install(built)
    keep(built)


def leads_home(built):
    """What PyPI shows must have the address of the repository, which only Cargo.toml has."""
    with zipfile.ZipFile(built) as files:
        (about,) = [
            files.read(name).decode() for name in files.namelist() if name.endswith(".dist-info/METADATA")
        ]
    if f"\nProject-URL: Source Code, {workspace.home()}\n" not in about:
        raise Failed(f"{built.name} does not say where its sources are")


def oldest_linux(built):
    """What the wheel needs must not be newer than what its name promises."""
    told = run(tool("auditwheel"), "show", built, capture=True)
    print(told)
    found = re.search(r"platform\s+tag:\s*\"?manylinux_2_(\d+)", told)
    if MANYLINUX not in built.name or not found or int(found[1]) > 17:
        raise Failed(f"{built.name} does not run on {MANYLINUX}")


def sdist():
    folder = empty("target/release-wheels/sdist")
    run(tool("maturin"), "sdist", "--out", folder)
    (built,) = folder.glob("*.tar.gz")
    run(tool("twine"), "check", "--strict", built)
    forget_builds()
    install(built, env=BUILD)
    keep(built)


def install(built, env={}):
    """Installs into an empty environment and runs the README there, as a new user would."""
    home = empty("target/release-python")
    python("-m", "venv", "--clear", home)
    interpreter = home.resolve() / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    start = time.monotonic()
    run(interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", built, env=env)
    readme.python(interpreter)
    print(f"    from an empty environment through the README: {time.monotonic() - start:.1f} s")


def keep(built):
    workspace.DIST.mkdir(parents=True, exist_ok=True)
    built.replace(workspace.DIST / built.name)
