"""The Python package against the program, scikit-learn and cca-zoo, on real data, in one run.

`cargo xtask bench python` builds the package, the program and the data and runs this. Every requirement is a
row with its measurement and a verdict. Every measurement has a process of its own (`bench/package/jobs.py`).
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

import machine
from default import program
from verdicts import judged, shown, write

ROOT = program.ROOT
ROUNDS = 3  # the program and the package run in turn, and the fastest run of each counts
TRUTH = {"debian400k": 19.8217588, "mnist": 16.97992}

TITLE = "What the Python package must show"
ABOUT = (
    "`lcca.CCA` against the program `lcca`, scikit-learn's CCA and cca-zoo's: Debian paths, 406,482 × "
    "(20,000 + 20,000), ridge 0.01, k = 20; 1,000 × (50 + 50) dense, k = 5; MNIST's halves, 60,000 × (392 + "
    "392) dense, k = 20. Every measurement in a process of its own, the fastest of several runs, without the "
    "time for reading and importing."
)


def main():
    args = arguments()
    facts = machine.describe()
    rows = [row for check in (debian, small, mnist) if check.__name__ in args.only for row in check(args)]
    folder = args.out or ROOT / ("bench/results" if set(args.only) == set(CHECKS) else "target/bench/results")
    write("python", TITLE, ABOUT, facts, rows, folder)


CHECKS = ["debian", "small", "mnist"]


def arguments():
    parser = argparse.ArgumentParser(description="the Python package against the program and its peers")
    parser.add_argument("--only", nargs="+", choices=CHECKS, default=CHECKS)
    parser.add_argument(
        "--whole",
        action="store_true",
        help="wait for scikit-learn on MNIST (minutes) instead of stopping it at 100 times lcca's seconds",
    )
    parser.add_argument("--out", type=lambda p: Path(p).resolve(), help="folder for the results")
    return parser.parse_args()


def debian(_):
    """Debian paths, 406,482 rows × (20,000 + 20,000), ridge 0.01, k = 20."""
    theirs, ours = [], []
    for _ in range(ROUNDS):
        theirs.append(program.fit("debian400k", "--ridge 0.01"))
        ours.append(job("lcca_debian"))
    run, best = min(theirs, key=lambda run: run["seconds"]["fit"]), min(ours, key=lambda run: run["engine"])
    program_seconds, whole = run["seconds"], min(run["seconds"] for run in ours)
    more = best["engine"] / program_seconds["fit"] - 1
    truth = TRUTH["debian400k"]
    yield judged(
        "debian400k",
        "fit at most 3% slower than `lcca fit`",
        f"{best['engine']:.2f} s, {program_seconds['fit']:.2f} s: {more:+.1%}",
        more <= 0.03,
    )
    yield shown("debian400k", "the whole call, against reading and fitting of `lcca fit`",
                f"{whole:.2f} s, {program_seconds['load'] + program_seconds['fit']:.2f} s")
    yield judged("debian400k", f"objective {truth}, within 1e-4 of it", f"{best['objective']:.6f}",
                 abs(best["objective"] - truth) <= 1e-4 * truth)
    views = job("lcca_views")
    yield judged(
        "debian400k",
        "memory added by taking the arrays over: at most a copy of their indices",
        f"{views['added'] / 1e6:.1f} MB for {views['input'] / 1e6:.1f} MB, "
        f"{views['indices'] / 1e6:.1f} MB of it indices",
        views["added"] <= views["indices"],
    )


def small(_):
    """1,000 rows × (50 + 50), k = 5."""
    ours, theirs = job("lcca_small"), job("scikit_learn_small")
    times = theirs["seconds"] / ours["seconds"]
    yield judged("small", "fit under 5 ms", f"{1e3 * ours['seconds']:.2f} ms", ours["seconds"] < 0.005)
    yield judged(
        "small", "at least 40 times as fast as scikit-learn",
        f"{times:.0f} times ({1e3 * theirs['seconds']:.0f} ms)", times >= 40,
    )
    yield judged(
        "small", "at least scikit-learn's correlations", f"{ours['total']:.6f}, {theirs['total']:.6f}",
        ours["total"] >= theirs["total"] - 1e-9,
    )


def mnist(args):
    """MNIST's halves, 60,000 × (392 + 392), k = 20."""
    ours, zoo = job("lcca_mnist"), job("cca_zoo_mnist")
    limit = None if args.whole else 100 * ours["seconds"]
    theirs = job("scikit_learn_mnist", limit)
    yield judged(
        "mnist", f"total {TRUTH['mnist']}", f"{ours['total']:.6f}", abs(ours["total"] - TRUTH["mnist"]) < 1e-5
    )
    yield judged("mnist", "no slower than cca-zoo", f"{ours['seconds']:.2f} s, {zoo['seconds']:.2f} s",
                 ours["seconds"] <= zoo["seconds"])
    if theirs is None:
        yield judged(
            "mnist", "at least 100 times as fast as scikit-learn",
            f"not done after {limit:.0f} s, 100 times as long", True,
        )
        return
    times = theirs["seconds"] / ours["seconds"]
    yield judged(
        "mnist",
        "at least 100 times as fast as scikit-learn",
        f"{times:.0f} times ({theirs['seconds']:.0f} s, total {theirs['total']:.6f})",
        times >= 100,
    )


def job(name, limit=None):
    """The result of a measurement, or None if it took longer than the limit, reading included."""
    print(f"{name} …", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "package.jobs", name]
    reading = 20  # seconds on top of the limit, for reading and importing
    try:
        done = subprocess.run(command, cwd=ROOT / "bench", stdout=subprocess.PIPE, text=True, check=True,
                              timeout=None if limit is None else limit + reading)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
