"""Are claims of convergence true? Many fits of data on which they are easily wrong,
compared with independent truths.

`cargo xtask bench claims` builds the program and runs this; `--program PATH` judges another one, so that two
versions can be compared. The data are made by `bench/claims/families.py` with a fixed seed. Truths come from
NumPy and SciPy and are kept under `target/bench/claims`: the first run takes some minutes longer. Fits are
kept there too, so that a run that was stopped goes on with the fits that it lacks.
"""
import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from claims import families, page, settings
from claims.data import CACHE, REAL, ROOT, Data
from claims.kept import Kept
from default.program import DATA

ABOUT = (
    "Every fit is `lcca fit` with one thread on seeded data whose true objective values are known from NumPy "
    "and SciPy. *Wrong*: convergence is claimed and more than the tolerance is missing from the total. "
    "*Above*: the total is larger than the true one. *Understated*: `missing` is less than what is missing. "
    "*Refused*: convergence is not claimed; that is honest, but not useful. *Agreed*: a certificate let a "
    "wrong claim stand. *Refuted*: a certificate said that more is missing than is. *Unbounded*: a value "
    "farther from every true one than its certified bound. *Failed*: no answer. Shares of 1e-7 count as "
    "rounding."
)


class Real:
    """Real data with known totals for k = 20: as values that add up to it."""

    def __init__(self, name):
        self.views = [DATA / name / f"{side}.npz" for side in "xy"]
        self.values = {ridge: [total / 20] * 20 for real, ridge, total in REAL if real == name}


def main():
    args = arguments()
    jobs, unsure = [], {}
    for name in args.only:
        for size in families.FAMILIES[name][1]:
            chosen = [
                t for t in (settings.quick if args.quick else settings.full)(name, size) if wanted(t, args)
            ]
            if size in args.sizes and chosen and not (args.quick and size == "wider"):
                print(f"{name}, {size}: data and truth …", file=sys.stderr, flush=True)
                data = Data(name, size, args.seed)
                unsure |= {f"{name}, {size}": data.unsure} if data.unsure else {}
                jobs += [(data, trial) for trial in chosen]
    if "real" in args.sizes:
        jobs += [
            (Real(t.data), t)
            for t in settings.real(args.quick)
            if wanted(t, args) and (DATA / t.data / "x.npz").exists()
        ]
    jobs = jobs[:: args.every]
    kept = Kept(args.program, f"{args.seed} {args.limit} {args.max_passes}")
    print(f"{len(jobs)} fits, {sum(kept.has(t) for _, t in jobs)} of them known", file=sys.stderr, flush=True)
    with ThreadPoolExecutor(args.jobs) as pool:
        done = list(pool.map(lambda job: shown(kept.run(*job, args.limit, args.max_passes)), jobs))
    folder = args.out or ROOT / ("bench/results" if is_whole(args) else "target/bench/results")
    page.write(done, ABOUT + part_of_the_suite(args), unsure, folder, args.name)
    (CACHE / f"{args.name}.json").write_text(json.dumps([trial.row() for trial in done], indent=1))


def part_of_the_suite(args):
    """Which fits a page holds, where that is not all of them."""
    parts = [f"one of every {args.every} fits"] if args.every > 1 else []
    parts += [f"the sizes {' and '.join(args.sizes)}"] if set(args.sizes) != set(USUAL) else []
    parts += [f"data of seed {args.seed}"] if args.seed else []
    return f" This page holds {', '.join(parts)}." if parts else ""


DEFAULT = ROOT / "target/release/lcca"


def arguments():
    parser = argparse.ArgumentParser(description="are claims of convergence true?")
    parser.add_argument(
        "--program", type=Path, default=DEFAULT, help="the lcca to judge [default: target/release/lcca]"
    )
    parser.add_argument("--quick", action="store_true", help="a part of the settings, about two minutes")
    parser.add_argument(
        "--only", nargs="+", choices=families.FAMILIES, default=list(families.FAMILIES), metavar="FAMILY",
        help=f"some of {', '.join(families.FAMILIES)}",
    )
    parser.add_argument(
        "--sizes",
        nargs="+",
        choices=SIZES,
        help="narrow, wide or real data, or wider, of which each truth takes ten minutes "
        "[default: all but wider; with --quick narrow]",
    )
    parser.add_argument("--every", type=int, default=1, help="only every N-th fit")
    parser.add_argument("--certified", action="store_true", help="only fits with certificates")
    for name, kind in (("method", str), ("k", int), ("ridge", float), ("tol", float)):
        parser.add_argument(f"--{name}", nargs="+", type=kind, help=f"only these values of {name}")
    parser.add_argument("--seed", type=int, default=0, help="seed of the data")
    parser.add_argument("--limit", type=float, default=200, help="seconds per fit [default: %(default)s]")
    parser.add_argument("--max-passes", type=int, default=1_000, help="passes per fit [default: %(default)s]")
    parser.add_argument("--jobs", type=int, default=2, help="fits at the same time [default: %(default)s]")
    parser.add_argument("--name", default="claims", help="name of the result files")
    parser.add_argument("--out", type=lambda p: Path(p).resolve(), help="folder for the results")
    args = parser.parse_args()
    # Truths of wide data take minutes each the first time.
    args.sizes = args.sizes or (["narrow"] if args.quick else USUAL)
    return args


SIZES = ["narrow", "wide", "wider", "real"]
USUAL = ["narrow", "wide", "real"]


def is_whole(args):
    """A partial run, or one of another program, never replaces the committed results."""
    everything = (
        set(args.only) == set(families.FAMILIES)
        and set(args.sizes) == set(USUAL)
        and args.every == 1
        and not args.quick
    )
    return (
        everything
        and args.seed == 0
        and args.program == DEFAULT
        and not any((args.method, args.k, args.ridge, args.tol, args.certified))
    )


def wanted(trial, args):
    chosen = all(
        getattr(args, name) is None or getattr(trial, name) in getattr(args, name)
        for name in ("method", "k", "ridge", "tol")
    )
    return chosen and (trial.certified or not args.certified)


def shown(trial):
    if set(trial.verdicts) & set(page.BROKEN):
        print(
            f"  {trial.name}: {trial.flags()}: "
            f"{' '.join(trial.verdicts)} {trial.shortfall:.1e} {trial.reason}",
            file=sys.stderr,
            flush=True,
        )
    return trial


if __name__ == "__main__":
    main()
