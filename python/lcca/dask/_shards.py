"""Row shards as futures: where they are, and how they come back.

Every shard is pinned to a worker when it is first loaded, but may be loaded by any other: that is how Dask replaces those of
a worker that dies. Work stealing may move a loading task as well, so where shards are is asked before every round. Workers
that join are given shards by `Balance`.
"""

import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any
from uuid import uuid4

import dask
from dask.delayed import Delayed
from distributed import Client, Future, TimeoutError, wait

from lcca.dask._balance import Balance

# Makes a task under a given key; from the beginning, rather than of another shard, where so wanted.
Recipe = Callable[[str, bool], Delayed]

_BETWEEN = 0.05  # seconds between two looks at where shards are
_LOOK = 1.0  # seconds between two looks at whether loading tasks are still known
_ON_ITS_WAY = 2.5  # seconds that a task may take to the scheduler and on to a worker


class ShardError(RuntimeError):
    """A shard could not be loaded; `name` is the shard's, the loader's error is the cause."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(f"shard {name!r} could not be loaded: {text}")
        self.name, self.text = name, text

    def __reduce__(self) -> Any:
        return ShardError, (self.name, self.text)


class Forgotten:
    """Looks for tasks that would be waited for in vain: sent while the scheduler was started anew, they are either unknown to
    it, or it waits for a worker that is gone although any other would do.

    What is still on its way is not known either, so this must last for some time.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._since: dict[str, float] = {}

    def look(self, tasks: list[Future]) -> list[str]:
        """The keys of those that are lost."""
        now = time.monotonic()
        stuck = self._client.run_on_scheduler(_stuck, keys=[task.key for task in tasks])
        self._since = {key: self._since.get(key, now) for key in stuck}
        return [key for key, since in self._since.items() if now - since > _ON_ITS_WAY]


def _stuck(keys: list[str], dask_scheduler: Any = None) -> list[str]:
    tasks = dask_scheduler.tasks
    return [key for key in keys if key not in tasks or tasks[key].state == "no-worker"]


class Shards:
    """Futures of shards, made from recipes as often as needed."""

    def __init__(
        self, client: Client, names: list[str], recipes: list[Recipe], retries: int, of: "Shards | None" = None
    ) -> None:
        self.client, self.names = client, names
        self._recipes, self._retries, self._of = recipes, retries, of
        self._futures: list[Future | None] = [None] * len(names)
        self._balance = Balance(client)
        # Where each was last seen, and how many had come to another place before.
        self._seen: list[tuple[str, int]] = [("", 0)] * len(names)
        self._changes = 0

    def without(self, which: set[int]) -> "Shards":
        """All but some."""
        kept = [i for i in range(len(self.names)) if i not in which]
        fewer = Shards(self.client, [self.names[i] for i in kept], [self._recipes[i] for i in kept], self._retries)
        fewer._futures = [self._futures[i] for i in kept]
        return fewer

    @property
    def futures(self) -> list[Future]:
        """All of them, loading or loaded."""
        self._submit()
        return [future for future in self._futures if future is not None]

    def mapped(self, function: Callable[..., Any], *arguments: Any) -> "Shards":
        """The shards that a function makes of these, each where its own is."""

        def recipe(at: int) -> Recipe:
            def make(key: str, anew: bool) -> Delayed:
                source = self._recipes[at](f"{key}-source", True) if anew else self._future(at)
                return dask.delayed(function, pure=False)(source, *arguments, dask_key_name=key)

            return make

        return Shards(self.client, self.names, [recipe(at) for at in range(len(self.names))], self._retries, self)

    def _future(self, at: int) -> Future:
        """One of them, loading or loaded."""
        future = self._futures[at]
        return self.futures[at] if future is None or future.cancelled() else future

    def _submit(self) -> None:
        """Starts what is not there: never loaded, or cancelled since."""
        missing = [i for i, future in enumerate(self._futures) if future is None or future.cancelled()]
        if not missing:
            return
        homes = self._homes() if self._of is None else self._of._held()
        for i in missing:
            self._futures[i] = self._load(i, homes[i])

    def _homes(self) -> list[str]:
        """Neighbours together, as many to every worker."""
        workers, count = sorted(self.client.nthreads()) or [""], len(self.names)
        return [workers[i * len(workers) // count] for i in range(count)]

    def _held(self) -> list[str]:
        """Where each of these is."""
        while True:
            at = {future.key: address for address, held in self.places().items() for future in held}
            keys = [future.key for future in self.futures]
            if all(key in at for key in keys):
                return [at[key] for key in keys]

    def _load(self, at: int, home: str) -> Future:
        """On that worker, or on another where it is gone."""
        return self._compute(at, [home] if home else None, bool(home), False)

    def _load_there(self, at: int, home: str) -> Future:
        """On that worker alone, with nothing from another."""
        return self._compute(at, [home], False, True)

    def _compute(self, at: int, workers: list[str] | None, others: bool, anew: bool) -> Future:
        task = self._recipes[at](f"lcca-shard-{uuid4().hex}", anew)
        return self.client.compute(
            task, workers=workers, allow_other_workers=others, retries=self._retries, optimize_graph=False
        )

    def forget_failures(self) -> None:
        """Lets shards that failed be tried again."""
        self._futures = [None if f is not None and f.status == "error" else f for f in self._futures]

    def places(self) -> dict[str, list[Future]]:
        """The workers that hold shards, and which; waits for those on the way."""
        for at, future in self._balance.moved().items():
            self._futures[at] = future
        forgotten = Forgotten(self.client)
        while True:
            futures = self.futures
            try:
                wait(futures, timeout=_LOOK)
            except CancelledError:
                continue
            except TimeoutError:
                self._drop(forgotten.look(futures))
                self.raise_failures()
                continue
            self.raise_failures()
            if any(future.cancelled() for future in futures):
                continue
            holders = self.client.who_has(futures)
            if all(holders.get(future.key) for future in futures):
                return self._grouped(futures, holders)
            time.sleep(_BETWEEN)

    def _drop(self, keys: list[str]) -> None:
        self._futures = [None if future is not None and future.key in keys else future for future in self._futures]

    def raise_failures(self) -> None:
        """The loader's error, with the shard's name."""
        for name, future in zip(self.names, self._futures, strict=True):
            if future is not None and future.status == "error":
                error = future.exception()
                raise ShardError(name, f"{type(error).__name__}: {error}") from error

    def _grouped(self, futures: list[Future], holders: dict[str, Any]) -> dict[str, list[Future]]:
        """Each shard once, at the holder that has fewest so far."""
        groups: dict[str, list[int]] = {}
        for at, future in enumerate(futures):
            home = min(holders[future.key], key=lambda address: len(groups.get(address, ())))
            groups.setdefault(home, []).append(at)
            if self._seen[at][0] != home:
                self._changes += 1
                self._seen[at] = home, self._changes
        places = {address: [futures[at] for at in groups[address]] for address in sorted(groups)}
        # Those that came last go first: a worker that comes back is given what it had.
        latest = {address: sorted(held, key=lambda at: self._seen[at][1]) for address, held in groups.items()}
        self._balance.look(latest, self._load_there)
        return places
