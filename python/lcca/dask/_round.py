"""One round: ask every worker once and bring home the merged answer;
if something is lost on the way, ask again."""

import asyncio
import concurrent.futures
import time
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from typing import Any

from distributed import Client, Future, TimeoutError, wait

from lcca.dask import _worker
from lcca.dask._shards import Forgotten, Shards

_FAN_IN = 4  # answers that one worker merges
# Up to this many workers, the client itself sends the panels and adds the products; beyond, workers do so.
_FEW = 4
_SMALL = 32 << 20  # bytes of panels up to which products are not worth sending from worker to worker
_LOOK = 0.25  # seconds between two checks that every worker of the round is alive
_ATTEMPTS = 12


class Lost(Exception):
    """A worker, a panel or an answer disappeared during the round."""


class Failed(Exception):
    """A task raised an exception of its own."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def run(
    shards: Shards, owner: str, verb: str, arguments: tuple[Any, ...], panels: Any = None
) -> tuple[Any, dict[str, Any]]:
    """Asks all shards one question.

    Parameters
    ----------
    shards : Shards
        The shards of the pair.
    owner : str
        The token of the pair, under which workers keep what they build for it.
    verb, arguments : str, tuple
        The question; see `_worker.ask`.
    panels : optional
        Goes to every worker once and becomes the first argument.

    Returns
    -------
    value, record : the merged answer, dict
        The record says what the round cost.
    """
    start, lost = time.perf_counter(), None
    for attempt in range(1, _ATTEMPTS + 1):
        places = shards.places()
        try:
            answer = _attempt(shards, places, owner, verb, arguments, panels)
        except (Lost, CancelledError, OSError, TimeoutError, KeyError) as error:
            lost = error
            time.sleep(0.05 * attempt)
            continue
        except Failed as failed:
            shards.raise_failures()
            raise failed.error from None
        return answer.value, _record(verb, start, answer, places, panels, attempt)
    why = (
        "workers disappear faster than they can answer, "
        "as they do if shards and panels together exceed their memory"
    )
    if str(lost):
        why = f"the last time by {type(lost).__name__}: {lost}"
    raise RuntimeError(f"{verb} was lost {_ATTEMPTS} times in a row; {why}") from lost


def _attempt(
    shards: Shards, places: dict[str, list[Future]], owner: str, verb: str, arguments: Any, panels: Any
) -> _worker.Answer:
    client = shards.client
    sent = _broadcast(shards, places, panels)
    level = []
    for address, held in places.items():
        first = [] if panels is None else [sent[address]]
        # No other worker may answer, because shards would have to move.
        # If this one dies, the round is repeated.
        task = client.submit(
            _worker.ask, owner, verb, [*first, *arguments], *held, workers=[address], pure=False
        )
        level.append((address, task))
    if verb == "products" and len(level) <= _FEW and _worker.nested_bytes(panels) <= _SMALL:
        return _worker.sum_in_place(*_fetched(shards, [task for _, task in level], places))
    return _fetched(shards, [_tree(client, verb, level)], places)[0]


def _fetched(shards: Shards, tasks: list[Future], places: dict[str, list[Future]]) -> list[_worker.Answer]:
    """Brings the answers to the client."""
    watch = _Watch(shards, tasks, set(places))
    watch.until_finished()
    arrived: list[_worker.Answer] = []

    # Futures of two libraries that wait for each other are freed late,
    # so they must not own the arrays that arrive.
    async def fetch() -> None:
        arrived.extend(await shards.client.gather(tasks, direct=True, asynchronous=True))

    watch.until_done(fetch())
    return arrived


def _broadcast(shards: Shards, places: dict[str, list[Future]], panels: Any) -> dict[str, Future]:
    """Puts the panels on every worker: sent to each if there are few,
    else to one and from there along a tree."""
    if panels is None:
        return {}
    send = _send_to_all if len(places) > _FEW else _send_to_each
    sent: dict[str, Future] = _Watch(shards, [], set(places)).until_done(
        send(shards.client, list(places), panels)
    )
    return sent


async def _send_to_all(client: Client, addresses: list[str], panels: Any) -> dict[str, Future]:
    sent = await client.scatter(
        [panels], workers=addresses, broadcast=True, hash=False, direct=True, asynchronous=True
    )
    return dict.fromkeys(addresses, sent[0])


async def _send_to_each(client: Client, addresses: list[str], panels: Any) -> dict[str, Future]:
    def send(address: str) -> Any:
        return client.scatter([panels], workers=[address], hash=False, direct=True, asynchronous=True)

    sent = await asyncio.gather(*map(send, addresses))
    return {address: futures[0] for address, futures in zip(addresses, sent, strict=True)}


def _tree(client: Client, verb: str, level: list[tuple[str, Future]]) -> Future:
    """Merges the answers on the workers, a few at a time, so that one arrives at the client."""
    while len(level) > 1:
        groups = [level[i : i + _FAN_IN] for i in range(0, len(level), _FAN_IN)]
        level = [(group[0][0], _combine(client, verb, group)) for group in groups]
    return level[0][1]


def _combine(client: Client, verb: str, group: list[tuple[str, Future]]) -> Future:
    (address, first), *rest = group
    if not rest:
        return first
    return client.submit(_worker.combine, verb, *(task for _, task in group), workers=[address], pure=False)


class _Watch:
    """Waits for workers that may die. If one dies, the round is repeated on the workers that take over."""

    def __init__(self, shards: Shards, tasks: list[Future], workers: set[str]) -> None:
        self._client, self._silence = shards.client, shards.silence
        self._tasks, self._workers = tasks, workers
        self._forgotten = Forgotten(shards.client)

    def is_hopeless(self) -> bool:
        """Whether a worker or a task is gone. Raises if a worker has said nothing for too long."""
        self._silence.look(self._workers)
        return not self._workers <= set(self._client.nthreads()) or bool(self._forgotten.look(self._tasks))

    def until_done(self, transfer: Coroutine[Any, Any, Any]) -> Any:
        """Waits for a transfer between the client and workers. Dask itself would wait forever if
        one of them dies or stops."""
        running = asyncio.run_coroutine_threadsafe(transfer, self._client.loop.asyncio_loop)
        try:
            while True:
                try:
                    return running.result(timeout=_LOOK)
                except concurrent.futures.TimeoutError:
                    if running.done():
                        raise
                    if self.is_hopeless():
                        raise Lost from None
        finally:
            running.cancel()

    def until_finished(self) -> None:
        """Waits until all answers are ready on the workers."""
        while True:
            try:
                wait(self._tasks, timeout=_LOOK)
            except TimeoutError:
                if self.is_hopeless():
                    raise Lost from None
                continue
            for task in self._tasks:
                if task.status == "error":
                    raise Failed(task.exception())
            if any(task.status != "finished" for task in self._tasks):
                raise Lost
            return


def _record(
    verb: str,
    start: float,
    answer: _worker.Answer,
    places: dict[str, list[Future]],
    panels: Any,
    attempts: int,
) -> dict[str, Any]:
    seconds = time.perf_counter() - start
    return {
        "verb": verb,
        "workers": len(places),
        "shards": answer.shards,
        "bytes_out": len(places) * _worker.nested_bytes(panels),
        "bytes_in": answer.nbytes,
        "seconds": seconds,
        "kernel": answer.seconds,
        "waiting": seconds - answer.seconds,
        "attempts": attempts,
    }
