"""Canonical variables as Dask arrays: computed where the rows are, when somebody asks."""

from typing import Any

import dask
import dask.array as da

from lcca.dask import _worker
from lcca.dask._shards import Shards


def scores(shards: Shards, rows: list[int], halves: list[Any]) -> tuple[Any, Any]:
    """Of both views, one chunk a shard."""
    x, y = (_of_view(shards, rows, half, view) for half, view in zip(halves, ("X", "y"), strict=True))
    return x, y


def _of_view(shards: Shards, rows: list[int], half: Any, view: str) -> Any:
    sent = shards.client.scatter([half], broadcast=True, hash=False)[0]
    columns = half[0].shape[1]
    make = dask.delayed(_worker.scores, pure=False)
    chunks = [
        da.from_delayed(make(shard, sent, view), shape=(count, columns), dtype=float)
        for shard, count in zip(shards.futures, rows, strict=True)
    ]
    return da.concatenate(chunks)
