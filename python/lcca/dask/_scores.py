"""Canonical variables as Dask arrays: computed on the workers that hold the rows,
when the arrays are computed."""

from typing import Any

import dask
import dask.array as da

from lcca.dask import _worker
from lcca.dask._shards import Shards


def scores(shards: Shards, rows: list[int], view_weights: list[Any]) -> tuple[Any, Any]:
    """The canonical variables of both views.

    Parameters
    ----------
    shards : Shards
        The shards of the pair.
    rows : list of int
        The number of rows per shard.
    view_weights : list of (weights, mean)
        One entry per view.

    Returns
    -------
    x, y : dask arrays
        One chunk per shard.
    """
    x, y = (
        _view_scores(shards, rows, weights, view)
        for weights, view in zip(view_weights, ("X", "y"), strict=True)
    )
    return x, y


def _view_scores(shards: Shards, rows: list[int], view_weights: Any, view: str) -> Any:
    sent = shards.client.scatter([view_weights], broadcast=True, hash=False)[0]
    columns = view_weights[0].shape[1]
    make = dask.delayed(_worker.scores, pure=False)
    chunks = [
        da.from_delayed(make(shard, sent, view), shape=(count, columns), dtype=float)
        for shard, count in zip(shards.futures, rows, strict=True)
    ]
    return da.concatenate(chunks)
