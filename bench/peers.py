"""lcca against its peers: the same data, the same run, each system in a process of its
own under the same limits.

`cargo xtask bench peers` makes the Python environment, the data and lcca, and runs this. Every outcome of a
system is a result: an answer, out of memory, over the limit, refused, failed, not installed. The systems are
in `bench/peers/`.
"""
import argparse
import hashlib
import json
import os
import signal
import sys
from pathlib import Path

import machine
from peers import page, problems
from peers.problems import ROOT
from peers.systems import SYSTEMS
from peers.watch import watch

OURS = "lcca"
# The seconds of a system on a data set: TIMES those of lcca's default, but at least LEAST and at most MOST.
TIMES, LEAST, MOST = 20, 60, 90
QUICK = 5
UNFINISHED = ("failed", "not installed")


def main():
    args = arguments()
    # Exits through `finally`, which ends the worker.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    facts = machine.describe()
    limits = {data: limit(data, args) for data in args.data}
    runs = [measured(data, system, limits[data], args) for data in args.data for system in args.only]
    facts_of_problems = {name: problem(name, limits[name]) for name in args.data}
    result = {
        "machine": facts, "limits": {"memory_gib": args.memory}, "problems": facts_of_problems, "runs": runs
    }
    folder = args.out or default_folder(args)
    page.write(result, folder)
    print(
        f"written to {folder.relative_to(ROOT) if folder.is_relative_to(ROOT) else folder}", file=sys.stderr
    )


def arguments():
    parser = argparse.ArgumentParser(description="lcca against its peers")
    parser.add_argument("--only", nargs="+", metavar="SYSTEM", choices=SYSTEMS, default=list(SYSTEMS),
                        help=f"some of {', '.join(SYSTEMS)}")
    parser.add_argument("--data", nargs="+", choices=problems.NAMES, default=list(problems.NAMES))
    parser.add_argument(
        "--limit",
        type=float,
        help=f"seconds per system and data set [default: {TIMES} times those of "
        f"lcca's default, at least {LEAST} and at most {MOST}]",
    )
    parser.add_argument("--memory", type=float, default=16, help="GiB per system [default: 16]")
    parser.add_argument(
        "--quick", action="store_true", help=f"a limit of {QUICK} seconds, to see that everything runs"
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue an earlier run: systems that have not changed since do not run again",
    )
    parser.add_argument("--out", type=lambda p: Path(p).resolve(), help="folder for the results")
    args = parser.parse_args()
    args.limit = args.limit or (QUICK if args.quick else None)
    return args


def default_folder(args):
    """A partial run never replaces the committed results."""
    whole = not args.quick and set(args.only) == set(SYSTEMS) and set(args.data) == set(problems.NAMES)
    return ROOT / ("bench/results" if whole else "target/bench/results")


def limit(data, args):
    """The same for every system on a data set, lcca included. lcca's default runs
    once beforehand to set it."""
    if args.limit:
        return args.limit
    ours = measured(data, OURS, MOST, args)
    return float(round(min(max(LEAST, TIMES * (ours["seconds"] or MOST)), MOST)))


def problem(name, limit):
    fields = vars(problems.find(name)) | {"limit": limit}
    return {key: value for key, value in fields.items() if key not in ("X", "Y")}


# One run


def measured(data, system, limit, args):
    """The record of one run. With --resume it comes from an earlier run if nothing has changed since."""
    folder = ROOT / "target/bench/peers" / ("quick" if args.quick else "full")
    folder.mkdir(parents=True, exist_ok=True)
    cache = folder / f"{data}.{system}.json"
    conditions = {"seconds": limit, "memory_gib": args.memory, "code": fingerprint(system)}
    if args.resume and cache.exists() and holds(run := json.loads(cache.read_text()), conditions):
        return run
    outcome = watch(data, system, limit, args.memory, folder / f"{data}.{system}.events")
    run = {"data": data, "system": system, "conditions": conditions} | outcome
    cache.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n")
    print(page.one_line(run), file=sys.stderr, flush=True)
    return run


def holds(run, conditions):
    """Whether a run would have the same result again. A run that ended by itself would,
    under any limit that it kept."""
    within = run["result"] == "done" and run["seconds"] <= conditions["seconds"]
    same = [key for key in conditions if key != "seconds" or not within]
    return run["result"] not in UNFINISHED and all(run["conditions"][key] == conditions[key] for key in same)


def fingerprint(system):
    """A hash of the code behind a result: the system's module, the shared modules,
    and the program if the system is lcca."""
    folder = Path(__file__).parent / "peers"
    names = (SYSTEMS[system].module, "products", "report", "evaluate", "worker", "problems")
    files = [folder / f"{name}.py" for name in names]
    if system.startswith(OURS):
        files.append(Path(os.environ.get("LCCA", ROOT / "target/release/lcca")))
    digest = hashlib.sha256(repr(SYSTEMS[system]).encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    main()
