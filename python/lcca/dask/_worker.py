"""What runs on the workers: loading a shard, answering what a pass asks of the shards that are there, adding answers up.

Answers are NumPy arrays of the size of panels, never of the size of rows.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from lcca import _lcca, _views
from lcca.dask import _cut, _files

Columns = tuple[NDArray[np.uint32] | None, NDArray[np.uint32] | None]


@dataclass
class Shard:
    """Rows of both views on a worker. It travels as what it was loaded from: moving it is loading it again."""

    name: str
    source: tuple[Any, Any, Any]
    columns: Columns | None
    rows: _lcca.Rows
    mapped: bool

    def __reduce__(self) -> Any:
        return load, (self.name, *self.source, self.columns)

    def __sizeof__(self) -> int:
        """Nothing is gained by spilling what is mapped."""
        return 1024 if self.mapped else int(self.rows.nbytes)

    def summary(self) -> dict[str, Any]:
        """What the client has to know."""
        kept = 0 if self.mapped else self.rows.nbytes
        about = {"shape": self.rows.shape, "one_hot": self.rows.one_hot, "dense": self.rows.dense}
        return about | {"name": self.name, "bytes": kept}

    @cached_property
    def touched(self) -> list[NDArray[np.bool_]]:
        """Of both views, which columns have entries."""
        return [_pieces([self]).moments(side)[3] > 0 for side in (0, 1)]


@dataclass(frozen=True)
class Empty:
    """A shard without rows, of so many columns. The client leaves it out."""

    name: str
    columns: tuple[int, int]

    def summary(self) -> dict[str, Any]:
        """As a shard's."""
        return {"shape": (0, *self.columns), "one_hot": (True, True), "dense": (False, False), "name": self.name, "bytes": 0}


def load(name: str, x: Any, y: Any, weights: Any = None, columns: Columns | None = None) -> Shard | Empty:
    """A shard from loaders, paths or arrays."""
    weights = None if weights is None else np.require(_called(weights), np.float64, ["C", "A"])
    views = _called(x), _called(y)
    if all(0 in getattr(view, "shape", ())[:1] for view in views):
        return Empty(name, (_width(views[0]), _width(views[1])))
    (x_view, x_mapped), (y_view, y_mapped) = _view(views[0], "X"), _view(views[1], "y")
    shard = Shard(name, (x, y, weights), None, _lcca.Rows(x_view, y_view, weights), x_mapped and y_mapped)
    return shard if columns is None else reduce(shard, columns)


def _width(view: Any) -> int:
    return int(view.shape[1]) if len(view.shape) > 1 else 1


def _called(source: Any) -> Any:
    return source() if callable(source) else source


def _view(found: Any, name: str) -> tuple[_lcca.Matrix, bool]:
    """One view, and whether it is mapped."""
    if isinstance(found, _lcca.Matrix):
        return found, False
    if _views.is_file(found):
        return _files.read(found)
    if hasattr(found, "tocsr") and getattr(found, "format", "csr") not in _views.SPARSE:
        found = found.tocsr()
    if getattr(found, "ndim", 2) == 1:
        found = np.asarray(found).reshape(-1, 1)
    return _views.from_arrays(found, name, 1), False


def reduce(shard: Shard, columns: Columns) -> Shard:
    """Equal rows merged where that pays, in terms of the columns that are kept."""
    x_columns, y_columns = (None if view is None else view.tolist() for view in columns)
    smaller = shard.rows.reduced(x_columns, y_columns, _threads())
    if smaller is None:
        return Shard(shard.name, shard.source, columns, shard.rows, shard.mapped)
    return Shard(shard.name, shard.source, columns, smaller, False)


def scores(shard: Shard, half: Any, view: str) -> NDArray[np.float64]:
    """The canonical variables of one view's rows."""
    weights, mean = half
    half = _aligned(weights), None if mean is None else _aligned(mean)
    return _lcca.transform(half, shard.rows.view(view), _threads())


@dataclass
class Answer:
    """What one worker, or several together, say; seconds are those of the slowest, bytes those of all."""

    found: Any
    seconds: float
    shards: int
    nbytes: int


def bytes_of(found: Any) -> int:
    """Bytes of all arrays in a nest of tuples and lists."""
    if isinstance(found, (tuple, list)):
        return sum(map(bytes_of, found))
    return int(getattr(found, "nbytes", 0))


def ask(verb: str, arguments: Sequence[Any], *shards: Any) -> Answer:
    """Asks all shards of this worker at once."""
    start = time.perf_counter()
    if verb == "summary":
        here = {"worker": str(get_worker().address), "threads": _threads(), "memory": _memory()}
        found: Any = [shard.summary() | here for shard in shards]
    else:
        found = _VERBS[verb](shards, *arguments)
    return Answer(found, time.perf_counter() - start, len(shards), bytes_of(found))


def _pieces(shards: Sequence[Shard]) -> _lcca.Pieces:
    return _lcca.Pieces([shard.rows for shard in shards], _threads())


def _products(shards: Sequence[Shard], sources: Any, wanted: list[tuple[int, int]], dtype: str) -> list[_cut.Product]:
    """Arrays that Dask delivers may lie at any byte; the engine wants them aligned."""
    aligned = tuple(s and (_aligned(s[0]), None if s[1] is None else _aligned(s[1])) for s in sources)
    touched = {side: _touched(shards, side) for side in {target for target, _ in wanted}}
    products = zip(_pieces(shards).products(aligned, wanted), wanted, strict=True)
    return [_cut.cut(product, touched[target], dtype) for product, (target, _) in products]


def _touched(shards: Sequence[Shard], side: int) -> NDArray[np.intp]:
    return np.flatnonzero(np.logical_or.reduce([shard.touched[side] for shard in shards]))


def _aligned(array: Any) -> NDArray[np.float64]:
    return np.require(array, np.float64, ["C", "A"])


_VERBS: dict[str, Callable[..., Any]] = {
    "products": _products,
    "moments": lambda shards, side: _pieces(shards).moments(side),
    "gram": lambda shards, side, limit: _pieces(shards).gram(side, _within(limit)),
    "gram_sample": lambda shards, of: _pieces(shards).gram_sample(of),
    "joint_gram": lambda shards, limit: _pieces(shards).joint_gram(_within(limit)),
    "dense_gram": lambda shards, means, limit: _pieces(shards).dense_gram(means, _within(limit)),
    "triangle": lambda shards, limit: _pieces(shards).triangle(_within(limit)),
}


def combine(verb: str, *answers: Answer) -> Answer:
    """The answer for the shards of several workers together, added in the given order."""
    found = answers[0].found
    for other in answers[1:]:
        found = None if found is None or other.found is None else _SUMS[verb](found, other.found)
    return _together(found, answers)


def _together(found: Any, answers: Sequence[Answer]) -> Answer:
    return Answer(found, max(a.seconds for a in answers), sum(a.shards for a in answers), sum(a.nbytes for a in answers))


def summed_in_place(*answers: Answer) -> Answer:
    """The same of products that nobody else needs: where they have arrived."""
    found = answers[0].found
    for other in answers[1:]:
        found = [_cut.add_in_place(x, y) for x, y in zip(found, other.found, strict=True)]
    return _together(found, answers)


def _add_products(a: Any, b: Any) -> Any:
    return [_cut.add(x, y) for x, y in zip(a, b, strict=True)]


def _add_samples(a: Any, b: Any) -> Any:
    rows, looked_at, every, largest, stored, pairs = zip(a, b, strict=True)
    return sum(rows), sum(looked_at), sum(every), max(largest), sum(stored), np.concatenate(pairs)


_SUMS: dict[str, Callable[[Any, Any], Any]] = {
    "summary": lambda a, b: a + b,
    "products": _add_products,
    "moments": lambda a, b: tuple(x + y for x, y in zip(a, b, strict=True)),
    "gram": lambda a, b: _lcca.add_grams(a, b),
    "gram_sample": _add_samples,
    "joint_gram": lambda a, b: _lcca.add_joint_grams(a, b, _threads()),
    "dense_gram": lambda a, b: a + b,
    "triangle": lambda a, b: np.linalg.qr(np.vstack([a, b]), mode="r"),
}


def _threads() -> int:
    """Outside of a task, where a shard may be made from what it travels as, one."""
    try:
        return int(get_worker().state.nthreads)
    except ValueError:
        return 1


def _memory() -> int | None:
    """Bytes that a worker has before it begins to spill."""
    manager = get_worker().memory_manager
    share = manager.memory_target_fraction or manager.memory_spill_fraction or 1.0
    return int(manager.memory_limit * share) if manager.memory_limit else None


def _within(limit: int) -> int:
    """What matrices may take here: at most half of what a worker has before it spills."""
    memory = _memory()
    return limit if memory is None else min(limit, memory // 2)
