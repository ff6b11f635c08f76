"""lcca beside its peers: the same data, the same run, each system in a process of its own under the same limits.

`cargo xtask bench peers` makes the Python environment, the data and lcca, and runs this. Whatever happens to a system
is a result: an answer, out of memory, over the limit, refused, failed, not installed. `bench/peers/` holds the systems.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import machine
from peers import page, problems
from peers.systems import SYSTEMS

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "target/bench/peers"
READING = 300  # seconds to read the data and get ready, which do not count
POLL = 0.05
POINT = ("seconds", "passes", "captured", "objective", "peak", "setting")


def main():
    args = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that the worker is ended too
    about = machine.describe()
    names = [(data, system) for data in args.data for system in args.only]
    runs = [measured(data, system, args) for data, system in names]
    found = {name: vars(problems.find(name)) for name in args.data}
    found = {name: {key: value for key, value in facts.items() if key not in "XY"} for name, facts in found.items()}
    limits = {"seconds": args.limit, "memory_gib": args.memory}
    result = {"machine": about, "limits": limits, "problems": found, "runs": runs}
    folder = args.out or default_folder(args)
    page.write(result, folder)
    print(f"written to {folder.relative_to(ROOT) if folder.is_relative_to(ROOT) else folder}", file=sys.stderr)


def arguments():
    parser = argparse.ArgumentParser(description="lcca beside its peers")
    parser.add_argument("--only", nargs="+", metavar="SYSTEM", choices=SYSTEMS, default=list(SYSTEMS),
                        help=f"of: {', '.join(SYSTEMS)}")
    parser.add_argument("--data", nargs="+", choices=problems.NAMES, default=list(problems.NAMES))
    parser.add_argument("--limit", type=float, help="seconds for each system on each data set [default: 300]")
    parser.add_argument("--memory", type=float, default=16, help="GiB for each system [default: 16]")
    parser.add_argument("--quick", action="store_true", help="a limit of 5 seconds, to see that everything runs")
    parser.add_argument("--resume", action="store_true", help="use what an earlier run under the same limits has finished")
    parser.add_argument("--out", type=lambda p: Path(p).resolve(), help="folder of the results")
    args = parser.parse_args()
    args.limit = args.limit or (5 if args.quick else 300)
    return args


def default_folder(args):
    """A partial run never replaces the results that are committed."""
    whole = not args.quick and set(args.only) == set(SYSTEMS) and set(args.data) == set(problems.NAMES)
    return ROOT / ("bench/results" if whole else "target/bench/results")


# One run


def measured(data, system, args):
    """The record of one run, from an earlier one where that is wanted and there is one."""
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / f"{data}.{system}.json"
    limits = {"seconds": args.limit, "memory_gib": args.memory}
    if args.resume and kept.exists() and (run := json.loads(kept.read_text()))["limits"] == limits:
        return run
    run = {"data": data, "system": system, "limits": limits} | watch(data, system, args)
    kept.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n")
    print(page.one_line(run), file=sys.stderr)
    return run


def watch(data, system, args):
    """Runs a worker and ends it where it goes over a limit."""
    path = KEPT / f"{data}.{system}.events"
    path.unlink(missing_ok=True)
    worker = subprocess.Popen(
        [sys.executable, "-m", "peers.worker", data, system, path], cwd=ROOT / "bench", start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )
    events, peak, broken = Events(path), 0, None
    begun = time.monotonic()
    try:
        while worker.poll() is None and broken is None:
            time.sleep(POLL)
            memory = tree_bytes(worker.pid)
            peak = max(peak, memory)
            events.read()
            if memory > args.memory * 2**30:
                broken = "out of memory"
            elif events.overdue(args.limit, begun):
                broken = "over the limit"
    finally:
        if worker.poll() is None:
            os.killpg(worker.pid, signal.SIGKILL)  # the worker's own session: itself and the lcca it started
        _, complaint = worker.communicate()
    events.read()
    return events.record(broken, peak, complaint)


class Events:
    """What a worker wrote about itself."""

    def __init__(self, path):
        self.path, self.at = path, 0
        self.points, self.earlier, self.result = [], [], None
        self.remarks, self.version = [], None
        self.started, self.off, self.paused = None, 0.0, False

    def read(self):
        if not self.path.exists():
            return
        with open(self.path) as file:
            file.seek(self.at)
            whole, _, _ = file.read().rpartition("\n")
        self.at += len(whole.encode()) + bool(whole)
        for line in whole.splitlines():
            self.take(json.loads(line))

    def take(self, event):
        kind = event["event"]
        self.off, self.remarks, self.version = event["off"], event["remarks"], event["version"]
        self.started = self.started or time.monotonic()
        self.paused = kind == "pause"
        if kind == "again" and self.points:
            self.earlier, self.points = min([self.earlier or self.points, self.points], key=duration), []
        elif kind == "point":
            self.points.append(event["point"])
        elif kind == "ended":
            self.result = event["result"]

    def overdue(self, limit, begun):
        if self.started is None:
            return time.monotonic() - begun > READING
        return not self.paused and time.monotonic() - self.started - self.off > limit

    def record(self, broken, peak, complaint):
        """A broken run keeps what it had found by then."""
        if self.earlier:  # what was repeated has an answer, whatever became of the repetition
            broken, self.result = None, "done"
            self.points = min([self.earlier, self.points or self.earlier], key=duration)
        result = broken or self.result or ("not installed" if "No module named" in complaint else "failed")
        failed = result in ("not installed", "failed")
        found = self.points[-1] if self.points else dict.fromkeys(POINT)
        if broken or not found["peak"]:
            found = found | {"peak": peak}
        remarks = self.remarks + ([last_line(complaint)] if failed else [])
        return {"result": result, **found, "remarks": remarks, "version": self.version, "points": self.points}


def duration(points):
    return points[-1]["seconds"]


def last_line(text):
    return (text.strip().splitlines() or ["no message"])[-1][:200]


def tree_bytes(pid):
    """Memory held by a process and those it started; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(map(tree_bytes, children))


if __name__ == "__main__":
    main()
