"""Pairs from loaders, files, delayed values, Dask arrays and frames."""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import dask
from distributed import Client

from lcca import _views
from lcca.dask import _files, _worker
from lcca.dask._pair import Pair
from lcca.dask._shards import Recipe


def from_loaders(
    client: Client, loaders: Iterable[Sequence[Any]], *, transfer: str = "float64", retries: int = 2
) -> Pair:
    """A pair of which every shard is loaded by a worker.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    loaders : iterable of (x, y) or (x, y, weights)
        One for each shard. `x` and `y` are functions without arguments that return rows, or paths of files that lcca reads, as
        the workers see them, or URLs of such files that fsspec opens; `weights` is a function or an array of row weights.
        Shards without rows are left out; files must have some.
    transfer : str
        What panels and products travel as. "float32" halves the bytes of a pass and rounds every number of a panel to 24 bits:
        products are off by about 1e-7 of their size, and so is the total. [default: "float64"]
    retries : int
        How often a loader that raised is tried again.
    """
    sources = [tuple(source) for source in loaders]
    for at, source in enumerate(sources):
        if len(source) not in (2, 3):
            raise ValueError(f"shard {at} has {len(source)} loaders, expected (x, y) or (x, y, weights)")
    names = _distinct([_name(at, source[0]) for at, source in enumerate(sources)])
    return Pair(client, names, [_recipe(n, s) for n, s in zip(names, sources, strict=True)], transfer=transfer, retries=retries)


def from_parquet(client: Client, x: Any, y: Any, *, transfer: str = "float64", retries: int = 2) -> Pair:
    """A pair of Parquet files with columns of numbers, one shard for each group of rows; no worker reads more than its own.

    `x` and `y` are paths as the workers see them, URLs that fsspec opens, or lists of either, with the same groups.
    """
    groups = [_row_groups(client, view) for view in (x, y)]
    if len(groups[0]) != len(groups[1]):
        raise ValueError(f"x has {len(groups[0])} groups of rows and y {len(groups[1])}, expected as many")
    return from_loaders(client, zip(*groups, strict=True), transfer=transfer, retries=retries)


def _row_groups(client: Client, view: Any) -> list[_files.RowGroup]:
    paths = [os.fspath(path) for path in ([view] if _views.is_file(view) else view)]
    return [group for groups in client.gather(client.map(_files.row_groups, paths)) for group in groups]


def from_delayed(client: Client, shards: Iterable[Sequence[Any]], *, transfer: str = "float64", retries: int = 2) -> Pair:
    """A pair of shards (x, y) or (x, y, weights) of Delayed values: SciPy matrices, arrays, or whatever a loader may return."""
    return from_loaders(client, shards, transfer=transfer, retries=retries)


def from_array(client: Client, x: Any, y: Any, weights: Any = None, *, transfer: str = "float64", retries: int = 2) -> Pair:
    """A pair of Dask arrays with sparse or dense blocks, cut into the same chunks of rows and not into columns."""
    views = [x, y] if weights is None else [x, y, weights]
    for name, view in zip("xy", views, strict=False):
        if view.ndim == 2 and view.numblocks[1] != 1:
            raise ValueError(f"{name} is cut into {view.numblocks[1]} chunks of columns, expected one: rechunk({{1: -1}})")
    if any(view.numblocks[0] != x.numblocks[0] for view in views) or any(_differ(view, x) for view in views):
        raise ValueError("the arrays are cut into different chunks of rows: rechunk one as the other")
    return from_delayed(client, zip(*(view.to_delayed().ravel() for view in views), strict=True), transfer=transfer, retries=retries)


def from_dataframe(
    client: Client, frame: Any, x: Callable[[Any], Any], y: Callable[[Any], Any], *, transfer: str = "float64", retries: int = 2
) -> Pair:
    """A pair of what two functions make of every partition of a Dask frame, such as a vectorizer's `transform` of a column.

    They must give the same columns everywhere: a HashingVectorizer does, or one fitted beforehand.
    """
    parts = frame.to_delayed()
    make_x, make_y = dask.delayed(x, pure=False), dask.delayed(y, pure=False)
    return from_delayed(client, [(make_x(part), make_y(part)) for part in parts], transfer=transfer, retries=retries)


def _recipe(name: str, source: tuple[Any, ...]) -> Recipe:
    def make(key: str, _anew: bool) -> Any:
        return dask.delayed(_worker.load, pure=False)(name, *source, dask_key_name=key)

    return make


def _name(at: int, x: Any) -> str:
    if isinstance(x, _files.RowGroup):
        return f"{x.path}, group {x.group}"
    return os.fspath(x) if _views.is_file(x) else f"shard {at}"


def _distinct(names: list[str]) -> list[str]:
    """The same file twice is two shards."""
    if len(set(names)) == len(names):
        return names
    return [f"{name} ({at})" for at, name in enumerate(names)]


def _differ(a: Any, b: Any) -> bool:
    """Chunks of unknown length are not compared."""
    return any(m != n and m == m and n == n for m, n in zip(a.chunks[0], b.chunks[0], strict=True))
