"""cargo xtask release --dry-run       everything of a release that this machine can do; publishes nothing
cargo xtask release STEP [FLAGS]    one step of it, as the workflows call it

Steps, in their order:
  workflows    lint the workflows and CITATION.cff
  deny         licenses, duplicates, sources and known defects of everything locked
  semver       public interfaces against the last tag, or against --baseline REV
  oldest-rust  compile with the oldest Rust that Cargo.toml promises
  portable     compile for arm64, Windows and macOS
  crates       package the crates, build what was packaged, run the README with it
  wheel        build, check and install the wheel, run the README on it; --target T for another machine
  binary       the program with manual pages and completions; --target T for another machine
  sdist        the sources of the Python package, built, installed, and the README run on it
  bill         a bill of materials in CycloneDX
  list         every artifact in target/dist with its size and checksum
  ready        whether a tag may be published; needs --tag vX.Y.Z and --home URL
"""

import argparse
import sys
import time

import artifacts
import binary
import crates
import papers
import portable
import supply
import wheels
import workspace
from shell import NOT_DONE, Failed, empty, outcome

STEPS = {
    "workflows": lambda given: (papers.lint(), papers.cited()),
    "deny": lambda given: supply.deny(),
    "semver": lambda given: supply.semver(given.baseline),
    "oldest-rust": lambda given: portable.oldest_rust(),
    "portable": lambda given: portable.others(),
    "crates": lambda given: crates.build(),
    "wheel": lambda given: wheels.wheel(given.target),
    "binary": lambda given: binary.build(given.target),
    "sdist": lambda given: wheels.sdist(),
    "bill": lambda given: supply.bill(),
    "list": lambda given: artifacts.show(),
}


def arguments():
    parser = argparse.ArgumentParser(
        "cargo xtask release", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("step", nargs="?", choices=[*STEPS, "ready"])
    parser.add_argument("--dry-run", action="store_true", help="all steps")
    parser.add_argument("--target", help="Rust's name of the machine to build for [default: this one]")
    parser.add_argument(
        "--baseline", help="a revision of git to compare public interfaces with [default: the last tag]"
    )
    parser.add_argument("--tag", help="the tag that would be published")
    parser.add_argument("--home", help="the address of the repository that would publish it")
    given = parser.parse_args()
    if given.dry_run == bool(given.step):
        parser.error("give --dry-run, or one step; publishing is done by the workflow `release`, from a tag")
    return given


def dry_run(given):
    empty(workspace.DIST)
    outcomes = []
    for name, step in STEPS.items():
        print(f"\n== {name}", flush=True)
        start, before = time.monotonic(), len(NOT_DONE)
        step(given)
        outcomes.append(outcome(name, time.monotonic() - start, NOT_DONE[before:]))
    print("\n== what was done", *outcomes, sep="\n")
    print(
        "No machine of this kind can run the tests on Windows, macOS or arm64, or publish: "
        "the workflows do that."
    )
    if not workspace.has_home():
        print(
            f"Nothing can be published yet: `repository` in Cargo.toml is {workspace.home()}, "
            "which is no home."
        )


def main():
    given = arguments()
    if given.dry_run:
        dry_run(given)
    elif given.step == "ready":
        papers.ready(given.tag or "", given.home or "")
    else:
        STEPS[given.step](given)


try:
    main()
except Failed as why:
    sys.exit(f"release: {why}")
