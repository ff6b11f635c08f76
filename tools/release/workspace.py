"""What the workspace says of itself. Nothing here repeats a list that Cargo.toml has."""

import functools
import json
import pathlib
import re
import subprocess

DIST = pathlib.Path("target/dist")
# Builds of artifacts stand apart from those of daily work, and share what they have in common.
BUILD = pathlib.Path("target/release-build")


@functools.cache
def metadata():
    text = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--locked"], check=True, stdout=subprocess.PIPE
    ).stdout
    return json.loads(text)


def members():
    names = set(metadata()["workspace_members"])
    return [package for package in metadata()["packages"] if package["id"] in names]


def published():
    """The crates that go to the registry, each after those that it needs."""
    crates = {package["name"]: package for package in members() if package["publish"] != []}
    ordered = []

    def visit(name):
        for dependency in crates[name]["dependencies"]:
            if dependency["name"] in crates and dependency["kind"] != "dev":
                visit(dependency["name"])
        if crates[name] not in ordered:
            ordered.append(crates[name])

    for name in crates:
        visit(name)
    return ordered


def libraries():
    """The published crates that other crates can use."""
    return [crate for crate in published() if any("lib" in target["kind"] for target in crate["targets"])]


def program():
    """The published crate that has the program."""
    (crate,) = [crate for crate in published() if any("bin" in target["kind"] for target in crate["targets"])]
    return crate


def version():
    return program()["version"]


def home():
    return program()["repository"]


def has_home():
    """Whether the address is a real one: names that end in .invalid are reserved for those that are not."""
    return not home().rstrip("/").endswith(".invalid")


def oldest_rust():
    return program()["rust_version"]


def host():
    """The target that the compiler builds for unless told otherwise."""
    return re.search(
        r"host: (\S+)", subprocess.run(["rustc", "-vV"], check=True, text=True, stdout=subprocess.PIPE).stdout
    )[1]
