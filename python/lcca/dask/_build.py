"""Pairs from loaders, files, delayed values, Dask arrays and frames."""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import dask
from distributed import Client

from lcca import _views
from lcca.dask import _files, _worker
from lcca.dask._losses import WAIT, Patience
from lcca.dask._pair import Pair
from lcca.dask._shards import Recipe


def from_loaders(
    client: Client,
    loaders: Iterable[Sequence[Any]],
    *,
    transfer: str = "float64",
    retries: int = 2,
    worker_timeout: float = WAIT,
) -> Pair:
    """Makes a pair whose shards are loaded by the workers.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    loaders : iterable of (x, y) or (x, y, weights)
        One entry per shard. `x` and `y` are functions without arguments that return rows, paths of files that
        lcca reads as the workers see them, or URLs of such files that fsspec opens; `weights` is a function
        or an array of row weights. Shards without rows are left out; a file must have rows. If both views of
        a shard have names of rows, such as the indexes of frames, rows are paired by them within the shard,
        and different names are an error; rows of two shards are never paired.
    transfer : str
        The type in which panels and products travel. "float32" halves the bytes of a pass and rounds every
        number of a panel to 24 bits: products are off by about 1e-7 of their size, and so is the total.
        [default: "float64"]
    retries : int
        How often a loader that raised an exception is called again.
    worker_timeout : float
        Seconds to wait for a worker if the cluster has none, or if all are paused because their memory is
        full, and for one that sends nothing any more, because its process is stopped or its machine cut off.
        A warning says what is waited for, for a silent worker after 30 s or half of the time, and a
        `NoWorkersError` or `SilentWorkerError` ends the wait. The default is that of Dask's own
        `worker-ttl`. [default: 300]

    Returns
    -------
    Pair
        To be given to `CCA.fit`.
    """
    sources = [tuple(source) for source in loaders]
    for shard, source in enumerate(sources):
        if len(source) not in (2, 3):
            raise ValueError(f"shard {shard} has {len(source)} loaders, expected (x, y) or (x, y, weights)")
    names = _distinct([_name(shard, source[0]) for shard, source in enumerate(sources)])
    recipes = [_recipe(name, source) for name, source in zip(names, sources, strict=True)]
    return Pair(client, names, recipes, transfer=transfer, retries=retries, worker_timeout=worker_timeout)


def from_parquet(
    client: Client,
    x: Any,
    y: Any,
    *,
    transfer: str = "float64",
    retries: int = 2,
    worker_timeout: float = WAIT,
) -> Pair:
    """Makes a pair from Parquet files with columns of numbers; no worker reads more than its own row groups.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    x, y : path, URL, or list of either
        The files as the workers see them, or as fsspec opens them. Both views must have the same row groups.
    transfer, retries, worker_timeout
        As for `from_loaders`.

    Returns
    -------
    Pair
        One shard per row group.
    """
    Patience(client, worker_timeout).wait("the row groups of the files are to be counted")
    groups = [_row_groups(client, view) for view in (x, y)]
    if len(groups[0]) != len(groups[1]):
        raise ValueError(
            f"x has {len(groups[0])} groups of rows and y has {len(groups[1])}, expected equally many"
        )
    return from_loaders(
        client, zip(*groups, strict=True), transfer=transfer, retries=retries, worker_timeout=worker_timeout
    )


def _row_groups(client: Client, view: Any) -> list[_files.RowGroup]:
    paths = [os.fspath(path) for path in ([view] if _views.is_file(view) else view)]
    return [group for groups in client.gather(client.map(_files.row_groups, paths)) for group in groups]


def from_delayed(
    client: Client,
    shards: Iterable[Sequence[Any]],
    *,
    transfer: str = "float64",
    retries: int = 2,
    worker_timeout: float = WAIT,
) -> Pair:
    """Makes a pair from Delayed values.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    shards : iterable of (x, y) or (x, y, weights)
        Delayed values of anything that a loader may return, such as SciPy matrices and arrays. Indexes of
        frames are compared as for `from_loaders`.
    transfer, retries, worker_timeout
        As for `from_loaders`.

    Returns
    -------
    Pair
        To be given to `CCA.fit`.
    """
    return from_loaders(client, shards, transfer=transfer, retries=retries, worker_timeout=worker_timeout)


def from_array(
    client: Client,
    x: Any,
    y: Any,
    weights: Any = None,
    *,
    transfer: str = "float64",
    retries: int = 2,
    worker_timeout: float = WAIT,
) -> Pair:
    """Makes a pair from Dask arrays with sparse or dense blocks.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    x, y : dask arrays of two dimensions
        Both views, in the same chunks of rows and in one chunk of columns each.
    weights : dask array of one dimension, optional
        Row weights, in the same chunks.
    transfer, retries, worker_timeout
        As for `from_loaders`.

    Returns
    -------
    Pair
        One shard per chunk.
    """
    views = [x, y] if weights is None else [x, y, weights]
    for name, view in zip("xy", views, strict=False):
        if view.ndim == 2 and view.numblocks[1] != 1:
            raise ValueError(
                f"{name} is cut into {view.numblocks[1]} chunks of columns, expected one: rechunk({{1: -1}})"
            )
    if any(view.numblocks[0] != x.numblocks[0] for view in views) or any(_differ(view, x) for view in views):
        raise ValueError("the arrays have different chunks of rows: rechunk one like the other")
    shards = zip(*(view.to_delayed().ravel() for view in views), strict=True)
    return from_delayed(client, shards, transfer=transfer, retries=retries, worker_timeout=worker_timeout)


def from_dataframe(
    client: Client,
    frame: Any,
    x: Callable[[Any], Any],
    y: Callable[[Any], Any],
    *,
    transfer: str = "float64",
    retries: int = 2,
    worker_timeout: float = WAIT,
) -> Pair:
    """Makes a pair from a Dask frame and two functions, such as a vectorizer's `transform` of a column.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    frame : dask frame
        The rows.
    x, y : callable
        Make one view each from a partition. They must return the same columns for every partition: a
        HashingVectorizer does, and so does any vectorizer that was fitted beforehand.
    transfer, retries, worker_timeout
        As for `from_loaders`.

    Returns
    -------
    Pair
        One shard per partition.
    """
    parts = frame.to_delayed()
    make_x, make_y = dask.delayed(x, pure=False), dask.delayed(y, pure=False)
    shards = [(make_x(part), make_y(part)) for part in parts]
    return from_delayed(client, shards, transfer=transfer, retries=retries, worker_timeout=worker_timeout)


def _recipe(name: str, source: tuple[Any, ...]) -> Recipe:
    def make(key: str, _from_source: bool) -> Any:
        return dask.delayed(_worker.load, pure=False)(name, *source, dask_key_name=key)

    return make


def _name(shard: int, x: Any) -> str:
    if isinstance(x, _files.RowGroup):
        return f"{x.path}, group {x.group}"
    return os.fspath(x) if _views.is_file(x) else f"shard {shard}"


def _distinct(names: list[str]) -> list[str]:
    """Numbers the names if two are equal: the same file twice is two shards."""
    if len(set(names)) == len(names):
        return names
    return [f"{name} ({shard})" for shard, name in enumerate(names)]


def _differ(a: Any, b: Any) -> bool:
    """Whether known lengths of chunks differ; unknown ones are NaN and compare unequal to themselves."""
    return any(m != n and m == m and n == n for m, n in zip(a.chunks[0], b.chunks[0], strict=True))
