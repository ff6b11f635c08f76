"""Workers keep what they built between passes: nothing is built twice, answers for other shards,
or stays behind."""

import asyncio
import gc
import os
import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import ROWS, SLOW, X_COLS, Y_COLS, Saboteur, loaders, workers

import lcca

distributed = pytest.importorskip("distributed")
import lcca.dask  # noqa: E402
from lcca.dask import _kept, _worker  # noqa: E402


def panels(columns=4):
    random = np.random.default_rng(1)
    return (random.standard_normal((X_COLS, columns)), None), (
        random.standard_normal((Y_COLS, columns)),
        None,
    )


ALL = [(0, 0), (1, 0), (0, 1), (1, 1)]


def kept():
    """The identity of everything that a worker keeps, and the panels it has allocated so far."""
    return {
        key[1]: (id(e), id(e.pieces), id(e.pool), e.pieces.panels_built) for key, e in _kept._entries.items()
    }


def counted(monkeypatch, name):
    """Counts how often a class of the engine is made."""
    made, original = [], getattr(lcca._lcca, name)

    def make(*arguments):
        made.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(lcca._lcca, name, make)
    return made


def shard(views, first, last):
    return _worker.load(f"{first}", *(view[first:last] for view in views))


@pytest.fixture(autouse=True)
def nothing_kept():
    _kept._entries.clear()
    yield
    _kept._entries.clear()


def test_a_second_pass_on_a_worker_builds_nothing(client, views):
    pair = lcca.dask.from_loaders(client, loaders(views, 4))
    pair.products(panels(), ALL)
    before = client.run(kept)
    assert all(len(entries) == 1 for entries in before.values())
    for _ in range(3):
        pair.products(panels(), ALL)
    assert client.run(kept) == before


def test_a_second_pass_makes_no_pieces_no_threads_and_no_panels(views, monkeypatch):
    shards = [shard(views, 0, 1500), shard(views, 1500, ROWS)]
    first = _worker.ask("pair", "products", [panels(), ALL, "float64"], *shards)
    built = [entry.pieces.panels_built for entry in _kept._entries.values()]
    assert built == [2 + 4]
    pieces, pools = counted(monkeypatch, "Pieces"), counted(monkeypatch, "Pool")
    second = _worker.ask("pair", "products", [panels(), ALL, "float64"], *shards)
    _worker.ask("pair", "moments", [0], *shards)
    assert (pieces, pools) == ([], [])
    assert [entry.pieces.panels_built for entry in _kept._entries.values()] == built
    # The first pass left numbers in the panels; the second must not add to them.
    for a, b in zip(first.value, second.value, strict=True):
        np.testing.assert_array_equal(a, b)


def test_panels_of_former_widths_do_not_pile_up(views):
    shards = [shard(views, 0, ROWS)]
    for columns in (9, 7, 5, 7):
        answer = _worker.ask("pair", "products", [panels(columns), ALL, "float64"], *shards)
        (x, y), (wx, wy) = views, (source[0] for source in panels(columns))
        for product, truth in zip(
            answer.value, [x.T @ (x @ wx), y.T @ (x @ wx), x.T @ (y @ wy), y.T @ (y @ wy)], strict=True
        ):
            np.testing.assert_allclose(product, truth, atol=1e-9 * abs(truth).max())
    # No width was the last pass's, so every pass allocated its own six panels, and six are kept at most.
    assert [entry.pieces.panels_built for entry in _kept._entries.values()] == [4 * 6]


def test_other_shards_are_not_answered_from_the_old_ones(views):
    a, b, c = (shard(views, 1000 * i, 1000 * (i + 1)) for i in range(3))

    def rows(*shards):
        return _worker.ask("pair", "moments", [0], *shards).value[0]

    assert rows(a, b) == 2000
    assert rows(a, b, c) == 3000
    assert rows(b) == 1000
    # As many shards, of the same names and sizes, but other rows.
    other = _worker.load("0", *(view[3000:4000] for view in views))
    truth = np.asarray(views[0][3000:4000].sum(axis=0)).ravel()
    assert rows(a) == 1000
    np.testing.assert_array_equal(_worker.ask("pair", "moments", [0], other).value[1], truth)
    assert len(_kept._entries) == 1


def test_touched_columns_are_those_of_the_shards_at_hand():
    left = sp.csr_array(np.eye(4, 40))
    right = sp.csr_array(np.eye(4, 40, 20))
    sources = [((np.ones((40, 1)), None), None), [(0, 0)], "float64"]
    first = _worker.ask("pair", "products", sources, _worker.load("a", left, left)).value[0]
    second = _worker.ask("pair", "products", sources, _worker.load("a", right, right)).value[0]
    assert first.rows.tolist() == [0, 1, 2, 3] and second.rows.tolist() == [20, 21, 22, 23]


def test_pairs_do_not_share_what_is_kept(views):
    a, b = shard(views, 0, 1000), shard(views, 1000, 3000)
    for _ in range(2):
        assert _worker.ask("one", "moments", [0], a).value[0] == 1000
        assert _worker.ask("two", "moments", [0], b).value[0] == 2000
    assert len(_kept._entries) == 2
    asyncio.run(_kept.forget(["one"]))
    assert [key[1] for key in _kept._entries] == ["two"]


def test_a_shard_that_goes_takes_along_what_was_built_from_it(views):
    a, b = shard(views, 0, 1000), shard(views, 1000, 2000)
    _worker.ask("pair", "products", [panels(), ALL, "float64"], a, b)
    gc.disable()
    try:
        del a
        assert not _kept._entries and not _kept._pools
    finally:
        gc.enable()


def test_a_shard_that_goes_leaves_alone_what_was_built_without_it(views):
    a, b = shard(views, 0, 1000), shard(views, 1000, 2000)
    _worker.ask("pair", "moments", [0], a, b)
    _worker.ask("pair", "moments", [0], b)
    entry = next(iter(_kept._entries.values()))
    del a
    assert list(_kept._entries.values()) == [entry]


def until(client, condition):
    """Waits for a condition: workers act soon on a message, but nobody waits for them to."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if all(map(condition, client.run(kept).values())):
            return True
        time.sleep(0.05)
    return False


def test_workers_keep_entries_during_a_fit_and_none_after_it(client, views):
    pair = lcca.dask.from_loaders(client, loaders(views, 4))
    seen = []
    settings = SLOW | {"structure": True, "memory": 1}
    lcca.CCA(**settings, callback=lambda row: seen.append(client.run(kept))).fit(pair)
    assert all(entries for entries in seen[-1].values())
    # The same pieces and threads served iteration after iteration.
    identities = [
        {(address, *e[:3]) for address, entries in s.items() for e in entries.values()} for s in seen
    ]
    assert identities[0] <= identities[-1] and len(seen) > 5
    assert until(client, lambda entries: not entries)

    def fail(row):
        raise LookupError

    with pytest.raises(LookupError):
        lcca.CCA(**settings, callback=fail).fit(pair)
    assert until(client, lambda entries: not entries)
    lcca.CCA(**SLOW).fit(*views).correlations(pair)
    assert until(client, lambda entries: not entries)


def test_a_round_that_outlives_its_fit_leaves_nothing_behind(client, views, monkeypatch):
    from lcca.dask import _round

    pair = lcca.dask.from_loaders(client, loaders(views, 4))
    run, is_running = _round.run, threading.Event()

    def slow(*arguments):
        is_running.set()
        time.sleep(0.5)
        return run(*arguments)

    monkeypatch.setattr(_round, "run", slow)
    late = threading.Thread(target=pair.products, args=(panels(), ALL))
    late.start()
    assert is_running.wait(timeout=10)
    pair.finish()
    late.join()
    assert until(client, lambda entries: not entries)


def test_a_pair_that_is_released_leaves_nothing_on_the_workers(client, views):
    pair = lcca.dask.from_loaders(client, loaders(views, 4))
    pair.products(panels(), ALL)
    assert all(client.run(kept).values())
    del pair
    gc.collect()
    assert until(client, lambda entries: not entries)


def test_shards_that_come_to_another_worker_are_counted_there_and_once(client, views):
    pair = lcca.dask.from_loaders(client, loaders(views, 4))
    truth = np.asarray(views[0].T @ (views[0] @ panels()[0][0]))
    process = sorted(workers(client).items())[0][1]
    disturb = Saboteur(lambda: os.kill(process, signal.SIGKILL))
    for iteration in (2, 3, 4):
        disturb({"iteration": iteration})
        np.testing.assert_allclose(pair.products(panels(), [(0, 0)])[0], truth, atol=1e-9 * abs(truth).max())
    client.wait_for_workers(2, timeout=60)
