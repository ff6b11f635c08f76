"""Row shards as futures: which worker holds each, and how lost ones are loaded again.

Every shard is assigned to a worker when it is first loaded, but any other may load it: that is how Dask
replaces the shards of a worker that dies. Work stealing may move a loading task as well, so the places of
shards are looked up before every round. `Balance` gives shards to workers that join.
"""

import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any
from uuid import uuid4

import dask
from dask.delayed import Delayed
from distributed import Client, Future, KilledWorker, TimeoutError, wait

from lcca.dask._balance import Balance
from lcca.dask._losses import Losses, Patience
from lcca.dask._silence import Silence

# Makes a task under a given key. If the flag is set, the task loads from the original source rather
# than from another shard.
Recipe = Callable[[str, bool], Delayed]

_BETWEEN = 0.05  # seconds between two looks at the places of shards
_LOOK = 1.0  # seconds between two checks that the scheduler still knows the loading tasks
_IN_TRANSIT = 2.5  # seconds that a task may take to the scheduler and on to a worker


class ShardError(RuntimeError):
    """A shard could not be loaded. `name` is the name of the shard, and the cause is the loader's error."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(f"shard {name!r} could not be loaded: {text}")
        self.name, self.text = name, text

    def __reduce__(self) -> Any:
        return ShardError, (self.name, self.text)


class Forgotten:
    """Finds tasks that will never finish because they were sent while the scheduler was restarting.

    The scheduler either does not know them, or waits for a worker that is gone although any other would do.
    It does not know tasks in transit either, so a task counts as forgotten only after some time.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._since: dict[str, float] = {}

    def look(self, tasks: list[Future]) -> list[str]:
        """The keys of forgotten tasks."""
        now = time.monotonic()
        stuck = self._client.run_on_scheduler(_stuck, keys=[task.key for task in tasks])
        self._since = {key: self._since.get(key, now) for key in stuck}
        return [key for key, since in self._since.items() if now - since > _IN_TRANSIT]


def _stuck(keys: list[str], dask_scheduler: Any = None) -> list[str]:
    tasks = dask_scheduler.tasks
    return [key for key in keys if key not in tasks or tasks[key].state == "no-worker"]


class Shards:
    """Futures of shards, made from recipes as often as needed."""

    def __init__(
        self,
        client: Client,
        names: list[str],
        recipes: list[Recipe],
        retries: int,
        worker_timeout: float,
        parent: "Shards | None" = None,
    ) -> None:
        self.client, self.names = client, names
        self._recipes, self._retries, self._parent = recipes, retries, parent
        self._worker_timeout = worker_timeout
        self._losses, self._patience = Losses(client), Patience(client, worker_timeout)
        self.silence = Silence(client, worker_timeout)
        self._forgotten = Forgotten(client)
        self._futures: list[Future | None] = [None] * len(names)
        self._balance = Balance(client)
        # Per shard, the worker that last had it and a count that orders the arrivals.
        self._seen: list[tuple[str, int]] = [("", 0)] * len(names)
        self._changes = 0

    def without(self, omitted: set[int]) -> "Shards":
        """All shards but the omitted ones."""
        kept = [i for i in range(len(self.names)) if i not in omitted]
        names, recipes = [self.names[i] for i in kept], [self._recipes[i] for i in kept]
        fewer = Shards(self.client, names, recipes, self._retries, self._worker_timeout)
        fewer._futures = [self._futures[i] for i in kept]
        return fewer

    @property
    def futures(self) -> list[Future]:
        """The futures of all shards, loading or loaded."""
        self._submit()
        return [future for future in self._futures if future is not None]

    def mapped(self, function: Callable[..., Any], *arguments: Any) -> "Shards":
        """New shards that a function makes from these, each on the worker that holds its source."""

        def recipe(shard: int) -> Recipe:
            def make(key: str, from_source: bool) -> Delayed:
                source = self._recipes[shard](f"{key}-source", True) if from_source else self._future(shard)
                return dask.delayed(function, pure=False)(source, *arguments, dask_key_name=key)

            return make

        recipes = [recipe(shard) for shard in range(len(self.names))]
        return Shards(self.client, self.names, recipes, self._retries, self._worker_timeout, self)

    def _future(self, shard: int) -> Future:
        """The future of one shard, loading or loaded."""
        future = self._futures[shard]
        return self.futures[shard] if future is None or future.cancelled() else future

    def _submit(self) -> None:
        """Starts the loading of shards that were never loaded or have been cancelled."""
        missing = [i for i, future in enumerate(self._futures) if future is None or future.cancelled()]
        if not missing:
            return
        homes = self._homes() if self._parent is None else self._parent._addresses()
        for i in missing:
            self._futures[i] = self._load(i, homes[i])

    def _homes(self) -> list[str]:
        """A worker per shard: neighbors together, equally many per worker."""
        workers, count = sorted(self.client.nthreads()) or [""], len(self.names)
        return [workers[i * len(workers) // count] for i in range(count)]

    def _addresses(self) -> list[str]:
        """The worker that holds each shard."""
        while True:
            addresses = {
                future.key: address for address, futures in self.places().items() for future in futures
            }
            keys = [future.key for future in self.futures]
            if all(key in addresses for key in keys):
                return [addresses[key] for key in keys]

    def _load(self, shard: int, home: str) -> Future:
        """Loads a shard on that worker, or on another if that one is gone."""
        return self._compute(shard, [home] if home else None, bool(home), False)

    def _load_only_on(self, shard: int, home: str) -> Future:
        """Loads a shard on that worker and no other, from its original source."""
        return self._compute(shard, [home], False, True)

    def _compute(self, shard: int, workers: list[str] | None, others: bool, from_source: bool) -> Future:
        task = self._recipes[shard](f"lcca-shard-{uuid4().hex}", from_source)
        return self.client.compute(
            task, workers=workers, allow_other_workers=others, retries=self._retries, optimize_graph=False
        )

    def forget_failures(self) -> None:
        """Lets failed shards be loaded again."""
        self._futures = [None if f is not None and f.status == "error" else f for f in self._futures]

    def places(self) -> dict[str, list[Future]]:
        """The shards of each worker, as futures by address; waits for shards that are being loaded."""
        for shard, future in self._balance.moved().items():
            self._futures[shard] = future
        self._forgotten = Forgotten(self.client)
        while True:
            futures = self.futures
            try:
                wait(futures, timeout=_LOOK)
            except CancelledError:
                continue
            except TimeoutError:
                self._look()
                continue
            self.raise_failures()
            if any(future.cancelled() for future in futures):
                continue
            holders = self.client.who_has(futures)
            if all(holders.get(future.key) for future in futures):
                self._losses.clear()
                return self._grouped(futures, holders)
            time.sleep(_BETWEEN)

    def _look(self) -> None:
        """While shards are being loaded: raises if that is hopeless,
        and lets those be sent again that nobody will load."""
        if self._parent is not None:
            self._parent._look()
        self.raise_failures()
        hopeless = self._losses.look(self._futures)
        if hopeless is not None:
            raise ShardError(self.names[hopeless[0]], hopeless[1])
        loading = [future for future in self._futures if future is not None and not future.done()]
        if loading:
            self.silence.look(tasks=[future.key for future in loading])
            self._patience.look(f"{len(loading)} of {len(self._futures)} shards are still to be loaded")
            self._drop(self._forgotten.look(loading))

    def _drop(self, keys: list[str]) -> None:
        self._futures = [
            None if future is not None and future.key in keys else future for future in self._futures
        ]

    def raise_failures(self) -> None:
        """Raises the error of a loader that failed, with the name of its shard."""
        for name, future in zip(self.names, self._futures, strict=True):
            if future is not None and future.status == "error":
                error = future.exception()
                if isinstance(error, KilledWorker):
                    shard, text = self._losses.explain(
                        [i for i, f in enumerate(self._futures) if _was_killed(f)]
                    )
                    raise ShardError(self.names[shard], text) from error
                raise ShardError(name, f"{type(error).__name__}: {error}") from error

    def _grouped(self, futures: list[Future], holders: dict[str, Any]) -> dict[str, list[Future]]:
        """Groups shards by worker; a shard with several holders goes to the one that has fewest so far."""
        groups: dict[str, list[int]] = {}
        for shard, future in enumerate(futures):
            home = min(holders[future.key], key=lambda address: len(groups.get(address, ())))
            groups.setdefault(home, []).append(shard)
            if self._seen[shard][0] != home:
                self._changes += 1
                self._seen[shard] = home, self._changes
        places = {address: [futures[shard] for shard in groups[address]] for address in sorted(groups)}
        # The shards that arrived last move first, so that a worker that comes back gets the shards it had.
        by_arrival = {
            address: sorted(shards, key=lambda shard: self._seen[shard][1])
            for address, shards in groups.items()
        }
        self._balance.look(by_arrival, self._load_only_on)
        return places


def _was_killed(future: Future | None) -> bool:
    return future is not None and future.status == "error" and isinstance(future.exception(), KilledWorker)
