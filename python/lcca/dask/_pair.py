"""A pair of views whose rows the workers of a Dask cluster hold."""

import threading
from typing import Any

import numpy as np
from distributed import Client

from lcca._pair import RemotePair
from lcca.dask import _cut, _round, _scores, _worker
from lcca.dask._memory import check
from lcca.dask._shards import Recipe, Shards

_TRANSFERS = ("float64", "float32")


class Pair(RemotePair):
    """Two views of the same rows, in shards on workers. Made by `from_loaders` and its like, given to `CCA.fit`.

    Attributes
    ----------
    shape : tuple of int
        Rows, columns of X, columns of y.
    passes_ : list of dict
        One for every round of the last fit: what was asked (`verb`), of how many `workers` and `shards`, the bytes that went out
        and came in, all `seconds`, those of the slowest worker's `kernel`, those spent `waiting` for anything else, and
        the `attempts` it took.
    """

    def __init__(self, client: Client, names: list[str], recipes: list[Recipe], *, transfer: str = "float64", retries: int = 2) -> None:
        if transfer not in _TRANSFERS:
            raise ValueError(f'transfer == {transfer!r}, expected "float64" or "float32"')
        if not names:
            raise ValueError("no shards, expected at least one")
        self.passes_: list[dict[str, Any]] = []
        self._one_at_a_time = threading.Lock()
        self._start(Shards(client, names, recipes, retries), transfer)

    def _start(self, shards: Shards, transfer: str) -> None:
        self._shards, self._transfer = shards, transfer
        self._known: dict[Any, Any] = {}
        self._summaries = self._summarised()
        self._take_shape()
        self._leave_out_empty()

    def _leave_out_empty(self) -> None:
        """Shards without rows say nothing but how many columns they have."""
        empty = {i for i, shard in enumerate(self._summaries) if shard["shape"][0] == 0}
        if len(empty) == len(self._summaries):
            raise ValueError("no shard has rows, expected some")
        if empty:
            self._shards = self._shards.without(empty)
            self._summaries = [shard for i, shard in enumerate(self._summaries) if i not in empty]

    def _summarised(self) -> list[dict[str, Any]]:
        """What the shards say of themselves, in their order."""
        order = {name: i for i, name in enumerate(self._shards.names)}
        return sorted(self._ask("summary"), key=lambda shard: order[shard["name"]])

    def _take_shape(self) -> None:
        first, shapes = self._summaries[0], [shard["shape"] for shard in self._summaries]
        for shard in self._summaries:
            if shard["shape"][1:] != first["shape"][1:]:
                (_, x, y), (_, x_first, y_first) = shard["shape"], first["shape"]
                raise ValueError(
                    f"shard {shard['name']!r} has {x} + {y} columns, expected {x_first} + {y_first} as shard {first['name']!r} has"
                )
        self.shape = (sum(rows for rows, _, _ in shapes), *first["shape"][1:])
        one_hot, dense = ([shard[name] for shard in self._summaries] for name in ("one_hot", "dense"))
        self.one_hot = all(x for x, _ in one_hot), all(y for _, y in one_hot)
        self.dense = any(x for x, _ in dense), any(y for _, y in dense)

    def __repr__(self) -> str:
        rows, x_cols, y_cols = self.shape
        return f"<lcca.dask.Pair of {rows} rows and {x_cols} + {y_cols} columns in {len(self._summaries)} shards>"

    def _ask(self, verb: str, *arguments: Any, panels: Any = None) -> Any:
        """One round. Rounds of several fits at once take turns: each would keep every worker busy."""
        with self._one_at_a_time:
            found, record = _round.run(self._shards, verb, arguments, panels)
            self.passes_.append(record)
        return found

    def _ask_once(self, verb: str, *arguments: Any) -> Any:
        """Remembers the answer: rows do not change."""
        if (verb, arguments) not in self._known:
            self._known[verb, arguments] = self._ask(verb, *arguments)
        return self._known[verb, arguments]

    # What the engine asks

    def prepare(self, columns: int) -> None:
        """Forgets the last fit's trace, tries failed shards again, and looks whether every worker has enough memory."""
        self.passes_.clear()
        self._shards.forget_failures()
        self._summaries = self._summarised()
        check(self._summaries, self.shape, columns)

    def spent(self) -> tuple[int, float]:
        rounds = self.passes_
        return sum(r["bytes_out"] + r["bytes_in"] for r in rounds), sum(r["waiting"] for r in rounds)

    def products(self, sources: Any, wanted: list[tuple[int, int]]) -> list[Any]:
        if self._transfer == "float32":
            sources = tuple(s and (s[0].astype(np.float32), s[1]) for s in sources)
        found = self._ask("products", wanted, self._transfer, panels=sources)
        # One at a time: what arrived misaligned is not held twice.
        return [np.require(_cut.whole(found.pop(0)), np.float64, ["C", "A"]) for _ in wanted]

    def moments(self, side: int) -> Any:
        return self._ask_once("moments", side)

    def reduced(self, x_columns: Any, y_columns: Any) -> "Pair | None":
        smaller = Pair.__new__(Pair)
        smaller.passes_, smaller._one_at_a_time = self.passes_, self._one_at_a_time
        smaller._start(self._shards.mapped(_worker.reduce, (x_columns, y_columns)), self._transfer)
        stays = x_columns is None and y_columns is None and smaller.shape[0] == self.shape[0]
        return None if stays else smaller

    def gram(self, side: int, limit: int) -> Any:
        return self._ask("gram", side, limit)

    def gram_sample(self) -> Any:
        return self._ask_once("gram_sample", len(self._summaries))

    def joint_gram(self, limit: int) -> Any:
        return self._ask("joint_gram", limit)

    def dense_gram(self, means: Any, limit: int) -> Any:
        return np.require(self._ask("dense_gram", means, limit), np.float64, ["C", "A"])

    def triangle(self, limit: int) -> Any:
        return np.require(self._ask("triangle", limit), np.float64, ["C", "A"])

    def scores(self, halves: list[Any]) -> tuple[Any, Any]:
        return _scores.scores(self._shards, [shard["shape"][0] for shard in self._summaries], halves)
