"""One round: ask every worker once, bring the sum home, and start again where something was lost on the way."""

import asyncio
import concurrent.futures
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
    start, lost = time.perf_counter(), None
    for attempt in range(1, _ATTEMPTS + 1):
        places = shards.places()
        try:
            answer = _attempt(shards.client, places, verb, arguments, panels)
        except (Lost, CancelledError, OSError, TimeoutError, KeyError) as error:
            lost = error
            time.sleep(0.05 * attempt)
            continue
        except Failed as failed:
            shards.raise_failures()
            raise failed.error from None
        return answer.found, _record(verb, start, answer, places, panels, attempt)
    why = f"the last time by {type(lost).__name__}: {lost}" if str(lost) else "workers go away faster than they can answer"
    raise RuntimeError(f"{verb} was lost {_ATTEMPTS} times in a row; {why}") from lost


def _attempt(client: Client, places: dict[str, list[Future]], verb: str, arguments: Any, panels: Any) -> _worker.Answer:
    sent = _broadcast(client, places, panels)
    level = []
    for address, shards in places.items():
        first = [] if panels is None else [sent[address]]
        # Nobody else: a shard would have to move. Where the worker dies, the round is asked again.
        task = client.submit(_worker.ask, verb, [*first, *arguments], *shards, workers=[address], pure=False)
        level.append((address, task))
    if verb == "products" and len(level) <= _FEW and _worker.bytes_of(panels) <= _SMALL:
        return _worker.summed_in_place(*_brought(client, [task for _, task in level], places))
    return _brought(client, [_tree(client, verb, level)], places)[0]


def _brought(client: Client, tasks: list[Future], places: dict[str, list[Future]]) -> list[_worker.Answer]:
    """The answers, here. Dask itself would wait for ever for one whose holder dies while it is on its way."""
    watch = _Watch(client, tasks, set(places))
    watch.until_finished()
    arrived: list[_worker.Answer] = []

    # Futures of two libraries that wait for each other are freed late; what arrives is not left to them.
    async def fetch() -> None:
        arrived.extend(await client.gather(tasks, direct=True, asynchronous=True))

    arriving = asyncio.run_coroutine_threadsafe(fetch(), client.loop.asyncio_loop)
    while True:
        try:
            arriving.result(timeout=_LOOK)
            return arrived
        except concurrent.futures.TimeoutError:
            if arriving.done():
                raise
            if watch.is_in_vain():
                arriving.cancel()
                raise Lost from None


def _broadcast(client: Client, places: dict[str, list[Future]], panels: Any) -> dict[str, Future]:
    """The panels on every worker: sent to each where there are few, else to one and on from there as a tree."""
    if panels is None:
        return {}
    if len(places) > _FEW:
        future = client.scatter([panels], workers=list(places), broadcast=True, hash=False, direct=True)[0]
        return dict.fromkeys(places, future)
    return client.sync(_send, client, list(places), panels)  # type: ignore[no-any-return]


async def _send(client: Client, addresses: list[str], panels: Any) -> dict[str, Future]:
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


class _Watch:
    """Tasks that are waited for, of workers that may die. What these were asked is asked again of those that take over."""

    def __init__(self, client: Client, tasks: list[Future], asked: set[str]) -> None:
        self._client, self._tasks, self._asked = client, tasks, asked
        self._forgotten = Forgotten(client)

    def is_in_vain(self) -> bool:
        """Whether a worker is gone, or a task."""
        return not self._asked <= set(self._client.nthreads()) or bool(self._forgotten.look(self._tasks))

    def until_finished(self) -> None:
        """Until all answers are there, on the workers."""
        while True:
            try:
                wait(self._tasks, timeout=_LOOK)
            except TimeoutError:
                if self.is_in_vain():
                    raise Lost from None
                continue
            for task in self._tasks:
                if task.status == "error":
                    raise Failed(task.exception())
            if any(task.status != "finished" for task in self._tasks):
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
        "bytes_out": len(places) * _worker.bytes_of(panels),
        "bytes_in": answer.nbytes,
        "seconds": seconds,
        "kernel": answer.seconds,
        "waiting": seconds - answer.seconds,
        "attempts": attempts,
    }
