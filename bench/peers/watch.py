"""Runs one system in a process of its own, ends it if it exceeds a limit,
and keeps its answers up to then."""
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from .problems import ROOT

READING = 300  # seconds that the clock may stand still: reading the data, converting them, one evaluation
POLL = 0.05  # seconds between two looks at memory and events
POINT = ("seconds", "passes", "captured", "objective", "peak", "setting")


def watch(data, system, limit, memory_gib, path):
    """The record of one run. The worker writes its events to `path`."""
    path.unlink(missing_ok=True)
    with open(path.with_suffix(".stderr"), "w") as stderr:
        worker = subprocess.Popen(
            [sys.executable, "-m", "peers.worker", data, system, path], cwd=ROOT / "bench",
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
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
    # Killed by someone else: the operating system, when memory ran out.
    broken = broken or ("out of memory" if code == -signal.SIGKILL else None)
    complaints = path.with_suffix(".stderr").read_text()
    if code < 0 and not complaints.strip():
        complaints = f"ended by {signal.Signals(-code).name}"
    return events.record(broken, peak, complaints)


class Events:
    """The events that a worker has written."""

    def __init__(self, path):
        self.path, self.position = path, 0
        self.points, self.earlier, self.result = [], [], None
        self.remarks, self.version = [], None
        self.started, self.off = None, 0.0
        self.waiting = time.monotonic()  # since when the clock stands still; None while it runs

    def read(self):
        if not self.path.exists():
            return
        with open(self.path) as file:
            file.seek(self.position)
            whole, _, _ = file.read().rpartition("\n")
        self.position += len(whole.encode()) + bool(whole)
        for line in whole.splitlines():
            self.take(json.loads(line))

    def take(self, event):
        kind = event["event"]
        self.off, self.remarks, self.version = event["off"], event["remarks"], event["version"]
        self.started = self.started or time.monotonic()
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
        return time.monotonic() - self.started - self.off > limit

    def record(self, broken, peak, complaint):
        """The record of the run. A run that was cut off keeps its answers up to then."""
        if self.earlier:  # an earlier repetition has an answer, even if the last one was cut off
            broken, self.result = None, "done"
            self.points = min([self.earlier, self.points or self.earlier], key=duration)
        result = broken or self.result or ("not installed" if "No module named" in complaint else "failed")
        failed = result in ("not installed", "failed")
        last = self.points[-1] if self.points else dict.fromkeys(POINT)
        if broken or not last["peak"]:
            last = last | {"peak": peak}
        remarks = self.remarks + ([last_line(complaint)] if failed else [])
        return {"result": result, **last, "remarks": remarks, "version": self.version, "points": self.points}


def duration(points):
    return points[-1]["seconds"]


def last_line(text):
    return (text.strip().splitlines() or ["no message"])[-1][:200]


def tree_bytes(pid):
    """Memory of a process and its children; 0 if the system does not report it."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(map(tree_bytes, children))
