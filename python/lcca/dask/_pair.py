"""A pair of views whose rows are on the workers of a Dask cluster."""

import asyncio
import contextlib
import threading
from typing import Any
from uuid import uuid4

import numpy as np
from distributed import Client

from lcca._pair import RemotePair
from lcca.dask import _cut, _kept, _round, _scores, _worker
from lcca.dask._losses import WAIT
from lcca.dask._memory import check
from lcca.dask._shards import Recipe, Shards
from lcca.dask._silence import closing_explained

_TRANSFERS = ("float64", "float32")
_FAREWELL = 5.0  # seconds for telling the workers that a fit has ended


class Pair(RemotePair):
    """Two views of the same rows, in shards on workers. Make one with `from_loaders` or its siblings
    and give it to `CCA.fit`.

    Attributes
    ----------
    shape : tuple of int
        Rows, columns of X, columns of y.
    passes_ : list of dict
        One entry per round of the last fit: the question (`verb`), the numbers of `workers` and `shards`, the
        bytes that went out (`bytes_out`) and came in (`bytes_in`), the `seconds` in all, those of the slowest
        worker's `kernel`, those spent `waiting` for anything else, and the number of `attempts`.
    """

    capabilities = ("structure", "grams", "joint_grams", "triangles", "blocks", "samples")

    def __init__(
        self,
        client: Client,
        names: list[str],
        recipes: list[Recipe],
        *,
        transfer: str = "float64",
        retries: int = 2,
        worker_timeout: float = WAIT,
    ) -> None:
        if transfer not in _TRANSFERS:
            raise ValueError(f'transfer == {transfer!r}, expected "float64" or "float32"')
        if not names:
            raise ValueError("no shards, expected at least one")
        self.passes_: list[dict[str, Any]] = []
        self._one_round_at_a_time = threading.Lock()
        self._owners: list[str] = []
        self._start(Shards(client, names, recipes, retries, worker_timeout), transfer)

    def _start(self, shards: Shards, transfer: str) -> None:
        self._shards, self._transfer = shards, transfer
        # Workers keep what they build for this pair under this token.
        self._owner = uuid4().hex
        self._owners.append(self._owner)
        self._known: dict[Any, Any] = {}
        self._summaries = self._summarized()
        self._take_shape()
        self._leave_out_empty()

    def _leave_out_empty(self) -> None:
        """Drops shards without rows, whose column counts have been checked by now."""
        empty = {i for i, shard in enumerate(self._summaries) if shard["shape"][0] == 0}
        if len(empty) == len(self._summaries):
            raise ValueError("no shard has rows, expected some")
        if empty:
            self._shards = self._shards.without(empty)
            self._summaries = [shard for i, shard in enumerate(self._summaries) if i not in empty]

    def _summarized(self) -> list[dict[str, Any]]:
        """The summaries of the shards, in their order."""
        order = {name: i for i, name in enumerate(self._shards.names)}
        return sorted(self._ask("summary"), key=lambda shard: order[shard["name"]])

    def _take_shape(self) -> None:
        first, shapes = self._summaries[0], [shard["shape"] for shard in self._summaries]
        for shard in self._summaries:
            if shard["shape"][1:] != first["shape"][1:]:
                (_, x, y), (_, x_first, y_first) = shard["shape"], first["shape"]
                raise ValueError(
                    f"shard {shard['name']!r} has {x} + {y} columns, "
                    f"expected {x_first} + {y_first} as shard {first['name']!r} has"
                )
        self.shape = (sum(rows for rows, _, _ in shapes), *first["shape"][1:])
        one_hot, dense = ([shard[name] for shard in self._summaries] for name in ("one_hot", "dense"))
        self.one_hot = all(x for x, _ in one_hot), all(y for _, y in one_hot)
        self.dense = any(x for x, _ in dense), any(y for _, y in dense)

    def __repr__(self) -> str:
        rows, x_cols, y_cols = self.shape
        return (
            f"<lcca.dask.Pair of {rows} rows and {x_cols} + {y_cols} columns in "
            f"{len(self._summaries)} shards>"
        )

    def _ask(self, verb: str, *arguments: Any, panels: Any = None) -> Any:
        """Runs one round. Rounds of simultaneous fits take turns,
        because each round keeps every worker busy."""
        with self._one_round_at_a_time, closing_explained(self._shards.client):
            value, record = _round.run(self._shards, self._owner, verb, arguments, panels)
            self.passes_.append(record)
        return value

    def _ask_once(self, verb: str, *arguments: Any) -> Any:
        """Runs a round whose answer is remembered: rows do not change."""
        if (verb, arguments) not in self._known:
            self._known[verb, arguments] = self._ask(verb, *arguments)
        return self._known[verb, arguments]

    # The questions of the engine

    def prepare(self, columns: int) -> None:
        """Clears `passes_`, lets failed shards be loaded again, and checks that every
        worker has enough memory."""
        self.passes_.clear()
        self._shards.forget_failures()
        self._summaries = self._summarized()
        check(self._summaries, self.shape, columns)

    def finish(self) -> None:
        """Has the workers drop what they kept for the rounds of this pair."""
        if self._one_round_at_a_time.locked():
            # A fit that was stopped may still be in its last round, which would build everything again.
            threading.Thread(target=self._release, daemon=True).start()
        else:
            self._release()

    def _release(self) -> None:
        """Tells the workers, and does not wait for them. If that fails, the entries go later,
        with their shards."""
        with self._one_round_at_a_time, contextlib.suppress(Exception):
            owners, self._owners[:] = list(self._owners), [self._owner]
            client = self._shards.client
            told = client.run(_kept.forget, owners, wait=False, on_error="ignore", asynchronous=True)
            # Dask waits until every worker has been reached, which one that is stopped never is.
            asyncio.run_coroutine_threadsafe(told, client.loop.asyncio_loop).result(timeout=_FAREWELL)

    def spent(self) -> tuple[int, float]:
        rounds = self.passes_
        return sum(r["bytes_out"] + r["bytes_in"] for r in rounds), sum(r["waiting"] for r in rounds)

    def products(self, sources: Any, requested: list[tuple[int, int]]) -> list[Any]:
        if self._transfer == "float32":
            sources = tuple(s and (s[0].astype(np.float32), s[1]) for s in sources)
        products = self._ask("products", requested, self._transfer, panels=sources)
        # One at a time, so that only one product that arrived misaligned is in memory twice.
        return [np.require(_cut.whole(products.pop(0)), np.float64, ["C", "A"]) for _ in requested]

    def moments(self, side: int) -> Any:
        return _worker.aligned_arrays(self._ask_once("moments", side))

    def reduced(self, x_columns: Any, y_columns: Any) -> "Pair | None":
        smaller = Pair.__new__(Pair)
        smaller.passes_, smaller._one_round_at_a_time = self.passes_, self._one_round_at_a_time
        smaller._owners = self._owners
        smaller._start(self._shards.mapped(_worker.reduce, (x_columns, y_columns)), self._transfer)
        stays = x_columns is None and y_columns is None and smaller.shape[0] == self.shape[0]
        return None if stays else smaller

    def gram(self, side: int, limit: int) -> Any:
        return _worker.aligned_arrays(self._ask("gram", side, limit))

    def gram_sample(self) -> Any:
        return _worker.aligned_arrays(self._ask_once("gram_sample", len(self._summaries)))

    def joint_gram(self, limit: int) -> Any:
        return _worker.aligned_arrays(self._ask("joint_gram", limit))

    def dense_gram(self, means: Any, limit: int) -> Any:
        return _worker.aligned_arrays(self._ask("dense_gram", means, limit))

    def triangle(self, limit: int) -> Any:
        return _worker.aligned_arrays(self._ask("triangle", limit))

    def block_gram(self, columns: tuple[Any, Any], means: Any, limit: int) -> Any:
        return _worker.aligned_arrays(self._ask("block_gram", columns, means, limit))

    def sample(self, rows: int) -> Any:
        return _worker.aligned_arrays(self._ask_once("sample", rows, self.shape[0]))

    def scores(self, view_weights: list[Any]) -> tuple[Any, Any]:
        return _scores.scores(self._shards, [shard["shape"][0] for shard in self._summaries], view_weights)
