"""A real cluster of processes on this machine: answers, faults, refusals."""

import contextlib
import functools
import http.server
import os
import pickle
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import exact_correlations, shared_factors, sparse_pair

import lcca

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
import lcca.dask  # noqa: E402

ROWS, X_COLS, Y_COLS = 4000, 300, 200


@pytest.fixture(scope="module")
def cluster():
    """Two workers of one thread, with nannies; tests that lose workers leave as many as they found."""
    # A LocalCluster looks some time after every loss whether that worker is back, and may find it lost again by then.
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}):
        made = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None, memory_limit="2GB"
        )
        with made:
            yield made


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture(scope="module")
def views():
    return sparse_pair(ROWS, X_COLS, Y_COLS)


def cuts(count, rows=ROWS):
    """Edges of unequal shards."""
    return [0, *sorted(np.random.default_rng(count).choice(np.arange(1, rows), count - 1, replace=False)), rows]


def loaders(views, count, log=None, wait=0.0):
    """Functions that return slices; each writes a line to `log` when called."""
    x, y = views

    def load(view, at, first, last):
        def call():
            if log is not None:
                with open(log, "a") as file:
                    file.write(f"{at} {os.getpid()}\n")
            time.sleep(wait)
            return view[first:last]

        return call

    edges = cuts(count, x.shape[0])
    return [(load(x, i, a, b), lambda a=a, b=b: y[a:b]) for i, (a, b) in enumerate(zip(edges, edges[1:], strict=False))]


def loaded(log):
    """The shards in the order they were loaded."""
    return [int(line.split()[0]) for line in Path(log).read_text().splitlines()]


def workers(client):
    """Process ids by address."""
    return client.run(os.getpid)


# Answers


@pytest.mark.parametrize("count", [1, 2, 5])
def test_products_are_those_of_scipy_however_the_rows_are_cut(client, views, count):
    x, y = views
    pair = lcca.dask.from_loaders(client, loaders(views, count))
    assert pair.shape == (ROWS, X_COLS, Y_COLS)
    random = np.random.default_rng(1)
    wx, wy = random.standard_normal((X_COLS, 9)), random.standard_normal((Y_COLS, 3))
    shift = random.standard_normal(9)
    wanted = [(0, 0), (1, 0), (0, 1), (1, 1)]
    found = pair.products(((wx, shift), (wy, None)), wanted)
    zx, zy = x @ wx - shift, y @ wy
    for product, truth in zip(found, [x.T @ zx, y.T @ zx, x.T @ zy, y.T @ zy], strict=True):
        np.testing.assert_allclose(product, truth, rtol=0, atol=1e-9 * abs(truth).max())
    for side, view in enumerate(views):
        weight, total, square, stored = pair.moments(side)
        assert weight == ROWS
        np.testing.assert_allclose(total, np.asarray(view.sum(axis=0)).ravel())
        np.testing.assert_allclose(square, np.asarray(view.multiply(view).sum(axis=0)).ravel())
        np.testing.assert_array_equal(stored, np.bincount(view.tocsr().indices, minlength=view.shape[1]))
        starts, rows, values = pair.gram(side, 1 << 30)
        lower = sp.csc_array((values, rows, starts), shape=(view.shape[1],) * 2)
        assert abs(lower - sp.tril(view.T @ view)).max() < 1e-9
    xx, xy, yy = (sp.csr_array((v, c, o)) for o, c, v in pair.joint_gram(1 << 30))
    for block, truth in ((xx, x.T @ x), (xy, x.T @ y), (yy, y.T @ y)):
        assert abs(block - truth).max() < 1e-9
    both = sp.hstack([np.ones((ROWS, 1)), x, y]).toarray()
    dense = pair.dense_gram(None, 1 << 30)
    np.testing.assert_allclose(np.tril(dense), np.tril(both[:, 1:].T @ both[:, 1:]), atol=1e-8)
    factor = pair.triangle(1 << 30)
    np.testing.assert_allclose(factor.T @ factor, both.T @ both, atol=1e-7)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"structure": False, "center": False},
        {"method": "gram"},
        {"method": "exact"},
        {"method": "als", "t1": 5},
        {"method": "als", "t1": 5, "inner": "cg"},
        {"method": "d-cca", "t1": 5},
        {"method": "l-cca", "t1": 2, "t2": 5, "k_pc": 20},
        {"method": "rp-cca", "k_rpcca": 50},
        {"method": "shift-invert"},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_method_finds_what_one_machine_finds_in_as_many_passes(client, views, options):
    settings = {"n_components": 5, "ridge": 0.01} | options
    one = lcca.CCA(**settings).fit(*views)
    pair = lcca.dask.from_loaders(client, loaders(views, 3))
    many = lcca.CCA(**settings).fit(pair)
    assert (many.chosen_, many.n_passes_, many.n_gram_passes_) == (one.chosen_, one.n_passes_, one.n_gram_passes_)
    np.testing.assert_allclose(many.objective_, one.objective_, rtol=0, atol=1e-9)
    assert abs(many.total_ - one.total_) < 1e-9
    assert many.n_samples_ == ROWS


def test_structure_is_found_through_shards(client):
    """One-hot views with many equal rows and many empty columns: solved away, merged, left out."""
    random = np.random.default_rng(0)
    rows, topic = 140_000, random.integers(0, 6, 140_000)
    columns = [(topic * 9 + random.integers(0, 5, rows)) * 3, topic * 7 + random.integers(0, 4, rows)]
    views = [sp.csr_array((np.ones(rows), (np.arange(rows), c)), shape=(rows, 200)) for c in columns]
    one = lcca.CCA(4).fit(*views)
    edges = [0, 70_000, 140_000]
    shards = [tuple(v[a:b] for v in views) for a, b in zip(edges, edges[1:], strict=False)]
    many = lcca.CCA(4).fit(lcca.dask.from_delayed(client, shards))
    for word in ("one-hot", "columns of X that are not empty", "Gram"):
        assert word in one.why_ and word in many.why_
    assert (many.n_passes_, many.n_gram_passes_) == (one.n_passes_, one.n_gram_passes_)
    assert abs(many.total_ - one.total_) < 1e-9
    np.testing.assert_array_equal(many.x_weights_ == 0, one.x_weights_ == 0)


def test_weights_of_rows_count(client, views):
    weight = np.random.default_rng(2).integers(0, 3, ROWS).astype(float)
    one = lcca.CCA(3).fit(*views, sample_weight=weight)
    edges = cuts(3)
    shards = [(*pair, lambda a=a, b=b: weight[a:b]) for pair, a, b in zip(loaders(views, 3), edges, edges[1:], strict=False)]
    many = lcca.CCA(3).fit(lcca.dask.from_loaders(client, shards))
    np.testing.assert_allclose(many.objective_, one.objective_, rtol=0, atol=1e-9)


def test_single_precision_on_the_wire_costs_the_last_digits_and_halves_the_bytes(client, views):
    settings = {"n_components": 5, "method": "lobpcg", "structure": False}
    passes = {}
    for transfer in ("float64", "float32"):
        pair = lcca.dask.from_loaders(client, loaders(views, 2), transfer=transfer)
        passes[transfer] = lcca.CCA(**settings).fit(pair), [p for p in pair.passes_ if p["verb"] == "products"][0]
    (full, wide), (half, narrow) = passes["float64"], passes["float32"]
    assert narrow["bytes_in"] * 2 == wide["bytes_in"] and narrow["bytes_out"] < 0.51 * wide["bytes_out"]
    assert 0 < abs(half.total_ - full.total_) < 1e-6 * full.total_


@pytest.mark.filterwarnings("ignore:Sending large graph")
def test_files_and_arrays_are_shards(client, views, tmp_path):
    x, y = views
    exactly = lcca.CCA(3, method="gram")
    truth = exactly.fit(x, y).objective_
    edges = [0, 1000, 2500, ROWS]
    spans = list(zip(edges, edges[1:], strict=False))
    paths = []
    for i, (a, b) in enumerate(spans):
        names = [tmp_path / f"{view}_{i}.npz" for view in "xy"]
        for name, view in zip(names, views, strict=True):
            sp.save_npz(name, view[a:b])
        paths.append(names)
    chunks = (tuple(b - a for a, b in spans), -1)
    arrays = [da.from_array(view.toarray(), chunks=chunks) for view in views]
    sparse = arrays[0].map_blocks(sp.csr_matrix), arrays[1]
    for pair in (
        lcca.dask.from_loaders(client, paths),
        lcca.dask.from_array(client, *arrays),
        lcca.dask.from_array(client, *sparse),
    ):
        np.testing.assert_allclose(exactly.fit(pair).objective_, truth, rtol=0, atol=1e-9)
    assert str(paths[0][0]) in lcca.dask.from_loaders(client, paths)._shards.names


@contextlib.contextmanager
def served(folder):
    """A web server of a folder's files."""
    pytest.importorskip("aiohttp")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_files_from_elsewhere_are_fetched_and_leave_nothing_behind(client, views, tmp_path):
    exactly = lcca.CCA(3, method="gram")
    truth = exactly.fit(*views).objective_
    urls = []
    for view, name in zip(views, "xy", strict=True):
        sp.save_npz(tmp_path / f"{name}.npz", view, compressed=False)
        urls.append(f"file://{tmp_path}/{name}.npz")
    pair = lcca.dask.from_loaders(client, [urls])
    np.testing.assert_allclose(exactly.fit(pair).objective_, truth, rtol=0, atol=1e-9)
    with served(tmp_path) as address:
        web = [f"{address}/{name}.npz?signature=a/b" for name in "xy"]
        np.testing.assert_allclose(exactly.fit(lcca.dask.from_loaders(client, [web])).objective_, truth, rtol=0, atol=1e-9)
    folders = client.run(lambda dask_worker: [str(path) for path in Path(dask_worker.local_directory).rglob("*.npz")])
    assert not any(folders.values())
    with pytest.raises(lcca.dask.ShardError, match="nowhere.npz"):
        lcca.dask.from_loaders(client, [(f"file://{tmp_path}/nowhere.npz", urls[1])], retries=0)


def test_groups_of_rows_of_parquet_files_are_shards(client, tmp_path):
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    views = shared_factors(500, 8, 6, 3)
    paths = []
    for view, name in zip(views, "xy", strict=True):
        table = pa.table({f"{name}{j}": view[:, j] for j in range(view.shape[1])})
        pq.write_table(table, tmp_path / f"{name}.parquet", row_group_size=200)
        paths.append(tmp_path / f"{name}.parquet")
    for where in (paths, [f"file://{path}" for path in paths], [[path] for path in paths]):
        pair = lcca.dask.from_parquet(client, *where)
        assert pair.shape == (500, 8, 6) and [s["shape"][0] for s in pair._summaries] == [200, 200, 100]
        np.testing.assert_allclose(lcca.CCA(3).fit(pair).correlations_, exact_correlations(*views)[:3], atol=1e-9)
    pq.write_table(table, tmp_path / "fewer.parquet", row_group_size=500)
    with pytest.raises(ValueError, match="x has 3 groups of rows and y 1"):
        lcca.dask.from_parquet(client, paths[0], tmp_path / "fewer.parquet")
    pq.write_table(pa.table({"a": ["no", "number"]}), tmp_path / "texts.parquet")
    with pytest.raises(lcca.dask.ShardError, match=r"texts.parquet, group 0.*expected plain numbers"):
        lcca.dask.from_parquet(client, tmp_path / "texts.parquet", tmp_path / "texts.parquet")


def test_shards_without_rows_are_left_out(client, views):
    x, y = views
    shards = [(x[:0], y[:0]), (x[:1000], y[:1000]), (x[:0], y[:0]), (x[1000:], y[1000:])]
    pair = lcca.dask.from_delayed(client, shards)
    assert pair.shape == (ROWS, X_COLS, Y_COLS)
    model = lcca.CCA(3, method="gram").fit(pair)
    np.testing.assert_allclose(model.objective_, lcca.CCA(3, method="gram").fit(x, y).objective_, rtol=0, atol=1e-9)
    assert model.transform(pair)[0].compute().shape == (ROWS, 3)
    with pytest.raises(ValueError, match="no shard has rows"):
        lcca.dask.from_delayed(client, [(x[:0], y[:0])])
    with pytest.raises(ValueError, match=r"'shard 0' has 299 \+ 200|'shard 1' has 300 \+ 200"):
        lcca.dask.from_delayed(client, [(x[:0, :299], y[:0]), (x, y)])


def test_texts_in_a_frame_become_views_through_a_vectorizer(client):
    frames = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    from sklearn.feature_extraction.text import HashingVectorizer

    random = np.random.default_rng(0)
    topic = random.integers(0, 5, 600)
    texts = [[" ".join(f"{word}{t * 4 + i}" for i in random.integers(0, 4, 3)) for t in topic] for word in "ab"]
    frame = pd.DataFrame({"left": texts[0], "right": texts[1]})
    vectorizer = HashingVectorizer(n_features=64, alternate_sign=False)
    take = [lambda part, name=name: vectorizer.transform(part[name]) for name in ("left", "right")]
    exactly = lcca.CCA(3, method="gram")
    truth = exactly.fit(*(function(frame) for function in take)).objective_
    found = exactly.fit(lcca.dask.from_dataframe(client, frames.from_pandas(frame, npartitions=3), *take)).objective_
    np.testing.assert_allclose(found, truth, rtol=0, atol=1e-9)


def test_scores_stay_where_the_rows_are_until_they_are_asked_for(client, views):
    one = lcca.CCA(4).fit(*views)
    pair = lcca.dask.from_loaders(client, loaders(views, 3))
    found = one.transform(pair)
    for scores, truth in zip(found, one.transform(*views), strict=True):
        assert isinstance(scores, da.Array) and scores.shape == (ROWS, 4) and scores.numblocks[0] == 3
        np.testing.assert_allclose(scores.compute(), truth, atol=1e-10)
    assert abs(one.score(pair) - one.score(*views)) < 1e-12
    np.testing.assert_allclose(one.correlations(pair), one.correlations(*views), atol=1e-12)


def test_products_travel_without_columns_that_no_shard_touches(client):
    random = np.random.default_rng(0)
    cols, places = 1000, [np.arange(0, 100), np.arange(50, 140), np.arange(900, 1000)]
    shards = []
    for there in places:
        views = []
        for _ in "xy":
            view = sp.random_array((300, len(there)), density=0.1, format="coo", rng=random)
            views.append(sp.csr_array((view.data, (view.row, there[view.col])), shape=(300, cols)))
        shards.append(tuple(views))
    x, y = (sp.vstack(views, format="csr") for views in zip(*shards, strict=True))
    w = random.standard_normal((cols, 4))
    pair = lcca.dask.from_delayed(client, shards)
    found = pair.products(((w, None), None), [(0, 0), (1, 0)])
    for product, view in zip(found, (x, y), strict=True):
        np.testing.assert_allclose(product, view.T @ (x @ w), atol=1e-10)
    assert pair.passes_[-1]["bytes_in"] < 0.6 * 2 * pair.passes_[-1]["bytes_out"]
    model = lcca.CCA(3, method="lobpcg", structure=False, tol=1e-9).fit(pair)
    assert abs(model.total_ - lcca.CCA(3, method="lobpcg", structure=False, tol=1e-9).fit(x, y).total_) < 1e-9


@pytest.mark.parametrize("small", [0, 1 << 30])
@pytest.mark.parametrize("transfer", ["float64", "float32"])
def test_products_are_added_up_on_the_way_or_at_home(client, views, monkeypatch, transfer, small):
    from lcca.dask import _round

    monkeypatch.setattr(_round, "_SMALL", small)
    pair = lcca.dask.from_loaders(client, loaders(views, 5), transfer=transfer)
    random = np.random.default_rng(1)
    wx, wy = random.standard_normal((X_COLS, 9)), random.standard_normal((Y_COLS, 9))
    (x, y), digits = views, 1e-9 if transfer == "float64" else 1e-6
    for _ in range(2):
        found = pair.products(((wx, None), (wy, None)), [(0, 0), (1, 0), (0, 1), (1, 1)])
        for product, truth in zip(found, [x.T @ (x @ wx), y.T @ (x @ wx), x.T @ (y @ wy), y.T @ (y @ wy)], strict=True):
            np.testing.assert_allclose(product, truth, rtol=0, atol=digits * abs(truth).max())


def test_panels_reach_many_workers_and_sums_come_back(views):
    with distributed.LocalCluster(
        n_workers=6, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0", memory_limit="2GB"
    ) as many, distributed.Client(many) as client:
        pair = lcca.dask.from_loaders(client, loaders(views, 9))
        model = lcca.CCA(**SLOW).fit(pair)
        assert all(p["workers"] == 6 for p in pair.passes_)
    one = lcca.CCA(**SLOW).fit(*views)
    assert abs(model.total_ - one.total_) < 1e-9 and model.n_passes_ == one.n_passes_


def test_dense_views_equal_qr_and_svd(client):
    views = shared_factors(300, 8, 6, 3)
    pair = lcca.dask.from_delayed(client, [(views[0][:100], views[1][:100]), (views[0][100:], views[1][100:])])
    np.testing.assert_allclose(lcca.CCA(3).fit(pair).correlations_, exact_correlations(*views)[:3], atol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_round_is_accounted_for(client, views):
    pair = lcca.dask.from_loaders(client, loaders(views, 3))
    lcca.CCA(3, method="d-cca", t1=2).fit(pair)
    rounds = [p for p in pair.passes_ if p["verb"] == "products"]
    assert len(rounds) >= 4 and all(p["workers"] == 2 and p["shards"] == 3 and p["attempts"] == 1 for p in rounds)
    # The first half step multiplies X's panel with both views' rows; both go to both workers.
    assert rounds[0]["bytes_out"] % 2 == 0 and rounds[0]["bytes_out"] > 0
    trace = lcca.CCA(3, method="lobpcg", structure=False).fit(pair).trace_
    assert all(0 < a["moved"] < b["moved"] and 0 < a["waiting"] < b["waiting"] for a, b in zip(trace, trace[1:], strict=False))
    assert trace[-1]["moved"] < sum(p["bytes_out"] + p["bytes_in"] for p in pair.passes_)
    for record in rounds:
        assert record["seconds"] >= record["kernel"] > 0
        assert abs(record["seconds"] - record["kernel"] - record["waiting"]) < 1e-9


# Faults

SLOW = {"n_components": 5, "method": "lobpcg", "structure": False, "tol": 1e-9}


class Saboteur:
    """Does something after the third iteration of a fit."""

    def __init__(self, act):
        self.act, self.done = act, False

    def __call__(self, row):
        if row["iteration"] == 3 and not self.done:
            self.done = True
            self.act.start() if isinstance(self.act, threading.Timer) else self.act()


def later(seconds, act):
    """From another thread, so that it comes in the middle of something."""
    return threading.Timer(seconds, act)


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


def test_a_worker_that_joins_is_given_shards_once_it_stood_idle_for_long(cluster, client, views, tmp_path, monkeypatch):
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
        while len(pair._shards.places()) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        held = pair._shards.places()
        assert before < set(held) and sorted(map(len, held.values())) == [2, 2, 2]
        assert len(loaded(log)) == 6 + 2
        model = lcca.CCA(**SLOW).fit(pair)
    finally:
        cluster.scale(2)
    assert abs(model.total_ - truth.total_) < 1e-10 and model.n_passes_ == truth.n_passes_


def test_a_worker_that_cannot_load_what_it_is_given_is_left_alone(cluster, client, views, tmp_path, monkeypatch):
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
    edges = [(0, 1000), (1000, 2000), (2000, 3000), (3000, ROWS)]
    pair = lcca.dask.from_loaders(client, [(load(x, a, b), load(y, a, b)) for a, b in edges], retries=0)
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


def test_a_shard_is_made_of_what_it_travels_as_anywhere(views, tmp_path):
    from lcca.dask import _worker

    paths = [str(tmp_path / f"{name}.npz") for name in "xy"]
    for compressed in (False, True):
        for path, view in zip(paths, views, strict=True):
            sp.save_npz(path, view, compressed=compressed)
        shard = _worker.reduce(_worker.load("one", *paths), (np.arange(X_COLS, dtype=np.uint32)[::-1], None))
        again = pickle.loads(pickle.dumps(shard))
        assert again.rows.shape == shard.rows.shape and again.rows.shape[1:] == (X_COLS, Y_COLS)
        np.testing.assert_array_equal(*(s.touched[0] for s in (shard, again)))
        assert _worker.load("one", *paths).mapped is not compressed
        assert sys.getsizeof(_worker.load("one", *paths)) < 2000 or compressed


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
    disturb = Saboteur(later(0.0, lambda: cluster.scale(3)) if joins else later(0.01, lambda: os.kill(process, signal.SIGKILL)))
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


def test_a_stopped_fit_goes_on_where_it_was(client, views, tmp_path):
    truth = lcca.CCA(**SLOW).fit(*views)
    pair = lcca.dask.from_loaders(client, loaders(views, 3))
    state = tmp_path / "state"

    def stop(row):
        if row["iteration"] == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lcca.CCA(**SLOW, callback=stop, resume=state).fit(pair)
    assert state.exists()
    # Other shards, other sums: the same data all the same.
    pair = lcca.dask.from_loaders(client, loaders(views, 5))
    seen = []
    model = lcca.CCA(**SLOW, callback=lambda row: seen.append(row["iteration"]), resume=state).fit(pair)
    assert seen[0] >= 5 and abs(model.total_ - truth.total_) < 1e-10 * truth.total_
    assert len(model.trace_) >= seen[-1] and not state.exists()


def test_a_cluster_started_anew_loads_everything_anew(client, views, tmp_path):
    truth = lcca.CCA(**SLOW).fit(*views)
    log = tmp_path / "log"
    pair = lcca.dask.from_loaders(client, loaders(views, 2, log))
    anew = Saboteur(lambda: client.restart(timeout=60))
    model = lcca.CCA(**SLOW, callback=anew).fit(pair)
    assert anew.done and abs(model.total_ - truth.total_) < 1e-10
    assert sorted(loaded(log)) == [0, 0, 1, 1]


def test_a_lost_broadcast_is_sent_again(client, views, monkeypatch):
    from lcca.dask import _round

    truth = lcca.CCA(**SLOW).fit(*views)
    pair = lcca.dask.from_loaders(client, loaders(views, 2))
    send, sent = _round._broadcast, []

    def forgetful(client, places, panels):
        futures = send(client, places, panels)
        sent.append(len(places))
        if len(sent) == 5 and futures:
            client.cancel(list(futures.values()), force=True)
        return futures

    monkeypatch.setattr(_round, "_broadcast", forgetful)
    model = lcca.CCA(**SLOW).fit(pair)
    assert len(sent) > 5 and max(p["attempts"] for p in pair.passes_) > 1
    assert abs(model.total_ - truth.total_) < 1e-10


def test_a_loader_that_raises_once_is_tried_again(client, views, tmp_path):
    flag = tmp_path / "flag"

    def sulky():
        if not flag.exists():
            flag.touch()
            raise OSError("the disk is asleep")
        return views[0][:1000]

    shards = [(sulky, lambda: views[1][:1000]), (lambda: views[0][1000:], lambda: views[1][1000:])]
    model = lcca.CCA(3).fit(lcca.dask.from_loaders(client, shards))
    assert flag.exists() and abs(model.total_ - lcca.CCA(3).fit(*views).total_) < 1e-9


def test_a_loader_that_always_raises_is_named_with_its_error(client, views):
    def broken():
        raise KeyError("no such table")

    shards = [*loaders(views, 2), (broken, lambda: views[1])]
    with pytest.raises(lcca.dask.ShardError, match=r"'shard 2' could not be loaded: KeyError.*no such table") as caught:
        lcca.dask.from_loaders(client, shards, retries=1)
    assert isinstance(caught.value.__cause__, KeyError)


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


# Refusals


def test_panels_that_do_not_fit_a_worker_are_refused_before_the_start(client):
    wide = sp.csr_array(([1.0, 1.0, 1.0], ([0, 1, 2], [5, 7, 1_999_999])), shape=(3, 2_000_000))
    pair = lcca.dask.from_delayed(client, [(wide, wide)])
    with pytest.raises(MemoryError, match=r"worker tcp://.* has 1.2 GB before it spills and would need .* GB of panels of"):
        lcca.CCA(3, oversample=40).fit(pair)
    assert [p["verb"] for p in pair.passes_] == ["summary"]


def test_what_makes_no_sense_is_refused_in_one_line(client, views):
    x, y = views
    with pytest.raises(ValueError, match=r"'shard 1' has 299 \+ 200 columns, expected 300 \+ 200 as shard 'shard 0' has"):
        lcca.dask.from_delayed(client, [(x[:10], y[:10]), (x[10:20, :299], y[10:20])])
    with pytest.raises(lcca.dask.ShardError, match="'shard 0'.*X has 10 rows and Y has 9"):
        lcca.dask.from_delayed(client, [(x[:10], y[:9])])
    with pytest.raises(ValueError, match="no shards"):
        lcca.dask.from_loaders(client, [])
    with pytest.raises(ValueError, match="shard 0 has 1 loaders"):
        lcca.dask.from_loaders(client, [(len,)])
    with pytest.raises(ValueError, match="transfer == 'int8'"):
        lcca.dask.from_delayed(client, [(x, y)], transfer="int8")
    pair = lcca.dask.from_delayed(client, [(x, y)])
    with pytest.raises(ValueError, match="brings its own y"):
        lcca.CCA(3).fit(pair, y)
    with pytest.raises(ValueError, match=r"has 300 \+ 200 columns, but CCA is expecting 200 \+ 300"):
        lcca.CCA(3).fit(y, x).transform(pair)
    arrays = [da.from_array(view.toarray(), chunks=chunks) for view, chunks in zip(views, [(1000, -1), (2000, -1)], strict=True)]
    with pytest.raises(ValueError, match="different chunks of rows"):
        lcca.dask.from_array(client, *arrays)
    with pytest.raises(ValueError, match="2 chunks of columns"):
        lcca.dask.from_array(client, arrays[0].rechunk({1: 150}), arrays[1])


# Real data


@pytest.mark.parametrize(("name", "options"), [("brown", {"center": False}), ("debian400k", {"ridge": 0.01})])
def test_real_data_end_where_one_machine_ends(client, data, name, options):
    if not (data / name).exists():
        pytest.skip(f"{name} is not prepared")
    views = [sp.load_npz(data / name / f"{view}.npz").tocsr() for view in "xy"]
    one = lcca.CCA(20, **options).fit(*views)
    folder, edges = data / name, cuts(3, views[0].shape[0])

    def load(view, a, b):
        return lambda: sp.load_npz(folder / f"{view}.npz").tocsr()[a:b]

    shards = [(load("x", a, b), load("y", a, b)) for a, b in zip(edges, edges[1:], strict=False)]
    many = lcca.CCA(20, **options).fit(lcca.dask.from_loaders(client, shards))
    assert (many.n_passes_, many.n_gram_passes_) == (one.n_passes_, one.n_gram_passes_)
    assert abs(many.total_ - one.total_) < 1e-9 * one.total_
