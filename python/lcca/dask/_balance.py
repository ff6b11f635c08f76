"""Gives shards to workers that joined, once they have stood idle for some time."""

import time
from collections.abc import Callable

from distributed import Client, Future

PATIENCE = 10.0  # seconds that a worker stands idle before anything is loaded for it
_LOOK = 2.0  # seconds between two looks at who is there

# Starts the loading of a shard on a worker, and on no other.
Load = Callable[[int, str], Future]


class Balance:
    """Loads shards anew where nobody is busy; they serve where they are until that is done."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._looked = time.monotonic()
        self._idle: dict[str, float] = {}
        self._moves: dict[int, tuple[str, Future]] = {}
        self._refused: set[str] = set()

    def look(self, held: dict[str, list[int]], load: Load) -> None:
        """Notes who holds nothing, and starts to move shards to those that did so for long."""
        now = time.monotonic()
        if now - self._looked < _LOOK:
            return
        self._looked = now
        workers = self._client.nthreads()
        self._moves = {shard: move for shard, move in self._moves.items() if move[0] in workers}
        standing = set(workers) - set(held) - self._refused
        self._idle = {address: self._idle.get(address, now) for address in standing}
        if self._moves:
            return
        share = sum(map(len, held.values())) // len(workers) if workers else 0
        for address in sorted(standing):
            if now - self._idle[address] > PATIENCE:
                for shard in _taken(held, share):
                    self._moves[shard] = (address, load(shard, address))

    def moved(self) -> dict[int, Future]:
        """Shards that are loaded where they were wanted. A worker that cannot load them is not asked again."""
        ended = {shard: move for shard, move in self._moves.items() if move[1].status != "pending"}
        for shard, (address, future) in ended.items():
            del self._moves[shard]
            if future.status == "error":
                self._refused.add(address)
        return {shard: future for shard, (_, future) in ended.items() if future.status == "finished"}


def _taken(held: dict[str, list[int]], share: int) -> list[int]:
    """What one more worker takes, the last first, from those that hold most; from `held` it is gone."""
    taken: list[int] = []
    while len(taken) < share:
        most = max(held.values(), key=len)
        if len(most) < 2:
            break
        taken.append(most.pop())
    return taken
