"""Gives shards to workers that joined, once they have been idle for some time."""

import time
from collections.abc import Callable

from distributed import Client, Future

PATIENCE = 10.0  # seconds that a worker is idle before shards are loaded for it
_LOOK = 2.0  # seconds between two looks at the list of workers

# Starts the loading of a shard on one worker and no other.
Load = Callable[[int, str], Future]


class Balance:
    """Loads shards again on idle workers. A shard keeps serving at its old place until it
    is loaded at the new one."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._looked = time.monotonic()
        self._idle: dict[str, float] = {}
        self._moves: dict[int, tuple[str, Future]] = {}
        self._refused: set[str] = set()

    def look(self, placed: dict[str, list[int]], load: Load) -> None:
        """Notes which workers have no shard, and starts to move shards to those
        that have had none for long."""
        now = time.monotonic()
        if now - self._looked < _LOOK:
            return
        self._looked = now
        workers = self._client.nthreads()
        self._moves = {shard: move for shard, move in self._moves.items() if move[0] in workers}
        idle = set(workers) - set(placed) - self._refused
        self._idle = {address: self._idle.get(address, now) for address in idle}
        if self._moves:
            return
        share = sum(map(len, placed.values())) // len(workers) if workers else 0
        for address in sorted(idle):
            if now - self._idle[address] > PATIENCE:
                for shard in _take_share(placed, share):
                    self._moves[shard] = (address, load(shard, address))

    def moved(self) -> dict[int, Future]:
        """The shards that have been loaded at their new place. A worker that cannot
        load a shard gets no other."""
        ended = {shard: move for shard, move in self._moves.items() if move[1].status != "pending"}
        for shard, (address, future) in ended.items():
            del self._moves[shard]
            if future.status == "error":
                self._refused.add(address)
        return {shard: future for shard, (_, future) in ended.items() if future.status == "finished"}


def _take_share(placed: dict[str, list[int]], share: int) -> list[int]:
    """Removes one more worker's share from `placed`, last shards first,
    always from the worker that has most."""
    taken: list[int] = []
    while len(taken) < share:
        most = max(placed.values(), key=len)
        if len(most) < 2:
            break
        taken.append(most.pop())
    return taken
