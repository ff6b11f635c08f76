"""Shards from files, arrays, frames and loaders, and what is refused."""

import contextlib
import functools
import http.server
import pickle
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import ROWS, X_COLS, Y_COLS, loaders
from conftest import exact_correlations, shared_factors

import lcca

pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
import lcca.dask  # noqa: E402


@pytest.mark.filterwarnings("ignore:Sending large graph")
def test_files_and_arrays_are_shards(client, views, tmp_path):
    x, y = views
    exactly = lcca.CCA(3, method="gram")
    truth = exactly.fit(x, y).objective_
    spans = [(0, 1000), (1000, 2500), (2500, ROWS)]
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


def test_files_of_urls_are_fetched_and_leave_nothing_behind(client, views, tmp_path):
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
        np.testing.assert_allclose(
            exactly.fit(lcca.dask.from_loaders(client, [web])).objective_, truth, rtol=0, atol=1e-9
        )
    folders = client.run(
        lambda dask_worker: [str(path) for path in Path(dask_worker.local_directory).rglob("*.npz")]
    )
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
    for files in (paths, [f"file://{path}" for path in paths], [[path] for path in paths]):
        pair = lcca.dask.from_parquet(client, *files)
        assert pair.shape == (500, 8, 6) and [s["shape"][0] for s in pair._summaries] == [200, 200, 100]
        np.testing.assert_allclose(
            lcca.CCA(3).fit(pair).correlations_, exact_correlations(*views)[:3], atol=1e-9
        )
    pq.write_table(table, tmp_path / "fewer.parquet", row_group_size=500)
    with pytest.raises(ValueError, match="x has 3 groups of rows and y has 1"):
        lcca.dask.from_parquet(client, paths[0], tmp_path / "fewer.parquet")
    pq.write_table(pa.table({"a": ["no", "number"]}), tmp_path / "texts.parquet")
    with pytest.raises(lcca.dask.ShardError, match=r"texts.parquet, group 0.*expected numbers"):
        lcca.dask.from_parquet(client, tmp_path / "texts.parquet", tmp_path / "texts.parquet")


def test_shards_without_rows_are_left_out(client, views):
    x, y = views
    shards = [(x[:0], y[:0]), (x[:1000], y[:1000]), (x[:0], y[:0]), (x[1000:], y[1000:])]
    pair = lcca.dask.from_delayed(client, shards)
    assert pair.shape == (ROWS, X_COLS, Y_COLS)
    model = lcca.CCA(3, method="gram").fit(pair)
    np.testing.assert_allclose(
        model.objective_, lcca.CCA(3, method="gram").fit(x, y).objective_, rtol=0, atol=1e-9
    )
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
    texts = [
        [" ".join(f"{word}{t * 4 + i}" for i in random.integers(0, 4, 3)) for t in topic] for word in "ab"
    ]
    frame = pd.DataFrame({"left": texts[0], "right": texts[1]})
    vectorizer = HashingVectorizer(n_features=64, alternate_sign=False)
    take = [lambda part, name=name: vectorizer.transform(part[name]) for name in ("left", "right")]
    exactly = lcca.CCA(3, method="gram")
    truth = exactly.fit(*(function(frame) for function in take)).objective_
    objective = exactly.fit(
        lcca.dask.from_dataframe(client, frames.from_pandas(frame, npartitions=3), *take)
    ).objective_
    np.testing.assert_allclose(objective, truth, rtol=0, atol=1e-9)


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
    with pytest.raises(
        lcca.dask.ShardError, match=r"'shard 2' could not be loaded: KeyError.*no such table"
    ) as caught:
        lcca.dask.from_loaders(client, shards, retries=1)
    assert isinstance(caught.value.__cause__, KeyError)


def test_panels_that_do_not_fit_a_worker_are_refused_before_the_start(client):
    wide = sp.csr_array(([1.0, 1.0, 1.0], ([0, 1, 2], [5, 7, 1_999_999])), shape=(3, 2_000_000))
    pair = lcca.dask.from_delayed(client, [(wide, wide)])
    with pytest.raises(
        MemoryError, match=r"worker tcp://.* has 1.2 GB before it spills and would need .* GB of panels of"
    ):
        lcca.CCA(3, oversample=40).fit(pair)
    assert [p["verb"] for p in pair.passes_] == ["summary"]


def test_what_makes_no_sense_is_refused_in_one_line(client, views):
    x, y = views
    with pytest.raises(
        ValueError, match=r"'shard 1' has 299 \+ 200 columns, expected 300 \+ 200 as shard 'shard 0' has"
    ):
        lcca.dask.from_delayed(client, [(x[:10], y[:10]), (x[10:20, :299], y[10:20])])
    with pytest.raises(lcca.dask.ShardError, match="'shard 0'.*has 10 rows and y has 9"):
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
    arrays = [
        da.from_array(view.toarray(), chunks=chunks)
        for view, chunks in zip(views, [(1000, -1), (2000, -1)], strict=True)
    ]
    with pytest.raises(ValueError, match="different chunks of rows"):
        lcca.dask.from_array(client, *arrays)
    with pytest.raises(ValueError, match="2 chunks of columns"):
        lcca.dask.from_array(client, arrays[0].rechunk({1: 150}), arrays[1])


def test_masked_entries_are_not_taken_for_numbers(client):
    masked = np.ma.masked_array(np.ones((4, 2)), mask=np.eye(4, 2, dtype=bool))
    with pytest.raises(lcca.dask.ShardError, match="shard 0"):
        lcca.dask.from_loaders(client, [(lambda: masked, lambda: np.ones((4, 1)))], retries=0)
