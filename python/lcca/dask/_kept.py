"""What a worker keeps between passes: the shards of one pair as the engine's `Pieces`,
their scratch panels, and threads.

There is one entry per pair of views and worker. It refers to its shards weakly and is dropped as soon as one
of them is gone: moved to another worker, spilled to disk, or released by the client. An entry answers only
for the very shards that it was built from, and the client drops its entries when a fit ends.
"""

import weakref
from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol
from weakref import WeakValueDictionary

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from lcca import _lcca


class HasRows(Protocol):
    """A shard, as far as it matters here."""

    rows: _lcca.Rows

    @property
    def touched(self) -> list[NDArray[np.bool_]]:
        """Per view, which columns have entries."""


_Key = tuple[str, str]
_entries: dict[_Key, "Entry"] = {}
_pools: "WeakValueDictionary[int, _lcca.Pool]" = WeakValueDictionary()


class Entry:
    """The engine's view of some shards, for as long as all of them are on this worker."""

    def __init__(self, key: _Key, shards: Sequence[HasRows], pool: _lcca.Pool) -> None:
        # A callback that referred to the entry itself would make a cycle,
        # and panels would wait for the garbage collector.
        self._shards = [weakref.ref(shard, partial(_drop_if_built_from, key)) for shard in shards]
        self._touched: dict[int, NDArray[np.intp]] = {}
        self.pool = pool
        self.pieces = _lcca.Pieces([shard.rows for shard in shards], pool)

    def is_built_from(self, shards: Sequence[HasRows], threads: int) -> bool:
        """Whether the entry was built from these shards, in this order, for so many threads."""
        if self.pool.size != threads or len(self._shards) != len(shards):
            return False
        return all(own() is shard for own, shard in zip(self._shards, shards, strict=True))

    def refers_to(self, reference: Any) -> bool:
        """Whether this weak reference is one of the entry's."""
        return any(own is reference for own in self._shards)

    def touched(self, side: int) -> NDArray[np.intp]:
        """The columns of one view that have entries in any of the shards."""
        if side not in self._touched:
            shards = [shard for shard in (own() for own in self._shards) if shard is not None]
            self._touched[side] = np.flatnonzero(
                np.logical_or.reduce([shard.touched[side] for shard in shards])
            )
        return self._touched[side]


def entry(owner: str, shards: Sequence[HasRows]) -> Entry:
    """The entry of one pair of views for these shards, built anew unless the last call
    was for the very same ones."""
    key, size = (_address(), owner), threads()
    known = _entries.get(key)
    if known is None or not known.is_built_from(shards, size):
        # The old entry goes first: two sets of scratch panels may be more than the worker has memory for.
        _entries.pop(key, None)
        known = None
        known = _entries[key] = Entry(key, shards, shared_pool(size))
    return known


async def forget(owners: Sequence[str]) -> None:
    """Drops the entries of these pairs, because a fit has ended.
    Threads end with the last entry that uses them.

    A coroutine, because Dask waits for the answer of any other function.
    """
    for key in list(_entries):
        if key[1] in owners:
            _entries.pop(key, None)


def _drop_if_built_from(key: _Key, reference: Any) -> None:
    known = _entries.get(key)
    if known is not None and known.refers_to(reference):
        _entries.pop(key, None)


def shared_pool(size: int) -> _lcca.Pool:
    """The threads of a size, started unless they run already."""
    running = _pools.get(size)
    if running is None:
        running = _pools[size] = _lcca.Pool(size)
    return running


def threads() -> int:
    """The threads of this worker; 1 outside of a task, because a shard may also be
    unpickled by the client."""
    try:
        return int(get_worker().state.nthreads)
    except ValueError:
        return 1


def _address() -> str:
    """Workers may share a process, but not their shards."""
    try:
        return str(get_worker().address)
    except ValueError:
        return ""
