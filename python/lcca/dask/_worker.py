"""Code that runs on the workers: loading a shard, answering one round's question for all shards of a worker,
merging answers.

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

from lcca import _lcca, _missing, _pairing, _views
from lcca._pairing import Beside, Paired, View
from lcca.dask import _cut, _files, _kept, _losses, _samples

Columns = tuple[NDArray[np.uint32] | None, NDArray[np.uint32] | None]


@dataclass
class Shard:
    """Rows of both views on a worker. It is pickled as the sources it was loaded from:
    moving it means loading it again."""

    name: str
    source: tuple[Any, Any, Any]
    columns: Columns | None
    rows: _lcca.Rows
    mapped: bool

    def __reduce__(self) -> Any:
        return load, (self.name, *self.source, self.columns)

    def __sizeof__(self) -> int:
        """Next to nothing for a mapped shard: spilling it would gain nothing."""
        return 1024 if self.mapped else int(self.rows.nbytes)

    def summary(self) -> dict[str, Any]:
        """The facts that the client needs to know about this shard."""
        in_memory = 0 if self.mapped else self.rows.nbytes
        about = {"shape": self.rows.shape, "one_hot": self.rows.one_hot, "dense": self.rows.dense}
        return about | {"name": self.name, "bytes": in_memory}

    @cached_property
    def touched(self) -> list[NDArray[np.bool_]]:
        """Per view, which columns have entries."""
        pieces = _lcca.Pieces([self.rows], _kept.shared_pool(_kept.threads()))
        return [pieces.moments(side)[3] > 0 for side in (0, 1)]


@dataclass(frozen=True)
class Empty:
    """A shard without rows, known by its column counts. The client leaves it out."""

    name: str
    columns: tuple[int, int]

    def summary(self) -> dict[str, Any]:
        """The same facts as those of a shard with rows."""
        return {
            "shape": (0, *self.columns), "one_hot": (True, True), "dense": (False, False), "name": self.name,
            "bytes": 0,
        }


def load(name: str, x: Any, y: Any, weights: Any = None, columns: Columns | None = None) -> Shard | Empty:
    """Loads a shard.

    Parameters
    ----------
    name : str
        The name of the shard in error messages.
    x, y, weights : functions, paths, URLs or arrays
        The sources of both views and of the row weights.
    columns : pair of arrays, optional
        The columns to keep, if the pair was reduced.

    Returns
    -------
    Shard or Empty
        An `Empty` if the sources have no rows.
    """
    with _losses.announced([x, y, weights]):
        return _loaded(name, x, y, weights, columns)


def _loaded(name: str, x: Any, y: Any, weights: Any, columns: Columns | None) -> Shard | Empty:
    weights = None if weights is None else np.require(_called(weights), np.float64, ["C", "A"])
    views = _called(x), _called(y)
    if all(0 in getattr(view, "shape", ())[:1] for view in views):
        return Empty(name, (_width(views[0]), _width(views[1])))
    (x_view, x_mapped), (y_view, y_mapped) = _view(views[0], "X"), _view(views[1], "y")
    paired = _paired(_source("X", views[0], x_view), _source("y", views[1], y_view), weights)
    x_mapped, y_mapped = x_mapped and paired.x.data is x_view, y_mapped and paired.y.data is y_view
    rows = _lcca.Rows(paired.x.data, paired.y.data, paired.beside.weights)
    shard = Shard(name, (x, y, weights), None, rows, x_mapped and y_mapped)
    return shard if columns is None else reduce(shard, columns)


def _source(name: str, source: Any, matrix: _lcca.Matrix) -> View:
    return View(name, matrix, None, matrix if matrix.is_file else source)


def _paired(x: View, y: View, weights: Any) -> Paired:
    """The rows of a shard that belong together: by name if both views name them."""
    try:
        return _pairing.matched(x, y, lambda _: Beside(weights), "auto")
    except ValueError as error:
        message = str(error).split("; align=")[0]
        raise ValueError(
            f"{message}; on a cluster, both views have the same row names in each shard, or none"
        ) from None


def _width(view: Any) -> int:
    return int(view.shape[1]) if len(view.shape) > 1 else 1


def _called(source: Any) -> Any:
    return source() if callable(source) else source


def _view(source: Any, name: str) -> tuple[_lcca.Matrix, bool]:
    """One view, and whether it is mapped."""
    if isinstance(source, _lcca.Matrix):
        return source, False
    if _views.is_file(source):
        return _files.read(source)
    if hasattr(source, "tocsr") and getattr(source, "format", "csr") not in _views.SPARSE:
        source = source.tocsr()
    if getattr(source, "ndim", 2) == 1:
        source = np.asarray(_missing.unmasked(source)).reshape(-1, 1)
    return _views.from_arrays(_missing.unmasked(source), name, 1), False


def reduce(shard: Shard, columns: Columns) -> Shard:
    """The shard in terms of the kept columns, with equal rows merged if that pays."""
    x_columns, y_columns = (None if view is None else view.tolist() for view in columns)
    smaller = shard.rows.reduced(x_columns, y_columns, _kept.threads())
    if smaller is None:
        return Shard(shard.name, shard.source, columns, shard.rows, shard.mapped)
    return Shard(shard.name, shard.source, columns, smaller, False)


def scores(shard: Shard, view_weights: Any, view: str) -> NDArray[np.float64]:
    """The canonical variables of one view's rows."""
    weights, mean = view_weights
    aligned = _aligned(weights), None if mean is None else _aligned(mean)
    return _lcca.transform(aligned, shard.rows.view(view), _kept.threads())


@dataclass
class Answer:
    """The answer of one worker, or of several merged: seconds are those of the slowest,
    bytes are those of all."""

    value: Any
    seconds: float
    shards: int
    nbytes: int


def nested_bytes(value: Any) -> int:
    """The bytes of all arrays in nested tuples and lists."""
    if isinstance(value, (tuple, list)):
        return sum(map(nested_bytes, value))
    return int(getattr(value, "nbytes", 0))


def aligned_arrays(value: Any) -> Any:
    """The same nested tuples and lists with arrays that the engine can read:
    those from a network may begin at any byte."""
    if isinstance(value, (tuple, list)):
        return type(value)(map(aligned_arrays, value))
    return np.require(value, requirements=["C", "A"]) if isinstance(value, np.ndarray) else value


def ask(owner: str, verb: str, arguments: Sequence[Any], *shards: Any) -> Answer:
    """Answers one question for all shards of this worker together.

    Parameters
    ----------
    owner : str
        The token of the pair of views, under which the worker keeps what it built for these shards.
    verb : str
        "summary", or one of the methods of `_lcca.Pieces`.
    arguments : sequence
        The arguments of that method.
    *shards : Shard or Empty
        The shards of this worker. Only "summary" may be asked of empty ones.

    Returns
    -------
    Answer
        To be merged with the answers of other workers.
    """
    start = time.perf_counter()
    if verb == "summary":
        here = {"worker": str(get_worker().address), "threads": _kept.threads(), "memory": _memory()}
        value: Any = [shard.summary() | here for shard in shards]
    else:
        value = _VERBS[verb](_kept.entry(owner, shards), *arguments)
    return Answer(value, time.perf_counter() - start, len(shards), nested_bytes(value))


def _products(
    entry: _kept.Entry, sources: Any, requested: list[tuple[int, int]], dtype: str
) -> list[_cut.Product]:
    """Products without the rows of columns that no shard here touches."""
    aligned = tuple(s and (_aligned(s[0]), None if s[1] is None else _aligned(s[1])) for s in sources)
    products = zip(entry.pieces.products(aligned, requested), requested, strict=True)
    return [_cut.cut(product, entry.touched(target), dtype) for product, (target, _) in products]


def _aligned(array: Any) -> NDArray[np.float64]:
    return np.require(array, np.float64, ["C", "A"])


_VERBS: dict[str, Callable[..., Any]] = {
    "products": _products,
    "moments": lambda entry, side: entry.pieces.moments(side),
    "gram": lambda entry, side, limit: entry.pieces.gram(side, _within(limit)),
    "gram_sample": lambda entry, shards: entry.pieces.gram_sample(shards),
    "joint_gram": lambda entry, limit: entry.pieces.joint_gram(_within(limit)),
    "dense_gram": lambda entry, means, limit: entry.pieces.dense_gram(aligned_arrays(means), _within(limit)),
    "triangle": lambda entry, limit: entry.pieces.triangle(_within(limit)),
    "block_gram": lambda entry, columns, means, limit: entry.pieces.block_gram(
        aligned_arrays(columns), aligned_arrays(means), _within(limit)
    ),
    "sample": lambda entry, rows, of: entry.pieces.sample(max(1, rows * entry.pieces.rows // of)),
}


def combine(verb: str, *answers: Answer) -> Answer:
    """The answer for the shards of several workers together, merged in the given order."""
    value, *others = (
        answer.value if verb == "products" else aligned_arrays(answer.value) for answer in answers
    )
    for other in others:
        # None means that one of the workers cannot form the matrix, so nobody can form the sum.
        value = None if value is None or other is None else _MERGES[verb](value, other)
    return _merged(value, answers)


def _merged(value: Any, answers: Sequence[Answer]) -> Answer:
    return Answer(
        value, max(a.seconds for a in answers), sum(a.shards for a in answers), sum(a.nbytes for a in answers)
    )


def sum_in_place(*answers: Answer) -> Answer:
    """The sum of products, formed in the memory of the first answer, which nobody else needs."""
    value = answers[0].value
    for other in answers[1:]:
        value = [_cut.add_in_place(x, y) for x, y in zip(value, other.value, strict=True)]
    return _merged(value, answers)


_MERGES: dict[str, Callable[[Any, Any], Any]] = {
    "summary": lambda a, b: a + b,
    "products": lambda a, b: [_cut.add(x, y) for x, y in zip(a, b, strict=True)],
    "moments": lambda a, b: _lcca.add_moments(a, b),
    "gram": lambda a, b: _lcca.add_grams(a, b),
    "gram_sample": lambda a, b: _lcca.add_gram_samples(a, b),
    "joint_gram": lambda a, b: _lcca.add_joint_grams(a, b, _kept.shared_pool(_kept.threads())),
    "dense_gram": lambda a, b: a + b,
    "triangle": lambda a, b: _lcca.stack_triangles(a, b, _kept.shared_pool(_kept.threads())),
    "block_gram": lambda a, b: a + b,
    "sample": lambda a, b: _samples.stack(a, b),
}


def _memory() -> int | None:
    """The bytes that this worker may use before it begins to spill."""
    manager = get_worker().memory_manager
    share = manager.memory_target_fraction or manager.memory_spill_fraction or 1.0
    return int(manager.memory_limit * share) if manager.memory_limit else None


def _within(limit: int) -> int:
    """The limit for a matrix on this worker: at most half of its memory before it spills."""
    memory = _memory()
    return limit if memory is None else min(limit, memory // 2)
