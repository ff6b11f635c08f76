"""Workers that die, restart and join during a fit."""

import os
import signal
import time

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import ROWS, SLOW, Saboteur, later, loaded, loaders, workers

import lcca

pytest.importorskip("distributed")
import lcca.dask  # noqa: E402


def test_a_worker_killed_in_mid_fit_costs_its_shards_and_nothing_else(client, views, tmp_path):
    truth = lcca.CCA(**SLOW).fit(*views)
    log = tmp_path / "log"
    pair = lcca.dask.from_loaders(client, loaders(views, 6, log))
    assert sorted(loaded(log)) == list(range(6))
    address, process = sorted(workers(client).items())[0]
    held = pair._shards.places()[address]
    lost = {pair._shards.futures.index(future) for future in held}
    assert 0 < len(lost) < 6
    kill = Saboteur(later(0.01, lambda: os.kill(process, signal.SIGKILL)))
    model = lcca.CCA(**SLOW, callback=kill).fit(pair)
    assert kill.done and process not in workers(client).values()
    assert abs(model.total_ - truth.total_) < 1e-10 and model.n_passes_ == truth.n_passes_
    assert lost == set(loaded(log)[6:])


def test_a_worker_added_and_one_restarted_by_its_nanny_change_nothing(cluster, client, views):
    truth = lcca.CCA(**SLOW).fit(*views)
    pair = lcca.dask.from_loaders(client, loaders(views, 4))

    def disturb():
        cluster.scale(3)
        client.restart_workers([sorted(workers(client))[0]], timeout=60, raise_for_error=False)

    before, disturbed = set(pair._shards.places()), Saboteur(later(0.0, disturb))
    model = lcca.CCA(**SLOW, callback=disturbed).fit(pair)
    disturbed.act.join()
    cluster.scale(2)
    assert disturbed.done and abs(model.total_ - truth.total_) < 1e-10
    assert not before <= set(pair._shards.places())


def test_a_worker_that_joins_is_given_shards_once_it_stood_idle_for_long(
    cluster, client, views, tmp_path, monkeypatch
):
    from lcca.dask import _balance

    monkeypatch.setattr(_balance, "PATIENCE", 0.0)
    monkeypatch.setattr(_balance, "_LOOK", 0.0)
    truth = lcca.CCA(**SLOW).fit(*views)
    log = tmp_path / "log"
    pair = lcca.dask.from_loaders(client, loaders(views, 6, log))
    before = set(pair._shards.places())
    cluster.scale(3)
    client.wait_for_workers(3, timeout=60)
    try:
        deadline = time.monotonic() + 60
        while sorted(map(len, pair._shards.places().values())) != [2, 2, 2] and time.monotonic() < deadline:
            time.sleep(0.05)
        held = pair._shards.places()
        assert before < set(held) and sorted(map(len, held.values())) == [2, 2, 2]
        assert len(loaded(log)) == 6 + 2
        model = lcca.CCA(**SLOW).fit(pair)
    finally:
        cluster.scale(2)
    assert abs(model.total_ - truth.total_) < 1e-10 and model.n_passes_ == truth.n_passes_


def test_a_worker_that_cannot_load_what_it_is_given_is_left_alone(
    cluster, client, views, tmp_path, monkeypatch
):
    from lcca.dask import _balance

    monkeypatch.setattr(_balance, "PATIENCE", 0.0)
    monkeypatch.setattr(_balance, "_LOOK", 0.0)
    known = set(workers(client).values())

    def load(view, a, b):
        def call():
            if os.getpid() not in known:
                raise FileNotFoundError("not on this machine")
            return view[a:b]

        return call

    x, y = views
    spans = [(0, 1000), (1000, 2000), (2000, 3000), (3000, ROWS)]
    pair = lcca.dask.from_loaders(client, [(load(x, a, b), load(y, a, b)) for a, b in spans], retries=0)
    cluster.scale(3)
    client.wait_for_workers(3, timeout=60)
    try:
        deadline = time.monotonic() + 60
        while not pair._shards._balance._refused and time.monotonic() < deadline:
            assert len(pair._shards.places()) == 2
            time.sleep(0.05)
        assert len(pair._shards._balance._refused) == 1
        model = lcca.CCA(3).fit(pair)
        assert not pair._shards._balance._moves and len(pair._shards.places()) == 2
    finally:
        cluster.scale(2)
    assert abs(model.total_ - lcca.CCA(3).fit(x, y).total_) < 1e-9


def test_workers_that_join_together_get_equal_shares(monkeypatch):
    from lcca.dask import _balance

    class Client:
        def nthreads(self):
            return dict.fromkeys("abcd", 1)

    monkeypatch.setattr(_balance, "PATIENCE", -1.0)
    monkeypatch.setattr(_balance, "_LOOK", -1.0)
    given = []
    _balance.Balance(Client()).look({"a": list(range(16))}, lambda shard, address: given.append(address))
    assert sorted(given) == ["b"] * 4 + ["c"] * 4 + ["d"] * 4


@pytest.mark.parametrize("joins", [False, True])
def test_shards_that_were_reduced_come_back_as_well(cluster, client, views, tmp_path, monkeypatch, joins):
    from lcca.dask import _balance

    monkeypatch.setattr(_balance, "PATIENCE", 0.0 if joins else 60.0)
    monkeypatch.setattr(_balance, "_LOOK", 0.0)
    x, y = views
    wide = sp.hstack([x, sp.csr_array((ROWS, 50))], format="csr"), y
    settings = SLOW | {"structure": True, "memory": 1}
    truth, log = lcca.CCA(**settings).fit(*wide), tmp_path / "log"
    pair = lcca.dask.from_loaders(client, loaders(wide, 6, log, wait=0.05))
    process = sorted(workers(client).items())[0][1]
    disturb = Saboteur(
        later(0.0, lambda: cluster.scale(3))
        if joins
        else later(0.01, lambda: os.kill(process, signal.SIGKILL))
    )
    model = lcca.CCA(**settings, callback=disturb).fit(pair)
    disturb.act.join()
    cluster.scale(2)
    assert disturb.done and abs(model.total_ - truth.total_) < 1e-10 and model.n_passes_ == truth.n_passes_
    assert joins or len(loaded(log)) > 6


def test_an_answer_whose_worker_dies_on_the_way_is_asked_again(client, views, monkeypatch):
    from lcca.dask import _round

    pair = lcca.dask.from_loaders(client, loaders(views, 4))
    process, waits = sorted(workers(client).items())[0][1], _round._Watch.until_finished

    def kill(watch):
        waits(watch)
        monkeypatch.setattr(_round._Watch, "until_finished", waits)
        os.kill(process, signal.SIGKILL)

    monkeypatch.setattr(_round._Watch, "until_finished", kill)
    weight, total, *_ = pair.moments(0)
    assert weight == ROWS and process not in workers(client).values()
    np.testing.assert_allclose(total, np.asarray(views[0].sum(axis=0)).ravel())


def restart(client):
    """Starts all workers anew. Dask's scheduler asserts that no task is left,
    which those that end just then can break."""
    for _ in range(50):
        try:
            return client.restart(timeout=60)
        except AssertionError:
            time.sleep(0.1)
    client.restart(timeout=60)


def test_a_cluster_started_anew_loads_everything_anew(client, views, tmp_path):
    truth = lcca.CCA(**SLOW).fit(*views)
    log = tmp_path / "log"
    pair = lcca.dask.from_loaders(client, loaders(views, 2, log))
    anew = Saboteur(lambda: restart(client))
    model = lcca.CCA(**SLOW, callback=anew).fit(pair)
    assert anew.done and abs(model.total_ - truth.total_) < 1e-10
    assert sorted(loaded(log)) == [0, 0, 1, 1]


def test_a_lost_broadcast_is_sent_again(client, views, monkeypatch):
    from lcca.dask import _round

    truth = lcca.CCA(**SLOW).fit(*views)
    pair = lcca.dask.from_loaders(client, loaders(views, 2))
    send, sent = _round._broadcast, []

    def forgetful(shards, places, panels):
        futures = send(shards, places, panels)
        sent.append(len(places))
        if len(sent) == 5 and futures:
            client.cancel(list(futures.values()), force=True)
        return futures

    monkeypatch.setattr(_round, "_broadcast", forgetful)
    model = lcca.CCA(**SLOW).fit(pair)
    assert len(sent) > 5 and max(p["attempts"] for p in pair.passes_) > 1
    assert abs(model.total_ - truth.total_) < 1e-10


def test_a_loader_that_fails_when_its_shard_has_to_come_back_stops_the_fit(client, views, tmp_path):
    gone = tmp_path / "gone"

    def once():
        if gone.exists():
            raise FileNotFoundError("the file was taken away")
        return views[0]

    pair = lcca.dask.from_loaders(client, [(once, lambda: views[1])], retries=0)
    (address,) = pair._shards.places()
    process = workers(client)[address]

    def sabotage():
        gone.touch()
        os.kill(process, signal.SIGKILL)

    with pytest.raises(lcca.dask.ShardError, match="'shard 0'.*taken away"):
        lcca.CCA(**SLOW, callback=Saboteur(sabotage)).fit(pair)
    gone.unlink()
    assert lcca.CCA(3).fit(pair).total_ > 0
