"""The memory that a fit needs on every worker, checked before it starts."""

from collections import defaultdict
from typing import Any

_LANES = 8
# As in the engine's `data/rows/parts.rs`.
_MOST_COPIES = 3
_FEW_ROWS = 1 << 20


def panel_bytes(shape: tuple[int, int, int], columns: int) -> int:
    """The bytes of one panel per view."""
    padded = -(-columns // _LANES) * _LANES
    return 8 * (shape[1] + shape[2]) * padded


def worker_bytes(shape: tuple[int, int, int], columns: int, threads: int) -> int:
    """The most that panels take on a worker, in units of one panel per view.

    Sources take two: as they arrived, and in the engine's layout. The four products take two per thread, two
    more as they are sent, and four while they are added to those of another worker. Panels that are kept
    between passes are among these. The engine has fewer copies of large products than threads.
    """
    copies = 1 + max(_MOST_COPIES, _FEW_ROWS // max(1, shape[1] + shape[2]))
    return panel_bytes(shape, columns) * (2 + 2 * min(threads, copies) + 2 + 4)


def check(shards: list[dict[str, Any]], shape: tuple[int, int, int], columns: int) -> None:
    """Raises a MemoryError if the shards and panels of a worker need more memory than it has."""
    shard_bytes: dict[str, int] = defaultdict(int)
    for shard in shards:
        shard_bytes[shard["worker"]] += shard["bytes"]
    for worker, data in sorted(shard_bytes.items()):
        about = next(shard for shard in shards if shard["worker"] == worker)
        panels = worker_bytes(shape, columns, about["threads"])
        if about["memory"] is not None and data + panels > about["memory"]:
            raise MemoryError(
                f"worker {worker} has {about['memory'] / 1e9:.3g} GB before it spills and would need "
                f"{(data + panels) / 1e9:.3g} GB: {data / 1e9:.3g} GB of shards and {panels / 1e9:.3g} GB of "
                f"panels of {columns} columns; use more workers, fewer threads on each, or fewer components"
            )
