"""Shards that no worker can load, workers that stop, clusters without workers or closed: a fit ends with one
sentence and does not wait forever."""

import os
import signal
import threading
import warnings

import pytest
from clusters import SLOW, Saboteur, later, loaders, workers

import lcca

distributed = pytest.importorskip("distributed")
import lcca.dask  # noqa: E402
from lcca.dask import _losses, _silence  # noqa: E402


def small_cluster(**options):
    settings = {"n_workers": 1, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    return distributed.LocalCluster(**(settings | options))


def deadly():
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_shard_that_kills_its_workers_ends_the_fit_and_is_named(views, monkeypatch):
    monkeypatch.setattr(_losses, "LIMIT", 2)
    shards = loaders(views, 3)
    shards[1] = (deadly, shards[1][1])
    with small_cluster(memory_limit="1GB") as cluster, distributed.Client(cluster) as client:
        with pytest.raises(lcca.dask.ShardError) as error:
            lcca.dask.from_loaders(client, shards)
    assert error.value.name == "shard 1"
    assert "2 workers were lost while they loaded it (each may use 1 GB" in str(error.value)
    assert "smaller shards" in str(error.value)


def test_a_cluster_without_workers_says_what_it_waits_for_and_gives_up(views):
    with small_cluster(n_workers=0) as cluster, distributed.Client(cluster) as client:
        with (
            pytest.warns(
                lcca.LccaWarning, match="the cluster has no workers, and 2 of 2 shards.*waiting up to 1.5 s"
            ),
            pytest.raises(
                lcca.dask.NoWorkersError, match="has had no workers for 1.5 s.*raise worker_timeout"
            ),
        ):
            lcca.dask.from_loaders(client, loaders(views, 2), worker_timeout=1.5)


class Scheduled:
    """A client that knows the suspicions and events of a scheduler."""

    def __init__(self, suspicions, events):
        self.suspicions, self.events = suspicions, events

    def run_on_scheduler(self, _, keys):
        return {key: self.suspicions[key] for key in keys if key in self.suspicions}

    def get_events(self, _):
        return [(0.0, event) for event in self.events]


class Loading:
    def __init__(self, key):
        self.key = key


def test_losses_add_up_over_keys_and_the_running_load_is_blamed():
    begun = {"state": "begun", "limit": 524_288_000, "files": 640_000_000}
    events = [
        begun | {"key": "innocent"}, {"state": "ended", "key": "innocent"},
        begun | {"key": "first"}, {"state": "growing", "key": "first", "memory": 498_000_000},
        begun | {"key": "again"},
    ]
    client = Scheduled({"first": 2, "innocent": 2}, events)
    losses = _losses.Losses(client)
    assert losses.look([Loading("innocent"), Loading("first")]) is None
    client.suspicions = {"innocent": 3, "again": 1}
    shard, text = losses.look([Loading("innocent"), Loading("again")])
    assert shard == 1
    words = (
        "3 workers were lost while they loaded it (each may use 524 MB, had taken at least 498 MB by "
        "then, its files have 640 MB)"
    )
    assert text.startswith(words)
    losses.clear()
    client.suspicions = {"again": 1}
    assert losses.look([Loading("innocent"), Loading("again")]) is None


def test_workers_that_are_all_paused_are_not_waited_for_forever():
    class Paused:
        def run_on_scheduler(self, _):
            return ["paused", "paused"]

    patience = _losses.Patience(Paused(), 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patience.look("work remains")
        with pytest.raises(
            lcca.dask.NoWorkersError, match="2 workers, all of them paused.*work remains.*smaller shards"
        ):
            patience.wait("work remains")


def ends(act):
    """The error that ends something, which must not take forever."""
    caught = []

    def run():
        try:
            act()
        except Exception as error:
            caught.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(300)
    assert not thread.is_alive(), "it waits forever"
    (error,) = caught
    return error


def test_a_worker_that_is_stopped_for_good_is_named_and_ends_the_fit(views):
    with small_cluster(n_workers=2) as cluster, distributed.Client(cluster) as client:
        pair = lcca.dask.from_loaders(client, loaders(views, 4))
        # After the workers have started: they are silent as well, for as long as they import.
        pair._shards.silence = _silence.Silence(client, 10.0)
        address, process = sorted(workers(client).items())[0]
        stop = Saboteur(lambda: os.kill(process, signal.SIGSTOP))
        try:
            with pytest.warns(
                lcca.LccaWarning, match=f"{address} has sent nothing for .* s: waiting up to 10 s"
            ):
                error = ends(lambda: lcca.CCA(**SLOW, callback=stop).fit(pair))
        finally:
            os.kill(process, signal.SIGCONT)
        assert isinstance(error, lcca.dask.SilentWorkerError) and error.address == address, error
        assert (
            f"worker {address} has sent nothing for 10 s" in str(error)
            and "raise worker_timeout" in str(error)
        )


def test_a_worker_that_stops_while_it_loads_ends_the_wait(views, tmp_path):
    log = tmp_path / "process"

    def stops():
        log.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGSTOP)
        return views[0]

    with small_cluster() as cluster, distributed.Client(cluster) as client:
        # A worker is silent for as long as it imports this.
        client.run(lambda: __import__("lcca.dask"))
        try:
            with pytest.warns(lcca.LccaWarning, match="has sent nothing for"):
                error = ends(
                    lambda: lcca.dask.from_loaders(client, [(stops, lambda: views[1])], worker_timeout=10.0)
                )
        finally:
            os.kill(int(log.read_text()), signal.SIGCONT)
    assert isinstance(error, lcca.dask.SilentWorkerError), error


@pytest.mark.parametrize("closed", ["cluster", "client"])
@pytest.mark.parametrize("during", [False, True])
def test_a_cluster_that_is_closed_in_mid_fit_is_the_reason_that_is_given(views, closed, during):
    with small_cluster(n_workers=2) as cluster, distributed.Client(cluster, timeout=5) as client:
        pair = lcca.dask.from_loaders(client, loaders(views, 4))
        close = cluster.close if closed == "cluster" else client.close
        act = Saboteur(later(0.01, close) if during else close)
        error = ends(lambda: lcca.CCA(**SLOW, callback=act).fit(pair))
        if during:
            act.act.join()
    assert isinstance(error, lcca.dask.ClosedClusterError), repr(error)
    assert "closed during the fit" in str(error)
