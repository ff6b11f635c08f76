"""Workers that say nothing any more, and clusters that are closed during a fit:
it ends with one sentence and does not wait forever.

A process that is stopped, or whose machine is cut off, keeps its connections: nothing fails, and nothing
arrives. But workers send heartbeats to the scheduler, at least every few seconds, and those stop.
"""

import contextlib
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from typing import Any

from distributed import Client

from lcca import _notes

_LOOK = 1.0  # seconds between two questions to the scheduler
_SILENT = 30.0  # seconds without a heartbeat before the user is told
_NOTICED = 2.0  # seconds in which a client notices that its scheduler is gone
# What calls of a client raise if its scheduler is gone.
_CONSEQUENCES = (OSError, AttributeError, CancelledError)


class SilentWorkerError(RuntimeError):
    """A worker that holds or loads shards said nothing for longer than `worker_timeout`.
    `address` is the worker's."""

    def __init__(self, address: str, text: str) -> None:
        super().__init__(text)
        self.address, self.text = address, text

    def __reduce__(self) -> Any:
        return SilentWorkerError, (self.address, self.text)


class ClosedClusterError(RuntimeError):
    """The cluster, or the connection to it, was closed during a fit."""


class Silence:
    """Looks for workers that send no heartbeats."""

    def __init__(self, client: Client, seconds: float) -> None:
        self._client, self._seconds = client, seconds
        self._looked = time.monotonic()
        self._told: set[str] = set()

    def look(self, workers: Iterable[str] = (), tasks: Iterable[str] = ()) -> None:
        """Raises if one of these workers, or one that runs these tasks, has been silent for too long;
        tells the user before that."""
        if time.monotonic() - self._looked < _LOOK:
            return
        self._looked = time.monotonic()
        silent = self._client.run_on_scheduler(_silent, workers=list(workers), tasks=list(tasks))
        told_after = min(_SILENT, self._seconds / 2)
        for address, seconds in sorted(silent.items(), key=lambda worker: -worker[1]):
            if seconds > self._seconds:
                raise SilentWorkerError(
                    address,
                    f"worker {address} has sent nothing for {self._seconds:g} s: its process is stopped or "
                    "its machine cannot be reached; restart it, or raise worker_timeout if it will come back",
                )
            if seconds > told_after and address not in self._told:
                self._told.add(address)
                _notes.warn(
                    f"worker {address} has sent nothing for {seconds:.0f} s: "
                    f"waiting up to {self._seconds:g} s"
                )


def _silent(workers: list[str], tasks: list[str], dask_scheduler: Any = None) -> dict[str, float]:
    """The seconds since the last heartbeats, by address."""
    running = (dask_scheduler.tasks[key].processing_on for key in tasks if key in dask_scheduler.tasks)
    named = {*workers, *(worker.address for worker in running if worker is not None)}
    known = dask_scheduler.workers
    return {address: time.time() - known[address].last_seen for address in named if address in known}


@contextlib.contextmanager
def closing_explained(client: Client) -> Iterator[None]:
    """Whatever fails while the client has no scheduler fails because of that."""
    try:
        yield
    except Exception as error:
        if not _is_closed(client, isinstance(error, _CONSEQUENCES)):
            raise
        raise ClosedClusterError(
            "the cluster or its client was closed during the fit: keep both open until it ends, "
            "and make a new pair"
        ) from error


def _is_closed(client: Client, is_likely: bool) -> bool:
    """Whether the client has no scheduler. It notices some time after its calls begin to fail."""
    deadline = time.monotonic() + (_NOTICED if is_likely else 0.0)
    while client.status == "running" and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(client.status != "running")
