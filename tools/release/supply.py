"""Where everything comes from: licenses, known defects, a bill of materials,
and what changed in public interfaces."""

import json
import subprocess

import workspace
from shell import cargo_tool, not_done, run

DENY = "0.20.2"
SEMVER_CHECKS = "0.51.0"


def deny():
    program = cargo_tool("cargo-deny", DENY)
    run(program, "--all-features", "check", "licenses", "bans", "sources")
    if subprocess.run([program, "fetch", "db"], capture_output=True).returncode != 0:
        return not_done("advisories", "the database of known defects cannot be reached from here")
    run(program, "--all-features", "check", "advisories")


def semver(baseline=None):
    """Compares public interfaces with the last release; a change that breaks users must raise the version."""
    baseline = baseline or last_release()
    if not baseline:
        return not_done(
            "public interfaces", "no earlier commit has a tag vX.Y.Z to compare with", everywhere=True
        )
    program = cargo_tool("cargo-semver-checks", SEMVER_CHECKS)
    names = [word for crate in workspace.libraries() for word in ("--package", crate["name"])]
    run(program, "semver-checks", "--baseline-rev", baseline, *names)


def last_release():
    """The last tag before this commit, or nothing. The tag of this commit is the
    release that is being made."""
    words = ["git", "describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD~1"]
    return subprocess.run(words, capture_output=True, text=True).stdout.strip()


def bill():
    """A bill of materials in CycloneDX: everything that the program and the Python module are linked from."""
    packages = {package["id"]: package for package in workspace.metadata()["packages"]}
    nodes = {node["id"]: node for node in workspace.metadata()["resolve"]["nodes"]}
    shipped = {
        package["id"] for package in workspace.members() if package["name"] in ("lcca-cli", "lcca-python")
    }
    reached, waiting = set(), list(shipped)
    while waiting:
        package = waiting.pop()
        if package not in reached:
            reached.add(package)
            # Neither build scripts nor tests are part of what is shipped.
            waiting += [
                d["pkg"]
                for d in nodes[package]["deps"]
                if any(kind["kind"] is None for kind in d["dep_kinds"])
            ]
    components = [component(packages[package]) for package in sorted(reached - shipped)]
    main = {"type": "application", "name": "lcca", "version": workspace.version()}
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": main},
        "components": components,
    }
    workspace.DIST.mkdir(parents=True, exist_ok=True)
    path = workspace.DIST / f"lcca-{workspace.version()}.cdx.json"
    path.write_text(json.dumps(document, indent=1) + "\n")
    locked = open("Cargo.lock", encoding="utf-8").read().count("[[package]]")
    print(
        f"    {len(components)} components in {path}; {locked} packages are locked, "
        "those for other systems and tests included"
    )


def component(package):
    name, version = package["name"], package["version"]
    entry = {"type": "library", "name": name, "version": version, "bom-ref": f"{name}@{version}"}
    if package["source"]:
        entry["purl"] = f"pkg:cargo/{name}@{version}"
    if package["license"]:
        entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    return entry
