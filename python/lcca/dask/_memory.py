"""What a fit will take on every worker, before it starts."""

from collections import defaultdict
from typing import Any

_LANES = 8


def panel_bytes(shape: tuple[int, int, int], columns: int) -> int:
    """One panel for each view."""
    padded = -(-columns // _LANES) * _LANES
    return 8 * (shape[1] + shape[2]) * padded


def worker_bytes(shape: tuple[int, int, int], columns: int, threads: int) -> int:
    """Panels on a worker at its worst: those it was sent, twice; four products for every thread, as they are sent, and as
    they are added to another worker's."""
    return panel_bytes(shape, columns) * (2 + 2 * min(threads, 16) + 2 + 4)


def check(shards: list[dict[str, Any]], shape: tuple[int, int, int], columns: int) -> None:
    """A MemoryError where a worker's shards and panels are more than it has."""
    held: dict[str, int] = defaultdict(int)
    for shard in shards:
        held[shard["worker"]] += shard["bytes"]
    for worker, data in sorted(held.items()):
        about = next(shard for shard in shards if shard["worker"] == worker)
        panels = worker_bytes(shape, columns, about["threads"])
        if about["memory"] is not None and data + panels > about["memory"]:
            raise MemoryError(
                f"worker {worker} has {about['memory'] / 1e9:.3g} GB before it spills and would need {(data + panels) / 1e9:.3g} GB: "
                f"{data / 1e9:.3g} GB of shards and {panels / 1e9:.3g} GB of panels of {columns} columns; use more workers, fewer "
                "threads on each, or fewer components"
            )
