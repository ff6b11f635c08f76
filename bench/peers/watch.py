"""Runs one system in a process of its own, ends it where it goes over a limit, and keeps what it had found by then."""
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from .problems import ROOT

READING = 300  # seconds for all that does not count: reading the data, converting them, one evaluation
POLL = 0.05
POINT = ("seconds", "passes", "captured", "objective", "peak", "setting")


def watch(data, system, limit, memory_gib, path):
    """The record of one run. The worker writes its events to `path`."""
    path.unlink(missing_ok=True)
    with open(path.with_suffix(".stderr"), "w") as complaints:
        worker = subprocess.Popen(
            [sys.executable, "-m", "peers.worker", data, system, path], cwd=ROOT / "bench", start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=complaints,
        )
    events, peak, broken = Events(path), 0, None
    try:
        while worker.poll() is None and broken is None:
            time.sleep(POLL)
            memory = tree_bytes(worker.pid)
            peak = max(peak, memory)
            events.read()
            if memory > memory_gib * 2**30:
                broken = "out of memory"
            elif events.overdue(limit):
                broken = "over the limit"
    finally:
        if worker.poll() is None:
            os.killpg(worker.pid, signal.SIGKILL)  # the worker's own session: itself and the lcca it started
        code = worker.wait()
    events.read()
    # Killed, but not from here: the system had no memory left.
    broken = broken or ("out of memory" if code == -signal.SIGKILL else None)
    complaints = path.with_suffix(".stderr").read_text()
    if code < 0 and not complaints.strip():
        complaints = f"ended by {signal.Signals(-code).name}"
    return events.record(broken, peak, complaints)


class Events:
    """What a worker wrote about itself."""

    def __init__(self, path):
        self.path, self.at = path, 0
        self.points, self.earlier, self.result = [], [], None
        self.remarks, self.version = [], None
        self.begun, self.off = None, 0.0
        self.waiting = time.monotonic()  # since when nothing counts; None while the clock runs

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
        self.begun = self.begun or time.monotonic()
        self.waiting = time.monotonic() if kind == "pause" else None
        if kind == "again" and self.points:
            self.earlier, self.points = min([self.earlier or self.points, self.points], key=duration), []
        elif kind == "point":
            self.points.append(event["point"])
        elif kind == "ended":
            self.result = event["result"]

    def overdue(self, limit):
        if self.waiting is not None:
            return time.monotonic() - self.waiting > READING
        return time.monotonic() - self.begun - self.off > limit

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
