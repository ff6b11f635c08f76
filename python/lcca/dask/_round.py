"""One round: ask every worker once, bring the sum home, and start again where something was lost on the way."""

import time
from concurrent.futures import CancelledError
from typing import Any

from distributed import Client, Future, TimeoutError, wait

from lcca.dask import _worker
from lcca.dask._shards import Forgotten, Shards

_FAN_IN = 4  # answers that one worker adds up
_FEW = 4  # workers that the client itself sends panels to and adds up; beyond, they do so among themselves
_SMALL = 32 << 20  # bytes of panels whose products are not worth sending from worker to worker
_LOOK = 0.25  # seconds between two looks at whether every asked worker is still there
_ATTEMPTS = 12


class Lost(Exception):
    """A worker, a panel or an answer went away in mid-round."""


class Failed(Exception):
    """A task raised something of its own."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def run(shards: Shards, verb: str, arguments: tuple[Any, ...], panels: Any = None) -> tuple[Any, dict[str, Any]]:
    """The answer of all shards together, and what it took.

    `panels`, where given, go to every worker once and stand before the other arguments.
    """
    start = time.perf_counter()
    for attempt in range(1, _ATTEMPTS + 1):
        places = shards.places()
        try:
            answer = _attempt(shards.client, places, verb, arguments, panels)
        except (Lost, CancelledError, OSError, TimeoutError, KeyError):
            time.sleep(0.05 * attempt)
            continue
        except Failed as failed:
            shards.raise_failures()
            raise failed.error from None
        return answer.found, _record(verb, start, answer, places, panels, attempt)
    raise RuntimeError(f"{verb} was lost {_ATTEMPTS} times in a row: workers of the cluster go away faster than they can answer")


def _attempt(client: Client, places: dict[str, list[Future]], verb: str, arguments: Any, panels: Any) -> _worker.Answer:
    sent = _broadcast(client, places, panels)
    level = []
    for address, shards in places.items():
        first = [] if panels is None else [sent[address]]
        # Nobody else: a shard would have to move. Where the worker dies, the round is asked again.
        task = client.submit(_worker.ask, verb, [*first, *arguments], *shards, workers=[address], pure=False)
        level.append((address, task))
    if verb == "products" and len(level) <= _FEW and bytes_of(panels) <= _SMALL:
        return _worker.summed_in_place(*_brought(client, [task for _, task in level], places))
    return _brought(client, [_tree(client, verb, level)], places)[0]


def _brought(client: Client, tasks: list[Future], places: dict[str, list[Future]]) -> list[_worker.Answer]:
    _wait(client, tasks, set(places))
    return client.gather(tasks, direct=True)  # type: ignore[no-any-return]


def _broadcast(client: Client, places: dict[str, list[Future]], panels: Any) -> dict[str, Future]:
    """The panels on every worker: sent to each where there are few, else to one and on from there as a tree."""
    if panels is None:
        return {}
    if len(places) > _FEW:
        future = client.scatter([panels], workers=list(places), broadcast=True, hash=False, direct=True)[0]
        return dict.fromkeys(places, future)
    return client.sync(_send, client, list(places), panels)  # type: ignore[no-any-return]


async def _send(client: Client, addresses: list[str], panels: Any) -> dict[str, Future]:
    import asyncio

    def send(address: str) -> Any:
        return client.scatter([panels], workers=[address], hash=False, direct=True, asynchronous=True)

    sent = await asyncio.gather(*map(send, addresses))
    return {address: futures[0] for address, futures in zip(addresses, sent, strict=True)}


def _tree(client: Client, verb: str, level: list[tuple[str, Future]]) -> Future:
    """Adds the answers up on the workers, a few at a time, so that one arrives here."""
    while len(level) > 1:
        groups = [level[i : i + _FAN_IN] for i in range(0, len(level), _FAN_IN)]
        level = [(group[0][0], _combined(client, verb, group)) for group in groups]
    return level[0][1]


def _combined(client: Client, verb: str, group: list[tuple[str, Future]]) -> Future:
    (address, first), *rest = group
    if not rest:
        return first
    return client.submit(_worker.combine, verb, *(task for _, task in group), workers=[address], pure=False)


def _wait(client: Client, roots: list[Future], asked: set[str]) -> None:
    """Until the answers are there. Where a worker is gone, what it was asked is asked again of those that take over."""
    forgotten = Forgotten(client)
    while True:
        try:
            wait(roots, timeout=_LOOK)
        except TimeoutError:
            if not asked <= set(client.nthreads()) or forgotten.look(roots):
                raise Lost from None
            continue
        for root in roots:
            if root.status == "error":
                raise Failed(root.exception())
        if any(root.status != "finished" for root in roots):
            raise Lost
        return


def _record(
    verb: str, start: float, answer: _worker.Answer, places: dict[str, list[Future]], panels: Any, attempts: int
) -> dict[str, Any]:
    seconds = time.perf_counter() - start
    return {
        "verb": verb,
        "workers": len(places),
        "shards": answer.shards,
        "bytes_out": len(places) * bytes_of(panels),
        "bytes_in": len(places) * bytes_of(answer.found),
        "seconds": seconds,
        "kernel": answer.seconds,
        "waiting": seconds - answer.seconds,
        "attempts": attempts,
    }


def bytes_of(found: Any) -> int:
    """Bytes of all arrays in a nest of tuples and lists."""
    if isinstance(found, (tuple, list)):
        return sum(map(bytes_of, found))
    return int(getattr(found, "nbytes", 0))
