"""Workers that die while they load a shard, and clusters without workers:
counted and timed, so that no fit waits forever.

Dask gives up on a task that killed several workers. Here a task that the scheduler cannot place is sent again
under another key, so its losses are added up per shard. The scheduler suspects every task that a dead worker
still had to do. Loading tasks tell when they begin and end, so the one that was running is known, and how
much memory it had taken by then.
"""

import contextlib
import os
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from distributed import Client, Future, get_worker
from distributed.utils import sync

from lcca import _notes

LIMIT = 3  # workers that may be lost to one shard
WAIT = 300.0  # seconds to wait for a worker if there is none
_SILENT = 5.0  # of these, seconds before the user is told
_SAMPLE = 0.05  # seconds between two looks at the memory of a loading process
_TOPIC = "lcca-loading"


class NoWorkersError(RuntimeError):
    """The cluster had no worker that could load shards, for longer than `worker_timeout`."""


@contextlib.contextmanager
def announced(sources: Sequence[Any]) -> Iterator[None]:
    """On a worker: tells the scheduler that a load begins, how its memory grows, and that it ends."""
    try:
        worker = get_worker()
        key = str(worker.get_current_task())
    except (ValueError, AttributeError, KeyError):  # unpickled by the client, or outside of a task
        yield
        return
    about = {"key": key, "limit": worker.memory_manager.memory_limit, "files": _file_bytes(sources)}
    ended = threading.Event()
    # Loading may kill this process at once, so the message must have arrived before.
    sync(worker.loop, worker.scheduler.log_event, topic=_TOPIC, msg=about | {"state": "begun"})
    sampler = threading.Thread(target=_sample, args=(worker, key, ended), daemon=True)
    sampler.start()
    try:
        yield
    finally:
        ended.set()
        worker.log_event(_TOPIC, {"key": key, "state": "ended"})


def _sample(worker: Any, key: str, ended: threading.Event) -> None:
    """Reports the memory of the process while it grows."""
    import psutil

    process, reported = psutil.Process(), 0.0
    while not ended.wait(_SAMPLE):
        memory = process.memory_info().rss
        if memory > 1.05 * reported:
            reported = memory
            worker.log_event(_TOPIC, {"key": key, "state": "growing", "memory": int(memory)})


def _file_bytes(sources: Sequence[Any]) -> int:
    """The size of the local files among the sources."""
    paths = [source for source in sources if isinstance(source, (str, os.PathLike))]
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path))


class Losses:
    """The workers that were lost to each shard."""

    def __init__(self, client: Client) -> None:
        self._client = client
        # Per shard, the losses under each key that it was loaded as.
        self._counts: dict[int, dict[str, int]] = {}

    def clear(self) -> None:
        """All shards are loaded."""
        self._counts.clear()

    def look(self, futures: Sequence[Future | None]) -> tuple[int, str] | None:
        """The shard that must not be loaded again, if there is one, and the reason."""
        shards = {str(future.key): i for i, future in enumerate(futures) if future is not None}
        for key, count in self._client.run_on_scheduler(_suspicions, keys=list(shards)).items():
            self._counts.setdefault(shards[key], {})[key] = count
        suspects = [shard for shard, counts in self._counts.items() if sum(counts.values()) >= LIMIT]
        return self.explain(suspects) if suspects else None

    def explain(self, suspects: Sequence[int]) -> tuple[int, str]:
        """Which of the suspected shards it was, and what is known about its memory."""
        running = _running(self._client.get_events(_TOPIC) or ())
        begun = {shard: [running[key] for key in self._keys(shard) if key in running] for shard in suspects}
        shard = max(suspects, key=lambda shard: sum(r["times"] for r in begun[shard]))
        lost = max(sum(self._counts.get(shard, {}).values()), LIMIT)
        remedy = "cut the data into smaller shards, or give the workers more memory"
        return shard, f"{lost} workers were lost while they loaded it{_memory(begun[shard])}; {remedy}"

    def _keys(self, shard: int) -> list[str]:
        keys = self._counts.get(shard, {})
        return [*keys, *(f"{key}-source" for key in keys)]


def _suspicions(keys: list[str], dask_scheduler: Any = None) -> dict[str, int]:
    """How many workers died while they had each task to do, a shard's own or that of its source."""
    tasks = dask_scheduler.tasks
    counts = {}
    for key in keys:
        related = [tasks[name] for name in (key, f"{key}-source") if name in tasks]
        counts[key] = sum(task.suspicious for task in related)
    return {key: count for key, count in counts.items() if count}


def _running(events: Any) -> dict[str, dict[str, Any]]:
    """By key: loads that began and never ended, how often, the largest memory seen,
    and what was said about them."""
    found: dict[str, dict[str, Any]] = {}
    for _, event in events:
        if event["state"] == "begun":
            known = found.setdefault(event["key"], {"times": 0, "memory": 0})
            known.update(limit=event["limit"], files=event["files"], times=known["times"] + 1)
        elif event["key"] in found and event["state"] == "growing":
            found[event["key"]]["memory"] = max(found[event["key"]]["memory"], event["memory"])
        elif event["state"] == "ended":
            found.pop(event["key"], None)
    return found


def _memory(loads: list[dict[str, Any]]) -> str:
    """What is known about the memory that the loads had and wanted."""
    limit = next((load["limit"] for load in loads if load.get("limit")), 0)
    files, most = (max((load.get(name) or 0 for load in loads), default=0) for name in ("files", "memory"))
    clauses = [f"each may use {_size(limit)}"] if limit else []
    clauses += [f"had taken at least {_size(most)} by then"] if most else []
    clauses += [f"its files have {_size(files)}"] if files else []
    return f" ({', '.join(clauses)})" if clauses else ""


def _size(count: float) -> str:
    return f"{count / 1e9:.3g} GB" if count >= 1e9 else f"{count / 1e6:.3g} MB"


class Patience:
    """Waits for workers, for a limited time."""

    def __init__(self, client: Client, seconds: float) -> None:
        self._client, self._seconds = client, seconds
        self._since: float | None = None
        self._told = False

    def wait(self, waiting_for: str) -> None:
        """Waits until there is a worker."""
        self.look(waiting_for)
        while self._since is not None:
            time.sleep(_SAMPLE)
            self.look(waiting_for)

    def look(self, waiting_for: str) -> None:
        """Raises if no worker has been able to load anything for too long; tells the user before that."""
        states = self._client.run_on_scheduler(_worker_states)
        if "running" in states:
            self._since, self._told = None, False
            return
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        waited = now - self._since
        what = (
            "no workers"
            if not states
            else f"{len(states)} workers, all of them paused because their memory is full"
        )
        if not self._told and waited > min(_SILENT, self._seconds / 2):
            self._told = True
            _notes.warn(f"the cluster has {what}, and {waiting_for}: waiting up to {self._seconds:g} s")
        if waited > self._seconds:
            advice = (
                "start workers, or raise worker_timeout"
                if not states
                else "use more workers or smaller shards"
            )
            raise NoWorkersError(
                f"the cluster has had {what} for {self._seconds:g} s, and {waiting_for}: {advice}"
            )


def _worker_states(dask_scheduler: Any = None) -> list[str]:
    return [worker.status.name for worker in dask_scheduler.workers.values()]
